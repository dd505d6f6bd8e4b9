/*
 * Formats numbers, durations and instants for people: rounded, grouped, in words. Only
 * for text formats; formats for programs use base/number.h and base/timestamp.h.
 */
#ifndef BASE_QUANTITY_H
#define BASE_QUANTITY_H

#include "base/text.h"

/* "3,112,204.1"; NaN: "-", for unknown is not nought. */
void quantity_number(struct strbuf *sb, double x, int decimals);
void quantity_count(struct strbuf *sb, uint64_t n);

/* "12.3 s", "2 min 03 s", "1 h 02 min 03 s", "3 d 04 h 05 min"; NaN: "-". */
void quantity_span(struct strbuf *sb, double seconds);

/* The same to the last digit of what somebody gave: "1 min 40.25 s"; not below 0. */
void quantity_given(struct strbuf *sb, int64_t ns);

/* "2026-03-01 12:00:00", UTC, whole seconds; TIME_NONE: "-"; of a run without a wall
 * clock "12.3 s", from its begin on; of a clock without a date "12:00:00", and from the
 * second day on "day 2 12:00:00". */
void quantity_when(struct strbuf *sb, int64_t t_ns);

/* The same for two dated instants; of the second one only the clock if the day is the
 * same. */
void quantity_from_to(struct strbuf *sb, int64_t from_ns, int64_t to_ns);

/* "14.7 Wh (53,074 J)", "1.31 kWh (4,716,000 J)" */
void quantity_energy(struct strbuf *sb, double joules);

/* "98.2 %" of a ratio; never "100.0 %" for less than the whole. */
void quantity_ratio(struct strbuf *sb, double ratio);

/* Names of signals, for the exit status of a command. */

/* "SIGKILL"; NULL: none, or one without a name; static. */
const char *signal_name(int32_t number);

/* Of an exit status: a shell adds the signal that ended a command to 128. 0: none did. */
int32_t signal_of_status(int32_t status);
int32_t status_of_signal(int32_t signal); /* ... and the other way round */

#endif
