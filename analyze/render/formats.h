/*
 * The writers of all output formats, for the table in render.c. Private to render/;
 * all others call render_formats().
 */
#ifndef RENDER_FORMATS_H
#define RENDER_FORMATS_H

#include "render/render.h"

render_write text_write;
render_write json_write;
render_write ndjson_write;
render_write csv_write;
render_write markdown_write;
render_write html_write;
render_write svg_write;
render_write github_write;
render_write openmetrics_write;
render_write benchmark_smaller_write;
render_write benchmark_bigger_write;
render_write trace_write;
render_write bencher_write;

render_write_result text_result;
render_write_result json_result;
render_write_result csv_result;
render_write_result markdown_result;
render_write_result html_result;
render_write_result github_result;
render_write_result junit_result;
render_write_result rules_result;

render_write_answer text_answer;
render_write_answer json_answer;
render_write_answer ndjson_answer;
render_write_answer csv_answer;
render_write_answer markdown_answer;

size_t text_columns(const struct render_options *opt);

/* "format_version" of JSON and ndjson: major.minor, raised with the schema. */
#define RENDER_FORMAT_VERSION "2.0"

#endif
