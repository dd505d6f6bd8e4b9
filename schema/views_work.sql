-- Views of units of work. Made anew when they change, as those of views.sql.

-- One row per run and kind of event: how many units, how fast, what each took.
DROP VIEW IF EXISTS work_units;
CREATE VIEW work_units AS
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	w.number,
	w.type_name AS type,
	w.name,
	w.events,
	w.n_is,
	w.processes,
	w.units_least,
	w.units_most,
	w.units,
	w.units_timed,
	AT(w.first_ns) AS first_at,
	AT(w.last_ns) AS last_at,
	w.first_s,
	w.duration_s,
	w.units_per_s,
	w.gpu_util_mean_pct,
	w.gpu_s_per_unit,
	w.energy_j,
	w.energy_method,
	w.energy_coverage,
	w.energy_j_per_unit
FROM run r
JOIN work w ON w.run_id = r.run_id;
