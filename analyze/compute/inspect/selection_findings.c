/* Stretches cut at the edges of the calls that are asked for. */
#include "compute/inspect/selection_findings.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

struct growing {
	struct chosen_time time;
	size_t cap;
};

/* Joined with the one before where they touch: they come by their start. */
static void add_time(struct growing *to, int64_t from_ns, int64_t to_ns)
{
	struct stretch *last = to->time.count ? &to->time.at[to->time.count - 1] : NULL;

	if (to_ns <= from_ns)
		return;
	if (last && from_ns <= last->to_ns) {
		last->to_ns = to_ns > last->to_ns ? to_ns : last->to_ns;
		return;
	}
	ALLOC_GROW(to->time.at, to->time.count + 1, to->cap);
	to->time.at[to->time.count++] = (struct stretch){from_ns, to_ns};
}

/* Of the calls of those paths, [path_count]. */
static struct chosen_time time_in(const struct report *report, const bool *path)
{
	struct growing in = {{NULL, 0}, 0};

	for (size_t i = 0; i < report->call_count; i++)
		if (path[report->call[i].path])
			add_time(&in, report->call[i].start_ns, report->call[i].end_ns);
	return in.time;
}

static struct chosen_time time_outside(const struct report *report)
{
	struct growing outside = {{NULL, 0}, 0};
	int64_t until_ns = report->started_ns;

	for (size_t i = 0; i < report->call_count; i++) {
		add_time(&outside, until_ns, report->call[i].start_ns);
		if (report->call[i].end_ns > until_ns)
			until_ns = report->call[i].end_ns;
	}
	add_time(&outside, until_ns, report->ended_ns);
	return outside.time;
}

/* Of two that are apart from one another. */
static struct chosen_time joined(struct chosen_time a, struct chosen_time b)
{
	struct growing both = {{NULL, 0}, 0};

	for (size_t i = 0, k = 0; i < a.count || k < b.count;) {
		bool first = k == b.count ||
			(i < a.count && a.at[i].from_ns < b.at[k].from_ns);
		const struct stretch *next = first ? &a.at[i++] : &b.at[k++];

		add_time(&both, next->from_ns, next->to_ns);
	}
	free(a.at);
	free(b.at);
	return both.time;
}

void selection_mark_findings(struct report *report)
{
	for (size_t i = 0; i < report->finding_count; i++)
		report->finding[i].of_phases = report->finding[i].phase_count > 0;
}

struct chosen_time chosen_time(const struct report *report, const char *pattern)
{
	bool *path = xcalloc(report->path_count + 1, sizeof *path), outside = false;
	struct chosen_time time;

	for (size_t i = 0; pattern && i < report->path_count; i++) {
		path[i] = phase_path_matches(&report->path[i], pattern);
		outside |= path[i] && report->path[i].outside;
	}
	time = time_in(report, path);
	free(path);
	return outside ? joined(time, time_outside(report)) : time;
}

/* The place of the first that ends behind a time. */
static size_t first_behind(const struct chosen_time *chosen, int64_t t_ns)
{
	size_t low = 0, high = chosen->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (chosen->at[middle].to_ns <= t_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Of what was cut it is not known what hosts did meanwhile, nor how many GPUs it is of,
 * unless it is one. */
static struct finding_stretch piece_of(const struct report *report,
	const struct finding *finding, const struct finding_stretch *whole,
	const struct stretch *time)
{
	struct finding_stretch piece = *whole;
	bool cut = time->from_ns > whole->from_ns || time->to_ns < whole->to_ns;

	if (!cut)
		return piece;
	piece.from_ns = time->from_ns;
	piece.to_ns = time->to_ns;
	piece.start_s = report_second(report, time->from_ns);
	piece.seconds = number_ratio(time->to_ns - time->from_ns, NS_PER_S);
	piece.gpu_seconds = finding->device == FINDING_RUN ? (double)NAN : piece.seconds;
	for (size_t k = 0; k < RULE_MEANWHILE_MAX; k++)
		piece.meanwhile[k] = NAN;
	return piece;
}

static int longest_first(const void *a, const void *b)
{
	const struct finding_stretch *x = a, *y = b;
	int64_t x_ns = x->to_ns - x->from_ns, y_ns = y->to_ns - y->from_ns;

	if (x_ns != y_ns)
		return x_ns < y_ns ? 1 : -1;
	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

static void cut_stretches(const struct report *report, struct finding *finding,
	const struct chosen_time *chosen)
{
	struct finding_stretch *piece = NULL;
	size_t count = 0, cap = 0;

	for (size_t i = 0; i < finding->stretch_listed; i++) {
		const struct finding_stretch *whole = &finding->stretch[i];

		for (size_t k = first_behind(chosen, whole->from_ns);
			k < chosen->count && chosen->at[k].from_ns < whole->to_ns; k++) {
			struct stretch time = chosen->at[k];

			if (time.from_ns < whole->from_ns)
				time.from_ns = whole->from_ns;
			if (time.to_ns > whole->to_ns)
				time.to_ns = whole->to_ns;
			ALLOC_GROW(piece, count + 1, cap);
			piece[count++] = piece_of(report, finding, whole, &time);
		}
	}
	if (count)
		qsort(piece, count, sizeof *piece, longest_first);
	free(finding->stretch);
	finding->stretch = piece;
	finding->stretch_count = count;
	finding->stretch_listed =
		count < FINDING_STRETCHES_LISTED ? count : FINDING_STRETCHES_LISTED;
	for (size_t i = 0; i < finding->stretch_listed; i++)
		piece[i].phase = report_phase_at(report, piece[i].from_ns);
}

static void forget_values(struct finding *finding)
{
	for (size_t i = 0; i < RULE_PARTS_MAX; i++)
		finding->value[i] = NAN;
	finding->cost_gpu_s = finding->coverage = NAN;
}

void selection_findings(struct report *report, const struct chosen_time *chosen)
{
	size_t kept = 0;

	for (size_t i = 0; i < report->finding_count; i++) {
		struct finding *finding = &report->finding[i];
		bool fires = finding->outcome == OUTCOME_FIRES;

		if (!fires || !finding->phase_count) {
			report->findings_left_out += fires && !finding->of_phases;
			finding_release(finding);
			continue;
		}
		cut_stretches(report, finding, chosen);
		forget_values(finding);
		report->finding[kept++] = *finding;
	}
	report->finding_count = kept;
}
