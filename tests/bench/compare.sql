-- Every number of the peer's table `stats` beside ours, within 1e-9 of the larger: prints how
-- many were compared, and one line for each that differs or is missing on one side.
-- Ours is attached as `ours`, the peer's is the main database.
CREATE TEMP TABLE pair AS
WITH number (device, metric, statistic, value) AS (
	SELECT 'gpu' || gpu, metric, 'n', n FROM stats
	UNION ALL SELECT 'gpu' || gpu, metric, 'mean_samples', mean_samples FROM stats
	UNION ALL SELECT 'gpu' || gpu, metric, 'min', min FROM stats
	UNION ALL SELECT 'gpu' || gpu, metric, 'max', max FROM stats
	UNION ALL SELECT 'gpu' || gpu, metric, 'covered_s', covered_s FROM stats
	UNION ALL SELECT 'gpu' || gpu, metric, 'mean', mean FROM stats
	UNION ALL SELECT 'gpu' || gpu, metric, 'p50', p50 FROM stats
	UNION ALL SELECT 'gpu' || gpu, metric, 'p95', p95 FROM stats
	UNION ALL SELECT 'gpu' || gpu, metric, 'p99', p99 FROM stats
	UNION ALL SELECT 'gpu' || gpu, metric, 'energy_j', energy_j FROM stats
		WHERE energy_j IS NOT NULL
), ours_number (device, metric, statistic, value) AS (
	SELECT device, metric, 'n', n FROM ours.v_metric
	UNION ALL SELECT device, metric, 'mean_samples', mean_samples FROM ours.v_metric
	UNION ALL SELECT device, metric, 'min', min FROM ours.v_metric
	UNION ALL SELECT device, metric, 'max', max FROM ours.v_metric
	UNION ALL SELECT device, metric, 'covered_s', covered_s FROM ours.v_metric
	UNION ALL SELECT device, metric, 'mean', mean FROM ours.v_metric
	UNION ALL SELECT device, metric, 'p50', p50 FROM ours.v_metric
	UNION ALL SELECT device, metric, 'p95', p95 FROM ours.v_metric
	UNION ALL SELECT device, metric, 'p99', p99 FROM ours.v_metric
	UNION ALL SELECT device, metric, 'energy_j', energy_j FROM ours.v_metric
		WHERE energy_j IS NOT NULL
)
SELECT device, metric, statistic, max(theirs) AS theirs, max(ours) AS ours
FROM (SELECT device, metric, statistic, value AS theirs, NULL AS ours FROM number
	UNION ALL
	SELECT device, metric, statistic, NULL, value FROM ours_number)
GROUP BY device, metric, statistic;
SELECT count(*) FROM pair;
SELECT device || ' ' || metric || ' ' || statistic || ' is ' || coalesce(ours, 'nothing')
	|| ', SQL says ' || coalesce(theirs, 'nothing')
FROM pair
WHERE theirs IS NULL OR ours IS NULL
	OR abs(ours - theirs) > 1e-9 * max(abs(ours), abs(theirs));
