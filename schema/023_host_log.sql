-- Schema 23: what the host and the control groups of the command did (host.log).

-- A row for every sample of a host; of a control group all that is NULL.
CREATE TABLE host_log_sample (
	run_id INTEGER NOT NULL,
	source INTEGER NOT NULL,
	device INTEGER NOT NULL,
	segment INTEGER NOT NULL,
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
	PRIMARY KEY (run_id, source, device, segment, t_ns, ord)
) WITHOUT ROWID;

-- More of each of its rows that is of a control group.
CREATE TABLE group_sample (
	run_id INTEGER NOT NULL,
	source INTEGER NOT NULL,
	device INTEGER NOT NULL,
	segment INTEGER NOT NULL,
	t_ns INTEGER NOT NULL,
	ord INTEGER NOT NULL,
	cgroup_mem_used_mib REAL,
	cgroup_mem_limit_mib REAL,
	cgroup_oom_kills INTEGER,
	cgroup_cpu_s REAL,
	cgroup_cpu_limit REAL,
	cgroup_throttled_s REAL,
	cgroup_periods INTEGER,
	cgroup_throttled_periods INTEGER,
	PRIMARY KEY (run_id, source, device, segment, t_ns, ord)
) WITHOUT ROWID;

-- A host.log that was claimed by no reader is loaded anew, as what older definitions made.
UPDATE run SET definitions_version = 11 WHERE definitions_version = 12 AND EXISTS (
	SELECT 1 FROM source_file f WHERE f.run_id = run.run_id AND f.path LIKE 'host.log%'
		AND f.source IS NULL);
