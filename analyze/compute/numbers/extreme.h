/*
 * The least or largest of values and where it stood first, in the order of the rows,
 * whatever the order in which the values come.
 */
#ifndef COMPUTE_EXTREME_H
#define COMPUTE_EXTREME_H

#include <stdbool.h>
#include <stdint.h>

struct extreme {
	int64_t value, t_ns;
	int32_t segment;
};

static inline bool extreme_is_first(const struct extreme *e, const struct extreme *other)
{
	return e->segment != other->segment ? e->segment < other->segment
					    : e->t_ns < other->t_ns;
}

/* known: there is one already. */
static inline void extreme_least(
	struct extreme *least, bool known, const struct extreme *e)
{
	if (!known || e->value < least->value ||
		(e->value == least->value && extreme_is_first(e, least)))
		*least = *e;
}

static inline void extreme_largest(
	struct extreme *largest, bool known, const struct extreme *e)
{
	if (!known || e->value > largest->value ||
		(e->value == largest->value && extreme_is_first(e, largest)))
		*largest = *e;
}

#endif
