#!/bin/sh
# Prints what sqlite3 is to do with logs of nvidia-smi's query: sqlite.sh GAP_MS FILE...
# .import takes the text as it is; a table holds it as numbers, as any query needs it; `stats`
# is what hwsummarize is compared with, and is printed: lines of file, device, metric, statistic,
# value. Of the ways that were tried each step takes the fastest: the text in a temporary table,
# one transaction for all, percentiles from counted values, not from a row number for every
# sample; SQLite's own settings (larger pages, a larger cache, sorting in memory: none was faster).
set -eu
gap_ms=$1
shift
metrics='gpu_util_pct mem_util_pct mem_used_mib mem_total_mib power_w temperature_c sm_clock_mhz
	mem_clock_mhz'

# each TEXT: the text once a metric, @ standing for its name
each() {
	for metric in $metrics; do
		printf '%s\n' "$1" | sed "s/@/$metric/g"
	done
}

cat <<SQL
.bail on
BEGIN;
CREATE TEMP TABLE raw (timestamp TEXT, gpu TEXT, uuid TEXT, bus_id TEXT, name TEXT
$(each ', @ TEXT'));
CREATE TABLE run (run INTEGER PRIMARY KEY, path TEXT);
CREATE TABLE sample (run INTEGER, gpu INTEGER, t_ms INTEGER$(each ', @ REAL'));
SQL
run=0
for file in "$@"; do
	run=$((run + 1))
	cat <<SQL
INSERT INTO run VALUES ($run, '$file');
.import --csv --skip 1 --schema temp "$file" raw
INSERT INTO sample
SELECT $run, CAST(gpu AS INTEGER),
	CAST(strftime('%s', replace(substr(timestamp, 1, 19), '/', '-')) AS INTEGER) * 1000
		+ CAST(substr(timestamp, 21, 3) AS INTEGER)
$(each '	, CAST(@ AS REAL)')
FROM raw;
DELETE FROM raw;
SQL
done
cat <<SQL
CREATE TABLE plain (run, gpu, metric, n, mean_samples, min, max);
CREATE TABLE weighted (run, gpu, metric, covered_s, mean);
CREATE TABLE percentile (run, gpu, metric, p, value);
CREATE TEMP TABLE total AS
SELECT run, gpu
$(each '	, count(@) AS n_@, avg(@) AS mean_@, min(@) AS min_@, max(@) AS max_@')
FROM sample
GROUP BY run, gpu;
$(each "INSERT INTO plain SELECT run, gpu, '@', n_@, mean_@, min_@, max_@ FROM total;")
CREATE TEMP TABLE slice AS
SELECT run, gpu, sum(dt) AS covered_ms
$(each '	, sum(dt * (@ + before_@)) / 2 AS area_@')
FROM (SELECT run, gpu, t_ms - lag(t_ms) OVER w AS dt
$(each '		, @, lag(@) OVER w AS before_@')
	FROM sample
	WINDOW w AS (PARTITION BY run, gpu ORDER BY t_ms))
WHERE dt BETWEEN 1 AND $gap_ms
GROUP BY run, gpu;
$(each "INSERT INTO weighted
	SELECT run, gpu, '@', covered_ms / 1e3, area_@ / covered_ms FROM slice;")
$(each "INSERT INTO percentile
WITH counted AS (
	SELECT run, gpu, @ AS value, count(*) AS n FROM sample WHERE @ IS NOT NULL
	GROUP BY run, gpu, @
), ranked AS (
	SELECT run, gpu, value, sum(n) OVER w - n AS first, sum(n) OVER w - 1 AS last,
		sum(n) OVER (PARTITION BY run, gpu) - 1 AS top
	FROM counted
	WINDOW w AS (PARTITION BY run, gpu ORDER BY value)
), wanted(p) AS (
	VALUES (50), (90), (95), (99)
)
SELECT run, gpu, '@', p,
	(max(CASE WHEN top * p / 100 BETWEEN first AND last THEN value END)
			* (100 - top * p % 100)
		+ max(CASE WHEN min(top * p / 100 + 1, top) BETWEEN first AND last
			THEN value END) * (top * p % 100)) / 100
FROM ranked, wanted
GROUP BY run, gpu, p;")
CREATE TABLE stats AS
SELECT path, gpu, metric, 'n' AS statistic, n AS value FROM plain JOIN run USING (run)
UNION ALL SELECT path, gpu, metric, 'mean_samples', mean_samples FROM plain JOIN run USING (run)
UNION ALL SELECT path, gpu, metric, 'min', min FROM plain JOIN run USING (run)
UNION ALL SELECT path, gpu, metric, 'max', max FROM plain JOIN run USING (run)
UNION ALL SELECT path, gpu, metric, 'covered_s', covered_s FROM weighted JOIN run USING (run)
UNION ALL SELECT path, gpu, metric, 'mean', mean FROM weighted JOIN run USING (run)
UNION ALL SELECT path, gpu, metric, 'energy_j', mean * covered_s
	FROM weighted JOIN run USING (run) WHERE metric = 'power_w'
UNION ALL SELECT path, gpu, metric, 'p' || p, value FROM percentile JOIN run USING (run);
COMMIT;
SELECT path, 'gpu' || gpu, metric, statistic, printf('%.17g', value) FROM stats;
SQL
