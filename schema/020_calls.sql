-- Schema 20: the main numbers of single calls; what shows that a GPU was lost.

-- As those of its path in `phase`; NULL: unknown.
ALTER TABLE phase_call ADD COLUMN gpu_util_mean_pct REAL;
ALTER TABLE phase_call ADD COLUMN power_total_mean_w REAL;
ALTER TABLE phase_call ADD COLUMN energy_j REAL;
ALTER TABLE phase_call ADD COLUMN energy_method TEXT;
ALTER TABLE phase_call ADD COLUMN energy_coverage REAL;

-- What nvidia-smi said of a GPU that was lost, and where; NULL: nobody can tell, or it was not lost.
ALTER TABLE gpu_ending ADD COLUMN said TEXT;
ALTER TABLE gpu_ending ADD COLUMN said_file TEXT;
ALTER TABLE gpu_ending ADD COLUMN said_line INTEGER;

-- What was loaded before has none of them: where there may be some, it is loaded anew, as what
-- older definitions made.
UPDATE run SET definitions_version = 7 WHERE definitions_version = 8 AND (
	EXISTS (SELECT 1 FROM phase_call c WHERE c.run_id = run.run_id)
	OR EXISTS (SELECT 1 FROM gpu_ending g WHERE g.run_id = run.run_id AND g.lost));
