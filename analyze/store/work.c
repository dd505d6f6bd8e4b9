/* Units of work of a run, as rows. */
#include <math.h>

#include "store/internal.h"

int work_write(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	struct sql_row row;
	int rc = row_prepare_insert(&row, store, "work", 22, err);

	for (size_t i = 0; i < report->work_count && rc == 0; i++) {
		const struct work *work = &report->work[i];

		sql_put_int(&row, run_id);
		sql_put_int(&row, (int64_t)i);
		sql_put_text(&row, work->type_name);
		sql_put_text(&row, work->name);
		sql_put_int(&row, (int64_t)work->events);
		sql_put_text(&row, work_number_name(work->n_is));
		sql_put_real(&row, work->units);
		sql_put_real(&row, work->units_timed);
		sql_put_time(&row, work->first_ns);
		sql_put_time(&row, work->last_ns);
		sql_put_real(&row, work->first_s);
		sql_put_real(&row, work->seconds);
		sql_put_real(&row, work->units_per_s);
		sql_put_real(&row, work->gpu_util_mean_pct);
		sql_put_real(&row, work->gpu_s_per_unit);
		sql_put_real(&row, work->energy_j);
		sql_put_real(&row, work->energy_coverage);
		sql_put_real(&row, work->energy_j_per_unit);
		sql_put_text(&row,
			isnan(work->energy_j) ? NULL
					      : energy_method_name(work->energy_method));
		sql_put_int(&row, (int64_t)work->processes);
		sql_put_real(&row, work->units_least);
		sql_put_real(&row, work->units_most);
		rc = sql_row_write(&row, err);
	}
	sql_row_free(&row);
	return rc;
}
