-- The runs database. A program relies on the views (views*.sql), not on these tables.
--
-- run_id     Every table of a run has it. A run that is loaded again gets a new one.
-- seal       A sum over the row, so that a value that changed by itself is noticed.
-- ..._ns     Nanoseconds since 1970-01-01T00:00:00Z, unless the column says otherwise.
-- ..._s      Seconds. start_s, first_s and from_s count from the start of the run.
-- source     A kind of log: source_kind.id.
-- device     A device of the run: device.device.
-- number     Counts the rows of a run from 0, unless the column says otherwise.
-- coverage   A share of time, 0 to 1.
-- NULL       Not known. 0 is a measured zero.
--
-- @LIST is a column for each row of schema/report.def or schema/summary.def: columns.c lists them,
-- and the build writes the file without such lines to build/gen/sql. Their meaning: columns.txt.
--
-- Nothing here is newer than SQLite 3.26. The loader guarantees the types.

-- Runs --------------------------------------------------------------------------------------------

-- What was recorded together. Columns up to time_source come from the recording, the others
-- are computed from it.
CREATE TABLE run (
	run_id INTEGER PRIMARY KEY AUTOINCREMENT,
	run_key TEXT NOT NULL UNIQUE,        -- the manifest's run id, else the absolute path
	path TEXT NOT NULL,                  -- as it was given when the run was loaded
	is_directory INTEGER NOT NULL,
	manifest_id TEXT,
	command TEXT,                        -- shell-quoted, for people
	host TEXT,
	kernel TEXT,
	cpu_model TEXT,
	driver TEXT,
	query TEXT,                          -- field list of the query log
	manifest_zone TEXT,                  -- time zone of a foreign manifest
	cpu_count INTEGER,
	mem_total_kib INTEGER,
	interval_ns INTEGER,                 -- recorded sampling interval
	dmon_interval_ns INTEGER,
	command_started_ns INTEGER,
	command_ended_ns INTEGER,
	exit_status INTEGER,
	time_zone TEXT NOT NULL,             -- in which times without a zone were read
	time_source TEXT NOT NULL,           -- who named the zone: option, manifest, default, log
	started_ns INTEGER,                  -- of the command, else of the first sample
	ended_ns INTEGER,
	duration_s REAL,
	duration_source TEXT,                -- command, samples, events, ticks
	grade TEXT,                          -- of the evidence: A B C F
	coverage REAL,                       -- of the worst GPU
	sessions INTEGER,
	gap_count INTEGER,                   -- all of them; the table gap has the longest
	shape TEXT NOT NULL,                 -- the options that affect how logs are read
	definitions_version INTEGER NOT NULL, -- of the numbers: compute/README.md
	generator TEXT NOT NULL,
	seal INTEGER                         -- of what is computed, and what the recording says
);

-- Texts under keys that tell runs apart.
CREATE TABLE run_label (
	run_id INTEGER NOT NULL,
	key TEXT NOT NULL,
	value TEXT NOT NULL,
	given INTEGER NOT NULL,              -- 1: by the user, kept when the run is loaded again;
	                                     -- 0: by the recording
	PRIMARY KEY (run_id, key)
) WITHOUT ROWID;

-- What a recording says about itself: names and texts as they were.
CREATE TABLE run_fact (
	run_id INTEGER NOT NULL,
	seal INTEGER,
	number INTEGER NOT NULL,
	name TEXT NOT NULL,
	value TEXT NOT NULL,
	PRIMARY KEY (run_id, number)
) WITHOUT ROWID;

-- GPUs, CPUs, hosts and processes, numbered in the order of appearance. The pid of a process
-- is its device_index.
CREATE TABLE device (
	run_id INTEGER NOT NULL,
	seal INTEGER,
	device INTEGER NOT NULL,
	kind TEXT NOT NULL,                  -- gpu, cpu, host, process, tree, group
	device_index INTEGER,                -- as the tools count; NULL: all CPUs, or unknown
	name TEXT NOT NULL,                  -- gpu0, cpu (all), cpu3
	uuid TEXT,
	bus_id TEXT,
	model TEXT,
	parent INTEGER,                      -- the GPU of a process
	host TEXT,                           -- where a log is of several hosts; else NULL
	owner TEXT,                          -- of a process: run, other, both in turn; NULL: unknown
	draws INTEGER,                       -- 1: of a process that only draws; else NULL
	PRIMARY KEY (run_id, device)
) WITHOUT ROWID;

-- The kinds of log. An id stays with its name.
CREATE TABLE source_kind (
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE
);

-- The files of a run. Content is what a packed file holds; a file that is not packed, or can't
-- be unpacked whole, or that no reader recognizes, has its own size and hash there.
CREATE TABLE source_file (
	run_id INTEGER NOT NULL,
	seal INTEGER,
	number INTEGER NOT NULL,
	path TEXT NOT NULL,                  -- relative to the run
	source INTEGER,                      -- NULL: no reader recognizes the file
	size INTEGER NOT NULL,               -- bytes on disk
	mtime_ns INTEGER NOT NULL,
	hash INTEGER NOT NULL,               -- of its first and last 64 KiB
	row_count INTEGER NOT NULL,          -- accepted samples or events
	refused INTEGER NOT NULL,            -- rows that were skipped
	content_size INTEGER,
	content_hash INTEGER,                -- of its first and last 64 KiB
	PRIMARY KEY (run_id, number)
) WITHOUT ROWID;

-- A run without an id that was moved is found again by its files.
CREATE INDEX source_file_hash ON source_file (hash);
CREATE INDEX source_file_content ON source_file (content_hash);

-- Which files have rows of which GPU.
CREATE TABLE source_file_gpu (
	run_id INTEGER NOT NULL,
	seal INTEGER,
	file INTEGER NOT NULL,               -- source_file.number
	device INTEGER NOT NULL,
	PRIMARY KEY (run_id, file, device)
) WITHOUT ROWID;

-- Rows of a file that could not be read, and the times of the rows before and after them.
CREATE TABLE source_file_lost (
	run_id INTEGER NOT NULL,
	seal INTEGER,
	file INTEGER NOT NULL,               -- source_file.number
	number INTEGER NOT NULL,             -- within the file, from 0
	line INTEGER NOT NULL,               -- of the first such row
	last_line INTEGER NOT NULL,          -- of the last one
	after_ns INTEGER,                    -- of the row before; NULL: there is none
	before_ns INTEGER,                   -- of the row after; NULL: there is none
	row_count INTEGER NOT NULL,          -- 4294967295 and more: not known
	PRIMARY KEY (run_id, file, number)
) WITHOUT ROWID;

-- Damage and remarks, counted.
CREATE TABLE diagnostic (
	run_id INTEGER NOT NULL,
	seal INTEGER,
	number INTEGER NOT NULL,
	id TEXT NOT NULL,
	file TEXT NOT NULL,                  -- '': the run itself
	line INTEGER NOT NULL,               -- of the first occurrence; 0: the file
	count INTEGER NOT NULL,
	text TEXT NOT NULL,
	damage INTEGER NOT NULL,             -- 0: a remark; 1: something was lost
	PRIMARY KEY (run_id, number)
) WITHOUT ROWID;

-- What happened, in the order of the log.
CREATE TABLE event (
	run_id INTEGER NOT NULL,
	seal INTEGER,
	number INTEGER NOT NULL,
	type TEXT NOT NULL,                  -- phase, begin, end, point
	t_ns INTEGER,                        -- of a phase its start
	end_ns INTEGER,                      -- of a phase its end
	type_name TEXT,                      -- the log's own word
	name TEXT,
	extras TEXT,                         -- the remaining keys, a JSON object
	PRIMARY KEY (run_id, number)
) WITHOUT ROWID;

-- Changes of a recorder's clocks between two of its samples.
CREATE TABLE clock_change (
	run_id INTEGER NOT NULL,
	seal INTEGER,
	number INTEGER NOT NULL,             -- in the order of reading
	kind TEXT NOT NULL,                  -- suspend, clock step
	from_ns INTEGER NOT NULL,            -- the two samples, by the wall clock
	to_ns INTEGER NOT NULL,
	by_ns INTEGER NOT NULL,              -- slept for, or set forward by
	PRIMARY KEY (run_id, number)
) WITHOUT ROWID;

-- The report as it was computed. It is used while files and options (stamp) are the same, and
-- only by the build of the program that wrote it (made_by). No view shows it.
CREATE TABLE run_image (
	run_id INTEGER PRIMARY KEY REFERENCES run,
	stamp_hash INTEGER NOT NULL,
	stamp TEXT NOT NULL,
	made_by TEXT NOT NULL,
	image BLOB NOT NULL
);

CREATE INDEX run_image_by_stamp ON run_image (stamp_hash);

-- Samples -----------------------------------------------------------------------------------------

-- The kinds of log that have samples. All files of a kind are joined in time.
CREATE TABLE run_source (
	run_id INTEGER NOT NULL,
	source INTEGER NOT NULL,
	origin_ns INTEGER NOT NULL,          -- t_ns of its samples counts from here
	PRIMARY KEY (run_id, source)
) WITHOUT ROWID;

-- Which metrics the rows of a source have a column for. A row names its layout in `mark`: NULL
-- in a column of the layout was sampled but not available, NULL in another was not sampled.
CREATE TABLE layout (
	run_id INTEGER NOT NULL,
	source INTEGER NOT NULL,
	layout INTEGER NOT NULL,             -- from 0, in the order of appearance
	metric TEXT NOT NULL,
	PRIMARY KEY (run_id, source, layout, metric)
) WITHOUT ROWID;

-- Why values were missing: the log's own words.
CREATE TABLE missing_reason (
	run_id INTEGER NOT NULL,
	seal INTEGER,
	number INTEGER NOT NULL,             -- from 0, in the order of appearance
	source INTEGER NOT NULL,
	device INTEGER NOT NULL,
	metric TEXT NOT NULL,
	reason TEXT NOT NULL,
	count INTEGER NOT NULL,
	PRIMARY KEY (run_id, number)
) WITHOUT ROWID;

-- Samples are numbered. A chunk is a range of numbers: samples of one kind of log, device and
-- segment. Of two of these, in one chunk or in two, the one with the higher number has the
-- later (t_ns, ord). Between the lowest and the highest number of a run is no other run's.
CREATE TABLE sample_chunk (
	run_id INTEGER NOT NULL,
	source INTEGER NOT NULL,
	device INTEGER NOT NULL,
	segment INTEGER NOT NULL,            -- raised by a step back in time; no interval crosses
	                                     -- its border
	first_sample INTEGER NOT NULL,
	last_sample INTEGER NOT NULL,
	first_ns INTEGER NOT NULL,           -- of the samples, as their t_ns
	last_ns INTEGER NOT NULL,
	PRIMARY KEY (run_id, source, device, segment, first_sample)
) WITHOUT ROWID;

-- A row of the tables below is a device at an instant. Their columns are
--   sample   the same number in each table that has something of the sample
--   t_ns     nanoseconds since run_source.origin_ns; may be negative
--   ord      among equal times, from 0; in a log without times the number of the row
--   mark     8 * layout, + 4 if what has no value is not available (and nothing failed), + 2 if
--            the log has no times (t_ns means nothing then), + 1 if the log had a header right
--            before the row
-- and metrics (schema/metrics.def) in the unit of their name. A number that no double carries
-- exactly is a BLOB with its decimal digits.
-- A table without t_ns has rare metrics: a row only for samples that have one of them.

-- GPUs
CREATE TABLE gpu_sample (
	sample INTEGER PRIMARY KEY,
	t_ns INTEGER NOT NULL,
	ord INTEGER NOT NULL,
	mark INTEGER NOT NULL DEFAULT 0,
	gpu_util_pct REAL,
	mem_util_pct REAL,
	mem_used_mib REAL,
	mem_total_mib REAL,
	power_w REAL,
	temperature_c REAL,
	mem_temperature_c REAL,
	sm_clock_mhz REAL,
	mem_clock_mhz REAL,
	enc_util_pct REAL,
	dec_util_pct REAL,
	fan_pct REAL
);

CREATE TABLE gpu_sample_extra (
	sample INTEGER PRIMARY KEY,
	jpg_util_pct REAL,
	ofa_util_pct REAL,
	mem_free_mib REAL,
	mem_reserved_mib REAL,
	bar1_used_mib REAL,
	ccpm_used_mib REAL,
	power_instant_w REAL,
	power_average_w REAL,
	power_limit_w REAL,
	power_enforced_limit_w REAL,
	graphics_clock_mhz REAL,
	video_clock_mhz REAL,
	pcie_rx_mib_s REAL,
	pcie_tx_mib_s REAL,
	pcie_gen REAL,
	pcie_width REAL,
	power_violation_pct REAL,
	thermal_violation REAL,
	gr_active_pct REAL,
	sm_active_pct REAL,
	sm_occupancy_pct REAL,
	int_active_pct REAL,
	tensor_active_pct REAL,
	dram_active_pct REAL,
	fp64_active_pct REAL,
	fp32_active_pct REAL,
	fp16_active_pct REAL,
	gpm_pcie_tx_mib_s REAL,
	gpm_pcie_rx_mib_s REAL,
	nvlink_rx_mib_s REAL,
	nvlink_tx_mib_s REAL,
	pcie_replays INTEGER,
	ecc_sbe_errors INTEGER,
	ecc_dbe_errors INTEGER,
	pstate TEXT,
	clock_reasons INTEGER,
	reason_gpu_idle TEXT,
	reason_sw_power_cap TEXT,
	reason_hw_slowdown TEXT,
	reason_hw_thermal_slowdown TEXT,
	reason_sw_thermal_slowdown TEXT,
	mig_mode TEXT,
	ecc_corrected_volatile_total INTEGER,
	ecc_uncorrected_volatile_total INTEGER
);

-- The fields of nvidia-smi that hardly any log has.
CREATE TABLE gpu_field_sample (
	sample INTEGER PRIMARY KEY,
	-- clocks
	clock_reasons_supported INTEGER, reason_app_clocks TEXT,
	reason_hw_power_brake_slowdown TEXT, reason_sync_boost TEXT,
	held_sw_power_cap_us INTEGER, held_sync_boost_us INTEGER,
	held_sw_thermal_slowdown_us INTEGER, held_hw_thermal_slowdown_us INTEGER,
	held_hw_power_brake_slowdown_us INTEGER,
	-- power
	power_limit_default_w REAL, power_limit_min_w REAL, power_limit_max_w REAL,
	module_power_average_w REAL, module_power_instant_w REAL, module_power_limit_w REAL,
	module_power_enforced_limit_w REAL, module_power_limit_default_w REAL,
	module_power_limit_min_w REAL, module_power_limit_max_w REAL,
	power_base_current_w REAL, power_base_requested_w REAL, power_base_default_w REAL,
	power_base_min_w REAL, power_base_max_w REAL, edpp_pct REAL,
	-- temperature, clocks, bus
	temperature_margin_c REAL,
	app_graphics_clock_mhz REAL, app_mem_clock_mhz REAL,
	app_graphics_clock_default_mhz REAL, app_mem_clock_default_mhz REAL,
	graphics_clock_max_mhz REAL, sm_clock_max_mhz REAL, mem_clock_max_mhz REAL,
	pcie_gen_max REAL, pcie_gen_gpu_max REAL, pcie_gen_host_max REAL, pcie_width_max REAL,
	-- protected memory, encoder, accounting
	protected_total_mib REAL, protected_used_mib REAL, protected_free_mib REAL,
	encoder_sessions REAL, encoder_fps REAL, encoder_latency_us REAL, accounting_buffer REAL,
	-- errors of memory
	ecc_corrected_volatile_device_memory INTEGER, ecc_corrected_volatile_dram INTEGER,
	ecc_corrected_volatile_register_file INTEGER, ecc_corrected_volatile_l1_cache INTEGER,
	ecc_corrected_volatile_l2_cache INTEGER, ecc_corrected_volatile_texture_memory INTEGER,
	ecc_corrected_volatile_cbu INTEGER, ecc_corrected_volatile_sram INTEGER,
	ecc_corrected_aggregate_device_memory INTEGER, ecc_corrected_aggregate_dram INTEGER,
	ecc_corrected_aggregate_register_file INTEGER, ecc_corrected_aggregate_l1_cache INTEGER,
	ecc_corrected_aggregate_l2_cache INTEGER, ecc_corrected_aggregate_texture_memory INTEGER,
	ecc_corrected_aggregate_cbu INTEGER, ecc_corrected_aggregate_sram INTEGER,
	ecc_corrected_aggregate_total INTEGER,
	ecc_uncorrected_volatile_device_memory INTEGER, ecc_uncorrected_volatile_dram INTEGER,
	ecc_uncorrected_volatile_register_file INTEGER, ecc_uncorrected_volatile_l1_cache INTEGER,
	ecc_uncorrected_volatile_l2_cache INTEGER, ecc_uncorrected_volatile_texture_memory INTEGER,
	ecc_uncorrected_volatile_cbu INTEGER, ecc_uncorrected_volatile_sram INTEGER,
	ecc_uncorrected_aggregate_device_memory INTEGER, ecc_uncorrected_aggregate_dram INTEGER,
	ecc_uncorrected_aggregate_register_file INTEGER, ecc_uncorrected_aggregate_l1_cache INTEGER,
	ecc_uncorrected_aggregate_l2_cache INTEGER, ecc_uncorrected_aggregate_texture_memory INTEGER,
	ecc_uncorrected_aggregate_cbu INTEGER, ecc_uncorrected_aggregate_sram INTEGER,
	ecc_uncorrected_aggregate_total INTEGER,
	ecc_uncorrected_volatile_sram_parity INTEGER, ecc_uncorrected_volatile_sram_secded INTEGER,
	ecc_uncorrected_aggregate_sram_parity INTEGER, ecc_uncorrected_aggregate_sram_secded INTEGER,
	ecc_sram_threshold_exceeded TEXT,
	ecc_uncorrected_aggregate_sram_l2 INTEGER, ecc_uncorrected_aggregate_sram_sm INTEGER,
	ecc_uncorrected_aggregate_sram_mcu INTEGER, ecc_uncorrected_aggregate_sram_pcie INTEGER,
	ecc_uncorrected_aggregate_sram_other INTEGER,
	retired_pages_sbe INTEGER, retired_pages_dbe INTEGER, retired_pages_pending TEXT,
	remapped_rows_correctable INTEGER, remapped_rows_correctable_inactive INTEGER,
	remapped_rows_uncorrectable INTEGER, remapped_rows_uncorrectable_inactive INTEGER,
	remapped_rows_pending TEXT, remapped_rows_failure TEXT, xid INTEGER,
	remapped_banks_max REAL, remapped_banks_high REAL, remapped_banks_partial REAL,
	remapped_banks_low REAL, remapped_banks_none REAL,
	-- modes
	run_time_s INTEGER, persistence_mode TEXT, compute_mode TEXT, mig_mode_pending TEXT,
	ecc_mode TEXT, ecc_mode_pending TEXT, gsp_mode TEXT, gsp_mode_default TEXT,
	operation_mode TEXT, operation_mode_pending TEXT, driver_model TEXT,
	driver_model_pending TEXT, display_mode TEXT, display_attached TEXT, display_active TEXT,
	accounting_mode TEXT, addressing_mode TEXT, recovery_action TEXT, c2c_mode TEXT,
	dram_encryption TEXT, dram_encryption_pending TEXT, power_management TEXT,
	reset_required TEXT, drain_recommended TEXT,
	-- which GPU it is, and where
	driver_version TEXT, kmd_version TEXT, vbios_version TEXT, inforom_image TEXT,
	inforom_oem TEXT, inforom_ecc TEXT, inforom_power TEXT, inforom_checksum TEXT,
	board_serial TEXT, compute_capability TEXT, pci_base_class TEXT, pci_sub_class TEXT,
	pci_device_id TEXT, pci_sub_device_id TEXT, gpu_host_name TEXT,
	vgpu_heterogeneous TEXT, vgpu_fractional TEXT, vgpu_time_slice_profiles TEXT,
	vgpu_time_slice_sizes TEXT, vgpu_placements TEXT, vgpu_mig_time_slicing TEXT,
	vgpu_mig_time_slicing_mode TEXT,
	fabric_state TEXT, fabric_status TEXT, fabric_clique TEXT, fabric_cluster TEXT,
	fabric_health TEXT, fabric_bandwidth TEXT, fabric_route_recovery TEXT,
	fabric_route_unhealthy TEXT, fabric_timeout_recovery TEXT, fabric_misconfigured TEXT,
	fabric_partition_assigned TEXT,
	chassis_serial TEXT, platform_slot TEXT, platform_tray TEXT, platform_host TEXT,
	platform_peer TEXT, platform_module TEXT, fabric_guid TEXT,
	-- power smoothing
	smoothing TEXT, smoothing_delayed_supported TEXT, smoothing_soc TEXT,
	smoothing_privilege TEXT, smoothing_ramp_down_now TEXT, smoothing_profile TEXT,
	smoothing_tmp_floor_w REAL, smoothing_tmp_ceil_w REAL, smoothing_lifetime_left_pct REAL,
	smoothing_max_tmp_floor_pct REAL, smoothing_min_tmp_floor_pct REAL,
	smoothing_primary_floor_w REAL, smoothing_secondary_floor_w REAL,
	smoothing_min_activation_offset_w REAL, smoothing_min_activation_point_w REAL,
	smoothing_window_multiplier_ms REAL, smoothing_num_preset_profiles REAL,
	smoothing_profile_tmp_floor_pct REAL, smoothing_profile_ramp_up_rate_w_s REAL,
	smoothing_profile_ramp_down_rate_w_s REAL, smoothing_profile_ramp_down_hysteresis_ms REAL,
	smoothing_profile_secondary_floor_w REAL, smoothing_profile_activation_windows REAL,
	smoothing_profile_target_windows REAL, smoothing_profile_activation_offset_w REAL,
	smoothing_override_tmp_floor_pct REAL, smoothing_override_ramp_up_rate_w_s REAL,
	smoothing_override_ramp_down_rate_w_s REAL, smoothing_override_ramp_down_hysteresis_ms REAL,
	smoothing_override_secondary_floor_w REAL, smoothing_override_activation_windows REAL,
	smoothing_override_target_windows REAL, smoothing_override_activation_offset_w REAL,
	-- others
	reason_unknown TEXT, gpu_energy_j REAL
);

-- Processes on a GPU (pmon, compute-apps, accounted-apps)
CREATE TABLE process_gpu_sample (
	sample INTEGER PRIMARY KEY,
	t_ns INTEGER NOT NULL,
	ord INTEGER NOT NULL,
	mark INTEGER NOT NULL DEFAULT 0,
	process_sm_pct REAL,
	process_mem_pct REAL,
	process_enc_pct REAL,
	process_dec_pct REAL,
	process_jpg_pct REAL,
	process_ofa_pct REAL,
	process_gpu_mem_mib REAL,
	process_ccpm_mib REAL,
	process_type TEXT,
	process_gpu_util_pct REAL,
	process_gpu_mem_util_pct REAL,
	process_gpu_mem_max_mib REAL,
	process_time_ms INTEGER
);

-- Raw counters of /proc/stat, in USER_HZ; a share is a difference of two rows.
CREATE TABLE cpu_sample (
	sample INTEGER PRIMARY KEY,
	t_ns INTEGER NOT NULL,
	ord INTEGER NOT NULL,
	mark INTEGER NOT NULL DEFAULT 0,
	cpu_user_ticks INTEGER,
	cpu_nice_ticks INTEGER,
	cpu_system_ticks INTEGER,
	cpu_idle_ticks INTEGER,
	cpu_iowait_ticks INTEGER,
	cpu_irq_ticks INTEGER,
	cpu_softirq_ticks INTEGER,
	cpu_steal_ticks INTEGER,
	cpu_guest_ticks INTEGER,
	cpu_guest_nice_ticks INTEGER
);

-- CPU shares that a log has as numbers, each the average of the interval before it.
CREATE TABLE cpu_share_sample (
	sample INTEGER PRIMARY KEY,
	t_ns INTEGER NOT NULL,
	ord INTEGER NOT NULL,
	mark INTEGER NOT NULL DEFAULT 0,
	cpu_usr_pct REAL,
	cpu_sys_pct REAL,
	cpu_user_pct REAL,
	cpu_nice_pct REAL,
	cpu_system_pct REAL,
	cpu_idle_pct REAL,
	cpu_iowait_pct REAL,
	cpu_irq_pct REAL,
	cpu_softirq_pct REAL,
	cpu_steal_pct REAL,
	cpu_guest_pct REAL,
	cpu_busy_pct REAL
);

-- The host's memory (/proc/meminfo). From gpu_tracker: what all processes and GPUs use together,
-- beside a row in tree_sample, whose mark counts.
CREATE TABLE host_sample (
	sample INTEGER PRIMARY KEY,
	t_ns INTEGER NOT NULL,
	ord INTEGER NOT NULL,
	mark INTEGER NOT NULL DEFAULT 0,
	ram_total_mib REAL,
	ram_used_mib REAL,
	ram_available_mib REAL,
	ram_free_mib REAL,
	ram_buffers_mib REAL,
	ram_cached_mib REAL,
	ram_shared_mib REAL,
	ram_dirty_mib REAL,
	swap_total_mib REAL,
	swap_free_mib REAL,
	swap_used_mib REAL,
	ram_used_pct REAL,
	wall_power_w REAL,
	cpu_power_w REAL,
	cpu_util_sum_pct REAL,
	gpu_util_sum_pct REAL,
	gpu_mem_sum_mib REAL
);

-- A process, its descendants, both together (devices main, descendants, combined). gpu_tracker
-- has a row of the host here, too.
CREATE TABLE tree_sample (
	sample INTEGER PRIMARY KEY,
	t_ns INTEGER NOT NULL,
	ord INTEGER NOT NULL,
	mark INTEGER NOT NULL DEFAULT 0,
	rss_mib REAL,
	tree_gpu_mem_mib REAL,
	tree_gpu_util_pct REAL,
	tree_cpu_pct REAL,
	threads INTEGER
);

CREATE TABLE tree_detail_sample (
	sample INTEGER PRIMARY KEY,
	processes INTEGER,
	unreadable_processes INTEGER,
	private_mib REAL,
	shared_mib REAL,
	pss_mib REAL,
	uss_mib REAL,
	shared_once_mib REAL,
	rss_once_mib REAL,
	tree_swap_mib REAL,
	tree_cpu_s REAL,
	tree_major_faults INTEGER,
	io_read_mib REAL,
	io_write_mib REAL,
	io_read_calls INTEGER,
	io_write_calls INTEGER,
	disk_read_mib REAL,
	disk_write_mib REAL,
	process_peak_mib REAL                -- the kernel's high-water mark, of the largest process
);

-- The host (host.log). All metrics of a control group's row are NULL here.
CREATE TABLE host_log_sample (
	sample INTEGER PRIMARY KEY,
	t_ns INTEGER NOT NULL,
	ord INTEGER NOT NULL,
	mark INTEGER NOT NULL DEFAULT 0,
	load1 REAL,
	psi_cpu_some_s REAL,
	psi_mem_some_s REAL,
	psi_mem_full_s REAL,
	psi_io_some_s REAL,
	psi_io_full_s REAL,
	host_disk_read_mib REAL,
	host_disk_write_mib REAL,
	host_disk_requests INTEGER,
	host_disk_wait_s REAL,
	host_disk_busy_s REAL,
	host_net_rx_mib REAL,
	host_net_tx_mib REAL,
	cpu_energy_j REAL,
	dram_energy_j REAL,
	gpus_energy_j REAL,
	host_energy_j REAL
);

-- Control groups, beside their rows in host_log_sample
CREATE TABLE group_sample (
	sample INTEGER PRIMARY KEY,
	cgroup_mem_used_mib REAL,
	cgroup_mem_limit_mib REAL,
	cgroup_oom_kills INTEGER,
	cgroup_cpu_s REAL,
	cgroup_cpu_limit REAL,
	cgroup_throttled_s REAL,
	cgroup_periods INTEGER,
	cgroup_throttled_periods INTEGER
);

-- The levels of JUmPER: a process with its descendants, a user, the system, a job
CREATE TABLE level_sample (
	sample INTEGER PRIMARY KEY,
	t_ns INTEGER NOT NULL,
	ord INTEGER NOT NULL,
	mark INTEGER NOT NULL DEFAULT 0,
	level_cpu_pct REAL,
	level_mem_mib REAL,
	level_gpu_util_pct REAL,
	level_gpu_mem_mib REAL
);

-- Numbers of a whole run --------------------------------------------------------------------------

-- Every metric, explained. Filled from schema/metrics.def.
CREATE TABLE metric (
	name TEXT NOT NULL PRIMARY KEY,
	unit TEXT NOT NULL,                  -- '': a plain number
	kind TEXT NOT NULL,                  -- gauge, share, ticks, counter, state, flags
	better TEXT NOT NULL,                -- higher, lower, neither
	title TEXT NOT NULL,
	help TEXT NOT NULL
) WITHOUT ROWID;

-- The summary of a run.
CREATE TABLE run_summary (
	run_id INTEGER PRIMARY KEY,
	seal INTEGER,
	@summary
);

-- A metric of a device in a kind of log.
CREATE TABLE metric_summary (
	run_id INTEGER NOT NULL,
	seal INTEGER,
	source INTEGER NOT NULL,
	device INTEGER NOT NULL,
	metric TEXT NOT NULL,
	@metric_stats,
	energy_method TEXT,                  -- NULL: no energy
	counts INTEGER,                      -- 1: of the kinds of log with the metric of the device
	                                     -- this one counts: the first whose covered time is at
	                                     -- least nine tenths of the longest
	PRIMARY KEY (run_id, source, device, metric)
) WITHOUT ROWID;

-- How long a state lasted. Of a mask each reason, of which several may be set at once.
CREATE TABLE metric_state (
	run_id INTEGER NOT NULL,
	seal INTEGER,
	source INTEGER NOT NULL,
	device INTEGER NOT NULL,
	metric TEXT NOT NULL,
	number INTEGER NOT NULL,             -- from 0, longest first
	state TEXT NOT NULL,
	n INTEGER NOT NULL,                  -- samples in it
	seconds REAL,
	share REAL,                          -- of the covered time, 0 to 1
	PRIMARY KEY (run_id, source, device, metric, number)
) WITHOUT ROWID;

-- What the rows of a device in a kind of log say about time. interval_source: recorded, median,
-- option, assumed.
CREATE TABLE device_evidence (
	run_id INTEGER NOT NULL,
	seal INTEGER,
	source INTEGER NOT NULL,
	device INTEGER NOT NULL,
	@device_evidence,
	counts INTEGER,                      -- as metric_summary.counts, of all rows of the device
	PRIMARY KEY (run_id, source, device)
) WITHOUT ROWID;

-- The longest gaps between samples, longest first.
CREATE TABLE gap (
	run_id INTEGER NOT NULL,
	seal INTEGER,
	number INTEGER NOT NULL,
	source INTEGER NOT NULL,
	device INTEGER NOT NULL,
	start_ns INTEGER,                    -- of the row before it
	length_s REAL NOT NULL,
	PRIMARY KEY (run_id, number)
) WITHOUT ROWID;

-- The gaps whose cause is known.
CREATE TABLE gap_cause (
	run_id INTEGER NOT NULL,
	seal INTEGER,
	number INTEGER NOT NULL,             -- gap.number
	cause TEXT NOT NULL,                 -- suspend, clock step, recorder restarted, rows
	                                     -- refused, GPU lost, log silent, all silent
	PRIMARY KEY (run_id, number)
) WITHOUT ROWID;

-- The steady state of a run's GPUs: samples at one level from from_ns to before to_ns, of one
-- source. No row: none was found.
CREATE TABLE run_steady (
	run_id INTEGER PRIMARY KEY,
	seal INTEGER,
	metric TEXT NOT NULL,                -- that it was found by
	source INTEGER NOT NULL,
	@steady
);

-- Why a number may be wrong.
CREATE TABLE doubt (
	run_id INTEGER NOT NULL,
	seal INTEGER,
	number INTEGER NOT NULL,
	source INTEGER,                      -- NULL, as device: of a key of the summary
	device INTEGER,
	name TEXT NOT NULL,                  -- of the key or the metric
	why TEXT NOT NULL,
	PRIMARY KEY (run_id, number)
) WITHOUT ROWID;

-- The longest interruptions, in the order of time.
CREATE TABLE steady_interruption (
	run_id INTEGER NOT NULL,
	seal INTEGER,
	number INTEGER NOT NULL,
	from_ns INTEGER NOT NULL,
	to_ns INTEGER NOT NULL,
	start_s REAL NOT NULL,
	seconds REAL NOT NULL,
	why TEXT NOT NULL,                   -- lower level, higher level, not recorded
	mean REAL,                           -- of the samples at other levels; NULL: there are none
	cause TEXT,                          -- of the longest gap in it; NULL: not known, or no gap
	phase INTEGER,                       -- phase.number; NULL: in none
	PRIMARY KEY (run_id, number)
) WITHOUT ROWID;

-- Metrics of GPUs that fall or rise in the steady state: the ends of the line through them, in
-- the unit.
CREATE TABLE steady_drift (
	run_id INTEGER NOT NULL,
	seal INTEGER,
	device INTEGER NOT NULL,
	metric TEXT NOT NULL,
	from_value REAL NOT NULL,
	to_value REAL NOT NULL,
	change REAL NOT NULL,                -- (to - from) / from
	PRIMARY KEY (run_id, device, metric)
) WITHOUT ROWID;

-- How a run ended.
CREATE TABLE ending (
	run_id INTEGER PRIMARY KEY,
	seal INTEGER,
	abrupt INTEGER NOT NULL,             -- one of the next four
	no_end INTEGER NOT NULL,             -- the recorder could not write the end
	signal INTEGER,                      -- by the exit status; NULL: none
	torn_file TEXT,                      -- a log that ends in the middle of a line
	gpu_lost INTEGER NOT NULL,
	early_log INTEGER,                   -- source: ends more than a gap before the run
	early_ns INTEGER,                    -- its last row
	driver_file TEXT,                    -- the first log that ends with nvidia-smi not reaching
	                                     -- the driver
	driver_ns INTEGER                    -- the last row of its kind
);

-- The last values of a GPU, and how fast they changed in the minute before.
CREATE TABLE gpu_ending (
	run_id INTEGER NOT NULL,
	seal INTEGER,
	device INTEGER NOT NULL,
	lost INTEGER NOT NULL,               -- its values end more than a gap before its logs
	last_ns INTEGER,
	silent_s REAL,                       -- from then to the last row of its logs
	gpu_util_pct REAL,
	mem_used_mib REAL,
	power_w REAL,
	temperature_c REAL,
	gpu_util_pct_per_min REAL,
	mem_used_mib_per_min REAL,
	power_w_per_min REAL,
	temperature_c_per_min REAL,
	said TEXT,                           -- what nvidia-smi said of a GPU that was lost
	said_file TEXT,
	said_line INTEGER,
	PRIMARY KEY (run_id, device)
) WITHOUT ROWID;

-- Phases and units of work ------------------------------------------------------------------------

-- All calls of one path, with their part of the summary.
CREATE TABLE phase (
	run_id INTEGER NOT NULL,
	seal INTEGER,
	number INTEGER NOT NULL,             -- from 0, depth first
	path TEXT NOT NULL,                  -- 'train/epoch/step'; '(outside)': in no call
	name TEXT NOT NULL,                  -- 'step'
	@phase_path,
	@phase_key,
	PRIMARY KEY (run_id, number)
) WITHOUT ROWID;

CREATE TABLE phase_call (
	run_id INTEGER NOT NULL,
	seal INTEGER,
	number INTEGER NOT NULL,             -- from 0, by start, the outer first
	phase INTEGER,                       -- phase.number
	name TEXT,
	extras TEXT,                         -- further keys of the log's line, a JSON object
	@phase_call,
	energy_j REAL,
	energy_method TEXT,
	energy_coverage REAL,
	PRIMARY KEY (run_id, number)
) WITHOUT ROWID;

-- As metric_summary, over all calls of a path. growth and slope_per_h are NULL.
CREATE TABLE phase_metric (
	run_id INTEGER NOT NULL,
	seal INTEGER,
	phase INTEGER NOT NULL,              -- phase.number
	source INTEGER NOT NULL,
	device INTEGER NOT NULL,
	metric TEXT NOT NULL,
	@metric_stats,
	energy_method TEXT,
	PRIMARY KEY (run_id, phase, source, device, metric)
) WITHOUT ROWID;

-- As metric_state, over all calls of a path.
CREATE TABLE phase_state (
	run_id INTEGER NOT NULL,
	seal INTEGER,
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

-- What the point events of one type and name count. All but events, processes and units are of
-- the time from the first to the last event.
CREATE TABLE work (
	run_id INTEGER NOT NULL,
	seal INTEGER,
	number INTEGER NOT NULL,             -- from 0, in the order of their first events
	type_name TEXT,                      -- the log's own word
	name TEXT,
	n_is TEXT,                           -- count, total, rate, unclear; NULL: no number
	@work,
	energy_j REAL,
	energy_method TEXT,
	energy_coverage REAL,
	PRIMARY KEY (run_id, number)
) WITHOUT ROWID;

-- Findings ----------------------------------------------------------------------------------------

-- What the rules of schema/findings say about a run.
CREATE TABLE finding (
	run_id INTEGER NOT NULL,
	seal INTEGER,
	number INTEGER NOT NULL,             -- from 0, the worst first
	rule TEXT NOT NULL,                  -- its id
	version INTEGER NOT NULL,
	outcome TEXT NOT NULL,               -- 'fires', 'cannot_tell'
	severity TEXT NOT NULL,              -- 'problem', 'warning', 'info'
	title TEXT NOT NULL,
	device INTEGER,                      -- NULL: the run
	sentence TEXT,
	remedy TEXT,
	why TEXT,                            -- of cannot_tell
	cost_gpu_s REAL,                     -- GPU-seconds
	coverage REAL,
	stretches INTEGER NOT NULL,          -- of time in which its conditions were true
	PRIMARY KEY (run_id, number)
) WITHOUT ROWID;

-- The numbers of a finding that fires, in the order of its rule.
CREATE TABLE finding_value (
	run_id INTEGER NOT NULL,
	seal INTEGER,
	finding INTEGER NOT NULL,            -- finding.number
	number INTEGER NOT NULL,
	name TEXT NOT NULL,
	value REAL,
	unit TEXT NOT NULL,
	PRIMARY KEY (run_id, finding, number)
) WITHOUT ROWID;

-- How long its conditions were true in the calls of a path.
CREATE TABLE finding_phase (
	run_id INTEGER NOT NULL,
	seal INTEGER,
	finding INTEGER NOT NULL,            -- finding.number
	phase INTEGER NOT NULL,              -- phase.number
	seconds REAL NOT NULL,
	PRIMARY KEY (run_id, finding, phase)
) WITHOUT ROWID;

-- Its values in the calls of a path: those of in_phases of the rule that are known.
CREATE TABLE finding_phase_value (
	run_id INTEGER NOT NULL,
	seal INTEGER,
	finding INTEGER NOT NULL,            -- finding.number
	phase INTEGER NOT NULL,              -- phase.number
	number INTEGER NOT NULL,             -- finding_value.number
	value REAL NOT NULL,
	PRIMARY KEY (run_id, finding, phase, number)
) WITHOUT ROWID;

-- The 1,000 stretches of time that cost the most.
CREATE TABLE finding_stretch (
	run_id INTEGER NOT NULL,
	seal INTEGER,
	finding INTEGER NOT NULL,            -- finding.number
	number INTEGER NOT NULL,
	start_ns INTEGER NOT NULL,
	start_s REAL NOT NULL,
	seconds REAL NOT NULL,
	gpu_seconds REAL NOT NULL,           -- summed over the GPUs that it is true of
	phase INTEGER,                       -- phase.number in which it begins
	PRIMARY KEY (run_id, finding, number)
) WITHOUT ROWID;

-- What hosts did in such a stretch: means of the metrics that the rule names.
CREATE TABLE finding_meanwhile (
	run_id INTEGER NOT NULL,
	seal INTEGER,
	finding INTEGER NOT NULL,            -- finding.number
	stretch INTEGER NOT NULL,            -- finding_stretch.number
	metric TEXT NOT NULL,
	mean REAL NOT NULL,
	PRIMARY KEY (run_id, finding, stretch, metric)
) WITHOUT ROWID;
