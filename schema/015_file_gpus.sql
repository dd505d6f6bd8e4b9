-- Schema 15: whose rows stand in which file.

-- Of each GPU the files that have rows of it. A run that was loaded before has none: nothing is
-- known of it.
CREATE TABLE source_file_gpu (
	run_id INTEGER NOT NULL,
	file INTEGER NOT NULL,               -- source_file.number
	device INTEGER NOT NULL,             -- device.number
	PRIMARY KEY (run_id, file, device)
) WITHOUT ROWID;
