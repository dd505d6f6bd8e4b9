/*
 * What a difference is made of, step by step, each with a bar that begins
 * where the one before it ended. Must not
 * compute.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/quantity.h"
#include "model/phase_name.h"
#include "render/doc_compare_parts.h"

#define STEPS_MOST  12
#define STEP_LEAST  0.01 /* of the largest: smaller ones stand together */
#define WHOLE_LEAST 0.001 /* of the base: smaller differences are not divided */
#define ZOOM_BELOW                                                          \
	0.5 /* of the axis: steps that all lie within less are drawn larger \
	     */
#define ZOOMED 0.7 /* ... and have this part of it */

/* A step that has a line. */
struct listed {
	const char *name; /* of one that is of no phase */
	struct waterfall_step step; /* borrowed */
};

/* From where to where the bars go: the base, step by step, to the new side. */
struct fall {
	double low, high; /* of the axis; low < high */
	double level; /* up to here */
	int decimals;
};

static double place_of(const struct fall *fall, double level)
{
	return (level - fall->low) / (fall->high - fall->low);
}

static void add_numbers(struct doc *doc, const char *name,
	const struct waterfall_step *step, int decimals)
{
	struct strbuf text;

	strbuf_init(&text);
	if (step->phase)
		phase_path_show(&text, step->phase);
	else
		strbuf_adds(&text, name);
	doc_text(doc, text.text)->path = true;
	strbuf_clear(&text);
	if (step->difference > 0 && !view_is_alike(0, step->difference, decimals))
		strbuf_addc(&text, '+');
	quantity_number(&text, step->difference, decimals);
	doc_number(doc, step->base, decimals);
	doc_number(doc, step->new, decimals);
	doc_text(doc, text.text);
	strbuf_release(&text);
}

/* Begins where the one before it ended. */
static void add_step(struct doc *doc, struct fall *fall, const char *name,
	const struct waterfall_step *step)
{
	double from = fall->level;
	struct doc_cell *bar;

	fall->level += step->difference;
	add_numbers(doc, name, step, fall->decimals);
	if (view_is_alike(0, step->difference, fall->decimals)) {
		doc_blank(doc);
		return;
	}
	bar = doc_bar(doc, place_of(fall, fmin(from, fall->level)),
		place_of(fall, fmax(from, fall->level)), NAN);
	bar->step = step->difference < 0 ? STEP_LESS : STEP_MORE;
	bar->tone = step->difference < 0 ? TONE_PLAIN : TONE_WARN;
}

static void add_whole(struct doc *doc, const struct fall *fall, double level)
{
	doc_bar(doc, 0, place_of(fall, level), NAN)->broken = fall->low > 0;
}

static const char *name_of(const struct waterfall_step *step)
{
	return step->base < 0 || step->new < 0 ? "(counted in several phases)"
					       : "(in none that is known)";
}

/* By its key, and for people. */
static void add_title(struct doc *doc, const struct waterfall *waterfall)
{
	const char *per = waterfall->per ? waterfall->per : "";
	struct strbuf called;

	strbuf_init(&called);
	strbuf_addf(&called, "Where the difference in %s is%s%s", waterfall->title,
		*per ? ", per " : "", per);
	doc_textf(doc, "Where the difference in %s is%s%s", waterfall->key,
		*per ? ", per " : "", per)
		->called = strbuf_detach(&called);
}

/* Other numbers than the rows' medians, so that they say which. */
static void begin_steps(struct doc *doc, const struct comparison *comparison,
	const struct waterfall *waterfall, const struct fall *fall)
{
	const struct doc_column column[] = {
		{"phase, without inner ones", "", DOC_LEFT, true},
		{"base", waterfall->unit, DOC_RIGHT, false},
		{"new", waterfall->unit, DOC_RIGHT, false},
		{"change", waterfall->unit, DOC_RIGHT, false},
		{"base to new", fall->low > 0 ? "axis is broken" : "", DOC_BAR, false},
	};

	doc_begin(doc, DOC_HEADING)->level = 2;
	add_title(doc, waterfall);
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

/* (outside) stands for one, too. */
static bool is_phase(const struct waterfall_step *step)
{
	return step->phase && strcmp(step->phase, PHASE_BEYOND) != 0;
}

/* Steps are by their size, but for the last ones, which may be of no phase. */
static bool stands_alone(const struct waterfall *waterfall, size_t nth, double most)
{
	return (nth < STEPS_MOST || !is_phase(&waterfall->step[nth])) &&
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
		no_phase |= !is_phase(&waterfall->step[i]);
	}
	return left > 1 || no_phase;
}

/* What is not there on a side adds nothing to what others have there. */
static void add_known(double *sum, double x)
{
	if (!isnan(x))
		*sum = isnan(*sum) ? x : *sum + x;
}

/* The steps that have a line, and behind them the sum of all others. */
static size_t list_steps(
	const struct waterfall *waterfall, double most, struct listed *listed)
{
	struct waterfall_step others = {.base = NAN, .new = NAN};
	bool others_stand = has_others(waterfall, most);
	size_t count = 0;

	for (size_t i = 0; i < waterfall->count; i++) {
		const struct waterfall_step *step = &waterfall->step[i];

		if (!others_stand || stands_alone(waterfall, i, most)) {
			listed[count++] = (struct listed){name_of(step), *step};
			continue;
		}
		add_known(&others.base, step->base);
		add_known(&others.new, step->new);
		others.difference += step->difference;
	}
	if (others_stand)
		listed[count++] = (struct listed){"(all others)", others};
	return count;
}

/* From 0 on, unless the steps could not be seen then. */
static struct fall fall_of(
	const struct waterfall *waterfall, const struct listed *listed, size_t count)
{
	double level = waterfall->base, low = level, high = level;

	for (size_t i = 0; i < count; i++) {
		level += listed[i].step.difference;
		low = fmin(low, level);
		high = fmax(high, level);
	}
	return (struct fall){
		high - low < ZOOM_BELOW * high ? high - (high - low) / ZOOMED : 0, high,
		waterfall->base, doc_compare_decimals(waterfall->base)};
}

void doc_compare_waterfall(struct doc *doc, const struct comparison *comparison,
	const struct waterfall *waterfall)
{
	double most = largest(waterfall);
	const struct waterfall_step all = {
		NULL, waterfall->base, waterfall->new, waterfall->difference};
	struct listed *listed;
	struct fall fall;
	size_t count;

	if (!waterfall->count || most <= WHOLE_LEAST * waterfall->base)
		return;
	listed = xcalloc(waterfall->count + 1, sizeof *listed);
	count = list_steps(waterfall, most, listed);
	fall = fall_of(waterfall, listed, count);
	begin_steps(doc, comparison, waterfall, &fall);
	doc_text(doc, "all, in the base");
	doc_number(doc, waterfall->base, fall.decimals);
	doc_blank(doc);
	doc_blank(doc);
	add_whole(doc, &fall, waterfall->base);
	for (size_t i = 0; i < count; i++)
		add_step(doc, &fall, listed[i].name, &listed[i].step);
	add_numbers(doc, "all", &all, fall.decimals);
	add_whole(doc, &fall, waterfall->new);
	free(listed);
}
