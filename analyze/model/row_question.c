/* A short list of questions; it is searched linearly. */
#include "model/row_question.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

static bool is_same(const struct asked_rows *a, const struct asked_rows *b)
{
	return a->source == b->source && a->device == b->device &&
		a->metric == b->metric && a->segment == b->segment &&
		a->from_ns == b->from_ns && a->to_ns == b->to_ns;
}

static const struct asked_rows *find(
	const struct asked_list *list, const struct asked_rows *asked)
{
	for (size_t i = 0; i < list->count; i++)
		if (is_same(&list->at[i], asked))
			return &list->at[i];
	return NULL;
}

void asked_list_release(struct asked_list *list)
{
	free(list->at);
	*list = (struct asked_list){NULL, 0, 0};
}

void asked_list_put(struct asked_list *list, const struct asked_rows *asked)
{
	ALLOC_NEXT(list->at, list->count, list->cap) = *asked;
}

void asked_list_add(struct asked_list *list, const struct asked_rows *asked)
{
	if (!find(list, asked))
		asked_list_put(list, asked);
}

const struct asked_rows *asked_list_find(
	const struct asked_list *list, const struct asked_rows *asked)
{
	const struct asked_rows *found = find(list, asked);

	return found && found->rows ? found : NULL;
}

/* Every field of ticks stands in the same lines. */
static bool of_window(const struct metric_stats *stats, const struct stats_window *window,
	int64_t to_ns, struct asked_rows *asked)
{
	*asked = (struct asked_rows){.source = stats->source,
		.device = stats->device,
		.metric = METRIC_cpu_user_ticks,
		.segment = window->segment,
		.from_ns = window->from_ns,
		.to_ns = to_ns};
	return window->from_ns != TIME_NONE;
}

bool asked_of_min(const struct metric_stats *stats, struct asked_rows *asked)
{
	return of_window(stats, &stats->min_window, stats->min_at_ns, asked);
}

bool asked_of_max(const struct metric_stats *stats, struct asked_rows *asked)
{
	return of_window(stats, &stats->max_window, stats->max_at_ns, asked);
}

struct asked_rows asked_of_kept(
	const struct steady *steady, const char *number, uint32_t device, size_t nth)
{
	enum metric_id metric = steady->metric;

	if (strcmp(number, "steady_gpu_util_mean_pct") == 0)
		metric = METRIC_gpu_util_pct;
	else if (strcmp(number, "steady_power_total_mean_w") == 0)
		metric = METRIC_power_w;
	return (struct asked_rows){.source = steady->source,
		.device = device,
		.metric = metric,
		.segment = SEGMENT_ANY,
		.from_ns = steady->kept[nth].from_ns,
		.to_ns = steady->kept[nth].to_ns - 1};
}

struct asked_rows asked_of_peak(
	const struct peak_tick *tick, enum metric_id metric, uint32_t device)
{
	return (struct asked_rows){.source = tick->source,
		.device = device,
		.metric = metric,
		.segment = tick->segment,
		.from_ns = tick->from_ns,
		.to_ns = tick->at_ns};
}

bool asked_of_gap(const struct gap *gap, const struct metric_stats *stats,
	const struct run *run, struct asked_rows *asked)
{
	int64_t end_ns = gap->start_ns + llround(gap->length_s * 1e9);

	*asked = (struct asked_rows){.source = stats->source,
		.device = stats->device,
		.metric = stats->min_window.from_ns == TIME_NONE ? stats->metric
								 : METRIC_cpu_user_ticks,
		.segment = SEGMENT_ANY,
		.from_ns = end_ns,
		.to_ns = end_ns};
	return gap->source == stats->source && gap->device == stats->device &&
		gap->file >= run->file_count;
}
