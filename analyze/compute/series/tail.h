/*
 * The last minute of a value: a course that forgets what is older. Its bins are of 2^30
 * ns, so that a minute takes no more of them whatever the interval is.
 */
#ifndef COMPUTE_TAIL_H
#define COMPUTE_TAIL_H

#include <stdint.h>

#include "base/timestamp.h"
#include "compute/series/course.h"

#define TAIL_SHIFT 30
#define TAIL_NS	   (60 * NS_PER_S)

/* What a rate takes: so many bins with a value, over so many seconds. */
#define TAIL_BINS   5
#define TAIL_SPAN_S 30

void tail_init(struct course *tail, int64_t origin_ns);

/* A value in quanta; one before the bin of the last value begins the minute anew. */
void tail_add(struct course *tail, int64_t t_ns, int64_t value);

/* Several, in the order of the log, without those that the last of them makes too old. */
void tail_add_each(
	struct course *tail, const int64_t *t_ns, const int64_t *value, size_t count);

/* The trend of the minute before the last value; slope_per_h is NAN where it takes more.
 */
struct course_trend tail_trend(const struct course *tail, int64_t per_unit, int64_t last_ns);

#endif
