-- The runs database, schema 1.
--
-- Tables may change from version to version; the views (views.sql) are the promise.
-- Everything of a run hangs on run_id, which is never used twice: a run that is loaded
-- anew gets a new one. Instants are nanoseconds since 1970-01-01T00:00:00Z unless the
-- column says otherwise; NULL is "not known", never nought. Nothing here is newer than
-- SQLite 3.26, and nothing is STRICT: the loader guarantees the types.

-- One run: what was recorded together. Its columns up to time_source are the run as the
-- reader left it, the others what was computed from it.
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
	manifest_zone TEXT,                  -- of a foreign manifest's wall clocks
	cpu_count INTEGER,
	mem_total_kib INTEGER,
	interval_ns INTEGER,                 -- recorded sampling interval
	dmon_interval_ns INTEGER,
	command_started_ns INTEGER,
	command_ended_ns INTEGER,
	exit_status INTEGER,
	time_zone TEXT NOT NULL,             -- in which zoneless times were read
	time_source TEXT NOT NULL,           -- who said so: option, manifest, default
	started_ns INTEGER,                  -- of the command, else of the first sample
	ended_ns INTEGER,
	duration_s REAL,
	duration_source TEXT,                -- command or samples
	grade TEXT,                          -- of the evidence: A B C F
	coverage REAL,                       -- of the worst GPU, 0 to 1
	sessions INTEGER,
	gap_count INTEGER,                   -- all of them; the table gap lists the longest
	shape TEXT NOT NULL,                 -- the options that shaped the reading
	definitions_version INTEGER NOT NULL,
	generator TEXT NOT NULL
);

-- Who took part, numbered in the order of appearance; samples name a device by number.
CREATE TABLE device (
	run_id INTEGER NOT NULL,
	device INTEGER NOT NULL,
	kind TEXT NOT NULL,                  -- gpu, cpu, host
	device_index INTEGER,                -- as the tools count; NULL: all CPUs, or unknown
	name TEXT NOT NULL,                  -- gpu0, cpu (all), cpu3
	uuid TEXT,
	bus_id TEXT,
	model TEXT,
	PRIMARY KEY (run_id, device)
) WITHOUT ROWID;

-- The kinds of log. An id, once given, stays with its name.
CREATE TABLE source_kind (
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE
);

-- The files of a run. What no reader claims has no kind.
CREATE TABLE source_file (
	run_id INTEGER NOT NULL,
	number INTEGER NOT NULL,
	path TEXT NOT NULL,                  -- relative to the run
	source INTEGER,                      -- source_kind.id
	size INTEGER NOT NULL,               -- bytes on disk
	mtime_ns INTEGER NOT NULL,
	hash INTEGER NOT NULL,               -- of its first and last 64 KiB
	row_count INTEGER NOT NULL,          -- accepted samples or events
	refused INTEGER NOT NULL,            -- rows that were lost
	PRIMARY KEY (run_id, number)
) WITHOUT ROWID;

-- What happened, in the order of the log.
CREATE TABLE event (
	run_id INTEGER NOT NULL,
	number INTEGER NOT NULL,
	type TEXT NOT NULL,                  -- phase, begin, end, point
	t_ns INTEGER,                        -- of a phase its start
	end_ns INTEGER,                      -- of a phase its end
	type_name TEXT,                      -- the log's own word
	name TEXT,
	extras TEXT,                         -- the remaining keys, a JSON object
	PRIMARY KEY (run_id, number)
) WITHOUT ROWID;

-- Damage and remarks, counted.
CREATE TABLE diagnostic (
	run_id INTEGER NOT NULL,
	number INTEGER NOT NULL,
	id TEXT NOT NULL,
	file TEXT NOT NULL,                  -- '': the run itself
	line INTEGER NOT NULL,               -- of the first occurrence; 0: the file
	count INTEGER NOT NULL,
	text TEXT NOT NULL,
	damage INTEGER NOT NULL,             -- 0: a remark; 1: something was lost
	PRIMARY KEY (run_id, number)
) WITHOUT ROWID;

-- The logs with samples of a run, by kind: all its files of one kind, joined in time.
CREATE TABLE run_source (
	run_id INTEGER NOT NULL,
	source INTEGER NOT NULL,             -- source_kind.id
	origin_ns INTEGER NOT NULL,          -- t_ns of its samples counts from here
	PRIMARY KEY (run_id, source)
) WITHOUT ROWID;

-- Which metrics the rows of a source have a column for. A row names its layout in
-- `mark`; NULL in a column of its layout was sampled but not available, NULL in any other
-- column was not sampled.
CREATE TABLE layout (
	run_id INTEGER NOT NULL,
	source INTEGER NOT NULL,
	layout INTEGER NOT NULL,             -- from 0, in the order of appearance
	metric TEXT NOT NULL,
	PRIMARY KEY (run_id, source, layout, metric)
) WITHOUT ROWID;

-- The samples. One row is one device at one instant. In all of these tables:
--   source, device   source_kind.id, device.device
--   segment          raised by a step back in time; no interval crosses its border
--   t_ns             nanoseconds since run_source.origin_ns; may be negative
--   ord              among equal times, from 0; in a log without times the row's number
--   mark             4 * layout, + 2 if the log has no times (t_ns means nothing then),
--                    + 1 if it had a header right before this row
-- The other columns are metrics (the table `metric` explains them), in the unit of their
-- name. A number that no double carries exactly is a BLOB with its decimal digits.

-- Every row of a GPU log, with the usual metrics ...
CREATE TABLE gpu_sample (
	run_id INTEGER NOT NULL,
	source INTEGER NOT NULL,
	device INTEGER NOT NULL,
	segment INTEGER NOT NULL,
	t_ns INTEGER NOT NULL,
	ord INTEGER NOT NULL,
	mark INTEGER NOT NULL,
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
	fan_pct REAL,
	PRIMARY KEY (run_id, source, device, segment, t_ns, ord)
) WITHOUT ROWID;

-- ... and the rarer ones, where a row has any of them.
CREATE TABLE gpu_sample_extra (
	run_id INTEGER NOT NULL,
	source INTEGER NOT NULL,
	device INTEGER NOT NULL,
	segment INTEGER NOT NULL,
	t_ns INTEGER NOT NULL,
	ord INTEGER NOT NULL,
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
	PRIMARY KEY (run_id, source, device, segment, t_ns, ord)
) WITHOUT ROWID;

-- Raw counters of /proc/stat, in USER_HZ; shares are differences of two rows.
CREATE TABLE cpu_sample (
	run_id INTEGER NOT NULL,
	source INTEGER NOT NULL,
	device INTEGER NOT NULL,
	segment INTEGER NOT NULL,
	t_ns INTEGER NOT NULL,
	ord INTEGER NOT NULL,
	mark INTEGER NOT NULL,
	cpu_user_ticks INTEGER,
	cpu_nice_ticks INTEGER,
	cpu_system_ticks INTEGER,
	cpu_idle_ticks INTEGER,
	cpu_iowait_ticks INTEGER,
	cpu_irq_ticks INTEGER,
	cpu_softirq_ticks INTEGER,
	cpu_steal_ticks INTEGER,
	cpu_guest_ticks INTEGER,
	cpu_guest_nice_ticks INTEGER,
	PRIMARY KEY (run_id, source, device, segment, t_ns, ord)
) WITHOUT ROWID;

-- CPU shares that a log prints as numbers, each the average of the interval before it.
CREATE TABLE cpu_share_sample (
	run_id INTEGER NOT NULL,
	source INTEGER NOT NULL,
	device INTEGER NOT NULL,
	segment INTEGER NOT NULL,
	t_ns INTEGER NOT NULL,
	ord INTEGER NOT NULL,
	mark INTEGER NOT NULL,
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
	cpu_busy_pct REAL,
	PRIMARY KEY (run_id, source, device, segment, t_ns, ord)
) WITHOUT ROWID;

-- Every metric, explained. Filled from schema/metrics.def.
CREATE TABLE metric (
	name TEXT NOT NULL PRIMARY KEY,
	unit TEXT NOT NULL,                  -- '': a plain number
	kind TEXT NOT NULL,                  -- gauge, share, ticks
	better TEXT NOT NULL,                -- higher, lower, neither
	title TEXT NOT NULL,
	help TEXT NOT NULL
) WITHOUT ROWID;

-- Statistics of one metric of one device in one source over the whole run.
CREATE TABLE metric_summary (
	run_id INTEGER NOT NULL,
	source INTEGER NOT NULL,
	device INTEGER NOT NULL,
	metric TEXT NOT NULL,
	n INTEGER NOT NULL,                  -- samples with a value; of shares: windows
	missing INTEGER NOT NULL,            -- rows whose field was not available
	covered_s REAL,
	mean REAL,                           -- time-weighted
	mean_samples REAL,                   -- plain
	min REAL,
	max REAL,
	min_at_ns INTEGER,
	max_at_ns INTEGER,
	p50 REAL,
	p90 REAL,
	p95 REAL,
	p99 REAL,
	stddev REAL,
	above_gt_0 REAL,                     -- shares of covered time, 0 to 1
	above_ge_20 REAL,
	above_ge_50 REAL,
	above_ge_80 REAL,
	above_ge_95 REAL,
	energy_j REAL,
	sum REAL,
	PRIMARY KEY (run_id, source, device, metric)
) WITHOUT ROWID;

-- The resource summary: one row a run, one column a key of schema/summary.def.
CREATE TABLE run_summary (
	run_id INTEGER PRIMARY KEY,
	peak_vram_mib REAL,
	peak_vram_total_mib REAL,
	vram_capacity_mib REAL,
	jax_peak_mib REAL,
	gpu_util_mean_pct REAL,
	gpu_util_max_pct REAL,
	mem_util_mean_pct REAL,
	mem_util_max_pct REAL,
	power_mean_w REAL,
	power_max_w REAL,
	power_total_mean_w REAL,
	energy_j REAL,
	energy_partial_j REAL,
	energy_method TEXT,
	energy_coverage REAL,
	energy_uncovered_s REAL,
	gpu_temp_max_c REAL,
	sm_clock_mean_mhz REAL,
	cpu_usr_mean_pct REAL,
	cpu_sys_mean_pct REAL,
	cpu_iowait_mean_pct REAL,
	cpu_idle_mean_pct REAL,
	ram_peak_mib REAL,
	ram_capacity_mib REAL,
	rss_peak_mib REAL,
	rss_mean_mib REAL,
	rss_growth_mib REAL,
	threads_max INTEGER,
	io_read_mib REAL,
	io_write_mib REAL,
	gpu_count INTEGER,
	cpu_count INTEGER,
	samples INTEGER,
	duration_s REAL
);

-- What the rows of a device in a source say about time.
CREATE TABLE device_evidence (
	run_id INTEGER NOT NULL,
	source INTEGER NOT NULL,
	device INTEGER NOT NULL,
	row_count INTEGER NOT NULL,
	first_ns INTEGER,
	last_ns INTEGER,
	interval_s REAL,
	interval_source TEXT,                -- recorded, median, option, assumed
	gap_limit_s REAL,
	covered_s REAL,
	coverage REAL,                       -- 0 to 1
	gaps INTEGER NOT NULL,
	steps_back INTEGER NOT NULL,
	sessions INTEGER NOT NULL,
	resets INTEGER NOT NULL,
	PRIMARY KEY (run_id, source, device)
) WITHOUT ROWID;

-- The longest gaps between samples, longest first.
CREATE TABLE gap (
	run_id INTEGER NOT NULL,
	number INTEGER NOT NULL,
	source INTEGER NOT NULL,
	device INTEGER NOT NULL,
	start_ns INTEGER,                    -- of the row before it
	length_s REAL NOT NULL,
	PRIMARY KEY (run_id, number)
) WITHOUT ROWID;

-- Phases as they are shown, in the order of their start.
CREATE TABLE phase (
	run_id INTEGER NOT NULL,
	number INTEGER NOT NULL,
	name TEXT,
	extras TEXT,
	start_ns INTEGER,
	start_s REAL,                        -- from the run's start
	seconds REAL,
	unfinished INTEGER NOT NULL,
	PRIMARY KEY (run_id, number)
) WITHOUT ROWID;

-- The text of views.sql that the views were made from.
CREATE TABLE schema_text (
	name TEXT NOT NULL PRIMARY KEY,
	text TEXT NOT NULL
) WITHOUT ROWID;
