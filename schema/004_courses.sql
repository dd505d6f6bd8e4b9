-- Schema 4: what is made of a value over time: growth and slope of memory, steady states.

-- Of metrics of memory; in a phase NULL. In the metric's unit: the last value less the
-- first, and what it rises by in an hour (Theil-Sen).
ALTER TABLE metric_summary ADD COLUMN growth REAL;
ALTER TABLE metric_summary ADD COLUMN slope_per_h REAL;
ALTER TABLE phase_metric ADD COLUMN growth REAL;
ALTER TABLE phase_metric ADD COLUMN slope_per_h REAL;

-- The steady state of a run's GPUs; no row: none was found. Of the samples at its level in
-- [from_ns, to_ns) of one source.
CREATE TABLE run_steady (
	run_id INTEGER PRIMARY KEY,
	metric TEXT NOT NULL,                -- that it was found by
	source INTEGER NOT NULL,             -- source_kind.id
	from_ns INTEGER NOT NULL,
	to_ns INTEGER NOT NULL,
	from_s REAL,                         -- from the run's start
	to_s REAL,
	warm_up_s REAL,                      -- from the first sample until the level
	gpu_util_mean_pct REAL,              -- over the samples of all GPUs
	power_total_mean_w REAL              -- sum of the GPUs' means
);
