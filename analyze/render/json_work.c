/* Units of work as JSON keys. Computes nothing. */
#include "render/json_run.h"

void json_run_work(struct json_writer *w, const struct work *work)
{
	json_string(w, "type", work->type_name);
	json_string(w, "name", work->name);
	json_count(w, "events", work->events);
	json_string(w, "n_is", work_number_name(work->n_is));
	json_count(w, "processes", work->processes);
	json_number(w, "units_least", work->units_least);
	json_number(w, "units_most", work->units_most);
	json_number(w, "units", work->units);
	json_number(w, "units_timed", work->units_timed);
	json_time(w, "first_at", work->first_ns);
	json_time(w, "last_at", work->last_ns);
	json_number(w, "first_s", work->first_s);
	json_number(w, "seconds", work->seconds);
	json_number(w, "units_per_s", work->units_per_s);
	json_number(w, "gpu_util_mean_pct", work->gpu_util_mean_pct);
	json_number(w, "gpu_s_per_unit", work->gpu_s_per_unit);
	json_run_energy(w, work->energy_j, work->energy_method, work->energy_coverage);
	json_number(w, "energy_j_per_unit", work->energy_j_per_unit);
}
