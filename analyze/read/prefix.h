/*
 * What other programs put before every line of a log: ts, a job's log, docker-compose,
 * journalctl, srun -l, grep -H. A header shows how many words that are, or up to which
 * character, because behind them it is one; without any a time does that stands before
 * the amounts of nearly every line. They are cut from every line.
 */
#ifndef READ_PREFIX_H
#define READ_PREFIX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "base/timestamp.h"
#include "model/run.h"
#include "read/clock_line.h"
#include "read/probe.h"

#define PREFIX_WORDS_MAX 8

struct prefix {
	size_t words; /* before what nvidia-smi wrote; what is in parentheses is one */
	char glue; /* ... and then text up to ... */
	size_t glues; /* ... the so many-th such character; 0: none */
	size_t time_from, time_to; /* those of the words, text that is glued being the
				      last, that say the time; none if equal */
	enum clock_lacks lacks; /* what that time does not say */
	bool elapsed; /* ... as it counts from the first line */
	bool host; /* the first one is a host, as pdsh has it: "node1:" */
	const char *member; /* behind all that is a JSON object, whose string of that
			       name is the line; NULL */
	bool object_time; /* ... and which has a time of its own */
	bool rows_only; /* the header has none; only lines that begin with a time do */
};

static inline bool prefix_is_any(const struct prefix *prefix)
{
	return prefix->words || prefix->glues || prefix->member;
}

/* Does it say the time? */
bool prefix_has_time(const struct prefix *prefix);

/* The line behind its prefix; one that is shorter than that stays as it is. */
struct span prefix_cut(struct span line, const struct prefix *prefix);

/* The words of a line that say the time; len 0: no words do. */
struct span prefix_time(struct span line, const struct prefix *prefix);

/* The host that a line is of; len 0: it does not say. */
struct span prefix_host(struct span line, const struct prefix *prefix);

/* The next word of a prefix; what is in parentheses is one. len 0: none left. */
struct span prefix_word(struct span *rest);

/*
 * Text that another program put right before or behind a column's name, without a
 * blank between: "gpu0.csv:timestamp" of grep, "{"log":"timestamp" of docker.
 */

/* What is cut off, and what is left; false: the line is shorter than that. */
bool prefix_split(struct span line, const struct prefix *prefix, struct span *before,
	struct span *rest);

/* Are those words a time, in whatever zone and order of days? */
bool prefix_says_time(struct span line, const struct prefix *prefix);

#endif
