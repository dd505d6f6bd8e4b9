/* A ring of places: the nth run is in place n modulo their number. */
#include "cmd/ahead.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cmd/progress.h"

#define THREADS_MAX 8 /* unless somebody asks for more */
#define PER_THREAD  2 /* places */
#define WATCH_NS    (NS_PER_S / 10) /* that people are told something */

struct place {
	bool loaded; /* or failed */
	int result;
	struct loaded run;
	struct error err;
	struct draft *draft; /* instead of the three */
};

struct ahead {
	const char *const *path;
	size_t count;
	struct options opt;
	bool drafts;
	pthread_t *thread; /* [threads] */
	size_t threads;
	pthread_mutex_t lock; /* of the following */
	pthread_cond_t done, wanted;
	size_t next; /* to be loaded */
	size_t end; /* of those that may be */
	size_t taken;
	bool ends;
	struct place *place; /* [places] */
	size_t places;
};

static size_t thread_count(const struct options *opt, size_t runs)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t threads = (size_t)opt->jobs;

	if (!threads)
		threads = processors < 1	   ? 1
			: processors < THREADS_MAX ? (size_t)processors
						   : THREADS_MAX;
	return threads < runs ? threads : runs;
}

/* The next run that there is a place for; false: there is none left. */
static bool begin_next(struct ahead *a, size_t *nth)
{
	bool begun;

	pthread_mutex_lock(&a->lock);
	while (!a->ends && a->next < a->count &&
		(a->next == a->end || a->next - a->taken >= a->places))
		pthread_cond_wait(&a->wanted, &a->lock);
	begun = !a->ends && a->next < a->count;
	if (begun)
		*nth = a->next++;
	pthread_mutex_unlock(&a->lock);
	return begun;
}

static void *load_runs(void *context)
{
	struct ahead *a = context;
	size_t nth;

	while (begin_next(a, &nth)) {
		struct place *place = &a->place[nth % a->places];

		if (a->drafts)
			place->draft = draft_new(&a->path[nth], &a->opt);
		else
			place->result = load_run(&place->run, &a->path[nth], 1, &a->opt,
				NULL, &place->err);
		pthread_mutex_lock(&a->lock);
		place->loaded = true;
		pthread_cond_broadcast(&a->done);
		pthread_mutex_unlock(&a->lock);
	}
	return NULL;
}

static struct ahead *begin(const char *const *path, size_t count,
	const struct options *opt, size_t threads, bool drafts)
{
	struct ahead *a = xcalloc(1, sizeof *a);
	pthread_condattr_t monotonic;

	*a = (struct ahead){.path = path, .count = count, .opt = *opt, .drafts = drafts};
	a->end = drafts ? 0 : count;
	a->places = drafts ? 1 : threads * PER_THREAD;
	a->place = xcalloc(a->places, sizeof *a->place);
	a->thread = xcalloc(threads, sizeof *a->thread);
	pthread_mutex_init(&a->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&a->done, &monotonic);
	pthread_cond_init(&a->wanted, &monotonic);
	pthread_condattr_destroy(&monotonic);
	while (a->threads < threads &&
		pthread_create(&a->thread[a->threads], NULL, load_runs, a) == 0)
		a->threads++;
	if (a->threads)
		return a;
	ahead_free(a);
	return NULL;
}

struct ahead *ahead_new(const char *const *path, size_t count, const struct options *opt)
{
	size_t threads = thread_count(opt, count);

	return threads < 2 ? NULL : begin(path, count, opt, threads, false);
}

struct ahead *ahead_new_drafts(
	const char *const *path, size_t count, const struct options *opt)
{
	return thread_count(opt, count) < 2 ? NULL : begin(path, count, opt, 1, true);
}

void ahead_free(struct ahead *a)
{
	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	a->ends = true;
	pthread_cond_broadcast(&a->wanted);
	pthread_mutex_unlock(&a->lock);
	for (size_t i = 0; i < a->threads; i++)
		pthread_join(a->thread[i], NULL);
	for (size_t i = 0; i < a->places; i++) {
		draft_drop(a->place[i].draft);
		if (!a->drafts && a->place[i].loaded && a->place[i].result == 0)
			loaded_release(&a->place[i].run);
	}
	pthread_mutex_destroy(&a->lock);
	pthread_cond_destroy(&a->done);
	pthread_cond_destroy(&a->wanted);
	free(a->thread);
	free(a->place);
	free(a);
}

bool ahead_has(const struct ahead *a, const char *const *path)
{
	return path >= a->path && path < a->path + a->count;
}

bool ahead_is_next(const struct ahead *a, const char *const *path)
{
	return a->taken < a->end && path == &a->path[a->taken];
}

void ahead_draft(struct ahead *a, const char *const *path)
{
	pthread_mutex_lock(&a->lock);
	a->taken = a->next = (size_t)(path - a->path);
	a->end = a->next + 1;
	pthread_cond_broadcast(&a->wanted);
	pthread_mutex_unlock(&a->lock);
}

/* Until then; the lock is held. */
static void wait_a_while(struct ahead *a)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += WATCH_NS;
	until.tv_sec += until.tv_nsec / NS_PER_S;
	until.tv_nsec %= NS_PER_S;
	if (a->opt.progress)
		pthread_cond_timedwait(&a->done, &a->lock, &until);
	else
		pthread_cond_wait(&a->done, &a->lock);
}

/* Waits for the next run; the lock is held then, and until it is taken. */
static struct place *await_next(struct ahead *a)
{
	struct place *place = &a->place[a->taken % a->places];

	pthread_mutex_lock(&a->lock);
	while (!place->loaded) {
		wait_a_while(a);
		progress_watch(a->opt.progress);
	}
	return place;
}

static void took(struct ahead *a, struct place *place)
{
	place->loaded = false;
	a->taken++;
	pthread_cond_broadcast(&a->wanted);
	pthread_mutex_unlock(&a->lock);
	progress_wipe(a->opt.progress);
}

int ahead_take(struct ahead *a, struct loaded *out, struct error *err)
{
	struct place *place = await_next(a);
	int result = place->result;

	if (result < 0)
		*err = place->err;
	else
		loaded_move(out, &place->run);
	took(a, place);
	return result;
}

struct draft *ahead_take_draft(struct ahead *a)
{
	struct place *place = await_next(a);
	struct draft *draft = place->draft;

	place->draft = NULL;
	took(a, place);
	return draft;
}
