/*
 * Rows from reports: a table of measures that is filled run by run. What all runs tell
 * together, compare_end.c works out.
 */
#include "compute/compare/compare.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "compute/compare/comparing.h"
#include "compute/report/fate.h"

struct comparing *compare_begin(
	struct comparison *out, size_t runs_most, compare_wanted *wanted, void *context)
{
	struct comparing *c = xcalloc(1, sizeof *c);

	*c = (struct comparing){
		.out = out, .runs_most = runs_most, .wanted = wanted, .context = context};
	out->chosen = wanted != NULL;
	return c;
}

void compare_leave_undone(struct comparing *comparing)
{
	comparing->leaves_undone = true;
}

void compare_sample_base(struct comparing *comparing)
{
	comparing->base_is_sample = true;
}

static size_t add_row(struct comparing *c, const struct measure *measure, uint64_t hash)
{
	struct comparison *out = c->out;
	struct comparison_row *row;

	ALLOC_GROW(out->row, out->row_count + 1, out->row_cap);
	row = &out->row[out->row_count++];
	*row = (struct comparison_row){.measure = measure_copy(measure),
		.value = xcalloc(c->runs_most, sizeof *row->value),
		.covered = xcalloc(c->runs_most, sizeof *row->covered)};
	for (size_t i = 0; i < c->runs_most; i++) {
		row->value[i] = NAN;
		row->covered[i].coverage = NAN;
	}
	return lookup_add(&c->rows, hash);
}

static size_t find_row(struct comparing *c, const struct measure *measure)
{
	uint64_t hash = measure_hash(measure);

	for (size_t at = lookup_first(&c->rows, hash); at != LOOKUP_NONE;
		at = lookup_next(&c->rows, at))
		if (measure_same(&c->out->row[at].measure, measure))
			return at;
	return add_row(c, measure, hash);
}

/* Metrics of devices in phases are too many for who did not ask for them. */
static bool is_wanted(const struct comparing *c, const struct measure *measure)
{
	if (c->wanted)
		return c->wanted(c->context, measure);
	return measure->headline && !(measure->part == MEASURE_METRIC && measure->phase);
}

/* The first of several numbers of one measure counts. */
static void take(void *context, const struct measure *measure, double value,
	const struct covered *covered)
{
	struct comparing *c = context;
	size_t run = c->out->run_count - 1, nth;
	struct comparison_row *row;

	if (!isfinite(value) || !is_wanted(c, measure))
		return;
	nth = find_row(c, measure);
	row = &c->out->row[nth];
	if (!isnan(row->value[run]))
		return;
	row->covered[run] = *covered;
	row->value[run] = value;
}

/* -1: it can't be added; 1: it is there already. */
static int meet(const struct comparing *c, const struct compared_run *run,
	const struct run_identity *own, struct error *err)
{
	struct comparison *out = c->out;

	for (size_t i = 0; i < out->run_count; i++) {
		const struct compared_run *other = &out->run[i];
		const struct run_identity *its = &c->identity[i];
		bool same = run_identity_same(its, own) ||
			(run_identity_same_logs(its, own) &&
				other->fate.kind == run->fate.kind);

		if (same && other->side != run->side)
			return error_set(err,
				"%s and %s are the same run; expected it on one side",
				other->name, run->name);
		if (same) {
			comparison_remark(out,
				"%s and %s are the same run, which counts once",
				other->name, run->name);
			return 1;
		}
		if (strcmp(other->name, run->name) == 0)
			return error_set(err,
				"two runs are called %s; expected NAME=RUN for one of "
				"them",
				run->name);
	}
	return 0;
}

/* One more run, whose strings are copied; as meet. */
static int begin_run(struct comparing *c, const struct compared_run *run,
	const struct run_identity *identity, struct error *err)
{
	struct comparison *out = c->out;
	int met = meet(c, run, identity, err);
	struct compared_run *added;

	if (met)
		return met;
	assert(out->run_count < c->runs_most);
	ALLOC_GROW(out->run, out->run_count + 1, out->run_cap);
	ALLOC_GROW(c->identity, out->run_count + 1, c->identity_cap);
	added = &out->run[out->run_count++];
	*added = *run;
	added->name = xstrdup(run->name);
	added->key = xstrdup(run->key);
	c->identity[out->run_count - 1] = *identity;
	c->identity[out->run_count - 1].key = added->key;
	if (run->side != SIDES)
		out->on_side[run->side]++;
	return 0;
}

static void leave_out(struct comparison *out, const char *name, const struct fate *fate)
{
	struct strbuf text;

	strbuf_init(&text);
	strbuf_addf(&text, "%s (", name);
	fate_say(&text, fate);
	strbuf_addc(&text, ')');
	ALLOC_GROW(out->left_out, out->left_out_count + 1, out->left_out_cap);
	out->left_out[out->left_out_count++] = strbuf_detach(&text);
}

int compare_add(struct comparing *c, const char *name, enum side side,
	const struct report *report, struct error *err)
{
	struct fate fate = fate_of(report->run);
	struct run_identity identity = run_identity(report->run);
	const struct compared_run run = {.name = (char *)name,
		.key = report->run->key,
		.side = side,
		.duration_s = report->duration_s,
		.grade = report->evidence.grade,
		.unranked = report->evidence.grade == 'F' &&
			report->evidence.device_count > 0,
		.fate = fate};
	int met;

	if (fate.kind != FATE_WHOLE && c->leaves_undone && side != SIDE_NEW) {
		leave_out(c->out, name, &fate);
		phases_add(c, report, name);
		fate_release(&fate);
		return 0;
	}
	met = begin_run(c, &run, &identity, err);
	if (met) {
		fate_release(&fate);
		return met < 0 ? -1 : 0;
	}
	c->out->run[c->out->run_count - 1].outline = outline_make(report);
	measures_of(report, take, c);
	compare_work_add(c, report);
	circumstances_add(c, report);
	sources_add(c, report);
	gpus_add(c, report);
	phases_add(c, report, NULL);
	waterfall_add(c, report);
	return 0;
}

int compare_add_numbers(struct comparing *c, const char *name, const char *key,
	enum side side, const struct measure *measure, const double *value, size_t count,
	struct error *err)
{
	const struct compared_run run = {.name = (char *)name,
		.key = (char *)key,
		.side = side,
		.duration_s = NAN};
	const struct run_identity identity = {.key = key, .named = true};
	int met = begin_run(c, &run, &identity, err);

	if (met)
		return met < 0 ? -1 : 0;
	for (size_t i = 0; i < count; i++)
		take(c, &measure[i], value[i], &(struct covered){.coverage = NAN});
	waterfall_add(c, NULL);
	return 0;
}
