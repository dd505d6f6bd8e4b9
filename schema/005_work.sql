-- Schema 5: units of work.

-- What the point events of one type and name count; numbers from units_timed on are of the
-- time from the first to the last event.
CREATE TABLE work (
	run_id INTEGER NOT NULL,
	number INTEGER NOT NULL,             -- from 0, in the order of their first events
	type_name TEXT,                      -- the log's own word
	name TEXT,
	events INTEGER NOT NULL,
	n_is TEXT,                           -- count, total, unclear; NULL: no number
	units REAL,                          -- that the events report
	units_timed REAL,                    -- of them those done behind the first event
	first_ns INTEGER NOT NULL,
	last_ns INTEGER NOT NULL,
	first_s REAL,                        -- from the run's start
	seconds REAL,                        -- from the first to the last event
	units_per_s REAL,
	gpu_util_mean_pct REAL,
	gpu_s_per_unit REAL,                 -- of all GPUs, busy or not
	energy_j REAL,
	energy_coverage REAL,                -- 0 to 1
	energy_j_per_unit REAL,              -- NULL if not all of the time is covered
	PRIMARY KEY (run_id, number)
) WITHOUT ROWID;
