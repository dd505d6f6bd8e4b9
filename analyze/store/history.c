/*
 * The numbers of all runs: which, in what order, from one state of the database. What of
 * each, past.c reads.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/measure.h"
#include "store/past.h"
#include "store/store.h"

/* What matters of it here: is it that of the samples, or of the events? */
static const char *get_duration_source(struct sql_row *row)
{
	static const char *const known[] = {"samples", "events"};
	const char *found = NULL;
	char *text = NULL;

	sql_get_text(row, &text);
	for (size_t i = 0; text && i < sizeof known / sizeof *known; i++)
		if (strcmp(text, known[i]) == 0)
			found = known[i];
	free(text);
	return found;
}

/* The columns of read_runs. */
static void get_head(struct sql_row *row, struct past *past)
{
	struct report *report = &past->report;
	struct run *run = &past->run;
	char grade[2], *refused = NULL;

	past->run_id = sql_get_int(row);
	sql_get_text(row, &run->key);
	sql_get_text(row, &run->path);
	run_get(row, run);
	report->started_ns = sql_get_time(row);
	report->ended_ns = sql_get_time(row);
	report->duration_s = sql_get_real(row);
	report->duration_source = get_duration_source(row);
	sql_get_name(row, grade, sizeof grade);
	report->evidence.grade = grade[0];
	report->evidence.coverage = sql_get_real(row);
	past->definitions = sql_get_int(row);
	sql_get_text(row, &refused);
	if (refused)
		run_add_fact(run, RUN_FACT_EXIT_STATUS, span_of(refused));
	free(refused);
}

static int take_run(struct past *past, size_t *outdated, struct error *err)
{
	const struct history *history = past->history;

	if (devices_read(past->store, past->run_id, &past->run, err) < 0 ||
		files_read(past->store, past->run_id, &past->run, err) < 0 ||
		labels_read(past->store, past->run_id, &past->run.labels, err) < 0)
		return -1;
	if (history->wanted && !history->wanted(history->context, &past->run))
		return 0;
	if (past->definitions != DEFINITIONS_VERSION) {
		++*outdated;
		return 0;
	}
	if (past_read(past, err) < 0)
		return -1;
	history->take(history->context, &past->report);
	return 0;
}

/* No number is known before it is read. */
static void clear_summary(struct report *report)
{
	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++)
		report->summary[key].number = NAN;
}

static int read_runs(struct store *store, const struct history *history, size_t *outdated,
	struct error *err)
{
	struct sql_row row;
	int rc;

	if (sql_row_prepare(&row, store,
		    "SELECT run_id, run_key, path, " RUN_COLUMNS
		    ", started_ns, ended_ns, duration_s, duration_source, grade, "
		    "coverage, "
		    "definitions_version, "
		    "(SELECT value FROM run_fact f WHERE f.run_id = run.run_id AND "
		    "f.name = '" RUN_FACT_EXIT_STATUS "') FROM run "
		    "ORDER BY started_ns IS NULL, started_ns, run_id",
		    err) < 0)
		return -1;
	while ((rc = sql_row_next(&row, err)) > 0) {
		struct past past = {.store = store, .history = history};

		run_init(&past.run, "");
		report_init(&past.report, &past.run);
		clear_summary(&past.report);
		get_head(&row, &past);
		rc = take_run(&past, outdated, err);
		report_release(&past.report);
		run_release(&past.run);
		if (rc < 0)
			break;
	}
	sql_row_free(&row);
	return rc;
}

int store_history(struct store *store, const struct history *history, size_t *outdated,
	struct error *err)
{
	int rc;

	*outdated = 0;
	/* One state of the database for all of its tables. */
	if (sql_exec(store, "BEGIN", err) < 0)
		return -1;
	rc = read_runs(store, history, outdated, err);
	sql_rollback(store);
	return rc;
}
