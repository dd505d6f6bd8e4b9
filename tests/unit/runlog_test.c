/* Logs without samples: events as JSON lines, the manifest; and who bids for which file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "log_fixture.h"

static void events(void **state)
{
	struct log_fixture fx;
	const struct event *e;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_RUNLOG,
		"{\"ts\": \"2025-03-01T10:00:05.5+00:00\", \"type\": \"phase\", "
		"\"name\": \"train\", \"seconds\": 5.25, \"loss\": 0.10}\n"
		"{\"ts\": 1740823200.123456789, \"type\": \"begin\", \"name\": "
		"\"a\\u00e9\"}\n"
		"{\"timestamp\": \"2025-03-01 12:00:00+02:00\", \"type\": \"end\"}\n"
		"{\"time\": \"2025-03-01 10:00:01\", \"name\": \"n\", \"seconds\": 3, "
		"\"x\": {\"y\": [1, 2]}}\n");
	log_expect_rows(&fx, 4, 0);
	log_expect_diags(&fx, NULL);
	assert_int_equal(fx.run.event_count, 4);
	e = fx.run.event;
	assert_int_equal(e[0].type, EVENT_PHASE); /* ts is the end */
	assert_int_equal(e[0].t_ns, T0_NS + NS_PER_S / 4);
	assert_int_equal(e[0].end_ns, T0_NS + 11 * NS_PER_S / 2);
	assert_string_equal(e[0].name, "train");
	assert_string_equal(e[0].extras, "{\"loss\": 0.10}"); /* as it was */
	assert_int_equal(e[1].type, EVENT_BEGIN);
	assert_int_equal(e[1].t_ns, T0_NS + 123456789);
	assert_int_equal(e[1].end_ns, TIME_NONE);
	assert_string_equal(e[1].name, "a\xc3\xa9");
	assert_null(e[1].extras);
	assert_int_equal(e[2].type, EVENT_END);
	assert_int_equal(e[2].t_ns, T0_NS);
	assert_null(e[2].name);
	assert_int_equal(e[3].type, EVENT_POINT);
	assert_null(e[3].type_name);
	assert_string_equal(e[3].extras, "{\"seconds\": 3, \"x\": {\"y\": [1, 2]}}");
	log_release(&fx);
}

/* Where other tools put the time and the name. */
static const struct {
	const char *line;
	int64_t ns; /* after T0 */
	const char *type, *name, *extras;
} loggers[] = {
	/* structlog */
	{"{\"event\": \"up\", \"timestamp\": \"2025-03-01T10:00:00.5Z\", \"level\": 1}",
		NS_PER_S / 2, NULL, "up", "{\"level\": 1}"},
	/* python-json-logger: name is the logger */
	{"{\"asctime\": \"2025-03-01 10:00:04,123\", \"name\": \"root\", \"message\": "
	 "\"m\"}",
		4123000000, NULL, "m", "{\"name\": \"root\"}"},
	/* bunyan, pino, zap */
	{"{\"name\":\"app\",\"msg\":\"b\",\"time\":\"2025-03-01T11:00:00+01:00\"}", 0,
		NULL, "b", "{\"name\": \"app\"}"},
	{"{\"level\":30,\"time\":1740823200071,\"msg\":\"p\"}", 71000000, NULL, "p",
		"{\"level\": 30}"},
	{"{\"ts\":1740823200.25,\"msg\":\"z\"}", NS_PER_S / 4, NULL, "z", NULL},
	/* loguru */
	{"{\"text\":\"\",\"record\":{\"message\":\"l\",\"time\":{\"timestamp\":"
	 "1740823201}}}",
		NS_PER_S, NULL, "l",
		"{\"text\": \"\", \"record\": "
		"{\"message\":\"l\",\"time\":{\"timestamp\":1740823201}}}"},
	/* OpenTelemetry, journald, tracing, MLflow, TensorBoard */
	{"{\"timeUnixNano\":\"1740823200123456789\",\"body\":\"o\"}", 123456789, NULL,
		"o", NULL},
	{"{\"__REALTIME_TIMESTAMP\":\"1740823200123456\",\"MESSAGE\":\"j\"}", 123456000,
		NULL, "j", NULL},
	{"{\"timestamp\":\"2025-03-01T10:00:00Z\",\"fields\":{\"message\":\"t\"}}", 0,
		NULL, "t", "{\"fields\": {\"message\":\"t\"}}"},
	{"{\"key\":\"loss\",\"value\":NaN,\"timestamp\":1740823200000}", 0, NULL, "loss",
		"{\"value\": null}"},
	{"{\"wall_time\":1740823200.5,\"tag\":\"loss\"}", NS_PER_S / 2, NULL, "loss",
		NULL},
	/* GELF, CLEF, OpenTelemetry's file exporter, Azure */
	{"{\"timestamp\":1740823200.5,\"short_message\":\"g\"}", NS_PER_S / 2, NULL, "g",
		NULL},
	{"{\"@t\":\"2025-03-01T10:00:00Z\",\"@mt\":\"c {n}\",\"n\":1}", 0, NULL, "c {n}",
		"{\"n\": 1}"},
	{"{\"Timestamp\":\"1740823200000000007\",\"Body\":\"o\"}", 7, NULL, "o", NULL},
	{"{\"time\":\"2025-03-01T10:00:00.000Z\",\"operationName\":\"a\"}", 0, NULL, "a",
		NULL},
	/* log4j */
	{"{\"timeMillis\":1740823200001,\"message\":\"m\"}", 1000000, NULL, "m", NULL},
	{"{\"instant\":{\"epochSecond\":1740823200,\"nanoOfSecond\":5},\"message\":"
	 "\"m\"}",
		5, NULL, "m",
		"{\"instant\": {\"epochSecond\":1740823200,\"nanoOfSecond\":5}}"},
	/* the first that can be read as a time; an event of a name */
	{"{\"time\":0.5,\"date\":\"2025-03-01\",\"t\":1740823200,\"event\":\"begin\","
	 "\"name\":\"n\"}",
		0, "begin", "n", "{\"time\": 0.5, \"date\": \"2025-03-01\"}"},
	/* a type says that the name is the event's */
	{"{\"ts\":1740823200,\"type\":\"a\",\"name\":\"n\",\"message\":\"m\"}", 0, "a",
		"n", "{\"message\": \"m\"}"},
	{"{\"ts\":1740823200,\"type\":\"a\",\"name\":7}", 0, "a", NULL, "{\"name\": 7}"},
};

static void expect_text(const char *line, const char *actual, const char *expected)
{
	if (!actual != !expected || (actual && strcmp(actual, expected) != 0))
		fail_msg("%s: %s", line, actual ? actual : "nothing");
}

static void other_loggers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof loggers / sizeof loggers[0]; i++) {
		const char *line = loggers[i].line;
		struct log_fixture fx;
		const struct event *e;

		log_init(&fx);
		log_read(&fx, SOURCE_RUNLOG, line);
		if (fx.run.event_count != 1)
			fail_msg("%s: refused", line);
		log_expect_diags(&fx, NULL);
		e = fx.run.event;
		if (e->t_ns != T0_NS + loggers[i].ns)
			fail_msg("%s: %lld", line, (long long)(e->t_ns - T0_NS));
		expect_text(line, e->type_name, loggers[i].type);
		expect_text(line, e->name, loggers[i].name);
		expect_text(line, e->extras, loggers[i].extras);
		log_release(&fx);
	}
}

static void damaged_events(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_RUNLOG,
		"Traceback (most recent call last):\n"
		"{\"ts\": 1740823200, \"a\": 01}\n"
		"{\"type\": \"phase\", \"seconds\": 1}\n"
		"{\"ts\": \"soon\", \"type\": \"x\"}\n"
		"{\"ts\": 1740823200, \"type\": \"phase\"}\n"
		"{\"ts\": 1740823200, \"type\": \"phase\", \"seconds\": -1}\n"
		"{\"ts\": 1740823200, \"type\": \"phase\", \"seconds\": \"5\"}\n"
		"{\"ts\": 1740823200, \"type\": \"phase\", \"seconds\": 1740823200.5}\n"
		"{\"ts\": 1740823200, \"type\": \"phase\", \"seconds\": 1740823200}\n"
		"{\"ts\": 1740823200, \"loss\": 1}\n"
		"{\"ts\": 1740823200, \"name\": 7}\n"
		"{\"ts\": 1740823200, \"ty");
	log_expect_rows(&fx, 1, 11);
	log_expect_diags(&fx, "bad-json", 1, 2, "bad-time", 3, 2, "bad-phase", 5, 4,
		"no-name", 10, 2, "torn-line", 12, 1, NULL);
	assert_int_equal(fx.run.event_count, 1);
	assert_int_equal(fx.run.event[0].t_ns, 0);
	log_release(&fx);
}

#define BEGIN(ns)                            \
	"{\"ts\": \"2025-03-01T10:00:05." ns \
	"Z\", \"type\": \"begin\", \"name\": \"a\"}\n"

/* A line, and again: a copy, or what may be another one's. */
static const struct {
	const char *text;
	size_t events, copies;
} said_again[] = {
	{BEGIN("000000001") BEGIN("000000001"), 1, 1},
	{BEGIN("123456") BEGIN("123456") BEGIN("123456"), 1, 2},
	{BEGIN("123456") BEGIN("123457"), 2, 0},
	{BEGIN("123456") "{\"ts\": 1740823205, \"name\": \"n\"}\n" BEGIN("123456"), 3, 0},
	{BEGIN("123") BEGIN("123"), 2, 0}, /* milliseconds */
	{BEGIN("000") BEGIN("000"), 2, 0},
	{"{\"ts\": 1740823205.1234, \"type\": \"end\", \"name\": \"a\", \"pid\": 7}\n"
	 "{\"ts\": 1740823205.1234, \"type\": \"end\", \"name\": \"a\", \"pid\": 7}\n",
		1, 1},
	{"{\"ts\": 1740823205.1234, \"type\": \"end\", \"name\": \"a\", \"pid\": 7}\n"
	 "{\"ts\": 1740823205.1234, \"type\": \"end\", \"name\": \"a\", \"pid\": 8}\n",
		2, 0},
	{"{\"ts\": 1740823205.1234, \"type\": \"phase\", \"name\": \"a\", \"seconds\": "
	 "1}\n"
	 "{\"ts\": 1740823205.1234, \"type\": \"phase\", \"name\": \"a\", \"seconds\": "
	 "1}\n",
		1, 1},
	{"{\"ts\": 1740823205.1234, \"type\": \"step\", \"n\": 1}\n"
	 "{\"ts\": 1740823205.1234, \"type\": \"step\", \"n\": 1}\n",
		2, 0}, /* moments */
};

static void lines_twice(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof said_again / sizeof said_again[0]; i++) {
		struct log_fixture fx;

		log_init(&fx);
		log_read(&fx, SOURCE_RUNLOG, said_again[i].text);
		assert_int_equal(fx.run.event_count, said_again[i].events);
		log_expect_rows(&fx, said_again[i].events, said_again[i].copies);
		if (said_again[i].copies)
			log_expect_diags(&fx, "same-line", 2, said_again[i].copies, NULL);
		else
			log_expect_diags(&fx, NULL);
		log_release(&fx);
	}
}

static void manifest(void **state)
{
	struct log_fixture fx;
	const struct run *run = &fx.run;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_MANIFEST,
		"{\n \"format_version\": 1, \"run_id\": \"r1\", \"host\": \"h\",\n"
		" \"command\": [\"sh\", \"-c\", \"echo 'a b' $x\", \"\", 7],\n"
		" \"cpu_count\": 64, \"mem_total_kib\": 263856000, \"interval_s\": 0.1,\n"
		" \"dmon_interval_s\": 2, \"exit_status\": 3, \"query\": "
		"\"timestamp,index\",\n"
		" \"started_at\": \"2025-03-01T10:00:00.5Z\",\n"
		" \"ended_at\": \"2025-03-01T12:00:01+02:00\",\n"
		" \"gpus\": [{\"index\": 2, \"uuid\": \"GPU-a\", \"name\": \"H200\",\n"
		"   \"pci_bus_id\": \"00000000:0C:00.0\"}, {\"name\": "
		"\"nothing\"}]\n}\n");
	log_expect_rows(&fx, 1, 0);
	log_expect_diags(&fx, NULL);
	assert_string_equal(run->run_id, "r1");
	assert_string_equal(run->command, "sh -c 'echo '\\''a b'\\'' $x' ''");
	assert_int_equal(run->cpu_count, 64);
	assert_int_equal(run->mem_total_kib, 263856000);
	assert_int_equal(run->interval_ns, 100000000);
	assert_int_equal(run->dmon_interval_ns, 2 * NS_PER_S);
	assert_int_equal(run->exit_status, 3);
	assert_int_equal(run->started_ns, T0_NS + NS_PER_S / 2);
	assert_int_equal(run->ended_ns, T0_NS + NS_PER_S);
	assert_int_equal(run->device_count, 1);
	assert_string_equal(run->device[0].name, "gpu2");
	assert_string_equal(run->device[0].model, "H200");
	log_release(&fx);
}

/* What can't be is not known; the rest stays good. */
static void odd_manifest(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_MANIFEST,
		"{\"run_id\": 5, \"host\": \"h\", \"cpu_count\": -1, \"interval_s\": "
		"1e30,"
		"\"mem_total_kib\": \"1\", \"exit_status\": 256, \"command\": \"sh\","
		"\"started_at\": \"soon\", \"gpus\": 7}");
	log_expect_rows(&fx, 1, 0);
	assert_null(fx.run.run_id);
	assert_string_equal(fx.run.host, "h");
	assert_int_equal(fx.run.cpu_count, -1);
	assert_int_equal(fx.run.interval_ns, -1);
	assert_int_equal(fx.run.mem_total_kib, -1);
	assert_int_equal(fx.run.exit_status, -1);
	assert_int_equal(fx.run.started_ns, TIME_NONE);
	assert_null(fx.run.command);
	assert_int_equal(fx.run.device_count, 0);
	log_release(&fx);

	log_init(&fx);
	log_read(&fx, SOURCE_MANIFEST, "{\"run_id\": \"x\",\n");
	log_expect_rows(&fx, 0, 1);
	log_expect_diags(&fx, "bad-json", 1, 1, NULL);
	log_release(&fx);
}

/* How the command ended, by its status and by the signal that ended it. */
static void ends(void **state)
{
	static const struct {
		const char *keys;
		int32_t status;
		const char *fact, *what; /* kept, and the key that is said; NULL */
	} cases[] = {
		{"\"exit_status\": 137, \"signal\": 9", 137, NULL, NULL},
		{"\"exit_status\": 0, \"signal\": null", 0, NULL, NULL},
		{"\"exit_status\": 1, \"signal\": 9", 1, NULL, NULL},
		{"\"exit_status\": null, \"signal\": 0", -1, NULL, NULL},
		/* 128 and the signal, as a shell has it */
		{"\"exit_status\": null, \"signal\": 9", 137, NULL, NULL},
		{"\"signal\": 15", 143, NULL, NULL},
		{"\"exit_status\": 0, \"signal\": 9", -1, "0, signal 9",
			"\"signal\" is 9, expected null"},
		{"\"signal\": \"SIGKILL\"", -1, "null, signal \"SIGKILL\"",
			"\"signal\" is \"SIGKILL\", expected 1 to 64"},
		{"\"exit_status\": -9, \"signal\": 9", -1, "-9",
			"\"exit_status\" is -9, expected 0 to 255"},
		{"\"exit_status\": 0, \"exit_status\": 1", -1, "[0,1]",
			"\"exit_status\" occurs 2 times"},
		{"\"exit_status\": 0, \"exit_status\": 0", 0, NULL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct log_fixture fx;
		const char *fact;
		char text[256];

		snprintf(text, sizeof text,
			"{\"run_id\": \"r\", \"format_version\": 1, %s}", cases[i].keys);
		log_init(&fx);
		log_read(&fx, SOURCE_MANIFEST, text);
		assert_int_equal(fx.run.exit_status, cases[i].status);
		fact = run_fact(&fx.run, RUN_FACT_EXIT_STATUS);
		expect_text(text, fact, cases[i].fact);
		if (!cases[i].what != !fx.run.diags.count ||
			(cases[i].what &&
				!strstr(fx.run.diags.at[0].text, cases[i].what)))
			fail_msg("%s: %s", text,
				fx.run.diags.count ? fx.run.diags.at[0].text
						   : "not a word");
		log_release(&fx);
	}
}

/* Which of two values is right nobody knows; of equal ones there is no doubt. */
static void doubled_keys(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_MANIFEST,
		"{\"format_version\": \"1.0\", \"run_id\": \"a\", \"run_id\": "
		"\"b\", \"host\": \"h\", \"driver_version\": "
		"\"1\",\n"
		"\"host\": \"h\", \"command\": [\"x\"], \"command\": [\"y\"], "
		"\"cpu_count\": 4,\n"
		"\"cpu_count\": 4.0, \"labels\": {\"lr\": \"1\", \"x\": \"1\", \"lr\": "
		"\"2\"},\n"
		"\"gpus\": [{\"index\": 0, \"name\": \"A\", \"index\": 1}]}");
	log_expect_rows(&fx, 1, 0);
	/* run_id, command, lr, and a GPU's index: without it there is none */
	log_expect_diags(&fx, "bad-manifest:run_id", 4, 1, "bad-manifest:command", 4, 1,
		"bad-manifest:lr", 4, 1, "bad-manifest:index", 4, 1, NULL);
	assert_null(fx.run.run_id);
	assert_string_equal(fx.run.host, "h");
	assert_null(fx.run.command);
	assert_int_equal(fx.run.cpu_count, 4);
	assert_null(label_find(&fx.run.labels, "lr"));
	assert_non_null(label_find(&fx.run.labels, "x"));
	assert_int_equal(fx.run.device_count, 0);
	log_release(&fx);
}

static const struct {
	const char *line; /* the first lines of a file */
	enum source_kind kind;
} bids[] = {
	{"timestamp, index, power.draw [W]", SOURCE_NVIDIA_QUERY},
	{"Sat Mar  1 10:00:00 UTC 2025\nutilization.gpu [%], memory.used [MiB]",
		SOURCE_NVIDIA_QUERY},
	{"2025/03/01 10:00:00.000, 1, 2, 3, 4, 5, 6, 7, 8", SOURCE_NVIDIA_QUERY},
	{"# gpu   pwr  temp    sm   mem", SOURCE_NVIDIA_DMON},
	{"#Date       Time        gpu     fb   bar1", SOURCE_NVIDIA_DMON},
	{"# gpu        pid  type    sm   mem   enc   dec   command", SOURCE_NVIDIA_PMON},
	{"timestamp, gpu, power, temp", SOURCE_NONE}, /* no table of nvidia-smi */
	{"MemTotal: 1 kB\nMemFree: 1 kB", SOURCE_MEMINFO},
	{"# t=1740823200 mono=1 boot=1\ncpu  1 2 3 4", SOURCE_PROC_STAT},
	{"cpu  1 2 3 4 5 6 7 8 9 10", SOURCE_PROC_STAT},
	{"cpu  1 2 3", SOURCE_NONE},
	{"cpu usage 1 2 3 4", SOURCE_NONE},
	{"timestamp,usr_pct,idle_pct", SOURCE_HOST_TABLE},
	{"{\"ts\": 1740823200, \"type\": \"x\"}", SOURCE_RUNLOG},
	{"text\n{\"timestamp\": 1740823200, \"name\": \"x\"}", SOURCE_RUNLOG},
	{"{\"@timestamp\": \"2025-03-01T10:00:00Z\", \"message\": \"x\"}", SOURCE_RUNLOG},
	{"{\"ts\": 1740823200, \"loss\": 1}", SOURCE_NONE},
	{"{\"t\": 1, \"name\": \"x\"}", SOURCE_NONE},
	{"{\"type\": \"x\"}", SOURCE_NONE},
	{"text\n0: :::MLLOG {\"time_ms\": 1740823200000, \"key\": \"x\"}", SOURCE_MLLOG},
	{":::MLPv0.5.0 ncf 1740823200.25 (m.py:7) run_start", SOURCE_MLLOG},
	{":::MLLOG and :::MLPv0.5.0 are marks", SOURCE_NONE},
	{"timestamp, index\n:::MLLOG {\"time_ms\": 1740823200000, \"key\": \"x\"}",
		SOURCE_MLLOG},
	{"{\n\"run_id\": \"x\",\n\"format_version\": 1\n}", SOURCE_MANIFEST},
	{"timestamp, pid, process_name, used_gpu_memory [MiB]", SOURCE_NVIDIA_APPS},
	{"pid, name, time", SOURCE_NONE},
	{"hello, world", SOURCE_NONE},
	{"", SOURCE_NONE},
};

static void who_bids(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof bids / sizeof bids[0]; i++) {
		struct probe probe = {.count = 0};
		const char *text = bids[i].line;
		const struct format *format;
		uint8_t bid[SOURCE_KIND_COUNT];

		while (*text) {
			size_t len = strcspn(text, "\n");

			probe.line[probe.count++] = (struct span){text, len};
			text += len + (text[len] == '\n');
		}
		format = format_of(log_formats(), &probe, bid);
		if ((format ? format->kind : SOURCE_NONE) != bids[i].kind)
			fail_msg("'%s': %s", bids[i].line,
				format ? source_name(format->kind) : "nobody");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events),
		cmocka_unit_test(other_loggers),
		cmocka_unit_test(damaged_events),
		cmocka_unit_test(lines_twice),
		cmocka_unit_test(manifest),
		cmocka_unit_test(odd_manifest),
		cmocka_unit_test(ends),
		cmocka_unit_test(doubled_keys),
		cmocka_unit_test(who_bids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
