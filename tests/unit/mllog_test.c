/* MLPerf's lines between other text: what they become, and who says what again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "log_fixture.h"

#define MS 1000000LL

/* Line `pre` ":::MLLOG" of an event of that kind, key, and ms after T0. */
#define LINE(pre, kind, key, ms)                                        \
	pre ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1740823200" ms \
	    ", \"event_type\": \"" kind "\", \"key\": \"" key           \
	    "\", \"value\": null, \"metadata\": {\"lineno\": 1}}"

/* The events as text: "begin run 0, point x 5" with times in ms after T0. */
static void expect_events(const struct log_fixture *fx, const char *expected)
{
	static const char *const types[] = {"phase", "begin", "end", "point"};
	char text[1024] = "";
	size_t len = 0;

	for (size_t i = 0; i < fx->run.event_count; i++) {
		const struct event *e = &fx->run.event[i];

		assert_int_equal(e->end_ns, TIME_NONE);
		len += (size_t)snprintf(text + len, sizeof text - len, "%s%s %s %lld",
			len ? ", " : "", types[e->type], e->name,
			(long long)((e->t_ns - T0_NS) / MS));
	}
	assert_string_equal(text, expected);
}

static void intervals_and_points(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_MLLOG,
		"+ srun python train.py\n" LINE("", "INTERVAL_START", "run_start",
			"001") "\nEpoch 0: 50%|### | :::MLLOG {\"time_ms\": "
			       "1740823200002, "
			       "\"event_type\": \"POINT_IN_TIME\", \"key\": \"seed\", "
			       "\"value\": 7} more\n" LINE("\r", "INTERVAL_START",
				       "a_start_b", "003") "\n" LINE("0: ",
				       "INTERVAL_END", "eval_stop",
				       "004") LINE("", "INTERVAL_END", "epoch_end",
				       "005") "\n" LINE("", "POINT_IN_TIME", "cold_start",
				       "006") "\n"
					      ":::MLLOG {\"time_ms\": 1740823200007, "
					      "\"key\": \"_stop\", "
					      "\"event_type\": \"INTERVAL_END\"}");
	log_expect_rows(&fx, 7, 0);
	log_expect_diags(&fx, NULL);
	expect_events(&fx,
		"begin run 1, point seed 2, begin a_start_b 3, end eval 4, end epoch 5, "
		"point cold_start 6, end _stop 7");
	assert_string_equal(fx.run.event[0].type_name, "INTERVAL_START");
	assert_string_equal(fx.run.event[0].extras,
		"{\"namespace\": \"\", \"value\": null, \"metadata\": {\"lineno\": 1}}");
	assert_string_equal(fx.run.event[1].extras, "{\"value\": 7}");
	assert_null(fx.run.event[6].extras);
	log_release(&fx);
}

static void damaged_lines(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_MLLOG,
		"grep ':::MLLOG' log\n:::MLLOG\n:::MLLOG run_stop\n"
		":::MLLOG {\"time_ms\": 174082\n"
		":::MLLOG {\"key\": \"ab " LINE("1: ", "INTERVAL_START", "x_start",
			"001") "\n"
			       ":::MLLOG {\"time_ms\": 7, \"key\": \"x\"}\n"
			       ":::MLLOG {\"time_ms\": 1740823200000, \"value\": \"x\"}\n"
			       ":::MLLOG {\"time_ms\": 17408232");
	log_expect_rows(&fx, 1, 5);
	log_expect_diags(&fx, "bad-json", 4, 2, "bad-time", 6, 1, "no-name", 7, 1,
		"torn-line", 8, 1, NULL);
	expect_events(&fx, "begin x 1");
	log_release(&fx);
}

/* Lost marks, halves of an event, binary: each takes an event away. The rest is prose. */
static void damaged_between(void **state)
{
	static const char *const damaged[] = {
		"{\"time_ms\": 1740823200002, \"event_type\": \"INTERVAL_END\", \"key\": "
		"\"run_stop\"}",
		"::MLLOG {\"namespace\": \"\", \"time_ms\": 1740823200002, \"key\": "
		"\"run_stop\"}",
		"nt_type\": \"INTERVAL_END\", \"key\": \"run_stop\", \"metadata\": {}}",
		":::MLLOG {\"time_ms\": 1740823200002, \"key\": \"run\001_stop\"}",
		":::MLL\001G \002\003", "0: \x7f\x1c"};
	static const char *const prose[] = {"{\"key\": 3, \"value\": 4}",
		"Epoch 1\b\b\b\033[1m 50 %\033[0m", "caf\xe9", ":::MLLOG lines follow"};
	struct log_fixture fx;

	(void)state;
	for (size_t i = 0; i < 10; i++) {
		struct strbuf text = strbuf_new();

		log_init(&fx);
		strbuf_addf(&text,
			LINE("", "INTERVAL_START", "run_start", "001") "\n%s\n",
			i < 6 ? damaged[i] : prose[i - 6]);
		log_read(&fx, SOURCE_MLLOG, text.text);
		log_expect_rows(&fx, 1, i < 6);
		if (i < 6)
			log_expect_diags(&fx, "bad-json", 2, 1, NULL);
		else
			log_expect_diags(&fx, NULL);
		log_release(&fx);
		strbuf_release(&text);
	}
}

/* Objects that never end can't cost the length of the line each. */
static void one_line_of_beginnings(void **state)
{
	struct strbuf text;
	struct log_fixture fx;

	(void)state;
	strbuf_init(&text);
	for (int i = 0; i < 100; i++)
		strbuf_adds(&text, ":::MLLOG {");
	strbuf_adds(&text, "\n" LINE("", "INTERVAL_START", "x_start", "001") "\n");
	log_init(&fx);
	log_read(&fx, SOURCE_MLLOG, text.text);
	log_expect_rows(&fx, 1, 8);
	log_expect_diags(&fx, "bad-json", 1, 8, NULL);
	log_release(&fx);
	strbuf_release(&text);
}

static const struct {
	const char *first, *second; /* what stands before an equal line, 1 ms apart */
	bool repeated;
} ranks[] = {
	{"0: ", "1: ", true},
	{" 0: ", "10:", true},
	{"[1,0]<stdout>:", "[1,1]<stdout>:", true},
	{"[rank0]: ", "[rank1]: ", true},
	{"[default0]:", "[default7]:", true},
	/* one rank may do a thing twice */
	{"0: ", "0: ", false},
	{"0: step 1 ", "0: step 2 ", false},
	{"", "", false},
	/* clocks are no ranks, and who is not named is nobody else */
	{"10:00:05 ", "10:00:06 ", false},
	{"[2025-03-01 10:00:05] ", "[2025-03-01 10:00:06] ", false},
	{"[10:00:05] ", "[10:00:06] ", false},
	{"2025-03-01 10:00:05: ", "2025-03-01 10:00:06: ", false},
	{"", "1: ", false},
	{"0: ", "", false},
	{"0 ", "1 ", false},
	{"[0", "[1", false},
};

static void what_ranks_repeat(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++) {
		struct log_fixture fx;
		char text[1024];

		log_init(&fx);
		snprintf(text, sizeof text,
			"%s" LINE("", "INTERVAL_START", "x_start", "001") "\n%s" LINE(
				"", "INTERVAL_START", "x_start", "002") "\n",
			ranks[i].first, ranks[i].second);
		log_read(&fx, SOURCE_MLLOG, text);
		if ((fx.run.event_count == 1) != ranks[i].repeated)
			fail_msg("'%s', '%s'", ranks[i].first, ranks[i].second);
		if (ranks[i].repeated)
			log_expect_diags(&fx, "repeated-event", 2, 1, NULL);
		else
			log_expect_diags(&fx, NULL);
		log_expect_rows(&fx, fx.run.event_count, 0);
		log_release(&fx);
	}
}

/* Rank 1 is late and early; copies are of the same time; what differs is taken. */
static void repeats_in_a_row(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_MLLOG,
		LINE("0: ", "INTERVAL_START", "e_start", "000") "\n" LINE(
			"1: ", "INTERVAL_START", "e_start", "001") "\n" LINE("1: ",
			"INTERVAL_END", "e_stop", "010") "\n" LINE("0: ", "INTERVAL_END",
			"e_stop", "011") "\n" LINE("1: ", "INTERVAL_START", "e_start",
			"020") "\n" LINE("0: ", "INTERVAL_START", "e_start",
			"021") "\n" LINE("0: ", "INTERVAL_END", "e_stop",
			"030") "\n" LINE("1: ", "INTERVAL_END", "e_stop",
			"031") "\n" LINE("tee: ", "INTERVAL_END", "e_stop",
			"031") "\n" LINE("0: ", "POINT_IN_TIME", "e",
			"031") "\n" LINE("0: ", "POINT_IN_TIME", "f", "031") "\n");
	log_expect_rows(&fx, 6, 0);
	log_expect_diags(&fx, "repeated-event", 2, 5, NULL);
	expect_events(
		&fx, "begin e 0, end e 10, begin e 21, end e 31, point e 31, point f 31");
	log_release(&fx);
}

/* More contents than the table of them begins with. */
static void many_contents(void **state)
{
	struct strbuf text;
	struct log_fixture fx;

	(void)state;
	strbuf_init(&text);
	for (int again = 0; again < 2; again++)
		for (int i = 0; i < 1000; i++)
			strbuf_addf(&text,
				"%d: :::MLLOG {\"time_ms\": 174082320%04d, "
				"\"key\": \"k\", \"value\": %d}\n",
				again, i + again, i);
	log_init(&fx);
	log_read(&fx, SOURCE_MLLOG, text.text);
	log_expect_rows(&fx, 1000, 0);
	log_expect_diags(&fx, "repeated-event", 1001, 1000, NULL);
	log_release(&fx);
	strbuf_release(&text);
}

static void old_spelling(void **state)
{
#define OLD ":::MLPv0.5.0 ncf 1740823200.001000000 (m.py:7) "
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_MLLOG,
		OLD "run_start\n"
		    "I0122 12:00:14 RAW_" OLD
		    "run_start\n" /* print and logging say the same */
		OLD "run_stop: {\"success\": true}\n" OLD "train_epoch: 3\n" OLD
		    "info: it's \"no\\JSON\"\n" OLD
		    "twice: 1, \"value\": 2, \"more\": 3\n"
		    ":::MLPv0.5.0 Starting prediction timing.\n"
		    ":::MLPv0.5.0 [1df9b2ab][1740823200.29151][0]\n"
		    ":::MLPv0.5.0 ncf 1740823200.001 (m.py:7)\n"
		    ":::MLPv0.5.0 ncf soon (m.py:7) x\n:::MLPv0.5.0");
	log_expect_rows(&fx, 5, 0);
	log_expect_diags(&fx, "repeated-event", 2, 1, NULL);
	expect_events(&fx,
		"begin run 1, end run 1, point train_epoch 1, point info 1, point twice "
		"1");
#define BEHIND ", \"benchmark\": \"ncf\", \"file\": \"m.py:7\"}"
	assert_string_equal(fx.run.event[0].extras, "{\"value\": null" BEHIND);
	assert_string_equal(
		fx.run.event[1].extras, "{\"value\": {\"success\": true}" BEHIND);
	assert_string_equal(fx.run.event[2].extras, "{\"value\": 3" BEHIND);
	assert_string_equal(
		fx.run.event[3].extras, "{\"value\": \"it's \\\"no\\\\JSON\\\"\"" BEHIND);
	assert_string_equal(fx.run.event[4].extras,
		"{\"value\": \"1, \\\"value\\\": 2, \\\"more\\\": 3\"" BEHIND);
	log_release(&fx);

	/* two on one line; the end of a file may stand in a key */
	log_init(&fx);
	log_read(&fx, SOURCE_MLLOG, OLD "seed: 5," OLD "x: 6\n" OLD "run_sta");
	log_expect_rows(&fx, 2, 1);
	log_expect_diags(&fx, "no-newline", 2, 1, NULL);
	expect_events(&fx, "point seed 1, point x 1");
	log_release(&fx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_and_points),
		cmocka_unit_test(damaged_lines),
		cmocka_unit_test(damaged_between),
		cmocka_unit_test(one_line_of_beginnings),
		cmocka_unit_test(what_ranks_repeat),
		cmocka_unit_test(repeats_in_a_row),
		cmocka_unit_test(many_contents),
		cmocka_unit_test(old_spelling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
