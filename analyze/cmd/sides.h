/*
 * Runs loaded for a comparison: each of a side, or of none. One bad run hides no other.
 */
#ifndef CMD_SIDES_H
#define CMD_SIDES_H

#include "cmd/baseline.h"
#include "cmd/named.h"
#include "cmd/runs.h"
#include "compute/compare/compare.h"
#include "model/gate.h"

struct sides {
	struct runs runs;
	struct baseline baseline;
	const struct named *named;
	struct comparison comparison;
	struct lost_run *lost; /* [lost_count] new runs that could not be used; owned */
	size_t lost_count, lost_cap;
	bool has_devices; /* an operand has numbers of the devices that are asked for */
};

/* A sentence for what can't be asked of --vs, a base and --where; NULL: all can. */
const char *sides_refused(const struct options *opt);

/* The side of the nth operand. */
typedef enum side sides_of(const struct options *opt, int nth);

/* By --vs; without it two runs are base and new, more are on no side. */
enum side sides_plain(const struct options *opt, int nth);

/* The numbers that are asked for, with the options as context; NULL: what people look at
 * first. */
compare_wanted *sides_wanted(const struct options *opt);

/* Why a comparison is not whole. */
extern const char sides_missing[];

/*
 * Loads every run, beside those of --baseline-db, and compares what is wanted (with the
 * options as context). -1: it is said why there is no comparison. Release in either case.
 */
int sides_load(struct sides *sides, const struct options *opt, const struct named *named,
	sides_of *side_of, compare_wanted *wanted, const struct console *console);
void sides_release(struct sides *sides);

#endif
