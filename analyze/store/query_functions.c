/*
 * Functions for the queries of users that SQLite lacks: median(x), percentile(x, p),
 * stddev(x). Like avg(), each ignores NULL, and is NULL without values.
 */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "store/internal.h"

/* The values of one group of rows. */
struct group {
	double *value; /* [count] owned */
	size_t count, cap;
	double percent;
};

static void take_value(sqlite3_context *context, int count, sqlite3_value **argument)
{
	struct group *group = sqlite3_aggregate_context(context, sizeof *group);

	if (!group || sqlite3_value_type(argument[0]) == SQLITE_NULL)
		return;
	group->percent = count == 1 ? 50
		: sqlite3_value_type(argument[1]) == SQLITE_NULL
		? NAN
		: sqlite3_value_double(argument[1]);
	ALLOC_NEXT(group->value, group->count, group->cap) =
		sqlite3_value_double(argument[0]);
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Between two neighbors by the distance to each, as NumPy, pandas and DuckDB do. */
static double percentile(struct group *group)
{
	double at = group->percent / 100 * (double)(group->count - 1);
	size_t below = (size_t)at;
	size_t above = below + 1 < group->count ? below + 1 : below;

	qsort(group->value, group->count, sizeof *group->value, by_size);
	return group->value[below] +
		(at - (double)below) * (group->value[above] - group->value[below]);
}

static void end_percentile(sqlite3_context *context)
{
	struct group *group = sqlite3_aggregate_context(context, 0);

	if (!group)
		return;
	if (group->count && group->percent >= 0 && group->percent <= 100)
		sqlite3_result_double(context, percentile(group));
	else if (group->count)
		sqlite3_result_error(
			context, "percentile(x, p) needs p from 0 to 100, e.g. 95", -1);
	free(group->value);
}

/* Of a sample, divided by n - 1, as pandas, DuckDB and PostgreSQL do. */
static void end_stddev(sqlite3_context *context)
{
	struct group *group = sqlite3_aggregate_context(context, 0);
	double mean = 0, squares = 0;

	if (!group)
		return;
	for (size_t i = 0; i < group->count; i++)
		mean += group->value[i] / (double)group->count;
	for (size_t i = 0; i < group->count; i++)
		squares += (group->value[i] - mean) * (group->value[i] - mean);
	if (group->count > 1)
		sqlite3_result_double(
			context, sqrt(squares / (double)(group->count - 1)));
	free(group->value);
}

void query_add_functions(struct store *store)
{
	static const struct {
		const char *name;
		int arguments;
		void (*end)(sqlite3_context *context);
	} functions[] = {{"median", 1, end_percentile}, {"percentile", 2, end_percentile},
		{"stddev", 1, end_stddev}};

	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		sqlite3_create_function(store->db, functions[i].name,
			functions[i].arguments, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
			NULL, take_value, functions[i].end);
}
