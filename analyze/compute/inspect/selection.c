/*
 * Restricts a report to some devices, metrics or phases. The run's times stay. Reads
 * no sample: numbers that were summed over devices row by row (single calls, units of
 * work, the steady state) are unknown unless all devices are wanted.
 */
#include "compute/inspect/selection.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "compute/report/report.h"
#include "compute/series/series.h"

/* Time in any call of some phases. */
struct chosen_time {
	struct stretch *at; /* [count] ascending, apart from one another; owned */
	size_t count;
};

/* Findings: cuts their stretches at the edges of the calls. */

static void add_time(struct chosen_time *chosen, int64_t from_ns, int64_t to_ns)
{
	if (from_ns < to_ns)
		chosen->at[chosen->count++] = (struct stretch){from_ns, to_ns};
}

/* What lies in no call of any phase. */
static void add_outside(struct chosen_time *chosen, const struct report *report)
{
	int64_t until_ns = report->started_ns;

	for (size_t i = 0; i < report->call_count; i++) {
		add_time(chosen, until_ns, report->call[i].start_ns);
		if (report->call[i].end_ns > until_ns)
			until_ns = report->call[i].end_ns;
	}
	add_time(chosen, until_ns, report->ended_ns);
}

/* In the phases that match, of which "(outside)" may be one; nothing was selected yet. */
static struct chosen_time chosen_time(const struct report *report, const char *pattern)
{
	struct chosen_time chosen = {
		xcalloc(2 * report->call_count + 1, sizeof *chosen.at), 0};
	bool *matches = xcalloc(report->path_count + 1, sizeof *matches);

	for (size_t i = 0; i < report->path_count; i++) {
		matches[i] = phase_path_matches(&report->path[i], pattern);
		if (matches[i] && report->path[i].outside)
			add_outside(&chosen, report);
	}
	for (size_t i = 0; i < report->call_count; i++)
		if (matches[report->call[i].path])
			add_time(&chosen, report->call[i].start_ns,
				report->call[i].end_ns);
	free(matches);
	chosen.count = stretches_join(chosen.at, chosen.count);
	return chosen;
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

		size_t k = sorted_up_to(chosen->at, chosen->count, sizeof *chosen->at,
			offsetof(struct stretch, to_ns), whole->from_ns);

		for (; k < chosen->count && chosen->at[k].from_ns < whole->to_ns; k++) {
			struct stretch time = chosen->at[k];

			if (time.from_ns < whole->from_ns)
				time.from_ns = whole->from_ns;
			if (time.to_ns > whole->to_ns)
				time.to_ns = whole->to_ns;
			ALLOC_NEXT(piece, count, cap) =
				piece_of(report, finding, whole, &time);
		}
	}
	SORT(piece, count, longest_first);
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

/* Of what was marked; report_select has left the phases that the time is of. */
static void selection_findings(struct report *report, const struct chosen_time *chosen)
{
	size_t kept = 0;

	for (size_t i = 0; i < report->finding_count; i++) {
		struct finding *finding = &report->finding[i];
		bool fires = finding->outcome == OUTCOME_FIRES;

		/* what doubts numbers doubts those of phases, too */
		if (fires && finding->rule->distrusts_count) {
			report->finding[kept++] = *finding;
			continue;
		}
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

/* Is a number over all GPUs still one of what is wanted? */
static bool is_known(const struct report *report, enum metric_id metric)
{
	return report_wants_all(report, DEVICE_GPU) &&
		report_wants_metric(report, metric);
}

static void keep(double *number, bool known)
{
	if (!known)
		*number = NAN;
}

static void select_calls(struct report *report)
{
	bool util = is_known(report, METRIC_gpu_util_pct);
	bool power = is_known(report, METRIC_power_w);

	for (size_t i = 0; i < report->call_count; i++) {
		struct phase_call *call = &report->call[i];
		bool energy = energy_is_wanted(report, call->energy_method);

		keep(&call->gpu_util_mean_pct, util);
		keep(&call->power_total_mean_w, power);
		keep(&call->energy_j, energy);
		keep(&call->energy_coverage, energy);
	}
}

static void select_steady(struct report *report)
{
	struct steady *s = &report->steady;
	size_t kept = 0;

	if (!is_known(report, s->metric)) {
		s->found = false;
		s->source = SOURCE_NONE;
	}
	for (size_t i = 0; i < s->drift_count; i++)
		if (s->found && is_known(report, s->drift[i].metric))
			s->drift[kept++] = s->drift[i];
	s->drift_count = kept;
	keep(&s->gpu_util_mean_pct, is_known(report, METRIC_gpu_util_pct));
	keep(&s->power_total_mean_w, is_known(report, METRIC_power_w));
}

static void select_ending(struct report *report)
{
	struct ending *e = &report->ending;
	bool lost = false;

	for (size_t i = 0; i < e->gpu_count; i++) {
		lost |= e->gpu[i].lost;
		for (size_t k = 0; k < ENDING_METRICS; k++) {
			bool wanted = report_wants_metric(report, ending_metric[k]);

			keep(&e->gpu[i].value[k], wanted);
			keep(&e->gpu[i].rate_per_min[k], wanted);
		}
	}
	e->sign[ENDING_GPU_LOST] &= lost;
	e->abrupt = ending_is_abrupt(e);
}

/* What hosts did meanwhile. */
static void select_stretches(const struct report *report, struct finding *finding)
{
	for (size_t k = 0; k < finding->rule->meanwhile_count; k++) {
		enum metric_id metric = finding->rule->meanwhile[k];
		bool known = report_wants_metric(report, metric) &&
			report_wants_all(report, metric_get(metric)->device);

		for (size_t i = 0; i < finding->stretch_listed; i++)
			keep(&finding->stretch[i].meanwhile[k], known);
	}
}

/* Numbers over the devices and metrics that are left. */
static void work_out_anew(struct report *report)
{
	evidence_select(report);
	summary_select(report);
	for (size_t i = 0; i < report->path_count; i++)
		summary_phase(report, &report->path[i]);
	phase_own_energy(report);
	work_select(report);
	select_calls(report);
	select_steady(report);
	select_ending(report);
	for (size_t i = 0; i < report->finding_count; i++)
		select_stretches(report, &report->finding[i]);
}

void selection_apply(struct report *report, const struct report_filter *filter)
{
	struct report_filter all_phases = *filter;
	struct chosen_time chosen;

	all_phases.phase = NULL;
	report_select(report, &all_phases);
	if (filter->device || filter->metric)
		work_out_anew(report);
	if (!filter->phase)
		return;
	/* Those that say how long it was in phases, before the other phases go. */
	for (size_t i = 0; i < report->finding_count; i++)
		report->finding[i].of_phases = report->finding[i].phase_count > 0;
	chosen = chosen_time(report, filter->phase);
	report_select(report, filter);
	selection_findings(report, &chosen);
	free(chosen.at);
}
