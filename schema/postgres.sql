-- The runs of many machines in PostgreSQL (12 or newer): what `hwsummarize push` keeps there.
--
-- Gathered are runs and their summaries, a row for a row of the views that schema/views.md
-- explains, columns and units as there. Samples, events and calls of phases stay in the SQLite
-- files beside the logs, where they are a thousand times as many. @LIST: as in 001_runs.sql. make
-- writes build/gen/sql/postgres.sql from this file. push runs that if the schema is missing; it
-- can also be run by hand, and repeated.
--
-- What is a number of SQLite's own is not here: a run goes by its text `run` alone, which is
-- unique (table pushed). Times are timestamptz, flags boolean. Every table is partitioned by
-- `month`, the first day of the month in which the run began, in UTC; -infinity: not known.
-- Constraints over partitions are left out, so that a partition may be a foreign table.

SET client_min_messages = warning; -- what is there already is no news
CREATE SCHEMA IF NOT EXISTS hwsummarize;

-- Which schema this is: one row. push refuses another than its own.
CREATE TABLE IF NOT EXISTS hwsummarize.schema_version (version integer NOT NULL);
INSERT INTO hwsummarize.schema_version SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM hwsummarize.schema_version);

-- Every run that is here, once: who pushes a run holds its row, so that two can't at once.
CREATE TABLE IF NOT EXISTS hwsummarize.pushed (
	run text PRIMARY KEY,
	month date NOT NULL,
	has_id boolean NOT NULL,             -- the recorder gave the run its name, not a path
	files bigint NOT NULL,               -- a hash of its logs: their names, and what they hold, unpacked
	bytes bigint NOT NULL,               -- of all its files, unpacked
	definitions integer NOT NULL,        -- whose version made the numbers
	stamp bigint NOT NULL,               -- a hash of all that, the options and the labels
	pushed_at timestamptz NOT NULL DEFAULT now(),
	pushed_by text NOT NULL DEFAULT session_user
);

-- Every metric, explained.
CREATE TABLE IF NOT EXISTS hwsummarize.metric (
	name text PRIMARY KEY,
	unit text NOT NULL,
	kind text NOT NULL,
	better text NOT NULL,
	title text NOT NULL,
	help text NOT NULL
);

CREATE TABLE IF NOT EXISTS hwsummarize.run (
	month date NOT NULL,
	run text NOT NULL,
	path text,
	started_at timestamptz,
	ended_at timestamptz,
	duration_source text,
	host text,
	command text,
	exit_status bigint,
	grade text,
	coverage double precision,
	sessions bigint,
	gap_count bigint,
	driver text,
	kernel text,
	cpu_model text,
	time_zone text,
	time_source text,
	@summary,
	steady_metric text,
	steady_from_s double precision,
	steady_to_s double precision,
	steady_coverage double precision,
	steady_warm_up_s double precision,
	steady_interruptions bigint,
	steady_interrupted_s double precision,
	steady_gpu_util_mean_pct double precision,
	steady_power_total_mean_w double precision,
	name text,
	start_time timestamptz,
	end_time timestamptz,
	exit_code bigint,
	driver_version text,
	gpu_name text,
	interval_s double precision,
	gpu_util_pct double precision,
	mem_util_pct double precision,
	cpu_util_pct double precision,
	peak_memory_mib double precision,
	energy_wh double precision,
	energy_kwh double precision,
	warm_up_s double precision,
	gpu_hours double precision,
	signal bigint
) PARTITION BY RANGE (month);

CREATE TABLE IF NOT EXISTS hwsummarize.run_label (
	month date NOT NULL,
	run text NOT NULL,
	name text NOT NULL,
	value text NOT NULL,
	given boolean,
	key text
) PARTITION BY RANGE (month);

CREATE TABLE IF NOT EXISTS hwsummarize.gpu (
	month date NOT NULL,
	run text NOT NULL,
	device text NOT NULL,
	name text,
	device_index bigint,
	uuid text,
	bus_id text,
	host text,
	coverage double precision,
	@gpu,
	energy_j double precision,
	energy_method text,
	energy_coverage double precision,
	gpu text,
	model text,
	driver_version text,
	gpu_util_pct double precision,
	mem_util_pct double precision,
	power_w double precision,
	temperature_c double precision,
	peak_memory_mib double precision,
	energy_wh double precision,
	memory_used_mib double precision,
	gpu_hours double precision,
	idle_s double precision,
	power_limit_w double precision,
	idle_pct double precision
) PARTITION BY RANGE (month);

-- metrics, but for what the table metric says of each.
CREATE TABLE IF NOT EXISTS hwsummarize.metric_summary (
	month date NOT NULL,
	run text NOT NULL,
	source text NOT NULL,
	device text NOT NULL,
	metric text NOT NULL,
	@ALL,
	min_at timestamptz,
	min_at_s double precision,
	max_at timestamptz,
	max_at_s double precision,
	@SPREAD,
	@ABOVE,
	energy_j double precision,
	energy_method text,
	energy_coverage double precision,
	energy_chosen boolean,
	sum double precision,
	@COUNTER,
	@GROWTH,
	counts boolean,
	gpu text,
	median double precision
) PARTITION BY RANGE (month);

CREATE TABLE IF NOT EXISTS hwsummarize.metric_state (
	month date NOT NULL,
	run text NOT NULL,
	source text NOT NULL,
	device text NOT NULL,
	metric text NOT NULL,
	state text NOT NULL,
	n bigint,
	duration_s double precision,
	share double precision
) PARTITION BY RANGE (month);

CREATE TABLE IF NOT EXISTS hwsummarize.phase (
	month date NOT NULL,
	run text NOT NULL,
	number bigint NOT NULL,
	phase text NOT NULL,
	name text,
	depth bigint,
	calls bigint,
	non_empty_calls bigint,
	start_s double precision,
	duration_s double precision,
	min_s double precision,
	mean_s double precision,
	max_s double precision,
	exclusive_s double precision,
	exclusive_energy_j double precision,
	too_short boolean,
	unfinished boolean,
	overlapping boolean,
	@phase_key,
	gpu_util_pct double precision,
	mem_util_pct double precision,
	peak_memory_mib double precision,
	energy_wh double precision
) PARTITION BY RANGE (month);

-- phase_metrics, but for the unit.
CREATE TABLE IF NOT EXISTS hwsummarize.phase_metric (
	month date NOT NULL,
	run text NOT NULL,
	phase text NOT NULL,
	source text NOT NULL,
	device text NOT NULL,
	metric text NOT NULL,
	@ALL,
	@SPREAD,
	@ABOVE,
	energy_j double precision,
	energy_method text,
	energy_coverage double precision,
	energy_chosen boolean,
	sum double precision,
	@COUNTER,
	@GROWTH,
	min_at timestamptz,
	max_at timestamptz,
	gpu text,
	median double precision
) PARTITION BY RANGE (month);

CREATE TABLE IF NOT EXISTS hwsummarize.work (
	month date NOT NULL,
	run text NOT NULL,
	number bigint NOT NULL,
	type text,
	name text,
	events bigint,
	n_is text,
	processes bigint,
	units_least double precision,
	units_most double precision,
	units double precision,
	units_timed double precision,
	first_at timestamptz,
	last_at timestamptz,
	first_s double precision,
	duration_s double precision,
	units_per_s double precision,
	gpu_util_mean_pct double precision,
	gpu_s_per_unit double precision,
	energy_j double precision,
	energy_method text,
	energy_coverage double precision,
	energy_j_per_unit double precision
) PARTITION BY RANGE (month);

CREATE TABLE IF NOT EXISTS hwsummarize.finding (
	month date NOT NULL,
	run text NOT NULL,
	number bigint NOT NULL,
	rule text NOT NULL,
	version bigint,
	outcome text,
	severity text,
	title text,
	device text,
	message text,
	advice text,
	why text,
	cost_gpu_s double precision,
	start_s double precision,
	duration_s double precision,
	coverage double precision,
	stretch_count bigint,
	gpu text,
	cost_gpu_h double precision,
	cost_energy_wh double precision,
	end_s double precision,
	phase text
) PARTITION BY RANGE (month);

CREATE TABLE IF NOT EXISTS hwsummarize.finding_value (
	month date NOT NULL,
	run text NOT NULL,
	finding bigint NOT NULL,
	rule text NOT NULL,
	device text,
	name text NOT NULL,
	value double precision,
	unit text
) PARTITION BY RANGE (month);

CREATE TABLE IF NOT EXISTS hwsummarize.ending (
	month date NOT NULL,
	run text NOT NULL,
	abrupt boolean,
	no_end boolean,
	signal bigint,
	torn_file text,
	early_log text,
	early_at timestamptz,
	device text,
	lost boolean,
	last_at timestamptz,
	silent_s double precision,
	gpu_util_pct double precision,
	mem_used_mib double precision,
	power_w double precision,
	temperature_c double precision,
	gpu_util_pct_per_min double precision,
	mem_used_mib_per_min double precision,
	power_w_per_min double precision,
	temperature_c_per_min double precision,
	driver_file text,
	driver_at timestamptz,
	said text,
	said_file text,
	said_line bigint
) PARTITION BY RANGE (month);

CREATE TABLE IF NOT EXISTS hwsummarize.drift (
	month date NOT NULL,
	run text NOT NULL,
	device text NOT NULL,
	metric text NOT NULL,
	from_value double precision,
	to_value double precision,
	change double precision
) PARTITION BY RANGE (month);

CREATE TABLE IF NOT EXISTS hwsummarize.source (
	month date NOT NULL,
	run text NOT NULL,
	file text,
	kind text,
	size bigint,
	modified_at timestamptz,
	rows bigint,
	skipped bigint
) PARTITION BY RANGE (month);

CREATE TABLE IF NOT EXISTS hwsummarize.diagnostic (
	month date NOT NULL,
	run text NOT NULL,
	file text,
	line bigint,
	id text,
	count bigint,
	damage boolean,
	text text
) PARTITION BY RANGE (month);

-- An index of each partition by run, and of runs by their start.
DO $$
DECLARE
	parent name;
BEGIN
	FOR parent IN SELECT relname FROM pg_class
		WHERE relnamespace = 'hwsummarize'::regnamespace AND relkind = 'p' LOOP
		EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON hwsummarize.%I (run)', parent || '_by_run', parent);
	END LOOP;
END $$;
CREATE INDEX IF NOT EXISTS run_by_start ON hwsummarize.run (started_at);

-- The partition of a month: run_2026_11; run_undated for what began before 1970, or nobody knows when.
CREATE OR REPLACE FUNCTION hwsummarize.month_part(parent name, month date)
RETURNS text LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
	SELECT parent || CASE WHEN month < '1970-01-01' THEN '_undated' ELSE to_char(month, '_YYYY_MM') END
$$;

-- Makes room for the runs of a month, here where there is none, or on another server. What has no
-- month lies before all. Attaching stops nobody who reads or writes other months.
CREATE OR REPLACE FUNCTION hwsummarize.make_month(month date, server name)
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	first date := date_trunc('month', month);
	bounds text := CASE WHEN month < '1970-01-01' THEN format('(MINVALUE) TO (%L)', '1970-01-01')
		ELSE format('(%L) TO (%L)', first, (first + interval '1 month')::date) END;
	parent name;
	part text;
BEGIN
	PERFORM pg_advisory_xact_lock(1752658797);
	FOR parent IN SELECT relname FROM pg_class
		WHERE relnamespace = 'hwsummarize'::regnamespace AND relkind = 'p' ORDER BY relname LOOP
		part := hwsummarize.month_part(parent, month);
		CONTINUE WHEN server IS NULL AND to_regclass(format('hwsummarize.%I', part)) IS NOT NULL;
		EXECUTE CASE WHEN server IS NULL THEN format('CREATE TABLE hwsummarize.%I (LIKE hwsummarize.%I)', part, parent)
			ELSE format('IMPORT FOREIGN SCHEMA hwsummarize LIMIT TO (%I) FROM SERVER %I INTO hwsummarize', part, server) END;
		EXECUTE format('ALTER TABLE hwsummarize.%I ATTACH PARTITION hwsummarize.%I FOR VALUES FROM ', parent, part) || bounds;
	END LOOP;
END $$;

-- Here. push calls it before it needs it; as its owner, so that who pushes need own nothing.
CREATE OR REPLACE FUNCTION hwsummarize.add_month(month date)
RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
	SELECT hwsummarize.make_month(month, NULL)
$$;

-- On another server of postgres_fdw, whose add_month was called; read and pushed through this one.
CREATE OR REPLACE FUNCTION hwsummarize.add_foreign_month(month date, server name)
RETURNS void LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
	SELECT hwsummarize.make_month(month, server)
$$;

-- Forgets the runs of a month: its partitions go, in no time. Of one on another server the rows are
-- deleted there first, if they may be (`updatable` of postgres_fdw); a notice says what stays there.
CREATE OR REPLACE FUNCTION hwsummarize.drop_month(month date)
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	part regclass;
	server name;
	left_there text;
BEGIN
	PERFORM pg_advisory_xact_lock(1752658797);
	FOR part, server IN SELECT p.oid, s.srvname
		FROM pg_class t JOIN pg_class p ON p.relnamespace = t.relnamespace
			AND p.relname = hwsummarize.month_part(t.relname, drop_month.month)
		LEFT JOIN pg_foreign_table f ON f.ftrelid = p.oid LEFT JOIN pg_foreign_server s ON s.oid = f.ftserver
		WHERE t.relnamespace = 'hwsummarize'::regnamespace AND t.relkind = 'p' LOOP
		IF pg_relation_is_updatable(part, false) & 16 = 0 THEN -- no DELETE
			left_there := format('the rows stay on server %s, as they can''t be deleted from here', server);
		ELSIF server IS NOT NULL THEN
			EXECUTE format('DELETE FROM %s', part);
			left_there := coalesce(left_there, format('the tables stay on server %s, without rows', server));
		END IF;
		EXECUTE format('DROP %s %s', CASE WHEN server IS NULL THEN 'TABLE' ELSE 'FOREIGN TABLE' END, part);
	END LOOP;
	IF left_there IS NOT NULL THEN
		RAISE NOTICE '%: %; call hwsummarize.drop_month there, too', to_char(month, 'YYYY-MM'), left_there;
	END IF;
	DELETE FROM hwsummarize.pushed p
	WHERE hwsummarize.month_part('', p.month) = hwsummarize.month_part('', drop_month.month);
END $$;

SELECT hwsummarize.add_month('-infinity');

-- The views of the SQLite file by their names. Without run_id: `run` takes its place. The path is
-- looked up only where it is asked for.
CREATE OR REPLACE VIEW hwsummarize.runs AS SELECT * FROM hwsummarize.run;
CREATE OR REPLACE VIEW hwsummarize.labels AS SELECT
	(SELECT r.path FROM hwsummarize.run r WHERE r.month = s.month AND r.run = s.run) AS path,
	s.*
	FROM hwsummarize.run_label s;
CREATE OR REPLACE VIEW hwsummarize.gpus AS SELECT
	(SELECT r.path FROM hwsummarize.run r WHERE r.month = s.month AND r.run = s.run) AS path,
	s.*
	FROM hwsummarize.gpu s;
CREATE OR REPLACE VIEW hwsummarize.metrics AS SELECT
	(SELECT r.path FROM hwsummarize.run r WHERE r.month = s.month AND r.run = s.run) AS path,
	e.unit, e.better, e.title, s.*
	FROM hwsummarize.metric_summary s
	LEFT JOIN hwsummarize.metric e ON e.name = s.metric;
CREATE OR REPLACE VIEW hwsummarize.states AS SELECT
	(SELECT r.path FROM hwsummarize.run r WHERE r.month = s.month AND r.run = s.run) AS path,
	s.*
	FROM hwsummarize.metric_state s;
CREATE OR REPLACE VIEW hwsummarize.phases AS SELECT
	(SELECT r.path FROM hwsummarize.run r WHERE r.month = s.month AND r.run = s.run) AS path,
	s.*
	FROM hwsummarize.phase s;
CREATE OR REPLACE VIEW hwsummarize.phase_metrics AS SELECT
	(SELECT r.path FROM hwsummarize.run r WHERE r.month = s.month AND r.run = s.run) AS path,
	e.unit, s.*
	FROM hwsummarize.phase_metric s
	LEFT JOIN hwsummarize.metric e ON e.name = s.metric;
CREATE OR REPLACE VIEW hwsummarize.work_units AS SELECT
	(SELECT r.path FROM hwsummarize.run r WHERE r.month = s.month AND r.run = s.run) AS path,
	s.*
	FROM hwsummarize.work s;
CREATE OR REPLACE VIEW hwsummarize.checks AS SELECT
	(SELECT r.path FROM hwsummarize.run r WHERE r.month = s.month AND r.run = s.run) AS path,
	s.*
	FROM hwsummarize.finding s;
CREATE OR REPLACE VIEW hwsummarize.findings AS SELECT
	(SELECT r.path FROM hwsummarize.run r WHERE r.month = s.month AND r.run = s.run) AS path,
	s.month, s.run, s.number, s.rule, s.severity, s.title, s.device, s.message,
		s.advice, s.cost_gpu_s, s.start_s, s.duration_s, s.stretch_count, s.coverage,
		s.gpu, s.cost_gpu_h, s.cost_energy_wh, s.end_s, s.phase
	FROM hwsummarize.finding s
	WHERE s.outcome = 'fires';
CREATE OR REPLACE VIEW hwsummarize.finding_values AS SELECT
	(SELECT r.path FROM hwsummarize.run r WHERE r.month = s.month AND r.run = s.run) AS path,
	s.*
	FROM hwsummarize.finding_value s;
CREATE OR REPLACE VIEW hwsummarize.endings AS SELECT
	(SELECT r.path FROM hwsummarize.run r WHERE r.month = s.month AND r.run = s.run) AS path,
	s.*
	FROM hwsummarize.ending s;
CREATE OR REPLACE VIEW hwsummarize.drifts AS SELECT
	(SELECT r.path FROM hwsummarize.run r WHERE r.month = s.month AND r.run = s.run) AS path,
	s.*
	FROM hwsummarize.drift s;
CREATE OR REPLACE VIEW hwsummarize.sources AS SELECT
	(SELECT r.path FROM hwsummarize.run r WHERE r.month = s.month AND r.run = s.run) AS path,
	s.*
	FROM hwsummarize.source s;
CREATE OR REPLACE VIEW hwsummarize.diagnostics AS SELECT
	(SELECT r.path FROM hwsummarize.run r WHERE r.month = s.month AND r.run = s.run) AS path,
	s.*
	FROM hwsummarize.diagnostic s;

UPDATE hwsummarize.schema_version SET version = 1;
RESET client_min_messages;
