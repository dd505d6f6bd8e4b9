-- Schema 8: what interrupts a steady state; numbers of a finding in each phase; how fast the
-- last values changed.

-- Between from_ns and to_ns at other levels; the means are of the samples at its own.
ALTER TABLE run_steady ADD COLUMN interruptions INTEGER;
ALTER TABLE run_steady ADD COLUMN interrupted_s REAL; -- all together

-- Of the values that its rule names in in_phases, those that are known.
CREATE TABLE finding_phase_value (
	run_id INTEGER NOT NULL,
	finding INTEGER NOT NULL,            -- finding.number
	phase INTEGER NOT NULL,              -- phase.number
	number INTEGER NOT NULL,             -- finding_value.number
	value REAL NOT NULL,
	PRIMARY KEY (run_id, finding, phase, number)
) WITHOUT ROWID;

-- How fast what a GPU said last changed in the minute before.
ALTER TABLE gpu_ending ADD COLUMN gpu_util_pct_per_min REAL;
ALTER TABLE gpu_ending ADD COLUMN mem_used_mib_per_min REAL;
ALTER TABLE gpu_ending ADD COLUMN power_w_per_min REAL;
ALTER TABLE gpu_ending ADD COLUMN temp_c_per_min REAL;
