/* Names of the reasons for lowered clocks, as bits of the mask and as columns. */
#include "compute/report/slowed.h"

#include <string.h>

#define IDLE_UTIL_PCT 5 /* below it a GPU has nothing to do */

/* A value that stands for a reason: of FLAGS a bit of that name, of a STATE the word
 * "Active", else more than nought. */
static const struct {
	enum metric_id metric;
	const char *bit; /* NULL: it is no FLAGS */
	enum slowed why; /* SLOWED_COUNT: the GPU idles */
} known[] = {
	{METRIC_clock_reasons, "sw_power_cap", SLOWED_POWER},
	{METRIC_reason_sw_power_cap, NULL, SLOWED_POWER},
	{METRIC_power_violation_pct, NULL, SLOWED_POWER},
	{METRIC_clock_reasons, "sw_thermal_slowdown", SLOWED_HEAT},
	{METRIC_clock_reasons, "hw_thermal_slowdown", SLOWED_HEAT},
	{METRIC_reason_sw_thermal_slowdown, NULL, SLOWED_HEAT},
	{METRIC_reason_hw_thermal_slowdown, NULL, SLOWED_HEAT},
	{METRIC_thermal_violation, NULL, SLOWED_HEAT},
	{METRIC_clock_reasons, "hw_slowdown", SLOWED_HARDWARE},
	{METRIC_clock_reasons, "hw_power_brake_slowdown", SLOWED_HARDWARE},
	{METRIC_reason_hw_slowdown, NULL, SLOWED_HARDWARE},
	{METRIC_reason_hw_power_brake_slowdown, NULL, SLOWED_HARDWARE},
	{METRIC_clock_reasons, "gpu_idle", SLOWED_COUNT},
	{METRIC_reason_gpu_idle, NULL, SLOWED_COUNT},
};

#define KNOWN (sizeof known / sizeof known[0])

_Static_assert(KNOWN <= SLOWED_SIGNS, "a batch has room for all of them");

bool slowed_is_told_by(enum metric_id metric)
{
	for (size_t i = 0; i < KNOWN; i++)
		if (known[i].metric == metric && known[i].why != SLOWED_COUNT)
			return true;
	return false;
}

bool slowed_asks(enum metric_id metric)
{
	for (size_t i = 0; i < KNOWN; i++)
		if (known[i].metric == metric)
			return true;
	return metric == METRIC_gpu_util_pct;
}

/* The bit of that name; 0: there is none. */
static int64_t mask_of(enum metric_id metric, const char *bit)
{
	const char *name;

	for (unsigned i = 0; (name = metric_flag_name(metric, i)); i++)
		if (strcmp(name, bit) == 0)
			return INT64_C(1) << i;
	return 0;
}

/* active: the number of that word in the run's texts; 0: no value has it. */
static struct slowed_sign sign_of(
	const struct sample_column *column, size_t which, int64_t active)
{
	struct slowed_sign sign = {.column = column, .why = known[which].why};

	if (known[which].bit)
		sign.mask = mask_of(column->metric, known[which].bit);
	else if (metric_is_text(column->metric))
		sign.word = active;
	else
		sign.least = 1;
	return sign;
}

struct slowed_batch slowed_of(const struct run *run, const struct sample_batch *batch)
{
	struct slowed_batch slowed = {.count = 0};
	int64_t active = texts_find(&run->texts, span_of("Active"));

	for (size_t c = 0; c < batch->column_count; c++) {
		const struct sample_column *column = &batch->column[c];

		if (column->metric == METRIC_gpu_util_pct)
			slowed.util = column;
		for (size_t i = 0; i < KNOWN; i++) {
			if (known[i].metric != column->metric)
				continue;
			slowed.at[slowed.count++] = sign_of(column, i, active);
			slowed.told |= known[i].why != SLOWED_COUNT;
		}
	}
	return slowed;
}

static bool holds(const struct slowed_sign *sign, int64_t value)
{
	return (sign->least && value >= sign->least) || (value & sign->mask) ||
		(sign->word && value == sign->word);
}

static bool is_unused(const struct sample_column *util, size_t row)
{
	return util && util->presence[row] == PRESENCE_VALUE &&
		util->value[row] < IDLE_UTIL_PCT * metric_get(util->metric)->per_unit;
}

struct slowed_row slowed_row(const struct slowed_batch *slowed, size_t row)
{
	bool idles = is_unused(slowed->util, row);
	struct slowed_row says = {.told = {false}};

	for (size_t i = 0; i < slowed->count; i++) {
		const struct slowed_sign *sign = &slowed->at[i];
		bool held;

		if (sign->column->presence[row] == PRESENCE_MISSING &&
			sign->why != SLOWED_COUNT)
			says.missing[sign->why] = true;
		if (sign->column->presence[row] != PRESENCE_VALUE)
			continue;
		held = holds(sign, sign->column->value[row]);
		if (sign->why == SLOWED_COUNT) {
			idles |= held;
			continue;
		}
		says.told[sign->why] = true;
		says.held[sign->why] |= held;
	}
	for (enum slowed why = 0; why < SLOWED_COUNT && idles; why++)
		says.held[why] = false;
	return says;
}
