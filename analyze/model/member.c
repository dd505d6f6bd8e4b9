/* schema/report.def as a table. */
#include "model/member.h"

#include <math.h>

#include "model/report.h"

#define KIND(type, member) \
	_Generic(((type *)0)->member, double                \
		 : MEMBER_NUMBER, uint64_t \
		 : MEMBER_COUNT, int64_t \
		 : MEMBER_TIME, bool                        \
		 : MEMBER_FLAG, const char *                \
		 : MEMBER_TEXT)

/* The name of a number in CSV, by its struct. */
#define NAME_phase_path(key)	  key
#define NAME_phase_call(key)	  key
#define NAME_device_evidence(key) key
#define NAME_steady(key)	  "steady_" key

#define ROW(struct_of, member, ...)                           \
	{.of = OF_##struct_of,                                \
		.kind = KIND(struct struct_of, member),       \
		.offset = offsetof(struct struct_of, member), \
		__VA_ARGS__},

static const struct member members[] = {
#define STATISTIC(called, member, in, of_unit)                                          \
	ROW(metric_stats, member, .part = PART_##in, .key = #called, .column = #called, \
		.unit = of_unit)
#define STATS_MEMBER(member, in, as_key, as_column) \
	ROW(metric_stats, member, .part = PART_##in, .key = as_key, .column = as_column)
#define MEMBER(of, member, as_key, as_column, of_unit)                      \
	ROW(of, member, .key = as_key, .column = as_column, .name = as_key, \
		.unit = of_unit)
#define NUMBER(of, member, of_unit)                                                    \
	ROW(of, member, .key = #member, .column = #member, .name = NAME_##of(#member), \
		.unit = of_unit)
#define MEASURE(of, member, of_unit, digits, which, is_total)                          \
	ROW(of, member, .key = #member, .column = #member, .name = NAME_##of(#member), \
		.unit = of_unit, .is_measure = true, .decimals = digits,               \
		.better = BETTER_##which, .total = is_total)
#include "../schema/report.def"
	{.of = OF_NOTHING},
};

const struct member *members_of(enum member_of of)
{
	const struct member *m = members;

	while (m->of != of)
		m++;
	return m;
}

double member_number(const struct member *m, const void *of)
{
	const void *at = member_at(m, of);

	switch (m->kind) {
	case MEMBER_NUMBER:
		return *(const double *)at;
	case MEMBER_COUNT:
		return (double)*(const uint64_t *)at;
	case MEMBER_FLAG:
		return *(const bool *)at;
	case MEMBER_TIME:
	case MEMBER_TEXT:
		break;
	}
	return NAN;
}
