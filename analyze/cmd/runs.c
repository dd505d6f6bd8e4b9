/* The database, the loading of each run, and what the exit status says of them all. */
#include "cmd/runs.h"

#include <errno.h>
#include <fnmatch.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/name_match.h"
#include "base/quantity.h"
#include "base/queue.h"
#include "base/sort.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "cmd/command.h"
#include "cmd/explain.h"
#include "cmd/load.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "cmd/progress.h"
#include "compute/compare/compare.h"
#include "compute/inspect/chronicle.h"
#include "compute/inspect/selection.h"
#include "compute/run/timing.h"
#include "model/coverage.h"
#include "model/measure.h"
#include "model/phase_name.h"
#include "model/rule.h"
#include "model/timeline.h"
#include "render/check.h"
#include "rules/rules.h"
#include "store/store.h"

/*
 * Runs that are loaded ahead of their turn, by several threads: what is read from logs
 * alone needs nothing of the other runs. Not more of them than a few wait for their
 * turn, so that many runs need no more memory than few. Knows no database: of what is
 * to be put into one, one run at a time is read, if somebody names it.
 */

#define THREADS_MAX 8 /* unless somebody asks for more */
#define PER_THREAD  2 /* places */
#define WATCH_NS    (NS_PER_S / 10) /* that people are told something */

/* The nth run is in place n modulo their number. */
struct ahead_place {
	const char *const *path;
	struct queue done; /* room for its job, once that is loaded */
};

struct ahead {
	const char *const *path; /* [count] */
	size_t count;
	const struct load_plan *plan;
	bool stores; /* the jobs are put into a database */
	pthread_t *thread; /* [threads] */
	size_t threads;
	struct queue wanted; /* places whose runs are to be loaded */
	struct ahead_place *place; /* [places] */
	size_t places;
	size_t begun, taken; /* runs, those before them too */
};

static size_t thread_count(int32_t jobs, size_t runs)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t threads = (size_t)jobs;

	if (!threads)
		threads = processors < 1	   ? 1
			: processors < THREADS_MAX ? (size_t)processors
						   : THREADS_MAX;
	return threads < runs ? threads : runs;
}

static void *load_places(void *context)
{
	struct ahead *a = context;
	struct ahead_place *place;

	while ((place = queue_take(&a->wanted)))
		queue_put(&place->done, load_job_new(place->path, a->plan, a->stores));
	return NULL;
}

/* The run behind those that were begun. */
static void begin_next(struct ahead *a)
{
	struct ahead_place *place = &a->place[a->begun % a->places];

	place->path = &a->path[a->begun++];
	queue_put(&a->wanted, place);
}

/* What is loaded and was not taken is dropped. */
static void ahead_free(struct ahead *a)
{
	if (!a)
		return;
	queue_end(&a->wanted);
	while (queue_take(&a->wanted))
		;
	for (size_t i = 0; i < a->threads; i++)
		pthread_join(a->thread[i], NULL);
	for (size_t i = 0; i < a->places; i++) {
		queue_end(&a->place[i].done);
		load_job_drop(queue_take(&a->place[i].done));
		queue_release(&a->place[i].done);
	}
	queue_release(&a->wanted);
	free(a->thread);
	free(a->place);
	free(a);
}

/*
 * Begins to load the runs that these paths are, one each, in their order; those that are
 * to be stored wait for ahead_begin. All is borrowed until ahead_free. NULL: one thread
 * does as well.
 */
static struct ahead *ahead_new(const char *const *path, size_t count,
	const struct load_plan *plan, int32_t jobs, bool stores)
{
	size_t threads = thread_count(jobs, count);
	struct ahead *a;

	if (threads < 2)
		return NULL;
	if (stores)
		threads = 1;
	a = xcalloc(1, sizeof *a);
	*a = (struct ahead){.path = path, .count = count, .plan = plan, .stores = stores};
	a->places = stores ? 1 : threads * PER_THREAD;
	a->place = xcalloc(a->places, sizeof *a->place);
	a->thread = xcalloc(threads, sizeof *a->thread);
	queue_init(&a->wanted, a->places);
	for (size_t i = 0; i < a->places; i++)
		queue_init(&a->place[i].done, 1);
	while (a->threads < threads &&
		pthread_create(&a->thread[a->threads], NULL, load_places, a) == 0)
		a->threads++;
	if (!a->threads) {
		ahead_free(a);
		return NULL;
	}
	while (!stores && a->begun < a->places && a->begun < count)
		begin_next(a);
	return a;
}

/* Is that the next one, and begun? */
static bool ahead_is_next(const struct ahead *a, const char *const *path)
{
	return a->taken < a->begun && path == &a->path[a->taken];
}

/* Waits for the next run. */
static struct load_job *ahead_take(struct ahead *a)
{
	struct ahead_place *place = &a->place[a->taken % a->places];
	struct load_job *job;

	while (a->plan->progress && !queue_wait(&place->done, WATCH_NS))
		progress_watch(a->plan->progress);
	job = queue_take(&place->done);
	a->taken++;
	if (!a->stores && a->begun < a->count)
		begin_next(a);
	progress_wipe(a->plan->progress);
	return job;
}

/* A default database that can't be used is done without; an explicit one is an error. */
static int open_store(struct runs *runs, struct error *err)
{

	if (runs->opt->no_db)
		return 0;
	runs->db = options_db(runs->opt);
	runs->store_is_new = !options_name_db(runs->opt) && access(runs->db, F_OK) != 0;
	if (store_open_or_read(&runs->store, runs->db, err) == 0)
		return 0;
	runs->store = NULL;
	if (options_name_db(runs->opt))
		return -1;
	runs->console->say("%s; continuing without a database", err->message);
	return 0;
}

/*
 * Without an id a run is known by its path alone, where each job may record; and a
 * run.json may be copied to another recording.
 */
static void say_other(const struct runs *runs)
{
	const struct loaded *last = &runs->loaded[runs->count - 1];
	bool named = last->run.run_id != NULL;
	struct strbuf when;
	int64_t started_ns;

	if (last->is_mended)
		runs->console->say("%s: loaded again, because rows of it in the database "
				   "were damaged",
			runs->past[runs->past_count - 1].path);
	if (!store_replaced(runs->store, &started_ns))
		return;
	strbuf_init(&when);
	time_print(&when, started_ns);
	runs->console->say(
		"%s: replaces another recording in the database, which began %s %s",
		runs->past[runs->past_count - 1].path, when.text,
		named ? "and has the same run_id; give each its own run_id to keep both"
		      : "and had the same path; a run.json with a run_id, or another "
			"path, keeps both");
	strbuf_release(&when);
}

/* A copy of a run directory has the same run id, and is the same run: if it says
 * something else, it was loaded. */
static void say_replaced(const struct runs *runs)
{
	const struct past_run *last = &runs->past[runs->past_count - 1];

	if (!runs->loaded[runs->count - 1].is_new)
		return;
	for (size_t i = runs->past_count - 1; i-- > 0;) {
		const struct past_run *before = &runs->past[i];

		if (strcmp(before->key, last->key) != 0 ||
			strcmp(before->path, last->path) == 0)
			continue;
		runs->console->say(
			"%s: replaces %s in the database, because both have the same run "
			"id",
			last->path, before->path);
		return;
	}
}

int runs_init(struct runs *runs, const struct options *opt, const struct console *console,
	struct error *err)
{
	size_t operands = (size_t)opt->operand_count;

	*runs = (struct runs){.opt = opt, .plan = load_plan_of(opt), .console = console};
	alloc_keep_freed();
	runs->plan.compute.rules = rules_carried();
	runs->plan.compute.second_thread = thread_count(opt->jobs, 2) > 1;
	runs->loaded = xcalloc(operands, sizeof *runs->loaded);
	runs->past = xcalloc(operands, sizeof *runs->past);
	runs->warning = xcalloc(operands, sizeof *runs->warning);
	return open_store(runs, err);
}

void runs_announce(struct runs *runs, const char *const *path, size_t count)
{
	const struct options *opt = runs->opt;

	/* Standard input is one for all. */
	for (size_t i = 0; i < count; i++)
		if (strcmp(path[i], "-") == 0)
			return;
	if (opt->strict || opt->join)
		return;
	runs->ahead = ahead_new(path, count, &runs->plan, opt->jobs, runs->store);
}

void runs_release(struct runs *runs)
{
	ahead_free(runs->ahead);
	if (runs->store && runs->store_is_new && runs->stored && !runs->unkept &&
		runs->opt->verbose >= 0)
		runs->console->say(
			"results are stored in %s (--no-db: store nothing)", runs->db);
	store_close(runs->store);
	for (size_t i = 0; i < runs->count; i++)
		loaded_release(&runs->loaded[i]);
	for (size_t i = 0; i < runs->past_count; i++) {
		free(runs->past[i].key);
		free(runs->past[i].path);
	}
	free_texts(runs->warning, runs->warning_count);
	free(runs->spoilt);
	free(runs->loaded);
	free(runs->past);
}

int runs_fail(struct runs *runs, const struct error *err)
{
	runs->console->say("%s", err->message);
	runs->warning[runs->warning_count++] = xstrdup(err->message);
	return -1;
}

/* The worst damage of a run that has some. */
static void refuse(struct runs *runs, const struct run *run)
{
	const struct diag **worst = check_sorted(run);
	struct error why;

	runs->damaged = true;
	error_set(&why,
		"%s: damaged (--strict): %s:%llu: %s: %s (hwsummarize check lists all "
		"damage)",
		run->path, worst[0]->file, (unsigned long long)worst[0]->line,
		worst[0]->id, worst[0]->text);
	runs->console->say("%s", why.message);
	run_set_string(&runs->spoilt, why.message);
	free(worst);
}

void runs_took(struct runs *runs)
{
	const struct run *run = &runs->loaded[runs->count].run;
	const struct diag *unreadable;
	struct error why;

	runs->stored |= runs->loaded[runs->count++].is_new;
	runs->past[runs->past_count++] =
		(struct past_run){xstrdup(run->key), xstrdup(run->path)};
	unreadable = run_unreadable(run);
	if (!unreadable)
		return;
	runs->unreadable = true;
	if (runs->spoilt)
		return;
	error_set(&why, "%s: only a part can be read: %s: %s", run->path,
		unreadable->file, unreadable->text);
	run_set_string(&runs->spoilt, why.message);
}

static void end_ahead(struct runs *runs)
{
	ahead_free(runs->ahead);
	runs->ahead = NULL;
}

/*
 * The next run is read while this one is stored, which the database did not know. All
 * before it that were begun are taken.
 */
static void read_next(struct runs *runs, const char *const *path)
{
	struct ahead *a = runs->ahead;

	if (!a || path + 1 < a->path || path + 1 >= a->path + a->count ||
		ahead_is_next(a, path + 1) ||
		!load_job_pays(path + 1, &runs->plan, runs->store))
		return;
	a->taken = a->begun = (size_t)(path + 1 - a->path);
	begin_next(a);
}

/* The run, if it was read ahead, and into the database. 1; 0: it is of no use; -1 */
static int take_ahead(struct runs *runs, const char *const *path, struct error *err)
{
	struct load_job *job;

	if (!runs->ahead || !ahead_is_next(runs->ahead, path))
		return 0;
	job = ahead_take(runs->ahead);
	/* After one such run it is no use to try others. */
	if (load_job_is_too_long(job))
		end_ahead(runs);
	if (runs->store)
		read_next(runs, path);
	return load_job_end(job, &runs->loaded[runs->count], runs->store, err);
}

static bool can_be_read_again(const char *const *path, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char *file = xstrdup(path[i]);
		struct stat st;
		bool can;

		name_cut_part(file);
		can = stat(file, &st) == 0 &&
			(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
		free(file);
		if (!can)
			return false;
	}
	return true;
}

/* It can't be written, as on a full disk; what it has it still answers. */
static void say_unkept(struct runs *runs, const struct loaded *loaded)
{
	if (!runs->unkept)
		runs->console->say(
			"%s; %s and other new runs are computed without being stored",
			store_refusal(runs->store), loaded->run.path);
	runs->unkept = true;
}

/*
 * What a database that can't be written any more does not take is computed all the same.
 * A default one that fails otherwise is done without from now on. -1: *err says why the
 * run is not loaded.
 */
static int load_after(
	struct runs *runs, const char *const *path, size_t count, struct error *err)
{
	struct error refused = *err;
	bool fails = !store_refusal(runs->store);

	if ((fails && options_name_db(runs->opt)) || !can_be_read_again(path, count) ||
		load_run(&runs->loaded[runs->count], path, count, &runs->plan,
			fails ? NULL : runs->store, NULL, err) < 0)
		return -1;
	if (!fails)
		return 0;
	runs->console->say("%s; continuing without a database", refused.message);
	end_ahead(runs);
	runs->store_fails = true;
	return 0;
}

/* Looked through as check does, before it is loaded like any other. 1: it can't be read
 * twice, and is loaded by that; 0, -1 */
static int look_through(
	struct runs *runs, const char *const *path, size_t count, struct error *err)
{
	struct loaded *out = &runs->loaded[runs->count];
	struct soundness_count found;

	if (load_checked(out, path, count, &runs->plan, &found, err) < 0)
		return -1;
	if (run_is_damaged(&out->run))
		refuse(runs, &out->run);
	if (out->run.is_passing)
		return 1;
	loaded_release(out);
	return 0;
}

int runs_load(struct runs *runs, const char *const *path, size_t count)
{
	struct store *store = runs->store_fails ? NULL : runs->store;
	struct loaded *out = &runs->loaded[runs->count];
	struct error err;
	int result = 0;

	run_set_string(&runs->spoilt, NULL);
	if (runs->opt->strict)
		result = look_through(runs, path, count, &err);
	if (result == 0) {
		result = take_ahead(runs, path, &err);
		if (result == 0) {
			result = load_run(
				out, path, count, &runs->plan, store, NULL, &err);
			if (result == 0 && store && out->is_new)
				read_next(runs, path);
		}
		if (result < 0 && store)
			result = load_after(runs, path, count, &err);
	}
	if (result < 0)
		return runs_fail(runs, &err);
	runs_took(runs);
	if (out->is_unkept) {
		say_unkept(runs, out);
	} else if (runs->store && !runs->store_fails) {
		say_other(runs);
		say_replaced(runs);
	}
	return 0;
}

enum exit_status runs_status(const struct runs *runs)
{
	if (!runs->past_count)
		return EXIT_USAGE;
	if (runs->warning_count || runs->unreadable ||
		(runs->unkept && options_name_db(runs->opt)))
		return EXIT_UNUSABLE;
	return runs->damaged ? EXIT_UNUSABLE : EXIT_DONE;
}

bool stream_load_next(struct run_stream *s)
{
	struct runs *runs = s->runs;
	size_t operands = (size_t)runs->opt->operand_count;

	while (s->operand < operands) {
		const char *const *path = &runs->opt->operand[s->operand];
		size_t count = runs->opt->join ? operands : 1;

		s->operand += count;
		if (runs_load(runs, path, count) == 0)
			return true;
	}
	return false;
}

void stream_find_lines(struct runs *runs, struct loaded *loaded)
{
	const struct options *opt = runs->opt;
	const char *path = loaded->run.path;

	if (opt->verbose > 0 && opt->join)
		finding_lines(
			loaded, opt->operand, (size_t)opt->operand_count, &runs->plan);
	else if (opt->verbose > 0)
		finding_lines(loaded, &path, 1, &runs->plan);
}

/* With a database all runs are loaded, whoever stops reading. */
static void begin_runs(struct run_stream *s)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};

	sigaction(SIGPIPE, s->runs->store ? &ignore : NULL, &s->pipe);
}

static void end_runs(struct run_stream *s)
{
	s->in.warning = (const char *const *)s->runs->warning;
	s->in.warning_count = s->runs->warning_count;
	sigaction(SIGPIPE, &s->pipe, NULL);
	errno = s->broke;
}

/* The first was loaded before the output was begun. */
static const struct report *take_next(void *context)
{
	struct run_stream *s = context;
	struct loaded *loaded = s->runs->loaded;

	/* What else is opened and read must not hide why. */
	if (!s->broke && ferror(s->out))
		s->broke = errno;
	if (s->begun)
		loaded_release(&loaded[--s->runs->count]);
	if (s->begun && !stream_load_next(s)) {
		end_runs(s);
		return NULL;
	}
	s->begun = true;
	if (!s->is_refused)
		s->is_refused =
			result_protect(s->runs->opt, &loaded->run, &s->refused) < 0;
	stream_find_lines(s->runs, loaded);
	selection_apply(&loaded->report, &s->filter);
	errno = 0;
	return &loaded->report;
}

void stream_one_by_one(struct run_stream *s)
{
	s->in.more = take_next;
	s->in.context = s;
}

/* The samples of a run that is loaded, once more, for formats that show them. */

/* What counts of the rows, as the report was made of them. */
static struct compute_window window_of(
	const struct report *report, const struct load_plan *plan)
{
	struct compute_window window = {.set = report->cut || report->windowed,
		.closed = true,
		.from_ns = report->started_ns,
		.to_ns = report->ended_ns};
	int64_t since_ns = plan->since_ns > 0 ? plan->since_ns : 0;

	if (report->windowed && plan->until_ns >= 0 &&
		report->ended_ns == report->started_ns - since_ns + plan->until_ns)
		window.closed = false; /* not cut off by the run's end */
	return window;
}

/* The database shows the run as it was loaded, until it is let go. */
static int hold(struct runs *runs, const struct run *run, struct error *err)
{
	char *shape = load_plan_shape(&runs->plan);
	struct run stored;
	int found = hold_run(runs->store, run, shape, &stored, err);

	if (found > 0)
		run_release(&stored);
	else if (found == 0)
		found = error_set(err,
			"%s: another run replaced it in the database while it was read; "
			"try --no-db",
			run->path);
	free(shape);
	return found < 0 ? -1 : 0;
}

/* How far apart ticks without times stand, in a run that no log has times of; else 0. */
static int64_t step_of(
	const struct report *report, enum source_kind kind, const struct load_plan *plan)
{
	int64_t recorded_ns = run_interval_ns(report->run, kind);

	if (time_is_dated(report->started_ns))
		return 0;
	if (plan->compute.interval_ns > 0)
		return plan->compute.interval_ns;
	return recorded_ns > 0 ? recorded_ns : 0;
}

static int show_kind(struct chronicle *chronicle, struct store *store,
	struct loaded *loaded, enum source_kind kind, const struct load_plan *plan,
	struct error *err)
{
	struct tick_times times = {.step_ns = step_of(&loaded->report, kind, plan)};
	struct sample_source *source =
		store_samples(store, loaded->run.key, kind, &loaded->run.texts, err);
	struct sample_batch batch;
	int got;

	if (!source)
		return -1;
	sample_batch_init(&batch);
	while ((got = sample_source_next(source, &batch, err)) > 0) {
		tick_times_put(&times, &loaded->run, &batch);
		chronicle_add(chronicle, &batch);
	}
	chronicle_end_source(chronicle);
	tick_times_release(&times);
	sample_batch_release(&batch);
	sample_source_free(source);
	return got;
}

/*
 * Shows those of a report of a loaded run, from the database that it was loaded through.
 * -1 also: another run has its place there by now.
 */
static int show_samples(void *context, const struct report *report,
	struct chronicle_taker *taker, struct error *err)
{
	struct runs *runs = ((struct run_stream *)context)->runs;
	struct loaded *loaded = runs->loaded;
	struct compute_window window = window_of(report, &runs->plan);
	struct chronicle *chronicle;
	struct store *store;
	int shown = 0;

	while (&loaded->run != report->run)
		loaded++;
	store = loaded->samples ? loaded->samples : runs->store;
	if (!loaded->samples && hold(runs, &loaded->run, err) < 0)
		return -1;
	chronicle = chronicle_new(report, &window, taker);
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT && shown == 0; kind++)
		if (source_has_samples(kind))
			shown = show_kind(
				chronicle, store, loaded, kind, &runs->plan, err);
	if (chronicle_left_out(chronicle))
		runs->console->say("%s: %llu rows without times are not shown%s",
			loaded->run.path,
			(unsigned long long)chronicle_left_out(chronicle),
			runs->plan.compute.interval_ns < 0
				? "; add --interval to show such a log alone"
				: "");
	chronicle_free(chronicle);
	if (!loaded->samples)
		store_let_go(store);
	return shown;
}

int stream_write(
	void *context, const struct render_options *options, FILE *out, struct error *err)
{
	struct run_stream *s = context;
	int written;

	s->out = out;
	s->in.samples = show_samples;
	s->in.samples_context = s;
	if (s->in.more)
		begin_runs(s);
	written = s->format->write(&s->in, options, out, err);
	if (!s->is_refused)
		return written;
	*err = s->refused;
	return -1;
}

/* Opens the database that the options name; none: no effect. Release in either case. */
static int baseline_open(struct baseline *baseline, const struct options *opt,
	const struct named *named, struct error *err)
{
	*baseline = (struct baseline){.opt = opt, .named = named};
	if (!opt->baseline_db)
		return 0;
	if (access(opt->baseline_db, F_OK) != 0)
		return error_set(
			err, "--baseline-db %s: no such database", opt->baseline_db);
	return store_open_reader(&baseline->store, opt->baseline_db, err);
}

/* The new run that this one is too; NULL: none. */
static const struct run *new_one(const struct runs *new, const struct run *run)
{
	struct run_identity own = run_identity(run);

	for (size_t i = 0; i < new->count; i++) {
		const struct run *other = &new->loaded[i].run;
		struct run_identity its = run_identity(other);

		if (run_identity_same(&its, &own) || run_identity_same_logs(&its, &own))
			return other;
	}
	return NULL;
}

static void remark_new(
	struct comparison *out, const struct run *run, const struct run *new)
{
	char *name = run_name(run), *other = run_name(new);

	if (strcmp(name, other) == 0)
		comparison_remark(
			out, "%s is a new run, so it is not in the baseline", name);
	else
		comparison_remark(out,
			"%s is the same run as the new run %s, so it is not in the "
			"baseline",
			name, other);
	free(name);
	free(other);
}

/* Asked twice: the runs are counted, and then added, when it is said which are not. */
static bool is_wanted(void *context, const struct run *run)
{
	struct baseline *b = context;
	const struct run *same = new_one(b->new, run);
	bool labelled = label_matches(&run->labels, &b->opt->where);

	if (!b->out) {
		b->runs++;
		b->others += !same;
	} else if (same && labelled) {
		remark_new(b->out, run, same);
	}
	return !same && labelled;
}

static void count_run(void *context, struct report *report)
{
	struct baseline *b = context;

	(void)report;
	b->count++;
}

/* Counts the runs; the new ones are loaded. */
static int baseline_count(
	struct baseline *baseline, const struct runs *new, struct error *err)
{
	const struct history history = {
		.wanted = is_wanted, .take = count_run, .context = baseline};
	size_t outdated;

	baseline->new = new;
	if (!baseline->store)
		return 0;
	return store_history(baseline->store, &history, &outdated, err);
}

int baseline_check(const struct baseline *baseline, struct error *err)
{
	if (!baseline->store || baseline->count)
		return 0;
	if (baseline->runs && !baseline->others)
		return error_set(err,
			"%s: has only the new runs, so there is no baseline yet",
			baseline->opt->baseline_db);
	return error_set(err,
		"%s: none of the %zu runs can be the baseline (needed: the labels of "
		"--where, loaded by this version, not one of the new runs)",
		baseline->opt->baseline_db, baseline->runs);
}

static bool is_taken(const struct baseline *b, const char *name)
{
	for (size_t i = 0; i < b->named->count; i++)
		if (strcmp(b->named->name[i], name) == 0)
			return true;
	for (size_t i = 0; i < b->out->run_count; i++)
		if (strcmp(b->out->run[i].name, name) == 0)
			return true;
	return false;
}

/* CI puts the runs of each build into folders of the same names. To be freed. */
static char *name_of(const struct baseline *b, const struct report *report)
{
	char *path = run_name(report->run);
	struct strbuf name = strbuf_new();

	strbuf_adds(&name, path);
	if (is_taken(b, name.text) && report->started_ns != TIME_NONE) {
		strbuf_adds(&name, " (");
		quantity_when(&name, report->started_ns);
		strbuf_addc(&name, ')');
	}
	if (is_taken(b, name.text)) {
		strbuf_clear(&name);
		strbuf_addf(&name, "%s (%s)", path, report->run->key);
	}
	free(path);
	return strbuf_detach(&name);
}

static void add_run(void *context, struct report *report)
{
	struct baseline *b = context;
	const struct report_filter filter = {.per_core = b->opt->per_core};
	char *name = name_of(b, report);

	report_select(report, &filter);
	/* One that was loaded since they were counted has no room. */
	if (b->added == 0 && b->out->on_side[SIDE_BASE] < b->count)
		b->added = compare_add(b->comparing, name, SIDE_BASE, report, &b->err);
	free(name);
}

/*
 * Adds them on their side, in the order of time, each by the name of its path; where
 * that is taken, by a new one or an older one, with its start behind it, else with its
 * key.
 */
static int baseline_add(struct baseline *baseline, struct comparing *comparing,
	struct comparison *out, struct error *err)
{
	const struct history history = {.wanted = is_wanted,
		.take = add_run,
		.context = baseline,
		.parts = (1u << MEASURE_PARTS) - 1,
		.calls = true,
		.rules = baseline->new->plan.compute.rules};
	size_t outdated;

	if (!baseline->store)
		return 0;
	baseline->comparing = comparing;
	baseline->out = out;
	if (store_history(baseline->store, &history, &outdated, err) < 0)
		return -1;
	if (outdated)
		comparison_remark(out,
			"%zu %s of %s %s loaded by another version and can't be "
			"compared: not in the baseline",
			outdated, outdated == 1 ? "run" : "runs",
			baseline->opt->baseline_db, outdated == 1 ? "was" : "were");
	if (baseline->added < 0)
		*err = baseline->err;
	return baseline->added;
}

const char sides_missing[] = "no usable run on one side, or only one run";

enum side sides_plain(const struct options *opt, int nth)
{
	if (opt->vs >= 0)
		return nth < opt->vs ? SIDE_BASE : SIDE_NEW;
	if (opt->operand_count == 2 && !opt->weights)
		return nth ? SIDE_NEW : SIDE_BASE;
	return SIDES;
}

/* Of all devices that are asked for: the report is of these alone. */
static bool sides_is_wanted(void *context, const struct measure *measure)
{
	const struct options *opt = context;

	return (measure->headline || opt->verbose > 0 || opt->metric) &&
		globs_match(opt->metric, measure->key) &&
		(!opt->phase ||
			(measure->phase && phase_fits(opt->phase, measure->phase)));
}

compare_wanted *sides_wanted(const struct options *opt)
{
	return opt->verbose > 0 || options_has_filter(opt) ? sides_is_wanted : NULL;
}

/* The reason without the path that it begins with. */
static void lose(struct sides *sides, size_t nth, const char *why)
{
	const char *path = sides->named->path[nth];
	size_t len = strlen(path);

	if (strncmp(why, path, len) == 0 && strncmp(why + len, ": ", 2) == 0)
		why += len + 2;
	ALLOC_NEXT(sides->lost, sides->lost_count, sides->lost_cap) =
		(struct lost_run){xstrdup(sides->named->name[nth]), xstrdup(why)};
}

const char *sides_refused(const struct options *opt)
{
	for (int i = 0; i < opt->operand_count; i++)
		if (strcmp(opt->operand[i], "vs") == 0 && access("vs", F_OK) != 0)
			return "no run is called vs; did you mean --vs? BASE... --vs "
			       "NEW...";
	if (opt->vs == 0 || opt->vs == opt->operand_count)
		return "--vs needs runs on both sides: BASE... --vs NEW...";
	if (opt->baseline_db && opt->vs >= 0)
		return "--baseline-db and --vs exclude each other: with a baseline "
		       "database all runs given are new";
	if (opt->baseline_db && opt->device)
		return "--baseline-db holds numbers of whole runs: it can't be used with "
		       "--device";
	if (opt->baseline_db && window_is_asked(opt))
		return "--baseline-db holds numbers of whole runs: it can't be used with "
		       "--since or --until";
	if ((opt->paired || opt->paired_by) && opt->baseline_db)
		return "--paired and --paired-by need the base runs themselves: they "
		       "can't be used with --baseline-db";
	if ((opt->paired || opt->paired_by) && opt->vs < 0 && opt->operand_count != 2)
		return "--paired and --paired-by need two sides: BASE... --vs NEW...";
	if (opt->where.count && !opt->baseline_db)
		return "--where selects runs of a database: it needs --baseline-db FILE";
	return NULL;
}

static int load_run_of(struct sides *sides, size_t nth, enum side side)
{
	struct runs *runs = &sides->runs;

	const char *why;

	if (runs_load(runs, &sides->named->path[nth], 1) == 0) {
		if (runs->spoilt)
			comparison_remark(&sides->comparison, "%s", runs->spoilt);
		return 0;
	}
	why = runs->warning[runs->warning_count - 1];
	if (runs->opt->gate && side == SIDE_NEW)
		lose(sides, nth, why);
	else
		comparison_remark(&sides->comparison, "not compared: %s", why);
	return -1;
}

static int sides_add_run(struct sides *sides, struct comparing *comparing,
	struct loaded *loaded, size_t nth, enum side side, struct error *err)
{
	const struct options *opt = sides->runs.opt;
	const struct report_filter filter = {
		.device = opt->device, .per_core = opt->per_core};
	int added;

	pairing_add(&sides->pairing, sides->named->name[nth], side, &loaded->report);
	selection_apply(&loaded->report, &filter);
	sides->has_devices |= loaded->report.stats_count > 0;
	added = compare_add(
		comparing, sides->named->name[nth], side, &loaded->report, err);
	/* The numbers are in the rows; many runs' reports are much memory. */
	report_release(&loaded->report);
	report_init(&loaded->report, &loaded->run);
	return added;
}

/* What failed, or was cut off, tells a gate nothing of what is usual, unless its rules
 * say so. */
static struct comparing *sides_begin(
	struct sides *sides, size_t runs, compare_wanted *wanted)
{
	const struct options *opt = sides->runs.opt;
	struct comparing *comparing =
		compare_begin(&sides->comparison, runs, wanted, (void *)opt);

	if (opt->gate && !opt->gate->judges_failed)
		compare_leave_undone(comparing);
	return comparing;
}

/* Each run is added as soon as it is loaded. */
static int load_each(
	struct sides *sides, sides_of *side_of, compare_wanted *wanted, struct error *err)
{
	struct runs *runs = &sides->runs;
	struct comparing *comparing = sides_begin(sides, sides->named->count, wanted);
	int added = 0;

	runs_announce(runs, sides->named->path, sides->named->count);
	for (size_t i = 0; i < sides->named->count && added == 0; i++) {
		enum side side = side_of(runs->opt, (int)i);

		if (load_run_of(sides, i, side) == 0)
			added = sides_add_run(sides, comparing,
				&runs->loaded[runs->count - 1], i, side, err);
		else
			pairing_add(&sides->pairing, sides->named->name[i], side, NULL);
	}
	if (added == 0)
		added = pairing_end(&sides->pairing, &sides->comparison, err);
	compare_end(comparing);
	return added;
}

/* What the base is depends on the new runs: they are loaded first, and added last. */
static int load_beside_base(
	struct sides *sides, compare_wanted *wanted, struct error *err)
{
	struct runs *runs = &sides->runs;
	size_t *nth = xcalloc(sides->named->count + 1, sizeof *nth);
	struct comparing *comparing;
	int added;

	runs_announce(runs, sides->named->path, sides->named->count);
	for (size_t i = 0; i < sides->named->count; i++)
		if (load_run_of(sides, i, SIDE_NEW) == 0)
			nth[runs->count - 1] = i;
	if (baseline_count(&sides->baseline, runs, err) < 0) {
		free(nth);
		return -1;
	}
	if (baseline_check(&sides->baseline, err) < 0)
		comparison_remark(&sides->comparison, "%s", err->message);
	comparing = sides_begin(sides, sides->baseline.count + runs->count, wanted);
	compare_sample_base(comparing);
	added = baseline_add(&sides->baseline, comparing, &sides->comparison, err);
	for (size_t i = 0; i < runs->count && added == 0; i++)
		added = sides_add_run(
			sides, comparing, &runs->loaded[i], nth[i], SIDE_NEW, err);
	compare_end(comparing);
	free(nth);
	return added;
}

/* Of many runs the first ones of each side: more are not shown. */
static void plan_timelines(
	struct load_plan *plan, const struct options *opt, const struct named *named)
{
	size_t new = opt->vs > 0 ? (size_t)opt->vs : 0;
	size_t most = new ? DRAWING_RUNS / SIDES : DRAWING_RUNS;

	plan->timeline_columns = drawing_columns(named->count);
	plan->timeline_of[0] = (struct timeline_share){named->path, most};
	if (new > 0 && new < named->count)
		plan->timeline_of[1] = (struct timeline_share){named->path + new, most};
}

int sides_load(struct sides *sides, const struct options *opt, const struct named *named,
	sides_of *side_of, compare_wanted *wanted, bool draws,
	const struct console *console, struct error *err)
{
	int loaded;

	*sides = (struct sides){.named = named,
		.pairing.by = opt->paired_by ? opt->paired_by
			: opt->paired	     ? "order"
					     : NULL};
	if (runs_init(&sides->runs, opt, console, err) < 0)
		return -1;
	sides->runs.plan.several = true;
	if (draws)
		plan_timelines(&sides->runs.plan, opt, named);
	loaded = baseline_open(&sides->baseline, opt, named, err);
	if (loaded == 0)
		loaded = opt->baseline_db ? load_beside_base(sides, wanted, err)
					  : load_each(sides, side_of, wanted, err);
	return loaded;
}

void sides_release(struct sides *sides)
{
	comparison_release(&sides->comparison);
	pairing_release(&sides->pairing);
	store_close(sides->baseline.store);
	runs_release(&sides->runs);
	for (size_t i = 0; i < sides->lost_count; i++) {
		free(sides->lost[i].name);
		free(sides->lost[i].why);
	}
	free(sides->lost);
}

/* A link to nowhere is there as well: it says that it was meant. */
static bool is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

/* Of a path with a slash: could it be there? */
static bool has_folder(const char *path)
{
	char *folder = xstrndup(path, (size_t)(strrchr(path, '/') - path));
	bool there = !*folder || is_there(folder);

	free(folder);
	return there;
}

/* Where the name of NAME=RUN ends; NULL: the operand is a path. */
static const char *name_end(const char *operand)
{
	const char *end = strchr(operand, '=');

	if (!end || end == operand || !end[1] || is_there(operand))
		return NULL;
	return memchr(operand, '/', (size_t)(end - operand)) && has_folder(operand) ? NULL
										    : end;
}

static void name_run(struct named *named, size_t nth, const char *operand)
{
	const char *end = name_end(operand);
	size_t len = strlen(operand);

	if (end) {
		named->name[nth] = xstrndup(operand, (size_t)(end - operand));
		named->path[nth] = end + 1;
		return;
	}
	while (len > 1 && operand[len - 1] == '/')
		len--;
	named->name[nth] = xstrndup(operand, len);
	named->path[nth] = operand;
}

/* Two of one name: the same run, or two that want other names. */
static int refuse_twins(
	const struct named *named, size_t first, size_t second, struct error *err)
{
	const char *name = named->name[second];

	if (strcmp(named->path[first], named->path[second]) == 0)
		return error_set(
			err, "%s is given twice; give each run once, on one side", name);
	return error_set(err, "two runs are called %s; name one of them: NAME=%s", name,
		named->path[second]);
}

int named_init(struct named *named, const struct options *opt, struct error *err)
{
	named->count = (size_t)opt->operand_count;
	named->name = xcalloc(named->count, sizeof *named->name);
	named->path = xcalloc(named->count, sizeof *named->path);
	for (size_t i = 0; i < named->count; i++)
		name_run(named, i, opt->operand[i]);
	for (size_t i = 0; i < named->count; i++)
		for (size_t k = 0; k < i; k++)
			if (strcmp(named->name[i], named->name[k]) == 0)
				return refuse_twins(named, k, i, err);
	return 0;
}

void named_release(struct named *named)
{
	free_texts(named->name, named->count);
	free(named->path);
}

static int add_runs(struct comparing *comparing, struct runs *runs,
	const struct named *named, const size_t *nth, struct error *err)
{
	const struct options *opt = runs->opt;
	const struct report_filter filter = {
		.device = opt->device, .per_core = opt->per_core};

	for (size_t i = 0; i < runs->count; i++) {
		struct report *report = &runs->loaded[i].report;

		selection_apply(report, &filter);
		if (compare_add(comparing, named->name[nth[i]],
			    sides_plain(opt, (int)nth[i]), report, err) < 0)
			return -1;
	}
	return 0;
}

void page_comparison_init(
	struct page_comparison *comparison, struct runs *runs, const size_t *nth)
{
	const struct options *opt = runs->opt;
	struct comparing *comparing;
	struct named named = {0};

	*comparison =
		(struct page_comparison){.comparison = {.filter = options_filter(opt)}};
	comparing = compare_begin(
		&comparison->comparison, runs->count, sides_wanted(opt), (void *)opt);
	if (named_init(&named, opt, &comparison->why) == 0 &&
		add_runs(comparing, runs, &named, nth, &comparison->why) == 0 &&
		!comparison_is_whole(&comparison->comparison))
		error_set(&comparison->why, "%s", sides_missing);
	compare_end(comparing);
	named_release(&named);
}

#define NAMES_SAID 8
#define RUNS_SAID  4

/* The names of one kind in all runs. */
struct names {
	const char **at; /* [count] borrowed */
	size_t count, cap;
};

static void add_name(struct names *names, const char *name)
{
	ALLOC_NEXT(names->at, names->count, names->cap) = name;
}

struct subject {
	const char *option, *thing;
	const char *asked; /* NULL: nothing */
	bool (*matches)(const struct report *report, const struct report_filter *filter,
		struct names *names);
};

/* Only of devices of which there is a number; single CPUs as far as they are shown. */
static bool matches_device(const struct report *report,
	const struct report_filter *filter, struct names *names)
{
	uint32_t before = UINT32_MAX;
	bool any = false;

	for (size_t i = 0; i < report->stats_count; i++) {
		uint32_t index = report->stats[i].device;
		const struct device *device = &report->run->device[index];

		if (index == before || (device_is_core(device) && !filter->per_core))
			continue;
		before = index;
		add_name(names, device->name);
		any |= fnmatch(filter->device, device->name, 0) == 0;
	}
	return any;
}

static bool matches_metric(const struct report *report,
	const struct report_filter *filter, struct names *names)
{
	bool known[METRIC_COUNT] = {false}, any = false;

	for (size_t i = 0; i < report->stats_count; i++)
		known[report->stats[i].metric] = true;
	for (enum metric_id id = 0; id < METRIC_COUNT; id++) {
		if (!known[id])
			continue;
		add_name(names, metric_get(id)->name);
		any |= globs_match(filter->metric, metric_get(id)->name);
	}
	return any;
}

static bool matches_phase(const struct report *report, const struct report_filter *filter,
	struct names *names)
{
	bool any = false;

	for (size_t i = 0; i < report->path_count; i++) {
		add_name(names, report->path[i].path);
		any |= phase_path_matches(&report->path[i], filter->phase);
	}
	return any;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* "; did you mean gpu0?", or what there is. */
static void add_names(struct strbuf *text, const char *asked, struct names *names)
{
	struct near near = {.asked = asked};
	struct name_list list;

	name_list_init(&list, NAMES_SAID);
	SORT(names->at, names->count, by_name);
	for (size_t i = 0; i < names->count; i++) {
		if (i && strcmp(names->at[i - 1], names->at[i]) == 0)
			continue;
		near_offer(&near, names->at[i]);
		if (name_list_next(&list))
			strbuf_adds(&list.text, names->at[i]);
	}
	name_list_end(&list);
	for (size_t i = 0; i < names->count; i++)
		near_offer_words(&near, names->at[i]);
	if (!near.count)
		for (size_t i = 0; i < names->count; i++)
			near_offer_part(&near, names->at[i]);
	near_say(text, &near, "");
	if (!near.count)
		strbuf_addf(text, "; recorded: %s", list.count ? list.text.text : "none");
	name_list_release(&list);
}

static int check(const struct subject *subject, const struct loaded *loaded, size_t count,
	const struct report_filter *filter, const struct console *console)
{
	struct names names = {0};
	struct name_list without;
	struct strbuf text = strbuf_new();
	size_t missed;

	name_list_init(&without, RUNS_SAID);
	for (size_t i = 0; i < count; i++)
		if (!subject->matches(&loaded[i].report, filter, &names) &&
			name_list_next(&without))
			strbuf_adds(&without.text, loaded[i].run.path);
	name_list_end(&without);
	missed = without.count;
	if (missed == count) {
		strbuf_addf(&text, "no %s matches --%s %s", subject->thing,
			subject->option, subject->asked);
		add_names(&text, subject->asked, &names);
	} else if (missed) {
		strbuf_addf(&text, "%s: no %s matches --%s %s", without.text.text,
			subject->thing, subject->option, subject->asked);
	}
	if (missed)
		console->say("%s", text.text);
	strbuf_release(&text);
	name_list_release(&without);
	free(names.at);
	return missed == count ? -1 : 0;
}

int matching_check(const struct loaded *loaded, size_t count,
	const struct report_filter *filter, const struct console *console)
{
	const struct subject subjects[] = {
		{"device", "device", filter->device, matches_device},
		{"metric", "metric", filter->metric, matches_metric},
		{"phase", "phase", filter->phase, matches_phase},
	};
	int checked = 0;

	for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
		if (subjects[i].asked &&
			check(&subjects[i], loaded, count, filter, console) < 0)
			checked = -1;
	return checked;
}

int matching_check_left(const struct loaded *loaded, size_t count,
	const struct report_filter *filter, const struct console *console)
{
	if (!filter->device || !filter->metric)
		return 0;
	for (size_t i = 0; i < count; i++)
		if (loaded[i].report.stats_count)
			return 0;
	console->say(
		"no metric %s recorded for device %s", filter->metric, filter->device);
	return -1;
}
