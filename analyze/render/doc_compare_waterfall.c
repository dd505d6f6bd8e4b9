/*
 * What a difference is made of, step by step, with a bar of how large each is. Must not
 * compute.
 */
#include <math.h>

#include "base/quantity.h"
#include "render/doc_compare_parts.h"

#define STEPS_MOST  12
#define STEP_LEAST  0.01 /* of the largest: smaller ones stand together */
#define WHOLE_LEAST 0.001 /* of the base: smaller differences are not divided */

static void add_step(struct doc *doc, const char *name, const struct waterfall_step *step,
	double most, int decimals)
{
	struct strbuf text;

	strbuf_init(&text);
	if (step->difference > 0)
		strbuf_addc(&text, '+');
	quantity_number(&text, step->difference, decimals);
	doc_text(doc, name)->path = true;
	doc_number(doc, step->base, decimals);
	doc_number(doc, step->new, decimals);
	doc_text(doc, text.text);
	doc_bar(doc, 0, fabs(step->difference) / most, NAN);
	strbuf_release(&text);
}

static const char *name_of(const struct waterfall_step *step)
{
	if (step->phase)
		return step->phase;
	return step->base < 0 || step->new < 0 ? "(counted in several phases)"
					       : "(in none that is known)";
}

/* Other numbers than the rows' medians, so that they say which. */
static void begin_steps(struct doc *doc, const struct comparison *comparison,
	const struct waterfall *waterfall)
{
	const struct doc_column column[] = {
		{"phase, without inner ones", "", DOC_LEFT, true},
		{"base", waterfall->unit, DOC_RIGHT, false},
		{"new", waterfall->unit, DOC_RIGHT, false},
		{"change", waterfall->unit, DOC_RIGHT, false},
		{"", "", DOC_BAR, false},
	};

	doc_begin(doc, DOC_HEADING)->level = 2;
	doc_textf(doc, "Where the difference in %s is%s%s", waterfall->key,
		waterfall->per ? ", per " : "", waterfall->per ? waterfall->per : "");
	doc_compare_statistic(doc, comparison,
		waterfall->per ? "means: these add up"
			       : "means of the runs: these add up");
	doc_table(doc, column, sizeof column / sizeof *column)->follows = true;
}

static double largest(const struct waterfall *waterfall)
{
	double most = fabs(waterfall->difference);

	for (size_t i = 0; i < waterfall->count; i++)
		most = fmax(most, fabs(waterfall->step[i].difference));
	return most;
}

/* Steps are by their size, but for the last, which may be of no phase. */
static bool stands_alone(const struct waterfall *waterfall, size_t nth, double most)
{
	return (nth < STEPS_MOST || !waterfall->step[nth].phase) &&
		fabs(waterfall->step[nth].difference) >= STEP_LEAST * most;
}

/* Do small steps stand together? One phase does not. */
static bool has_others(const struct waterfall *waterfall, double most)
{
	bool no_phase = false;
	size_t left = 0;

	for (size_t i = 0; i < waterfall->count; i++) {
		if (stands_alone(waterfall, i, most))
			continue;
		left++;
		no_phase |= !waterfall->step[i].phase;
	}
	return left > 1 || no_phase;
}

void doc_compare_waterfall(struct doc *doc, const struct comparison *comparison,
	const struct waterfall *waterfall)
{
	double most = largest(waterfall);
	bool others_stand = has_others(waterfall, most);
	int decimals = doc_compare_decimals(waterfall->base);
	struct waterfall_step others = {0};
	const struct waterfall_step all = {
		NULL, waterfall->base, waterfall->new, waterfall->difference};

	if (!waterfall->count || most <= WHOLE_LEAST * waterfall->base)
		return;
	begin_steps(doc, comparison, waterfall);
	for (size_t i = 0; i < waterfall->count; i++) {
		const struct waterfall_step *step = &waterfall->step[i];

		if (!others_stand || stands_alone(waterfall, i, most)) {
			add_step(doc, name_of(step), step, most, decimals);
			continue;
		}
		others.base += step->base;
		others.new += step->new;
		others.difference += step->difference;
	}
	if (others_stand)
		add_step(doc, "(all others)", &others, most, decimals);
	add_step(doc, "all", &all, most, decimals);
}
