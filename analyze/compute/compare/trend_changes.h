/* What one number of runs that are in order shows. Everybody else asks
 * compute/compare/trend.h.
 */
#ifndef COMPUTE_TREND_CHANGES_H
#define COMPUTE_TREND_CHANGES_H

#include "model/trend.h"

/* Fills a trend from the values of its runs; the points are there. */
void trend_work_out(const struct trends *trends, struct trend *trend);

#endif
