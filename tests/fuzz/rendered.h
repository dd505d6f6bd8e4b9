/*
 * A report in every format: whatever the bytes of its logs were, it can be written.
 */
#ifndef FUZZ_RENDERED_H
#define FUZZ_RENDERED_H

#include <cjson/cJSON.h>
#include <math.h>

#include "cmd/formats.h"
#include "foreign/shared.h"
#include "fuzz.h"
#include "render/render.h"

/* Every format can be written, and the JSON is JSON. */
static inline void fuzz_render(const struct report *report)
{
	const struct render_options options = {.width = 80, .verbose = 1};
	const struct render_input input = {.report = report, .report_count = 1};
	const struct render_format *format;

	for (size_t i = 0; (format = output_nth(i)); i++) {
		struct error err;
		char *text = NULL;
		size_t len = 0;
		FILE *out;

		if (!format->write)
			continue;
		out = open_memstream(&text, &len);
		CHECK(out);
		CHECK(format->write(&input, &options, out, &err) == 0 ||
			(refusal_of(report) && format->tool) ||
			(format->timelines && !report->timeline));
		CHECK(fclose(out) == 0);
		CHECK(strlen(text) == len);
		if (strcmp(format->name, "json") == 0) {
			cJSON *json = cJSON_Parse(text);

			CHECK(cJSON_IsObject(json));
			cJSON_Delete(json);
		}
		free(text);
	}
}

static inline double slack(double x)
{
	return 1e-9 * fmax(fabs(x), 1);
}

/* What is drawn stands in its columns, and in order. */
static inline void fuzz_check_timeline(const struct timeline *t)
{
	CHECK(t->from_ns < t->to_ns && t->grid_ns <= t->from_ns && t->step_ns > 0);
	CHECK(t->columns && t->series_count);
	CHECK(timeline_place(t, t->to_ns) <= (double)t->columns * (1 + 1e-9));
	for (size_t i = 0; i < t->series_count; i++) {
		const struct timeline_series *s = &t->series[i];
		size_t values = 0;

		for (size_t c = 0; c < t->columns; c++) {
			const struct timeline_column *column = &s->column[c];

			if (isnan(column->min))
				continue;
			CHECK(values++ || !column->joined);
			CHECK(s->min <= column->min && column->max <= s->max);
			CHECK(column->min <= column->max);
			CHECK(column->mean >= column->min - slack(column->min));
			CHECK(column->mean <= column->max + slack(column->max));
		}
		CHECK(values);
	}
	for (size_t i = 0; i < t->mark_count; i++)
		CHECK(t->mark[i].from < t->mark[i].to && t->mark[i].to <= t->columns);
}

#endif
