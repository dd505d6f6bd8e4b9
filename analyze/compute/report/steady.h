/*
 * What interrupts a steady state, one by one: when, and why, as far as it is known.
 * Finds none itself.
 */
#ifndef COMPUTE_REPORT_STEADY_H
#define COMPUTE_REPORT_STEADY_H

#include "compute/report/evidence.h"
#include "compute/series/course.h"

struct interruptions {
	const struct course *course; /* that the state was found in */
	const bool *kept, *apart; /* [bins, from the origin] at the state's level; at
				     another */
	const struct silence *silence;
	const struct report *report; /* with its evidence */
};

#endif
