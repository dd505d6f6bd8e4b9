-- The public SQL interface: what these views are called and what their columns mean is
-- kept from version to version; columns may be added. Text columns named `at` or ending
-- in _at are RFC 3339 in UTC with milliseconds, columns ending in _s seconds; t_s and
-- start_s count from the run's start. Made anew only when this text changes.

-- One row a run: what it was, how far the recording can be trusted, and its resource
-- summary, key by key as in the JSON report.
DROP VIEW IF EXISTS v_run;
CREATE VIEW v_run AS
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	strftime('%Y-%m-%dT%H:%M:%S', r.started_ns / 1000000000 - (r.started_ns % 1000000000 < 0), 'unixepoch')
		|| printf('.%03dZ', (r.started_ns % 1000000000 + 1000000000) % 1000000000 / 1000000) AS started_at,
	strftime('%Y-%m-%dT%H:%M:%S', r.ended_ns / 1000000000 - (r.ended_ns % 1000000000 < 0), 'unixepoch')
		|| printf('.%03dZ', (r.ended_ns % 1000000000 + 1000000000) % 1000000000 / 1000000) AS ended_at,
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
	s.peak_vram_mib,
	s.peak_vram_total_mib,
	s.vram_capacity_mib,
	s.jax_peak_mib,
	s.gpu_util_mean_pct,
	s.gpu_util_max_pct,
	s.mem_util_mean_pct,
	s.mem_util_max_pct,
	s.power_mean_w,
	s.power_max_w,
	s.power_total_mean_w,
	s.energy_j,
	s.energy_partial_j,
	s.energy_method,
	s.energy_coverage,
	s.energy_uncovered_s,
	s.gpu_temp_max_c,
	s.sm_clock_mean_mhz,
	s.cpu_usr_mean_pct,
	s.cpu_sys_mean_pct,
	s.cpu_iowait_mean_pct,
	s.cpu_idle_mean_pct,
	s.ram_peak_mib,
	s.ram_capacity_mib,
	s.rss_peak_mib,
	s.rss_mean_mib,
	s.rss_growth_mib,
	s.threads_max,
	s.io_read_mib,
	s.io_write_mib,
	s.gpu_count,
	s.cpu_count,
	s.samples,
	s.duration_s,
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
	p.depth,
	p.calls,
	p.non_empty_calls,
	p.start_s,
	p.total_s,
	p.min_s,
	p.mean_s,
	p.max_s,
	p.exclusive_s,
	p.exclusive_energy_j,
	p.too_short,
	p.unfinished,
	p.overlapping,
	p.gpu_util_mean_pct,
	p.gpu_util_max_pct,
	p.mem_util_mean_pct,
	p.peak_vram_mib,
	p.power_mean_w,
	p.power_total_mean_w,
	p.power_max_w,
	p.energy_j,
	p.energy_partial_j,
	p.energy_method,
	p.energy_coverage,
	p.energy_uncovered_s,
	p.gpu_temp_max_c,
	p.sm_clock_mean_mhz,
	p.cpu_usr_mean_pct,
	p.cpu_sys_mean_pct,
	p.cpu_iowait_mean_pct,
	p.cpu_idle_mean_pct,
	p.ram_peak_mib,
	p.rss_peak_mib,
	p.rss_mean_mib
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
	strftime('%Y-%m-%dT%H:%M:%S', c.start_ns / 1000000000 - (c.start_ns % 1000000000 < 0), 'unixepoch')
		|| printf('.%03dZ', (c.start_ns % 1000000000 + 1000000000) % 1000000000 / 1000000) AS start_at,
	c.start_s,
	c.seconds,
	c.unfinished,
	c.empty,
	c.too_short,
	c.overlapping,
	c.gpu_util_mean_pct,
	c.power_total_mean_w,
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
	m.n,
	m.missing,
	m.covered_s,
	m.mean,
	m.mean_samples,
	m.min,
	m.max,
	strftime('%Y-%m-%dT%H:%M:%S', m.min_at_ns / 1000000000 - (m.min_at_ns % 1000000000 < 0), 'unixepoch')
		|| printf('.%03dZ', (m.min_at_ns % 1000000000 + 1000000000) % 1000000000 / 1000000) AS min_at,
	strftime('%Y-%m-%dT%H:%M:%S', m.max_at_ns / 1000000000 - (m.max_at_ns % 1000000000 < 0), 'unixepoch')
		|| printf('.%03dZ', (m.max_at_ns % 1000000000 + 1000000000) % 1000000000 / 1000000) AS max_at,
	m.p50,
	m.p90,
	m.p95,
	m.p99,
	m.stddev,
	m.above_gt_0,
	m.above_ge_20,
	m.above_ge_50,
	m.above_ge_80,
	m.above_ge_95,
	m.energy_j,
	m.energy_method,
	m.energy_coverage,
	m.energy_chosen,
	m.sum,
	m.increase,
	m.rate_per_s,
	m.resets,
	m.growth,
	m.slope_per_h
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
	m.n,
	m.missing,
	m.covered_s,
	m.mean,
	m.mean_samples,
	m.min,
	m.max,
	strftime('%Y-%m-%dT%H:%M:%S', m.min_at_ns / 1000000000 - (m.min_at_ns % 1000000000 < 0), 'unixepoch')
		|| printf('.%03dZ', (m.min_at_ns % 1000000000 + 1000000000) % 1000000000 / 1000000) AS min_at,
	(m.min_at_ns - r.started_ns) / 1e9 AS min_at_s,
	strftime('%Y-%m-%dT%H:%M:%S', m.max_at_ns / 1000000000 - (m.max_at_ns % 1000000000 < 0), 'unixepoch')
		|| printf('.%03dZ', (m.max_at_ns % 1000000000 + 1000000000) % 1000000000 / 1000000) AS max_at,
	(m.max_at_ns - r.started_ns) / 1e9 AS max_at_s,
	m.p50,
	m.p90,
	m.p95,
	m.p99,
	m.stddev,
	m.above_gt_0,
	m.above_ge_20,
	m.above_ge_50,
	m.above_ge_80,
	m.above_ge_95,
	m.energy_j,
	m.energy_method,
	m.energy_coverage,
	m.energy_chosen,
	m.sum,
	m.increase,
	m.rate_per_s,
	m.resets,
	m.growth,
	m.slope_per_h,
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
	strftime('%Y-%m-%dT%H:%M:%S', e.t_ns / 1000000000 - (e.t_ns % 1000000000 < 0), 'unixepoch')
		|| printf('.%03dZ', (e.t_ns % 1000000000 + 1000000000) % 1000000000 / 1000000) AS at,
	(e.t_ns - r.started_ns) / 1e9 AS t_s,
	strftime('%Y-%m-%dT%H:%M:%S', e.end_ns / 1000000000 - (e.end_ns % 1000000000 < 0), 'unixepoch')
		|| printf('.%03dZ', (e.end_ns % 1000000000 + 1000000000) % 1000000000 / 1000000) AS end_at,
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
	strftime('%Y-%m-%dT%H:%M:%S', f.mtime_ns / 1000000000 - (f.mtime_ns % 1000000000 < 0), 'unixepoch')
		|| printf('.%03dZ', (f.mtime_ns % 1000000000 + 1000000000) % 1000000000 / 1000000) AS modified_at,
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
