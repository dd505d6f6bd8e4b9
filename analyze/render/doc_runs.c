/*
 * Many runs at a glance: what most of them suffer from, and a row for each. Must not
 * judge.
 */
#include "render/doc_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/quantity.h"
#include "model/finding.h"
#include "model/run.h"
#include "render/doc_findings.h"
#include "render/run_names.h"

struct run_row {
	char *name; /* owned */
	char *problem, *called; /* owned: by id, by title; NULL: none */
	double duration_s, gpu_util_pct, cpu_busy_pct, energy_j;
	size_t gpus;
	char grade;
	bool faulty, damaged; /* has a problem; parts of its logs are */
	enum doc_tone tone, grade_tone;
};

struct run_problem {
	char *title; /* owned */
	size_t runs;
};

static void count_problem(struct runs_table *table, const char *title)
{
	for (size_t i = 0; i < table->problems; i++)
		if (strcmp(table->problem[i].title, title) == 0) {
			table->problem[i].runs++;
			return;
		}
	ALLOC_GROW(table->problem, table->problems + 1, table->problems_cap);
	table->problem[table->problems++] = (struct run_problem){xstrdup(title), 1};
}

void runs_table_add(struct runs_table *table, const struct report *report)
{
	struct problem problem = {.number = 0};
	struct strbuf id = strbuf_new(), title = strbuf_new();
	struct run_row *row;

	if (!table->count || report->checks_ran < table->checks_ran) {
		table->checks = report->checks;
		table->checks_ran = report->checks_ran;
	}
	ALLOC_GROW(table->row, table->count + 1, table->cap);
	row = &table->row[table->count++];
	*row = (struct run_row){.name = run_name(report->run),
		.duration_s = report->duration_s,
		.gpu_util_pct = report->summary[SUMMARY_gpu_util_mean_pct].number,
		.cpu_busy_pct = report->summary[SUMMARY_cpu_busy_mean_pct].number,
		.energy_j = report->summary[SUMMARY_energy_j].number,
		.gpus = report_gpu_count(report),
		.grade = report->evidence.grade,
		.damaged = doc_is_damaged(report->run),
		.grade_tone = doc_grade_tone(report)};
	while (problem_next(report, &problem)) {
		const struct rule *rule = report->finding[problem.from].rule;

		count_problem(table, rule->title);
		row->faulty = true;
		if (problem.number > 1)
			continue;
		strbuf_adds(&id, rule->id);
		strbuf_adds(&title, rule->title);
		row->tone = rule->severity == SEVERITY_BAD ? TONE_BAD : TONE_WARN;
	}
	if (problem.number > 1) {
		strbuf_addf(&id, " +%zu", problem.number - 1);
		strbuf_addf(&title, " and %zu more", problem.number - 1);
	}
	if (!row->faulty && row->grade != 'F' && report->checks &&
		doc_unclear(&title, report)) {
		strbuf_adds(&id, "not known");
		if (!table->unclear++)
			table->why = xstrdup(title.text);
	}
	if (row->damaged) {
		strbuf_adds(&id, id.len ? ", damage" : "damage");
		strbuf_adds(&title, title.len ? ", damaged logs" : "damaged logs");
		row->tone = TONE_BAD;
		table->damaged++;
	}
	row->problem = id.len ? strbuf_detach(&id) : NULL;
	row->called = title.len ? strbuf_detach(&title) : NULL;
	strbuf_release(&id);
	strbuf_release(&title);
}

void runs_table_release(struct runs_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		free(table->row[i].name);
		free(table->row[i].problem);
		free(table->row[i].called);
	}
	for (size_t i = 0; i < table->problems; i++)
		free(table->problem[i].title);
	free(table->row);
	free(table->problem);
	free(table->why);
	*table = (struct runs_table){.count = 0};
}

/* "Problems or warnings in 6 of 10 runs, most often: A GPU was lost (2 runs)." */
static void add_lead(struct doc *doc, const struct runs_table *table)
{
	const struct run_problem *most = NULL;
	enum doc_tone tone = TONE_PLAIN;
	size_t runs = 0, unreliable = 0;
	struct strbuf *text;

	for (size_t i = 0; i < table->count; i++) {
		const struct run_row *row = &table->row[i];

		runs += row->faulty;
		unreliable += row->grade_tone == TONE_BAD;
		tone = row->tone > tone ? row->tone : tone;
	}
	for (size_t i = 0; i < table->problems; i++)
		if (!most || table->problem[i].runs > most->runs)
			most = &table->problem[i];
	doc_begin(doc, DOC_LEAD)->follows = true;
	text = doc_write(doc);
	if (most)
		strbuf_addf(text,
			"Problems or warnings in %zu of %zu runs, most often: %s "
			"(%zu run%s).",
			runs, table->count, most->title, most->runs,
			most->runs == 1 ? "" : "s");
	else if (table->unclear)
		strbuf_addf(text,
			"Not known whether all is well in %zu of %zu runs%s: %s.",
			table->unclear, table->count, table->unclear > 1 ? ", first" : "",
			table->why);
	else if (!unreliable && !table->damaged && table->checks)
		strbuf_addf(text,
			"No problem found in %zu runs (in each, at least %zu of %zu "
			"checks "
			"ran).",
			table->count, table->checks_ran, table->checks);
	if (unreliable)
		strbuf_addf(text, "%s%zu recording%s not reliable (grade F).",
			text->len ? " " : "", unreliable,
			unreliable == 1 ? " is" : "s are");
	if (table->damaged)
		strbuf_addf(text, "%sParts of the logs of %zu run%s are damaged.",
			text->len ? " " : "", table->damaged,
			table->damaged == 1 ? "" : "s");
	/* A recording that is not reliable, or not whole, proves nothing. */
	if (unreliable && !table->damaged && unreliable < table->count && !most &&
		!table->unclear)
		strbuf_addf(text, " No problem found in the other %zu.",
			table->count - unreliable);
	doc_last(doc)->tone = unreliable ? TONE_BAD : tone;
}

/* What has no room is left out from the right. */
enum {
	RUN,
	GRADE,
	TIME,
	GPU_UTIL,
	BAR,
	ENERGY,
	CPU,
	GPUS,
	PROBLEM,
	COLUMNS
};

static void add_row(
	struct doc *doc, const struct run_row *row, size_t parts, size_t number)
{
	struct doc_cell *cell = doc_text(doc, name_tail(row->name, parts));

	cell->path = true;
	cell->run = number;
	doc_textf(doc, "%c", row->grade)->tone = row->grade_tone;
	quantity_span(doc_write(doc), row->duration_s);
	doc_number(doc, row->gpu_util_pct, 1);
	doc_bar(doc, NAN, row->gpu_util_pct / 100, NAN);
	doc_number(doc, row->energy_j, 0);
	doc_number(doc, row->cpu_busy_pct, 1);
	/* Whether there was a GPU that no log has is not known. */
	doc_number(doc, row->gpus ? (double)row->gpus : NAN, 0);
	if (!row->problem) {
		doc_blank(doc);
		return;
	}
	cell = doc_text(doc, row->problem);
	cell->tone = row->tone;
	cell->called = xstrdup(row->called);
}

void doc_runs(
	struct doc *doc, const struct runs_table *table, const struct render_options *opt)
{
	static const struct doc_column columns[COLUMNS] = {
		[RUN] = {"run", "", DOC_LEFT, true},
		[GRADE] = {"grade", "", DOC_LEFT, false},
		[TIME] = {"time", "", DOC_RIGHT, false},
		[GPU_UTIL] = {"GPU util", "%", DOC_RIGHT, false},
		[BAR] = {"", "", DOC_BAR, false},
		[ENERGY] = {"energy", "J", DOC_SPARE, false},
		[CPU] = {"CPU busy", "%", DOC_SPARE, false},
		[GPUS] = {"GPUs", "", DOC_SPARE, false},
		[PROBLEM] = {"problem", "", DOC_LEFT, false},
	};
	bool shown[COLUMNS] = {[RUN] = true,
		[TIME] = true,
		[GRADE] = true,
		[PROBLEM] = table->problems || table->damaged || table->unclear};
	char title[32];
	size_t parts, folder;

	for (size_t i = 0; i < table->count; i++) {
		shown[GPUS] |= table->row[i].gpus != table->row[0].gpus;
		shown[GPU_UTIL] |= !isnan(table->row[i].gpu_util_pct);
		shown[CPU] |= !table->row[i].gpus && !isnan(table->row[i].cpu_busy_pct);
		shown[ENERGY] |= !isnan(table->row[i].energy_j);
	}
	shown[BAR] = shown[GPU_UTIL] && doc->folds; /* a terminal has no room */
	parts = names_parts(&table->row->name, table->count, sizeof *table->row);
	folder = names_folder(&table->row->name, table->count, sizeof *table->row, parts);
	snprintf(title, sizeof title, "%zu runs", table->count);
	doc_heading(doc, 1, title);
	if (folder)
		doc_textf(doc, "in %.*s", (int)folder, table->row->name);
	add_lead(doc, table);
	doc_table_of(doc, columns, shown, COLUMNS);
	for (size_t i = 0; i < table->count; i++)
		add_row(doc, &table->row[i], parts, i + 1);
	if (doc->brief && opt->verbose >= 0) {
		doc_begin(doc, DOC_NOTES)->follows = true;
		strbuf_adds(doc_note(doc),
			"hwsummarize RUN shows one run in full; -v shows all of them.");
	}
}
