-- The public SQL interface: what these views are called and what their columns mean is
-- kept from version to version; columns may be added. Text columns named `at` or ending
-- in _at are RFC 3339 in UTC with milliseconds, columns ending in _s seconds; t_s and
-- start_s count from the run's start. Made anew only when this text changes. @LIST: as in
-- 001_runs.sql. AT(t_ns) is the instant as text.

-- One row a run: what it was, how far the recording can be trusted, and its resource
-- summary, key by key as in the JSON report.
DROP VIEW IF EXISTS v_run;
CREATE VIEW v_run AS
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
	r.gap_count AS gaps,
	r.driver,
	r.kernel,
	r.cpu_model,
	r.time_zone,
	r.time_source,
	s.@summary,
	t.metric AS steady_by,
	t.from_s AS steady_from_s,
	t.to_s AS steady_to_s,
	t.coverage AS steady_coverage,
	t.warm_up_s,
	t.interruptions AS steady_interruptions,
	t.interrupted_s AS steady_interrupted_s,
	t.gpu_util_mean_pct AS steady_gpu_util_mean_pct,
	t.power_total_mean_w AS steady_power_total_mean_w
FROM run r
LEFT JOIN run_summary s ON s.run_id = r.run_id
LEFT JOIN run_steady t ON t.run_id = r.run_id;

-- One row a label of a run: a text under a key, of its recording or given when it was
-- loaded.
DROP VIEW IF EXISTS v_label;
CREATE VIEW v_label AS
SELECT r.run_id,
	r.run_key AS run,
	l.key,
	l.value,
	l.given
FROM run r
JOIN run_label l ON l.run_id = r.run_id;

-- One row a path of phases: all calls of one name within calls of one path, and their part
-- of the run's summary. '(outside)' is what lies in no call.
DROP VIEW IF EXISTS v_phase;
CREATE VIEW v_phase AS
SELECT r.run_id,
	r.run_key AS run,
	p.number,
	p.path AS phase,
	p.name,
	p.@phase_path,
	p.@phase_key
FROM run r
JOIN phase p ON p.run_id = r.run_id;

-- One row a call of a phase, in the order of their start.
DROP VIEW IF EXISTS v_phase_call;
CREATE VIEW v_phase_call AS
SELECT r.run_id,
	r.run_key AS run,
	c.number,
	p.path AS phase,
	c.name,
	AT(c.start_ns) AS start_at,
	c.@phase_call,
	c.energy_j,
	c.energy_method,
	c.energy_coverage,
	c.extras
FROM run r
JOIN phase_call c ON c.run_id = r.run_id
LEFT JOIN phase p ON p.run_id = c.run_id AND p.number = c.phase;

-- One row per run, path of phases, source, device and metric; columns as in v_metric.
DROP VIEW IF EXISTS v_phase_metric;
CREATE VIEW v_phase_metric AS
SELECT r.run_id,
	r.run_key AS run,
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
	m.@GROWTH
FROM run r
JOIN phase_metric m ON m.run_id = r.run_id
JOIN phase p ON p.run_id = m.run_id AND p.number = m.phase
JOIN source_kind k ON k.id = m.source
JOIN device d ON d.run_id = m.run_id AND d.device = m.device
LEFT JOIN metric e ON e.name = m.metric;

-- One row per run, path of phases, source, device, metric and state; as v_state.
DROP VIEW IF EXISTS v_phase_state;
CREATE VIEW v_phase_state AS
SELECT r.run_id,
	r.run_key AS run,
	p.path AS phase,
	k.name AS source,
	d.name AS device,
	m.metric,
	m.state,
	m.n,
	m.seconds,
	m.share
FROM run r
JOIN phase_state m ON m.run_id = r.run_id
JOIN phase p ON p.run_id = m.run_id AND p.number = m.phase
JOIN source_kind k ON k.id = m.source
JOIN device d ON d.run_id = m.run_id AND d.device = m.device;

-- One row per run, source, device and metric. above_*: shares of covered time, 0 to 1.
DROP VIEW IF EXISTS v_metric;
CREATE VIEW v_metric AS
SELECT r.run_id,
	r.run_key AS run,
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
	e.title
FROM run r
JOIN metric_summary m ON m.run_id = r.run_id
JOIN source_kind k ON k.id = m.source
JOIN device d ON d.run_id = m.run_id AND d.device = m.device
LEFT JOIN metric e ON e.name = m.metric;

-- One row per pair of runs and metric of a device that both have: `base` is the one that the
-- other is held against. All pairs, both ways: name the runs.
DROP VIEW IF EXISTS v_compare;
CREATE VIEW v_compare AS
SELECT b.run_id AS base_run_id,
	b.run_key AS base_run,
	r.run_id,
	r.run_key AS run,
	k.name AS source,
	d.name AS device,
	m.metric,
	e.unit,
	o.mean AS base_mean,
	m.mean,
	m.mean - o.mean AS mean_change,
	m.mean / nullif(o.mean, 0) AS mean_ratio,
	o.max AS base_max,
	m.max,
	o.increase AS base_increase,
	m.increase,
	e.better
FROM run r
JOIN run b ON b.run_id <> r.run_id
CROSS JOIN device d ON d.run_id = r.run_id
CROSS JOIN device c ON c.run_id = b.run_id AND c.name = d.name
CROSS JOIN source_kind k
CROSS JOIN metric_summary m ON m.run_id = d.run_id AND m.source = k.id AND m.device = d.device
CROSS JOIN metric_summary o ON o.run_id = c.run_id AND o.source = k.id AND o.device = c.device
	AND o.metric = m.metric
LEFT JOIN metric e ON e.name = m.metric;

-- One row per run, source, device, metric and state: how long it held. Of a mask of
-- reasons (clock_reasons) each has a row; several may hold at once.
DROP VIEW IF EXISTS v_state;
CREATE VIEW v_state AS
SELECT r.run_id,
	r.run_key AS run,
	k.name AS source,
	d.name AS device,
	m.metric,
	m.state,
	m.n,
	m.seconds,
	m.share
FROM run r
JOIN metric_state m ON m.run_id = r.run_id
JOIN source_kind k ON k.id = m.source
JOIN device d ON d.run_id = m.run_id AND d.device = m.device;

-- What a recording says of itself beside its rows, as it was.
DROP VIEW IF EXISTS v_fact;
CREATE VIEW v_fact AS
SELECT r.run_id,
	r.run_key AS run,
	f.name,
	f.value
FROM run r
JOIN run_fact f ON f.run_id = r.run_id;

-- Why values were missing: one row per run, source, device, metric and reason, in the
-- words of the log ('': an empty cell).
DROP VIEW IF EXISTS v_missing;
CREATE VIEW v_missing AS
SELECT r.run_id,
	r.run_key AS run,
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
DROP VIEW IF EXISTS v_gpu;
CREATE VIEW v_gpu AS
SELECT r.run_id,
	r.run_key AS run,
	d.name AS device,
	d.device_index,
	d.uuid,
	d.bus_id,
	d.host,
	d.model,
	(SELECT v.coverage FROM device_evidence v
		WHERE v.run_id = d.run_id AND v.device = d.device
			AND v.counts) AS coverage,
	(SELECT m.mean FROM metric_summary m
		WHERE m.run_id = d.run_id AND m.device = d.device AND m.metric = 'gpu_util_pct'
			AND m.counts) AS gpu_util_mean_pct,
	(SELECT m.max FROM metric_summary m
		WHERE m.run_id = d.run_id AND m.device = d.device AND m.metric = 'gpu_util_pct'
			AND m.counts) AS gpu_util_max_pct,
	(SELECT m.mean FROM metric_summary m
		WHERE m.run_id = d.run_id AND m.device = d.device AND m.metric = 'mem_util_pct'
			AND m.counts) AS mem_util_mean_pct,
	(SELECT m.max FROM metric_summary m
		WHERE m.run_id = d.run_id AND m.device = d.device AND m.metric = 'mem_used_mib'
			AND m.counts) AS mem_used_max_mib,
	(SELECT m.max FROM metric_summary m
		WHERE m.run_id = d.run_id AND m.device = d.device AND m.metric = 'mem_total_mib'
			AND m.counts) AS mem_total_mib,
	(SELECT m.mean FROM metric_summary m
		WHERE m.run_id = d.run_id AND m.device = d.device AND m.metric = 'power_w'
			AND m.counts) AS power_mean_w,
	(SELECT m.max FROM metric_summary m
		WHERE m.run_id = d.run_id AND m.device = d.device AND m.metric = 'power_w'
			AND m.counts) AS power_max_w,
	(SELECT m.energy_j FROM metric_summary m
		WHERE m.run_id = d.run_id AND m.device = d.device
			AND m.energy_chosen) AS energy_j,
	(SELECT m.energy_method FROM metric_summary m
		WHERE m.run_id = d.run_id AND m.device = d.device
			AND m.energy_chosen) AS energy_method,
	(SELECT m.energy_coverage FROM metric_summary m
		WHERE m.run_id = d.run_id AND m.device = d.device
			AND m.energy_chosen) AS energy_coverage,
	(SELECT m.max FROM metric_summary m
		WHERE m.run_id = d.run_id AND m.device = d.device AND m.metric = 'temp_c'
			AND m.counts) AS temp_max_c,
	(SELECT m.mean FROM metric_summary m
		WHERE m.run_id = d.run_id AND m.device = d.device AND m.metric = 'sm_clock_mhz'
			AND m.counts) AS sm_clock_mean_mhz
FROM run r
JOIN device d ON d.run_id = r.run_id
WHERE d.kind = 'gpu';

-- What happened, in the order of the log. Of a phase, at is its start.
DROP VIEW IF EXISTS v_event;
CREATE VIEW v_event AS
SELECT r.run_id,
	r.run_key AS run,
	e.number,
	e.type,
	e.type_name,
	e.name,
	AT(e.t_ns) AS at,
	(e.t_ns - r.started_ns) / 1e9 AS t_s,
	AT(e.end_ns) AS end_at,
	(e.end_ns - e.t_ns) / 1e9 AS seconds,
	e.extras
FROM run r
JOIN event e ON e.run_id = r.run_id;

-- The files of a run. NULL as kind: no reader claims the file.
DROP VIEW IF EXISTS v_source;
CREATE VIEW v_source AS
SELECT r.run_id,
	r.run_key AS run,
	f.path,
	k.name AS kind,
	f.size,
	AT(f.mtime_ns) AS modified_at,
	f.row_count AS rows,
	f.refused
FROM run r
JOIN source_file f ON f.run_id = r.run_id
LEFT JOIN source_kind k ON k.id = f.source;

-- Damage (damage = 1) and remarks (0) of the recording, counted.
DROP VIEW IF EXISTS v_diagnostic;
CREATE VIEW v_diagnostic AS
SELECT r.run_id,
	r.run_key AS run,
	g.file,
	g.line,
	g.id,
	g.count,
	g.damage,
	g.text
FROM run r
JOIN diagnostic g ON g.run_id = r.run_id;
