/*
 * Instants: int64 nanoseconds since 1970-01-01T00:00:00Z, leap seconds ignored.
 */
#ifndef BASE_TIMESTAMP_H
#define BASE_TIMESTAMP_H

#include "base/diag.h"

#define NS_PER_S   1000000000LL
#define NS_PER_DAY (86400LL * NS_PER_S)

/* An instant that is not known: before every instant that a log can carry. */
#define TIME_NONE INT64_MIN

/*
 * Where a run begins whose logs have no times, but are known to have ticks of one length:
 * before all that a log can carry, so that no such instant is taken for a wall clock's.
 * All that is known of it is how long after the begin it was. A multiple of any column of
 * a timeline; 36 years.
 */
#define TIME_BEGIN (-(INT64_C(1) << 60))
#define TIME_DATED (-365 * NS_PER_DAY) /* from here on instants are a wall clock's */

/* Is the instant known by a wall clock? */
static inline bool time_is_dated(int64_t t_ns)
{
	return t_ns >= TIME_DATED;
}

/* Of a clock that shows no date, or was never set: the first month of 1970. */
static inline bool time_is_clock_alone(int64_t t_ns)
{
	return t_ns >= -NS_PER_DAY && t_ns < 31 * NS_PER_DAY;
}

static inline int64_t time_earlier(int64_t a_ns, int64_t b_ns)
{
	return a_ns < b_ns ? a_ns : b_ns;
}

static inline int64_t time_later(int64_t a_ns, int64_t b_ns)
{
	return a_ns > b_ns ? a_ns : b_ns;
}

/*
 * The times that are read: from 1970 (a clock whose battery is empty) to before 2200. The
 * difference of any two fits into int64.
 */
#define TIME_YEAR_MIN 1970
#define TIME_YEAR_MAX 2199
#define TIME_END_NS   (7258118400LL * NS_PER_S) /* 2200-01-01 */

/*
 * Where a log's wall clock stands that does not say so itself. UTC, a fixed offset,
 * or a zone of the system's database; the latter is process-wide (tzset).
 */
struct zone {
	char name[64]; /* as the report prints it: "UTC", "+08:00", "Europe/Berlin" */
	bool fixed;
	int64_t offset_ns; /* east of UTC, if fixed */
	bool second; /* of an hour that comes twice in autumn the second is meant */
	bool *asked; /* set where a time that names no zone was read in it; NULL */
};

#define ZONE_UTC ((struct zone){"UTC", true, 0, false, NULL})

/* "UTC", "Z", "+HH:MM", "-HHMM", or a name below /usr/share/zoneinfo. */
int zone_parse(struct zone *zone, const char *text, struct error *err);

/* Days since 1970-01-01 of a date of the proleptic Gregorian calendar. */
int64_t time_days(int year, int month, int day);

/* The instant of a wall clock reading, given as if it were UTC, in a zone. */
int64_t time_from_wall(int64_t wall_ns, const struct zone *zone);

/* The other way round: what the wall clock showed, as if it were UTC. */
int64_t time_to_wall(int64_t t_ns, const struct zone *zone);

/*
 * Reads a whole span: nvidia-smi's "YYYY/MM/DD HH:MM:SS.mmm", ISO 8601 with blank or T,
 * "YYYYMMDD HH:MM:SS", "YYYYMMDD_HHMMSS" (or with T, -, or nothing), each with up to nine
 * digits of a second, "Z" or an offset behind it; else the zone applies. False: not such
 * a time.
 */
bool time_parse(struct span s, const struct zone *zone, int64_t *t_ns);

/* Decimal seconds since 1970, as time.time() prints them, to the nanosecond. */
bool time_parse_epoch(struct span s, int64_t *t_ns);
/* The same of what can be nothing but a time, however soon after 1970. */
bool time_parse_seconds(struct span s, int64_t *t_ns);

/*
 * The same in the unit that its size tells: seconds from 1e8, milliseconds from 1e11,
 * microseconds from 1e14, nanoseconds from 1e17, each up to 72.58 times that (2200).
 */
bool time_parse_epoch_any(struct span s, int64_t *t_ns);

/* HH:MM:SS[.fff] as nanoseconds since midnight. */
bool time_parse_clock(struct span s, int64_t *ns);

/* "Z", "UTC", "+HH:MM", "-HHMM" or "+HH" as nanoseconds east of UTC. */
bool time_parse_offset(struct span s, int64_t *offset_ns);

/* YYYYMMDD, YYYY-MM-DD or YYYY/MM/DD as nanoseconds, midnight UTC. */
bool time_parse_date(struct span s, int64_t *ns);

/* Appends RFC 3339 in UTC, with as many digits of a second as needed (0, 3, 6 or 9); of
 * an instant that no wall clock told how long it is after TIME_BEGIN: "12.500 s". */
void time_print(struct strbuf *sb, int64_t t_ns);

#endif
