/*
 * A line that is nothing but the time, as wrappers print it between the outputs of
 * nvidia-smi: date(1) in its usual orders and languages, ISO 8601, seconds since 1970,
 * and cmd.exe's "date" and "time" one after the other. Knows one line at a time: what
 * a file has decided, its caller knows (log.h).
 */
#ifndef READ_CLOCK_LINE_H
#define READ_CLOCK_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "base/timestamp.h"

/* Which number of 03/04/2024 is the day. A file has one order. */
enum day_order {
	DAYS_UNKNOWN, /* not decided; what may be either is read month first */
	MONTH_FIRST,
	DAY_FIRST
};

/* What a time does not say. */
enum clock_lacks {
	CLOCK_LACKS_NOTHING,
	CLOCK_LACKS_YEAR, /* "Mar 11 15:13:16", as ts and syslog write it */
	CLOCK_LACKS_DATE
};

struct clock_line {
	/* What is lacking is so that the time is nearest to near_ns; zeroed: nothing is
	 */
	enum clock_lacks lacks;
	int64_t near_ns;
	int64_t date_ns; /* of the last line that had a date; zeroed: none */
	bool has_date;
	/* of the last line that was one */
	enum day_order order; /* the only one that its date can have; else unknown */
	bool either; /* its date can be read in both orders, and means two days */
	struct span zone_word; /* one that is not known, or of several zones; len 0 */
	int64_t zone_ns; /* what that was taken for; TIME_NONE: nothing, the zone applies
			  */
};

enum clock_result {
	CLOCK_NOT, /* some other line */
	CLOCK_PART, /* a date without a clock: the clock will follow */
	CLOCK_TIME,
	CLOCK_CONTRADICTS /* its date can't have the order that was given */
};

/*
 * *t_ns is the instant: what the line says of its zone ("PDT", "+0200") goes before the
 * zone that is given. zone_word points into the line. A date that contradicts the order
 * is forgotten, so that no clock behind it takes an older one.
 */
enum clock_result clock_line_read(struct clock_line *clock, struct span line,
	const struct zone *zone, enum day_order order, int64_t *t_ns);

/* What a line is by itself, in whatever zone; lacks: what it need not say. */
enum clock_result clock_line_kind(struct span line, enum clock_lacks lacks);

/* The day on which a clock is nearest to a time, by the wall clock. None before 1970. */
int64_t clock_nearest_day(int64_t clock_ns, int64_t near_ns);

/* Is a cell a time: nvidia-smi's, in words, or a number since 1970? */
bool clock_is_cell(struct span cell);

/*
 * The words of a time: names of days and months as date(1) prints them in English,
 * German, French and Spanish, the labels of cmd.exe's date and time in these, and the
 * abbreviations of zones. Knows nothing of the line that they stand in.
 */

enum zone_word {
	ZONE_WORD_NONE, /* not one that is known */
	ZONE_WORD_KNOWN,
	ZONE_WORD_ASSUMED /* of several zones; the most common one is taken */
};

/* The line that collect writes before each snapshot: "# t=1763632800.123456789 ...". */
bool marker_is(struct span line);

#endif
