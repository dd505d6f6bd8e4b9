/*
 * Fuzz target: the rules of a gate. Whatever the bytes were, they are refused in a
 * sentence that names a line, or judged, printed in every format, calibrated and tested;
 * and the rules that a calibration prints are the same rules.
 */
#include <math.h>

#include <cjson/cJSON.h>

#include "base/alloc.h"
#include "compute/compare/compare.h"
#include "compute/gate/gate.h"
#include "fuzz.h"
#include "render/render.h"
#include "rules/gate.h"

#define RUNS 10 /* half of them on each side */

/* A number of each part of a report, and a state. */
static const struct measure measures[] = {
	{.part = MEASURE_SUMMARY, .key = "duration_s", .unit = "s", .decimals = 1},
	{.part = MEASURE_SUMMARY, .key = "energy_j", .unit = "J"},
	{.part = MEASURE_WORK, .key = "units_per_s", .unit = "1/s", .work = "step"},
	{.part = MEASURE_PHASE, .key = "duration_s", .unit = "s", .phase = "train/step"},
	{.part = MEASURE_METRIC,
		.key = "power_w",
		.unit = "W",
		.statistic = "mean",
		.device = "gpu0",
		.source = "nvidia-query"},
	{.part = MEASURE_METRIC,
		.key = "power_w",
		.unit = "W",
		.statistic = "max",
		.device = "gpu1",
		.phase = "train",
		.source = "nvidia-dmon"},
	{.part = MEASURE_METRIC,
		.key = "pstate",
		.unit = "",
		.statistic = "share",
		.state = "P0",
		.device = "gpu0",
		.source = "nvidia-query"}};

static void make(struct comparison *comparison)
{
	struct comparing *comparing = compare_begin(comparison, RUNS, NULL, NULL);
	size_t count = sizeof measures / sizeof *measures;

	for (size_t i = 0; i < RUNS; i++) {
		struct measure measure[sizeof measures / sizeof *measures];
		double value[sizeof measures / sizeof *measures];
		char name[16];
		struct error err;

		snprintf(name, sizeof name, "r%zu", i);
		for (size_t k = 0; k < count; k++) {
			measure[k] = measures[k];
			measure[k].headline = true;
			value[k] = k == 1 && i == 7
				? (double)NAN
				: (double)(k * 50) + (double)(i * 7 % 11) / 10;
		}
		CHECK(compare_add_numbers(comparing, name, name,
			      i < RUNS / 2 ? SIDE_BASE : SIDE_NEW, measure, value, count,
			      &err) == 0);
	}
	compare_end(comparing);
}

/* To be freed; NULL: the format has none of it. */
static char *print(const struct render_format *format, const struct render_result *result)
{
	const struct render_options options = {.width = 80};
	struct error err;
	char *text = NULL;
	size_t len = 0;
	FILE *out;

	if (!render_has(format, result->kind))
		return NULL;
	out = open_memstream(&text, &len);
	CHECK(out);
	CHECK(format->result(result, &options, out, &err) == 0);
	CHECK(fclose(out) == 0);
	CHECK(strlen(text) == len);
	return text;
}

/* The same rules, but for min_abs. */
static void check_again(const struct gate_rules *rules, const char *json)
{
	struct gate_rules again;
	struct error err;

	CHECK(gate_rules_parse(&again, "again.json", json, &err) == 0);
	CHECK(again.count == rules->count);
	for (size_t i = 0; i < again.count; i++) {
		const struct gate_rule *a = &rules->rule[i], *b = &again.rule[i];

		for (enum gate_limit limit = 0; limit < GATE_LIMITS; limit++)
			CHECK(memcmp(&a->limit[limit], &b->limit[limit],
				      sizeof(double)) == 0 ||
				(isnan(a->limit[limit]) && isnan(b->limit[limit])) ||
				a->limit[limit] == b->limit[limit]);
		CHECK(b->min_abs >= a->min_abs);
		CHECK(a->exact == b->exact && a->warn == b->warn);
		CHECK(strcmp(a->name, b->name) == 0);
		CHECK(strcmp(a->metric, b->metric) == 0);
	}
	gate_rules_release(&again);
}

static void print_all(const struct gate_rules *rules, const struct render_result *result)
{
	size_t count;
	const struct render_format *formats = render_formats(&count);

	for (size_t i = 0; i < count; i++) {
		char *text = print(&formats[i], result);
		cJSON *json = NULL;

		if (text && strcmp(formats[i].name, "json") == 0) {
			json = cJSON_Parse(text);
			CHECK(cJSON_IsObject(json));
		}
		if (text && formats[i].for_use)
			check_again(rules, text);
		cJSON_Delete(json);
		free(text);
	}
}

static void judge(const struct gate_rules *rules)
{
	struct comparison comparison = COMPARISON_INIT;
	struct gate gate = GATE_INIT;
	struct calibration calibration = CALIBRATION_INIT;
	struct selftest test = SELFTEST_INIT;
	const struct render_result printed[] = {{RESULT_GATE, .gate = &gate},
		{RESULT_CALIBRATION, .calibration = &calibration},
		{RESULT_SELFTEST, .selftest = &test}};

	make(&comparison);
	gate_complete(&comparison, rules);
	gate_judge(&gate, rules, &comparison, NULL, 0);
	calibrate(&calibration, rules, &comparison);
	selftest(&test, rules, &comparison);
	CHECK(gate.count >= rules->count && calibration.count == gate.count);
	CHECK(test.count >= gate.count);
	for (size_t i = 0; i < sizeof printed / sizeof *printed; i++)
		print_all(rules, &printed[i]);
	selftest_release(&test);
	calibration_release(&calibration);
	gate_release(&gate);
	comparison_release(&comparison);
}

/* "f:LINE: ..." */
static void check_refusal(const char *message, const char *json)
{
	size_t lines = 1;

	for (const char *c = json; *c; c++)
		lines += *c == '\n';
	CHECK(strncmp(message, "f:", 2) == 0);
	CHECK(strtoul(message + 2, NULL, 10) >= 1);
	CHECK(strtoul(message + 2, NULL, 10) <= lines);
	CHECK(strstr(message, "expected"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *json = xstrndup((const char *)data, size);
	struct gate_rules rules;
	struct error err = {""};

	if (gate_rules_parse(&rules, "f", json, &err) == 0)
		judge(&rules);
	else
		check_refusal(err.message, json);
	gate_rules_release(&rules);
	free(json);
	return 0;
}
