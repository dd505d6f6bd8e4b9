-- Schema 18: what a process and its descendants did: more of each sample of tree_sample.

CREATE TABLE tree_detail_sample (
	run_id INTEGER NOT NULL,
	source INTEGER NOT NULL,
	device INTEGER NOT NULL,
	segment INTEGER NOT NULL,
	t_ns INTEGER NOT NULL,
	ord INTEGER NOT NULL,
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
	disk_write_mib REAL,
	PRIMARY KEY (run_id, source, device, segment, t_ns, ord)
) WITHOUT ROWID;
