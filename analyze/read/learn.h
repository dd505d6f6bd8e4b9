/* What is to be known of a file before its rows can be read. */
#ifndef READ_LEARN_H
#define READ_LEARN_H

#include "read/prefix.h"
#include "read/probe.h"
#include "read/reading.h"

/* What another program put before the lines. */
struct prefix prefix_find(const struct probe *probe);

/* Do neither the prefix nor the rows have a time? */
bool prefix_is_timeless(const struct probe *probe, const struct prefix *prefix);

/*
 * Did several tasks or containers write the log? Each printed a header of its own, and
 * lines of the first come behind that of another.
 */
bool prefix_is_mixed(const struct probe *probe, const struct prefix *prefix);

/*
 * The order of the dates in a probe and, where one of them may be either and none
 * decides, in the lines behind it: then the log is read on, to its end if need be. A
 * number above 12 decides, a weekday, or a clock that passes midnight in one of the
 * orders only.
 */
enum day_order day_order_find(const struct probe *probe, struct log *log);

/* What the column "gpu" of a query, or of dmon's CSV, holds. */
enum gpu_column gpu_column_find(struct reading *reading, size_t file);

/* Finds the ids of a query log that two indexes have in one round, and says so. */
void shared_ids_find(struct reading *reading, size_t file);

/* Finds out whether of two guessed amounts of memory one is what is free. */
void memory_pair_settle(struct reading *reading, size_t file);

/*
 * Finds out whether lines between the rows of dmon, pmon or compute-apps say when they
 * were written; the file's route lets them through then.
 */
void around_find(struct reading *reading, size_t file);

/*
 * Gives files without a header that of another file of the same log, which was rotated or
 * cut into pieces.
 */
void reading_ask_siblings(struct reading *reading);

#endif
