/* Stretches of one GPU, or of the run: listed, and shared out over the phases. */
#include "compute/report/finding_stretches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "compute/run/state.h"

/* All of a finding, whether listed or not. */
struct held_time {
	const struct gpu_watch *gpu; /* NULL: of the run */
	const struct joint *joint;
	size_t count;
};

static struct held_time held_time(
	const struct finding *finding, const struct figure_scope *scope)
{
	struct held_time held = {.joint = &scope->held->joint};

	for (size_t i = 0; i < scope->held->gpu_count; i++)
		if (scope->held->gpu[i].device == finding->device)
			held.gpu = &scope->held->gpu[i];
	if (finding->device == FINDING_RUN)
		held.count = scope->held->joint.count;
	else if (held.gpu && held.gpu->at.listed)
		held.count = held.gpu->at.at.count;
	return held;
}

static const struct stretch *time_of(const struct held_time *held, size_t i)
{
	return held->gpu ? &held->gpu->at.at.at[i].time : &held->joint->at[i].time;
}

/* Summed over the GPUs that it is of. */
static int128 gpu_ns_of(const struct held_time *held, size_t i)
{
	const struct stretch *time = time_of(held, i);

	if (!held->gpu)
		return held->joint->at[i].gpu_ns;
	return held->gpu->at.gpu_ns ? held->gpu->at.gpu_ns[i]
				    : (int128)time->to_ns - time->from_ns;
}

static double seconds(int128 ns)
{
	return number_ratio(ns, NS_PER_S);
}

static int costliest_first(const void *a, const void *b)
{
	const struct finding_stretch *x = a, *y = b;

	if (x->gpu_seconds != y->gpu_seconds)
		return x->gpu_seconds < y->gpu_seconds ? 1 : -1;
	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

static void list(struct finding *finding, const struct report *report,
	const struct held_time *held)
{
	finding->stretch = xcalloc(held->count + 1, sizeof *finding->stretch);
	for (size_t i = 0; i < held->count; i++) {
		const struct stretch *time = time_of(held, i);
		int128 ns = time->to_ns - time->from_ns;

		if (!held_counts(finding->rule, time))
			continue;
		finding->stretch[finding->stretch_count++] =
			(struct finding_stretch){.from_ns = time->from_ns,
				.to_ns = time->to_ns,
				.start_s = report_second(report, time->from_ns),
				.seconds = seconds(ns),
				.gpu_seconds = seconds(gpu_ns_of(held, i)),
				.phase = SIZE_MAX};
	}
	if (finding->stretch_count)
		qsort(finding->stretch, finding->stretch_count, sizeof *finding->stretch,
			costliest_first);
	finding->stretch_listed = finding->stretch_count < FINDING_STRETCHES_LISTED
		? finding->stretch_count
		: FINDING_STRETCHES_LISTED;
	for (size_t i = 0; i < finding->stretch_listed; i++)
		finding->stretch[i].phase =
			report_phase_at(report, finding->stretch[i].from_ns);
}

/* The report's place of a path of the map, which names the same paths in another order.
 */
static size_t place_of(
	const struct report *report, const struct phase_map *phases, uint32_t path)
{
	const struct phase_tree *tree = phase_map_tree(phases);
	const char *name =
		path < tree->path_count ? tree->path[path].name : PHASE_OUTSIDE;
	bool outside = path >= tree->path_count;

	for (size_t i = 0; i < report->path_count; i++)
		if (report->path[i].outside == outside &&
			strcmp(report->path[i].path, name) == 0)
			return i;
	return SIZE_MAX;
}

static int by_path(const void *a, const void *b)
{
	const struct finding_phase *x = a, *y = b;

	return (x->path > y->path) - (x->path < y->path);
}

/* The values that are told of each phase, of the time that held in one of them. */
static void take_values(struct finding_phase *phase, const struct figure_scope *scope,
	const struct gpu_watch *gpu, uint32_t path)
{
	const struct rule *rule = scope->rule;
	struct figure_scope in_phase = *scope;
	struct watched within;
	struct strbuf why;

	if (!gpu || !rule->in_phases_count)
		return;
	strbuf_init(&why);
	within = watch_in_phase(
		gpu->watch, scope->plan, gpu->limit_ns, path, phase->seconds);
	in_phase.within = &within;
	in_phase.why = in_phase.damage = in_phase.doubt = &why;
	for (size_t i = 0; i < rule->in_phases_count; i++)
		phase->value[i] =
			figure_value(&in_phase, &rule->value[rule->in_phases[i]]);
	strbuf_release(&why);
}

static void share_out(struct finding *finding, const struct figure_scope *scope,
	const struct held_time *held, struct phase_map *phases)
{
	const struct report *report = scope->report;
	const struct phase_tree *tree = phase_map_tree(phases);
	size_t paths = phase_map_paths(phases);
	int128 *ns = xcalloc(paths + 1, sizeof *ns);
	int128 *own_ns = xcalloc(paths + 1, sizeof *own_ns);

	for (size_t i = 0; i < held->count; i++) {
		const struct stretch *time = time_of(held, i);
		size_t count;
		const struct phase_part *part =
			phase_map_parts(phases, time->from_ns, time->to_ns, &count);

		for (size_t k = 0; k < count; k++)
			ns[part[k].path] += part[k].time_ns;
	}
	for (size_t i = 0; i < paths; i++) {
		own_ns[i] += ns[i];
		if (i < tree->path_count && tree->path[i].parent != PHASE_NONE)
			own_ns[tree->path[i].parent] -= ns[i];
	}
	finding->phase = xcalloc(paths + 1, sizeof *finding->phase);
	for (size_t i = 0; i < paths; i++) {
		size_t place =
			ns[i] > 0 ? place_of(report, phases, (uint32_t)i) : SIZE_MAX;

		if (place == SIZE_MAX)
			continue;
		finding->phase[finding->phase_count] =
			(struct finding_phase){.path = place,
				.seconds = seconds(ns[i]),
				.own_s = seconds(own_ns[i])};
		take_values(&finding->phase[finding->phase_count++], scope, held->gpu,
			(uint32_t)i);
	}
	qsort(finding->phase, finding->phase_count, sizeof *finding->phase, by_path);
	free(own_ns);
	free(ns);
}

/* Of the stretches that were asked; of the others nothing is known. */
static void take_meanwhile(struct finding *finding, const struct meanwhile *meanwhile)
{
	for (size_t i = 0; i < finding->stretch_listed; i++) {
		struct finding_stretch *s = &finding->stretch[i];
		const double *mean = meanwhile_means(meanwhile, finding->rule,
			&(struct stretch){s->from_ns, s->to_ns});

		for (size_t k = 0; k < RULE_MEANWHILE_MAX; k++)
			s->meanwhile[k] = mean ? mean[k] : NAN;
	}
}

void finding_stretches(struct finding *finding, const struct figure_scope *scope,
	const struct aggregate *agg)
{
	struct held_time held = held_time(finding, scope);

	if (finding->rule->stretch_s < 0)
		return;
	list(finding, scope->report, &held);
	take_meanwhile(finding, agg->meanwhile);
	if (agg->phases && phase_map_tree(agg->phases)->path_count)
		share_out(finding, scope, &held, agg->phases);
}
