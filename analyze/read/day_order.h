/*
 * Which number of 03/04/2024 is the day: a file decides it once. Looks for dates with
 * slashes in any text; what else the lines are, it does not know.
 */
#ifndef READ_DAY_ORDER_H
#define READ_DAY_ORDER_H

#include "read/clock_line.h"
#include "read/probe.h"

/*
 * The order of the dates in a probe and, where one of them may be either and none
 * decides, in the lines behind it: then the log is read on, to its end if need be. A
 * number above 12 decides, a weekday, or a clock that passes midnight in one of the
 * orders only.
 */
enum day_order day_order_find(const struct probe *probe, struct log *log);

#endif
