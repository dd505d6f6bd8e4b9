/* What is lost, what failed, what was cut off, and what vanished. */
#include "compute/gate_incidents.h"

#include <stdint.h>

#include "base/alloc.h"
#include "base/strbuf.h"

static void add(struct gate *gate, enum gate_incident_kind kind, const char *subject,
	const char *why, const char *how)
{
	struct strbuf text;

	strbuf_init(&text);
	strbuf_addf(&text, "%s%s", why, how);
	ALLOC_GROW(gate->incident, gate->incident_count + 1, gate->incident_cap);
	gate->incident[gate->incident_count++] =
		(struct gate_incident){kind, xstrdup(subject), strbuf_detach(&text)};
}

static size_t gpus_of(const struct comparison *comparison, size_t run)
{
	size_t count = 0;

	for (size_t i = 0; i < comparison->gpu_count; i++)
		count += comparison->gpu[i].has[run];
	return count;
}

/*
 * Has every new run fewer GPUs than any of the base? As many of other names, as a
 * scheduler gives them, stand for those of the base.
 */
static bool has_fewer_gpus(const struct comparison *comparison)
{
	size_t least = SIZE_MAX, most = 0;

	for (size_t i = 0; i < comparison->run_count; i++) {
		size_t count = gpus_of(comparison, i);

		if (comparison->run[i].side == SIDE_BASE)
			least = count < least ? count : least;
		else
			most = count > most ? count : most;
	}
	return comparison->on_side[SIDE_BASE] && most < least;
}

static size_t runs_with(const struct comparison *comparison,
	const struct compared_gpu *gpu, enum side side)
{
	size_t count = 0;

	for (size_t i = 0; i < comparison->run_count; i++)
		count += comparison->run[i].side == side && gpu->has[i];
	return count;
}

static void find_vanished(struct gate *gate)
{
	const struct comparison *comparison = gate->comparison;

	if (!has_fewer_gpus(comparison))
		return;
	for (size_t i = 0; i < comparison->gpu_count; i++) {
		const struct compared_gpu *gpu = &comparison->gpu[i];

		if (runs_with(comparison, gpu, SIDE_BASE) ==
				comparison->on_side[SIDE_BASE] &&
			!runs_with(comparison, gpu, SIDE_NEW))
			add(gate, GATE_DEVICE_VANISHED, gpu->name,
				"vanished: in every run of the base, and in no new one",
				"");
	}
}

/* New runs whose numbers can't stand for their work, by how that is. */
static void find_undone(struct gate *gate, enum gate_incident_kind kind,
	enum fate_kind fate, const char *why)
{
	const struct comparison *comparison = gate->comparison;

	for (size_t i = 0; i < comparison->run_count && !gate->rules->judges_failed; i++)
		if (comparison->run[i].side == SIDE_NEW &&
			comparison->run[i].fate.kind == fate)
			add(gate, kind, comparison->run[i].name, why,
				comparison->run[i].fate.how);
}

void gate_find_incidents(struct gate *gate, char *const *lost, size_t lost_count)
{
	for (size_t i = 0; i < lost_count; i++)
		add(gate, GATE_RUN_LOST, lost[i], "could not be used", "");
	find_undone(gate, GATE_RUN_FAILED, FATE_FAILED, "failed: ");
	find_undone(gate, GATE_RUN_CUT_OFF, FATE_CUT_OFF, "cut off: ");
	find_vanished(gate);
}
