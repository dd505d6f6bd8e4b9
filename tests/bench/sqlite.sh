#!/bin/sh
# Prints what sqlite3 is to do with a recording: sqlite.sh FILE.csv
# .import takes the text as it is; a second table holds it as numbers, as any query needs it;
# `stats` is what hwsummarize is compared with, in the same definitions. Of the ways that were
# tried each step takes the fastest: percentiles from counted values, not from a row number
# for every sample; SQLite's own settings (larger pages, a larger cache, sorting in memory:
# none was faster).
set -eu
metrics='gpu_util_pct mem_util_pct mem_used_mib mem_total_mib power_w temp_c sm_clock_mhz
	mem_clock_mhz'

# each TEXT: the text once a metric, @ standing for its name
each() {
	for metric in $metrics; do
		printf '%s\n' "$1" | sed "s/@/$metric/g"
	done
}

cat <<SQL
.bail on
CREATE TABLE raw (timestamp TEXT, gpu TEXT, uuid TEXT, bus_id TEXT, name TEXT
$(each ', @ TEXT'));
.import --csv --skip 1 "$1" raw
CREATE TABLE sample AS
SELECT CAST(gpu AS INTEGER) AS gpu,
	CAST(strftime('%s', replace(substr(timestamp, 1, 19), '/', '-')) AS INTEGER) * 1000
		+ CAST(substr(timestamp, 21, 3) AS INTEGER) AS t_ms
$(each '	, CAST(@ AS REAL) AS @')
FROM raw;
CREATE TABLE plain (gpu, metric, n, mean_samples, min, max);
CREATE TABLE weighted (gpu, metric, covered_s, mean);
CREATE TABLE percentile (gpu, metric, p, value);
CREATE TEMP TABLE total AS
SELECT gpu
$(each '	, count(@) AS n_@, avg(@) AS mean_@, min(@) AS min_@, max(@) AS max_@')
FROM sample
GROUP BY gpu;
$(each "INSERT INTO plain SELECT gpu, '@', n_@, mean_@, min_@, max_@ FROM total;")
CREATE TEMP TABLE slice AS
SELECT gpu, count(*) AS n, sum(dt) AS covered_ms
$(each '	, sum(dt * (@ + before_@)) / 2 AS area_@')
FROM (SELECT gpu, t_ms - lag(t_ms) OVER w AS dt
$(each '		, @, lag(@) OVER w AS before_@')
	FROM sample
	WINDOW w AS (PARTITION BY gpu ORDER BY t_ms))
WHERE dt BETWEEN 1 AND 3000
GROUP BY gpu;
$(each "INSERT INTO weighted SELECT gpu, '@', covered_ms / 1e3, area_@ / covered_ms FROM slice;")
$(each "INSERT INTO percentile
WITH counted AS (
	SELECT gpu, @ AS value, count(*) AS n FROM sample WHERE @ IS NOT NULL GROUP BY gpu, @
), ranked AS (
	SELECT gpu, value, sum(n) OVER w - n AS first, sum(n) OVER w - 1 AS last,
		sum(n) OVER (PARTITION BY gpu) - 1 AS top
	FROM counted
	WINDOW w AS (PARTITION BY gpu ORDER BY value)
), wanted(p) AS (
	VALUES (50), (95), (99)
)
SELECT gpu, '@', p,
	(max(CASE WHEN top * p / 100 BETWEEN first AND last THEN value END)
			* (100 - top * p % 100)
		+ max(CASE WHEN min(top * p / 100 + 1, top) BETWEEN first AND last
			THEN value END) * (top * p % 100)) / 100
FROM ranked, wanted
GROUP BY gpu, p;")
CREATE TABLE stats AS
SELECT a.*, w.covered_s, w.mean,
	CASE a.metric WHEN 'power_w' THEN w.mean * w.covered_s END AS energy_j,
	p50.value AS p50, p95.value AS p95, p99.value AS p99
FROM plain a
JOIN weighted w USING (gpu, metric)
JOIN percentile p50 ON p50.gpu = a.gpu AND p50.metric = a.metric AND p50.p = 50
JOIN percentile p95 ON p95.gpu = a.gpu AND p95.metric = a.metric AND p95.p = 95
JOIN percentile p99 ON p99.gpu = a.gpu AND p99.metric = a.metric AND p99.p = 99;
SQL
