-- Schema 2: every field of nvidia-smi, processes on GPUs, the host's memory, states,
-- counters, and why a value was missing.

-- A process on a GPU is a device of its own: its pid is the index.
ALTER TABLE device ADD COLUMN parent INTEGER;    -- of a process: the GPU's device

ALTER TABLE gpu_sample_extra ADD COLUMN gr_active_pct REAL;
ALTER TABLE gpu_sample_extra ADD COLUMN sm_active_pct REAL;
ALTER TABLE gpu_sample_extra ADD COLUMN sm_occupancy_pct REAL;
ALTER TABLE gpu_sample_extra ADD COLUMN int_active_pct REAL;
ALTER TABLE gpu_sample_extra ADD COLUMN tensor_active_pct REAL;
ALTER TABLE gpu_sample_extra ADD COLUMN dram_active_pct REAL;
ALTER TABLE gpu_sample_extra ADD COLUMN fp64_active_pct REAL;
ALTER TABLE gpu_sample_extra ADD COLUMN fp32_active_pct REAL;
ALTER TABLE gpu_sample_extra ADD COLUMN fp16_active_pct REAL;
ALTER TABLE gpu_sample_extra ADD COLUMN gpm_pcie_tx_mib_s REAL;
ALTER TABLE gpu_sample_extra ADD COLUMN gpm_pcie_rx_mib_s REAL;
ALTER TABLE gpu_sample_extra ADD COLUMN nvlink_rx_mib_s REAL;
ALTER TABLE gpu_sample_extra ADD COLUMN nvlink_tx_mib_s REAL;
ALTER TABLE gpu_sample_extra ADD COLUMN pcie_replays INTEGER;
ALTER TABLE gpu_sample_extra ADD COLUMN ecc_sbe_errors INTEGER;
ALTER TABLE gpu_sample_extra ADD COLUMN ecc_dbe_errors INTEGER;
ALTER TABLE gpu_sample_extra ADD COLUMN pstate TEXT;
ALTER TABLE gpu_sample_extra ADD COLUMN clock_reasons INTEGER;
ALTER TABLE gpu_sample_extra ADD COLUMN reason_gpu_idle TEXT;
ALTER TABLE gpu_sample_extra ADD COLUMN reason_sw_power_cap TEXT;
ALTER TABLE gpu_sample_extra ADD COLUMN reason_hw_slowdown TEXT;
ALTER TABLE gpu_sample_extra ADD COLUMN reason_hw_thermal_slowdown TEXT;
ALTER TABLE gpu_sample_extra ADD COLUMN reason_sw_thermal_slowdown TEXT;
ALTER TABLE gpu_sample_extra ADD COLUMN mig_mode TEXT;
ALTER TABLE gpu_sample_extra ADD COLUMN ecc_corrected_volatile_total INTEGER;
ALTER TABLE gpu_sample_extra ADD COLUMN ecc_uncorrected_volatile_total INTEGER;

-- The fields that hardly any log has; a row where a log has any of them.
CREATE TABLE gpu_field_sample (
	run_id INTEGER NOT NULL,
	source INTEGER NOT NULL,
	device INTEGER NOT NULL,
	segment INTEGER NOT NULL,
	t_ns INTEGER NOT NULL,
	ord INTEGER NOT NULL,
	clock_reasons_supported INTEGER,
	reason_app_clocks TEXT,
	reason_hw_power_brake_slowdown TEXT,
	reason_sync_boost TEXT,
	held_sw_power_cap_us INTEGER,
	held_sync_boost_us INTEGER,
	held_sw_thermal_slowdown_us INTEGER,
	held_hw_thermal_slowdown_us INTEGER,
	held_hw_power_brake_slowdown_us INTEGER,
	power_limit_default_w REAL,
	power_limit_min_w REAL,
	power_limit_max_w REAL,
	module_power_average_w REAL,
	module_power_instant_w REAL,
	module_power_limit_w REAL,
	module_power_enforced_limit_w REAL,
	module_power_limit_default_w REAL,
	module_power_limit_min_w REAL,
	module_power_limit_max_w REAL,
	power_base_current_w REAL,
	power_base_requested_w REAL,
	power_base_default_w REAL,
	power_base_min_w REAL,
	power_base_max_w REAL,
	edpp_pct REAL,
	temp_margin_c REAL,
	app_graphics_clock_mhz REAL,
	app_mem_clock_mhz REAL,
	app_graphics_clock_default_mhz REAL,
	app_mem_clock_default_mhz REAL,
	graphics_clock_max_mhz REAL,
	sm_clock_max_mhz REAL,
	mem_clock_max_mhz REAL,
	pcie_gen_max REAL,
	pcie_gen_gpu_max REAL,
	pcie_gen_host_max REAL,
	pcie_width_max REAL,
	protected_total_mib REAL,
	protected_used_mib REAL,
	protected_free_mib REAL,
	encoder_sessions REAL,
	encoder_fps REAL,
	encoder_latency_us REAL,
	accounting_buffer REAL,
	ecc_corrected_volatile_device_memory INTEGER,
	ecc_corrected_volatile_dram INTEGER,
	ecc_corrected_volatile_register_file INTEGER,
	ecc_corrected_volatile_l1_cache INTEGER,
	ecc_corrected_volatile_l2_cache INTEGER,
	ecc_corrected_volatile_texture_memory INTEGER,
	ecc_corrected_volatile_cbu INTEGER,
	ecc_corrected_volatile_sram INTEGER,
	ecc_corrected_aggregate_device_memory INTEGER,
	ecc_corrected_aggregate_dram INTEGER,
	ecc_corrected_aggregate_register_file INTEGER,
	ecc_corrected_aggregate_l1_cache INTEGER,
	ecc_corrected_aggregate_l2_cache INTEGER,
	ecc_corrected_aggregate_texture_memory INTEGER,
	ecc_corrected_aggregate_cbu INTEGER,
	ecc_corrected_aggregate_sram INTEGER,
	ecc_corrected_aggregate_total INTEGER,
	ecc_uncorrected_volatile_device_memory INTEGER,
	ecc_uncorrected_volatile_dram INTEGER,
	ecc_uncorrected_volatile_register_file INTEGER,
	ecc_uncorrected_volatile_l1_cache INTEGER,
	ecc_uncorrected_volatile_l2_cache INTEGER,
	ecc_uncorrected_volatile_texture_memory INTEGER,
	ecc_uncorrected_volatile_cbu INTEGER,
	ecc_uncorrected_volatile_sram INTEGER,
	ecc_uncorrected_aggregate_device_memory INTEGER,
	ecc_uncorrected_aggregate_dram INTEGER,
	ecc_uncorrected_aggregate_register_file INTEGER,
	ecc_uncorrected_aggregate_l1_cache INTEGER,
	ecc_uncorrected_aggregate_l2_cache INTEGER,
	ecc_uncorrected_aggregate_texture_memory INTEGER,
	ecc_uncorrected_aggregate_cbu INTEGER,
	ecc_uncorrected_aggregate_sram INTEGER,
	ecc_uncorrected_aggregate_total INTEGER,
	ecc_uncorrected_volatile_sram_parity INTEGER,
	ecc_uncorrected_volatile_sram_secded INTEGER,
	ecc_uncorrected_aggregate_sram_parity INTEGER,
	ecc_uncorrected_aggregate_sram_secded INTEGER,
	ecc_sram_threshold_exceeded TEXT,
	ecc_uncorrected_aggregate_sram_l2 INTEGER,
	ecc_uncorrected_aggregate_sram_sm INTEGER,
	ecc_uncorrected_aggregate_sram_mcu INTEGER,
	ecc_uncorrected_aggregate_sram_pcie INTEGER,
	ecc_uncorrected_aggregate_sram_other INTEGER,
	retired_pages_sbe INTEGER,
	retired_pages_dbe INTEGER,
	retired_pages_pending TEXT,
	remapped_rows_correctable INTEGER,
	remapped_rows_correctable_inactive INTEGER,
	remapped_rows_uncorrectable INTEGER,
	remapped_rows_uncorrectable_inactive INTEGER,
	remapped_rows_pending TEXT,
	remapped_rows_failure TEXT,
	remapped_banks_max REAL,
	remapped_banks_high REAL,
	remapped_banks_partial REAL,
	remapped_banks_low REAL,
	remapped_banks_none REAL,
	run_time_s INTEGER,
	persistence_mode TEXT,
	compute_mode TEXT,
	mig_mode_pending TEXT,
	ecc_mode TEXT,
	ecc_mode_pending TEXT,
	gsp_mode TEXT,
	gsp_mode_default TEXT,
	operation_mode TEXT,
	operation_mode_pending TEXT,
	driver_model TEXT,
	driver_model_pending TEXT,
	display_mode TEXT,
	display_attached TEXT,
	display_active TEXT,
	accounting_mode TEXT,
	addressing_mode TEXT,
	recovery_action TEXT,
	c2c_mode TEXT,
	dram_encryption TEXT,
	dram_encryption_pending TEXT,
	power_management TEXT,
	reset_required TEXT,
	drain_recommended TEXT,
	driver_version TEXT,
	kmd_version TEXT,
	vbios_version TEXT,
	inforom_image TEXT,
	inforom_oem TEXT,
	inforom_ecc TEXT,
	inforom_power TEXT,
	inforom_checksum TEXT,
	board_serial TEXT,
	compute_capability TEXT,
	pci_base_class TEXT,
	pci_sub_class TEXT,
	pci_device_id TEXT,
	pci_sub_device_id TEXT,
	gpu_host_name TEXT,
	vgpu_heterogeneous TEXT,
	vgpu_fractional TEXT,
	vgpu_time_slice_profiles TEXT,
	vgpu_time_slice_sizes TEXT,
	vgpu_placements TEXT,
	vgpu_mig_time_slicing TEXT,
	vgpu_mig_time_slicing_mode TEXT,
	fabric_state TEXT,
	fabric_status TEXT,
	fabric_clique TEXT,
	fabric_cluster TEXT,
	fabric_health TEXT,
	fabric_bandwidth TEXT,
	fabric_route_recovery TEXT,
	fabric_route_unhealthy TEXT,
	fabric_timeout_recovery TEXT,
	fabric_misconfigured TEXT,
	fabric_partition_assigned TEXT,
	chassis_serial TEXT,
	platform_slot TEXT,
	platform_tray TEXT,
	platform_host TEXT,
	platform_peer TEXT,
	platform_module TEXT,
	fabric_guid TEXT,
	smoothing TEXT,
	smoothing_delayed_supported TEXT,
	smoothing_soc TEXT,
	smoothing_privilege TEXT,
	smoothing_ramp_down_now TEXT,
	smoothing_profile TEXT,
	smoothing_tmp_floor_w REAL,
	smoothing_tmp_ceil_w REAL,
	smoothing_lifetime_left_pct REAL,
	smoothing_max_tmp_floor_pct REAL,
	smoothing_min_tmp_floor_pct REAL,
	smoothing_primary_floor_w REAL,
	smoothing_secondary_floor_w REAL,
	smoothing_min_activation_offset_w REAL,
	smoothing_min_activation_point_w REAL,
	smoothing_window_multiplier_ms REAL,
	smoothing_num_preset_profiles REAL,
	smoothing_profile_tmp_floor_pct REAL,
	smoothing_profile_ramp_up_rate_w_s REAL,
	smoothing_profile_ramp_down_rate_w_s REAL,
	smoothing_profile_ramp_down_hysteresis_ms REAL,
	smoothing_profile_secondary_floor_w REAL,
	smoothing_profile_activation_windows REAL,
	smoothing_profile_target_windows REAL,
	smoothing_profile_activation_offset_w REAL,
	smoothing_override_tmp_floor_pct REAL,
	smoothing_override_ramp_up_rate_w_s REAL,
	smoothing_override_ramp_down_rate_w_s REAL,
	smoothing_override_ramp_down_hysteresis_ms REAL,
	smoothing_override_secondary_floor_w REAL,
	smoothing_override_activation_windows REAL,
	smoothing_override_target_windows REAL,
	smoothing_override_activation_offset_w REAL,
	PRIMARY KEY (run_id, source, device, segment, t_ns, ord)
) WITHOUT ROWID;

-- Processes on a GPU (pmon, compute-apps, accounted-apps).
CREATE TABLE process_gpu_sample (
	run_id INTEGER NOT NULL,
	source INTEGER NOT NULL,
	device INTEGER NOT NULL,
	segment INTEGER NOT NULL,
	t_ns INTEGER NOT NULL,
	ord INTEGER NOT NULL,
	mark INTEGER NOT NULL,
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
	process_time_ms INTEGER,
	PRIMARY KEY (run_id, source, device, segment, t_ns, ord)
) WITHOUT ROWID;

-- The host's memory (/proc/meminfo), and what its processes and GPUs use together; of
-- gpu_tracker beside the rows of tree_sample, with no mark of its own.
CREATE TABLE host_sample (
	run_id INTEGER NOT NULL,
	source INTEGER NOT NULL,
	device INTEGER NOT NULL,
	segment INTEGER NOT NULL,
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
	cpu_util_sum_pct REAL,
	gpu_util_sum_pct REAL,
	gpu_mem_sum_mib REAL,
	PRIMARY KEY (run_id, source, device, segment, t_ns, ord)
) WITHOUT ROWID;

-- A process, its descendants, both together (devices main, descendants, combined); of
-- gpu_tracker a row of the host too.
CREATE TABLE tree_sample (
	run_id INTEGER NOT NULL,
	source INTEGER NOT NULL,
	device INTEGER NOT NULL,
	segment INTEGER NOT NULL,
	t_ns INTEGER NOT NULL,
	ord INTEGER NOT NULL,
	mark INTEGER NOT NULL,
	rss_mib REAL,
	tree_gpu_mem_mib REAL,
	tree_cpu_pct REAL,
	threads INTEGER,
	PRIMARY KEY (run_id, source, device, segment, t_ns, ord)
) WITHOUT ROWID;

-- What a recording says of itself beside its rows: names and texts as they were.
CREATE TABLE run_fact (
	run_id INTEGER NOT NULL,
	number INTEGER NOT NULL,
	name TEXT NOT NULL,
	value TEXT NOT NULL,
	PRIMARY KEY (run_id, number)
) WITHOUT ROWID;

-- Of a counter: its rise, without the slices in which it went back, and those.
ALTER TABLE metric_summary ADD COLUMN increase REAL;
ALTER TABLE metric_summary ADD COLUMN rate_per_s REAL;
ALTER TABLE metric_summary ADD COLUMN resets INTEGER;

-- Of a state: how long it held. Of a mask each reason, several at a time.
CREATE TABLE metric_state (
	run_id INTEGER NOT NULL,
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

-- Why values were missing: the log's own words, counted.
CREATE TABLE missing_reason (
	run_id INTEGER NOT NULL,
	number INTEGER NOT NULL,             -- from 0, in the order of appearance
	source INTEGER NOT NULL,
	device INTEGER NOT NULL,
	metric TEXT NOT NULL,
	reason TEXT NOT NULL,
	count INTEGER NOT NULL,
	PRIMARY KEY (run_id, number)
) WITHOUT ROWID;
