-- The public SQL interface, second part: the samples themselves, row by row. The rules of
-- views.sql hold here too.

-- Every sample of a GPU, of one log: the one with the best coverage of the GPU, so that nothing
-- counts twice. NULL: not available, or no column of that log.
DROP VIEW IF EXISTS samples;
CREATE VIEW samples AS
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	d.name AS device,
	CASE WHEN c.mark & 2 = 0 THEN AT((s.origin_ns + c.t_ns)) END AS at,
	CASE WHEN c.mark & 2 = 0 THEN (s.origin_ns - r.started_ns + c.t_ns) / 1e9 END AS t_s,
	c.gpu_util_pct,
	c.mem_util_pct,
	c.mem_used_mib,
	c.mem_total_mib,
	c.power_w,
	c.temperature_c,
	c.mem_temperature_c,
	c.sm_clock_mhz,
	c.mem_clock_mhz,
	c.enc_util_pct,
	c.dec_util_pct,
	c.fan_pct,
	x.jpg_util_pct,
	x.ofa_util_pct,
	x.mem_free_mib,
	x.mem_reserved_mib,
	x.bar1_used_mib,
	x.ccpm_used_mib,
	x.power_instant_w,
	x.power_average_w,
	x.power_limit_w,
	x.power_enforced_limit_w,
	x.graphics_clock_mhz,
	x.video_clock_mhz,
	x.pcie_rx_mib_s,
	x.pcie_tx_mib_s,
	x.pcie_gen,
	x.pcie_width,
	x.power_violation_pct,
	x.thermal_violation,
	x.gr_active_pct,
	x.sm_active_pct,
	x.sm_occupancy_pct,
	x.int_active_pct,
	x.tensor_active_pct,
	x.dram_active_pct,
	x.fp64_active_pct,
	x.fp32_active_pct,
	x.fp16_active_pct,
	x.gpm_pcie_tx_mib_s,
	x.gpm_pcie_rx_mib_s,
	x.nvlink_rx_mib_s,
	x.nvlink_tx_mib_s,
	x.pcie_replays,
	x.ecc_sbe_errors,
	x.ecc_dbe_errors,
	x.pstate,
	x.clock_reasons,
	x.reason_gpu_idle,
	x.reason_sw_power_cap,
	x.reason_hw_slowdown,
	x.reason_hw_thermal_slowdown,
	x.reason_sw_thermal_slowdown,
	x.mig_mode,
	x.ecc_corrected_volatile_total,
	x.ecc_uncorrected_volatile_total,
	k.name AS source,
	h.segment,
	c.ord,
	d.name AS gpu,
	CASE WHEN c.mark & 2 = 0 THEN AT((s.origin_ns + c.t_ns)) END AS time,
	c.mem_used_mib AS memory_used_mib,
	c.mem_total_mib AS memory_total_mib
FROM run r
JOIN run_source s ON s.run_id = r.run_id
JOIN source_kind k ON k.id = s.source
JOIN sample_chunk h ON h.run_id = s.run_id AND h.source = s.source
JOIN device d ON d.run_id = h.run_id AND d.device = h.device
CROSS JOIN gpu_sample c ON c.sample BETWEEN h.first_sample AND h.last_sample
LEFT JOIN gpu_sample_extra x ON x.sample = c.sample
WHERE d.kind = 'gpu' AND h.source = (SELECT v.source FROM device_evidence v
	JOIN source_kind q ON q.id = v.source
	WHERE v.run_id = h.run_id AND v.device = h.device
		AND q.name IN ('nvidia-query', 'nvidia-dmon', 'jumper')
	ORDER BY v.counts DESC, v.source LIMIT 1);

-- Every sample of a GPU, of all logs, with the fields that few logs have. A GPU that is in two
-- logs has the rows of both: name the source.
DROP VIEW IF EXISTS gpu_samples;
CREATE VIEW gpu_samples AS
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	d.name AS device,
	CASE WHEN c.mark & 2 = 0 THEN AT((s.origin_ns + c.t_ns)) END AS at,
	CASE WHEN c.mark & 2 = 0 THEN (s.origin_ns - r.started_ns + c.t_ns) / 1e9 END AS t_s,
	c.gpu_util_pct,
	c.mem_util_pct,
	c.mem_used_mib,
	c.mem_total_mib,
	c.power_w,
	c.temperature_c,
	c.mem_temperature_c,
	c.sm_clock_mhz,
	c.mem_clock_mhz,
	c.enc_util_pct,
	c.dec_util_pct,
	c.fan_pct,
	x.jpg_util_pct,
	x.ofa_util_pct,
	x.mem_free_mib,
	x.mem_reserved_mib,
	x.bar1_used_mib,
	x.ccpm_used_mib,
	x.power_instant_w,
	x.power_average_w,
	x.power_limit_w,
	x.power_enforced_limit_w,
	x.graphics_clock_mhz,
	x.video_clock_mhz,
	x.pcie_rx_mib_s,
	x.pcie_tx_mib_s,
	x.pcie_gen,
	x.pcie_width,
	x.power_violation_pct,
	x.thermal_violation,
	x.gr_active_pct,
	x.sm_active_pct,
	x.sm_occupancy_pct,
	x.int_active_pct,
	x.tensor_active_pct,
	x.dram_active_pct,
	x.fp64_active_pct,
	x.fp32_active_pct,
	x.fp16_active_pct,
	x.gpm_pcie_tx_mib_s,
	x.gpm_pcie_rx_mib_s,
	x.nvlink_rx_mib_s,
	x.nvlink_tx_mib_s,
	x.pcie_replays,
	x.ecc_sbe_errors,
	x.ecc_dbe_errors,
	x.pstate,
	x.clock_reasons,
	x.reason_gpu_idle,
	x.reason_sw_power_cap,
	x.reason_hw_slowdown,
	x.reason_hw_thermal_slowdown,
	x.reason_sw_thermal_slowdown,
	x.mig_mode,
	x.ecc_corrected_volatile_total,
	x.ecc_uncorrected_volatile_total,
	k.name AS source,
	h.segment,
	c.ord,
	d.name AS gpu,
	f.*
FROM run r
JOIN run_source s ON s.run_id = r.run_id
JOIN source_kind k ON k.id = s.source
JOIN sample_chunk h ON h.run_id = s.run_id AND h.source = s.source
JOIN device d ON d.run_id = h.run_id AND d.device = h.device
CROSS JOIN gpu_sample c ON c.sample BETWEEN h.first_sample AND h.last_sample
LEFT JOIN gpu_sample_extra x ON x.sample = c.sample
LEFT JOIN gpu_field_sample f ON f.sample = c.sample;

-- Every sample of a CPU log. Of /proc/stat: the counters (in ticks of USER_HZ) and the
-- shares since the device's previous instant in the same segment, each counter's
-- difference not below zero; NULL in the first row. Of a log of percentages: these.
DROP VIEW IF EXISTS cpu_samples;
CREATE VIEW cpu_samples AS
SELECT run_id, run, path, source, device, at, t_s, segment, ord,
	cpu_user_ticks,
	cpu_nice_ticks,
	cpu_system_ticks,
	cpu_idle_ticks,
	cpu_iowait_ticks,
	cpu_irq_ticks,
	cpu_softirq_ticks,
	cpu_steal_ticks,
	cpu_guest_ticks,
	cpu_guest_nice_ticks,
	100.0 * (user + nice) / total AS cpu_usr_pct,
	100.0 * (system + coalesce(irq, 0) + coalesce(softirq, 0)) / total AS cpu_sys_pct,
	100.0 * user / total AS cpu_user_pct,
	100.0 * nice / total AS cpu_nice_pct,
	100.0 * system / total AS cpu_system_pct,
	100.0 * idle / total AS cpu_idle_pct,
	100.0 * iowait / total AS cpu_iowait_pct,
	100.0 * irq / total AS cpu_irq_pct,
	100.0 * softirq / total AS cpu_softirq_pct,
	100.0 * steal / total AS cpu_steal_pct,
	100.0 * (guest + coalesce(guest_nice, 0)) / total AS cpu_guest_pct,
	100.0 * (total - idle - coalesce(iowait, 0)) / total AS cpu_busy_pct
FROM (SELECT t.*,
		nullif(coalesce(user, 0) + coalesce(nice, 0) + coalesce(system, 0) + coalesce(idle, 0)
			+ coalesce(iowait, 0) + coalesce(irq, 0) + coalesce(softirq, 0) + coalesce(steal, 0), 0) AS total
	FROM (
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	k.name AS source,
	d.name AS device,
	CASE WHEN c.mark & 2 = 0 THEN AT((s.origin_ns + c.t_ns)) END AS at,
	CASE WHEN c.mark & 2 = 0 THEN (s.origin_ns - r.started_ns + c.t_ns) / 1e9 END AS t_s,
	h.segment,
	c.ord,
	c.cpu_user_ticks,
	c.cpu_nice_ticks,
	c.cpu_system_ticks,
	c.cpu_idle_ticks,
	c.cpu_iowait_ticks,
	c.cpu_irq_ticks,
	c.cpu_softirq_ticks,
	c.cpu_steal_ticks,
	c.cpu_guest_ticks,
	c.cpu_guest_nice_ticks,
	max(c.cpu_user_ticks - p.cpu_user_ticks, 0) AS user,
	max(c.cpu_nice_ticks - p.cpu_nice_ticks, 0) AS nice,
	max(c.cpu_system_ticks - p.cpu_system_ticks, 0) AS system,
	max(c.cpu_idle_ticks - p.cpu_idle_ticks, 0) AS idle,
	max(c.cpu_iowait_ticks - p.cpu_iowait_ticks, 0) AS iowait,
	max(c.cpu_irq_ticks - p.cpu_irq_ticks, 0) AS irq,
	max(c.cpu_softirq_ticks - p.cpu_softirq_ticks, 0) AS softirq,
	max(c.cpu_steal_ticks - p.cpu_steal_ticks, 0) AS steal,
	max(c.cpu_guest_ticks - p.cpu_guest_ticks, 0) AS guest,
	max(c.cpu_guest_nice_ticks - p.cpu_guest_nice_ticks, 0) AS guest_nice
FROM run r
JOIN run_source s ON s.run_id = r.run_id
JOIN source_kind k ON k.id = s.source
JOIN sample_chunk h ON h.run_id = s.run_id AND h.source = s.source
JOIN device d ON d.run_id = h.run_id AND d.device = h.device
CROSS JOIN cpu_sample c ON c.sample BETWEEN h.first_sample AND h.last_sample
LEFT JOIN cpu_sample p ON p.sample = coalesce(
	(SELECT b.sample FROM cpu_sample b
		WHERE b.sample >= h.first_sample AND b.sample < c.sample AND b.t_ns < c.t_ns
		ORDER BY b.sample DESC LIMIT 1),
	(SELECT b.sample FROM sample_chunk e CROSS JOIN cpu_sample b ON b.sample BETWEEN e.first_sample AND e.last_sample
		WHERE e.run_id = h.run_id AND e.source = h.source AND e.device = h.device AND e.segment = h.segment
			AND e.first_sample < h.first_sample AND b.t_ns < c.t_ns
		ORDER BY e.first_sample DESC, b.sample DESC LIMIT 1))
	) t)
UNION ALL
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	k.name AS source,
	d.name AS device,
	CASE WHEN c.mark & 2 = 0 THEN AT((s.origin_ns + c.t_ns)) END AS at,
	CASE WHEN c.mark & 2 = 0 THEN (s.origin_ns - r.started_ns + c.t_ns) / 1e9 END AS t_s,
	h.segment,
	c.ord,
	NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
	c.cpu_usr_pct,
	c.cpu_sys_pct,
	c.cpu_user_pct,
	c.cpu_nice_pct,
	c.cpu_system_pct,
	c.cpu_idle_pct,
	c.cpu_iowait_pct,
	c.cpu_irq_pct,
	c.cpu_softirq_pct,
	c.cpu_steal_pct,
	c.cpu_guest_pct,
	c.cpu_busy_pct
FROM run r
JOIN run_source s ON s.run_id = r.run_id
JOIN source_kind k ON k.id = s.source
JOIN sample_chunk h ON h.run_id = s.run_id AND h.source = s.source
JOIN device d ON d.run_id = h.run_id AND d.device = h.device
CROSS JOIN cpu_share_sample c ON c.sample BETWEEN h.first_sample AND h.last_sample
WHERE d.kind = 'cpu';

-- Every sample of a process on a GPU (pmon, compute-apps, accounted-apps).
DROP VIEW IF EXISTS process_samples;
CREATE VIEW process_samples AS
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	k.name AS source,
	d.name AS device,
	d.device_index AS pid,
	g.name AS gpu,
	d.model AS name,
	CASE WHEN c.mark & 2 = 0 THEN AT((s.origin_ns + c.t_ns)) END AS at,
	CASE WHEN c.mark & 2 = 0 THEN (s.origin_ns - r.started_ns + c.t_ns) / 1e9 END AS t_s,
	h.segment,
	c.ord,
	c.process_sm_pct,
	c.process_mem_pct,
	c.process_enc_pct,
	c.process_dec_pct,
	c.process_jpg_pct,
	c.process_ofa_pct,
	c.process_gpu_mem_mib,
	c.process_ccpm_mib,
	c.process_type,
	c.process_gpu_util_pct,
	c.process_gpu_mem_util_pct,
	c.process_gpu_mem_max_mib,
	c.process_time_ms
FROM run r
JOIN run_source s ON s.run_id = r.run_id
JOIN source_kind k ON k.id = s.source
JOIN sample_chunk h ON h.run_id = s.run_id AND h.source = s.source
JOIN device d ON d.run_id = h.run_id AND d.device = h.device
CROSS JOIN process_gpu_sample c ON c.sample BETWEEN h.first_sample AND h.last_sample
LEFT JOIN device g ON g.run_id = d.run_id AND g.device = d.parent;

-- Every sample of the host, of each of its logs: memory (and what its processes and GPUs use
-- together), and from host.log load, pressure, disks, network and energy. NULL: of another log.
-- Counters are as they were.
DROP VIEW IF EXISTS host_samples;
CREATE VIEW host_samples AS
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	k.name AS source,
	d.name AS device,
	CASE WHEN c.mark & 2 = 0 THEN AT((s.origin_ns + c.t_ns)) END AS at,
	CASE WHEN c.mark & 2 = 0 THEN (s.origin_ns - r.started_ns + c.t_ns) / 1e9 END AS t_s,
	h.segment,
	c.ord,
	c.ram_total_mib,
	c.ram_used_mib,
	c.ram_available_mib,
	c.ram_free_mib,
	c.ram_buffers_mib,
	c.ram_cached_mib,
	c.ram_shared_mib,
	c.ram_dirty_mib,
	c.swap_total_mib,
	c.swap_free_mib,
	c.swap_used_mib,
	c.ram_used_pct,
	c.wall_power_w,
	c.cpu_power_w,
	c.cpu_util_sum_pct,
	c.gpu_util_sum_pct,
	c.gpu_mem_sum_mib,
	NULL AS load1,
	NULL AS psi_cpu_some_s,
	NULL AS psi_mem_some_s,
	NULL AS psi_mem_full_s,
	NULL AS psi_io_some_s,
	NULL AS psi_io_full_s,
	NULL AS host_disk_read_mib,
	NULL AS host_disk_write_mib,
	NULL AS host_disk_requests,
	NULL AS host_disk_wait_s,
	NULL AS host_disk_busy_s,
	NULL AS host_net_rx_mib,
	NULL AS host_net_tx_mib,
	NULL AS cpu_energy_j,
	NULL AS dram_energy_j,
	NULL AS gpus_energy_j,
	NULL AS host_energy_j
FROM run r
JOIN run_source s ON s.run_id = r.run_id
JOIN source_kind k ON k.id = s.source
JOIN sample_chunk h ON h.run_id = s.run_id AND h.source = s.source
JOIN device d ON d.run_id = h.run_id AND d.device = h.device
CROSS JOIN host_sample c ON c.sample BETWEEN h.first_sample AND h.last_sample
UNION ALL
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	k.name AS source,
	d.name AS device,
	CASE WHEN c.mark & 2 = 0 THEN AT((s.origin_ns + c.t_ns)) END AS at,
	CASE WHEN c.mark & 2 = 0 THEN (s.origin_ns - r.started_ns + c.t_ns) / 1e9 END AS t_s,
	h.segment,
	c.ord,
	NULL AS ram_total_mib,
	NULL AS ram_used_mib,
	NULL AS ram_available_mib,
	NULL AS ram_free_mib,
	NULL AS ram_buffers_mib,
	NULL AS ram_cached_mib,
	NULL AS ram_shared_mib,
	NULL AS ram_dirty_mib,
	NULL AS swap_total_mib,
	NULL AS swap_free_mib,
	NULL AS swap_used_mib,
	NULL AS ram_used_pct,
	NULL AS wall_power_w,
	NULL AS cpu_power_w,
	NULL AS cpu_util_sum_pct,
	NULL AS gpu_util_sum_pct,
	NULL AS gpu_mem_sum_mib,
	c.load1,
	c.psi_cpu_some_s,
	c.psi_mem_some_s,
	c.psi_mem_full_s,
	c.psi_io_some_s,
	c.psi_io_full_s,
	c.host_disk_read_mib,
	c.host_disk_write_mib,
	c.host_disk_requests,
	c.host_disk_wait_s,
	c.host_disk_busy_s,
	c.host_net_rx_mib,
	c.host_net_tx_mib,
	c.cpu_energy_j,
	c.dram_energy_j,
	c.gpus_energy_j,
	c.host_energy_j
FROM run r
JOIN run_source s ON s.run_id = r.run_id
JOIN source_kind k ON k.id = s.source
JOIN sample_chunk h ON h.run_id = s.run_id AND h.source = s.source
JOIN device d ON d.run_id = h.run_id AND d.device = h.device
CROSS JOIN host_log_sample c ON c.sample BETWEEN h.first_sample AND h.last_sample
WHERE d.kind = 'host';

-- Every sample of a control group: that of the command (cgroup), of its job, of its user.
DROP VIEW IF EXISTS group_samples;
CREATE VIEW group_samples AS
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	k.name AS source,
	d.name AS device,
	CASE WHEN c.mark & 2 = 0 THEN AT((s.origin_ns + c.t_ns)) END AS at,
	CASE WHEN c.mark & 2 = 0 THEN (s.origin_ns - r.started_ns + c.t_ns) / 1e9 END AS t_s,
	h.segment,
	c.ord,
	g.cgroup_mem_used_mib,
	g.cgroup_mem_limit_mib,
	g.cgroup_oom_kills,
	g.cgroup_cpu_s,
	g.cgroup_cpu_limit,
	g.cgroup_throttled_s,
	g.cgroup_periods,
	g.cgroup_throttled_periods
FROM run r
JOIN run_source s ON s.run_id = r.run_id
JOIN source_kind k ON k.id = s.source
JOIN sample_chunk h ON h.run_id = s.run_id AND h.source = s.source
JOIN device d ON d.run_id = h.run_id AND d.device = h.device
CROSS JOIN host_log_sample c ON c.sample BETWEEN h.first_sample AND h.last_sample
JOIN group_sample g ON g.sample = c.sample
WHERE d.kind = 'group';

-- Every sample of a process (main), its descendants, or both together (combined).
DROP VIEW IF EXISTS tree_samples;
CREATE VIEW tree_samples AS
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	k.name AS source,
	d.name AS device,
	CASE WHEN c.mark & 2 = 0 THEN AT((s.origin_ns + c.t_ns)) END AS at,
	CASE WHEN c.mark & 2 = 0 THEN (s.origin_ns - r.started_ns + c.t_ns) / 1e9 END AS t_s,
	h.segment,
	c.ord,
	c.rss_mib,
	c.tree_gpu_mem_mib,
	c.tree_gpu_util_pct,
	c.tree_cpu_pct,
	c.threads,
	e.processes,
	e.unreadable_processes,
	e.private_mib,
	e.shared_mib,
	e.pss_mib,
	e.uss_mib,
	e.shared_once_mib,
	e.rss_once_mib,
	e.tree_swap_mib,
	e.tree_cpu_s,
	e.tree_major_faults,
	e.io_read_mib,
	e.io_write_mib,
	e.io_read_calls,
	e.io_write_calls,
	e.disk_read_mib,
	e.disk_write_mib,
	e.process_peak_mib
FROM run r
JOIN run_source s ON s.run_id = r.run_id
JOIN source_kind k ON k.id = s.source
JOIN sample_chunk h ON h.run_id = s.run_id AND h.source = s.source
JOIN device d ON d.run_id = h.run_id AND d.device = h.device
CROSS JOIN tree_sample c ON c.sample BETWEEN h.first_sample AND h.last_sample
LEFT JOIN tree_detail_sample e ON e.sample = c.sample
WHERE d.kind = 'tree';

-- Every measurement of a level of JUmPER: process, user, system, slurm.
DROP VIEW IF EXISTS level_samples;
CREATE VIEW level_samples AS
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	k.name AS source,
	d.name AS device,
	CASE WHEN c.mark & 2 = 0 THEN AT((s.origin_ns + c.t_ns)) END AS at,
	CASE WHEN c.mark & 2 = 0 THEN (s.origin_ns - r.started_ns + c.t_ns) / 1e9 END AS t_s,
	h.segment,
	c.ord,
	c.level_cpu_pct,
	c.level_mem_mib,
	c.level_gpu_util_pct,
	c.level_gpu_mem_mib
FROM run r
JOIN run_source s ON s.run_id = r.run_id
JOIN source_kind k ON k.id = s.source
JOIN sample_chunk h ON h.run_id = s.run_id AND h.source = s.source
JOIN device d ON d.run_id = h.run_id AND d.device = h.device
CROSS JOIN level_sample c ON c.sample BETWEEN h.first_sample AND h.last_sample
WHERE d.kind = 'tree';

-- One row per process on a GPU, with its main numbers.
DROP VIEW IF EXISTS processes;
CREATE VIEW processes AS
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	d.name AS device,
	d.device_index AS pid,
	d.model AS name,
	d.owner,
	g.name AS gpu,
	AT(v.first_ns) AS first_at,
	AT(v.last_ns) AS last_at,
	(v.last_ns - v.first_ns) / 1e9 AS duration_s,
	(SELECT m.mean FROM metric_summary m
		WHERE m.run_id = d.run_id AND m.device = d.device AND m.metric = 'process_sm_pct'
			AND m.counts) AS gpu_util_mean_pct,
	(SELECT max(m.max) FROM metric_summary m
		WHERE m.run_id = d.run_id AND m.device = d.device
			AND m.metric IN ('process_gpu_mem_mib', 'process_gpu_mem_max_mib')
			AND m.counts) AS peak_vram_mib,
	(SELECT m.mean FROM metric_summary m
		WHERE m.run_id = d.run_id AND m.device = d.device AND m.metric = 'process_sm_pct'
			AND m.counts) AS gpu_util_pct,
	(SELECT max(m.max) FROM metric_summary m
		WHERE m.run_id = d.run_id AND m.device = d.device
			AND m.metric IN ('process_gpu_mem_mib', 'process_gpu_mem_max_mib')
			AND m.counts) AS peak_memory_mib,
	d.model AS command
FROM run r
JOIN device d ON d.run_id = r.run_id
LEFT JOIN device g ON g.run_id = d.run_id AND g.device = d.parent
LEFT JOIN device_evidence v ON v.run_id = d.run_id AND v.device = d.device AND v.counts
WHERE d.kind = 'process';
