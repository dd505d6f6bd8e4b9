/*
 * The writers of all output formats, for the table in render.c. Private to render/;
 * all others call render_formats().
 */
#ifndef RENDER_FORMATS_H
#define RENDER_FORMATS_H

#include "render/render.h"

int text_write(const struct render_input *in, const struct render_options *opt, FILE *out,
	struct error *err);
size_t text_columns(const struct render_options *opt);
int json_write(const struct render_input *in, const struct render_options *opt, FILE *out,
	struct error *err);
int ndjson_write(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err);
int csv_write(const struct render_input *in, const struct render_options *opt, FILE *out,
	struct error *err);
int markdown_write(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err);
int html_write(const struct render_input *in, const struct render_options *opt, FILE *out,
	struct error *err);
int svg_write(const struct render_input *in, const struct render_options *opt, FILE *out,
	struct error *err);
int github_write(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err);
int openmetrics_write(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err);
int benchmark_smaller_write(const struct render_input *in,
	const struct render_options *opt, FILE *out, struct error *err);
int benchmark_bigger_write(const struct render_input *in,
	const struct render_options *opt, FILE *out, struct error *err);
int trace_write(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err);
int bencher_write(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err);

int text_result(const struct render_result *result, const struct render_options *opt,
	FILE *out, struct error *err);
int json_result(const struct render_result *result, const struct render_options *opt,
	FILE *out, struct error *err);
int csv_result(const struct render_result *result, const struct render_options *opt,
	FILE *out, struct error *err);
int markdown_result(const struct render_result *result, const struct render_options *opt,
	FILE *out, struct error *err);
int html_result(const struct render_result *result, const struct render_options *opt,
	FILE *out, struct error *err);
int github_result(const struct render_result *result, const struct render_options *opt,
	FILE *out, struct error *err);
int junit_result(const struct render_result *result, const struct render_options *opt,
	FILE *out, struct error *err);
int rules_result(const struct render_result *result, const struct render_options *opt,
	FILE *out, struct error *err);

int text_answer(struct answer *answer, const struct render_options *opt, FILE *out,
	struct error *err);
int json_answer(struct answer *answer, const struct render_options *opt, FILE *out,
	struct error *err);
int ndjson_answer(struct answer *answer, const struct render_options *opt, FILE *out,
	struct error *err);
int csv_answer(struct answer *answer, const struct render_options *opt, FILE *out,
	struct error *err);
int markdown_answer(struct answer *answer, const struct render_options *opt, FILE *out,
	struct error *err);

/* "format_version" of JSON and ndjson: major.minor, raised with the schema. */
#define RENDER_FORMAT_VERSION "2.0"

#endif
