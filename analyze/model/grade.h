/*
 * The grade of a recording, and what it is for: definitions in compute/README.md, "Time".
 */
#ifndef MODEL_GRADE_H
#define MODEL_GRADE_H

#include "model/report.h"

/* What keeps a recording from a better grade; the first that holds. */
enum grade_reason {
	GRADE_NO_REASON, /* grade A */
	GRADE_COVERAGE, /* too little of it is covered, or it can't be told how much */
	GRADE_WENT_BACK, /* the times of a log step back */
	GRADE_UNREADABLE, /* a file could not be read */
	GRADE_LOG_ENDED, /* a log ended before the run did */
	GRADE_CLOCK_SET
};

/* Of a report whose evidence is there but for its grade. */
enum grade_reason grade_reason(const struct report *report);
char grade_of(const struct report *report);

/*
 * The first GPU whose coverage is that of the run, and how many further ones are like it:
 * of them, too, it is known (interval_known) or not how often they should have been seen.
 * NULL: there are not several GPUs, or all are alike.
 */
struct grade_worst {
	const struct device *gpu;
	size_t more;
	bool interval_known;
};

struct grade_worst grade_worst_gpu(const struct report *report);

#endif
