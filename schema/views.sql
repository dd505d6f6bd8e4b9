-- The public SQL interface: what these views are called and what their columns mean is
-- kept from version to version; columns may be added. Text columns named `at` or ending
-- in _at are RFC 3339 in UTC with milliseconds, columns ending in _s seconds; t_s and
-- start_s count from the run's start. Made anew only when this text changes. @LIST: as in
-- 001_runs.sql. AT(t_ns) is the instant as text.

-- One row a run: what it was, how far the recording can be trusted, and its resource
-- summary, key by key as in the JSON report.
DROP VIEW IF EXISTS runs;
CREATE VIEW runs AS
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	AT(r.started_ns) AS started_at,
	AT(r.ended_ns) AS ended_at,
	r.duration_source,
	r.host,
	r.command,
	r.exit_status,
	r.grade,
	r.coverage,
	r.sessions,
	r.gap_count,
	r.driver,
	r.kernel,
	r.cpu_model,
	r.time_zone,
	r.time_source,
	s.@summary,
	t.metric AS steady_metric,
	t.from_s AS steady_from_s,
	t.to_s AS steady_to_s,
	t.coverage AS steady_coverage,
	t.warm_up_s AS steady_warm_up_s,
	t.interruptions AS steady_interruptions,
	t.interrupted_s AS steady_interrupted_s,
	t.gpu_util_mean_pct AS steady_gpu_util_mean_pct,
	t.power_total_mean_w AS steady_power_total_mean_w,
	replace(rtrim(r.path, '/'), rtrim(rtrim(r.path, '/'), replace(r.path, '/', '')), '') AS name,
	AT(r.started_ns) AS start_time,
	AT(r.ended_ns) AS end_time,
	r.exit_status AS exit_code,
	r.driver AS driver_version,
	(SELECT group_concat(DISTINCT d.model) FROM device d
		WHERE d.run_id = r.run_id AND d.kind = 'gpu') AS gpu_name,
	(SELECT v.interval_s FROM device_evidence v
		JOIN device d ON d.run_id = v.run_id AND d.device = v.device
		WHERE v.run_id = r.run_id AND v.counts AND d.kind IN ('gpu', 'cpu')
		ORDER BY d.kind DESC, v.interval_s DESC LIMIT 1) AS interval_s,
	s.gpu_util_mean_pct AS gpu_util_pct,
	s.mem_util_mean_pct AS mem_util_pct,
	s.cpu_busy_mean_pct AS cpu_util_pct,
	s.peak_vram_mib AS peak_memory_mib,
	s.energy_j / 3600 AS energy_wh,
	s.energy_j / 3.6e6 AS energy_kwh,
	t.warm_up_s,
	s.gpu_count * r.duration_s / 3600 AS gpu_hours,
	(SELECT e.signal FROM ending e WHERE e.run_id = r.run_id) AS signal
FROM run r
LEFT JOIN run_summary s ON s.run_id = r.run_id
LEFT JOIN run_steady t ON t.run_id = r.run_id;

-- One row a label of a run: a text under a key, of its recording or given when it was
-- loaded.
DROP VIEW IF EXISTS labels;
CREATE VIEW labels AS
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	l.key AS name,
	l.value,
	l.given,
	l.key AS key
FROM run r
JOIN run_label l ON l.run_id = r.run_id;

-- One row a path of phases: all calls of one name within calls of one path, and their part
-- of the run's summary. '(outside)' is what lies in no call.
DROP VIEW IF EXISTS phases;
CREATE VIEW phases AS
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	p.number,
	p.path AS phase,
	p.name,
	p.depth,
	p.calls,
	p.non_empty_calls,
	p.start_s,
	p.duration_s,
	p.min_s,
	p.mean_s,
	p.max_s,
	p.exclusive_s,
	p.exclusive_energy_j,
	p.too_short,
	p.unfinished,
	p.overlapping,
	p.@phase_key,
	p.gpu_util_mean_pct AS gpu_util_pct,
	p.mem_util_mean_pct AS mem_util_pct,
	p.peak_vram_mib AS peak_memory_mib,
	p.energy_j / 3600 AS energy_wh
FROM run r
JOIN phase p ON p.run_id = r.run_id;

-- One row a call of a phase, in the order of their start.
DROP VIEW IF EXISTS calls;
CREATE VIEW calls AS
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	c.number,
	p.path AS phase,
	c.name,
	AT(c.start_ns) AS start_at,
	c.start_s,
	c.duration_s,
	c.unfinished,
	c.empty,
	c.too_short,
	c.overlapping,
	c.gpu_util_mean_pct,
	c.power_total_mean_w,
	c.energy_j,
	c.energy_method,
	c.energy_coverage,
	c.extras,
	c.start_s + c.duration_s AS end_s,
	c.gpu_util_mean_pct AS gpu_util_pct,
	c.energy_j / 3600 AS energy_wh
FROM run r
JOIN phase_call c ON c.run_id = r.run_id
LEFT JOIN phase p ON p.run_id = c.run_id AND p.number = c.phase;

-- One row per run, path of phases, source, device and metric; columns as in metrics.
DROP VIEW IF EXISTS phase_metrics;
CREATE VIEW phase_metrics AS
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	p.path AS phase,
	k.name AS source,
	d.name AS device,
	m.metric,
	e.unit,
	m.@ALL,
	AT(m.min_at_ns) AS min_at,
	AT(m.max_at_ns) AS max_at,
	m.@SPREAD,
	m.@ABOVE,
	m.energy_j,
	m.energy_method,
	m.energy_coverage,
	m.energy_chosen,
	m.sum,
	m.@COUNTER,
	m.@GROWTH,
	CASE WHEN d.kind = 'gpu' THEN d.name END AS gpu,
	m.p50 AS median
FROM run r
JOIN phase_metric m ON m.run_id = r.run_id
JOIN phase p ON p.run_id = m.run_id AND p.number = m.phase
JOIN source_kind k ON k.id = m.source
JOIN device d ON d.run_id = m.run_id AND d.device = m.device
LEFT JOIN metric e ON e.name = m.metric;

-- One row per run, path of phases, source, device, metric and state; as states.
DROP VIEW IF EXISTS phase_states;
CREATE VIEW phase_states AS
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	p.path AS phase,
	k.name AS source,
	d.name AS device,
	m.metric,
	m.state,
	m.n,
	m.seconds AS duration_s,
	m.share
FROM run r
JOIN phase_state m ON m.run_id = r.run_id
JOIN phase p ON p.run_id = m.run_id AND p.number = m.phase
JOIN source_kind k ON k.id = m.source
JOIN device d ON d.run_id = m.run_id AND d.device = m.device;

-- One row per run, source, device and metric. above_*: shares of covered time, 0 to 1.
DROP VIEW IF EXISTS metrics;
CREATE VIEW metrics AS
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	k.name AS source,
	d.name AS device,
	m.metric,
	e.unit,
	m.@ALL,
	AT(m.min_at_ns) AS min_at,
	(m.min_at_ns - r.started_ns) / 1e9 AS min_at_s,
	AT(m.max_at_ns) AS max_at,
	(m.max_at_ns - r.started_ns) / 1e9 AS max_at_s,
	m.@SPREAD,
	m.@ABOVE,
	m.energy_j,
	m.energy_method,
	m.energy_coverage,
	m.energy_chosen,
	m.sum,
	m.@COUNTER,
	m.@GROWTH,
	m.counts,
	e.better,
	e.title,
	CASE WHEN d.kind = 'gpu' THEN d.name END AS gpu,
	m.p50 AS median
FROM run r
JOIN metric_summary m ON m.run_id = r.run_id
JOIN source_kind k ON k.id = m.source
JOIN device d ON d.run_id = m.run_id AND d.device = m.device
LEFT JOIN metric e ON e.name = m.metric;

-- One row per run, source, device, metric and state: how long it held. Of a mask of
-- reasons (clock_reasons) each has a row; several may hold at once.
DROP VIEW IF EXISTS states;
CREATE VIEW states AS
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	k.name AS source,
	d.name AS device,
	m.metric,
	m.state,
	m.n,
	m.seconds AS duration_s,
	m.share
FROM run r
JOIN metric_state m ON m.run_id = r.run_id
JOIN source_kind k ON k.id = m.source
JOIN device d ON d.run_id = m.run_id AND d.device = m.device;

-- What a recording says of itself beside its rows, as it was.
DROP VIEW IF EXISTS facts;
CREATE VIEW facts AS
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	f.name,
	f.value
FROM run r
JOIN run_fact f ON f.run_id = r.run_id;

-- Why values were missing: one row per run, source, device, metric and reason, in the
-- words of the log ('': an empty cell).
DROP VIEW IF EXISTS missing_values;
CREATE VIEW missing_values AS
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	k.name AS source,
	d.name AS device,
	m.metric,
	m.reason,
	m.count
FROM run r
JOIN missing_reason m ON m.run_id = r.run_id
JOIN source_kind k ON k.id = m.source
JOIN device d ON d.run_id = m.run_id AND d.device = m.device;

-- One row per run and GPU: what it is, and its main numbers, each of the kind of log that
-- counts.
DROP VIEW IF EXISTS gpus;
CREATE VIEW gpus AS
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	d.name AS device,
	d.model AS name,
	d.device_index,
	d.uuid,
	d.bus_id,
	d.host,
	(SELECT v.coverage FROM device_evidence v
		WHERE v.run_id = d.run_id AND v.device = d.device
			AND v.counts) AS coverage,
	d.@gpu,
	(SELECT m.energy_j FROM metric_summary m
		WHERE m.run_id = d.run_id AND m.device = d.device
			AND m.energy_chosen) AS energy_j,
	(SELECT m.energy_method FROM metric_summary m
		WHERE m.run_id = d.run_id AND m.device = d.device
			AND m.energy_chosen) AS energy_method,
	(SELECT m.energy_coverage FROM metric_summary m
		WHERE m.run_id = d.run_id AND m.device = d.device
			AND m.energy_chosen) AS energy_coverage,
	d.name AS gpu,
	d.model AS model,
	r.driver AS driver_version,
	(SELECT m.mean FROM metric_summary m
		WHERE m.run_id = d.run_id AND m.device = d.device AND m.metric = 'gpu_util_pct'
			AND m.counts) AS gpu_util_pct,
	(SELECT m.mean FROM metric_summary m
		WHERE m.run_id = d.run_id AND m.device = d.device AND m.metric = 'mem_util_pct'
			AND m.counts) AS mem_util_pct,
	(SELECT m.mean FROM metric_summary m
		WHERE m.run_id = d.run_id AND m.device = d.device AND m.metric = 'power_w'
			AND m.counts) AS power_w,
	(SELECT m.mean FROM metric_summary m
		WHERE m.run_id = d.run_id AND m.device = d.device AND m.metric = 'temperature_c'
			AND m.counts) AS temperature_c,
	(SELECT m.max FROM metric_summary m
		WHERE m.run_id = d.run_id AND m.device = d.device AND m.metric = 'mem_used_mib'
			AND m.counts) AS peak_memory_mib,
	(SELECT m.energy_j FROM metric_summary m
		WHERE m.run_id = d.run_id AND m.device = d.device
			AND m.energy_chosen) / 3600 AS energy_wh,
	(SELECT m.mean FROM metric_summary m
		WHERE m.run_id = d.run_id AND m.device = d.device AND m.metric = 'mem_used_mib'
			AND m.counts) AS memory_used_mib,
	r.duration_s / 3600 AS gpu_hours,
	(SELECT m.covered_s * (1 - m.above_gt_0) FROM metric_summary m
		WHERE m.run_id = d.run_id AND m.device = d.device AND m.metric = 'gpu_util_pct'
			AND m.counts) AS idle_s,
	(SELECT m.mean FROM metric_summary m
		WHERE m.run_id = d.run_id AND m.device = d.device AND m.metric = 'power_limit_w'
			AND m.counts) AS power_limit_w,
	(SELECT 100 * (1 - m.above_gt_0) FROM metric_summary m
		WHERE m.run_id = d.run_id AND m.device = d.device AND m.metric = 'gpu_util_pct'
			AND m.counts) AS idle_pct
FROM run r
JOIN device d ON d.run_id = r.run_id
WHERE d.kind = 'gpu';

-- What happened, in the order of the log. Of a phase, at is its start.
DROP VIEW IF EXISTS events;
CREATE VIEW events AS
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	e.number,
	e.type,
	e.type_name,
	coalesce(e.name, e.type_name) AS name,
	AT(e.t_ns) AS at,
	(e.t_ns - r.started_ns) / 1e9 AS t_s,
	AT(e.end_ns) AS end_at,
	(e.end_ns - e.t_ns) / 1e9 AS duration_s,
	e.extras,
	AT(e.t_ns) AS time,
	coalesce(e.name, e.type_name) AS message,
	(e.t_ns - r.started_ns) / 1e9 AS start_s
FROM run r
JOIN event e ON e.run_id = r.run_id;

-- The files of a run. NULL as kind: no reader claims the file.
DROP VIEW IF EXISTS sources;
CREATE VIEW sources AS
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	f.path AS file,
	k.name AS kind,
	f.size,
	AT(f.mtime_ns) AS modified_at,
	f.row_count AS rows,
	f.refused AS skipped
FROM run r
JOIN source_file f ON f.run_id = r.run_id
LEFT JOIN source_kind k ON k.id = f.source;

-- Damage (damage = 1) and remarks (0) of the recording, counted.
DROP VIEW IF EXISTS diagnostics;
CREATE VIEW diagnostics AS
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	g.file,
	g.line,
	g.id,
	g.count,
	g.damage,
	g.text
FROM run r
JOIN diagnostic g ON g.run_id = r.run_id;
