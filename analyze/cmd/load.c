/* One run, from its operands to its report: from the database, or else from the logs. */
#include "cmd/loading.h"

#include <stdlib.h>

#include "base/text.h"
#include "cmd/drawing.h"
#include "cmd/samples.h"
#include "cmd/window.h"
#include "compute/dialects/dialect.h"
#include "compute/report/report.h"

/*
 * What is stored are the answers of the default options: a run that is asked with others
 * is loaded as if it were not, and then aggregated from the database. As
 * loading_from_store.
 */
static int load_through_store(struct loading *l)
{
	struct compute_options defaults = {.gap_ns = -1,
		.interval_ns = -1,
		.calls = true,
		.per_core = l->opt->per_core,
		.rules = l->opt->rules,
		.dialect = DIALECT_OPTIONS_NONE};
	struct aggregate *wanted = l->agg;
	int result;

	l->agg = aggregate_new(&l->out->run, &defaults);
	result = loading_from_log(l);
	loading_end_aggregate(l);
	l->agg = wanted;
	if (result < 0)
		return -1;
	loaded_drop_report(l->out);
	result = loading_from_store(l);
	if (result == 0)
		l->store = NULL; /* a file was unreadable: from the log, for this once */
	return result;
}

void loading_new_aggregate(struct loading *l, bool with_calls)
{
	const struct options *opt = l->opt;
	const struct compute_options options = {.gap_ns = opt->gap_ns,
		.interval_ns = opt->interval_ns,
		.laid = l->lays,
		.calls = opt->calls || with_calls,
		.per_core = opt->per_core,
		.rules = opt->rules,
		.silent = opt->silent_rules,
		.dialect = opt->dialect,
		.window = l->window};

	loading_end_aggregate(l);
	l->agg = aggregate_new(&l->out->run, &options);
}

void loading_report(struct loading *l)
{
	aggregate_report(l->agg, &l->out->report);
	dialect_report(l->agg, &l->out->report);
}

void loading_end_aggregate(struct loading *l)
{
	aggregate_free(l->agg);
	l->agg = NULL;
}

/* The same samples again, of the window alone; nothing of it is stored. */
static int load_window(struct loading *l, bool stored)
{
	if (window_asked(&l->out->report, l->opt, &l->window, l->err) < 0)
		return -1;
	loading_new_aggregate(l, l->store);
	report_release(&l->out->report);
	report_init(&l->out->report, &l->out->run);
	if (stored && loading_pump_stored(l) < 0)
		return -1;
	if (!stored && loading_log_again(l) < 0)
		return -1;
	loading_report(l);
	return 0;
}

/* An empty run by this name. */
static void begin_run(struct loaded *out, const struct read_options *read)
{
	char *name =
		strbuf_join(read->path, read->path_count); /* as the report names it */

	*out = (struct loaded){0};
	run_init(&out->run, name);
	free(name);
	report_init(&out->report, &out->run);
}

int loading_survey(struct loading *l)
{
	if (read_survey(&l->reading, &l->out->run, &l->read, l->err) < 0)
		return -1;
	label_set_all(&l->out->run.labels, &l->opt->label);
	return 0;
}

/*
 * The window of a run whose report the database had whole, which says where it lies. 1;
 * 0: another program has loaded the run anew meanwhile, and *l->out is empty again; -1.
 */
static int recall_window(struct loading *l)
{
	int found = loading_find_kept(l);

	if (found > 0) {
		found = load_window(l, true) < 0 ? -1 : 1;
		loading_let_go(l);
	} else if (found == 0) {
		loaded_release(l->out);
		begin_run(l->out, &l->read);
	}
	return found;
}

/* A report that the database had whole, or what it has of the run is asked for. */
static int recall(struct loading *l)
{
	int result = memory_ask(&l->memory, l->out, l->opt, l->store, l->err);

	if (result <= 0)
		return result;
	if (window_is_asked(l->opt))
		return recall_window(l);
	if (l->maker && drawing_recall(l->maker, l->store, &l->out->run, l->err) < 0)
		return -1;
	return 1;
}

/* The database has not the run, and does not take it. */
static int leave_store(struct loading *l)
{
	l->store = NULL;
	l->out->is_unkept = true;
	return samples_keep(l->out, l->opt, &l->store, l->err);
}

/* From the database, or else from the logs; 0, -1 */
static int read_and_work_out(struct loading *l)
{
	const struct options *opt = l->opt;
	bool stored;
	int result = 0;

	if (loading_survey(l) < 0)
		return -1;
	if (l->out->run.is_passing)
		l->store = NULL;
	if (samples_keep(l->out, l->opt, &l->store, l->err) < 0)
		return -1;
	/* A database has the numbers of calls. */
	loading_new_aggregate(l, l->store);
	if (l->store && !l->out->samples)
		result = loading_from_store(l);
	else if (opt->several)
		read_contents(l->reading);
	if (result == 0 && l->store && store_refusal(l->store))
		result = leave_store(l);
	if (result == 0 && l->store && (opt->gap_ns >= 0 || opt->interval_ns >= 0))
		result = load_through_store(l);
	stored = result > 0;
	if (result == 0)
		result = loading_from_log(l);
	if (result >= 0 && window_is_asked(opt))
		result = load_window(l, stored);
	loading_let_go(l);
	if (result < 0 && l->begun)
		store_abandon_run(l->store);
	return result < 0 ? -1 : 0;
}

struct read_options loading_read_options(
	const struct options *opt, const char *const *path, size_t path_count)
{
	return (struct read_options){.tz = opt->tz,
		.columns = opt->columns,
		.path = path,
		.path_count = path_count,
		.units = opt->dialect};
}

void loading_begin(struct loading *l, struct loaded *out, const char *const *path,
	size_t path_count, const struct options *opt, struct error *err)
{
	*l = (struct loading){.out = out, .opt = opt, .err = err};
	l->read = loading_read_options(opt, path, path_count);
	progress_begin(opt->progress, &l->waited, path, path_count);
	begin_run(out, &l->read);
	memory_init(&l->memory, opt);
}

void loading_end(struct loading *l)
{
	timeline_maker_free(l->maker);
	aggregate_free(l->agg);
	reading_free(l->reading);
	memory_release(&l->memory);
	progress_end(l->opt->progress, &l->waited);
}

static int load(struct loaded *out, const char *const *path, size_t path_count,
	const struct options *opt, struct store *store, struct sample_witness *witness,
	struct error *err)
{
	size_t columns = drawing_columns_of(opt, path);
	struct loading l;
	int result = 0;

	loading_begin(&l, out, path, path_count, opt, err);
	l.store = store;
	l.witness = witness;
	if (columns)
		l.maker = timeline_maker_new();
	if (store) {
		memory_stamp(&l.memory, opt, &l.read);
		result = recall(&l);
	}
	if (result == 0)
		result = read_and_work_out(&l);
	if (result < 0)
		loaded_release(out);
	else if (columns)
		out->report.timeline = timeline_make(l.maker, &out->report, columns);
	else
		out->report.undrawn = opt->timeline_columns > 0;
	loading_end(&l);
	return result < 0 ? -1 : 0;
}

int load_run(struct loaded *out, const char *const *path, size_t path_count,
	const struct options *opt, struct store *store, struct error *err)
{
	return load(out, path, path_count, opt, store, NULL, err);
}

int load_watched(struct loaded *out, const char *const *path, size_t path_count,
	const struct options *opt, struct sample_witness *witness, struct error *err)
{
	return load(out, path, path_count, opt, NULL, witness, err);
}
