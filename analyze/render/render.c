/*
 * The table of our output formats. Must not know what any of them looks like.
 */
#include "render/render.h"

#include "render/formats.h"

#define ALL_RESULTS ((1u << RESULT_KINDS) - 1)

static const struct render_format formats[] = {
	{.name = "text",
		.help = "for people, at the width of the terminal",
		.write = text_write,
		.one_by_one = true,
		.columns = text_columns,
		.result = text_result,
		.results = ALL_RESULTS,
		.answer = text_answer},
	{.name = "json",
		.help = "one document, described by report.schema.json",
		.write = json_write,
		.one_by_one = true,
		.result = json_result,
		.results = ALL_RESULTS,
		.answer = json_answer},
	{.name = "ndjson",
		.help = "an object a line: runs, metrics, phases, work, diagnostics",
		.write = ndjson_write,
		.one_by_one = true,
		.answer = ndjson_answer},
	{.name = "csv",
		.help = "a row for each run, phase, device and metric, and for other "
			"numbers",
		.write = csv_write,
		.one_by_one = true,
		.result = csv_result,
		.results = 1u << RESULT_COMPARISON | 1u << RESULT_TRENDS,
		.answer = csv_answer},
	{.name = "markdown",
		.help = "the same as text for the page of a job, below 900 KiB",
		.write = markdown_write,
		.result = markdown_result,
		.results = ALL_RESULTS,
		.answer = markdown_answer},
	{.name = "html",
		.help = "one self-contained page for a browser",
		.write = html_write,
		.timelines = true,
		.compares = true,
		.result = html_result,
		.results = ALL_RESULTS},
	{.name = "svg",
		.help = "one run over time, as a picture",
		.write = svg_write,
		.timelines = true},
	{.name = "github",
		.help = "problems as GitHub workflow commands",
		.write = github_write,
		.result = github_result,
		.results = 1u << RESULT_GATE},
	{.name = "openmetrics",
		.help = "gauges of runs and of their GPUs, in base units",
		.write = openmetrics_write},
	{.name = "trace",
		.help = "a trace for Perfetto and chrome://tracing, with every sample",
		.write = trace_write,
		.one_by_one = true,
		.samples = true},
	{.name = "github-benchmark",
		.help = "numbers for github-action-benchmark, smaller is better",
		.write = benchmark_smaller_write},
	{.name = "github-benchmark-bigger",
		.help = "the same, bigger is better",
		.write = benchmark_bigger_write},
	{.name = "bencher",
		.help = "Bencher Metric Format, a benchmark a run",
		.write = bencher_write},
	{.name = "junit",
		.help = "gate: a test case for each rule and number",
		.result = junit_result,
		.results = 1u << RESULT_GATE},
	{.name = "rules",
		.help = "gate --calibrate: the rules with the measured noise, for "
			"--rules",
		.result = rules_result,
		.results = 1u << RESULT_CALIBRATION,
		.for_use = true},
};

const struct render_format *render_formats(size_t *count)
{
	*count = sizeof formats / sizeof formats[0];
	return formats;
}
