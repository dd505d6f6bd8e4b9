/*
 * The samples of a run for somebody who draws them: values, states that last, and
 * stretches of which nothing is known. Worked out by compute, drawn by render.
 */
#ifndef MODEL_CHRONICLE_H
#define MODEL_CHRONICLE_H

#include <stdint.h>

#include "model/metric.h"

/* What a piece of it is of. */
struct chronicle_of {
	enum source_kind source;
	uint32_t device; /* index into the run's */
	enum metric_id metric; /* METRIC_none: of a silence, all that the log has of it */
	/*
	 * A number that the taker may keep there, at first 0: of a metric's values one,
	 * of its states, of its silences, and of its device's. That of states and
	 * silences, which never overlap, is 0 again where the log's time goes back.
	 */
	uint32_t *mark;
};

/* Times are those of the log in ns UTC, or from 0 where it has none. */
struct chronicle_taker {
	/* In the metric's unit; it holds from then to the next one. */
	void (*value)(struct chronicle_taker *taker, const struct chronicle_of *of,
		int64_t t_ns, double value);
	/* [from_ns, to_ns); word: valid during the call. */
	void (*state)(struct chronicle_taker *taker, const struct chronicle_of *of,
		int64_t from_ns, int64_t to_ns, const char *word);
	/* No value between two instants that are further apart than a gap must be; to the
	 * run's end where none comes behind. */
	void (*silence)(struct chronicle_taker *taker, const struct chronicle_of *of,
		int64_t from_ns, int64_t to_ns);
};

#endif
