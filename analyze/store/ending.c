/*
 * What a recorder's clocks did, as rows and back; why there are gaps, and how a run
 * ended.
 */
#include <string.h>

#include "store/internal.h"

static int write_clocks(
	struct store *store, int64_t run_id, const struct run *run, struct error *err)
{
	struct sql_row row;
	int rc = row_prepare_insert(&row, store, "clock_change", 6, err);

	for (size_t i = 0; i < run->clock_change_count && rc == 0; i++) {
		const struct clock_change *change = &run->clock_change[i];

		sql_put_int(&row, run_id);
		sql_put_int(&row, (int64_t)i);
		sql_put_text(&row, clock_change_name(change->kind));
		sql_put_int(&row, change->from_ns);
		sql_put_int(&row, change->to_ns);
		sql_put_int(&row, change->by_ns);
		rc = sql_row_write(&row, err);
	}
	sql_row_free(&row);
	return rc;
}

static int write_causes(struct store *store, int64_t run_id,
	const struct evidence *evidence, struct error *err)
{
	struct sql_row row;
	int rc = row_prepare_insert(&row, store, "gap_cause", 3, err);

	for (size_t i = 0; i < evidence->gap_listed && rc == 0; i++) {
		if (evidence->gap[i].cause == GAP_UNKNOWN)
			continue;
		sql_put_int(&row, run_id);
		sql_put_int(&row, (int64_t)i);
		sql_put_text(&row, gap_cause_name(evidence->gap[i].cause));
		rc = sql_row_write(&row, err);
	}
	sql_row_free(&row);
	return rc;
}

static int write_ending(struct store *store, int64_t run_id, const struct ending *ending,
	struct error *err)
{
	struct sql_row row;
	int rc = row_prepare_insert(&row, store, "ending", 10, err);

	if (rc < 0)
		return -1;
	sql_put_int(&row, run_id);
	sql_put_int(&row, ending->abrupt);
	sql_put_int(&row, ending->sign[ENDING_NO_END]);
	sql_put_known(&row, ending->signal ? ending->signal : -1);
	sql_put_text(&row, ending->torn_file);
	sql_put_int(&row, ending->sign[ENDING_GPU_LOST]);
	row_put_source(&row, ending->early_log);
	sql_put_time(&row, ending->early_ns);
	sql_put_text(&row, ending->driver_file);
	sql_put_time(&row, ending->driver_ns);
	rc = sql_row_write(&row, err);
	sql_row_free(&row);
	return rc;
}

static int write_gpus(struct store *store, int64_t run_id, const struct ending *ending,
	struct error *err)
{
	struct sql_row row;
	int rc = row_prepare_insert(
		&row, store, "gpu_ending", 8 + 2 * ENDING_METRICS, err);

	for (size_t i = 0; i < ending->gpu_count && rc == 0; i++) {
		const struct gpu_ending *gpu = &ending->gpu[i];

		sql_put_int(&row, run_id);
		sql_put_int(&row, gpu->device);
		sql_put_int(&row, gpu->lost);
		sql_put_time(&row, gpu->last_ns);
		sql_put_real(&row, gpu->silent_s);
		for (size_t k = 0; k < ENDING_METRICS; k++)
			sql_put_real(&row, gpu->value[k]);
		for (size_t k = 0; k < ENDING_METRICS; k++)
			sql_put_real(&row, gpu->rate_per_min[k]);
		sql_put_text(&row, gpu->said);
		sql_put_text(&row, gpu->said_file);
		sql_put_known(&row, gpu->said ? (int64_t)gpu->said_line : -1);
		rc = sql_row_write(&row, err);
	}
	sql_row_free(&row);
	return rc;
}

int ending_write(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	if (write_clocks(store, run_id, report->run, err) < 0 ||
		write_causes(store, run_id, &report->evidence, err) < 0 ||
		write_ending(store, run_id, &report->ending, err) < 0)
		return -1;
	return write_gpus(store, run_id, &report->ending, err);
}

static enum clock_change_kind kind_of(const char *name)
{
	enum clock_change_kind kind = 0;

	while (kind < CLOCK_CHANGE_KINDS && strcmp(name, clock_change_name(kind)) != 0)
		kind++;
	return kind;
}

int clock_changes_read(
	struct store *store, int64_t run_id, struct run *run, struct error *err)
{
	struct sql_row row;
	int rc;

	if (sql_row_prepare(&row, store,
		    "SELECT kind, from_ns, to_ns, by_ns FROM clock_change "
		    "WHERE run_id = ? ORDER BY number",
		    err) < 0)
		return -1;
	sql_put_int(&row, run_id);
	while ((rc = sql_row_next(&row, err)) > 0) {
		struct clock_change change;
		char kind[32];

		sql_get_name(&row, kind, sizeof kind);
		change.kind = kind_of(kind);
		change.from_ns = sql_get_int(&row);
		change.to_ns = sql_get_int(&row);
		change.by_ns = sql_get_int(&row);
		if (change.kind == CLOCK_CHANGE_KINDS) {
			rc = sql_damaged(store, "clocks did what none does", err);
			break;
		}
		run_add_clock_change(run, &change);
	}
	sql_row_free(&row);
	return rc;
}
