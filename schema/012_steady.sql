-- Schema 12: how much of a steady state the log says something of, and what drifts in it.

-- Share of the GPUs' time from from_ns to to_ns, 0 to 1; NULL: it can't be told.
ALTER TABLE run_steady ADD COLUMN coverage REAL;

-- Metrics of GPUs that fall or rise over it: the ends of the line through them, in the unit.
CREATE TABLE steady_drift (
	run_id INTEGER NOT NULL,
	device INTEGER NOT NULL,
	metric TEXT NOT NULL,
	from_value REAL NOT NULL,
	to_value REAL NOT NULL,
	change REAL NOT NULL,                -- (to - from) / from
	PRIMARY KEY (run_id, device, metric)
) WITHOUT ROWID;
