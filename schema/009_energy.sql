-- Schema 9: how an energy came about and what it covers, beside each energy that is stored.

ALTER TABLE metric_summary ADD COLUMN energy_method TEXT;     -- integrated; NULL: no energy
ALTER TABLE metric_summary ADD COLUMN energy_coverage REAL;   -- of the run's time, 0 to 1
ALTER TABLE phase_metric ADD COLUMN energy_method TEXT;
ALTER TABLE phase_metric ADD COLUMN energy_coverage REAL;     -- of the phase's time
ALTER TABLE work ADD COLUMN energy_method TEXT;
