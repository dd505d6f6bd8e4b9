/*
 * Offers trends: add runs one by one, then get them in order with the changes of each
 * number. One run is one observation; no sample is read. README.md, "Trends".
 */
#ifndef COMPUTE_COMPARE_TREND_H
#define COMPUTE_COMPARE_TREND_H

#include "model/trend.h"

struct trending; /* trends that runs are still added to */

/* Is a number wanted? */
typedef bool trend_wanted(void *context, const struct measure *measure);

/* by: the label to order by; NULL: time. *out is empty before. */
struct trending *trend_begin(
	struct trends *out, const char *by, trend_wanted *wanted, void *context);

/*
 * Adds a run; the report is not needed afterwards. One whose place is not known, or that
 * has none of the numbers, is counted and left out.
 */
void trend_add(struct trending *trending, const struct report *report);

/* Puts them in order, finds what changed, remarks what was left out; releases the rest.
 */
void trend_end(struct trending *trending);

#endif
