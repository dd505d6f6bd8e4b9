-- Schema 8: what interrupts a steady state; numbers of a finding in each phase.

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
