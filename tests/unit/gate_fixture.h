/*
 * Gates made by hand: rules as JSON, and rows of numbers that runs on two sides have. NAN
 * is a number that a run has not.
 */
#ifndef UNIT_GATE_FIXTURE_H
#define UNIT_GATE_FIXTURE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "compute/compare/compare.h"
#include "compute/gate/gate.h"
#include "rules/gate.h"

/* The values of all runs, the base's first. */
#define ROW(...) ((const double[]){__VA_ARGS__})

/* Behind the limits of a rule. */
#define EXACT ", \"assume\": \"exact\""

struct made_gate {
	struct gate_rules rules;
	struct comparison comparison;
	struct gate gate;
};

/* rules: what stands between the brackets of "rules". */
static inline void gate_make(
	struct made_gate *made, const char *rules, size_t base, size_t new)
{
	struct comparison *comparison = &made->comparison;
	struct strbuf json;
	struct error err;
	char name[32];

	*made = (struct made_gate){GATE_RULES_INIT, COMPARISON_INIT, GATE_INIT};
	strbuf_init(&json);
	strbuf_addf(&json, "{\"format_version\": \"1.0\", \"rules\": [%s]}", rules);
	if (gate_rules_parse(&made->rules, "rules.json", json.text, &err) < 0)
		fail_msg("%s", err.message);
	strbuf_release(&json);
	comparison->level = 0.05;
	comparison->run = xcalloc(base + new + 1, sizeof *comparison->run);
	comparison->on_side[SIDE_BASE] = base;
	comparison->on_side[SIDE_NEW] = new;
	for (size_t i = 0; i < base + new; i++) {
		snprintf(name, sizeof name, "%s%zu", i < base ? "base" : "new",
			i < base ? i : i - base);
		comparison->run[comparison->run_count++] =
			(struct compared_run){.name = xstrdup(name),
				.key = xstrdup(name),
				.side = i < base ? SIDE_BASE : SIDE_NEW};
	}
}

/* A row of the values of all runs, the base's first. */
static inline struct comparison_row *gate_row(
	struct made_gate *made, struct measure measure, const double *value)
{
	struct comparison *comparison = &made->comparison;
	struct comparison_row *row;

	ALLOC_GROW(comparison->row, comparison->row_count + 1, comparison->row_cap);
	row = &comparison->row[comparison->row_count++];
	*row = (struct comparison_row){.measure = measure_copy(&measure),
		.value = xcalloc(comparison->run_count + 1, sizeof *row->value),
		.best = SIZE_MAX};
	memcpy(row->value, value, comparison->run_count * sizeof *value);
	contrast_row(row, comparison->run, comparison->run_count);
	return row;
}

static inline struct measure of_run(const char *key)
{
	return (struct measure){.part = MEASURE_SUMMARY,
		.key = key,
		.unit = "s",
		.decimals = 1,
		.better = BETTER_LOWER};
}

static inline struct measure of_phase(const char *key, const char *phase)
{
	return (struct measure){.part = MEASURE_PHASE,
		.key = key,
		.phase = phase,
		.unit = "s",
		.decimals = 1,
		.better = BETTER_LOWER};
}

static inline struct measure of_device(
	const char *key, const char *statistic, const char *device)
{
	return (struct measure){.part = MEASURE_METRIC,
		.key = key,
		.statistic = statistic,
		.device = device,
		.source = "nvidia-query",
		.unit = "%",
		.decimals = 1,
		.better = BETTER_HIGHER};
}

/* How much of its time a run's value of the last row is of, and what that leaves open. */
static inline void gate_cover(
	struct made_gate *made, size_t run, double coverage, unsigned doubt)
{
	struct comparison *comparison = &made->comparison;
	struct comparison_row *row = &comparison->row[comparison->row_count - 1];

	if (!row->covered)
		row->covered = xcalloc(comparison->run_count, sizeof *row->covered);
	row->covered[run] = (struct covered){.coverage = coverage, .doubt = doubt};
}

static inline void gate_decide(struct made_gate *made)
{
	gate_release(&made->gate);
	gate_judge(&made->gate, &made->rules, &made->comparison, NULL, 0);
}

static inline void gate_unmake(struct made_gate *made)
{
	gate_release(&made->gate);
	comparison_release(&made->comparison);
	gate_rules_release(&made->rules);
}

static inline void assert_gate(
	const struct made_gate *made, size_t nth, enum gate_cause cause, const char *why)
{
	const struct gate_result *result = &made->gate.result[nth];

	if (nth >= made->gate.count)
		fail_msg("there are %zu results", made->gate.count);
	if (result->cause != cause)
		fail_msg("%s, not %s: %s", gate_cause_name(result->cause),
			gate_cause_name(cause), result->why);
	if (why && !strstr(result->why, why))
		fail_msg("'%s' does not say '%s'", result->why, why);
}

#endif
