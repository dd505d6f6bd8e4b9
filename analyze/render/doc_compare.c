/*
 * A comparison as people read it: what changed first, then all numbers, what the
 * difference is made of, and what these runs can't tell. Must not compute.
 */
#include "render/doc_compare.h"

#include <math.h>
#include <string.h>

#include "base/quantity.h"
#include "base/strbuf.h"

#define RUNS_BESIDE  4 /* in one table; further ones stand in the next */
#define WORTH_SEEING 0.01 /* a change of this part */
#define STEPS_MAX    12

/* Are there two sides? */
static bool has_sides(const struct comparison *comparison)
{
	return comparison->on_side[SIDE_BASE] && comparison->on_side[SIDE_NEW];
}

static bool is_significant(const struct comparison_row *row)
{
	return row->change >= CHANGE_BETTER;
}

/* What a row is of, beyond what its title says. */
static struct doc_cell *add_label(struct doc *doc, const struct measure *measure)
{
	struct strbuf text;
	struct doc_cell *cell;

	strbuf_init(&text);
	strbuf_adds(&text, measure->key);
	if (measure->statistic)
		strbuf_addf(&text, " %s", measure->statistic);
	if (measure->state)
		strbuf_addf(&text, " of %s", measure->state);
	cell = doc_text(doc, text.text);
	strbuf_release(&text);
	return cell;
}

/* "-17.2 %"; where there is no ratio the difference itself. */
static void add_change(struct doc *doc, const struct comparison_row *row)
{
	struct strbuf text;

	if (isnan(row->difference)) {
		doc_blank(doc);
		return;
	}
	strbuf_init(&text);
	if (row->difference > 0)
		strbuf_addc(&text, '+');
	if (isnan(row->ratio))
		quantity_number(&text, row->difference, row->measure.decimals);
	else
		quantity_number(&text, 100 * (row->ratio - 1), 1);
	strbuf_adds(&text, isnan(row->ratio) ? "" : " %");
	doc_text(doc, text.text);
	strbuf_release(&text);
}

static void add_p(struct doc *doc, const struct comparison_row *row)
{
	if (isnan(row->p) || row->change == CHANGE_UNTESTED)
		doc_blank(doc);
	else if (row->p < 0.0005)
		doc_text(doc, "<0.001");
	else
		doc_number(doc, row->p, 3);
}

/* The smallest change that so many runs of such a spread would show. */
static void add_detectable(struct doc *doc, const struct comparison_row *row)
{
	double base = row->side[SIDE_BASE].median;

	if (isinf(row->detectable))
		doc_text(doc, "never");
	else if (isnan(row->detectable))
		doc_blank(doc);
	else if (base > 0)
		doc_textf(doc, "%.1f %%", 100 * row->detectable / base);
	else
		doc_number(doc, row->detectable, row->measure.decimals);
}

static void add_verdict(struct doc *doc, const struct comparison_row *row)
{
	if (row->change == CHANGE_NONE || row->change == CHANGE_UNTESTED)
		doc_blank(doc);
	else if (row->change == CHANGE_UNSEEN)
		doc_text(doc, "~");
	else
		doc_text(doc, change_name(row->change))->tone =
			row->change == CHANGE_WORSE ? TONE_WARN : TONE_PLAIN;
}

static void begin_contrasts(struct doc *doc, const struct comparison *comparison)
{
	static const struct doc_column columns[] = {
		{"", "", DOC_LEFT, false},
		{"base", "", DOC_RIGHT, false},
		{"new", "", DOC_RIGHT, false},
		{"change", "", DOC_RIGHT, false},
		{"", "", DOC_LEFT, false},
		{"p", "", DOC_RIGHT, false},
		{"shown from", "", DOC_RIGHT, false},
	};

	doc_table(doc, columns, comparison->tests ? 7 : 5)->follows = true;
}

static void add_contrast(struct doc *doc, const struct comparison *comparison,
	const struct comparison_row *row)
{
	add_label(doc, &row->measure);
	for (enum side side = 0; side < SIDES; side++)
		doc_number(doc, row->side[side].median, row->measure.decimals);
	add_change(doc, row);
	add_verdict(doc, row);
	if (comparison->tests) {
		add_p(doc, row);
		add_detectable(doc, row);
	}
}

/* The runs of a table beside one another, the best of each row marked. */
static void begin_runs(struct doc *doc, const struct comparison *comparison, size_t from)
{
	struct doc_column columns[RUNS_BESIDE + 1] = {{"", "", DOC_LEFT, false}};
	size_t count = 1;

	for (size_t i = from; i < comparison->run_count && count <= RUNS_BESIDE; i++)
		columns[count++] = (struct doc_column){
			comparison->run[i].name, "", DOC_RIGHT, false};
	doc_table(doc, columns, count)->follows = true;
}

static void add_runs(struct doc *doc, const struct comparison *comparison,
	const struct comparison_row *row, size_t from)
{
	struct strbuf text;

	strbuf_init(&text);
	add_label(doc, &row->measure);
	for (size_t i = from; i < comparison->run_count && i < from + RUNS_BESIDE; i++) {
		strbuf_clear(&text);
		if (isnan(row->value[i])) {
			doc_text(doc, NULL);
			continue;
		}
		if (i == row->best)
			strbuf_adds(&text, "* ");
		quantity_number(&text, row->value[i], row->measure.decimals);
		doc_text(doc, text.text);
	}
	strbuf_release(&text);
}

/* A group of rows under one title. */
struct section {
	const char *title;
	bool (*holds)(const struct comparison_row *row);
	bool changed; /* those that changed, else those that did not */
};

/* What is shown of a comparison. */
struct view {
	const struct comparison *comparison;
	bool details, devices;
};

/* What people need not see unless they want everything. */
static bool is_detail(const struct comparison_row *row)
{
	return row->measure.better == BETTER_NEITHER;
}

static bool is_of_run(const struct comparison_row *row)
{
	return row->measure.part == MEASURE_SUMMARY ||
		row->measure.part == MEASURE_STEADY;
}

static bool is_of_work(const struct comparison_row *row)
{
	return row->measure.part == MEASURE_WORK;
}

static bool is_of_phase(const struct comparison_row *row)
{
	return row->measure.part == MEASURE_PHASE;
}

static bool is_of_device(const struct comparison_row *row)
{
	return row->measure.part == MEASURE_METRIC;
}

static bool is_any(const struct comparison_row *row)
{
	(void)row;
	return true;
}

static bool is_shown(const struct view *view, const struct section *section,
	const struct comparison_row *row)
{
	return section->holds(row) && section->changed == is_significant(row) &&
		(view->details || !is_detail(row)) &&
		(view->devices || !is_of_device(row));
}

/* Whose numbers they are, where it is not the run's: a title over its rows. */
static void name_subject(struct strbuf *text, const struct measure *measure)
{
	const char *const part[] = {measure->work, measure->phase, measure->device,
		measure->part == MEASURE_METRIC ? measure->source : NULL};

	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		if (part[i])
			strbuf_addf(text, "%s%s", text->len ? ", " : "", part[i]);
}

/* One table of a section: rows of the runs from `from` on, or of the sides. */
static bool add_table(struct doc *doc, const struct view *view,
	const struct section *section, size_t from)
{
	const struct comparison *comparison = view->comparison;
	struct strbuf subject, last;
	bool any = false;

	strbuf_init(&subject);
	strbuf_init(&last);
	for (size_t i = 0; i < comparison->row_count; i++) {
		const struct comparison_row *row = &comparison->row[i];

		if (!is_shown(view, section, row))
			continue;
		if (!any && section->title && from == 0)
			doc_heading(doc, 2, section->title);
		if (!any && has_sides(comparison))
			begin_contrasts(doc, comparison);
		else if (!any)
			begin_runs(doc, comparison, from);
		any = true;
		strbuf_clear(&subject);
		name_subject(&subject, &row->measure);
		if (subject.len && (!last.len || strcmp(subject.text, last.text) != 0)) {
			doc_row_title(doc, subject.text);
			strbuf_clear(&last);
			strbuf_adds(&last, subject.text);
		}
		if (has_sides(comparison))
			add_contrast(doc, comparison, row);
		else
			add_runs(doc, comparison, row, from);
	}
	strbuf_release(&subject);
	strbuf_release(&last);
	return any;
}

static void add_section(
	struct doc *doc, const struct view *view, const struct section *section)
{
	size_t tables = has_sides(view->comparison) ? 1 : view->comparison->run_count;

	for (size_t from = 0; from < tables; from += RUNS_BESIDE)
		if (!add_table(doc, view, section, from))
			break;
}

static void add_side(struct doc *doc, const struct comparison *comparison, enum side side)
{
	struct strbuf text;
	size_t shown = 0;

	strbuf_init(&text);
	for (size_t i = 0; i < comparison->run_count; i++) {
		if (comparison->run[i].side != side)
			continue;
		if (shown++ < RUNS_BESIDE)
			strbuf_addf(&text, "%s%s", text.len ? ", " : "",
				comparison->run[i].name);
	}
	if (shown > RUNS_BESIDE)
		strbuf_addf(&text, " and %zu more", shown - RUNS_BESIDE);
	doc_text(doc, side == SIDE_BASE ? "Base" : side == SIDE_NEW ? "New" : "Runs");
	doc_text(doc, text.text);
	strbuf_release(&text);
}

/* "550.54 in base; 555.42 in new": what each side's runs say, every text once. */
static void say_side(struct strbuf *text, const struct comparison *comparison,
	const struct difference *difference, enum side side)
{
	size_t from = text->len;

	for (size_t i = 0; i < comparison->run_count; i++) {
		const char *said = difference->said[i];
		bool again = false;

		if (comparison->run[i].side != side || !said)
			continue;
		for (size_t k = 0; k < i; k++)
			again |= comparison->run[k].side == side && difference->said[k] &&
				strcmp(difference->said[k], said) == 0;
		if (!again)
			strbuf_addf(text, "%s%s", text->len > from ? " or " : "", said);
	}
	if (text->len == from)
		strbuf_adds(text, "not said");
}

static void add_differences(struct doc *doc, const struct comparison *comparison)
{
	struct strbuf text;

	if (!comparison->difference_count)
		return;
	strbuf_init(&text);
	doc_heading(doc, 2, "Not alike");
	doc_begin(doc, DOC_FIELDS)->follows = true;
	for (size_t i = 0; i < comparison->difference_count; i++) {
		const struct difference *difference = &comparison->difference[i];

		strbuf_clear(&text);
		if (has_sides(comparison)) {
			say_side(&text, comparison, difference, SIDE_BASE);
			strbuf_adds(&text, " -> ");
			say_side(&text, comparison, difference, SIDE_NEW);
		} else {
			say_side(&text, comparison, difference, SIDES);
		}
		doc_text(doc, difference->what);
		doc_text(doc, text.text);
	}
	strbuf_release(&text);
}

static void add_step(struct doc *doc, const struct waterfall *waterfall, const char *name,
	double base, double new, double difference)
{
	struct strbuf text;
	double most = fabs(waterfall->difference);

	for (size_t i = 0; i < waterfall->count; i++)
		most = fmax(most, fabs(waterfall->step[i].difference));
	strbuf_init(&text);
	if (difference > 0)
		strbuf_addc(&text, '+');
	quantity_number(&text, difference, 1);
	doc_text(doc, name);
	doc_number(doc, base, 1);
	doc_number(doc, new, 1);
	doc_text(doc, text.text);
	doc_bar(doc, 0, most > 0 ? fabs(difference) / most : 0, NAN);
	strbuf_release(&text);
}

static void add_waterfall(struct doc *doc, const struct waterfall *waterfall)
{
	const struct doc_column columns[] = {
		{"phase, without inner ones", "", DOC_LEFT, true},
		{"base", waterfall->unit, DOC_RIGHT, false},
		{"new", waterfall->unit, DOC_RIGHT, false},
		{"change", waterfall->unit, DOC_RIGHT, false},
		{"", "", DOC_BAR, false},
	};
	double base = 0, new = 0, difference = 0;
	size_t shown = waterfall->count;

	if (!waterfall->count)
		return;
	if (shown > STEPS_MAX)
		shown = STEPS_MAX - 1;
	doc_begin(doc, DOC_HEADING)->level = 2;
	doc_textf(doc, "Where the difference in %s is", waterfall->key);
	doc_table(doc, columns, sizeof columns / sizeof *columns)->follows = true;
	for (size_t i = 0; i < waterfall->count; i++) {
		const struct waterfall_step *step = &waterfall->step[i];

		if (i < shown) {
			add_step(doc, waterfall,
				step->phase ? step->phase
					    : "(in no phase, or in several)",
				step->base, step->new, step->difference);
			continue;
		}
		base += step->base;
		new += step->new;
		difference += step->difference;
	}
	if (shown < waterfall->count)
		add_step(doc, waterfall, "(all others)", base, new, difference);
	add_step(doc, waterfall, "all", waterfall->base, waterfall->new,
		waterfall->difference);
}

/* Of the run, and large enough to be a reason for more runs. */
static bool is_worth_seeing(const struct comparison_row *row)
{
	return row->measure.part == MEASURE_SUMMARY &&
		row->measure.better != BETTER_NEITHER && row->runs_needed &&
		fabs(row->ratio - 1) >= WORTH_SEEING;
}

/* What numbers of runs like these can tell. */
static void add_power(struct doc *doc, const struct comparison *comparison)
{
	size_t base = comparison->on_side[SIDE_BASE], new = comparison->on_side[SIDE_NEW];
	const struct comparison_row *row = NULL;

	if (comparison->tests) {
		doc_text(doc, NULL);
		doc_textf(doc,
			"~ is no significant change (p above %.2f). Of %zu tests about "
			"%.0f show a change where there is none; a gate corrects for "
			"that, this table does not.",
			comparison->level, comparison->tests,
			ceil(comparison->level * (double)comparison->tests));
		return;
	}
	doc_text(doc, NULL);
	doc_textf(doc,
		"%zu against %zu can never be significant (p is %.2f at least): take "
		"%zu or more on each side. The numbers above may be chance.",
		base, new, comparison->least_p, comparison->runs_least);
	for (size_t i = 0; i < comparison->row_count; i++)
		if (is_worth_seeing(&comparison->row[i]) &&
			(!row || comparison->row[i].runs_needed > row->runs_needed))
			row = &comparison->row[i];
	if (!row)
		return;
	doc_text(doc, NULL);
	doc_textf(doc,
		"To see %.1f %% of %s, with the spread of these runs, take %zu on each "
		"side.",
		fabs(100 * (row->ratio - 1)), row->measure.key, row->runs_needed);
}

static void add_ratios(struct doc *doc, const struct comparison *comparison)
{
	for (enum direction better = 0; better < BETTER_NEITHER; better++) {
		const struct mean_ratio *mean = &comparison->ratio[better];

		if (mean->rows < 2)
			continue;
		doc_text(doc, NULL);
		doc_textf(doc,
			"Of the %zu keys above that are better %s: %.3f times the base "
			"(geometric mean).",
			mean->rows, better == BETTER_HIGHER ? "high" : "low",
			mean->ratio);
	}
}

static void add_notes(struct doc *doc, const struct comparison *comparison)
{
	doc_begin(doc, DOC_NOTES);
	if (has_sides(comparison)) {
		add_ratios(doc, comparison);
		add_power(doc, comparison);
	} else {
		doc_text(doc, NULL);
		doc_text(doc, "* is the best of its row.");
	}
	for (size_t i = 0; i < comparison->remark_count; i++) {
		doc_text(doc, NULL);
		doc_text(doc, comparison->remark[i]);
	}
}

void doc_compare(struct doc *doc, const struct comparison *comparison,
	const struct render_options *opt)
{
	static const struct section sections[] = {{"Changed", is_any, true},
		{"Runs", is_of_run, false}, {"Units of work", is_of_work, false},
		{"Phases", is_of_phase, false}, {"Devices", is_of_device, false}};
	struct view view = {comparison, opt->verbose > 0, opt->verbose > 0};
	size_t devices = 0;

	for (size_t i = 0; i < comparison->row_count; i++)
		devices += is_of_device(&comparison->row[i]);
	/* Who asked for nothing else wants them. */
	view.devices |= devices == comparison->row_count;
	doc_heading(doc, 1, "Comparison");
	doc_begin(doc, DOC_FIELDS)->follows = true;
	if (has_sides(comparison)) {
		add_side(doc, comparison, SIDE_BASE);
		add_side(doc, comparison, SIDE_NEW);
	} else {
		add_side(doc, comparison, SIDES);
	}
	add_differences(doc, comparison);
	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
		add_section(doc, &view, &sections[i]);
	for (size_t i = 0; i < WATERFALLS; i++)
		add_waterfall(doc, &comparison->waterfall[i]);
	add_notes(doc, comparison);
}
