-- Schema 6: what the recorder's clocks did, why there are gaps, how a run ended.

-- As it was read: changes of the clocks between two samples of a recorder.
CREATE TABLE clock_change (
	run_id INTEGER NOT NULL,
	number INTEGER NOT NULL,             -- in the order of reading
	kind TEXT NOT NULL,                  -- suspend, clock step
	from_ns INTEGER NOT NULL,            -- the samples around it, by the wall clock
	to_ns INTEGER NOT NULL,
	by_ns INTEGER NOT NULL,              -- slept for, set forward by
	PRIMARY KEY (run_id, number)
) WITHOUT ROWID;

-- Of the gaps whose cause is known.
CREATE TABLE gap_cause (
	run_id INTEGER NOT NULL,
	number INTEGER NOT NULL,             -- gap.number
	cause TEXT NOT NULL,                 -- suspend, clock step, recorder restarted, GPU lost,
	                                     -- log silent, all silent
	PRIMARY KEY (run_id, number)
) WITHOUT ROWID;

-- How a run ended.
CREATE TABLE ending (
	run_id INTEGER PRIMARY KEY,
	abrupt INTEGER NOT NULL,             -- one of the next four
	no_end INTEGER NOT NULL,             -- the recorder could not write the end
	signal INTEGER,                      -- by the exit status; NULL: none
	torn_file TEXT,                      -- a log that ends in the middle of a line
	gpu_lost INTEGER NOT NULL,
	early_log INTEGER,                   -- source_kind.id: ends more than a gap before the run
	early_ns INTEGER                     -- its last row
);

-- What a GPU said last.
CREATE TABLE gpu_ending (
	run_id INTEGER NOT NULL,
	device INTEGER NOT NULL,
	lost INTEGER NOT NULL,               -- its values end more than a gap before its logs
	last_ns INTEGER,
	silent_s REAL,                       -- from then to the last row of its logs
	gpu_util_pct REAL,
	mem_used_mib REAL,
	power_w REAL,
	temp_c REAL,
	PRIMARY KEY (run_id, device)
) WITHOUT ROWID;
