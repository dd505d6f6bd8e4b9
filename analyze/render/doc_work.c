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

/* What the columns that not every report has are of. */
struct work_columns {
	bool gpus, energy;
};

static void add_row(
	struct doc *doc, const struct work *work, const struct work_columns *has)
{
	doc_text(doc, work->name ? work->name : work->type_name);
	doc_number(doc, (double)work->events, 0);
	if (work->units_timed == floor(work->units_timed))
		doc_number(doc, work->units_timed, 0);
	else
		add_rate(doc, work->units_timed);
	doc_number(doc, work->seconds, 1);
	add_rate(doc, work->units_per_s);
	if (has->gpus)
		add_rate(doc, work->gpu_s_per_unit);
	if (has->energy)
		add_rate(doc, work->energy_j_per_unit);
	add_note(doc, work);
}

static void begin_table(struct doc *doc, const struct work_columns *has)
{
	struct doc_column columns[8] = {
		{"event", "", DOC_LEFT, true},
		{"events", "", DOC_RIGHT, false},
		{"units", "", DOC_RIGHT, false},
		{"in", "s", DOC_RIGHT, false},
		{"rate", "1/s", DOC_RIGHT, false},
	};
	size_t count = 5;

	if (has->gpus)
		columns[count++] = (struct doc_column){"GPU each", "s", DOC_RIGHT, false};
	if (has->energy)
		columns[count++] =
			(struct doc_column){"energy each", "J", DOC_RIGHT, false};
	columns[count++] = (struct doc_column){"", "", DOC_LEFT, false};
	doc_heading(doc, 2, "Units of work");
	doc_table(doc, columns, count)->follows = true;
}

void doc_work(struct doc *doc, const struct report *report)
{
	bool gpus = report_gpu_count(report) > 0;
	struct work_columns has = {gpus,
		gpus && report_wants_all(report, DEVICE_GPU) &&
			report_wants_key(report, SUMMARY_energy_j)};

	if (!report->work_count)
		return;
	begin_table(doc, &has);
	for (size_t i = 0; i < report->work_count; i++)
		add_row(doc, &report->work[i], &has);
}
