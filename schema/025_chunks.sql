-- Schema 25: samples are numbered, and lie in chunks. The key of six columns that each row had
-- was a sixth of its bytes, and of the time it took to store it.
--
-- A sample has one number in all tables that know something of it. A chunk has the numbers
-- of samples of one kind of log, device and segment. The higher of two numbers of these,
-- in one chunk or in two, has the later (t_ns, ord). Between the least and the greatest
-- number of a run lies no other run's.

CREATE TABLE sample_chunk (
	run_id INTEGER NOT NULL,
	source INTEGER NOT NULL,
	device INTEGER NOT NULL,
	segment INTEGER NOT NULL,            -- raised by a step back in time
	first_sample INTEGER NOT NULL,
	last_sample INTEGER NOT NULL,
	first_ns INTEGER NOT NULL,           -- of them, as their t_ns
	last_ns INTEGER NOT NULL,
	PRIMARY KEY (run_id, source, device, segment, first_sample)
) WITHOUT ROWID;

-- The samples there are, and their new numbers.
CREATE TABLE numbered (
	run_id INTEGER NOT NULL,
	source INTEGER NOT NULL,
	device INTEGER NOT NULL,
	segment INTEGER NOT NULL,
	t_ns INTEGER NOT NULL,
	ord INTEGER NOT NULL,
	sample INTEGER NOT NULL,
	PRIMARY KEY (run_id, source, device, segment, t_ns, ord)
) WITHOUT ROWID;
INSERT INTO numbered
SELECT *, row_number() OVER (ORDER BY run_id, source, device, segment, t_ns, ord) FROM (
SELECT run_id, source, device, segment, t_ns, ord FROM gpu_sample
UNION SELECT run_id, source, device, segment, t_ns, ord FROM gpu_sample_extra
UNION SELECT run_id, source, device, segment, t_ns, ord FROM cpu_sample
UNION SELECT run_id, source, device, segment, t_ns, ord FROM cpu_share_sample
UNION SELECT run_id, source, device, segment, t_ns, ord FROM gpu_field_sample
UNION SELECT run_id, source, device, segment, t_ns, ord FROM process_gpu_sample
UNION SELECT run_id, source, device, segment, t_ns, ord FROM host_sample
UNION SELECT run_id, source, device, segment, t_ns, ord FROM tree_sample
UNION SELECT run_id, source, device, segment, t_ns, ord FROM tree_detail_sample
UNION SELECT run_id, source, device, segment, t_ns, ord FROM host_log_sample
UNION SELECT run_id, source, device, segment, t_ns, ord FROM group_sample
UNION SELECT run_id, source, device, segment, t_ns, ord FROM level_sample);

INSERT INTO sample_chunk
SELECT run_id, source, device, segment, min(sample), max(sample), min(t_ns), max(t_ns)
FROM numbered GROUP BY run_id, source, device, segment, sample / 256;

-- Renaming looks into all views, also those that somebody else made.
PRAGMA legacy_alter_table = ON;

CREATE TABLE numbered_gpu_sample (
	sample INTEGER PRIMARY KEY,
	t_ns INTEGER NOT NULL,
	ord INTEGER NOT NULL,
	mark INTEGER NOT NULL DEFAULT 0,
	gpu_util_pct REAL,
	mem_util_pct REAL,
	mem_used_mib REAL,
	mem_total_mib REAL,
	power_w REAL,
	temp_c REAL,
	mem_temp_c REAL,
	sm_clock_mhz REAL,
	mem_clock_mhz REAL,
	enc_util_pct REAL,
	dec_util_pct REAL,
	fan_pct REAL
);
INSERT INTO numbered_gpu_sample
SELECT n.sample, t.t_ns, t.ord, t.mark, t.gpu_util_pct, t.mem_util_pct, t.mem_used_mib,
	t.mem_total_mib, t.power_w, t.temp_c, t.mem_temp_c, t.sm_clock_mhz, t.mem_clock_mhz,
	t.enc_util_pct, t.dec_util_pct, t.fan_pct
FROM gpu_sample t CROSS JOIN numbered n ON n.run_id = t.run_id AND n.source = t.source
	AND n.device = t.device AND n.segment = t.segment AND n.t_ns = t.t_ns AND n.ord = t.ord;
DROP TABLE gpu_sample;
ALTER TABLE numbered_gpu_sample RENAME TO gpu_sample;

CREATE TABLE numbered_gpu_sample_extra (
	sample INTEGER PRIMARY KEY, jpg_util_pct REAL, ofa_util_pct REAL, mem_free_mib REAL,
	mem_reserved_mib REAL, bar1_used_mib REAL, ccpm_used_mib REAL, power_instant_w REAL,
	power_average_w REAL, power_limit_w REAL, power_enforced_limit_w REAL,
	graphics_clock_mhz REAL, video_clock_mhz REAL, pcie_rx_mib_s REAL, pcie_tx_mib_s REAL,
	pcie_gen REAL, pcie_width REAL, power_violation_pct REAL, thermal_violation REAL,
	gr_active_pct REAL, sm_active_pct REAL, sm_occupancy_pct REAL, int_active_pct REAL,
	tensor_active_pct REAL, dram_active_pct REAL, fp64_active_pct REAL, fp32_active_pct REAL,
	fp16_active_pct REAL, gpm_pcie_tx_mib_s REAL, gpm_pcie_rx_mib_s REAL, nvlink_rx_mib_s REAL,
	nvlink_tx_mib_s REAL, pcie_replays INTEGER, ecc_sbe_errors INTEGER, ecc_dbe_errors INTEGER,
	pstate TEXT, clock_reasons INTEGER, reason_gpu_idle TEXT, reason_sw_power_cap TEXT,
	reason_hw_slowdown TEXT, reason_hw_thermal_slowdown TEXT, reason_sw_thermal_slowdown TEXT,
	mig_mode TEXT, ecc_corrected_volatile_total INTEGER, ecc_uncorrected_volatile_total INTEGER
);
INSERT INTO numbered_gpu_sample_extra
SELECT n.sample, t.jpg_util_pct, t.ofa_util_pct, t.mem_free_mib, t.mem_reserved_mib,
	t.bar1_used_mib, t.ccpm_used_mib, t.power_instant_w, t.power_average_w, t.power_limit_w,
	t.power_enforced_limit_w, t.graphics_clock_mhz, t.video_clock_mhz, t.pcie_rx_mib_s,
	t.pcie_tx_mib_s, t.pcie_gen, t.pcie_width, t.power_violation_pct, t.thermal_violation,
	t.gr_active_pct, t.sm_active_pct, t.sm_occupancy_pct, t.int_active_pct, t.tensor_active_pct,
	t.dram_active_pct, t.fp64_active_pct, t.fp32_active_pct, t.fp16_active_pct, t.gpm_pcie_tx_mib_s,
	t.gpm_pcie_rx_mib_s, t.nvlink_rx_mib_s, t.nvlink_tx_mib_s, t.pcie_replays, t.ecc_sbe_errors,
	t.ecc_dbe_errors, t.pstate, t.clock_reasons, t.reason_gpu_idle, t.reason_sw_power_cap,
	t.reason_hw_slowdown, t.reason_hw_thermal_slowdown, t.reason_sw_thermal_slowdown, t.mig_mode,
	t.ecc_corrected_volatile_total, t.ecc_uncorrected_volatile_total
FROM gpu_sample_extra t CROSS JOIN numbered n ON n.run_id = t.run_id AND n.source = t.source
	AND n.device = t.device AND n.segment = t.segment AND n.t_ns = t.t_ns AND n.ord = t.ord;
DROP TABLE gpu_sample_extra;
ALTER TABLE numbered_gpu_sample_extra RENAME TO gpu_sample_extra;

CREATE TABLE numbered_cpu_sample (
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
INSERT INTO numbered_cpu_sample
SELECT n.sample, t.t_ns, t.ord, t.mark, t.cpu_user_ticks, t.cpu_nice_ticks, t.cpu_system_ticks,
	t.cpu_idle_ticks, t.cpu_iowait_ticks, t.cpu_irq_ticks, t.cpu_softirq_ticks, t.cpu_steal_ticks,
	t.cpu_guest_ticks, t.cpu_guest_nice_ticks
FROM cpu_sample t CROSS JOIN numbered n ON n.run_id = t.run_id AND n.source = t.source
	AND n.device = t.device AND n.segment = t.segment AND n.t_ns = t.t_ns AND n.ord = t.ord;
DROP TABLE cpu_sample;
ALTER TABLE numbered_cpu_sample RENAME TO cpu_sample;

CREATE TABLE numbered_cpu_share_sample (
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
INSERT INTO numbered_cpu_share_sample
SELECT n.sample, t.t_ns, t.ord, t.mark, t.cpu_usr_pct, t.cpu_sys_pct, t.cpu_user_pct,
	t.cpu_nice_pct, t.cpu_system_pct, t.cpu_idle_pct, t.cpu_iowait_pct, t.cpu_irq_pct,
	t.cpu_softirq_pct, t.cpu_steal_pct, t.cpu_guest_pct, t.cpu_busy_pct
FROM cpu_share_sample t CROSS JOIN numbered n ON n.run_id = t.run_id AND n.source = t.source
	AND n.device = t.device AND n.segment = t.segment AND n.t_ns = t.t_ns AND n.ord = t.ord;
DROP TABLE cpu_share_sample;
ALTER TABLE numbered_cpu_share_sample RENAME TO cpu_share_sample;

CREATE TABLE numbered_gpu_field_sample (
	sample INTEGER PRIMARY KEY, clock_reasons_supported INTEGER, reason_app_clocks TEXT,
	reason_hw_power_brake_slowdown TEXT, reason_sync_boost TEXT, held_sw_power_cap_us INTEGER,
	held_sync_boost_us INTEGER, held_sw_thermal_slowdown_us INTEGER,
	held_hw_thermal_slowdown_us INTEGER, held_hw_power_brake_slowdown_us INTEGER,
	power_limit_default_w REAL, power_limit_min_w REAL, power_limit_max_w REAL,
	module_power_average_w REAL, module_power_instant_w REAL, module_power_limit_w REAL,
	module_power_enforced_limit_w REAL, module_power_limit_default_w REAL,
	module_power_limit_min_w REAL, module_power_limit_max_w REAL, power_base_current_w REAL,
	power_base_requested_w REAL, power_base_default_w REAL, power_base_min_w REAL,
	power_base_max_w REAL, edpp_pct REAL, temp_margin_c REAL, app_graphics_clock_mhz REAL,
	app_mem_clock_mhz REAL, app_graphics_clock_default_mhz REAL, app_mem_clock_default_mhz REAL,
	graphics_clock_max_mhz REAL, sm_clock_max_mhz REAL, mem_clock_max_mhz REAL,
	pcie_gen_max REAL, pcie_gen_gpu_max REAL, pcie_gen_host_max REAL, pcie_width_max REAL,
	protected_total_mib REAL, protected_used_mib REAL, protected_free_mib REAL,
	encoder_sessions REAL, encoder_fps REAL, encoder_latency_us REAL, accounting_buffer REAL,
	ecc_corrected_volatile_device_memory INTEGER, ecc_corrected_volatile_dram INTEGER,
	ecc_corrected_volatile_register_file INTEGER, ecc_corrected_volatile_l1_cache INTEGER,
	ecc_corrected_volatile_l2_cache INTEGER, ecc_corrected_volatile_texture_memory INTEGER,
	ecc_corrected_volatile_cbu INTEGER, ecc_corrected_volatile_sram INTEGER,
	ecc_corrected_aggregate_device_memory INTEGER, ecc_corrected_aggregate_dram INTEGER,
	ecc_corrected_aggregate_register_file INTEGER, ecc_corrected_aggregate_l1_cache INTEGER,
	ecc_corrected_aggregate_l2_cache INTEGER, ecc_corrected_aggregate_texture_memory INTEGER,
	ecc_corrected_aggregate_cbu INTEGER, ecc_corrected_aggregate_sram INTEGER,
	ecc_corrected_aggregate_total INTEGER, ecc_uncorrected_volatile_device_memory INTEGER,
	ecc_uncorrected_volatile_dram INTEGER, ecc_uncorrected_volatile_register_file INTEGER,
	ecc_uncorrected_volatile_l1_cache INTEGER, ecc_uncorrected_volatile_l2_cache INTEGER,
	ecc_uncorrected_volatile_texture_memory INTEGER, ecc_uncorrected_volatile_cbu INTEGER,
	ecc_uncorrected_volatile_sram INTEGER, ecc_uncorrected_aggregate_device_memory INTEGER,
	ecc_uncorrected_aggregate_dram INTEGER, ecc_uncorrected_aggregate_register_file INTEGER,
	ecc_uncorrected_aggregate_l1_cache INTEGER, ecc_uncorrected_aggregate_l2_cache INTEGER,
	ecc_uncorrected_aggregate_texture_memory INTEGER, ecc_uncorrected_aggregate_cbu INTEGER,
	ecc_uncorrected_aggregate_sram INTEGER, ecc_uncorrected_aggregate_total INTEGER,
	ecc_uncorrected_volatile_sram_parity INTEGER, ecc_uncorrected_volatile_sram_secded INTEGER,
	ecc_uncorrected_aggregate_sram_parity INTEGER, ecc_uncorrected_aggregate_sram_secded INTEGER,
	ecc_sram_threshold_exceeded TEXT, ecc_uncorrected_aggregate_sram_l2 INTEGER,
	ecc_uncorrected_aggregate_sram_sm INTEGER, ecc_uncorrected_aggregate_sram_mcu INTEGER,
	ecc_uncorrected_aggregate_sram_pcie INTEGER, ecc_uncorrected_aggregate_sram_other INTEGER,
	retired_pages_sbe INTEGER, retired_pages_dbe INTEGER, retired_pages_pending TEXT,
	remapped_rows_correctable INTEGER, remapped_rows_correctable_inactive INTEGER,
	remapped_rows_uncorrectable INTEGER, remapped_rows_uncorrectable_inactive INTEGER,
	remapped_rows_pending TEXT, remapped_rows_failure TEXT, remapped_banks_max REAL,
	remapped_banks_high REAL, remapped_banks_partial REAL, remapped_banks_low REAL,
	remapped_banks_none REAL, run_time_s INTEGER, persistence_mode TEXT, compute_mode TEXT,
	mig_mode_pending TEXT, ecc_mode TEXT, ecc_mode_pending TEXT, gsp_mode TEXT,
	gsp_mode_default TEXT, operation_mode TEXT, operation_mode_pending TEXT, driver_model TEXT,
	driver_model_pending TEXT, display_mode TEXT, display_attached TEXT, display_active TEXT,
	accounting_mode TEXT, addressing_mode TEXT, recovery_action TEXT, c2c_mode TEXT,
	dram_encryption TEXT, dram_encryption_pending TEXT, power_management TEXT,
	reset_required TEXT, drain_recommended TEXT, driver_version TEXT, kmd_version TEXT,
	vbios_version TEXT, inforom_image TEXT, inforom_oem TEXT, inforom_ecc TEXT,
	inforom_power TEXT, inforom_checksum TEXT, board_serial TEXT, compute_capability TEXT,
	pci_base_class TEXT, pci_sub_class TEXT, pci_device_id TEXT, pci_sub_device_id TEXT,
	gpu_host_name TEXT, vgpu_heterogeneous TEXT, vgpu_fractional TEXT,
	vgpu_time_slice_profiles TEXT, vgpu_time_slice_sizes TEXT, vgpu_placements TEXT,
	vgpu_mig_time_slicing TEXT, vgpu_mig_time_slicing_mode TEXT, fabric_state TEXT,
	fabric_status TEXT, fabric_clique TEXT, fabric_cluster TEXT, fabric_health TEXT,
	fabric_bandwidth TEXT, fabric_route_recovery TEXT, fabric_route_unhealthy TEXT,
	fabric_timeout_recovery TEXT, fabric_misconfigured TEXT, fabric_partition_assigned TEXT,
	chassis_serial TEXT, platform_slot TEXT, platform_tray TEXT, platform_host TEXT,
	platform_peer TEXT, platform_module TEXT, fabric_guid TEXT, smoothing TEXT,
	smoothing_delayed_supported TEXT, smoothing_soc TEXT, smoothing_privilege TEXT,
	smoothing_ramp_down_now TEXT, smoothing_profile TEXT, smoothing_tmp_floor_w REAL,
	smoothing_tmp_ceil_w REAL, smoothing_lifetime_left_pct REAL,
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
	reason_unknown TEXT, gpu_energy_j REAL
);
INSERT INTO numbered_gpu_field_sample
SELECT n.sample, t.clock_reasons_supported, t.reason_app_clocks,
	t.reason_hw_power_brake_slowdown, t.reason_sync_boost, t.held_sw_power_cap_us,
	t.held_sync_boost_us, t.held_sw_thermal_slowdown_us, t.held_hw_thermal_slowdown_us,
	t.held_hw_power_brake_slowdown_us, t.power_limit_default_w, t.power_limit_min_w,
	t.power_limit_max_w, t.module_power_average_w, t.module_power_instant_w, t.module_power_limit_w,
	t.module_power_enforced_limit_w, t.module_power_limit_default_w, t.module_power_limit_min_w,
	t.module_power_limit_max_w, t.power_base_current_w, t.power_base_requested_w,
	t.power_base_default_w, t.power_base_min_w, t.power_base_max_w, t.edpp_pct, t.temp_margin_c,
	t.app_graphics_clock_mhz, t.app_mem_clock_mhz, t.app_graphics_clock_default_mhz,
	t.app_mem_clock_default_mhz, t.graphics_clock_max_mhz, t.sm_clock_max_mhz, t.mem_clock_max_mhz,
	t.pcie_gen_max, t.pcie_gen_gpu_max, t.pcie_gen_host_max, t.pcie_width_max,
	t.protected_total_mib, t.protected_used_mib, t.protected_free_mib, t.encoder_sessions,
	t.encoder_fps, t.encoder_latency_us, t.accounting_buffer,
	t.ecc_corrected_volatile_device_memory, t.ecc_corrected_volatile_dram,
	t.ecc_corrected_volatile_register_file, t.ecc_corrected_volatile_l1_cache,
	t.ecc_corrected_volatile_l2_cache, t.ecc_corrected_volatile_texture_memory,
	t.ecc_corrected_volatile_cbu, t.ecc_corrected_volatile_sram,
	t.ecc_corrected_aggregate_device_memory, t.ecc_corrected_aggregate_dram,
	t.ecc_corrected_aggregate_register_file, t.ecc_corrected_aggregate_l1_cache,
	t.ecc_corrected_aggregate_l2_cache, t.ecc_corrected_aggregate_texture_memory,
	t.ecc_corrected_aggregate_cbu, t.ecc_corrected_aggregate_sram, t.ecc_corrected_aggregate_total,
	t.ecc_uncorrected_volatile_device_memory, t.ecc_uncorrected_volatile_dram,
	t.ecc_uncorrected_volatile_register_file, t.ecc_uncorrected_volatile_l1_cache,
	t.ecc_uncorrected_volatile_l2_cache, t.ecc_uncorrected_volatile_texture_memory,
	t.ecc_uncorrected_volatile_cbu, t.ecc_uncorrected_volatile_sram,
	t.ecc_uncorrected_aggregate_device_memory, t.ecc_uncorrected_aggregate_dram,
	t.ecc_uncorrected_aggregate_register_file, t.ecc_uncorrected_aggregate_l1_cache,
	t.ecc_uncorrected_aggregate_l2_cache, t.ecc_uncorrected_aggregate_texture_memory,
	t.ecc_uncorrected_aggregate_cbu, t.ecc_uncorrected_aggregate_sram,
	t.ecc_uncorrected_aggregate_total, t.ecc_uncorrected_volatile_sram_parity,
	t.ecc_uncorrected_volatile_sram_secded, t.ecc_uncorrected_aggregate_sram_parity,
	t.ecc_uncorrected_aggregate_sram_secded, t.ecc_sram_threshold_exceeded,
	t.ecc_uncorrected_aggregate_sram_l2, t.ecc_uncorrected_aggregate_sram_sm,
	t.ecc_uncorrected_aggregate_sram_mcu, t.ecc_uncorrected_aggregate_sram_pcie,
	t.ecc_uncorrected_aggregate_sram_other, t.retired_pages_sbe, t.retired_pages_dbe,
	t.retired_pages_pending, t.remapped_rows_correctable, t.remapped_rows_correctable_inactive,
	t.remapped_rows_uncorrectable, t.remapped_rows_uncorrectable_inactive, t.remapped_rows_pending,
	t.remapped_rows_failure, t.remapped_banks_max, t.remapped_banks_high, t.remapped_banks_partial,
	t.remapped_banks_low, t.remapped_banks_none, t.run_time_s, t.persistence_mode, t.compute_mode,
	t.mig_mode_pending, t.ecc_mode, t.ecc_mode_pending, t.gsp_mode, t.gsp_mode_default,
	t.operation_mode, t.operation_mode_pending, t.driver_model, t.driver_model_pending,
	t.display_mode, t.display_attached, t.display_active, t.accounting_mode, t.addressing_mode,
	t.recovery_action, t.c2c_mode, t.dram_encryption, t.dram_encryption_pending, t.power_management,
	t.reset_required, t.drain_recommended, t.driver_version, t.kmd_version, t.vbios_version,
	t.inforom_image, t.inforom_oem, t.inforom_ecc, t.inforom_power, t.inforom_checksum,
	t.board_serial, t.compute_capability, t.pci_base_class, t.pci_sub_class, t.pci_device_id,
	t.pci_sub_device_id, t.gpu_host_name, t.vgpu_heterogeneous, t.vgpu_fractional,
	t.vgpu_time_slice_profiles, t.vgpu_time_slice_sizes, t.vgpu_placements, t.vgpu_mig_time_slicing,
	t.vgpu_mig_time_slicing_mode, t.fabric_state, t.fabric_status, t.fabric_clique,
	t.fabric_cluster, t.fabric_health, t.fabric_bandwidth, t.fabric_route_recovery,
	t.fabric_route_unhealthy, t.fabric_timeout_recovery, t.fabric_misconfigured,
	t.fabric_partition_assigned, t.chassis_serial, t.platform_slot, t.platform_tray,
	t.platform_host, t.platform_peer, t.platform_module, t.fabric_guid, t.smoothing,
	t.smoothing_delayed_supported, t.smoothing_soc, t.smoothing_privilege,
	t.smoothing_ramp_down_now, t.smoothing_profile, t.smoothing_tmp_floor_w, t.smoothing_tmp_ceil_w,
	t.smoothing_lifetime_left_pct, t.smoothing_max_tmp_floor_pct, t.smoothing_min_tmp_floor_pct,
	t.smoothing_primary_floor_w, t.smoothing_secondary_floor_w, t.smoothing_min_activation_offset_w,
	t.smoothing_min_activation_point_w, t.smoothing_window_multiplier_ms,
	t.smoothing_num_preset_profiles, t.smoothing_profile_tmp_floor_pct,
	t.smoothing_profile_ramp_up_rate_w_s, t.smoothing_profile_ramp_down_rate_w_s,
	t.smoothing_profile_ramp_down_hysteresis_ms, t.smoothing_profile_secondary_floor_w,
	t.smoothing_profile_activation_windows, t.smoothing_profile_target_windows,
	t.smoothing_profile_activation_offset_w, t.smoothing_override_tmp_floor_pct,
	t.smoothing_override_ramp_up_rate_w_s, t.smoothing_override_ramp_down_rate_w_s,
	t.smoothing_override_ramp_down_hysteresis_ms, t.smoothing_override_secondary_floor_w,
	t.smoothing_override_activation_windows, t.smoothing_override_target_windows,
	t.smoothing_override_activation_offset_w, t.reason_unknown, t.gpu_energy_j
FROM gpu_field_sample t CROSS JOIN numbered n ON n.run_id = t.run_id AND n.source = t.source
	AND n.device = t.device AND n.segment = t.segment AND n.t_ns = t.t_ns AND n.ord = t.ord;
DROP TABLE gpu_field_sample;
ALTER TABLE numbered_gpu_field_sample RENAME TO gpu_field_sample;

CREATE TABLE numbered_process_gpu_sample (
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
INSERT INTO numbered_process_gpu_sample
SELECT n.sample, t.t_ns, t.ord, t.mark, t.process_sm_pct, t.process_mem_pct, t.process_enc_pct,
	t.process_dec_pct, t.process_jpg_pct, t.process_ofa_pct, t.process_gpu_mem_mib,
	t.process_ccpm_mib, t.process_type, t.process_gpu_util_pct, t.process_gpu_mem_util_pct,
	t.process_gpu_mem_max_mib, t.process_time_ms
FROM process_gpu_sample t CROSS JOIN numbered n ON n.run_id = t.run_id AND n.source = t.source
	AND n.device = t.device AND n.segment = t.segment AND n.t_ns = t.t_ns AND n.ord = t.ord;
DROP TABLE process_gpu_sample;
ALTER TABLE numbered_process_gpu_sample RENAME TO process_gpu_sample;

CREATE TABLE numbered_host_sample (
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
	cpu_util_sum_pct REAL,
	gpu_util_sum_pct REAL,
	gpu_mem_sum_mib REAL
);
INSERT INTO numbered_host_sample
SELECT n.sample, t.t_ns, t.ord, t.mark, t.ram_total_mib, t.ram_used_mib, t.ram_available_mib,
	t.ram_free_mib, t.ram_buffers_mib, t.ram_cached_mib, t.ram_shared_mib, t.ram_dirty_mib,
	t.swap_total_mib, t.swap_free_mib, t.cpu_util_sum_pct, t.gpu_util_sum_pct, t.gpu_mem_sum_mib
FROM host_sample t CROSS JOIN numbered n ON n.run_id = t.run_id AND n.source = t.source
	AND n.device = t.device AND n.segment = t.segment AND n.t_ns = t.t_ns AND n.ord = t.ord;
DROP TABLE host_sample;
ALTER TABLE numbered_host_sample RENAME TO host_sample;

CREATE TABLE numbered_tree_sample (
	sample INTEGER PRIMARY KEY,
	t_ns INTEGER NOT NULL,
	ord INTEGER NOT NULL,
	mark INTEGER NOT NULL DEFAULT 0,
	rss_mib REAL,
	tree_gpu_mem_mib REAL,
	tree_cpu_pct REAL,
	threads INTEGER
);
INSERT INTO numbered_tree_sample
SELECT n.sample, t.t_ns, t.ord, t.mark, t.rss_mib, t.tree_gpu_mem_mib, t.tree_cpu_pct, t.threads
FROM tree_sample t CROSS JOIN numbered n ON n.run_id = t.run_id AND n.source = t.source
	AND n.device = t.device AND n.segment = t.segment AND n.t_ns = t.t_ns AND n.ord = t.ord;
DROP TABLE tree_sample;
ALTER TABLE numbered_tree_sample RENAME TO tree_sample;

CREATE TABLE numbered_tree_detail_sample (
	sample INTEGER PRIMARY KEY,
	processes INTEGER,
	private_mib REAL,
	shared_mib REAL,
	pss_mib REAL,
	tree_swap_mib REAL,
	tree_cpu_s REAL,
	tree_major_faults INTEGER,
	io_read_mib REAL,
	io_write_mib REAL,
	io_read_calls INTEGER,
	io_write_calls INTEGER,
	disk_read_mib REAL,
	disk_write_mib REAL
);
INSERT INTO numbered_tree_detail_sample
SELECT n.sample, t.processes, t.private_mib, t.shared_mib, t.pss_mib, t.tree_swap_mib,
	t.tree_cpu_s, t.tree_major_faults, t.io_read_mib, t.io_write_mib, t.io_read_calls,
	t.io_write_calls, t.disk_read_mib, t.disk_write_mib
FROM tree_detail_sample t CROSS JOIN numbered n ON n.run_id = t.run_id AND n.source = t.source
	AND n.device = t.device AND n.segment = t.segment AND n.t_ns = t.t_ns AND n.ord = t.ord;
DROP TABLE tree_detail_sample;
ALTER TABLE numbered_tree_detail_sample RENAME TO tree_detail_sample;

CREATE TABLE numbered_host_log_sample (
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
	dram_energy_j REAL
);
INSERT INTO numbered_host_log_sample
SELECT n.sample, t.t_ns, t.ord, t.mark, t.load1, t.psi_cpu_some_s, t.psi_mem_some_s,
	t.psi_mem_full_s, t.psi_io_some_s, t.psi_io_full_s, t.host_disk_read_mib, t.host_disk_write_mib,
	t.host_disk_requests, t.host_disk_wait_s, t.host_disk_busy_s, t.host_net_rx_mib,
	t.host_net_tx_mib, t.cpu_energy_j, t.dram_energy_j
FROM host_log_sample t CROSS JOIN numbered n ON n.run_id = t.run_id AND n.source = t.source
	AND n.device = t.device AND n.segment = t.segment AND n.t_ns = t.t_ns AND n.ord = t.ord;
DROP TABLE host_log_sample;
ALTER TABLE numbered_host_log_sample RENAME TO host_log_sample;

CREATE TABLE numbered_group_sample (
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
INSERT INTO numbered_group_sample
SELECT n.sample, t.cgroup_mem_used_mib, t.cgroup_mem_limit_mib, t.cgroup_oom_kills,
	t.cgroup_cpu_s, t.cgroup_cpu_limit, t.cgroup_throttled_s, t.cgroup_periods,
	t.cgroup_throttled_periods
FROM group_sample t CROSS JOIN numbered n ON n.run_id = t.run_id AND n.source = t.source
	AND n.device = t.device AND n.segment = t.segment AND n.t_ns = t.t_ns AND n.ord = t.ord;
DROP TABLE group_sample;
ALTER TABLE numbered_group_sample RENAME TO group_sample;

CREATE TABLE numbered_level_sample (
	sample INTEGER PRIMARY KEY,
	t_ns INTEGER NOT NULL,
	ord INTEGER NOT NULL,
	mark INTEGER NOT NULL DEFAULT 0,
	level_cpu_pct REAL,
	level_mem_mib REAL,
	level_gpu_util_pct REAL,
	level_gpu_mem_mib REAL
);
INSERT INTO numbered_level_sample
SELECT n.sample, t.t_ns, t.ord, t.mark, t.level_cpu_pct, t.level_mem_mib, t.level_gpu_util_pct,
	t.level_gpu_mem_mib
FROM level_sample t CROSS JOIN numbered n ON n.run_id = t.run_id AND n.source = t.source
	AND n.device = t.device AND n.segment = t.segment AND n.t_ns = t.t_ns AND n.ord = t.ord;
DROP TABLE level_sample;
ALTER TABLE numbered_level_sample RENAME TO level_sample;

PRAGMA legacy_alter_table = OFF;
DROP TABLE numbered;
