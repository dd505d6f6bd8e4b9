-- Schema 24: what JUmPER's levels did: a process with its descendants, a user, the system, a job.

CREATE TABLE level_sample (
	run_id INTEGER NOT NULL,
	source INTEGER NOT NULL,
	device INTEGER NOT NULL,
	segment INTEGER NOT NULL,
	t_ns INTEGER NOT NULL,
	ord INTEGER NOT NULL,
	mark INTEGER NOT NULL DEFAULT 0,
	level_cpu_pct REAL,
	level_mem_mib REAL,
	level_gpu_util_pct REAL,
	level_gpu_mem_mib REAL,
	PRIMARY KEY (run_id, source, device, segment, t_ns, ord)
) WITHOUT ROWID;

-- Files that no reader claimed may be JUmPER's: such runs are loaded anew, as what older definitions
-- made.
UPDATE run SET definitions_version = 11 WHERE definitions_version = 12 AND EXISTS (
	SELECT 1 FROM source_file f WHERE f.run_id = run.run_id AND f.source IS NULL
		AND (f.path GLOB '*.csv*' OR f.path GLOB '*.json*'));
