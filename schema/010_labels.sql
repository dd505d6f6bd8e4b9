-- Schema 10: labels of runs.

-- Texts under keys, by which somebody tells runs apart.
CREATE TABLE run_label (
	run_id INTEGER NOT NULL,
	key TEXT NOT NULL,
	value TEXT NOT NULL,
	given INTEGER NOT NULL,              -- when the run was loaded, and kept when it is loaded
	                                     -- anew; 0: by its recording
	PRIMARY KEY (run_id, key)
) WITHOUT ROWID;
