/* Tables of names beside the members that have their values. */
#include "model/numbers.h"

#include <math.h>
#include <string.h>

static size_t put(
	struct named_number *out, const struct named_number *numbers, size_t count)
{
	memcpy(out, numbers, count * sizeof *numbers);
	return count;
}

#define PUT(out, table) put(out, table, sizeof(table) / sizeof *(table))

size_t numbers_of_steady(const struct steady *s, struct named_number out[NUMBERS_MAX])
{
	const struct named_number numbers[] = {
		{"steady_from_s", "s", s->from_s},
		{"steady_to_s", "s", s->to_s},
		{"steady_coverage", "", s->coverage},
		{"steady_warm_up_s", "s", s->warm_up_s},
		{"steady_interruptions", "", s->found ? (double)s->interruptions : NAN},
		{"steady_interrupted_s", "s", s->interrupted_s},
		{"steady_gpu_util_mean_pct", "%", s->gpu_util_mean_pct},
		{"steady_power_total_mean_w", "W", s->power_total_mean_w},
	};

	return PUT(out, numbers);
}

size_t numbers_of_path(const struct phase_path *p, struct named_number out[NUMBERS_MAX])
{
	const struct named_number numbers[] = {
		{"calls", "", (double)p->calls},
		{"non_empty_calls", "", (double)p->non_empty_calls},
		{"start_s", "s", p->start_s},
		{"total_s", "s", p->total_s},
		{"min_s", "s", p->min_s},
		{"mean_s", "s", p->mean_s},
		{"max_s", "s", p->max_s},
		{"exclusive_s", "s", p->exclusive_s},
		{"exclusive_energy_j", "J", p->exclusive_energy_j},
	};
	size_t count = PUT(out, numbers);

	_Static_assert(sizeof numbers / sizeof *numbers + PHASE_KEY_COUNT <= NUMBERS_MAX,
		"there is room for all");
	for (enum phase_key key = 0; key < PHASE_KEY_COUNT; key++) {
		const struct summary_field *field =
			summary_field_get(phase_key_summary(key));

		if (p->summary[key].kind != VALUE_TEXT)
			out[count++] = (struct named_number){
				field->name, field->unit, p->summary[key].number};
	}
	return count;
}

size_t numbers_of_call(const struct phase_call *c, struct named_number out[NUMBERS_MAX])
{
	const struct named_number numbers[] = {
		{"start_s", "s", c->start_s},
		{"seconds", "s", c->seconds},
		{"gpu_util_mean_pct", "%", c->gpu_util_mean_pct},
		{"power_total_mean_w", "W", c->power_total_mean_w},
		{"energy_j", "J", c->energy_j},
		{"energy_coverage", "", c->energy_coverage},
	};

	return PUT(out, numbers);
}

size_t numbers_of_work(const struct work *w, struct named_number out[NUMBERS_MAX])
{
	const struct named_number numbers[] = {
		{"events", "", (double)w->events},
		{"processes", "", (double)w->processes},
		{"units", "", w->units},
		{"units_least", "", w->units_least},
		{"units_most", "", w->units_most},
		{"units_timed", "", w->units_timed},
		{"first_s", "s", w->first_s},
		{"seconds", "s", w->seconds},
		{"units_per_s", "1/s", w->units_per_s},
		{"gpu_util_mean_pct", "%", w->gpu_util_mean_pct},
		{"gpu_s_per_unit", "s", w->gpu_s_per_unit},
		{"energy_j", "J", w->energy_j},
		{"energy_coverage", "", w->energy_coverage},
		{"energy_j_per_unit", "J", w->energy_j_per_unit},
	};

	return PUT(out, numbers);
}

const struct named_number *numbers_find(
	const struct named_number *numbers, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(numbers[i].name, name) == 0)
			return &numbers[i];
	return NULL;
}

enum summary_key summary_key_find(const char *name)
{
	enum summary_key key = 0;

	while (key < SUMMARY_COUNT && strcmp(summary_field_get(key)->name, name) != 0)
		key++;
	return key;
}
