-- Schema 19: which kind of log counts, of several; what interrupts a steady state; a driver that
-- was gone.

-- 1: of the kinds of log that have the metric of the device this one counts, in all that is said
-- of it: the first whose covered time is nine tenths of the longest.
ALTER TABLE metric_summary ADD COLUMN counts INTEGER;
-- The same of all rows of the device.
ALTER TABLE device_evidence ADD COLUMN counts INTEGER;

UPDATE metric_summary SET counts = (run_id, source, device, metric) IN (
	SELECT run_id, source, device, metric FROM (
		SELECT run_id, source, device, metric, row_number() OVER (
			PARTITION BY run_id, device, metric
			ORDER BY CASE WHEN speaks AND covered_s > 0 AND covered_s >= 0.9 * most_s THEN 0
				WHEN mean IS NOT NULL THEN 1 WHEN speaks THEN 2 ELSE 3 END, source) AS place
		FROM (
			SELECT run_id, source, device, metric, mean, covered_s,
				n > 0 OR mean IS NOT NULL AS speaks,
				max(CASE WHEN n > 0 OR mean IS NOT NULL THEN covered_s END)
					OVER (PARTITION BY run_id, device, metric) AS most_s
			FROM metric_summary))
	WHERE place = 1);
UPDATE device_evidence SET counts = (run_id, source, device) IN (
	SELECT run_id, source, device FROM (
		SELECT run_id, source, device, row_number() OVER (
			PARTITION BY run_id, device
			ORDER BY coalesce(covered_s > 0 AND covered_s >= 0.9 * most_s, 0) DESC, source) AS place
		FROM (
			SELECT run_id, source, device, covered_s,
				max(covered_s) OVER (PARTITION BY run_id, device) AS most_s
			FROM device_evidence))
	WHERE place = 1);

-- The longest parts of the steady state that are not of it, in the order of time.
CREATE TABLE steady_interruption (
	run_id INTEGER NOT NULL,
	number INTEGER NOT NULL,
	from_ns INTEGER NOT NULL,
	to_ns INTEGER NOT NULL,
	start_s REAL NOT NULL,
	seconds REAL NOT NULL,
	why TEXT NOT NULL,                   -- lower level, higher level, not recorded
	mean REAL,                           -- of the samples at other levels; NULL: there is none
	cause TEXT,                          -- of the longest gap in it; NULL: not known, or no gap
	phase INTEGER,                       -- phase.number; NULL: in none
	PRIMARY KEY (run_id, number)
) WITHOUT ROWID;

-- The first log that ends with nvidia-smi not reaching the driver, and its kind's last row.
ALTER TABLE ending ADD COLUMN driver_file TEXT;
ALTER TABLE ending ADD COLUMN driver_ns INTEGER;

-- What was loaded before has none of the latter, and may have the coverage of a log that does not
-- count: it is loaded anew, as what older definitions made.
UPDATE run SET definitions_version = 7 WHERE definitions_version = 8;
