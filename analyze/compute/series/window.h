/* The part of a run that counts: as if its logs held no rows, events and calls but its.
 */
#ifndef COMPUTE_WINDOW_H
#define COMPUTE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

struct compute_window {
	bool set; /* false: the whole run counts */
	bool closed; /* to_ns is the run's end and counts, too */
	bool of_command; /* nobody asked for it (aggregate_beyond_command); rows without
			    times count */
	int64_t origin_ns; /* the run's start */
	int64_t from_ns, to_ns; /* [from_ns, to_ns) within the run */
};

/* Does an instant count? NULL: all do. */
static inline bool window_has(const struct compute_window *window, int64_t t_ns)
{
	return !window || !window->set ||
		(t_ns >= window->from_ns &&
			(t_ns < window->to_ns ||
				(window->closed && t_ns == window->to_ns)));
}

#endif
