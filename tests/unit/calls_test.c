/*
 * Which begin an end meets, where several processes write: the calls, worked out by hand,
 * and what a phase says of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "compute/phases/calls.h"
#include "made_run.h"

/* An event of a log; END: there is no more. */
struct said {
	enum event_type type;
	const char *name;
	double s;
	const char *extras; /* NULL: none */
};

#define END                                \
	{                                  \
		EVENT_POINT, NULL, 0, NULL \
	}

static void add_events(struct run *run, const struct said *said)
{
	for (; said->name; said++) {
		struct event *event = run_add_event(run);

		event->type = said->type;
		event->t_ns = at_ns(said->s);
		event->end_ns = TIME_NONE;
		event->name = run_keep(run, said->name);
		event->extras = run_keep(run, said->extras);
	}
}

static void add_file(struct run *run, const struct said *said)
{
	size_t before = run->event_count;
	struct run_file *file = run_add_file(run, "events.jsonl");

	add_events(run, said);
	file->kind = SOURCE_RUNLOG;
	file->rows = run->event_count - before;
}

/* "NAME:FROM-TO " of each call by its start, seconds; '?': it has no end. */
static void expect_calls_of(struct run *run, const char *expected)
{
	struct calls calls;
	struct strbuf sb;

	strbuf_init(&sb);
	calls_find(&calls, run);
	for (size_t i = 0; i < calls.count; i++) {
		const struct call *call = &calls.at[i];
		long from = (long)((call->start_ns - T0_NS) / NS_PER_S);

		if (call->unfinished)
			strbuf_addf(&sb, "%s:%ld-? ", call_name(call), from);
		else
			strbuf_addf(&sb, "%s:%ld-%ld ", call_name(call), from,
				(long)((call->end_ns - T0_NS) / NS_PER_S));
	}
	assert_string_equal(sb.text, expected);
	strbuf_release(&sb);
	calls_release(&calls);
	run_release(run);
}

static void expect_calls(const struct said *said, const char *expected)
{
	struct run run;

	run_init(&run, "run");
	add_file(&run, said);
	expect_calls_of(&run, expected);
}

#define RANK(n) "{\"rank\": " #n "}"

static void of_ranks_in_one_file(void **state)
{
	static const struct said crossed[] = {{EVENT_BEGIN, "train", 0, RANK(0)},
		{EVENT_BEGIN, "train", 5, RANK(1)}, {EVENT_END, "train", 10, RANK(0)},
		{EVENT_END, "train", 20, RANK(1)}, END};
	/* inside one rank still the innermost first */
	static const struct said nested[] = {{EVENT_BEGIN, "f", 0, RANK(0)},
		{EVENT_BEGIN, "f", 1, RANK(1)}, {EVENT_BEGIN, "f", 2, RANK(0)},
		{EVENT_BEGIN, "f", 3, RANK(1)}, {EVENT_END, "f", 4, RANK(0)},
		{EVENT_END, "f", 5, RANK(0)}, {EVENT_END, "f", 6, RANK(1)},
		{EVENT_END, "f", 7, RANK(1)}, END};
	/* an end of a rank that never began, of the time before one began, or of none */
	static const struct said bad[] = {{EVENT_BEGIN, "train", 1, RANK(0)},
		{EVENT_END, "train", 2, RANK(1)}, {EVENT_END, "train", 0, RANK(0)},
		{EVENT_END, "test", 3, RANK(0)}, END};

	(void)state;
	expect_calls(crossed, "train:0-10 train:5-20 ");
	expect_calls(nested, "f:0-5 f:1-7 f:2-4 f:3-6 ");
	expect_calls(bad, "train:1-? ");
}

/* By time, as samples: the lines of several writers may stand in any order. */
static void in_the_order_of_time(void **state)
{
	static const struct said swapped[] = {
		{EVENT_END, "f", 20, NULL}, {EVENT_BEGIN, "f", 10, NULL}, END};
	static const struct said newest_first[] = {{EVENT_END, "f", 9, NULL},
		{EVENT_BEGIN, "f", 7, NULL}, {EVENT_END, "g", 6, NULL},
		{EVENT_END, "f", 4, NULL}, {EVENT_BEGIN, "f", 3, NULL},
		{EVENT_BEGIN, "g", 1, NULL}, END};
	/* of one instant in the order of lines: one of no length, and the other way */
	static const struct said at_once[] = {{EVENT_BEGIN, "f", 5, NULL},
		{EVENT_END, "f", 5, NULL}, {EVENT_END, "g", 6, NULL},
		{EVENT_BEGIN, "g", 6, NULL}, END};

	(void)state;
	expect_calls(swapped, "f:10-20 ");
	expect_calls(newest_first, "g:1-6 f:3-4 f:7-9 ");
	expect_calls(at_once, "f:5-5 g:6-? ");
}

static void where_one_says_no_process(void **state)
{
	/* the innermost, whoever began it */
	static const struct said no_end[] = {{EVENT_BEGIN, "f", 0, RANK(0)},
		{EVENT_BEGIN, "f", 1, RANK(1)}, {EVENT_END, "f", 5, NULL},
		{EVENT_END, "f", 6, NULL}, END};
	static const struct said no_begin[] = {{EVENT_BEGIN, "f", 0, NULL},
		{EVENT_BEGIN, "f", 1, "{\"n\": 3}"}, {EVENT_END, "f", 5, RANK(0)},
		{EVENT_END, "f", 6, RANK(1)}, END};
	/* what says the same goes before what only says no other */
	static const struct said same[] = {{EVENT_BEGIN, "f", 0, RANK(0)},
		{EVENT_BEGIN, "f", 1, NULL}, {EVENT_END, "f", 5, RANK(0)},
		{EVENT_END, "f", 6, NULL}, {EVENT_BEGIN, "f", 10, NULL},
		{EVENT_BEGIN, "f", 11, RANK(0)}, {EVENT_END, "f", 15, NULL},
		{EVENT_END, "f", 16, RANK(0)}, END};
	/* -1 is what launchers say where there are no ranks; a text may be one */
	static const struct said none[] = {{EVENT_BEGIN, "f", 0, RANK(0)},
		{EVENT_BEGIN, "f", 1, RANK(1)}, {EVENT_END, "f", 2, RANK(-1)},
		{EVENT_END, "f", 3, "{\"rank\": \"0\"}"},
		{EVENT_END, "f", 4, "{\"rank\": null}"}, END};

	(void)state;
	expect_calls(no_end, "f:0-6 f:1-5 ");
	expect_calls(no_begin, "f:0-6 f:1-5 ");
	expect_calls(same, "f:0-5 f:1-6 f:10-15 f:11-16 ");
	expect_calls(none, "f:0-3 f:1-2 ");
}

/* A local rank counts on its node, a pid on its host; what only one says tells nothing.
 */
static void of_ids_in_parts(void **state)
{
	static const struct said nodes[] = {
		{EVENT_BEGIN, "f", 0, "{\"node\": 0, \"local_rank\": 0}"},
		{EVENT_BEGIN, "f", 1, "{\"node\": 1, \"local_rank\": 0}"},
		{EVENT_BEGIN, "f", 2, "{\"node\": 1, \"local_rank\": 1}"},
		{EVENT_END, "f", 3, "{\"node\": 0, \"local_rank\": 0}"},
		{EVENT_END, "f", 4, "{\"local_rank\": 0}"},
		{EVENT_END, "f", 5, "{\"node\": 1, \"local_rank\": 1, \"rank\": 9}"},
		END};
	/* in containers all are process 1 */
	static const struct said hosts[] = {
		{EVENT_BEGIN, "f", 0, "{\"host\": \"a\", \"pid\": 1}"},
		{EVENT_BEGIN, "f", 1, "{\"host\": \"b\", \"pid\": 1}"},
		{EVENT_END, "f", 3, "{\"host\": \"a\", \"pid\": 1}"},
		{EVENT_END, "f", 4, "{\"host\": \"b\", \"pid\": 1}"},
		{EVENT_BEGIN, "f", 5, "{\"hostname\": \"a\"}"},
		{EVENT_BEGIN, "f", 6, "{\"hostname\": \"b\"}"},
		{EVENT_END, "f", 8, "{\"hostname\": \"a\"}"},
		{EVENT_END, "f", 9, "{\"hostname\": \"b\"}"}, END};
	static const struct said ranks[] = {
		{EVENT_BEGIN, "f", 0, "{\"pid\": 1, \"rank\": 0}"},
		{EVENT_BEGIN, "f", 1, "{\"pid\": 1, \"rank\": 1}"},
		{EVENT_END, "f", 3, "{\"pid\": 1, \"rank\": 0}"},
		{EVENT_END, "f", 4, "{\"pid\": 1, \"rank\": 1}"}, END};
	/* a node without a process beside it may be one of a graph */
	static const struct said graph[] = {{EVENT_BEGIN, "f", 0, "{\"node\": \"a\"}"},
		{EVENT_BEGIN, "f", 1, "{\"node\": \"b\"}"},
		{EVENT_END, "f", 2, "{\"node\": \"a\"}"},
		{EVENT_END, "f", 3, "{\"node\": \"b\"}"}, END};

	(void)state;
	expect_calls(nodes, "f:0-3 f:1-4 f:2-5 ");
	expect_calls(hosts, "f:0-3 f:1-4 f:5-8 f:6-9 ");
	expect_calls(ranks, "f:0-3 f:1-4 ");
	expect_calls(graph, "f:0-3 f:1-2 ");
}

#define LOCAL "{\"local_rank\": 0}"

/*
 * Files of one time that share a phase's name are of a process each, whatever local rank
 * they say; a file that goes on where another ends may be of the same.
 */
static void of_files(void **state)
{
	static const struct said no_end[] = {
		{EVENT_BEGIN, "f", 0, LOCAL}, {EVENT_BEGIN, "g", 9, NULL}, END};
	static const struct said no_begin[] = {{EVENT_BEGIN, "f", 1, LOCAL},
		{EVENT_END, "f", 4, LOCAL}, {EVENT_END, "f", 5, LOCAL}, END};
	static const struct said later[] = {{EVENT_END, "f", 12, LOCAL},
		{EVENT_BEGIN, "f", 13, LOCAL}, {EVENT_END, "f", 14, LOCAL}, END};
	static const struct said beside[] = {{EVENT_BEGIN, "f", 13, LOCAL},
		{EVENT_END, "f", 15, LOCAL}, {EVENT_END, "f", 16, LOCAL}, END};
	struct run run;

	(void)state;
	run_init(&run, "run");
	add_file(&run, no_end);
	add_file(&run, no_begin);
	expect_calls_of(&run, "f:0-? f:1-4 g:9-? ");
	run_init(&run, "run");
	add_file(&run, no_end);
	add_file(&run, no_begin);
	add_file(&run, later);
	add_file(&run, beside);
	expect_calls_of(&run, "f:0-12 f:1-4 g:9-? f:13-15 f:13-14 ");
}

/* Of two at one time each end is its own's; a mark within one is not the other's. */
static void of_spans(void **state)
{
	static const struct said said[] = {{EVENT_BEGIN, "p", 0, "{\"span_id\": \"a\"}"},
		{EVENT_BEGIN, "p", 1, "{\"span_id\": \"b\"}"},
		{EVENT_BEGIN, "x", 2, "{\"parent_span_id\": \"a\"}"},
		{EVENT_BEGIN, "x", 3, "{\"parent_span_id\": \"b\"}"},
		{EVENT_END, "x", 4, "{\"parent_span_id\": \"a\"}"},
		{EVENT_END, "p", 5, "{\"span_id\": \"a\"}"},
		{EVENT_END, "x", 6, "{\"parent_span_id\": \"b\"}"},
		{EVENT_END, "p", 7, "{\"span_id\": \"b\"}"}, END};
	struct run run;

	(void)state;
	run_init(&run, "run");
	add_events(&run, said);
	expect_calls_of(&run, "p:0-5 p:1-7 x:2-4 x:3-6 ");
}

/* Who has said once what is around a span need not say it again at its end. */
static void of_spans_said_once(void **state)
{
	static const struct said said[] = {{EVENT_BEGIN, "p", 0, "{\"span_id\": \"a\"}"},
		{EVENT_BEGIN, "x", 1, "{\"span_id\": \"b\", \"parent_span_id\": \"a\"}"},
		{EVENT_BEGIN, "x", 2, "{\"span_id\": \"c\", \"parent_span_id\": \"a\"}"},
		{EVENT_END, "x", 3, "{\"span_id\": \"b\"}"},
		{EVENT_END, "p", 5, "{\"span_id\": \"a\"}"},
		{EVENT_END, "x", 6, "{\"span_id\": \"c\"}"}, END};
	struct run run;

	(void)state;
	run_init(&run, "run");
	add_events(&run, said);
	expect_calls_of(&run, "p:0-5 x:1-3 x:2-6 ");
}

/* What `collect phase` said at its begin counts where nothing came behind it. */
static void said_whole(void **state)
{
	static const struct said said[] = {{EVENT_BEGIN, "p", 0, "{\"span_id\": \"a\"}"},
		{EVENT_PHASE, "p", 0, "{\"span_id\": \"a\"}"},
		{EVENT_BEGIN, "q", 1, "{\"span_id\": \"b\"}"}, END};
	struct run run;

	(void)state;
	run_init(&run, "run");
	add_events(&run, said);
	run.event[1].end_ns = at_ns(5);
	expect_calls_of(&run, "p:0-5 q:1-? ");
}

/* A thousand ranks that follow one another by a millisecond, a step two seconds each. */
static void of_many(void **state)
{
	const int ranks = 1000, steps = 100;
	struct calls calls;
	struct run run;

	(void)state;
	run_init(&run, "run");
	for (int i = 0; i < 2 * steps * ranks; i++) {
		struct said said[] = {{i / ranks % 2 ? EVENT_END : EVENT_BEGIN, "step",
					      0.001 * i, NULL},
			END};
		char extras[32];

		snprintf(extras, sizeof extras, "{\"rank\": %d}", i % ranks);
		said->extras = extras;
		add_events(&run, said);
	}
	calls_find(&calls, &run);
	assert_int_equal(calls.count, steps * ranks);
	for (size_t i = 0; i < calls.count; i++)
		assert_int_equal(calls.at[i].end_ns - calls.at[i].start_ns, NS_PER_S);
	calls_release(&calls);
	run_release(&run);
}

/*
 * One GPU draws 100 + 10 t W for 30 s, a sample a second. Rank 0 trains from 0 to 10 s,
 * rank 1 from 5 to 20 s; the energy of each is (to - from) (100 + 5 (from + to)): 1,500
 * and 15 (100 + 125) = 3,375 J; of both together that from 0 to 20 s: 4,000 J.
 */
static void their_energy(void **state)
{
	static const struct said crossed[] = {{EVENT_BEGIN, "train", 0, RANK(0)},
		{EVENT_BEGIN, "train", 5, RANK(1)}, {EVENT_END, "train", 10, RANK(0)},
		{EVENT_END, "train", 20, RANK(1)}, END};
	const struct phase_path *path;
	struct made made;

	(void)state;
	begin(&made, 1);
	add_file(&made.run, crossed);
	for (int t = 0; t <= 30; t++)
		sample(&made, t, 0, METRIC_power_w, 100 + 10 * t);
	finish(&made);
	assert_int_equal(made.report.call_count, 2);
	near(made.report.call[0].seconds, 10);
	near(made.report.call[0].energy_j, 1500);
	near(made.report.call[1].seconds, 15);
	near(made.report.call[1].energy_j, 3375);
	path = &made.report.path[0];
	assert_string_equal(path->path, "train");
	assert_int_equal(path->calls, 2);
	near(path->duration_s, 25);
	near(path->min_s, 10);
	near(path->max_s, 15);
	near(path->summary[PHASE_energy_j].number, 4000);
	release(&made);
}

static void an_end_adds_its_keys(void **state)
{
	static const struct {
		const char *begin, *end, *joined; /* NULL: nothing is added */
	} cases[] = {{"{\"a\": 1}", "{\"b\": {\"a\": [2, \"}\"]}, \"a\": 3}",
			     "{\"a\":1,\"b\":{\"a\":[2,\"}\"]}}"},
		{"{}", "{\"x\": \"\\\",}\"}", "{\"x\":\"\\\",}\"}"},
		{NULL, "{\"x\": 1, \"y\": null}", "{\"x\":1,\"y\":null}"},
		{"{\"n\": {\"x\": 1}}", "{\"x\": 2}", "{\"n\":{\"x\":1},\"x\":2}"},
		{"{\"a\": 1}", "{\"a\": 2}", NULL}, {"{\"a\": 1}", "{}", NULL},
		{"{\"a\": 1}", NULL, NULL}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct strbuf sb = strbuf_new();

		assert_int_equal(event_join_extras(&sb, cases[i].begin, cases[i].end),
			cases[i].joined != NULL);
		assert_string_equal(sb.text, cases[i].joined ? cases[i].joined : "");
		strbuf_release(&sb);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_ranks_in_one_file),
		cmocka_unit_test(in_the_order_of_time),
		cmocka_unit_test(where_one_says_no_process),
		cmocka_unit_test(of_ids_in_parts),
		cmocka_unit_test(of_files),
		cmocka_unit_test(of_many),
		cmocka_unit_test(of_spans),
		cmocka_unit_test(of_spans_said_once),
		cmocka_unit_test(said_whole),
		cmocka_unit_test(an_end_adds_its_keys),
		cmocka_unit_test(their_energy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
