/*
 * Time that sets one GPU apart from the others: a sweep over the ends of what is known of
 * all. README.md, "Findings".
 */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "compute/run/held.h"

enum what {
	AT_WORK, /* between its first row that does not fulfil the conditions and the last
		    such row */
	AWAY, /* its log says nothing */
	HOLDS,
	WHATS
};

struct end {
	int64_t t_ns;
	uint32_t gpu, rows; /* index in held; of what holds */
	int step; /* 1: it begins, -1: it ends */
	enum what what;
};

struct ends {
	struct end *at; /* [count] owned */
	size_t count, cap;
};

/* A part of a GPU's time that sets it apart. */
struct piece {
	struct stretch time;
	uint32_t rows; /* of the stretches that it is of: those of the one with the fewest
			*/
	int128 gpu_ns;
};

struct gpu_now {
	int open[WHATS]; /* after a step back of the clock more than one may be */
	uint32_t rows; /* of the stretch that holds */
	struct piece *piece; /* [count] ascending; owned */
	size_t count, cap;
	int128 apart_ns; /* it is the only one that fulfils them; does not */
};

struct sweep {
	enum rule_alone alone;
	struct gpu_now *gpu; /* [gpus] owned */
	size_t gpus;
	int128 none_ns, some_ns; /* of those that are there so many fulfil them */
};

static int by_time(const void *a, const void *b)
{
	const struct end *x = a, *y = b;

	return (x->t_ns > y->t_ns) - (x->t_ns < y->t_ns);
}

static void add(struct ends *ends, size_t gpu, enum what what, const struct stretch *time,
	uint32_t rows)
{
	if (time->to_ns <= time->from_ns)
		return;
	ALLOC_GROW(ends->at, ends->count + 2, ends->cap);
	ends->at[ends->count++] =
		(struct end){time->from_ns, (uint32_t)gpu, rows, 1, what};
	ends->at[ends->count++] =
		(struct end){time->to_ns, (uint32_t)gpu, rows, -1, what};
}

static struct ends ends_of(const struct held *held)
{
	struct ends ends = {NULL, 0, 0};

	for (size_t i = 0; i < held->gpu_count; i++) {
		const struct gpu_watch *gpu = &held->gpu[i];
		const struct stretch work = {
			gpu->watch->first_not_ns, gpu->watch->last_not_ns};

		if (gpu->always)
			continue;
		add(&ends, i, AT_WORK, &work, 0);
		for (size_t k = 0; k < gpu->at.away.count; k++)
			add(&ends, i, AWAY, &gpu->at.away.at[k].time, 0);
		for (size_t k = 0; k < gpu->at.at.count; k++)
			add(&ends, i, HOLDS, &gpu->at.at.at[k].time,
				gpu->at.at.at[k].rows);
	}
	if (ends.count)
		qsort(ends.at, ends.count, sizeof *ends.at, by_time);
	return ends;
}

static bool is_there(const struct gpu_now *gpu)
{
	return gpu->open[AT_WORK] > 0 && gpu->open[AWAY] <= 0;
}

static void add_piece(
	struct gpu_now *gpu, const struct stretch *time, uint32_t rows, int128 gpu_ns)
{
	struct piece *last = gpu->count ? &gpu->piece[gpu->count - 1] : NULL;

	if (!last || last->time.to_ns != time->from_ns) {
		ALLOC_GROW(gpu->piece, gpu->count + 1, gpu->cap);
		gpu->piece[gpu->count++] = (struct piece){*time, rows, gpu_ns};
		return;
	}
	last->time.to_ns = time->to_ns;
	last->rows = rows < last->rows ? rows : last->rows;
	last->gpu_ns += gpu_ns;
}

/* Who of those that are there fulfils the conditions. */
struct look {
	size_t there, holding;
	size_t holder, other; /* the last one that does; that does not */
	uint32_t fewest; /* rows of those that do */
};

static struct look look(const struct sweep *sweep)
{
	struct look now = {.fewest = UINT32_MAX};

	for (size_t i = 0; i < sweep->gpus; i++) {
		const struct gpu_now *gpu = &sweep->gpu[i];

		if (!is_there(gpu))
			continue;
		now.there++;
		if (gpu->open[HOLDS] <= 0) {
			now.other = i;
			continue;
		}
		now.holding++;
		now.holder = i;
		if (gpu->rows < now.fewest)
			now.fewest = gpu->rows;
	}
	return now;
}

/* Those that wait while at most half of them do. */
static void take_few(
	struct sweep *sweep, const struct look *now, const struct stretch *time)
{
	int64_t ns = time->to_ns - time->from_ns;

	if (now->holding == 1)
		sweep->gpu[now->holder].apart_ns += ns;
	for (size_t i = 0; 2 * now->holding <= now->there && i < sweep->gpus; i++)
		if (is_there(&sweep->gpu[i]) && sweep->gpu[i].open[HOLDS] > 0)
			add_piece(&sweep->gpu[i], time, sweep->gpu[i].rows, ns);
}

/* The one that works while all others wait: of two nobody knows which is the exception.
 */
static void take_last(
	struct sweep *sweep, const struct look *now, const struct stretch *time)
{
	int64_t ns = time->to_ns - time->from_ns;

	if (now->there < 3 || now->there - now->holding != 1)
		return;
	sweep->gpu[now->other].apart_ns += ns;
	add_piece(&sweep->gpu[now->other], time, now->fewest,
		(int128)ns * (int64_t)now->holding);
}

static void take(struct sweep *sweep, const struct stretch *time)
{
	struct look now = look(sweep);
	int64_t ns = time->to_ns - time->from_ns;

	if (now.there < 2 || now.holding == now.there)
		return;
	if (!now.holding) {
		sweep->none_ns += ns;
		return;
	}
	sweep->some_ns += ns;
	if (sweep->alone == ALONE_HOLDS)
		take_few(sweep, &now, time);
	else
		take_last(sweep, &now, time);
}

static void apply(struct sweep *sweep, const struct end *end)
{
	struct gpu_now *gpu = &sweep->gpu[end->gpu];

	gpu->open[end->what] += end->step;
	if (end->what == HOLDS && end->step > 0)
		gpu->rows = end->rows;
}

static struct sweep sweep_over(const struct held *held, enum rule_alone alone)
{
	struct ends ends = ends_of(held);
	struct sweep sweep = {.alone = alone, .gpus = held->gpu_count};

	sweep.gpu = xcalloc(sweep.gpus + 1, sizeof *sweep.gpu);
	for (size_t i = 0; i < ends.count; i++) {
		if (i && ends.at[i].t_ns > ends.at[i - 1].t_ns)
			take(&sweep,
				&(struct stretch){ends.at[i - 1].t_ns, ends.at[i].t_ns});
		apply(&sweep, &ends.at[i]);
	}
	free(ends.at);
	return sweep;
}

/* Which pieces count. */
struct least {
	int64_t ns;
	uint32_t rows;
	bool coarse; /* the logs have too few rows to see the shortest that would */
};

/* A row too few, half a step too early: what is shorter may be of one row. */
static struct least least_of(const struct rule *rule, const struct held *held)
{
	struct least least = {0, rule->stretch_rows, false};
	int64_t rows_ns = 0;

	if (!rule->stretch_rows)
		return least;
	for (size_t i = 0; i < held->gpu_count; i++) {
		int64_t ns = (2 * (int64_t)rule->stretch_rows - 1) *
			held->gpu[i].interval_ns / 2;

		rows_ns = ns > rows_ns ? ns : rows_ns;
	}
	least.ns = held_least_ns(rule);
	least.coarse = rows_ns > least.ns;
	least.ns = least.coarse ? rows_ns : least.ns;
	return least;
}

static void leave(struct gpu_watch *gpu, const struct gpu_now *now,
	const struct rule *rule, const struct least *least)
{
	struct watched *at = &gpu->at;
	int128 ns = 0, gpu_ns = 0, unclear_ns = 0;

	free(at->at.at);
	at->at = (struct held_stretches){NULL, 0, 0};
	at->gpu_ns = xcalloc(now->count + 1, sizeof *at->gpu_ns);
	for (size_t i = 0; i < now->count; i++) {
		const struct piece *piece = &now->piece[i];
		int64_t long_ns = piece->time.to_ns - piece->time.from_ns;

		if (long_ns < least->ns || piece->rows < least->rows) {
			if (least->coarse || long_ns >= held_least_ns(rule))
				unclear_ns += long_ns;
			continue;
		}
		at->gpu_ns[at->at.count] = piece->gpu_ns;
		ALLOC_GROW(at->at.at, at->at.count + 1, at->at.cap);
		at->at.at[at->at.count++] =
			(struct held_stretch){piece->time, 0, piece->rows};
		ns += long_ns;
		gpu_ns += piece->gpu_ns;
	}
	at->seconds = number_ratio(ns, NS_PER_S);
	at->gpu_seconds = number_ratio(gpu_ns, NS_PER_S);
	at->possible_s = number_ratio(ns + unclear_ns, NS_PER_S);
}

static void know_nothing(struct held *held)
{
	for (size_t i = 0; i < held->gpu_count; i++) {
		held->gpu[i].at.seconds = held->gpu[i].at.gpu_seconds = NAN;
		held->gpu[i].at.listed = false;
	}
}

void held_leave_alone(struct held *held, const struct rule *rule)
{
	struct least least = least_of(rule, held);
	struct sweep sweep;
	bool known = true;

	for (size_t i = 0; i < held->gpu_count; i++)
		known &= held->gpu[i].known && held->gpu[i].at.listed;
	if (!known) {
		know_nothing(held);
		return;
	}
	sweep = sweep_over(held, rule->alone);
	for (size_t i = 0; i < held->gpu_count; i++) {
		struct gpu_now *gpu = &sweep.gpu[i];
		int128 all_ns = sweep.none_ns + sweep.some_ns - gpu->apart_ns;

		leave(&held->gpu[i], gpu, rule, &least);
		if (all_ns > 0)
			held->gpu[i].together = number_ratio(sweep.none_ns, all_ns);
		free(gpu->piece);
	}
	free(sweep.gpu);
}
