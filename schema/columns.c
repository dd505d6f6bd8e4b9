/*
 * Prints the columns that the rows of summary.def and report.def make, one a line:
 * LIST NAME KIND [NOT NULL], or LIST NAME KIND METRIC STATISTIC. columns.awk puts them
 * into the SQL files.
 */
#include <stdio.h>
#include <string.h>

#include "model/report.h"

/* What a member is, by its type. */
#define KIND(member) \
	_Generic(member, double       \
		 : "number", uint64_t \
		 : "count", int64_t   \
		 : "time", bool       \
		 : "flag", const char * : "text")

static const struct {
	const char *rule, *unit;
	int decimals;
} summary[SUMMARY_COUNT] = {
#define SUMMARY(key, rule, metric, unit, decimals, ...) {#rule, unit, decimals},
#include "../schema/summary.def"
};

static const char *summary_kind(enum summary_key key)
{
	if (strcmp(summary[key].rule, "GPU_ENERGY_METHOD") == 0 ||
		strcmp(summary[key].rule, "FRAMEWORK_PEAKS") == 0)
		return "text";
	return *summary[key].unit || summary[key].decimals ? "number" : "count";
}

/* always: all have it; then a count or a flag is known. */
static void print(const char *list, const char *name, const char *kind, bool always)
{
	bool known = always && (strcmp(kind, "count") == 0 || strcmp(kind, "flag") == 0);

	if (name)
		printf("%s %s %s%s\n", list, name, kind, known ? " NOT NULL" : "");
}

int main(void)
{
	const struct metric_stats stats = {0};

#define SUMMARY(key, ...) print("summary", #key, summary_kind(SUMMARY_##key), false);
#include "../schema/summary.def"
#define PHASE_KEY(key, column) \
	print("phase_key", #key, summary_kind(SUMMARY_##key), false);
#include "../schema/summary.def"
#define GPU_NUMBER(key, metric, statistic) \
	puts("gpu " #key " number " #metric " " #statistic);
#include "../schema/summary.def"
#define STATS_MEMBER(member, part, key, column) \
	print("metric_stats", column, KIND(stats.member), PART_##part == PART_ALL);
#include "../schema/report.def"
#define STATISTIC(name, member, part, unit) \
	print(#part, #name, KIND(stats.member), false);
#include "../schema/report.def"
#define MEMBER(of, member, key, column, unit) \
	print(#of, column, KIND(((struct of *)0)->member), true);
#include "../schema/report.def"
	return 0;
}
