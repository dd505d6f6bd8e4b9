/* Phases of a run: their paths, what the samples in them say, and the single calls. */
#include <math.h>

#include "store/internal.h"

static int write_path(struct sql_row *row, int64_t run_id, size_t number,
	const struct phase_path *path, struct error *err)
{
	sql_put_int(row, run_id);
	sql_put_int(row, (int64_t)number);
	sql_put_text(row, path->path);
	sql_put_text(row, path->name);
	sql_put_int(row, path->depth);
	sql_put_int(row, (int64_t)path->calls);
	sql_put_int(row, (int64_t)path->non_empty_calls);
	sql_put_real(row, path->start_s);
	sql_put_real(row, path->total_s);
	sql_put_real(row, path->min_s);
	sql_put_real(row, path->mean_s);
	sql_put_real(row, path->max_s);
	sql_put_real(row, path->exclusive_s);
	sql_put_int(row, path->too_short);
	sql_put_int(row, path->unfinished);
	sql_put_int(row, path->overlapping);
	sql_put_real(row, path->exclusive_energy_j);
	for (enum phase_key key = 0; key < PHASE_KEY_COUNT; key++)
		row_put_summary(row, &path->summary[key]);
	return sql_row_write(row, err);
}

static int write_paths(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	static const char columns[] = "run_id, number, path, name, depth, calls, "
				      "non_empty_calls, start_s, total_s, min_s, mean_s, "
				      "max_s, exclusive_s, too_short, unfinished, "
				      "overlapping, exclusive_energy_j";
	struct strbuf text;
	struct sql_row row;
	int rc;

	strbuf_init(&text);
	strbuf_addf(&text, "INSERT INTO phase (%s", columns);
	for (enum phase_key key = 0; key < PHASE_KEY_COUNT; key++)
		strbuf_addf(
			&text, ", %s", summary_field_get(phase_key_summary(key))->name);
	strbuf_adds(&text, ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?");
	for (enum phase_key key = 0; key < PHASE_KEY_COUNT; key++)
		strbuf_adds(&text, ", ?");
	strbuf_addc(&text, ')');
	rc = sql_row_prepare(&row, store, text.text, err);
	strbuf_release(&text);
	for (size_t i = 0; i < report->path_count && rc == 0; i++)
		rc = write_path(&row, run_id, i, &report->path[i], err);
	sql_row_free(&row);
	return rc;
}

static int write_metrics(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	struct sql_row row;
	int rc = row_prepare_insert(&row, store, "phase_metric", 2 + ROW_METRIC, err);

	for (size_t i = 0; i < report->path_count; i++) {
		const struct phase_path *path = &report->path[i];

		for (size_t k = 0; k < path->stats_count && rc == 0; k++) {
			sql_put_int(&row, run_id);
			sql_put_int(&row, (int64_t)i);
			row_put_metric(&row, &path->stats[k]);
			rc = sql_row_write(&row, err);
		}
	}
	sql_row_free(&row);
	return rc;
}

static int write_states(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	struct sql_row row;
	int rc = row_prepare_insert(&row, store, "phase_state", 2 + ROW_STATE, err);

	for (size_t i = 0; i < report->path_count; i++) {
		const struct phase_path *path = &report->path[i];

		for (size_t k = 0; k < path->stats_count; k++)
			for (size_t n = 0; n < path->stats[k].state_count && rc == 0;
				n++) {
				sql_put_int(&row, run_id);
				sql_put_int(&row, (int64_t)i);
				row_put_state(&row, &path->stats[k], n);
				rc = sql_row_write(&row, err);
			}
	}
	sql_row_free(&row);
	return rc;
}

static int write_calls(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	struct sql_row row;
	int rc = row_prepare_insert(&row, store, "phase_call", 18, err);

	for (size_t i = 0; i < report->call_count && rc == 0; i++) {
		const struct phase_call *call = &report->call[i];

		sql_put_int(&row, run_id);
		sql_put_int(&row, (int64_t)i);
		sql_put_int(&row, call->path);
		sql_put_text(&row, call->name);
		sql_put_text(&row, call->extras);
		sql_put_time(&row, call->start_ns);
		sql_put_time(&row, call->end_ns);
		sql_put_real(&row, call->start_s);
		sql_put_real(&row, call->seconds);
		sql_put_int(&row, call->unfinished);
		sql_put_int(&row, call->empty);
		sql_put_int(&row, call->too_short);
		sql_put_int(&row, call->overlapping);
		sql_put_real(&row, call->gpu_util_mean_pct);
		sql_put_real(&row, call->power_total_mean_w);
		sql_put_real(&row, call->energy_j);
		sql_put_text(&row,
			isnan(call->energy_j) ? NULL
					      : energy_method_name(call->energy_method));
		sql_put_real(&row, call->energy_coverage);
		rc = sql_row_write(&row, err);
	}
	sql_row_free(&row);
	return rc;
}

int phases_write(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	if (write_paths(store, run_id, report, err) < 0 ||
		write_metrics(store, run_id, report, err) < 0 ||
		write_states(store, run_id, report, err) < 0)
		return -1;
	return write_calls(store, run_id, report, err);
}
