/*
 * Which calls overlap: calls of several processes under different parents, what rounding
 * lets stick out, equal instants, and random ones against a look at every pair and every
 * instant.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/timestamp.h"
#include "compute/phases/phase_map.h"

#define MS 1000000

/* rank: -1: the log says none. */
static void add(struct run *run, int rank, const char *name, int64_t from, int64_t to)
{
	struct event *event = run_add_event(run);
	char extras[32];

	event->type = to == TIME_NONE ? EVENT_BEGIN : EVENT_PHASE;
	event->t_ns = from;
	event->end_ns = to;
	event->name = run_keep(run, name);
	if (rank < 0)
		return;
	snprintf(extras, sizeof extras, "{\"rank\": %d}", rank);
	event->extras = run_keep(run, extras);
}

/* The paths in the order of the calls, '!' behind those that overlap. */
static void expect(struct run *run, int64_t run_end_ns,
	const struct compute_window *window, const char *expected)
{
	struct phase_tree tree;
	struct call_time *time;
	struct strbuf sb;

	phase_tree_build(&tree, run, false, window);
	time = calloc(tree.calls.count + 1, sizeof *time);
	assert_non_null(time);
	phase_tree_times(&tree, run_end_ns, time);
	strbuf_init(&sb);
	for (size_t i = 0; i < tree.calls.count; i++)
		strbuf_addf(&sb, "%s%s ", tree.path[tree.of[i].path].name,
			time[i].overlaps ? "!" : "");
	assert_string_equal(sb.text, expected);
	strbuf_release(&sb);
	free(time);
	phase_tree_release(&tree);
	run_release(run);
}

static void under_different_parents(void **state)
{
	struct run run;

	(void)state;
	/*
	 * ms   0    10   20   30   40   50
	 * 0    a---------------------
	 *           e----     x--          e is in s, and in b's time; x too
	 * 1       b----------------------
	 *            s-----
	 * All are active with one of the other rank, so all overlap.
	 */
	run_init(&run, "run");
	add(&run, 0, "a", 0, 45 * MS);
	add(&run, 0, "e", 10 * MS, 20 * MS);
	add(&run, 0, "x", 30 * MS, 36 * MS);
	add(&run, 1, "b", 5 * MS, 50 * MS);
	add(&run, 1, "s", 12 * MS, 24 * MS);
	expect(&run, 50 * MS, NULL, "a! b! a/e! b/s! a/x! ");

	/* The second half of the one meets the first half of the other: what lies in the
	 * halves that don't meet does not overlap. */
	run_init(&run, "run");
	add(&run, 0, "a", 0, 60 * MS);
	add(&run, 0, "early", 10 * MS, 20 * MS);
	add(&run, 0, "late", 50 * MS, 55 * MS);
	add(&run, 1, "b", 40 * MS, 100 * MS);
	add(&run, 1, "early", 45 * MS, 58 * MS);
	add(&run, 1, "late", 60 * MS, 90 * MS);
	expect(&run, 100 * MS, NULL, "a! a/early b! b/early! a/late! b/late ");

	/* One process: what is in a, and only there, meets nothing of b. */
	run_init(&run, "run");
	add(&run, -1, "a", 0, 50 * MS);
	add(&run, -1, "c", 10 * MS, 20 * MS);
	add(&run, -1, "b", 40 * MS, 90 * MS);
	expect(&run, 90 * MS, NULL, "a! a/c b! ");

	/* In both, which gives it the later as its parent: beside the earlier one. */
	run_init(&run, "run");
	add(&run, -1, "a", 0, 50 * MS);
	add(&run, -1, "b", 30 * MS, 90 * MS);
	add(&run, -1, "c", 40 * MS, 50 * MS);
	expect(&run, 90 * MS, NULL, "a! b! b/c! ");

	/* Calls without an end last to the run's. */
	run_init(&run, "run");
	add(&run, 0, "a", 0, TIME_NONE);
	add(&run, 0, "in", 10 * MS, 20 * MS);
	add(&run, 1, "b", 30 * MS, TIME_NONE);
	add(&run, 1, "in", 40 * MS, 50 * MS);
	expect(&run, 60 * MS, NULL, "a! a/in b! b/in! ");
}

static void at_equal_instants(void **state)
{
	const struct compute_window late = {.from_ns = 20 * MS, .to_ns = 60 * MS};
	const struct compute_window early = {.from_ns = 0, .to_ns = 30 * MS};
	struct run run;

	(void)state;
	/* half open: what begins where another ends is not active with it */
	run_init(&run, "run");
	add(&run, 0, "a", 0, 30 * MS);
	add(&run, 0, "e", 10 * MS, 20 * MS);
	add(&run, 1, "b", 30 * MS, 60 * MS);
	add(&run, 1, "s", 30 * MS, 60 * MS);
	expect(&run, 60 * MS, NULL, "a a/e s s/b ");

	/* equal spans of two ranks, each in an equal one of its own */
	run_init(&run, "run");
	add(&run, 0, "e", 0, 30 * MS);
	add(&run, 0, "a", 0, 30 * MS);
	add(&run, 1, "s", 0, 30 * MS);
	add(&run, 1, "b", 0, 30 * MS);
	expect(&run, 30 * MS, NULL, "b! b/s! a! a/e! ");

	/* of no length: active at no time */
	run_init(&run, "run");
	add(&run, 0, "a", 0, 30 * MS);
	add(&run, 0, "mark", 10 * MS, 10 * MS);
	add(&run, 1, "mark", 10 * MS, 10 * MS);
	expect(&run, 30 * MS, NULL, "a mark a/mark ");

	/* a window cuts both to an equal start; what it leaves of them still overlaps */
	run_init(&run, "run");
	add(&run, 0, "a", 0, 50 * MS);
	add(&run, 0, "e", 10 * MS, 40 * MS);
	add(&run, 1, "b", 5 * MS, 60 * MS);
	add(&run, 1, "gone", 6 * MS, 15 * MS);
	expect(&run, 60 * MS, &late, "a! b! a/e! ");

	/* ... and before the other begins there is no overlap left */
	run_init(&run, "run");
	add(&run, 0, "a", 0, 50 * MS);
	add(&run, 0, "e", 10 * MS, 40 * MS);
	add(&run, 1, "b", 30 * MS, 60 * MS);
	expect(&run, 60 * MS, &early, "a a/e ");
}

static void within_rounding(void **state)
{
	struct run run;

	(void)state;
	/* 2 ms are what rounding does, whatever the parents are; 3 ms are not */
	run_init(&run, "run");
	add(&run, 0, "a", 0, 32 * MS);
	add(&run, 0, "e", 10 * MS, 32 * MS);
	add(&run, 1, "b", 30 * MS, 60 * MS);
	expect(&run, 60 * MS, NULL, "a a/e b ");
	run_init(&run, "run");
	add(&run, 0, "a", 0, 33 * MS);
	add(&run, 0, "e", 10 * MS, 32 * MS);
	add(&run, 1, "b", 30 * MS, 60 * MS);
	expect(&run, 60 * MS, NULL, "a! a/e b! ");

	/* a child that begins before its parent, and one that ends behind it, overlap
	 * neither that nor what is beside it */
	run_init(&run, "run");
	add(&run, -1, "before", 0, 100 * MS);
	add(&run, -1, "p", 100 * MS, 200 * MS);
	add(&run, -1, "c", 98 * MS, 140 * MS);
	add(&run, -1, "d", 150 * MS, 202 * MS);
	add(&run, -1, "behind", 200 * MS, 300 * MS);
	expect(&run, 300 * MS, NULL, "before p/c p p/d behind ");

	/* each 2 ms before the one that it is in, three deep, and 6 ms before the
	 * outermost: still in it, and behind what ends there */
	run_init(&run, "run");
	add(&run, -1, "before", 0, 100 * MS);
	add(&run, -1, "p", 100 * MS, 200 * MS);
	add(&run, -1, "q", 98 * MS, 190 * MS);
	add(&run, -1, "r", 96 * MS, 180 * MS);
	add(&run, -1, "s", 94 * MS, 170 * MS);
	expect(&run, 200 * MS, NULL, "before p/q/r/s p/q/r p/q p ");

	/* as short as rounding: in the midst of another's call, they overlap it */
	run_init(&run, "run");
	add(&run, 0, "a", 0, 50 * MS);
	add(&run, 1, "b", 20 * MS, 21 * MS);
	add(&run, 1, "b", 49 * MS, 51 * MS);
	expect(&run, 51 * MS, NULL, "a! b! b ");
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

static bool is_in(const struct phase_tree *tree, uint32_t call, uint32_t outer)
{
	while (call != outer && call != PHASE_NONE)
		call = tree->of[call].parent;
	return call == outer;
}

/* On borders of 10 ms: two are active at one instant if they are in the middle of one of
 * these. */
static bool meet(const struct phase_tree *tree, uint32_t a, uint32_t b)
{
	const struct call *x = &tree->calls.at[a], *y = &tree->calls.at[b];

	for (int64_t t = 5 * MS; t < 1000 * MS; t += 10 * MS)
		if (x->start_ns < t && t < x->end_ns && y->start_ns < t && t < y->end_ns)
			return true;
	return false;
}

static void as_every_pair_tells(void **state)
{
	size_t overlap = 0, apart = 0, deep = 0;
	uint32_t seed = 5;

	(void)state;
	for (int round = 0; round < 400; round++) {
		struct phase_tree tree;
		struct call_time time[60];
		struct run run;
		int count = (int)(next_random(&seed) % 40), ranks = 1 + round % 3;

		run_init(&run, "run");
		for (int i = 0; i < count; i++) {
			int64_t from = next_random(&seed) % 60;
			int64_t length = next_random(&seed) % (i % 4 ? 6 : 30);

			add(&run, (int)(next_random(&seed) % (uint32_t)ranks), "x",
				from * 10 * MS, (from + length) * 10 * MS);
		}
		phase_tree_build(&tree, &run, false, NULL);
		phase_tree_times(&tree, 1000 * MS, time);
		for (uint32_t a = 0; a < tree.calls.count; a++) {
			bool expected = false;

			for (uint32_t b = 0; b < tree.calls.count; b++)
				expected |= !is_in(&tree, a, b) && !is_in(&tree, b, a) &&
					meet(&tree, a, b);
			assert_int_equal(time[a].overlaps, expected);
			overlap += expected;
			apart += !expected;
			deep += expected && tree.of[a].parent != PHASE_NONE;
		}
		phase_tree_release(&tree);
		run_release(&run);
	}
	assert_true(overlap > 1000 && apart > 1000 && deep > 1000);
}

/* A hundred thousand, within one another or all at once: in bounded time. */
static void very_many(void **state)
{
	const int count = 50000;
	struct phase_tree tree;
	struct call_time *time = calloc(2 * (size_t)count, sizeof *time);
	struct run run;
	size_t overlap = 0;

	(void)state;
	assert_non_null(time);
	/*
	 * In units of 10 ms call i of rank 0 is [i, 2n - i), of rank 1 [1.5n + i + 0.5,
	 * 4n - i): the first of rank 1 meets the n/2 of rank 0 that have not ended, the
	 * first of rank 0, which ends at 2n, the n/2 of rank 1 that have begun.
	 */
	run_init(&run, "run");
	for (int64_t i = 0; i < count; i++) {
		add(&run, 0, "f", i * 10 * MS, (2 * count - i) * 10 * MS);
		add(&run, 1, "g", (3 * count / 2 + i) * 10 * MS + 5 * MS,
			(4 * count - i) * 10 * MS);
	}
	phase_tree_build(&tree, &run, false, NULL);
	phase_tree_times(&tree, (int64_t)count * 40 * MS, time);
	for (size_t i = 0; i < tree.calls.count; i++)
		overlap += time[i].overlaps;
	assert_int_equal(overlap, count);
	phase_tree_release(&tree);
	run_release(&run);

	/* each ends behind the next one's begin, and before the one after that */
	run_init(&run, "run");
	for (int i = 0; i < 2 * count; i++)
		add(&run, -1, "f", (int64_t)i * 10 * MS, (int64_t)i * 10 * MS + 15 * MS);
	phase_tree_build(&tree, &run, false, NULL);
	phase_tree_times(&tree, (int64_t)count * 30 * MS, time);
	for (size_t i = 0; i < tree.calls.count; i++)
		assert_true(time[i].overlaps);
	phase_tree_release(&tree);
	run_release(&run);
	free(time);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(under_different_parents),
		cmocka_unit_test(at_equal_instants),
		cmocka_unit_test(within_rounding),
		cmocka_unit_test(as_every_pair_tells),
		cmocka_unit_test(very_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
