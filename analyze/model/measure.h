/*
 * The numbers of a report that runs can be compared by, each with what it is of: so
 * that comparison, gate and history ask for them by one name. Computes nothing.
 */
#ifndef MODEL_MEASURE_H
#define MODEL_MEASURE_H

#include "model/coverage.h"

enum measure_part {
	MEASURE_SUMMARY, /* a key of summary */
	MEASURE_STEADY, /* of the steady state that was found */
	MEASURE_WORK, /* of a kind of events */
	MEASURE_PHASE, /* of a path: its times, and its keys of summary */
	MEASURE_METRIC, /* a statistic of a metric of a device, of the run or of a path */
	MEASURE_PARTS
};
const char *measure_part_name(enum measure_part part); /* "summary" ... */

/* What a run can be the best in: each has one number, or several that depend on it. */
enum decisive {
	DECIDES_NOTHING,
	DECIDES_TIME, /* the time, work a second */
	DECIDES_ENERGY, /* the energy, energy per unit of work */
	DECISIVE
};

struct measure {
	enum measure_part part;
	const char *key; /* "energy_j", "duration_s", "power_w"; static */
	const char *statistic; /* "mean", of a state "share"; of METRIC; static */
	const char *state; /* of a share of time; NULL */
	const char *phase; /* the path; NULL: the whole run */
	const char *work; /* the name of the events */
	const char *device;
	const char *source; /* of METRIC; static */
	const char *unit; /* "" for a plain number; static */
	int decimals; /* in text for people */
	enum direction better;
	bool total; /* grows with the work that is done: a time, an energy, a sum */
	bool headline; /* shown to people who did not ask for it */
	bool outcome; /* what a run took and did, of which people say better and worse:
			 what decides, and peaks of memory. All else explains it */
	enum decisive decides; /* which run is the best; all else only explains it */
};

/*
 * Calls `take` with every number, in the order of the report, unknown ones as NAN. The
 * measure's strings are the report's, or static; all is valid during the call.
 */
typedef void measure_take(void *context, const struct measure *measure, double value,
	const struct covered *covered);
void measures_of(const struct report *report, measure_take *take, void *context);

/* Is it one of the statistics that say something of a run? */
bool measure_statistic_counts(enum statistic statistic);

/* Can a part have such a key at all? */
bool measure_part_has(enum measure_part part, const char *key);

/* The keys that it can have, from 0 on; static. NULL: there are no more. */
const char *measure_part_key(enum measure_part part, size_t nth);

/* The same of? All but unit, decimals, direction and headline count. */
bool measure_same(const struct measure *a, const struct measure *b);
uint64_t measure_hash(const struct measure *measure);

/* A copy that owns its strings, and their release. */
struct measure measure_copy(const struct measure *measure);
void measure_release(struct measure *measure);

/* "energy_j", "power_w mean of gpu0 (nvidia-dmon) in train/epoch": for sentences. */
void measure_name(struct strbuf *sb, const struct measure *measure);

/* The same for people, without what it is of: "GPU energy (J)", "GPU power, mean (W)". */
void measure_title(struct strbuf *sb, const struct measure *measure);

/* What names of files tell of how they belong together; nothing of what they hold. */

/*
 * The numbers of the parts of a report, each by the name that JSON and the database
 * give it: for those who list them all, or ask for one. Computes nothing.
 */

#define NUMBERS_MAX 40 /* of one part at most */

struct named_number {
	const char *name; /* static */
	const char *unit; /* "": a plain number; static */
	double value; /* NAN: unknown */
};

/* Each fills out[] and tells how many there are; the names are always the same. */
size_t numbers_of_steady(
	const struct steady *steady, struct named_number out[NUMBERS_MAX]);

/* Its times, then its keys of summary. */
size_t numbers_of_path(
	const struct phase_path *path, struct named_number out[NUMBERS_MAX]);
size_t numbers_of_work(const struct work *work, struct named_number out[NUMBERS_MAX]);

/* The one of that name; NULL: there is none. */
const struct named_number *numbers_find(
	const struct named_number *numbers, size_t count, const char *name);

/* The key of summary of that name; SUMMARY_COUNT: there is none. */
enum summary_key summary_key_find(struct span name);

#endif
