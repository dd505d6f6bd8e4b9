/*
 * Benchmarks for other services: the summary keys that can get better or worse, of each
 * run. Unknown values are left out, as there is no null. Services recognize a number by
 * its name, so that a run alone is not named by its path; several runs are.
 *
 * github-action-benchmark reads an array as customSmallerIsBetter or
 * customBiggerIsBetter (src/extract.ts). All entries of a file have one direction, so
 * there are two formats.
 *
 * Bencher Metric Format is an object of benchmarks, each an object of measures. A run is
 * a benchmark, a key a measure, its name as a slug (energy-j). Bencher's thresholds say
 * which direction is better.
 */
#include <math.h>

#include "render/formats.h"
#include "render/json_writer.h"
#include "render/run_names.h"

/* github-action-benchmark shows it in tables, between backticks; Bencher takes 1024
 * characters. */
#define NAME_COLUMNS 200

static void add_entry(struct json_writer *w, const struct report *report, const char *run,
	enum summary_key key)
{
	const struct summary_field *field = summary_field_get(key);
	struct strbuf name = strbuf_new(), extra = strbuf_new();

	if (run)
		strbuf_addf(&name, "%s: ", run);
	strbuf_adds(&name, field->name);
	strbuf_addf(&extra, "%s, grade %c", field->title, report->evidence.grade);
	json_object(w, NULL);
	json_string(w, "name", name.text);
	json_string(w, "unit", field->unit);
	json_number(w, "value", report->summary[key].number);
	json_string(w, "extra", extra.text);
	json_close(w);
	strbuf_release(&name);
	strbuf_release(&extra);
}

static void write_entries(const struct render_input *in, enum direction better, FILE *out)
{
	char **names = run_names_make(in, NAME_COLUMNS);
	struct json_writer w;

	json_init(&w, out, JSON_PRETTY);
	json_array(&w, NULL);
	for (size_t i = 0; i < in->report_count; i++)
		for (enum summary_key key = 0; key < SUMMARY_COUNT; key++)
			if (summary_better(key) == better &&
				isfinite(in->report[i].summary[key].number))
				add_entry(&w, &in->report[i],
					in->report_count > 1 ? names[i] : NULL, key);
	json_close(&w);
	json_finish(&w);
	run_names_free(names, in->report_count);
}

int benchmark_smaller_write(const struct render_input *in,
	const struct render_options *opt, FILE *out, struct error *err)
{
	(void)opt;
	write_entries(in, BETTER_LOWER, out);
	return render_check(out, "github-benchmark", err);
}

int benchmark_bigger_write(const struct render_input *in,
	const struct render_options *opt, FILE *out, struct error *err)
{
	(void)opt;
	write_entries(in, BETTER_HIGHER, out);
	return render_check(out, "github-benchmark-bigger", err);
}

static void add_measure(struct json_writer *w, enum summary_key key, double number)
{
	struct strbuf slug = strbuf_new();

	strbuf_adds(&slug, summary_field_get(key)->name);
	for (char *c = slug.text; *c; c++)
		if (*c == '_')
			*c = '-';
	json_object(w, slug.text);
	json_number(w, "value", number);
	json_close(w);
	strbuf_release(&slug);
}

static void add_run(struct json_writer *w, const struct report *report, const char *name)
{
	json_object(w, name);
	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++) {
		double number = report->summary[key].number;

		if (summary_better(key) != BETTER_NEITHER && isfinite(number))
			add_measure(w, key, number);
	}
	json_close(w);
}

int bencher_write(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err)
{
	char **names = run_names_make(in, NAME_COLUMNS);
	struct json_writer w;

	(void)opt;
	json_init(&w, out, JSON_PRETTY);
	json_object(&w, NULL);
	for (size_t i = 0; i < in->report_count; i++)
		add_run(&w, &in->report[i],
			in->report_count > 1 ? names[i] : "hwsummarize");
	json_close(&w);
	json_finish(&w);
	run_names_free(names, in->report_count);
	return render_check(out, "bencher", err);
}
