-- Schema 8: numbers of a finding in each phase.

-- Of the values that its rule names in in_phases, those that are known.
CREATE TABLE finding_phase_value (
	run_id INTEGER NOT NULL,
	finding INTEGER NOT NULL,            -- finding.number
	phase INTEGER NOT NULL,              -- phase.number
	number INTEGER NOT NULL,             -- finding_value.number
	value REAL NOT NULL,
	PRIMARY KEY (run_id, finding, phase, number)
) WITHOUT ROWID;
