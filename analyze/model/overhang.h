/*
 * How far phases and other events lie before the first sample of a run, or behind its
 * last: time that happened, and that a duration by the samples does not have.
 */
#ifndef MODEL_OVERHANG_H
#define MODEL_OVERHANG_H

#include "base/text.h"
#include "model/report.h"

struct overhang {
	double before_s, after_s; /* 0: nothing is there */
	bool events_before, events_after; /* further than any phase */
};

/* All 0 of a run whose duration is not that of its samples. */
struct overhang overhang_of(const struct report *report);

/*
 * Appends ", but phases go on 151.0 s behind the last" to what speaks of the samples,
 * where it is more than a recorder takes to begin and end, or makes the duration a lower
 * bound.
 */
void overhang_say(struct strbuf *text, const struct report *report);

#endif
