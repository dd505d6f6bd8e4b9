/*
 * Units of work as a table: how many, how fast, what each took. Must not compute: it only
 * chooses how many digits a number needs.
 */
#include <math.h>

#include "base/quantity.h"
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

/* "each 98 to 100: same?" */
static void add_each(struct strbuf *text, const struct work *work)
{
	strbuf_adds(text, "each ");
	quantity_number(text, work->units_least, 0);
	if (work->units_most > work->units_least) {
		strbuf_adds(text, " to ");
		quantity_number(text, work->units_most, 0);
	}
	strbuf_adds(text, ": same?");
}

/* What n is; of several processes, which units are the same. */
static void add_note(struct doc *doc, const struct work *work)
{
	bool several = work->processes > 1;
	struct strbuf text;

	strbuf_init(&text);
	if (work->n_is == WORK_UNCLEAR)
		strbuf_adds(&text, "n is unclear");
	else if (work->n_is == WORK_TOTAL)
		strbuf_adds(&text, several ? "each n once" : "n is a total");
	else if (several)
		add_each(&text, work);
	if (text.len)
		doc_text(doc, text.text)->tone =
			isnan(work->units) ? TONE_WARN : TONE_PLAIN;
	else
		doc_blank(doc);
	strbuf_release(&text);
}

/* What the columns that not every report has are of. */
struct work_columns {
	bool processes, gpus, energy, coverage;
};

static void add_row(
	struct doc *doc, const struct work *work, const struct work_columns *has)
{
	doc_text(doc, work->name ? work->name : work->type_name);
	doc_number(doc, (double)work->events, 0);
	if (has->processes)
		doc_number(doc, (double)work->processes, 0);
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
	if (has->coverage)
		doc_energy_coverage(doc, work->energy_j_per_unit, work->energy_coverage);
	add_note(doc, work);
}

static void begin_table(struct doc *doc, const struct work_columns *has)
{
	struct doc_column columns[10] = {
		{"event", "", DOC_LEFT, true},
		{"events", "", DOC_RIGHT, false},
	};
	size_t count = 2;

	if (has->processes)
		columns[count++] = (struct doc_column){"by", "", DOC_RIGHT, false};
	columns[count++] = (struct doc_column){"units", "timed", DOC_RIGHT, false};
	columns[count++] = (struct doc_column){"in", "s", DOC_RIGHT, false};
	columns[count++] = (struct doc_column){"rate", "1/s", DOC_RIGHT, false};
	if (has->gpus)
		columns[count++] = (struct doc_column){"GPU each", "s", DOC_RIGHT, false};
	if (has->energy)
		columns[count++] =
			(struct doc_column){"energy each", "J", DOC_RIGHT, false};
	if (has->coverage)
		columns[count++] = (struct doc_column){"cov.", "%", DOC_RIGHT, false};
	columns[count++] = (struct doc_column){"", "", DOC_LEFT, false};
	doc_heading(doc, 2, "Units of work");
	doc_table(doc, columns, count)->follows = true;
}

void doc_work(struct doc *doc, const struct report *report)
{
	bool gpus = report_gpu_count(report) > 0;
	struct work_columns has = {.gpus = gpus,
		.energy = gpus && report_wants_key(report, SUMMARY_energy_j)};

	if (!report->work_count)
		return;
	for (size_t i = 0; i < report->work_count; i++) {
		const struct work *work = &report->work[i];

		has.processes |= work->processes > 1;
		has.coverage |= has.energy &&
			doc_energy_is_partial(
				work->energy_j_per_unit, work->energy_coverage);
	}
	begin_table(doc, &has);
	for (size_t i = 0; i < report->work_count; i++)
		add_row(doc, &report->work[i], &has);
}
