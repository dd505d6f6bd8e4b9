/*
 * What interrupts a steady state, one by one: when, and why, as far as it is known. Finds
 * none itself.
 */
#ifndef COMPUTE_INTERRUPTIONS_H
#define COMPUTE_INTERRUPTIONS_H

#include "compute/report/silence.h"
#include "compute/series/course.h"

struct interruptions {
	const struct course *course; /* that the state was found in */
	const bool *kept, *apart; /* [bins, from the origin] at the state's level; at
				     another */
	const struct silence *silence;
	const struct report *report; /* with its evidence */
};

/* The longest of at[count], which lie apart, as far as they are in the state. Changes
 * their order. */
void interruptions_list(struct steady *steady, struct stretch *at, size_t count,
	const struct interruptions *of);

#endif
