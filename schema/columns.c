/*
 * Prints the columns that the rows of summary.def and report.def make, one a line:
 * LIST NAME KIND [NOT NULL]. columns.awk puts them into the SQL files.
 */
#include <stdio.h>
#include <string.h>

#include "model/report.h"

/* What a member is, by its type. */
#define KIND(member)                  \
	_Generic(member, double       \
		 : "number", uint64_t \
		 : "count", int64_t   \
		 : "time", bool       \
		 : "flag")

static const struct {
	const char *rule, *unit;
	int decimals;
} summary[SUMMARY_COUNT] = {
#define SUMMARY(key, rule, metric, unit, decimals, ...) {#rule, unit, decimals},
#include "../schema/summary.def"
};

static const char *summary_kind(enum summary_key key)
{
	if (strcmp(summary[key].rule, "GPU_ENERGY_METHOD") == 0)
		return "text";
	return *summary[key].unit || summary[key].decimals ? "number" : "count";
}

/* always: the column is never NULL. */
static void print(const char *list, const char *name, const char *kind, int always)
{
	if (name)
		printf("%s %s %s%s\n", list, name, kind, always ? " NOT NULL" : "");
}

int main(void)
{
	const struct metric_stats stats = {0};

#define SUMMARY(key, ...) print("summary", #key, summary_kind(SUMMARY_##key), 0);
#include "../schema/summary.def"
#define PHASE_KEY(key, column) print("phase_key", #key, summary_kind(SUMMARY_##key), 0);
#include "../schema/summary.def"
#define STATS_MEMBER(member, part, key, column)           \
	print("metric_stats", column, KIND(stats.member), \
		PART_##part == PART_ALL && !strcmp(KIND(stats.member), "count"));
#include "../schema/report.def"
#define STATISTIC(name, member, part, unit) print(#part, #name, KIND(stats.member), 0);
#include "../schema/report.def"
	return 0;
}
