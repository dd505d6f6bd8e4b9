/* Stretches as phases, and the means of hosts' metrics in them. */
#include "compute/run/meanwhile.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "compute/run/held.h"
#include "compute/run/path_stats.h"
#include "compute/run/phase_single.h"

bool meanwhile_is_told_by(enum source_kind kind)
{
	return kind > SOURCE_NVIDIA_APPS;
}

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

	event->type = EVENT_PHASE;
	event->t_ns = time.from_ns;
	event->end_ns = time.to_ns;
	ALLOC_GROW(m->at, m->count + 1, m->cap);
	m->at[m->count] = (struct meanwhile_span){.rule = rule, .time = time};
	for (size_t i = 0; i < RULE_MEANWHILE_MAX; i++)
		m->at[m->count].mean[i] = NAN;
	m->count++;
}

static void add_rule(struct meanwhile *m, struct aggregate *agg, size_t index)
{
	const struct rule *rule = &agg->options.rules->rule[index];
	struct held held;
	size_t listed = 0;

	held_find(&held, agg, index, NULL);
	held_join(&held, agg);
	if (held.joint.count)
		qsort(held.joint.at, held.joint.count, sizeof *held.joint.at,
			costliest_first);
	for (size_t i = 0; i < held.joint.count && listed < MEANWHILE_SPANS; i++)
		if (held_counts(rule, &held.joint.at[i].time)) {
			add_span(m, rule, held.joint.at[i].time);
			listed++;
		}
	held_release(&held);
}

void meanwhile_find(struct meanwhile *m, struct aggregate *agg)
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

static struct phase_cells *in_waits(struct device_state *device)
{
	return &device->in_waits;
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
	singles_begin(&singles, agg, in_waits);
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
