/*
 * What other programs put before every line of a log: ts, a job's log, docker-compose,
 * journalctl, srun -l. A header shows how many words that are, because behind them it is
 * one; they are cut from every line.
 */
#ifndef READ_PREFIX_H
#define READ_PREFIX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"
#include "read/format.h"

#define PREFIX_WORDS_MAX 6

/* How many words the lines of a file have before what nvidia-smi wrote; 0: none. */
size_t prefix_words(const struct probe *probe);

/* The line behind so many words; one that has no more of them stays as it is. */
struct span prefix_cut(struct span line, size_t words);

/* Do the first words number several tasks ("0:", "1:")? Then their logs are mixed. */
bool prefix_is_mixed(const struct probe *probe);

#endif
