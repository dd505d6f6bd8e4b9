/*
 * One run through the stages. Usually one pass: reader -> aggregate, and the same batches
 * into the database. Where the rows turn out to be out of order, a temporary database
 * sorts them, and they are replayed from there: the same code, a second time.
 */
#include "cmd/load.h"

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "cmd/drawing.h"
#include "cmd/far.h"
#include "cmd/memory.h"
#include "cmd/notes.h"
#include "cmd/progress.h"
#include "cmd/samples.h"
#include "cmd/usable.h"
#include "cmd/window.h"
#include "compute/aggregate.h"
#include "compute/impossible.h"
#include "model/same.h"
#include "read/read.h"

struct loading {
	struct loaded *out;
	const struct options *opt;
	struct reading *reading;
	struct aggregate *agg;
	struct store *store; /* NULL: none yet */
	struct sample_witness *witness; /* NULL: nobody asks */
	struct timeline_maker *maker; /* NULL: nothing is drawn */
	struct compute_window window; /* that is asked for, once it is known */
	bool temporary; /* the store is ours alone */
	bool begun; /* a run is open in it */
	struct memory memory; /* what the database may know already */
	struct progress_run waited; /* by whoever watches */
	bool held; /* it shows one state of the run that was found in it */
	struct error *err;
};

/* Single CPUs are aggregated always, but stored only on demand: they are many. */
static void leave_out_cores(const struct run *run, struct sample_batch *batch)
{
	size_t kept = 0;

	for (size_t row = 0; row < batch->rows; row++)
		if (!device_is_core(&run->device[batch->device[row]]))
			sample_batch_move(batch, kept++, row);
	sample_batch_drop(batch, batch->rows - kept);
}

static int begin_store(struct loading *l)
{
	if (!l->store) {
		if (store_open_temporary(&l->store, l->err) < 0)
			return -1;
		l->temporary = true;
	}
	if (!l->begun &&
		store_begin_run(l->store, &l->out->run, l->memory.shape, l->err) < 0)
		return -1;
	l->begun = true;
	return 0;
}

static int64_t first_step_limit(const struct loading *l, enum source_kind kind)
{
	int64_t interval_ns = run_interval_ns(&l->out->run, kind);

	return interval_ns > 0 ? gap_limit_ns(interval_ns) : GAP_LIMIT_MIN_NS;
}

/* What is drawn of a kind of log begins anew. */
static void draw_again(struct loading *l, enum source_kind kind)
{
	if (l->maker)
		timeline_maker_again(l->maker, kind, &l->window);
}

/* A kind of log is read again: so does the witness, if it wants to see that. */
static void watch_again(struct loading *l, enum source_kind kind)
{
	draw_again(l, kind);
	if (l->witness && l->witness->again)
		l->witness->again(l->witness, kind, &l->window);
	else
		l->witness = NULL;
}

/* From a source into the aggregate, the store, or both. */
static int pump(
	struct loading *l, struct sample_source *source, bool aggregate, bool store)
{
	struct run *run = &l->out->run;
	struct sample_batch batch;
	struct masked_batch in_range = {.presence = NULL};
	int got;

	sample_batch_init(&batch);
	while ((got = sample_source_next(source, &batch, l->err)) > 0) {
		progress_add(
			l->opt->progress, &l->waited, batch.rows, read_taken(l->reading));
		if (aggregate)
			aggregate_add(l->agg, &batch);
		if (l->witness)
			l->witness->add(l->witness, run,
				l->witness->sees_all
					? &batch
					: impossible_in_range(&in_range, &batch));
		if (l->maker)
			timeline_maker_add(
				l->maker, run, impossible_in_range(&in_range, &batch));
		if (store && !l->temporary && !l->opt->per_core)
			leave_out_cores(run, &batch);
		if (store && batch.rows && store_add(l->store, &batch, l->err) < 0) {
			got = -1;
			break;
		}
	}
	masked_batch_release(&in_range);
	sample_batch_release(&batch);
	return got;
}

static int pump_log(struct loading *l, enum source_kind kind, int64_t limit_ns,
	bool aggregate, bool store)
{
	struct sample_source *source = read_samples(l->reading, kind, limit_ns);
	int result = pump(l, source, aggregate, store);

	sample_source_free(source);
	return result;
}

/*
 * The rows were out of order: read the log again with the limit that is now known, let
 * a database sort it, and aggregate from there.
 */
static int replay(struct loading *l, enum source_kind kind)
{
	int64_t limit_ns = aggregate_step_limit(l->agg, kind);
	struct loading sorting = *l;
	struct sample_source *source;
	int result = -1;

	sorting.store = NULL;
	sorting.begun = false;
	watch_again(&sorting, kind);
	sorting.maker = NULL; /* it gets them sorted */
	l->witness = NULL; /* sorted rows have no lines */
	aggregate_reset(l->agg, kind);
	if (begin_store(&sorting) < 0 ||
		pump_log(&sorting, kind, limit_ns, false, true) < 0)
		goto out;
	source = store_samples(
		sorting.store, l->out->run.key, kind, &l->out->run.texts, l->err);
	if (!source)
		goto out;
	result = pump(l, source, true, l->begun);
	sample_source_free(source);
out:
	store_abandon_run(sorting.store);
	store_close(sorting.store);
	return result;
}

static int load_kind(struct loading *l, enum source_kind kind)
{
	struct sample_witness *witness = l->witness;
	int result;

	if (pump_log(l, kind, first_step_limit(l, kind), true, l->begun) < 0)
		return -1;
	if (aggregate_order(l->agg, kind) == ORDER_KEPT)
		return 0;
	if (l->begun && store_drop_source(l->store, kind, l->err) < 0)
		return -1;
	result = replay(l, kind);
	l->witness = witness;
	return result;
}

/* Nothing of a run that is stored already is put there again. */
static int load_again(struct loading *l)
{
	bool begun = l->begun;
	int result = 0;

	l->begun = false;
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT && result == 0; kind++) {
		if (!source_has_samples(kind))
			continue;
		watch_again(l, kind);
		result = load_kind(l, kind);
	}
	l->begun = begun;
	return result;
}

/* A recorder that saw more than the command: its rows are read once more. */
static bool is_cut(struct loading *l)
{
	if (!aggregate_beyond_command(l->agg, &l->window))
		return false;
	aggregate_restrict(l->agg, &l->window);
	return true;
}

static int load_from_log(struct loading *l)
{
	struct run *run = &l->out->run;

	if (l->store && begin_store(l) < 0)
		return -1;
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		draw_again(l, kind);
		if (source_has_samples(kind) && load_kind(l, kind) < 0)
			return -1;
	}
	if (far_refuse(run, l->agg) && load_again(l) < 0)
		return -1;
	if (is_cut(l) && load_again(l) < 0)
		return -1;
	run_leave_damaged(run);
	if (usable_check(run, l->err) < 0)
		return -1;
	read_note_steps_back(l->reading);
	aggregate_report(l->agg, &l->out->report);
	notes_add(run, l->agg, &l->out->report, l->opt);
	if (!l->witness)
		note_impossible(run, l->agg);
	if (l->begun &&
		store_finish_run(l->store, &l->out->report, l->memory.stamp, l->err) < 0)
		return -1;
	l->begun = false;
	return 0;
}

/* All samples of the run that is stored. */
static int pump_stored(struct loading *l)
{
	struct run *run = &l->out->run;

	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		struct sample_source *source;
		int result;

		if (!source_has_samples(kind))
			continue;
		draw_again(l, kind);
		source = store_samples(l->store, run->key, kind, &run->texts, l->err);
		if (!source)
			return -1;
		result = pump(l, source, true, false);
		sample_source_free(source);
		if (result < 0)
			return -1;
	}
	return 0;
}

/* What is given goes before what the recording says. */
static int label_stored(struct loading *l, struct run *run)
{
	const struct label_list *given = &l->opt->label;

	if (label_matches(&run->labels, given))
		return 0;
	label_set_all(&run->labels, given);
	return store_label_run(l->store, run->key, given, l->err);
}

/*
 * 1: the run is there, unchanged, and takes the place of the one in hand; 0; -1. It is
 * held then: no other program can load it anew between its struct and its samples.
 */
static int find_stored(struct loading *l)
{
	struct run *run = &l->out->run, stored;
	int held = 0;

	while (!held) {
		int found;

		run_init(&stored, run->path);
		found = store_get_run(
			l->store, run->key, l->memory.shape, &stored, l->err);
		/* What could not be read then may be readable now. */
		if (found <= 0 || !run_is_unchanged(run, &stored) ||
			run_is_unreadable(&stored)) {
			run_release(&stored);
			return found < 0 ? -1 : 0;
		}
		held = label_stored(l, &stored) < 0 ? -1 : store_hold(l->store, l->err);
		if (held <= 0)
			run_release(&stored);
	}
	if (held < 0)
		return -1;
	l->held = true;
	run_release(run);
	*run = stored;
	return 1;
}

static void let_go(struct loading *l)
{
	if (l->held)
		store_let_go(l->store);
	l->held = false;
}

/* The same, also where it is stored under another place. */
static int find_placed(struct loading *l)
{
	if (store_place_run(l->store, &l->out->run, l->err) < 0)
		return -1;
	return find_stored(l);
}

/* 1: the run was there, unchanged, and is now aggregated from the database; 0, -1 */
static int load_from_store(struct loading *l)
{
	int found = find_placed(l);

	/* What packed logs hold is only asked where their bytes are not known. */
	if (found == 0 && read_contents(l->reading))
		found = find_placed(l);
	if (found <= 0)
		return found;
	if (pump_stored(l) < 0 || (is_cut(l) && pump_stored(l) < 0) ||
		store_core_mean(l->store, l->out->run.key, METRIC_cpu_busy_pct,
			&l->out->report.busiest_core_pct, l->err) < 0)
		return -1;
	aggregate_report(l->agg, &l->out->report);
	if (l->memory.stamp) {
		let_go(l);
		store_keep(l->store, l->memory.stamp, &l->out->report);
	}
	return 1;
}

/*
 * What is stored are the answers of the default options: a run that is asked with others
 * is loaded as if it were not, and then aggregated from the database. As load_from_store.
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
	result = load_from_log(l);
	aggregate_free(l->agg);
	l->agg = wanted;
	if (result < 0)
		return -1;
	loaded_drop_report(l->out);
	result = load_from_store(l);
	if (result == 0)
		l->store = NULL; /* a file was unreadable: from the log, for this once */
	return result;
}

/* A database has the numbers of calls, whoever asks for them. */
static void new_aggregate(struct loading *l)
{
	const struct options *opt = l->opt;
	const struct compute_options options = {.gap_ns = opt->gap_ns,
		.interval_ns = opt->interval_ns,
		.calls = opt->calls || l->store,
		.per_core = opt->per_core,
		.rules = opt->rules,
		.silent = opt->silent_rules,
		.dialect = opt->dialect,
		.window = l->window};

	aggregate_free(l->agg);
	l->agg = aggregate_new(&l->out->run, &options);
}

/* The same samples again, of the window alone; nothing of it is stored. */
static int load_window(struct loading *l, bool stored)
{
	if (window_asked(&l->out->report, l->opt, &l->window, l->err) < 0)
		return -1;
	new_aggregate(l);
	report_release(&l->out->report);
	report_init(&l->out->report, &l->out->run);
	if (stored && pump_stored(l) < 0)
		return -1;
	if (!stored && load_again(l) < 0)
		return -1;
	aggregate_report(l->agg, &l->out->report);
	return 0;
}

/* From the database, or else from the logs; 0, -1 */
static int read_and_work_out(struct loading *l, const struct read_options *read)
{
	const struct options *opt = l->opt;
	bool stored;
	int result = 0;

	if (read_survey(&l->reading, &l->out->run, read, l->err) < 0)
		return -1;
	label_set_all(&l->out->run.labels, &opt->label);
	if (l->out->run.is_passing)
		l->store = NULL;
	if (samples_keep(l->out, l->opt, &l->store, l->err) < 0)
		return -1;
	new_aggregate(l);
	if (l->store && !l->out->samples)
		result = load_from_store(l);
	else if (opt->several)
		read_contents(l->reading);
	if (result == 0 && l->store && (opt->gap_ns >= 0 || opt->interval_ns >= 0))
		result = load_through_store(l);
	stored = result > 0;
	if (result == 0)
		result = load_from_log(l);
	if (result >= 0 && (opt->since_ns >= 0 || opt->until_ns >= 0))
		result = load_window(l, stored);
	let_go(l);
	if (result < 0 && l->begun)
		store_abandon_run(l->store);
	return result < 0 ? -1 : 0;
}

static int load(struct loaded *out, const char *const *path, size_t path_count,
	const struct options *opt, struct store *store, struct sample_witness *witness,
	struct error *err)
{
	struct read_options read = {.tz = opt->tz,
		.columns = opt->columns,
		.path = path,
		.path_count = path_count,
		.units = opt->dialect};
	struct loading l = {
		.out = out, .opt = opt, .store = store, .witness = witness, .err = err};
	char *name = strbuf_join(path, path_count); /* as the report names it */
	int result = 0;

	progress_begin(opt->progress, &l.waited, path, path_count);
	*out = (struct loaded){0};
	run_init(&out->run, name);
	free(name);
	report_init(&out->report, &out->run);
	memory_init(&l.memory, opt);
	if (store)
		result = memory_ask(&l.memory, out, opt, &read, store, err);
	if (opt->timeline_columns)
		l.maker = timeline_maker_new();
	if (result == 0)
		result = read_and_work_out(&l, &read);
	else if (result > 0 && l.maker)
		result = drawing_recall(l.maker, store, &out->run, err);
	if (result < 0)
		loaded_release(out);
	else if (l.maker)
		out->report.timeline =
			timeline_make(l.maker, &out->report, opt->timeline_columns);
	timeline_maker_free(l.maker);
	aggregate_free(l.agg);
	reading_free(l.reading);
	memory_release(&l.memory);
	progress_end(opt->progress, &l.waited);
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
