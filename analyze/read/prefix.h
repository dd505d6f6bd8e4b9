/*
 * What other programs put before every line of a log: ts, a job's log, docker-compose,
 * journalctl, srun -l. A header shows how many words that are, because behind them it is
 * one; without any a time does that stands before the amounts of nearly every line. They
 * are cut from every line.
 */
#ifndef READ_PREFIX_H
#define READ_PREFIX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"
#include "base/timestamp.h"
#include "read/probe.h"

#define PREFIX_WORDS_MAX 6

struct prefix {
	size_t words; /* before what nvidia-smi wrote; 0: none */
	size_t time_from, time_to; /* those of them that say the time; none if equal */
	bool host; /* the first one is a host, as pdsh has it: "node1:" */
};

struct prefix prefix_find(const struct probe *probe);

/* The line behind its prefix; one that is shorter than that stays as it is. */
struct span prefix_cut(struct span line, const struct prefix *prefix);

/* The words of a line that say the time; len 0: no words do. */
struct span prefix_time(struct span line, const struct prefix *prefix);

/* The host that a line is of; len 0: it does not say. */
struct span prefix_host(struct span line, const struct prefix *prefix);

/*
 * Do the first words number several tasks ("0:", "1:"), or name several containers
 * ("web-1  |")? Then their logs are mixed.
 */
bool prefix_is_mixed(const struct probe *probe);

#endif
