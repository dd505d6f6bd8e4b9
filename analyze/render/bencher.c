/*
 * Bencher Metric Format: an object of benchmarks, each an object of measures. A run is
 * a benchmark; a summary key that can get better or worse is a measure, its name as a
 * slug (energy-j). Bencher's thresholds say which direction is better. Unknown values
 * are left out.
 *
 * Bencher recognizes a benchmark by its name. A single run is named "hwsummarize",
 * whatever its path; several runs are named by their paths.
 */
#include <math.h>

#include "render/formats.h"
#include "render/json_writer.h"
#include "render/run_names.h"

#define NAME_COLUMNS 200 /* Bencher takes 1024 characters */

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
