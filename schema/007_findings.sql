-- Schema 7: what the rules of schema/findings say of a run.

CREATE TABLE finding (
	run_id INTEGER NOT NULL,
	number INTEGER NOT NULL,             -- from 0, the worst first
	rule TEXT NOT NULL,                  -- its id
	version INTEGER NOT NULL,
	outcome TEXT NOT NULL,               -- 'fires', 'cannot_tell'
	severity TEXT NOT NULL,              -- 'bad', 'warn', 'info'
	title TEXT NOT NULL,
	device INTEGER,                      -- device.number; NULL: the run
	sentence TEXT,
	remedy TEXT,
	why TEXT,                            -- of cannot_tell
	cost_gpu_s REAL,                     -- GPU-seconds
	coverage REAL,
	stretches INTEGER NOT NULL,          -- of time in which its conditions held
	PRIMARY KEY (run_id, number)
) WITHOUT ROWID;

-- The numbers behind what fires, in the rule's order.
CREATE TABLE finding_value (
	run_id INTEGER NOT NULL,
	finding INTEGER NOT NULL,            -- finding.number
	number INTEGER NOT NULL,
	name TEXT NOT NULL,
	value REAL,
	unit TEXT NOT NULL,
	PRIMARY KEY (run_id, finding, number)
) WITHOUT ROWID;

-- How long its conditions held in the calls of a path.
CREATE TABLE finding_phase (
	run_id INTEGER NOT NULL,
	finding INTEGER NOT NULL,            -- finding.number
	phase INTEGER NOT NULL,              -- phase.number
	seconds REAL NOT NULL,
	PRIMARY KEY (run_id, finding, phase)
) WITHOUT ROWID;

-- The costliest 1,000.
CREATE TABLE finding_stretch (
	run_id INTEGER NOT NULL,
	finding INTEGER NOT NULL,
	number INTEGER NOT NULL,
	start_ns INTEGER NOT NULL,
	start_s REAL NOT NULL,               -- from the run's start
	seconds REAL NOT NULL,
	gpu_seconds REAL NOT NULL,           -- summed over the GPUs of which it is true
	phase INTEGER,                       -- phase.number in which it begins
	PRIMARY KEY (run_id, finding, number)
) WITHOUT ROWID;

-- What hosts did in it: means of the metrics that the rule names.
CREATE TABLE finding_meanwhile (
	run_id INTEGER NOT NULL,
	finding INTEGER NOT NULL,            -- finding.number
	stretch INTEGER NOT NULL,            -- finding_stretch.number
	metric TEXT NOT NULL,
	mean REAL NOT NULL,
	PRIMARY KEY (run_id, finding, stretch, metric)
) WITHOUT ROWID;
