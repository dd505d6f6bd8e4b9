/* Slices of a trace nest, whatever the phases do; names are text; nothing is before 0. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cmd/formats.h"
#include "render_json.h"

static const struct render_options plain = {.width = 80};

struct made {
	struct run run;
	struct report report;
};

static void make(struct made *m)
{
	run_init(&m->run, "made");
	report_init(&m->report, &m->run);
	m->report.evidence.grade = 'A';
	m->report.origin_ns = m->report.started_ns = FIXTURE_T0;
	m->report.ended_ns = FIXTURE_T0 + 20 * NS_PER_S;
	m->report.duration_s = 20;
}

static cJSON *print(struct made *m,
	int (*samples)(void *context, const struct report *report,
		struct chronicle_taker *taker, struct error *err))
{
	struct render_input in = {.report = &m->report,
		.report_count = 1,
		.samples = samples,
		.samples_context = m};
	char *text = fixture_render_input(&in, "trace", &plain);
	cJSON *json = parse(text);

	free(text);
	report_release(&m->report);
	run_release(&m->run);
	return json;
}

static const char *track_name(const cJSON *events, int tid)
{
	const cJSON *e;

	cJSON_ArrayForEach(e, events) if (at(e, "tid")->valueint == tid &&
		at(e, "ph")->valuestring[0] == 'M' &&
		strcmp(at(e, "name")->valuestring, "thread_name") == 0) return at(e,
		"args.name")
		->valuestring;
	return NULL;
}

/* "phases: a 0 (b 1, 2) 3" has a from 0 to 3 ms and in it b from 1 to 2 ms. */
static void add_track(struct strbuf *sb, const cJSON *events, int tid)
{
	const cJSON *e;
	bool any = false;
	double now = 0;

	cJSON_ArrayForEach(e, events)
	{
		char ph = at(e, "ph")->valuestring[0];

		if (at(e, "tid")->valueint != tid || !strchr("BE", ph))
			continue;
		if (!any)
			strbuf_addf(sb, "%s:", track_name(events, tid));
		any = true;
		assert_true(at(e, "ts")->valuedouble >= now);
		now = at(e, "ts")->valuedouble;
		if (ph == 'B')
			strbuf_addf(
				sb, " (%s %g,", at(e, "name")->valuestring, now / 1000);
		else
			strbuf_addf(sb, " %g)", now / 1000);
	}
	if (any)
		strbuf_addc(sb, '\n');
}

/* All tracks but that of the run. */
static void says(cJSON *json, const char *expected)
{
	struct strbuf sb;

	strbuf_init(&sb);
	for (int tid = 2; tid < 20; tid++)
		add_track(&sb, at(json, "traceEvents"), tid);
	assert_string_equal(sb.text, expected);
	strbuf_release(&sb);
	cJSON_Delete(json);
}

/* In ms from the run's start. */
static void phase(struct made *m, const char *path, double from_ms, double to_ms)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	struct phase_path *of = fixture_phase(
		&m->report, path, from_ms / 1e3, (to_ms - from_ms) / 1e3, NULL);

	m->report.call[of->first].name = of->name = name;
	for (; *path; path++)
		of->depth += *path == '/';
}

static void phases_nest(void **state)
{
	struct made m;

	(void)state;
	make(&m);
	phase(&m, "a", 0, 100);
	phase(&m, "a/b", 10, 50);
	phase(&m, "a/b/c", 10, 20);
	phase(&m, "a/d", 50, 100);
	phase(&m, "e", 100, 100);
	says(print(&m, NULL),
		"phases: (a 0, (b 10, (c 10, 20) 50) (d 50, 100) 100) (e 100, 100)\n");
}

/* Overlapping ones have tracks of their own, as few as there must be. */
static void overlapping_phases_have_tracks(void **state)
{
	struct made m;

	(void)state;
	make(&m);
	phase(&m, "a", 0, 60);
	phase(&m, "b", 30, 90);
	phase(&m, "c", 40, 120);
	phase(&m, "c/d", 45, 55);
	phase(&m, "e", 60, 70);
	says(print(&m, NULL),
		"phases: (a 0, 60) (e 60, 70)\n"
		"phases 2: (b 30, 90)\n"
		"phases 3: (c 40, (d 45, 55) 120)\n");
}

/* What is at the same time by chance, as in another process, is not in one another. */
static void strangers_have_tracks(void **state)
{
	struct made m;

	(void)state;
	make(&m);
	phase(&m, "a", 0, 100);
	phase(&m, "b", 10, 50);
	phase(&m, "b/c", 20, 30);
	phase(&m, "b/c", 25, 40);
	says(print(&m, NULL),
		"phases: (a 0, 100)\n"
		"phases 2: (b 10, (c 20, 30) 50)\n"
		"phases 3: (c 25, 40)\n");
}

/* What sticks out by up to 2 ms is rounded, and cut; the args know it all the same. */
static void rounded_phases_are_cut(void **state)
{
	struct made m;
	cJSON *json;
	const cJSON *e;
	double seconds = 0;

	(void)state;
	make(&m);
	phase(&m, "a", 0, 100);
	phase(&m, "a/b", 80, 102);
	phase(&m, "c", 99, 200);
	phase(&m, "c/d", 150, 203);
	json = print(&m, NULL);
	cJSON_ArrayForEach(
		e, at(json, "traceEvents")) if (cJSON_GetObjectItem(e, "name") &&
		strcmp(at(e, "name")->valuestring, "b") == 0) seconds =
		at(e, "args.duration_s")->valuedouble;
	assert_true(fabs(seconds - 0.022) < 1e-9);
	says(json,
		"phases: (a 0, (b 80, 99) 99) (c 99, 200)\n"
		"phases 2: (d 150, 203)\n");
}

/* Viewers drop what is before 0. */
static void nothing_is_before_zero(void **state)
{
	struct made m;
	cJSON *json;

	(void)state;
	make(&m);
	phase(&m, "early", -500, 100);
	json = print(&m, NULL);
	assert_string_equal(at(json, "otherData.runs.0.zero_at")->valuestring,
		"2026-03-01T11:59:59.500Z");
	says(json, "phases: (early 0, 600)\n");
}

/* Two kinds of log have the power; one of them says nothing for a while. */
static int give_samples(void *context, const struct report *report,
	struct chronicle_taker *taker, struct error *err)
{
	uint32_t mark[4] = {0};
	struct chronicle_of of = {SOURCE_NVIDIA_QUERY, 0, METRIC_power_w, &mark[0]};

	(void)context;
	(void)err;
	taker->value(taker, &of, report->started_ns, 0);
	taker->value(taker, &of, report->started_ns + 1, 70.25);
	of = (struct chronicle_of){SOURCE_NVIDIA_DMON, 0, METRIC_power_w, &mark[1]};
	taker->value(taker, &of, report->started_ns, 71);
	of = (struct chronicle_of){SOURCE_NVIDIA_DMON, 0, METRIC_none, &mark[2]};
	taker->silence(taker, &of, report->started_ns, report->started_ns + 9000000);
	of = (struct chronicle_of){SOURCE_NVIDIA_QUERY, 0, METRIC_pstate, &mark[3]};
	taker->state(taker, &of, report->started_ns, report->started_ns + 2000000,
		"</script>\x1b\n");
	return 0;
}

static void samples_are_counters_and_slices(void **state)
{
	struct made m;
	struct strbuf sb;
	cJSON *json;
	const cJSON *e;

	(void)state;
	make(&m);
	run_add_device(&m.run, DEVICE_GPU, 0);
	fixture_stats(&m.report, SOURCE_NVIDIA_QUERY, 0, METRIC_power_w, 70);
	fixture_stats(&m.report, SOURCE_NVIDIA_DMON, 0, METRIC_power_w, 71);
	json = print(&m, give_samples);
	strbuf_init(&sb);
	cJSON_ArrayForEach(e, at(json, "traceEvents")) if (at(e, "ph")->valuestring[0] ==
		'C') strbuf_addf(&sb, "%s %g: %g\n", at(e, "name")->valuestring,
		at(e, "ts")->valuedouble, at(e, "args.W")->valuedouble);
	assert_string_equal(sb.text,
		"gpu0 power_w (nvidia-query) 0: 0\n"
		"gpu0 power_w (nvidia-query) 0.001: 70.25\n"
		"gpu0 power_w (nvidia-dmon) 0: 71\n");
	strbuf_release(&sb);
	says(json,
		"not recorded: gpu0 (nvidia-dmon): (not recorded 0, 9)\n"
		"gpu0 pstate: (</script>\x1b\n 0, 2)\n");
}

static int can_t_be_read(void *context, const struct report *report,
	struct chronicle_taker *taker, struct error *err)
{
	(void)context;
	(void)taker;
	return error_set(err, "%s: gone", report->run->path);
}

static void samples_that_fail_are_an_error(void **state)
{
	char *text = NULL;
	size_t size;
	struct error err;
	struct made m;
	FILE *out = open_memstream(&text, &size);
	struct render_input in = {.samples = can_t_be_read, .report_count = 1};

	(void)state;
	make(&m);
	in.report = &m.report;
	assert_int_equal(output_find("trace")->write(&in, &plain, out, &err), -1);
	assert_string_equal(err.message, "made: gone");
	fclose(out);
	free(text);
	report_release(&m.report);
	run_release(&m.run);
}

/* Names of all kinds read back; no byte of the text is a control but the newline. */
static void hostile_names_are_text(void **state)
{
	struct fixture f;
	char *text;
	cJSON *json;

	(void)state;
	fixture_init(&f);
	make_hostile(&f);
	text = fixture_render(&f, "trace", &plain);
	for (const char *c = text; *c; c++)
		assert_true((unsigned char)*c >= 0x20 || *c == '\n');
	json = parse(text);
	assert_text(json, "traceEvents.0.args.name", HOSTILE_READ);
	assert_text(json, "otherData.runs.0.path", HOSTILE_READ);
	cJSON_Delete(json);
	free(text);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(phases_nest),
		cmocka_unit_test(overlapping_phases_have_tracks),
		cmocka_unit_test(strangers_have_tracks),
		cmocka_unit_test(rounded_phases_are_cut),
		cmocka_unit_test(nothing_is_before_zero),
		cmocka_unit_test(samples_are_counters_and_slices),
		cmocka_unit_test(samples_that_fail_are_an_error),
		cmocka_unit_test(hostile_names_are_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
