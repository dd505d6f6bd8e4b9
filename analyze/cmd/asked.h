/*
 * Which number of a run a command is about: a key or a metric by name, what of it by the
 * options beside it.
 */
#ifndef CMD_ASKED_H
#define CMD_ASKED_H

#include "base/name_match.h"
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

/* Every name that asked_find may find. */
void asked_offer(struct near *near);

bool asked_wants(const struct asked *asked, const struct measure *measure);

/* The parts of a report that it is in, as bits. */
unsigned asked_parts(const struct asked *asked);

#endif
