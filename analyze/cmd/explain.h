/*
 * Which number of a run a command is about: a key or a metric by name, what of it by
 * the options beside it.
 */
#ifndef CMD_EXPLAIN_H
#define CMD_EXPLAIN_H

#include "cmd/load.h"
#include "cmd/options.h"
#include "model/measure.h"

struct asked {
	enum measure_part part;
	const char *key; /* borrowed, as the other texts */
	const char *statistic; /* of MEASURE_METRIC; else NULL */
	const char *phase, *device, *work; /* globs; NULL: the whole run, all, all */
};

/* -1: there is no such number; err suggests near names. */
int asked_find(struct asked *asked, const char *name, const struct options *opt,
	struct error *err);

bool asked_wants(const struct asked *asked, const struct measure *measure);

/* Bits of the parts of a report that have the number. */
unsigned asked_parts(const struct asked *asked);

/*
 * Reads the logs of a run again, to fill `first` and `last` of the stretches of its
 * findings. path: its operands. Nothing is filled if the logs can't be read again.
 */
void finding_lines(struct loaded *loaded, const char *const *path, size_t path_count,
	const struct load_plan *plan);

#endif
