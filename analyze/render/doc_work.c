/*
 * Units of work as a table: how many, how fast, what each took. Must not compute: it only
 * chooses how many digits a number needs.
 */
#include <math.h>

#include "render/doc_run.h"

/* Three digits that say something, of numbers that may be a millionth or a million. */
static struct doc_cell *add_rate(struct doc *doc, double x)
{
	double size = fabs(x);
	int decimals = 1;

	for (double least = 10; decimals < 6 && size > 0 && size < least; least /= 10)
		decimals++;
	return doc_number(doc, x, size >= 1000 ? 0 : decimals);
}

static void add_note(struct doc *doc, const struct work *work)
{
	switch (work->n_is) {
	case WORK_NO_NUMBER:
	case WORK_COUNT:
		doc_blank(doc);
		break;
	case WORK_TOTAL:
		doc_text(doc, "n is a total");
		break;
	case WORK_UNCLEAR:
		doc_text(doc, "n is unclear")->tone = TONE_WARN;
		break;
	}
}

static void add_row(struct doc *doc, const struct work *work, bool gpus)
{
	doc_text(doc, work->name ? work->name : work->type_name);
	doc_number(doc, (double)work->events, 0);
	if (work->units_timed == floor(work->units_timed))
		doc_number(doc, work->units_timed, 0);
	else
		add_rate(doc, work->units_timed);
	doc_number(doc, work->seconds, 1);
	add_rate(doc, work->units_per_s);
	if (gpus) {
		add_rate(doc, work->gpu_s_per_unit);
		add_rate(doc, work->energy_j_per_unit);
	}
	add_note(doc, work);
}

static void add_table(struct doc *doc, bool gpus)
{
	static const struct doc_column columns[] = {
		{"event", "", DOC_LEFT, true},
		{"events", "", DOC_RIGHT, false},
		{"units", "", DOC_RIGHT, false},
		{"in", "s", DOC_RIGHT, false},
		{"rate", "1/s", DOC_RIGHT, false},
		{"GPU each", "s", DOC_RIGHT, false},
		{"energy each", "J", DOC_RIGHT, false},
		{"", "", DOC_LEFT, false},
	};
	static const struct doc_column without_gpus[] = {
		{"event", "", DOC_LEFT, true},
		{"events", "", DOC_RIGHT, false},
		{"units", "", DOC_RIGHT, false},
		{"in", "s", DOC_RIGHT, false},
		{"rate", "1/s", DOC_RIGHT, false},
		{"", "", DOC_LEFT, false},
	};

	doc_heading(doc, 2, "Units of work");
	if (gpus)
		doc_table(doc, columns, sizeof columns / sizeof *columns)->follows = true;
	else
		doc_table(doc, without_gpus, sizeof without_gpus / sizeof *without_gpus)
			->follows = true;
}

void doc_work(struct doc *doc, const struct report *report)
{
	bool gpus = report_gpu_count(report) > 0;

	if (!report->work_count)
		return;
	add_table(doc, gpus);
	for (size_t i = 0; i < report->work_count; i++)
		add_row(doc, &report->work[i], gpus);
}
