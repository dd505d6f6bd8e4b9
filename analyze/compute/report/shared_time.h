/*
 * How far two logs of a GPU saw the same time: means of different times say nothing of
 * the logs. README.md, "Findings".
 */
#ifndef COMPUTE_SHARED_TIME_H
#define COMPUTE_SHARED_TIME_H

#include "model/report.h"

/*
 * The time that the query log of a GPU and its dmon both cover, over that of the one that
 * covers more, 0 to 1. NAN: one of them is not there or has no times, or not all of its
 * gaps are listed.
 */
double shared_time(const struct report *report, uint32_t device);

/*
 * The part of the query log's time that dmon has not, and that of dmon's that the query
 * log has not, together, 0 to 2; NAN as above. So much of its range what only one of them
 * saw may move their means apart.
 */
double unshared_time(const struct report *report, uint32_t device);

#endif
