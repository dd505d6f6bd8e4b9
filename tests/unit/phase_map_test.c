/*
 * Which phases an instant and a slice lie in: both readings of a call's end, calls that
 * nest, recur and overlap, and many of them against a plain look at every call.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/timestamp.h"
#include "compute/phases/phase_map.h"

#define MS 1000000

static struct event *add_phase(
	struct run *run, const char *name, int64_t from_ns, int64_t to_ns)
{
	struct event *event = run_add_event(run);

	event->type = to_ns == TIME_NONE ? EVENT_BEGIN : EVENT_PHASE;
	event->t_ns = from_ns;
	event->end_ns = to_ns;
	event->name = run_keep(run, name);
	return event;
}

/* The names around an instant, ascending. */
static void expect_at(struct phase_map *map, int64_t t_ns, const char *expected)
{
	const struct phase_tree *tree = phase_map_tree(map);
	struct strbuf sb;
	size_t count;
	const uint32_t *path = phase_map_at(map, t_ns, &count);
	bool in[16] = {false};

	strbuf_init(&sb);
	for (size_t i = 0; i < count; i++) {
		assert_false(in[path[i]]); /* each once */
		in[path[i]] = true;
	}
	for (size_t i = 0; i < tree->path_count; i++)
		if (in[i])
			strbuf_addf(&sb, "%s ", tree->path[i].name);
	if (in[tree->path_count])
		strbuf_adds(&sb, "(outside) ");
	assert_string_equal(sb.text, expected);
	strbuf_release(&sb);
}

static void ends_belong_by_rule(void **state)
{
	const struct phase_rules half_open = {.flat = true, .outside = true};
	const struct phase_rules closed = {
		.flat = true, .closed = true, .finished = true};
	struct phase_map *map;
	struct run run;

	(void)state;
	run_init(&run, "run");
	add_phase(&run, "b", 10, 20);
	add_phase(&run, "a", 15, 30);
	add_phase(&run, "b", 18, 25);
	add_phase(&run, "point", 20, 20);
	add_phase(&run, "open", 28, TIME_NONE);
	map = phase_map_new(&run, &half_open);
	expect_at(map, 9, "(outside) ");
	expect_at(map, 10, "b ");
	expect_at(map, 14, "b ");
	expect_at(map, 15, "a b ");
	expect_at(map, 19, "a b ");
	expect_at(map, 20, "a b ");
	expect_at(map, 25, "a ");
	expect_at(map, 30, "open ");
	expect_at(map, INT64_MAX - 1, "open ");
	expect_at(map, 9, "(outside) "); /* back again */
	phase_map_free(map);
	map = phase_map_new(&run, &closed);
	expect_at(map, 20, "a b point ");
	expect_at(map, 25, "a b ");
	expect_at(map, 26, "a ");
	expect_at(map, 30, "a ");
	expect_at(map, 31, "");
	phase_map_free(map);
	run_release(&run);
}

/* "path:own,own path:..." in the order of the calls; '!' behind one that overlaps. */
static void expect_tree(struct run *run, int64_t run_end_ns, const char *expected)
{
	struct phase_tree tree;
	struct call_time *time;
	struct strbuf sb;

	phase_tree_build(&tree, run, false, NULL);
	time = calloc(tree.calls.count + 1, sizeof *time);
	assert_non_null(time);
	phase_tree_times(&tree, run_end_ns, time);
	strbuf_init(&sb);
	for (size_t i = 0; i < tree.calls.count; i++)
		strbuf_addf(&sb, "%s:%lld%s ", tree.path[tree.of[i].path].name,
			(long long)(time[i].own_ns / MS), time[i].overlaps ? "!" : "");
	assert_string_equal(sb.text, expected);
	strbuf_release(&sb);
	free(time);
	phase_tree_release(&tree);
	run_release(run);
}

static void calls_nest(void **state)
{
	struct run run;

	(void)state;
	/* inner calls, twice the same name, and one beside */
	run_init(&run, "run");
	add_phase(&run, "step", 10 * MS, 30 * MS);
	add_phase(&run, "step", 30 * MS, 60 * MS);
	add_phase(&run, "epoch", 5 * MS, 70 * MS);
	add_phase(&run, "train", 0, 100 * MS);
	add_phase(&run, "save", 100 * MS, 130 * MS);
	expect_tree(&run, 130 * MS,
		"train:35 train/epoch:15 train/epoch/step:20 train/epoch/step:30 "
		"save:30 ");

	/* of equal spans the one that was logged later is the outer */
	run_init(&run, "run");
	add_phase(&run, "inner", 0, 100 * MS);
	add_phase(&run, "outer", 0, 100 * MS);
	expect_tree(&run, 100 * MS, "outer:0 outer/inner:100 ");

	/* a name inside itself */
	run_init(&run, "run");
	add_phase(&run, "f", 20 * MS, 40 * MS);
	add_phase(&run, "f", 10 * MS, 50 * MS);
	add_phase(&run, "f", 0, 60 * MS);
	expect_tree(&run, 60 * MS, "f:20 f/f:20 f/f/f:20 ");

	/* rounding: begun 1 ms too early, ended 2 ms too late, is still inside */
	run_init(&run, "run");
	add_phase(&run, "child", 99 * MS, 202 * MS);
	add_phase(&run, "parent", 100 * MS, 300 * MS);
	add_phase(&run, "child", 250 * MS, 302 * MS);
	expect_tree(&run, 400 * MS, "parent/child:103 parent:48 parent/child:52 ");

	/* ... but calls that are shorter than that and stand in a row are not */
	run_init(&run, "run");
	add_phase(&run, "a", 0, MS / 2);
	add_phase(&run, "b", MS / 2, 2 * MS);
	expect_tree(&run, 2 * MS, "a:0 b:1 ");
}

static void calls_overlap(void **state)
{
	struct run run;

	(void)state;
	run_init(&run, "run");
	add_phase(&run, "a", 0, 50 * MS);
	add_phase(&run, "b", 40 * MS, 90 * MS);
	add_phase(&run, "c", 90 * MS, 95 * MS); /* touches, no more */
	expect_tree(&run, 95 * MS, "a:50! b:50! c:5 ");

	/* inside a parent they take its time once */
	run_init(&run, "run");
	add_phase(&run, "p", 0, 100 * MS);
	add_phase(&run, "a", 10 * MS, 50 * MS);
	add_phase(&run, "b", 40 * MS, 90 * MS);
	expect_tree(&run, 100 * MS, "p:20 p/a:40! p/b:50! ");

	/* those of two processes lie beside one another, whatever contains what */
	run_init(&run, "run");
	add_phase(&run, "a", 0, 50 * MS)->extras = run_keep(&run, "{\"pid\": 1}");
	add_phase(&run, "b", 10 * MS, 20 * MS)->extras = run_keep(&run, "{\"pid\": 2}");
	add_phase(&run, "c", 12 * MS, 15 * MS)->extras = run_keep(&run, "{\"pid\": 2}");
	expect_tree(&run, 50 * MS, "a:50! b:7! b/c:3! ");

	/* one without an end runs to the run's */
	run_init(&run, "run");
	add_phase(&run, "open", 10 * MS, TIME_NONE);
	add_phase(&run, "in", 20 * MS, 30 * MS);
	expect_tree(&run, 60 * MS, "open:40 open/in:10 ");
}

/* A hundred thousand calls inside one another: neither depth nor time without bound. */
static void deep_recursion(void **state)
{
	const int depth = 100000;
	struct phase_tree tree;
	struct run run;

	(void)state;
	run_init(&run, "run");
	for (int i = 0; i < depth; i++)
		add_phase(&run, "f", (int64_t)i * 10 * MS,
			(int64_t)(2 * depth - i) * 10 * MS);
	phase_tree_build(&tree, &run, false, NULL);
	assert_int_equal(tree.path_count, 64);
	assert_int_equal(tree.of[depth - 1].path, 63);
	phase_tree_release(&tree);
	run_release(&run);
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

static bool lies_in(const struct call *call, int64_t t_ns, bool closed)
{
	return t_ns >= call->start_ns &&
		(t_ns < call->end_ns || (closed && t_ns == call->end_ns));
}

static void random_calls(struct run *run, int count, uint32_t *seed)
{
	run_init(run, "run");
	for (int i = 0; i < count; i++) {
		int64_t from = next_random(seed) % 60;
		char name[8];

		snprintf(name, sizeof name, "%d", (int)(next_random(seed) % 5));
		add_phase(run, name, from, from + next_random(seed) % 20);
	}
}

static void expect_plain_at(
	struct phase_map *map, const struct phase_rules *rules, int64_t t_ns)
{
	const struct phase_tree *tree = phase_map_tree(map);
	bool in[1000] = {false}, any = false;
	size_t count, expected = 0;
	const uint32_t *path = phase_map_at(map, t_ns, &count);

	assert_true(tree->path_count < 1000);
	for (size_t c = 0; c < tree->calls.count; c++)
		if (lies_in(&tree->calls.at[c], t_ns, rules->closed))
			any = in[tree->of[c].path] = true;
	in[tree->path_count] = !any && rules->outside && tree->path_count;
	for (size_t p = 0; p <= tree->path_count; p++)
		expected += in[p];
	assert_int_equal(count, expected);
	for (size_t p = 0; p < count; p++)
		assert_true(in[path[p]]);
}

/* The parts of a slice, against the sum over its nanoseconds. */
static void expect_plain_parts(struct phase_map *map, int64_t from_ns, int64_t to_ns)
{
	const struct phase_tree *tree = phase_map_tree(map);
	int64_t time[1000] = {0};
	bool in[1000];
	size_t count, with_time = 0;
	const struct phase_part *part;

	for (int64_t t = from_ns; t < to_ns; t++) {
		bool any = false;

		memset(in, 0, sizeof in);
		for (size_t c = 0; c < tree->calls.count; c++)
			if (lies_in(&tree->calls.at[c], t, false))
				any = in[tree->of[c].path] = true;
		in[tree->path_count] = !any;
		for (size_t p = 0; p <= tree->path_count; p++)
			time[p] += in[p];
	}
	for (size_t p = 0; p <= tree->path_count; p++)
		with_time += time[p] > 0;
	part = phase_map_parts(map, from_ns, to_ns, &count);
	assert_int_equal(count, with_time);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(part[i].time_ns, time[part[i].path]);
}

/*
 * The pieces of a slice tile it, and the ramp at their ends is (t - from)^2 / dt rounded
 * down.
 */
static void expect_pieces(struct phase_map *map, int64_t from_ns, int64_t to_ns)
{
	struct phase_pieces pieces = phase_map_pieces(map, from_ns, to_ns);
	int64_t at_ns = from_ns, dt_ns = to_ns - from_ns;
	int128 ramp = 0;

	assert_true(pieces.count > 0);
	for (size_t i = 0; i < pieces.count; i++) {
		const struct slice_piece *piece = &pieces.at[i].at;
		int64_t into_ns = piece->to_ns - from_ns;

		assert_int_equal(piece->from_ns, at_ns);
		assert_true(piece->to_ns > at_ns);
		at_ns = piece->to_ns;
		ramp = piece->to_ramp;
		assert_true(ramp == (int128)into_ns * into_ns * RAMP_FRACTION / dt_ns);
	}
	assert_int_equal(at_ns, to_ns);
	assert_true(ramp == (int128)dt_ns * RAMP_FRACTION);
}

static void many_calls_as_a_plain_look_finds_them(void **state)
{
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < 60; round++) {
		const struct phase_rules rules = {.flat = round % 3 == 0,
			.closed = round % 2 != 0,
			.outside = round % 4 == 0};
		struct phase_map *map;
		struct run run;

		random_calls(&run, round * 3, &seed);
		map = phase_map_new(&run, &rules);
		for (int i = 0; i < 200; i++)
			expect_plain_at(map, &rules,
				i < 90 ? i : (int64_t)(next_random(&seed) % 90));
		phase_map_free(map);
		run_release(&run);
	}
}

static void parts_of_slices(void **state)
{
	const struct phase_rules rules = {.outside = true};
	uint32_t seed = 7;

	(void)state;
	for (int round = 1; round < 60; round++) {
		struct phase_map *map;
		struct run run;

		random_calls(&run, round, &seed);
		map = phase_map_new(&run, &rules);
		for (int i = 0; i < 100; i++) {
			int64_t from_ns = (int64_t)(next_random(&seed) % 90) - 5;

			int64_t to_ns = from_ns + 1 + (int64_t)(next_random(&seed) % 40);

			expect_plain_parts(map, from_ns, to_ns);
			expect_pieces(map, from_ns, to_ns);
		}
		phase_map_free(map);
		run_release(&run);
	}
}

/* The paths that a set stands for are those that are named one by one. */
static void expect_set(struct phase_map *map, uint32_t set, int64_t t_ns)
{
	size_t count, of;
	const uint32_t *path = phase_map_at(map, t_ns, &count);
	const uint32_t *member = phase_map_set(map, set, &of);

	assert_true(set >= phase_map_paths(map));
	assert_int_equal(of, count);
	assert_memory_equal(member, path, count * sizeof *path);
}

/* By sets each path has the time that it has by itself. */
static void expect_same_parts(
	struct phase_map *map, struct phase_map *plain, int64_t from_ns, int64_t to_ns)
{
	int64_t time[1000] = {0};
	size_t count;
	const struct phase_part *part = phase_map_parts(map, from_ns, to_ns, &count);

	for (size_t i = 0; i < count; i++)
		time[part[i].path] += part[i].time_ns;
	part = phase_map_parts(plain, from_ns, to_ns, &count);
	for (size_t i = 0; i < count; i++)
		time[part[i].path] -= part[i].time_ns;
	for (size_t p = 0; p < 1000; p++)
		assert_int_equal(time[p], 0);
}

/* Those that hold together have one number, the same each time. */
static void sets_of_nested_calls(void **state)
{
	const struct phase_rules rules = {.outside = true, .sets = true};
	const struct phase_rules none = {.outside = true};
	struct phase_pieces pieces;
	struct phase_map *map;
	struct run run;
	uint32_t both, outer;

	(void)state;
	run_init(&run, "run");
	add_phase(&run, "outer", 10, 40);
	add_phase(&run, "inner", 12, 20);
	add_phase(&run, "inner", 30, 35);
	map = phase_map_new(&run, &none);
	assert_false(phase_map_divides(map));
	assert_int_equal(phase_map_set_at(map, 15), PATH_SET_NONE);
	pieces = phase_map_pieces(map, 18, 23);
	assert_int_equal(pieces.count, 2);
	assert_int_equal(pieces.at[0].set, PATH_SET_NONE);
	assert_int_equal(pieces.at[0].paths, 2);
	assert_int_equal(pieces.at[1].paths, 1);
	assert_int_equal(pieces.path[pieces.at[1].first], 0);
	phase_map_free(map);
	map = phase_map_new(&run, &rules);
	assert_true(phase_map_divides(map));
	both = phase_map_set_at(map, 15);
	outer = phase_map_set_at(map, 25);
	assert_true(both >= phase_map_paths(map) && outer >= phase_map_paths(map));
	assert_int_not_equal(both, outer);
	assert_int_equal(phase_map_set_at(map, 30), both);
	pieces = phase_map_pieces(map, 13, 15);
	assert_int_equal(pieces.count, 1);
	assert_int_equal(pieces.at[0].set, both);
	pieces = phase_map_pieces(map, 18, 23); /* inner ends at 20 */
	assert_int_equal(pieces.count, 2);
	assert_int_equal(pieces.at[0].set, both);
	assert_int_equal(pieces.at[0].at.to_ns, 20);
	assert_int_equal(pieces.at[1].set, outer);
	for (int64_t t = 5; t < 45; t++)
		expect_set(map, phase_map_set_at(map, t), t);
	phase_map_free(map);
	run_release(&run);
}

/* Calls that overlap at random have more sets than are numbered: those have none. */
static void sets_of_random_calls(void **state)
{
	const struct phase_rules rules = {.flat = true, .outside = true, .sets = true};
	const struct phase_rules none = {.flat = true, .outside = true};
	size_t with = 0, without = 0;
	uint32_t seed = 3;

	(void)state;
	for (int round = 1; round < 60; round++) {
		struct phase_map *map, *plain;
		struct run run;

		random_calls(&run, round, &seed);
		map = phase_map_new(&run, &rules);
		plain = phase_map_new(&run, &none);
		for (int64_t t = 0; t < 90; t++) {
			uint32_t set = phase_map_set_at(map, t);

			expect_same_parts(map, plain, t, t + 4);
			if (set != PATH_SET_NONE)
				expect_set(map, set, t);
			with += set != PATH_SET_NONE;
			without += set == PATH_SET_NONE;
		}
		phase_map_free(map);
		phase_map_free(plain);
		run_release(&run);
	}
	assert_true(with > 1000 && without > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_belong_by_rule),
		cmocka_unit_test(calls_nest),
		cmocka_unit_test(calls_overlap),
		cmocka_unit_test(deep_recursion),
		cmocka_unit_test(many_calls_as_a_plain_look_finds_them),
		cmocka_unit_test(parts_of_slices),
		cmocka_unit_test(sets_of_nested_calls),
		cmocka_unit_test(sets_of_random_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
