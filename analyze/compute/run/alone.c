/*
 * Time that distinguishes one GPU from the others: a sweep over the ends of all
 * stretches. README.md, "Findings".
 */
#include "compute/run/alone.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "compute/run/state.h"

/* Of a rule; the others have none. */
#define MEANWHILE_SPANS 100

/* A sweep over the ends of all GPUs' stretches. */

enum what {
	THERE, /* outside of it nobody asks this GPU */
	AWAY, /* its log says nothing */
	HOLDS,
	WHATS
};

struct end {
	int64_t t_ns;
	uint32_t gpu, rows; /* of the sweep; of what holds */
	int step; /* 1: it begins, -1: it ends */
	enum what what;
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
	struct gpu_now *gpu; /* [gpus] owned */
	size_t gpus;
	struct end *end; /* [count] by time, once it has begun; owned */
	size_t count, cap;
	size_t at; /* the next one */
	int128 none_ns, some_ns; /* of those that are there so many fulfil them */
};

static void add(struct sweep *sweep, size_t gpu, enum what what,
	const struct stretch *time, uint32_t rows)
{
	if (time->to_ns <= time->from_ns)
		return;
	ALLOC_GROW(sweep->end, sweep->count + 2, sweep->cap);
	sweep->end[sweep->count++] =
		(struct end){time->from_ns, (uint32_t)gpu, rows, 1, what};
	sweep->end[sweep->count++] =
		(struct end){time->to_ns, (uint32_t)gpu, rows, -1, what};
}

static void add_held(struct sweep *sweep, size_t gpu, const struct held_stretches *held)
{
	for (size_t i = 0; i < held->count; i++)
		add(sweep, gpu, HOLDS, &held->at[i].time, held->at[i].rows);
}

/* All is added. */
static void begin(struct sweep *sweep)
{
	sweep->gpu = xcalloc(sweep->gpus + 1, sizeof *sweep->gpu);
	SORT(sweep->end, sweep->count, compare_int64);
}

static void sweep_release(struct sweep *sweep)
{
	for (size_t i = 0; i < sweep->gpus; i++)
		free(sweep->gpu[i].piece);
	free(sweep->gpu);
	free(sweep->end);
}

/* The next time in which nothing begins or ends. False: there is none. */
static bool next(struct sweep *sweep, struct stretch *time)
{
	while (sweep->at < sweep->count) {
		const struct end *end = &sweep->end[sweep->at++];
		struct gpu_now *gpu = &sweep->gpu[end->gpu];

		gpu->open[end->what] += end->step;
		if (end->what == HOLDS && end->step > 0)
			gpu->rows = end->rows;
		if (sweep->at < sweep->count && end[1].t_ns > end->t_ns) {
			*time = (struct stretch){end->t_ns, end[1].t_ns};
			return true;
		}
	}
	return false;
}

static bool is_there(const struct gpu_now *gpu)
{
	return gpu->open[THERE] > 0 && gpu->open[AWAY] <= 0;
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

/* When all that are there fulfil the conditions. */
static struct joint joint_of(struct sweep *sweep)
{
	struct joint joint = {NULL, 0};
	struct stretch time;
	size_t cap = 0;

	begin(sweep);
	while (next(sweep, &time)) {
		struct look now = look(sweep);

		if (!now.there || now.holding < now.there)
			continue;
		if (!joint.count || joint.at[joint.count - 1].time.to_ns < time.from_ns) {
			ALLOC_NEXT(joint.at, joint.count, cap) =
				(struct joint_stretch){time, 0};
		}
		joint.at[joint.count - 1].time.to_ns = time.to_ns;
		joint.at[joint.count - 1].gpu_ns +=
			(int128)(time.to_ns - time.from_ns) * (int64_t)now.there;
	}
	return joint;
}

/* Stretches of a rule: of each GPU, and of the GPUs together. */

/* By the first kind of log of the GPU that has rows with all the values. */
static void watch_gpu(struct aggregate *agg, size_t rule, struct gpu_watch *gpu)
{
	size_t plan = agg->watches.of_rule[rule];
	struct timing timing;

	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		struct source_state *source = &agg->source[kind];
		struct device_state *device = gpu->device < source->device_count
			? source->device[gpu->device]
			: NULL;
		struct watch *watch = device && device->watch && plan != SIZE_MAX
			? &device->watch[plan]
			: NULL;

		if (!watch || !watch->known ||
			(device->track.timed && !device->track.answers.any))
			continue;
		gpu->known = true;
		gpu->watch = watch;
		gpu->source = kind;
		gpu->rows = watch->known;
		gpu->always = watch->held == watch->known;
		gpu->first_ns = device->track.answers.first_ns;
		gpu->last_ns = device->track.answers.last_ns;
		timing = device_timing(agg, kind, device);
		gpu->interval_ns = timing.interval_ns;
		gpu->limit_ns = timing.limit_ns;
		watch_finish(watch, &agg->watches.plan[plan], &device->track,
			gpu->limit_ns, &gpu->at);
		return;
	}
}

/* From the first row of any log in the run's time to the last. */
static struct stretch all_logs(const struct held *held, const struct aggregate *agg)
{
	struct stretch all = {INT64_MAX, INT64_MIN}, run;

	for (size_t i = 0; i < held->gpu_count; i++) {
		const struct gpu_watch *gpu = &held->gpu[i];

		if (gpu->known && gpu->first_ns < all.from_ns)
			all.from_ns = gpu->first_ns;
		if (gpu->known && gpu->last_ns > all.to_ns)
			all.to_ns = gpu->last_ns;
	}
	if (!agg->options.window.set &&
		run_command_span(agg->run, &run.from_ns, &run.to_ns)) {
		all.from_ns = time_later(all.from_ns, run.from_ns);
		all.to_ns = time_earlier(all.to_ns, run.to_ns);
	}
	return all;
}

/* A log begins or ends with the others unless it is more than a gap apart from them. */
static bool begins_with(const struct gpu_watch *gpu, const struct stretch *all)
{
	return gpu->first_ns - all->from_ns <= gpu->limit_ns;
}

static bool ends_with(const struct gpu_watch *gpu, const struct stretch *all)
{
	return all->to_ns - gpu->last_ns <= gpu->limit_ns;
}

/*
 * Stretches of the run: of the GPUs of which it is not always true, if there are such.
 * False: of one of them they are not known.
 */
static bool join(struct held *held, const struct stretch *all)
{
	struct sweep sweep = {.gpus = held->gpu_count};
	size_t not_always = 0;
	bool known = true;

	for (size_t i = 0; i < held->gpu_count; i++)
		not_always += held->gpu[i].known && !held->gpu[i].always;
	for (size_t i = 0; i < held->gpu_count; i++) {
		const struct gpu_watch *gpu = &held->gpu[i];

		if (!gpu->known || (not_always && gpu->always) ||
			gpu->first_ns > all->to_ns || gpu->last_ns < all->from_ns)
			continue;
		known &= gpu->at.listed;
		held->joined++;
		add(&sweep, i, THERE,
			&(struct stretch){
				begins_with(gpu, all) ? all->from_ns : gpu->first_ns,
				ends_with(gpu, all) ? all->to_ns : gpu->last_ns},
			0);
		add_held(&sweep, i, &gpu->at.at);
	}
	held->joint = joint_of(&sweep);
	sweep_release(&sweep);
	return known && held->joined;
}

/* When the logs that begin together had begun, and the first of those that end together
 * ended. */
static struct stretch logged(const struct held *held, const struct stretch *all)
{
	struct stretch logged = *all;

	for (size_t i = 0; i < held->gpu_count; i++) {
		const struct gpu_watch *gpu = &held->gpu[i];

		if (!gpu->known)
			continue;
		if (gpu->first_ns > logged.from_ns && begins_with(gpu, all))
			logged.from_ns = gpu->first_ns;
		if (gpu->last_ns < logged.to_ns && ends_with(gpu, all))
			logged.to_ns = gpu->last_ns;
	}
	return logged;
}

void held_join(struct held *held, const struct aggregate *agg)
{
	struct stretch all = all_logs(held, agg), log = logged(held, &all);
	int128 all_ns = 0, gpu_ns = 0;

	if (!join(held, &all))
		return;
	held->first_s = held->last_s = 0;
	for (size_t i = 0; i < held->joint.count; i++) {
		const struct joint_stretch *s = &held->joint.at[i];
		int64_t ns = s->time.to_ns - s->time.from_ns;

		all_ns += ns;
		gpu_ns += s->gpu_ns;
		if (!i && s->time.from_ns <= log.from_ns)
			held->first_s = number_ratio(ns, NS_PER_S);
		else if (i + 1 == held->joint.count && s->time.to_ns >= log.to_ns)
			held->last_s = number_ratio(ns, NS_PER_S); /* not both of one */
	}
	held->seconds = number_ratio(all_ns, NS_PER_S);
	held->gpu_seconds = number_ratio(gpu_ns, NS_PER_S);
}

void held_find(struct held *held, struct aggregate *agg, size_t rule,
	const struct report *report)
{
	const struct device_list *gpus = &agg->run->of_kind[DEVICE_GPU];

	*held = (struct held){
		.seconds = NAN, .gpu_seconds = NAN, .first_s = NAN, .last_s = NAN};
	held->gpu = xmalloc((gpus->count + 1) * sizeof *held->gpu);
	for (size_t i = 0; i < gpus->count; i++) {
		if (report && !report_counts_gpu(report, gpus->at[i]))
			continue;
		held->gpu[held->gpu_count] =
			(struct gpu_watch){.device = gpus->at[i], .together = NAN};
		watch_gpu(agg, rule, &held->gpu[held->gpu_count++]);
	}
}

void held_release(struct held *held)
{
	for (size_t i = 0; i < held->gpu_count; i++)
		watched_release(&held->gpu[i].at);
	free(held->joint.at);
	free(held->gpu);
}

/* Is a stretch of the rule, which has a stretch_s, long enough to be counted? */
static int64_t held_least_ns(const struct rule *rule)
{
	return (int64_t)(rule->stretch_s * 1e9);
}

bool held_counts(const struct rule *rule, const struct stretch *time)
{
	return time->to_ns - time->from_ns >= held_least_ns(rule);
}

/* Time that sets one GPU apart from the others. */

static void add_piece(
	struct gpu_now *gpu, const struct stretch *time, uint32_t rows, int128 gpu_ns)
{
	struct piece *last = gpu->count ? &gpu->piece[gpu->count - 1] : NULL;

	if (!last || last->time.to_ns != time->from_ns) {
		ALLOC_NEXT(gpu->piece, gpu->count, gpu->cap) =
			(struct piece){*time, rows, gpu_ns};
		return;
	}
	last->time.to_ns = time->to_ns;
	last->rows = rows < last->rows ? rows : last->rows;
	last->gpu_ns += gpu_ns;
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

static void take(struct sweep *sweep, enum rule_alone alone, const struct stretch *time)
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
	if (alone == ALONE_HOLDS)
		take_few(sweep, &now, time);
	else
		take_last(sweep, &now, time);
}

/* A GPU is at work between its first row that does not fulfil the conditions and the last
 * such row. */
static struct sweep sweep_over(const struct held *held, enum rule_alone alone)
{
	struct sweep sweep = {.gpus = held->gpu_count};
	struct stretch time;

	for (size_t i = 0; i < held->gpu_count; i++) {
		const struct gpu_watch *gpu = &held->gpu[i];
		const struct stretch work = {
			gpu->watch->first_not_ns, gpu->watch->last_not_ns};

		if (gpu->always)
			continue;
		add(&sweep, i, THERE, &work, 0);
		for (size_t k = 0; k < gpu->at.away.count; k++)
			add(&sweep, i, AWAY, &gpu->at.away.at[k].time, 0);
		add_held(&sweep, i, &gpu->at.at);
	}
	begin(&sweep);
	while (next(&sweep, &time))
		take(&sweep, alone, &time);
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
		ALLOC_NEXT(at->at.at, at->at.count, at->at.cap) =
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
	}
	sweep_release(&sweep);
}

/* Host metrics during stretches: the stretches become phases. */

static int costliest_first(const void *a, const void *b)
{
	const struct joint_stretch *x = a, *y = b;

	if (x->gpu_ns != y->gpu_ns)
		return x->gpu_ns < y->gpu_ns ? 1 : -1;
	return (x->time.from_ns > y->time.from_ns) - (x->time.from_ns < y->time.from_ns);
}

static void add_span(struct meanwhile *m, const struct rule *rule, struct stretch time)
{
	struct event *event = run_add_event(&m->spans);
	struct meanwhile_span *span;

	event->type = EVENT_PHASE;
	event->t_ns = time.from_ns;
	event->end_ns = time.to_ns;
	span = &ALLOC_NEXT(m->at, m->count, m->cap);
	*span = (struct meanwhile_span){.rule = rule, .time = time};
	for (size_t i = 0; i < RULE_MEANWHILE_MAX; i++)
		span->mean[i] = NAN;
}

static void add_rule(struct meanwhile *m, struct aggregate *agg, size_t index)
{
	const struct rule *rule = &agg->options.rules->rule[index];
	struct held held;
	size_t listed = 0;

	held_find(&held, agg, index, NULL);
	held_join(&held, agg);
	SORT(held.joint.at, held.joint.count, costliest_first);
	for (size_t i = 0; i < held.joint.count && listed < MEANWHILE_SPANS; i++)
		if (held_counts(rule, &held.joint.at[i].time)) {
			add_span(m, rule, held.joint.at[i].time);
			listed++;
		}
	held_release(&held);
}

/* Once all rows of GPUs are there. */
static void meanwhile_find(struct meanwhile *m, struct aggregate *agg)
{
	const struct phase_rules rules = {.single = true};

	run_init(&m->spans, "");
	for (size_t i = 0; i < agg->options.rules->count; i++)
		if (agg->options.rules->rule[i].meanwhile_count)
			add_rule(m, agg, i);
	if (m->count)
		m->map = phase_map_new(&m->spans, &rules);
}

void meanwhile_release(struct meanwhile *m)
{
	phase_map_free(m->map);
	run_release(&m->spans);
	free(m->at);
}

/* Of the host, all CPUs, or the tree: whichever device has the metric; of a counter its
 * rate. */
static double mean_of(
	const struct run *run, const struct phase_path *path, enum metric_id metric)
{
	bool counter = metric_get(metric)->kind == KIND_COUNTER;

	for (size_t i = 0; i < path->stats_count; i++) {
		const struct metric_stats *s = &path->stats[i];
		double mean = counter ? s->rate_per_s : s->mean;

		if (s->metric == metric && !isnan(mean) &&
			!device_is_core(&run->device[s->device]))
			return mean;
	}
	return NAN;
}

/* All CPUs of each log, in each call. */
static void add_shares(struct aggregate *agg, struct phase_path *path)
{
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		for (size_t i = 0; i < agg->source[kind].device_count; i++)
			if (agg->source[kind].device[i])
				path_stats_shares(agg, kind, (uint32_t)i,
					&agg->source[kind].device[i]->ticks_in_waits,
					path, NULL);
}

void meanwhile_report(struct meanwhile *m, struct aggregate *agg)
{
	const struct calls *calls;
	struct phase_path *path;
	struct singles singles;

	if (!m->map)
		return;
	calls = &phase_map_tree(m->map)->calls;
	path = xcalloc(calls->count, sizeof *path);
	singles_begin(&singles, agg, IN_WAITS);
	for (size_t i = 0; i < calls->count; i++)
		singles_take(&singles, (uint32_t)i, &path[i]);
	singles_release(&singles);
	add_shares(agg, path);
	for (size_t i = 0; i < calls->count; i++) {
		struct meanwhile_span *span = &m->at[calls->at[i].event - m->spans.event];

		for (size_t k = 0; k < span->rule->meanwhile_count; k++)
			span->mean[k] =
				mean_of(agg->run, &path[i], span->rule->meanwhile[k]);
		phase_path_release(&path[i]);
	}
	free(path);
}

const double *meanwhile_means(
	const struct meanwhile *m, const struct rule *rule, const struct stretch *time)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->at[i].rule == rule && m->at[i].time.from_ns == time->from_ns &&
			m->at[i].time.to_ns == time->to_ns)
			return m->at[i].mean;
	return NULL;
}

struct meanwhile *aggregate_meanwhile(struct aggregate *agg)
{
	if (!agg->meanwhile) {
		agg->meanwhile = xcalloc(1, sizeof *agg->meanwhile);
		if (agg->options.rules)
			meanwhile_find(agg->meanwhile, agg);
	}
	return agg->meanwhile;
}
