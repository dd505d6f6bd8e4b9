/*
 * Which call is in which, of several processes: against a look at every pair, and in
 * little time where one process has tens of thousands of calls around those of another.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "compute/phases/phase_map.h"

#define MS 1000000

/* extras: what it says of its process; "": nothing. */
static void add(struct run *run, const char *extras, int64_t from_ns, int64_t to_ns)
{
	struct event *event = run_add_event(run);

	event->type = EVENT_PHASE;
	event->t_ns = from_ns;
	event->end_ns = to_ns;
	event->name = run_keep(run, "a");
	if (*extras)
		event->extras = run_keep(run, extras);
}

static uint32_t draw(uint32_t *seed, uint32_t below)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) % below;
}

/* The last call before it that is as long, ends behind it but for 2 ms, and may be of its
 * process: no two begin within 2 ms, and none is shorter than 4 ms. */
static uint32_t expected_parent(
	const struct calls *calls, const struct event_processes *processes, uint32_t of)
{
	const struct call *call = &calls->at[of];

	for (uint32_t i = of; i-- > 0;) {
		const struct call *outer = &calls->at[i];

		if (outer->end_ns - outer->start_ns >= call->end_ns - call->start_ns &&
			outer->end_ns >= call->end_ns - 2 * MS &&
			!event_processes_differ(processes, outer->process, call->process))
			return i;
	}
	return PHASE_NONE;
}

/* Ids of up to three kinds, of which an event says some or none. */
static void say_process(char *extras, size_t size, uint32_t *seed)
{
	uint32_t a = draw(seed, 3), b = draw(seed, 2);

	switch (draw(seed, 7)) {
	case 0:
		*extras = 0;
		break;
	case 5:
		snprintf(extras, size,
			"{\"span_id\": \"%u\", \"parent_span_id\": \"%u\"}",
			10 + draw(seed, 20), draw(seed, 25));
		break;
	case 6:
		snprintf(extras, size, "{\"parent_span_id\": \"%u\"}", draw(seed, 25));
		break;
	case 1:
		snprintf(extras, size, "{\"rank\": %u}", a);
		break;
	case 2:
		snprintf(extras, size, "{\"host\": \"h%u\"}", b);
		break;
	default:
		snprintf(extras, size, "{\"%s\": %u, \"host\": \"h%u\"}",
			draw(seed, 2) ? "rank" : "pid", a, b);
	}
}

static void as_every_pair_says(void **state)
{
	uint32_t seed = 7;
	size_t inside = 0;

	(void)state;
	for (int round = 0; round < 300; round++) {
		uint32_t count = 1 + draw(&seed, 60);
		struct event_processes processes;
		struct phase_tree tree;
		struct run run;
		char extras[64];

		run_init(&run, "r");
		for (uint32_t i = 0; i < count; i++) {
			int64_t from_ns = (int64_t)i * 3 * MS;
			int64_t length_ns = (4 + (int64_t)draw(&seed, 120)) * MS;

			say_process(extras, sizeof extras, &seed);
			add(&run, extras, from_ns, from_ns + length_ns);
		}
		phase_tree_build(&tree, &run, false, NULL);
		event_processes_find(&processes, &run);
		assert_int_equal(tree.calls.count, count);
		for (uint32_t i = 0; i < count; i++) {
			assert_int_equal(tree.of[i].parent,
				expected_parent(&tree.calls, &processes, i));
			inside += tree.of[i].parent != PHASE_NONE;
		}
		event_processes_release(&processes);
		phase_tree_release(&tree);
		run_release(&run);
	}
	assert_true(inside > 1000); /* else nothing is shown */
}

/*
 * Two of `make -j`, a and b, each with a call in it, and a call that says nothing, before
 * and within them: by time all but the first would lie in b.
 */
static void of_spans(void **state)
{
	static const uint32_t parents[] = {PHASE_NONE, 0, 0, 1, 2, 4};
	struct phase_tree tree;
	struct run run;

	(void)state;
	run_init(&run, "r");
	add(&run, "", 0, 100 * MS);
	add(&run, "{\"span_id\": \"a\"}", 5 * MS, 95 * MS);
	add(&run, "{\"span_id\": \"b\"}", 10 * MS, 90 * MS);
	add(&run, "{\"span_id\": \"c\", \"parent_span_id\": \"a\"}", 20 * MS, 80 * MS);
	add(&run, "{\"span_id\": \"d\", \"parent_span_id\": \"b\"}", 30 * MS, 70 * MS);
	add(&run, "{\"parent_span_id\": \"d\"}", 40 * MS, 60 * MS);
	phase_tree_build(&tree, &run, false, NULL);
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(tree.of[i].parent, parents[i]);
	phase_tree_release(&tree);
	run_release(&run);
}

static int64_t length_of(const struct call *call)
{
	return call->end_ns - call->start_ns;
}

/* But for 2 ms, or half of the call's length. */
static bool is_around(const struct call *outer, const struct call *call)
{
	int64_t half = length_of(call) / 2, slack = half < 2 * MS ? half : 2 * MS;

	return outer->start_ns - slack <= call->start_ns &&
		outer->end_ns >= call->end_ns - slack;
}

/* The last call around it that begins behind it and is longer; else the last before it
 * that is as long. Calls of a process come by start, of equal ones the longer first. */
static uint32_t parent_of_one(const struct calls *calls, uint32_t of)
{
	const struct call *call = &calls->at[of];

	for (uint32_t i = (uint32_t)calls->count; --i > of;)
		if (is_around(&calls->at[i], call) &&
			length_of(&calls->at[i]) > length_of(call))
			return i;
	for (uint32_t i = of; i-- > 0;)
		if (is_around(&calls->at[i], call) &&
			length_of(&calls->at[i]) >= length_of(call))
			return i;
	return PHASE_NONE;
}

/* Calls that begin and end within the rounding of one another, some with equal spans. */
static void of_one_process(void **state)
{
	uint32_t seed = 11;
	size_t inside = 0;

	(void)state;
	for (int round = 0; round < 600; round++) {
		uint32_t count = 1 + draw(&seed, 60), most = 8 + draw(&seed, 200);
		struct phase_tree tree;
		struct run run;

		run_init(&run, "r");
		for (uint32_t i = 0; i < count; i++) {
			int64_t from_ns = (int64_t)draw(&seed, most) * MS / 2;

			add(&run, "", from_ns,
				from_ns + (int64_t)draw(&seed, most / 2) * MS / 2);
		}
		phase_tree_build(&tree, &run, false, NULL);
		for (uint32_t i = 0; i < count; i++) {
			assert_int_equal(
				tree.of[i].parent, parent_of_one(&tree.calls, i));
			inside += tree.of[i].parent != PHASE_NONE;
		}
		phase_tree_release(&tree);
		run_release(&run);
	}
	assert_true(inside > 5000); /* else nothing is shown */
}

/*
 * 50,000 calls of rank 1, each in the one before; while they last, 50,000 of rank 0, one
 * after the other, which are in none of them; begun before them, and in turn with them.
 */
static void many_around(void **state)
{
	const int64_t calls = 50000, step_ns = 10 * MS;
	clock_t begun = clock();

	(void)state;
	for (int64_t apart = 0; apart < 2; apart++) {
		struct phase_tree tree;
		struct run run;
		size_t inside = 0;

		run_init(&run, "r");
		for (int64_t i = 0; i < calls; i++)
			add(&run, "{\"rank\": 1}", i * step_ns,
				(4 * calls - i) * step_ns);
		for (int64_t i = 0; i < calls; i++) {
			int64_t from_ns = (i + apart * calls) * step_ns + step_ns / 2;

			add(&run, "{\"rank\": 0}", from_ns, from_ns + step_ns / 2);
		}
		phase_tree_build(&tree, &run, false, NULL);
		for (size_t i = 0; i < tree.calls.count; i++)
			inside += tree.of[i].parent != PHASE_NONE;
		assert_int_equal(inside, calls - 1);
		phase_tree_release(&tree);
		run_release(&run);
	}
	assert_true((double)(clock() - begun) / CLOCKS_PER_SEC < 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_every_pair_says),
		cmocka_unit_test(of_spans),
		cmocka_unit_test(of_one_process),
		cmocka_unit_test(many_around),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
