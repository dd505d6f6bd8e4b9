/* The command line, and the table of metrics behind what it may name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <string.h>

#include "base/timestamp.h"
#include "cmd/formats.h"
#include "cmd/options.h"
#include "model/metric.h"

#define ARGS_MAX 8

/* Parses the words; -1: err is set. */
static int parse(struct options *opt, const char *const *words, struct error *err)
{
	static char text[ARGS_MAX][64];
	char *argv[ARGS_MAX + 1] = {text[0]};
	int argc = 1;

	strcpy(text[0], "hwsummarize");
	for (; argc < ARGS_MAX && words[argc - 1]; argc++) {
		strcpy(text[argc], words[argc - 1]);
		argv[argc] = text[argc];
	}
	return options_parse(opt, argc, argv, err);
}

static void defaults(void **state)
{
	const char *const words[] = {"run", NULL};
	struct options opt;
	struct error err;

	(void)state;
	assert_int_equal(parse(&opt, words, &err), 0);
	assert_string_equal(opt.format, "text");
	assert_null(opt.db);
	assert_null(opt.tz);
	assert_int_equal(opt.gap_ns, -1);
	assert_int_equal(opt.interval_ns, -1);
	assert_int_equal(opt.verbose, 0);
	assert_int_equal(opt.operand_count, 1);
	assert_string_equal(opt.operand[0], "run");
	options_release(&opt);
}

static void spellings(void **state)
{
	static const char *const words[][ARGS_MAX] = {
		{"a", "--gap", "2.5", "--tz=UTC", "-qv", "-oout", "-", NULL},
		{"--gap=2.5", "--tz", "UTC", "-o", "out", "-v", "a", NULL},
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct options opt;
		struct error err;

		assert_int_equal(parse(&opt, words[i], &err), 0);
		assert_int_equal(opt.gap_ns, 5 * NS_PER_S / 2);
		assert_string_equal(opt.tz, "UTC");
		assert_string_equal(opt.output, "out");
		assert_int_equal(opt.verbose, 1);
		assert_string_equal(opt.operand[0], "a");
		assert_int_equal(opt.operand_count, i ? 1 : 2);
		options_release(&opt);
	}
}

/* In the order of their keys, a shorter one before one that it begins. */
static void labels(void **state)
{
	const char *const words[] = {
		"--label", "run-1=b", "--label=run=a=b", "--label", "A=", "x", NULL};
	struct options opt;
	struct error err;

	(void)state;
	assert_int_equal(parse(&opt, words, &err), 0);
	assert_int_equal(opt.label.count, 3);
	assert_string_equal(opt.label.at[0].key, "A");
	assert_string_equal(opt.label.at[1].key, "run");
	assert_string_equal(opt.label.at[1].value, "a=b");
	assert_string_equal(opt.label.at[2].key, "run-1");
	assert_string_equal(label_find(&opt.label, "run-1")->value, "b");
	assert_null(label_find(&opt.label, "run-"));
	assert_int_equal(opt.operand_count, 1);
	options_release(&opt);
}

static void end_of_options(void **state)
{
	const char *const words[] = {"--json", "--", "--json", "-x", "--", NULL};
	struct options opt;
	struct error err;

	(void)state;
	assert_int_equal(parse(&opt, words, &err), 0);
	assert_string_equal(opt.format, "json");
	assert_int_equal(opt.operand_count, 3);
	assert_string_equal(opt.operand[0], "--json");
	assert_string_equal(opt.operand[2], "--");
	options_release(&opt);
}

/* Each message names the option and what was expected. */
static const struct {
	const char *words[4];
	const char *message;
} errors[] = {
	{{"--formats"}, "unknown option --formats; did you mean --format?"},
	{{"--form=x"}, "unknown option --form; did you mean --format?"},
	{{"-x"}, "unknown option -x (see hwsummarize help)"},
	{{"-vx"}, "unknown option -x (see hwsummarize help)"},
	{{"--db"}, "--db needs an argument: FILE"},
	{{"-o"}, "-o needs an argument: FILE"},
	{{"-vo"}, "-o needs an argument: FILE"},
	{{"--json=1"}, "--json takes no argument"},
	{{"--db", "x", "--no-db"}, "--db and --no-db exclude each other"},
	{{"--tz", "Nowhere/Atlantis"},
		"unknown time zone 'Nowhere/Atlantis', expected UTC, an offset such as "
		"+02:00, or a name such as Europe/Berlin"},
	{{"--columns", "date,time,gpu,pwr,foo"},
		"--columns: unknown field 'foo' of nvidia-dmon (its header lists them; "
		"use "
		"? for a cell to skip)"},
};

static void error_messages(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
		struct options opt;
		struct error err;

		assert_int_equal(parse(&opt, errors[i].words, &err), -1);
		assert_string_equal(err.message, errors[i].message);
		options_release(&opt);
	}
}

static void bad_seconds(void **state)
{
	static const char *const values[] = {"0", "-1", "abc", "", "1e300", "2x"};

	(void)state;
	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
		const char *const words[] = {"--interval", values[i], NULL};
		struct options opt;
		struct error err;

		assert_int_equal(parse(&opt, words, &err), -1);
		assert_non_null(strstr(err.message, "--interval"));
		assert_non_null(strstr(err.message, values[i]));
		assert_non_null(strstr(err.message, "seconds"));
		options_release(&opt);
	}
}

static void units_and_counts(void **state)
{
	const char *const words[] = {"--ram-unit=bytes", "--gpu-ram-unit", "terabytes",
		"--time-unit=days", "--expected-cores=3", "--gpus=GPU-1,GPU-2", "run",
		NULL};
	static const char *const bad[] = {"--ram-unit=MB",
		"--gpu-ram-unit=", "--time-unit=second", "--expected-cores=0",
		"--expected-cores=-1", "--expected-cores=1000001", "--gpus=", "--gpus=a,",
		"--gpus=,a", "--gpus=a,,b"};
	struct options opt;
	struct error err;

	(void)state;
	assert_int_equal(parse(&opt, words, &err), 0);
	assert_int_equal(opt.tools.ram, DATA_UNIT_BYTES);
	assert_int_equal(opt.tools.gpu_ram, DATA_UNIT_TERABYTES);
	assert_int_equal(opt.tools.time, TIME_UNIT_DAYS);
	assert_int_equal(opt.tools.expected_cores, 3);
	assert_int_equal(opt.tools.expected_gpus, 2);
	options_release(&opt);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		const char *const one[] = {bad[i], "run", NULL};

		assert_int_equal(parse(&opt, one, &err), -1);
		assert_non_null(strstr(err.message, ": expected "));
		options_release(&opt);
	}
}

/* Each option has a bit. */
static void tools_have_so_many_options_at_most(void **state)
{
	(void)state;
	assert_null(tool_option_nth(TOOL_OPTIONS_MAX));
}

static void levels_and_cells(void **state)
{
	const char *const words[] = {
		"--cell=2:5", "--no-idle", "--level", "slurm", "run", NULL};
	static const char *const bad[] = {"--cell=", "--cell=5:2", "--cell=all",
		"--level=gpu", "--level=", "--level=SYSTEM"};
	struct options opt;
	struct error err;

	(void)state;
	assert_int_equal(parse(&opt, words, &err), 0);
	assert_true(opt.tools.cells.set && opt.tools.no_idle);
	assert_int_equal(opt.tools.cells.first, 2);
	assert_int_equal(opt.tools.cells.last, 5);
	assert_string_equal(opt.tools.level, "slurm");
	options_release(&opt);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		const char *const one[] = {bad[i], "run", NULL};

		assert_int_equal(parse(&opt, one, &err), -1);
		assert_non_null(strstr(err.message, ": expected "));
		options_release(&opt);
	}
}

static void metrics_are_found(void **state)
{
	(void)state;
	for (enum metric_id id = 0; id < METRIC_COUNT; id++) {
		const struct metric *m = metric_get(id);

		assert_int_equal(metric_find(span_of(m->name)), id); /* so names differ */
		assert_true(m->per_unit > 0);
		assert_true(m->title[0] && m->help[0]);
	}
	assert_int_equal(metric_find(span_of("power")), METRIC_none);
	assert_int_equal(metric_find(span_of("")), METRIC_none);
}

static void bindings(void **state)
{
	static const struct {
		enum source_kind source;
		const char *name;
		enum metric_id metric;
	} known[] = {{SOURCE_NVIDIA_QUERY, "power.draw", METRIC_power_w},
		{SOURCE_NVIDIA_QUERY, "gpu.power.draw", METRIC_power_w},
		{SOURCE_NVIDIA_QUERY, "power.draw.instant", METRIC_power_instant_w},
		{SOURCE_NVIDIA_QUERY, "clocks.sm", METRIC_sm_clock_mhz},
		{SOURCE_NVIDIA_QUERY, "clocks.current.sm", METRIC_sm_clock_mhz},
		{SOURCE_NVIDIA_DMON, "mem", METRIC_mem_util_pct}, /* not memory held */
		{SOURCE_NVIDIA_DMON, "fb", METRIC_mem_used_mib},
		{SOURCE_NVIDIA_DMON, "temp", METRIC_temperature_c},
		{SOURCE_NVIDIA_DMON, "gtemp", METRIC_temperature_c},
		{SOURCE_HOST_TABLE, "usr_pct", METRIC_cpu_usr_pct}};

	(void)state;
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		const struct binding *b =
			binding_find(known[i].source, span_of(known[i].name));

		assert_non_null(b);
		assert_int_equal(b->metric, known[i].metric);
	}
	assert_null(binding_find(SOURCE_NVIDIA_DMON, span_of("power.draw")));
	/* nvidia-smi takes the names in any case, and prints them as they were asked for
	 */
	assert_ptr_equal(binding_find(SOURCE_NVIDIA_QUERY, span_of("Power.Draw")),
		binding_find(SOURCE_NVIDIA_QUERY, span_of("power.draw")));
	assert_null(binding_find(SOURCE_NVIDIA_QUERY, span_of("")));
}

#define BIND(source, name, unit, metric) {SOURCE_##source, name, METRIC_##metric},

static const struct {
	enum source_kind source;
	const char *name;
	enum metric_id metric;
} every_binding[] = {
#include "../../schema/metrics.def"
};

/* Each is found, and the roles of columns rely on what begins with a digit. */
static void every_binding_is_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof every_binding / sizeof every_binding[0]; i++) {
		const char *name = every_binding[i].name;
		const struct binding *b =
			binding_find(every_binding[i].source, span_of(name));

		assert_non_null(b);
		assert_int_equal(b->source, every_binding[i].source);
		assert_int_equal(b->metric, every_binding[i].metric);
		assert_true(every_binding[i].source == SOURCE_PROC_STAT ||
			name[0] < '0' || name[0] > '9');
	}
}

static void sources_have_names(void **state)
{
	(void)state;
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		assert_non_null(source_name(kind));
	assert_null(source_name(SOURCE_NONE));
	assert_true(source_has_samples(SOURCE_PROC_STAT));
	assert_false(source_has_samples(SOURCE_RUNLOG));
	assert_false(source_has_samples(SOURCE_NONE));
}

/* Durations by hand; what is no duration is refused. */
static void durations(void **state)
{
	static const struct {
		const char *text;
		int64_t ns; /* -1: refused */
	} cases[] = {
		{"0", 0},
		{"90", 90 * NS_PER_S},
		{"2.5", 5 * NS_PER_S / 2},
		{"500ms", NS_PER_S / 2},
		{"1.5s", 3 * NS_PER_S / 2},
		{"5m", 300 * NS_PER_S},
		{"5min", 300 * NS_PER_S},
		{"1h30m", 5400 * NS_PER_S},
		{"1d2h3m4s5ms", 93784 * NS_PER_S + NS_PER_S / 200},
		{"0.5h", 1800 * NS_PER_S},
		{"100000000", 100000000 * NS_PER_S},
		{"100000001", -1},
		{"1158d", -1},
		{"", -1},
		{"m", -1},
		{"5x", -1},
		{"1h30", -1},
		{"1h-3m", -1},
		{"-1", -1},
		{"5 m", -1},
		{"1.2.3s", -1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *words[ARGS_MAX] = {"--since", cases[i].text, NULL};
		struct options opt;
		struct error err;
		int parsed = parse(&opt, words, &err);

		assert_int_equal(parsed, cases[i].ns < 0 ? -1 : 0);
		if (parsed == 0)
			assert_int_equal(opt.since_ns, cases[i].ns);
		options_release(&opt);
	}
}

/* A second value is no silent choice: of every option that has one, in every spelling. */
static void one_value(void **state)
{
	static const struct {
		const char *words[ARGS_MAX], *said; /* NULL: they are taken */
	} cases[] = {
		{{"--rules", "a", "--rules=b", NULL},
			"--rules is given twice, as 'a' and 'b'"},
		{{"--rules", "a", "run", "--rules=a", NULL}, NULL},
		{{"--baseline-db", "a", "--baseline-db", "b", NULL}, "'a' and 'b'"},
		{{"--db", "a", "--db", "", NULL}, "--db is given twice, as 'a' and ''"},
		{{"-o", "x", "--output", "y", NULL}, "--output is given twice, as 'x'"},
		{{"-ox", "-qox", NULL}, NULL},
		{{"--json", "--format", "csv", NULL}, "--format is given twice"},
		{{"--format=text", "--json", NULL}, "as 'text' and 'json'"},
		{{"--format", "json", "--json", "--json", NULL}, NULL},
		{{"--gap", "2", "--gap", "3", NULL}, "--gap is given twice"},
		{{"--since", "0", "--since", "1", NULL}, "--since is given twice"},
		{{"--since", "1", "--until", "2", NULL}, NULL},
		{{"--ram-unit", "bytes", "--ram-unit", "kilobytes", NULL}, "'bytes'"},
		{{"--ram-unit", "bytes", "--gpu-ram-unit", "kilobytes", NULL}, NULL},
		{{"--time-unit", "hours", "--time-unit", "days", NULL}, "--time-unit"},
		{{"--gpus", "a,b", "--gpus", "c,d", NULL}, "--gpus is given twice"},
		{{"--expected-cores", "1", "--expected-cores", "2", NULL}, "'1' and"},
		{{"--tz", "UTC", "--tz", "+02:00", NULL}, "--tz is given twice"},
		{{"--metric", "a", "--metric", "b", NULL}, "--metric is given twice"},
		{{"--label", "a=1", "--label", "b=2", NULL}, NULL},
		{{"--where", "a=1", "--where", "b=2", NULL}, NULL},
		{{"--strict", "--strict", "-q", "-q", "-v", NULL}, NULL},
		{{"--rules", "a", "--", "--rules=b", NULL}, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct options opt;
		struct error err = {0};

		assert_int_equal(
			parse(&opt, cases[i].words, &err), cases[i].said ? -1 : 0);
		if (cases[i].said)
			assert_non_null(strstr(err.message, cases[i].said));
		options_release(&opt);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),
		cmocka_unit_test(spellings),
		cmocka_unit_test(labels),
		cmocka_unit_test(durations),
		cmocka_unit_test(one_value),
		cmocka_unit_test(end_of_options),
		cmocka_unit_test(error_messages),
		cmocka_unit_test(bad_seconds),
		cmocka_unit_test(units_and_counts),
		cmocka_unit_test(levels_and_cells),
		cmocka_unit_test(tools_have_so_many_options_at_most),
		cmocka_unit_test(metrics_are_found),
		cmocka_unit_test(bindings),
		cmocka_unit_test(every_binding_is_found),
		cmocka_unit_test(sources_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
