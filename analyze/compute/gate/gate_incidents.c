/* What is lost, what failed, what was cut off, and what vanished. */
#include "compute/gate/gate_incidents.h"

#include <stdint.h>

#include "base/alloc.h"
#include "base/name_match.h"
#include "compute/gate/gate_gpus.h"

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

/* Whom a new run is held against. */
enum others {
	OTHERS_BASE,
	OTHERS_NEW /* the other new runs */
};

static bool is_other(
	const struct comparison *comparison, size_t run, enum others others, size_t other)
{
	enum side side = others == OTHERS_BASE ? SIDE_BASE : SIDE_NEW;

	return other != run && comparison->run[other].side == side;
}

/*
 * Have all others a GPU that a new run lacks, which has fewer than any of them? As many
 * of other names, as a scheduler gives them, stand for those. Of the new side two others
 * say what is usual, and where there is no base nothing does: runs that only keep bounds
 * may differ in their GPUs.
 */
static bool has_lost(const struct comparison *comparison, const struct compared_gpu *gpu,
	size_t run, enum others others)
{
	size_t count = 0, least = SIZE_MAX;

	if (comparison->run[run].side != SIDE_NEW || gpu->has[run])
		return false;
	for (size_t i = 0; i < comparison->run_count; i++) {
		size_t gpus = gate_count_gpus(comparison, i);

		if (!is_other(comparison, run, others, i))
			continue;
		if (!gpu->has[i])
			return false;
		least = gpus < least ? gpus : least;
		count++;
	}
	return comparison->on_side[SIDE_BASE] &&
		count >= (others == OTHERS_NEW ? 2 : 1) &&
		gate_count_gpus(comparison, run) < least;
}

#define NAMES_MOST 4 /* of runs */

/* The new runs that lost a GPU in one sentence. */
static void find_lost(
	struct gate *gate, const struct compared_gpu *gpu, enum others others)
{
	const struct comparison *comparison = gate->comparison;
	struct name_list names;

	name_list_init(&names, NAMES_MOST);
	for (size_t i = 0; i < comparison->run_count; i++) {
		if (!has_lost(comparison, gpu, i, others) ||
			(others == OTHERS_NEW &&
				has_lost(comparison, gpu, i, OTHERS_BASE)) ||
			!name_list_next(&names))
			continue;
		strbuf_adds(&names.text, comparison->run[i].name);
	}
	name_list_end(&names);
	strbuf_adds(&names.text,
		others == OTHERS_BASE ? ": in every run of the base"
				      : ": in every other new run");
	if (names.count && names.count == comparison->on_side[SIDE_NEW])
		add(gate, GATE_DEVICE_VANISHED, gpu->name,
			"vanished: in every run of the base, and in no new one", "");
	else if (names.count)
		add(gate, GATE_DEVICE_VANISHED, gpu->name, "vanished from ",
			names.text.text);
	name_list_release(&names);
}

/* Was a GPU lost in every run of the base that had it? Then that is how it is. */
static bool is_ever_lost(
	const struct comparison *comparison, const struct compared_gpu *gpu)
{
	bool any = false;

	for (size_t i = 0; i < comparison->run_count; i++) {
		if (comparison->run[i].side != SIDE_BASE || !gpu->has[i])
			continue;
		if (!gpu->lost[i])
			return false;
		any = true;
	}
	return any;
}

/* The new runs in which a GPU fell silent, in one sentence. */
static void find_silent(struct gate *gate, const struct compared_gpu *gpu)
{
	const struct comparison *comparison = gate->comparison;
	struct name_list names;

	name_list_init(&names, NAMES_MOST);
	for (size_t i = 0; i < comparison->run_count; i++)
		if (comparison->run[i].side == SIDE_NEW && gpu->lost[i] &&
			name_list_next(&names))
			strbuf_adds(&names.text, comparison->run[i].name);
	name_list_end(&names);
	if (names.count && !is_ever_lost(comparison, gpu))
		add(gate, GATE_DEVICE_LOST, gpu->name,
			"fell silent before its log ended, in ", names.text.text);
	name_list_release(&names);
}

static void find_vanished(struct gate *gate)
{
	const struct comparison *comparison = gate->comparison;

	for (size_t i = 0; i < comparison->gpu_count; i++)
		for (enum others others = 0; others <= OTHERS_NEW; others++)
			find_lost(gate, &comparison->gpu[i], others);
	for (size_t i = 0; i < comparison->gpu_count; i++)
		find_silent(gate, &comparison->gpu[i]);
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

void gate_find_incidents(
	struct gate *gate, const struct lost_run *lost, size_t lost_count)
{
	for (size_t i = 0; i < lost_count; i++)
		add(gate, GATE_RUN_LOST, lost[i].name,
			"could not be used: ", lost[i].why);
	find_undone(gate, GATE_RUN_FAILED, FATE_FAILED, "failed: ");
	find_undone(gate, GATE_RUN_CUT_OFF, FATE_CUT_OFF, "cut off: ");
	find_vanished(gate);
}
