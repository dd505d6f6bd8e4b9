-- Schema 3: phases as a tree of paths, each with its part of the summary and the full
-- statistics of the samples in it; single calls apart; GPUs of several hosts.

-- Where a log is of several: of which host a GPU is. Else NULL.
ALTER TABLE device ADD COLUMN host TEXT;

-- The throttle reason that old drivers call unknown.
ALTER TABLE gpu_field_sample ADD COLUMN reason_unknown TEXT;

-- One call of a phase: as the log has it.
CREATE TABLE phase_call (
	run_id INTEGER NOT NULL,
	number INTEGER NOT NULL,             -- from 0, by start, the outer first
	phase INTEGER,                       -- phase.number
	name TEXT,
	extras TEXT,                         -- further keys of the log's line, a JSON object
	start_ns INTEGER,
	end_ns INTEGER,                      -- without an end: the run's
	start_s REAL,                        -- from the run's start
	seconds REAL,
	unfinished INTEGER NOT NULL,
	empty INTEGER,                       -- no sample lies in it
	too_short INTEGER,                   -- shorter than two samples
	overlapping INTEGER,                 -- with one that is not in it, nor it in that one
	PRIMARY KEY (run_id, number)
) WITHOUT ROWID;

INSERT INTO phase_call (run_id, number, name, extras, start_ns, start_s, seconds, unfinished)
SELECT run_id, number, name, extras, start_ns, start_s, seconds, unfinished FROM phase;

-- The views name the table that goes; they are made anew after the last migration.
DROP VIEW IF EXISTS v_phase;
DROP TABLE phase;

-- All calls of one path. A run that an earlier version loaded has one path a name, and
-- no numbers of its samples until it is loaded anew.
CREATE TABLE phase (
	run_id INTEGER NOT NULL,
	number INTEGER NOT NULL,             -- from 0, depth first
	path TEXT NOT NULL,                  -- 'train/epoch/step'; '(outside)': in no call
	name TEXT NOT NULL,                  -- 'step'
	depth INTEGER NOT NULL,              -- from 0
	calls INTEGER NOT NULL,
	non_empty_calls INTEGER,             -- in which a sample lies
	start_s REAL,                        -- of the first call
	total_s REAL,                        -- sum of the calls
	min_s REAL,
	mean_s REAL,
	max_s REAL,
	exclusive_s REAL,                    -- in none of their inner calls
	too_short INTEGER,                   -- all calls are shorter than two samples
	unfinished INTEGER NOT NULL,         -- one of them is
	overlapping INTEGER,
	gpu_util_mean_pct REAL,
	gpu_util_max_pct REAL,
	mem_util_mean_pct REAL,
	peak_vram_mib REAL,
	power_mean_w REAL,
	power_total_mean_w REAL,
	power_max_w REAL,
	energy_j REAL,
	energy_partial_j REAL,
	energy_method TEXT,
	energy_coverage REAL,
	energy_uncovered_s REAL,
	gpu_temp_max_c REAL,
	sm_clock_mean_mhz REAL,
	cpu_usr_mean_pct REAL,
	cpu_sys_mean_pct REAL,
	cpu_iowait_mean_pct REAL,
	cpu_idle_mean_pct REAL,
	ram_peak_mib REAL,
	rss_peak_mib REAL,
	rss_mean_mib REAL,
	PRIMARY KEY (run_id, number)
) WITHOUT ROWID;

INSERT INTO phase (run_id, number, path, name, depth, calls, start_s, total_s, min_s, mean_s,
	max_s, unfinished)
SELECT run_id, min(number), coalesce(name, ''), coalesce(name, ''), 0, count(*), min(start_s),
	sum(seconds), min(seconds), avg(seconds), max(seconds), max(unfinished)
FROM phase_call GROUP BY run_id, coalesce(name, '');

UPDATE phase_call SET phase = (SELECT p.number FROM phase p
	WHERE p.run_id = phase_call.run_id AND p.name = coalesce(phase_call.name, ''));

-- Statistics of one metric of one device in one source over all calls of a path; columns
-- as in metric_summary.
CREATE TABLE phase_metric (
	run_id INTEGER NOT NULL,
	phase INTEGER NOT NULL,              -- phase.number
	source INTEGER NOT NULL,
	device INTEGER NOT NULL,
	metric TEXT NOT NULL,
	n INTEGER NOT NULL,
	missing INTEGER NOT NULL,
	covered_s REAL,
	mean REAL,
	mean_samples REAL,
	min REAL,
	max REAL,
	min_at_ns INTEGER,
	max_at_ns INTEGER,
	p50 REAL,
	p90 REAL,
	p95 REAL,
	p99 REAL,
	stddev REAL,
	above_gt_0 REAL,
	above_ge_20 REAL,
	above_ge_50 REAL,
	above_ge_80 REAL,
	above_ge_95 REAL,
	energy_j REAL,
	sum REAL,
	increase REAL,
	rate_per_s REAL,
	resets INTEGER,
	PRIMARY KEY (run_id, phase, source, device, metric)
) WITHOUT ROWID;

-- How long a state held within a path; columns as in metric_state.
CREATE TABLE phase_state (
	run_id INTEGER NOT NULL,
	phase INTEGER NOT NULL,              -- phase.number
	source INTEGER NOT NULL,
	device INTEGER NOT NULL,
	metric TEXT NOT NULL,
	number INTEGER NOT NULL,
	state TEXT NOT NULL,
	n INTEGER NOT NULL,
	seconds REAL,
	share REAL,
	PRIMARY KEY (run_id, phase, source, device, metric, number)
) WITHOUT ROWID;
