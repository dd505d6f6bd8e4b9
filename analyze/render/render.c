/*
 * The table of output formats. Must not know what any of them looks like.
 */
#include "render/render.h"

#include <string.h>

#include "render/formats.h"

static const struct render_format formats[] = {
	{.name = "text",
		.help = "for people, at the width of the terminal",
		.write = text_write,
		.one_by_one = true,
		.columns = text_columns,
		.compare = text_compare,
		.gate = text_gate,
		.calibrate = text_calibrate,
		.selftest = text_selftest,
		.trend = text_trend,
		.answer = text_answer},
	{.name = "json",
		.help = "one document, described by report.schema.json",
		.write = json_write,
		.one_by_one = true,
		.compare = json_compare,
		.gate = json_gate,
		.calibrate = json_calibrate,
		.selftest = json_selftest,
		.trend = json_trend,
		.answer = json_answer},
	{.name = "ndjson",
		.help = "an object a line: runs, metrics, phases, work, diagnostics",
		.write = ndjson_write,
		.one_by_one = true,
		.answer = ndjson_answer},
	{.name = "csv",
		.help = "a row per run, phase, device and metric; per other number, too",
		.write = csv_write,
		.one_by_one = true,
		.compare = csv_compare,
		.trend = csv_trend,
		.answer = csv_answer},
	{.name = "markdown",
		.help = "the same as text for the page of a job, below 900 KiB",
		.write = markdown_write,
		.compare = markdown_compare,
		.gate = markdown_gate,
		.calibrate = markdown_calibrate,
		.selftest = markdown_selftest,
		.trend = markdown_trend,
		.answer = markdown_answer},
	{.name = "html",
		.help = "one page for a browser, which needs nothing but itself",
		.write = html_write,
		.timelines = true,
		.compares = true,
		.compare = html_compare,
		.gate = html_gate,
		.calibrate = html_calibrate,
		.selftest = html_selftest,
		.trend = html_trend},
	{.name = "svg",
		.help = "one run over time, as a picture of its own",
		.write = svg_write,
		.timelines = true},
	{.name = "github",
		.help = "what went wrong as GitHub's workflow commands",
		.write = github_write,
		.gate = github_gate},
	{.name = "openmetrics",
		.help = "gauges of runs and of their GPUs, in base units",
		.write = openmetrics_write},
	{.name = "trace",
		.help = "a trace for Perfetto and chrome://tracing, with every sample",
		.write = trace_write,
		.one_by_one = true,
		.samples = true},
	{.name = "github-benchmark",
		.help = "what is better smaller, for github-action-benchmark",
		.write = benchmark_smaller_write},
	{.name = "github-benchmark-bigger",
		.help = "what is better bigger, for the same",
		.write = benchmark_bigger_write},
	{.name = "bencher",
		.help = "Bencher Metric Format, a benchmark a run",
		.write = bencher_write},
	{.name = "junit",
		.help = "gate: a test case for each rule and number",
		.gate = junit_gate},
	{.name = "rules",
		.help = "gate --calibrate: the rules, with what is noise, for --rules",
		.calibrate = rules_calibrate,
		.for_use = true},
	{.name = "pytyche",
		.help = "pytyche's own object, an object a line",
		.write = pytyche_write,
		.one_by_one = true,
		.dialect = DIALECT_PYTYCHE},
	{.name = "calibrax",
		.help = "calibrax's own object, an object a line",
		.write = calibrax_write,
		.dialect = DIALECT_CALIBRAX},
	{.name = "gpu-tracker",
		.help = "gpu_tracker's own object, an object a line",
		.write = tracker_json_write,
		.dialect = DIALECT_GPU_TRACKER,
		.compare_tracker = tracker_json_compare},
	{.name = "gpu-tracker-text",
		.help = "the same as gpu_tracker's own text",
		.write = tracker_text_write,
		.dialect = DIALECT_GPU_TRACKER,
		.compare_tracker = tracker_text_compare},
	{.name = "jumper",
		.help = "JUmPER's levels, their limits and tags, an object a line",
		.write = jumper_json_write,
		.dialect = DIALECT_JUMPER},
	{.name = "jumper-text",
		.help = "the same as JUmPER's own report",
		.write = jumper_text_write,
		.dialect = DIALECT_JUMPER},
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
