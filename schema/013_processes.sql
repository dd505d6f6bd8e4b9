-- Schema 13: units of work that several processes log; the energy that is a phase's own.

ALTER TABLE work ADD COLUMN processes INTEGER;        -- that log its events at one time
ALTER TABLE work ADD COLUMN units_least REAL;         -- of one of several; else NULL
ALTER TABLE work ADD COLUMN units_most REAL;

-- In none of the phases right in it, as exclusive_s.
ALTER TABLE phase ADD COLUMN exclusive_energy_j REAL;
