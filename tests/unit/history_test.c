/*
 * The numbers that the database gives of its runs are those of their reports, bit for
 * bit: of every run and case of testdata, loaded from its log and again from the
 * database.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <glob.h>
#include <math.h>
#include <string.h>

#include "cmd/load.h"
#include "model/measure.h"
#include "store_room.h"

#define ALL_PARTS ((1u << MEASURE_PARTS) - 1)

struct number {
	struct measure measure; /* owned */
	double value;
	struct covered covered;
};

struct numbers {
	char *key;
	struct number *at;
	size_t count, cap;
};

static void numbers_release(struct numbers *numbers)
{
	for (size_t i = 0; i < numbers->count; i++)
		measure_release(&numbers->at[i].measure);
	free(numbers->at);
	free(numbers->key);
	*numbers = (struct numbers){0};
}

static void add(void *context, const struct measure *measure, double value,
	const struct covered *covered)
{
	struct numbers *numbers = context;

	ALLOC_GROW(numbers->at, numbers->count + 1, numbers->cap);
	numbers->at[numbers->count++] =
		(struct number){measure_copy(measure), value, *covered};
}

/* The time in calls is added up anew. */
static bool same_coverage(const struct covered *a, const struct covered *b)
{
	return a->doubt == b->doubt && isnan(a->coverage) == isnan(b->coverage) &&
		!(fabs(a->coverage - b->coverage) > 1e-9);
}

static void assert_same(const struct numbers *a, const struct numbers *b, const char *run)
{
	for (size_t i = 0; i < a->count && i < b->count; i++) {
		const struct number *x = &a->at[i], *y = &b->at[i];
		struct strbuf name;

		if (measure_same(&x->measure, &y->measure) &&
			x->measure.decimals == y->measure.decimals &&
			x->measure.better == y->measure.better &&
			x->measure.headline == y->measure.headline &&
			strcmp(x->measure.unit, y->measure.unit) == 0 &&
			same_coverage(&x->covered, &y->covered) &&
			(memcmp(&x->value, &y->value, sizeof x->value) == 0 ||
				(isnan(x->value) && isnan(y->value))))
			continue;
		strbuf_init(&name);
		measure_name(&name, &x->measure);
		strbuf_adds(&name, " / ");
		measure_name(&name, &y->measure);
		fail_msg("%s: %s: %.17g / %.17g", run, name.text, x->value, y->value);
	}
	if (a->count != b->count)
		fail_msg("%s: %zu / %zu numbers", run, a->count, b->count);
}

/* What the history tells of one run. */
struct found {
	const char *key;
	struct numbers numbers;
	const char *only; /* of metrics */
	size_t runs;
};

static bool is_key(void *context, const struct run *run)
{
	const struct found *found = context;

	return !found->key || strcmp(run->key, found->key) == 0;
}

static void take(void *context, struct report *report)
{
	struct found *found = context;

	found->runs++;
	if (found->key)
		measures_of(report, add, &found->numbers);
}

static void find(struct room *room, struct store *store, struct found *found,
	unsigned parts, const char *metric)
{
	struct history history = {.wanted = is_key,
		.take = take,
		.context = found,
		.calls = true,
		.parts = parts,
		.metric = metric};
	size_t outdated;

	if (store_history(store, &history, &outdated, &room->err) < 0)
		fail_msg("%s", room->err.message);
	assert_int_equal(outdated, 0);
}

static bool load(
	struct room *room, struct store *store, const char *path, struct loaded *loaded)
{
	char name[] = "hwsummarize", *argv[] = {name, (char *)path, NULL};
	struct load_plan plan;
	struct options opt;
	int rc;

	assert_int_equal(options_parse(&opt, 2, argv, &room->err), 0);
	plan = load_plan_of(&opt);
	rc = load_run(loaded, opt.operand, 1, &plan, store, NULL, &room->err);
	options_release(&opt);
	return rc == 0;
}

/* Single CPUs are known only where the log was read. */
static void without_cores(struct report *report)
{
	report_select(report, &(struct report_filter){0});
}

static void take_without_cores(void *context, struct report *report)
{
	without_cores(report);
	take(context, report);
}

static void check_run(struct room *room, struct store *store, const char *path)
{
	struct numbers first = {0}, again = {0};
	struct found found = {0};
	struct loaded loaded;
	struct history history = {.wanted = is_key,
		.take = take_without_cores,
		.context = &found,
		.calls = true,
		.parts = ALL_PARTS};
	size_t outdated;

	if (!load(room, store, path, &loaded))
		return;
	first.key = xstrdup(loaded.run.key);
	measures_of(&loaded.report, add, &first);
	loaded_release(&loaded);
	found.key = first.key;
	find(room, store, &found, ALL_PARTS, NULL);
	assert_int_equal(found.runs, 1);
	assert_same(&first, &found.numbers, path);
	numbers_release(&found.numbers);

	assert_true(load(room, store, path, &loaded));
	without_cores(&loaded.report);
	measures_of(&loaded.report, add, &again);
	loaded_release(&loaded);
	assert_int_equal(store_history(store, &history, &outdated, &room->err), 0);
	assert_same(&again, &found.numbers, path);
	numbers_release(&found.numbers);
	numbers_release(&first);
	numbers_release(&again);
}

static void of_all(void **state, const char *pattern, size_t least)
{
	struct room *room = *state;
	struct store *store = open_store(room);
	struct found all = {0};
	glob_t paths;

	assert_int_equal(glob(pattern, 0, NULL, &paths), 0);
	for (size_t i = 0; i < paths.gl_pathc; i++)
		check_run(room, store, paths.gl_pathv[i]);
	globfree(&paths);
	find(room, store, &all, 0, NULL);
	assert_true(all.runs >= least);
	store_close(store);
}

static void of_runs(void **state)
{
	of_all(state, "testdata/runs/*", 2);
}

static void of_cases(void **state)
{
	of_all(state, "testdata/cases/*", 30);
}

static void of_damaged(void **state)
{
	of_all(state, "testdata/broken/*", 100);
}

/* A part of the numbers is what all of them have of it, nothing else. */
static void parts(void **state)
{
	struct room *room = *state;
	struct store *store = open_store(room);
	struct numbers wanted = {0}, all = {0};
	struct found found = {0};
	struct loaded loaded;

	assert_true(load(room, store, "testdata/cases/two-gpus-made-up", &loaded));
	all.key = xstrdup(loaded.run.key);
	measures_of(&loaded.report, add, &all);
	loaded_release(&loaded);
	found.key = all.key;

	find(room, store, &found, 1u << MEASURE_METRIC, "power_w");
	for (size_t i = 0; i < all.count; i++)
		if (all.at[i].measure.part == MEASURE_METRIC &&
			!all.at[i].measure.phase &&
			strcmp(all.at[i].measure.key, "power_w") == 0)
			add(&wanted, &all.at[i].measure, all.at[i].value,
				&all.at[i].covered);
	assert_true(wanted.count > 20);
	/* unknown ones of the summary and the steady state come before them, and those of
	 * work, which say how much was done */
	assert_true(found.numbers.count > wanted.count);
	for (size_t i = 0; i < wanted.count; i++) {
		const struct number *x = &wanted.at[i];
		const struct number *y =
			&found.numbers.at[found.numbers.count - wanted.count + i];

		assert_true(measure_same(&x->measure, &y->measure));
		assert_true(isnan(x->value) ? isnan(y->value) : x->value == y->value);
	}
	for (size_t i = 0; i < found.numbers.count - wanted.count; i++)
		assert_true(found.numbers.at[i].measure.part == MEASURE_WORK ||
			isnan(found.numbers.at[i].value));
	numbers_release(&found.numbers);
	numbers_release(&wanted);
	numbers_release(&all);
	store_close(store);
}

struct path_order {
	char *path[8];
	size_t count;
};

static void take_path(void *context, struct report *report)
{
	struct path_order *order = context;

	assert_true(order->count < 8);
	order->path[order->count++] = xstrdup(report->run->path);
	assert_string_equal(label_find(&report->run->labels, "commit")->value, "4f2a1c");
	assert_true(report->run->file_count > 0);
}

static bool is_labeled(void *context, const struct run *run)
{
	(void)context;
	return run->labels.count > 0;
}

/* By their starts, 2025-02-03T04:00:00Z and 04:05:00Z; those without times last. */
static void in_order_of_time(void **state)
{
	static const char *const path[] = {"testdata/cases/stat-no-times-made-up.log",
		"testdata/cases/two-gpus-made-up",
		"testdata/cases/every-third-second-made-up.csv",
		"testdata/cases/waits-made-up"};
	struct room *room = *state;
	struct store *store = open_store(room);
	struct path_order order = {0};
	struct history history = {
		.wanted = is_labeled, .take = take_path, .context = &order};
	struct label_list labels = {0};
	size_t outdated;

	label_set(&labels, span_of("commit"), span_of("4f2a1c"), true);
	for (size_t i = 0; i < 4; i++) {
		struct loaded loaded;

		assert_true(load(room, store, path[i], &loaded));
		if (i < 3)
			assert_int_equal(store_label_run(store, loaded.run.key, &labels,
						 &room->err),
				0);
		loaded_release(&loaded);
	}
	label_list_release(&labels);
	assert_int_equal(store_history(store, &history, &outdated, &room->err), 0);
	assert_int_equal(order.count, 3);
	assert_string_equal(order.path[0], path[2]);
	assert_string_equal(order.path[1], path[1]);
	assert_string_equal(order.path[2], path[0]);
	for (size_t i = 0; i < order.count; i++)
		free(order.path[i]);

	tell(room->db,
		"UPDATE run SET definitions_version = 1 WHERE started_ns IS NULL "
		"OR path LIKE '%waits%'");
	order.count = 0;
	assert_int_equal(store_history(store, &history, &outdated, &room->err), 0);
	assert_int_equal(order.count, 2);
	assert_int_equal(outdated, 1);
	for (size_t i = 0; i < order.count; i++)
		free(order.path[i]);
	store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {CASE(of_runs), CASE(of_cases),
		CASE(of_damaged), CASE(parts), CASE(in_order_of_time)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
