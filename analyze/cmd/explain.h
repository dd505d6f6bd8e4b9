/*
 * Which number of a run a command is about: a key or a metric by name, what of it by
 * the options beside it.
 */
#ifndef CMD_EXPLAIN_H
#define CMD_EXPLAIN_H

#include "base/name_match.h"
#include "cmd/load.h"
#include "cmd/options.h"
#include "model/measure.h"

struct asked {
	enum measure_part part;
	const char *key; /* borrowed, as all */
	const char *statistic; /* of METRIC; else NULL */
	const char *phase, *device, *work; /* globs; NULL: of the run, each, each */
};

/* -1: there is no such number; the sentence names near ones. */
int asked_find(struct asked *asked, const char *name, const struct options *opt,
	struct error *err);

bool asked_wants(const struct asked *asked, const struct measure *measure);

/* The parts of a report that it is in, as bits. */
unsigned asked_parts(const struct asked *asked);

/* A run's logs read once more, for the lines in which its findings stand. */

/*
 * Fills `first` and `last` of the stretches of its findings. path: the operands that it
 * was loaded from. Where there are none, or the logs can't be read again, nothing.
 */
void finding_lines(struct loaded *loaded, const char *const *path, size_t path_count,
	const struct load_plan *plan);

#endif
