/*
 * A row belongs to a stretch if its time lies in it, and it is of the finding's GPU, or
 * of any if the finding is about several. Of a GPU's kinds of logs the first one counts,
 * as for the rule.
 */
#include "compute/inspect/stretch_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* A stretch, and the rows in it. */
struct window {
	int64_t from_ns, to_ns;
	struct finding_stretch *stretch;
	enum source_kind source; /* that the rows are of; SOURCE_NONE: there are none yet
				  */
	int64_t first_ns, last_ns;
	struct event_place first, last; /* files of the run that is read now */
};

/* Of a finding. */
struct windows {
	const struct rule *rule;
	const char *device; /* name; NULL: rows of all GPUs */
	struct window *at; /* [count] by their begin; owned */
	size_t count;
};

struct stretch_lines {
	struct sample_witness witness;
	const struct report *report;
	struct windows *of; /* [count] owned */
	size_t count;
};

static int by_begin(const void *a, const void *b)
{
	const struct window *x = a, *y = b;

	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

static size_t column_of(const struct sample_batch *batch, enum metric_id metric)
{
	for (size_t c = 0; c < batch->column_count; c++)
		if (batch->column[c].metric == metric)
			return c;
	return SIZE_MAX;
}

static bool has_value(const struct sample_batch *batch, enum metric_id metric, size_t row)
{
	size_t c = column_of(batch, metric);

	return c != SIZE_MAX && batch->column[c].presence[row] == PRESENCE_VALUE;
}

/* Can the rule's conditions be told of it? */
static bool tells(const struct rule *rule, const struct sample_batch *batch, size_t row)
{
	bool any = false;

	for (size_t i = 0; i < rule->row_count; i++) {
		const struct row_test *test = &rule->row[i];

		any |= has_value(batch, test->metric, row) &&
			(test->over == METRIC_none || has_value(batch, test->over, row));
		if (test->or_next)
			continue;
		if (!any && !test->unless)
			return false;
		any = false;
	}
	return true;
}

/* The last window that has begun, if it has not ended; NULL. */
static struct window *window_at(const struct windows *of, int64_t t_ns)
{
	size_t low = 0, high = of->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (of->at[middle].from_ns <= t_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low && of->at[low - 1].to_ns > t_ns ? &of->at[low - 1] : NULL;
}

static void take(struct window *window, const struct sample_batch *batch, size_t row)
{
	const struct event_place place = {batch->file, batch->line[row]};
	int64_t t_ns = batch->t_ns[row];
	bool anew = batch->source < window->source;

	if (batch->source > window->source)
		return;
	window->source = batch->source;
	if (anew || t_ns < window->first_ns) {
		window->first_ns = t_ns;
		window->first = place;
	}
	if (anew || t_ns >= window->last_ns) {
		window->last_ns = t_ns;
		window->last = place;
	}
}

static void add(
	struct sample_witness *witness, struct run *run, const struct sample_batch *batch)
{
	struct stretch_lines *lines = (struct stretch_lines *)witness;

	for (size_t row = 0; batch->timed && row < batch->rows; row++) {
		const struct device *device = &run->device[batch->device[row]];

		if (device->kind != DEVICE_GPU)
			continue;
		for (size_t i = 0; i < lines->count; i++) {
			const struct windows *of = &lines->of[i];
			struct window *window = window_at(of, batch->t_ns[row]);

			if (window &&
				(!of->device || strcmp(of->device, device->name) == 0) &&
				tells(of->rule, batch, row))
				take(window, batch, row);
		}
	}
}

static void again(struct sample_witness *witness, enum source_kind kind,
	const struct compute_window *window)
{
	struct stretch_lines *lines = (struct stretch_lines *)witness;

	for (size_t i = 0; i < lines->count; i++)
		for (size_t k = 0; k < lines->of[i].count; k++)
			if (window->set || lines->of[i].at[k].source == kind)
				lines->of[i].at[k].source = SOURCE_NONE;
}

static struct windows windows_of(const struct report *report, struct finding *finding)
{
	bool of_one =
		finding->device != FINDING_RUN && finding->rule->alone != ALONE_HOLDS_NOT;
	struct windows of = {finding->rule,
		of_one ? report->run->device[finding->device].name : NULL,
		xcalloc(finding->stretch_listed, sizeof *of.at), finding->stretch_listed};

	for (size_t i = 0; i < of.count; i++)
		of.at[i] = (struct window){.from_ns = finding->stretch[i].from_ns,
			.to_ns = finding->stretch[i].to_ns,
			.stretch = &finding->stretch[i],
			.source = SOURCE_NONE};
	qsort(of.at, of.count, sizeof *of.at, by_begin);
	return of;
}

struct stretch_lines *stretch_lines_new(struct report *report)
{
	struct stretch_lines *lines = xcalloc(1, sizeof *lines);

	lines->witness = (struct sample_witness){.add = add, .again = again};
	lines->report = report;
	lines->of = xcalloc(report->finding_count + 1, sizeof *lines->of);
	for (size_t i = 0; i < report->finding_count; i++)
		if (report->finding[i].stretch_listed)
			lines->of[lines->count++] =
				windows_of(report, &report->finding[i]);
	if (lines->count)
		return lines;
	stretch_lines_free(lines);
	return NULL;
}

void stretch_lines_free(struct stretch_lines *lines)
{
	if (!lines)
		return;
	for (size_t i = 0; i < lines->count; i++)
		free(lines->of[i].at);
	free(lines->of);
	free(lines);
}

struct sample_witness *stretch_lines_as_witness(struct stretch_lines *lines)
{
	return &lines->witness;
}

void stretch_lines_settle(struct stretch_lines *lines, const struct run *read)
{
	for (size_t i = 0; i < lines->count; i++)
		for (size_t k = 0; k < lines->of[i].count; k++) {
			const struct window *window = &lines->of[i].at[k];

			if (window->source == SOURCE_NONE)
				continue;
			window->stretch->first =
				run_place_in(lines->report->run, read, &window->first);
			window->stretch->last =
				run_place_in(lines->report->run, read, &window->last);
		}
}
