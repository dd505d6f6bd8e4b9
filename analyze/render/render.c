/*
 * The table of output formats. Must not know what any of them looks like.
 */
#include "render/render.h"

#include <string.h>

#include "render/formats.h"

static const struct render_format formats[] = {
	{"text", "for people, at the width of the terminal", text_write, DIALECT_NONE,
		text_compare, NULL},
	{"json", "one document, described by report.schema.json", json_write,
		DIALECT_NONE, json_compare, NULL},
	{"ndjson", "an object a line: runs, metrics, phases, work, diagnostics",
		ndjson_write, DIALECT_NONE, NULL, NULL},
	{"csv", "a row per run, device and metric", csv_write, DIALECT_NONE, csv_compare,
		NULL},
	{"markdown", "the same as text for the page of a job, below 900 KiB",
		markdown_write, DIALECT_NONE, markdown_compare, NULL},
	{"github", "what went wrong as GitHub's workflow commands", github_write,
		DIALECT_NONE, NULL, NULL},
	{"openmetrics", "gauges of runs and of their GPUs, in base units",
		openmetrics_write, DIALECT_NONE, NULL, NULL},
	{"github-benchmark", "what is better smaller, for github-action-benchmark",
		benchmark_smaller_write, DIALECT_NONE, NULL, NULL},
	{"github-benchmark-bigger", "what is better bigger, for the same",
		benchmark_bigger_write, DIALECT_NONE, NULL, NULL},
	{"bencher", "Bencher Metric Format, a benchmark a run", bencher_write,
		DIALECT_NONE, NULL, NULL},
	{"pytyche", "pytyche's own object, an object a line", pytyche_write,
		DIALECT_PYTYCHE, NULL, NULL},
	{"gpu-tracker", "gpu_tracker's own object, an object a line", tracker_json_write,
		DIALECT_GPU_TRACKER, NULL, tracker_json_compare},
	{"gpu-tracker-text", "the same as gpu_tracker's own text", tracker_text_write,
		DIALECT_GPU_TRACKER, NULL, tracker_text_compare},
};

const struct render_format *render_find(const char *name)
{
	for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	return NULL;
}

const struct render_format *render_formats(size_t *count)
{
	*count = sizeof formats / sizeof formats[0];
	return formats;
}

int render_check(FILE *out, const char *format, struct error *err)
{
	if (ferror(out))
		return error_set(err, "the output (format %s) can't be written", format);
	return 0;
}
