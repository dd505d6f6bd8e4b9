-- Views of gaps, drifts, clocks and ends. The rules of views.sql hold here too.

-- The longest gaps of a run, longest first; start_at is the row before.
DROP VIEW IF EXISTS gaps;
CREATE VIEW gaps AS
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	g.number,
	k.name AS source,
	d.name AS device,
	AT(g.start_ns) AS start_at,
	(g.start_ns - r.started_ns) / 1e9 AS start_s,
	g.length_s AS duration_s,
	c.cause
FROM run r
JOIN gap g ON g.run_id = r.run_id
JOIN source_kind k ON k.id = g.source
JOIN device d ON d.run_id = g.run_id AND d.device = g.device
LEFT JOIN gap_cause c ON c.run_id = g.run_id AND c.number = g.number;

-- What drifts in the steady state of a run.
DROP VIEW IF EXISTS drifts;
CREATE VIEW drifts AS
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	d.name AS device,
	t.metric,
	t.from_value,
	t.to_value,
	t.change
FROM run r
JOIN steady_drift t ON t.run_id = r.run_id
JOIN device d ON d.run_id = t.run_id AND d.device = t.device;

-- What interrupts the steady state of a run.
DROP VIEW IF EXISTS interruptions;
CREATE VIEW interruptions AS
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	i.number,
	AT(i.from_ns) AS from_at,
	AT(i.to_ns) AS to_at,
	i.start_s,
	i.seconds AS duration_s,
	i.why,
	t.metric,
	e.unit,
	i.mean,
	i.cause AS gap_cause,
	p.path AS phase
FROM run r
JOIN steady_interruption i ON i.run_id = r.run_id
JOIN run_steady t ON t.run_id = i.run_id
LEFT JOIN metric e ON e.name = t.metric
LEFT JOIN phase p ON p.run_id = i.run_id AND p.number = i.phase;

-- What the recorder's clocks did between two samples.
DROP VIEW IF EXISTS clock_changes;
CREATE VIEW clock_changes AS
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	c.number,
	c.kind,
	AT(c.from_ns) AS from_at,
	AT(c.to_ns) AS to_at,
	c.by_ns / 1e9 AS by_s
FROM run r
JOIN clock_change c ON c.run_id = r.run_id;

-- One row per run and GPU: how the run ended, and what the GPU said last. Of a run without
-- GPUs one row, whose device is NULL.
DROP VIEW IF EXISTS endings;
CREATE VIEW endings AS
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	e.abrupt,
	e.no_end,
	e.signal,
	e.torn_file,
	e.driver_file,
	AT(e.driver_ns) AS driver_at,
	k.name AS early_log,
	AT(e.early_ns) AS early_at,
	d.name AS device,
	g.lost,
	AT(g.last_ns) AS last_at,
	g.silent_s,
	g.gpu_util_pct,
	g.mem_used_mib,
	g.power_w,
	g.temperature_c,
	g.gpu_util_pct_per_min,
	g.mem_used_mib_per_min,
	g.power_w_per_min,
	g.temperature_c_per_min,
	g.said,
	g.said_file,
	g.said_line
FROM run r
JOIN ending e ON e.run_id = r.run_id
LEFT JOIN source_kind k ON k.id = e.early_log
LEFT JOIN gpu_ending g ON g.run_id = e.run_id
LEFT JOIN device d ON d.run_id = g.run_id AND d.device = g.device;
