/*
 * Which findings are printed by formats for people: those that fire, merged by rule,
 * without those that another finding implies. Must not judge.
 */
#ifndef RENDER_DOC_FINDINGS_H
#define RENDER_DOC_FINDINGS_H

#include "base/text.h"
#include "model/report.h"

/* How many fire: they stand before those that can't be told. */
size_t findings_fired(const struct report *report);

/* How many from here on are of the same rule and outcome. */
size_t findings_of_rule(const struct report *report, size_t from);

/* Does a rule that fires say the same as all that are alike from here on? */
bool finding_is_covered(const struct report *report, size_t from);

/* "also gpu1, gpu2": of those that are alike all but the first, and whether their
 * sentences have other numbers; nothing for one. */
void finding_say_others(struct strbuf *text, const struct report *report, size_t from);

/*
 * What a page lists with a number and marks where it happened: findings of a rule that
 * fire, more severe than info, unless another one covers them.
 */
struct problem {
	size_t number; /* from 1 on */
	size_t from, count; /* the findings of its rule, in the report's */
};

/* The next one, of a zeroed one the first. False: there is none left. */
bool problem_next(const struct report *report, struct problem *problem);

/* " (LOG:58-90)": the rows of a stretch; nothing where they are not known. */
void finding_say_lines(struct strbuf *text, const struct run *run,
	const struct finding_stretch *stretch);

#endif
