/*
 * One run, from its operands to its report: from the database, or else from the logs.
 */
#include "cmd/load.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/number.h"
#include "base/text.h"
#include "cmd/formats.h"
#include "cmd/kept_batches.h"
#include "cmd/load_notes.h"
#include "cmd/options.h"
#include "cmd/progress.h"
#include "cmd/samples.h"
#include "compute/inspect/timeline.h"
#include "compute/phases/calls.h"
#include "compute/report/report.h"
#include "compute/run/aggregate.h"
#include "compute/run/soundness.h"
#include "foreign/foreign.h"
#include "model/coverage.h"
#include "model/run.h"
#include "read/listing.h"
#include "read/read_run.h"
#include "store/store.h"

struct load_plan load_plan_of(const struct options *opt)
{
	return (struct load_plan){.read = {.formats = log_formats(),
					  .tz = opt->tz,
					  .columns = opt->columns,
					  .asked = &opt->tools},
		.compute = {.gap_ns = opt->gap_ns,
			.interval_ns = opt->interval_ns,
			.calls = opt->calls,
			.per_core = opt->per_core,
			.asked = &opt->tools},
		.since_ns = opt->since_ns,
		.until_ns = opt->until_ns,
		.labels = &opt->label,
		.progress = opt->progress};
}

char *load_plan_shape(const struct load_plan *plan)
{
	struct strbuf sb;

	strbuf_init(&sb);
	strbuf_addf(&sb, "tz=%s columns=%s per-core=%d",
		plan->read.tz ? plan->read.tz : "",
		plan->read.columns ? plan->read.columns : "", plan->compute.per_core);
	tool_options_shape(&sb, plan->read.asked);
	return strbuf_detach(&sb);
}

static void loading_report(struct loading *l);
static void loading_end_aggregate(struct loading *l);

/* The logs of a run, kind by kind, and what is said once all are read. */

static int64_t first_step_limit(const struct loading *l, enum source_kind kind)
{
	int64_t interval_ns = run_interval_ns(&l->out->run, kind);

	return interval_ns > 0 ? gap_limit_ns(interval_ns) : GAP_LIMIT_MIN_NS;
}

/* A kind of log is read again: so does the observer, if it wants to see that. */
static void watch_again(struct loading *l, enum source_kind kind)
{
	loading_draw_again(l, kind);
	if (l->observer && l->observer->again)
		l->observer->again(l->observer, kind, &l->window);
	else
		l->observer = NULL;
}

static int feed_log(struct loading *l, enum source_kind kind, int64_t limit_ns,
	bool aggregate, bool keep)
{
	struct sample_source *source = read_samples(l->reading, kind, limit_ns);
	int result = feed_batches(l, source, aggregate, keep);

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
	sorting.kept = NULL;
	sorting.begun = false;
	watch_again(&sorting, kind);
	sorting.maker = NULL; /* it gets them sorted */
	l->observer = NULL; /* sorted rows have no lines */
	aggregate_reset(l->agg, kind);
	if (loading_begin_store(&sorting) < 0 ||
		feed_log(&sorting, kind, limit_ns, false, true) < 0)
		goto out;
	source = store_samples(
		sorting.store, l->out->run.key, kind, &l->out->run.texts, l->err);
	if (!source)
		goto out;
	result = feed_batches(l, source, true, l->begun);
	sample_source_free(source);
out:
	store_abandon_run(sorting.store);
	store_close(sorting.store);
	return result;
}

static int load_kind(struct loading *l, enum source_kind kind)
{
	struct batch_observer *observer = l->observer;
	int result;

	if (feed_log(l, kind, first_step_limit(l, kind), true, l->begun) < 0)
		return -1;
	if (aggregate_order(l->agg, kind) == ORDER_KEPT)
		return 0;
	if (l->begun && loading_drop_kept(l, kind) < 0)
		return -1;
	result = replay(l, kind);
	l->observer = observer;
	return result;
}

/* Once more; nothing of a run that is kept already is put there again. */
static int loading_log_again(struct loading *l)
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

/*
 * --interval says all that is known of the run's times: its rows are to be read once
 * more.
 */
static bool loading_is_laid(struct loading *l)
{
	if (l->lays || !aggregate_lay(l->agg))
		return false;
	l->lays = true;
	return true;
}

/* A recorder that saw more than the command: its rows are to be read once more. */
static bool loading_is_cut(struct loading *l)
{
	if (!aggregate_beyond_command(l->agg, &l->window))
		return false;
	aggregate_restrict(l->agg, &l->window);
	return true;
}

/* From the logs, to where samples are kept, and to the report. */
static int loading_from_log(struct loading *l)
{
	struct run *run = &l->out->run;

	if (l->store && loading_begin_store(l) < 0)
		return -1;
	l->begun |= l->kept != NULL;
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		loading_draw_again(l, kind);
		if (source_has_samples(kind) && load_kind(l, kind) < 0)
			return -1;
	}
	if (far_refuse(run, l->agg) && loading_log_again(l) < 0)
		return -1;
	if (loading_is_laid(l) && loading_log_again(l) < 0)
		return -1;
	if (loading_is_cut(l) && loading_log_again(l) < 0)
		return -1;
	run_leave_damaged(run);
	if (usable_check(run, l->err) < 0)
		return -1;
	read_note_steps_back(l->reading);
	loading_report(l);
	notes_add(run, l->agg, &l->out->report, l->plan->compute.interval_ns < 0);
	if (!l->observer)
		note_impossible(run, l->agg);
	loading_end_aggregate(l);
	if (l->kept)
		return 0;
	if (l->begun &&
		store_finish_run(l->store, &l->out->report, l->memory.stamp, l->err) < 0)
		return -1;
	l->out->is_new |= l->begun;
	l->begun = false;
	return 0;
}

/* A run that the database may have already: found there, and aggregated from there. */

/* What is given goes before what the recording says. */
static int label_stored(struct loading *l, struct run *run)
{
	const struct label_list *given = l->plan->labels;

	if (label_matches(&run->labels, given))
		return 0;
	label_set_all(&run->labels, given);
	l->out->is_unkept = store_refusal(l->store) != NULL;
	if (l->out->is_unkept)
		return 0;
	return store_label_run(l->store, run->key, given, l->err);
}

/* 1: the run is in the database under its key, unchanged, and *stored is as it is there;
 * 0; -1 */
static int find_kept(struct loading *l, struct run *stored)
{
	const struct run *run = &l->out->run;
	int found;

	run_init(stored, run->path);
	found = store_get_run(l->store, run->key, l->memory.shape, stored, l->err);
	/* What could not be read then may be readable now. */
	if (found > 0 && (!run_is_unchanged(run, stored) || run_is_unreadable(stored)))
		found = 0;
	if (found > 0 && label_stored(l, stored) < 0)
		found = -1;
	if (found <= 0)
		run_release(stored);
	return found;
}

/* The same, held until it is let go: no other program can load it anew. It takes the
 * place of the run in hand. */
static int hold_kept(struct loading *l)
{
	struct run *run = &l->out->run, stored;
	int held = 0;

	while (!held) {
		int found = find_kept(l, &stored);

		if (found <= 0)
			return found;
		held = store_hold(l->store, l->err);
		if (held <= 0)
			run_release(&stored);
	}
	if (held < 0)
		return -1;
	run_release(run);
	*run = stored;
	return 1;
}

static void take_labels(struct run *run, struct run *stored)
{
	struct label_list own = run->labels;

	run->labels = stored->labels;
	stored->labels = own;
}

/* Is the run in the database, also where it is stored under another place? 1: unchanged,
 * and the run in hand has its labels; 0; -1 */
static int find_placed(struct loading *l)
{
	struct run stored;
	int found;

	if (store_place_run(l->store, &l->out->run, l->err) < 0)
		return -1;
	found = find_kept(l, &stored);
	if (found > 0) {
		take_labels(&l->out->run, &stored);
		run_release(&stored);
	}
	return found;
}

static int loading_find_stored(struct loading *l)
{
	int found = find_placed(l);

	/* What packed logs hold is only asked where their bytes are not known. */
	if (found == 0 && read_contents(l->reading))
		found = find_placed(l);
	return found;
}

/* The samples of the window, of the run that is held. */
static int feed_stored(struct loading *l)
{
	struct run *run = &l->out->run;
	const struct sample_choice choice = {
		.within = run, .from_ns = l->window.from_ns, .to_ns = l->window.to_ns};

	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		struct sample_source *source;
		int result;

		if (!source_has_samples(kind))
			continue;
		loading_draw_again(l, kind);
		source = store_samples_of(
			l->store, run->key, kind, &choice, &run->texts, l->err);
		if (!source)
			return -1;
		result = feed_batches(l, source, true, false);
		sample_source_free(source);
		if (result < 0)
			return -1;
	}
	return 0;
}

/* A run with its report: what becomes of it once it is loaded. */

void loaded_drop_report(struct loaded *loaded)
{
	report_release(&loaded->report);
	report_init(&loaded->report, &loaded->run);
}

void loaded_move(struct loaded *to, const struct loaded *from)
{
	*to = *from;
	to->report.run = &to->run;
	if (to->report.evidence.time_source)
		to->report.evidence.time_source = to->run.time_source;
}

void loaded_release(struct loaded *loaded)
{
	report_release(&loaded->report);
	run_release(&loaded->run);
	store_close(loaded->samples);
}

/* The question to the database, and when it may be asked. */

/* Is this what a report is kept for? Of a window it is that of the whole. */
static bool is_usual(const struct load_plan *plan)
{
	return plan->compute.gap_ns < 0 && plan->compute.interval_ns < 0 && !plan->tool;
}

static void memory_init(struct memory *memory, const struct load_plan *plan)
{
	*memory = (struct memory){.shape = load_plan_shape(plan)};
}

static void memory_release(struct memory *memory)
{
	free(memory->shape);
	free(memory->stamp);
}

static char *stamp_of(const char *shape, const struct read_options *read)
{
	struct strbuf stamp;

	strbuf_init(&stamp);
	strbuf_addf(&stamp, "%s\n", shape);
	if (read_stamp(&stamp, read))
		return strbuf_detach(&stamp);
	strbuf_release(&stamp);
	return NULL;
}

/* Looks at the files, before one of them is opened. */
static void memory_stamp(struct memory *memory, const struct load_plan *plan,
	const struct read_options *read)
{
	if (is_usual(plan))
		memory->stamp = stamp_of(memory->shape, read);
}

/* Would there be one? Nothing is read of it. */
static bool memory_has(const struct memory *memory, struct store *store)
{
	return memory->stamp && store_knows(store, memory->stamp);
}

/* 1: there was a report, and *out is that now instead of what it was; 0, -1. */
static int memory_ask(struct memory *memory, struct loaded *out,
	const struct load_plan *plan, struct store *store, struct error *err)
{
	struct loaded found = {.samples = NULL};
	int result;

	if (!memory->stamp)
		return 0;
	result = store_recall(store, memory->stamp, &found.run, &found.report,
		plan->compute.rules, err);
	if (result <= 0)
		return result;
	if (!label_matches(&found.run.labels, plan->labels)) {
		loaded_release(&found);
		return 0;
	}
	loaded_release(out);
	loaded_move(out, &found);
	return 1;
}

/* Nothing is aggregated: only what is drawn is read. */

size_t drawing_columns(size_t runs)
{
	return runs > 8	   ? TIMELINE_COLUMNS / 4
		: runs > 1 ? TIMELINE_COLUMNS / 2
			   : TIMELINE_COLUMNS;
}

/* How many columns the timeline of a run has, that these paths name; 0: it has none. */
static size_t drawing_columns_of(const struct load_plan *plan, const char *const *path)
{
	for (size_t i = 0; i < sizeof plan->timeline_of / sizeof *plan->timeline_of;
		i++) {
		const struct timeline_share *share = &plan->timeline_of[i];

		if (share->from && path >= share->from &&
			path < share->from + share->count)
			return plan->timeline_columns;
	}
	return 0;
}

static int draw_source(struct timeline_maker *maker, const struct run *run,
	struct sample_source *source, struct error *err)
{
	struct masked_batch in_range = {.presence = NULL};
	struct sample_batch batch;
	int got;

	sample_batch_init(&batch);
	while ((got = sample_source_next(source, &batch, err)) > 0)
		timeline_maker_add(maker, run, impossible_in_range(&in_range, &batch));
	masked_batch_release(&in_range);
	sample_batch_release(&batch);
	return got;
}

/*
 * Gives the maker all samples of the run that store_recall() found last. -1: they
 * can't be read, or another program has loaded the run anew meanwhile.
 */
static int drawing_recall(struct timeline_maker *maker, struct store *store,
	struct run *run, struct error *err)
{
	const struct sample_choice drawn = {.wanted = timeline_wants};

	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		struct sample_source *source;
		int result;

		if (!source_has_samples(kind))
			continue;
		source =
			store_samples_of(store, run->key, kind, &drawn, &run->texts, err);
		if (!source)
			return -1;
		result = draw_source(maker, run, source, err);
		sample_source_free(source);
		if (result < 0)
			return -1;
	}
	return 0;
}

/* with_calls: with the numbers of each call of a phase, whoever asks for them. */
static void loading_new_aggregate(struct loading *l, bool with_calls)
{
	struct compute_options options = l->plan->compute;

	options.laid = l->lays;
	options.calls |= with_calls;
	options.foreign = l->plan->tool ? &l->plan->tool->pass : NULL;
	options.window = l->window;

	loading_end_aggregate(l);
	l->agg = aggregate_new(&l->out->run, &options);
}

/* All was added: what it says, and what the tool that is asked for does. */
static void loading_report(struct loading *l)
{
	aggregate_report(l->agg, &l->out->report);
	if (l->plan->tool)
		l->plan->tool->report(l->agg, &l->out->report, l->plan->compute.asked);
}

/* The report is made, and has all of it: what is stored takes its place in memory. */
static void loading_end_aggregate(struct loading *l)
{
	aggregate_free(l->agg);
	l->agg = NULL;
}

/*
 * The window that is asked for: from the run's start on, as the report has it, to its end
 * at most. -1: the run has no times, or none in it.
 */
static int find_window(const struct report *report, const struct load_plan *plan,
	struct compute_window *window, struct error *err)
{
	int64_t length_ns = report->ended_ns - report->started_ns;

	if (report->started_ns == TIME_NONE)
		return error_set(err, "%s: it has no times; expected no --since, --until",
			report->run->path);
	*window = (struct compute_window){.set = true,
		.closed = plan->until_ns < 0 || plan->until_ns > length_ns,
		.origin_ns = report->started_ns,
		.from_ns = report->started_ns,
		.to_ns = report->ended_ns};
	if (plan->since_ns > 0 && plan->since_ns >= length_ns)
		return error_set(err,
			"%s: --since is not before its end; expected less than %.3f s",
			report->run->path, (double)length_ns / 1e9);
	if (plan->since_ns > 0)
		window->from_ns += plan->since_ns;
	if (!window->closed)
		window->to_ns = report->started_ns + plan->until_ns;
	if (window->to_ns <= window->from_ns)
		return error_set(err, "--until is not behind --since");
	return 0;
}

/* The same samples again, of the window alone; nothing of it is stored. */
static int load_window(struct loading *l, bool stored)
{
	if (find_window(&l->out->report, l->plan, &l->window, l->err) < 0)
		return -1;
	loading_new_aggregate(l, l->store);
	report_release(&l->out->report);
	report_init(&l->out->report, &l->out->run);
	if (stored && feed_stored(l) < 0)
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

/* Opens the logs. */
static int loading_survey(struct loading *l)
{
	if (read_survey(&l->reading, &l->out->run, &l->read, l->err) < 0)
		return -1;
	label_set_all(&l->out->run.labels, l->plan->labels);
	return 0;
}

/*
 * The window of a run whose report the database had whole, which says where it lies. 1;
 * 0: another program has loaded the run anew meanwhile, and *l->out is empty again; -1.
 */
static int recall_window(struct loading *l)
{
	int found = hold_kept(l);

	if (found > 0) {
		found = load_window(l, true) < 0 ? -1 : 1;
		store_let_go(l->store);
	} else if (found == 0) {
		loaded_release(l->out);
		begin_run(l->out, &l->read);
	}
	return found;
}

/* A report that the database had whole, or what it has of the run is asked for. */
static int recall(struct loading *l)
{
	int result = memory_ask(&l->memory, l->out, l->plan, l->store, l->err);

	if (result <= 0)
		return result;
	if (load_plan_has_window(l->plan))
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
	return samples_keep(l->out, l->plan, &l->store, l->err);
}

/*
 * What the database lacks it gets: 1: it has the run; 0: it gets it by this reading; -1.
 * What is stored are the answers of the usual options: whoever asks with others has the
 * logs read once for the database, and once for the answer.
 */
static int store_it_first(struct loading *l)
{
	int found = loading_find_stored(l);
	struct load_plan usual = *l->plan;
	struct loaded stored;

	if (found != 0 || store_refusal(l->store) || is_usual(&usual))
		return found;
	usual.compute.gap_ns = usual.compute.interval_ns = -1;
	usual.since_ns = usual.until_ns = -1;
	usual.tool = NULL;
	usual.timeline_columns = 0;
	if (load_run(&stored, l->read.path, l->read.path_count, &usual, l->store,
		    l->err) < 0)
		return -1;
	take_labels(&l->out->run, &stored.run);
	l->out->is_new = stored.is_new;
	loaded_release(&stored);
	return 1;
}

/* From the logs, and into the database what it lacks; 0, -1 */
static int read_and_work_out(struct loading *l)
{
	struct store *store = NULL; /* which has the run already */
	int stored = 0;

	if (loading_survey(l) < 0)
		return -1;
	if (l->out->run.is_passing)
		l->store = NULL;
	if (samples_keep(l->out, l->plan, &l->store, l->err) < 0)
		return -1;
	if (l->store && !l->out->samples)
		stored = store_it_first(l);
	else if (l->plan->several)
		read_contents(l->reading);
	if (stored == 0 && l->store && store_refusal(l->store))
		stored = leave_store(l);
	if (stored < 0)
		return -1;
	/* A database has the numbers of calls. */
	loading_new_aggregate(l, l->store);
	if (stored) {
		store = l->store;
		l->store = NULL;
	}
	if (loading_from_log(l) < 0) {
		if (l->begun)
			store_abandon_run(l->store);
		return -1;
	}
	if (store && l->memory.stamp)
		store_keep(store, l->memory.stamp, &l->out->report);
	return load_plan_has_window(l->plan) ? load_window(l, false) : 0;
}

static struct read_options loading_read_options(
	const struct load_plan *plan, const char *const *path, size_t path_count)
{
	struct read_options read = plan->read;

	read.path = path;
	read.path_count = path_count;
	return read;
}

/* Of these operands, which are borrowed; *out is an empty run then. */
static void loading_begin(struct loading *l, struct loaded *out, const char *const *path,
	size_t path_count, const struct load_plan *plan, struct error *err)
{
	*l = (struct loading){.out = out, .plan = plan, .err = err};
	l->read = loading_read_options(plan, path, path_count);
	progress_begin(plan->progress, &l->waited, path, path_count);
	begin_run(out, &l->read);
	memory_init(&l->memory, plan);
}

/* What l itself owns, not what it leads to: out, store and kept. */
static void loading_end(struct loading *l)
{
	timeline_maker_free(l->maker);
	aggregate_free(l->agg);
	reading_free(l->reading);
	memory_release(&l->memory);
	progress_end(l->plan->progress, &l->waited);
}

static int load(struct loaded *out, const char *const *path, size_t path_count,
	const struct load_plan *plan, struct store *store,
	struct batch_observer *observer, struct error *err)
{
	size_t columns = drawing_columns_of(plan, path);
	struct loading l;
	int result = 0;

	loading_begin(&l, out, path, path_count, plan, err);
	l.store = store;
	l.observer = observer;
	if (columns)
		l.maker = timeline_maker_new();
	if (store) {
		memory_stamp(&l.memory, plan, &l.read);
		result = recall(&l);
	}
	if (result == 0)
		result = read_and_work_out(&l);
	if (result < 0)
		loaded_release(out);
	else if (columns)
		out->report.timeline = timeline_make(l.maker, &out->report, columns);
	else
		out->report.undrawn = plan->timeline_columns > 0;
	loading_end(&l);
	return result < 0 ? -1 : 0;
}

int load_run(struct loaded *out, const char *const *path, size_t path_count,
	const struct load_plan *plan, struct store *store, struct error *err)
{
	return load(out, path, path_count, plan, store, NULL, err);
}

int load_watched(struct loaded *out, const char *const *path, size_t path_count,
	const struct load_plan *plan, struct batch_observer *observer, struct error *err)
{
	return load(out, path, path_count, plan, NULL, observer, err);
}

/* The same options, but for what is asked of the run. */

bool load_again(struct loaded *out, const struct loaded *loaded, const char *const *path,
	size_t path_count, const struct load_plan *plan, struct batch_observer *observer)
{
	struct load_plan whole = *plan;
	struct error ignored;

	whole.compute.rules = NULL;
	whole.timeline_columns = 0;
	whole.since_ns = whole.until_ns = -1;
	return !loaded->run.is_passing &&
		load_watched(out, path, path_count, &whole, observer, &ignored) == 0;
}

int load_checked(struct loaded *out, const char *const *path, size_t path_count,
	const struct load_plan *plan, struct soundness_count *found, struct error *err)
{
	struct soundness *soundness = soundness_new();
	int loaded = load_watched(
		out, path, path_count, plan, soundness_observer(soundness), err);

	if (loaded == 0) {
		note_gaps(&out->run, &out->report);
		*found = soundness_count(soundness);
	}
	soundness_free(soundness);
	return loaded;
}

/* The parts of a load, in another order: first the logs, then the question for them. */

/* Files beyond that are hardly of a run that fits into memory: few of them have many
 * lines a sample. */
#define BYTES_MAX (128 << 20)

struct load_job {
	struct loading l;
	struct loaded loaded; /* empty where it failed */
	struct kept_batches kept;
	struct error err;
	bool failed;
};

bool load_job_pays(
	const char *const *path, const struct load_plan *plan, struct store *store)
{
	const struct read_options read = loading_read_options(plan, path, 1);
	struct memory memory;
	bool pays;

	if (plan->samples || plan->timeline_columns || load_plan_has_window(plan))
		return false;
	memory_init(&memory, plan);
	memory_stamp(&memory, plan, &read);
	pays = memory.stamp && !memory_has(&memory, store) &&
		read_size(&read) <= BYTES_MAX;
	memory_release(&memory);
	return pays;
}

static int read_logs(struct loading *l)
{
	memory_stamp(&l->memory, l->plan, &l->read);
	if (!l->memory.stamp || loading_survey(l) < 0)
		return -1;
	loading_new_aggregate(l, true);
	return loading_from_log(l);
}

struct load_job *load_job_new(const char *const *path, const struct load_plan *plan)
{
	struct load_job *job = xcalloc(1, sizeof *job);

	loading_begin(&job->l, &job->loaded, path, 1, plan, &job->err);
	job->l.kept = &job->kept;
	job->failed = read_logs(&job->l) < 0;
	aggregate_free(job->l.agg);
	job->l.agg = NULL;
	return job;
}

bool load_job_is_too_long(const struct load_job *job)
{
	return job->kept.is_full;
}

/* What the job has in memory goes into the database, and makes room for the next one. */
static int put(struct load_job *job)
{
	struct loading *l = &job->l;
	struct kept_batches *kept = &job->kept;

	l->begun = false;
	if (loading_begin_store(l) < 0)
		return -1;
	for (size_t i = 0; i < kept->count; i++) {
		if (store_put(l->store, &kept->batch[i], l->err) < 0)
			return -1;
		sample_batch_release(&kept->batch[i]);
		sample_batch_init(&kept->batch[i]);
	}
	return store_finish_run(l->store, &job->loaded.report, l->memory.stamp, l->err);
}

/* As load_job_store. */
static int store_it(struct load_job *job)
{
	struct loading *l = &job->l;
	int result = memory_ask(&l->memory, &job->loaded, l->plan, l->store, l->err);

	if (result != 0)
		return result;
	result = loading_find_stored(l);
	if (result != 0) {
		if (result > 0)
			store_keep(l->store, l->memory.stamp, &job->loaded.report);
		return result;
	}
	if (store_refusal(l->store)) {
		job->loaded.is_unkept = true;
		return 1;
	}
	if (put(job) == 0) {
		job->loaded.is_new = true;
		return 1;
	}
	if (l->begun)
		store_abandon_run(l->store);
	return -1;
}

int load_job_store(
	struct load_job *job, struct loaded *out, struct store *store, struct error *err)
{
	int result = 0;

	job->l.store = store;
	job->l.err = err;
	if (!job->failed)
		result = store_it(job);
	if (result > 0) {
		loaded_move(out, &job->loaded);
		job->loaded = (struct loaded){0};
	}
	load_job_drop(job);
	return result;
}

void load_job_drop(struct load_job *job)
{
	if (!job)
		return;
	loading_end(&job->l);
	loaded_release(&job->loaded);
	kept_batches_release(&job->kept);
	free(job);
}
