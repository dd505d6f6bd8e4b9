/*
 * Every word of the line must be a part of a time: a weekday, a month's name, a day, a
 * year, a clock, AM or PM, a zone. The order does not matter, so one rule reads what
 * date(1) prints in all languages whose names are known.
 */
#include "read/clock_line.h"

#include <string.h>

#include "base/number.h"
#include "read/clock_words.h"

/* What the words have said so far; -1: nothing yet. */
struct parts {
	int year, month, day, weekday;
	int64_t date_ns; /* of a date in one word; -1 */
	int64_t clock_ns; /* -1 */
	int half; /* 0 AM, 1 PM, -1 */
	struct clock_name either; /* a month or a weekday */
	int eithers; /* how often that came */
	struct span zone; /* its word; len 0: none */
	char separator; /* of a date such as "08/18/2020" or "18.08.2020"; 0: none */
	int first, second; /* of such a date */
};

static bool is_punctuation(char c)
{
	return c && strchr("=-#*_[](){}<>|:,.", c);
}

/* "=== Tue Jun 9 ... ===" and "Date: ..." */
static struct span undecorated(struct span line)
{
	struct span word, rest;

	while (line.len && is_punctuation(line.at[0]))
		line.at++, line.len--;
	while (line.len && is_punctuation(line.at[line.len - 1]))
		line.len--;
	line = clock_without_label(span_trim(line));
	rest = line;
	word = span_word(&rest);
	if (word.len > 1 && word.at[word.len - 1] == ':' && rest.len)
		return span_trim(rest);
	return line;
}

static bool set_once(int *part, int value)
{
	if (*part >= 0 || value < 0)
		return false;
	*part = value;
	return true;
}

/* A day or a month; what may be either waits for the others. */
static bool take_name(struct parts *p, struct span word)
{
	struct clock_name name;

	if (!clock_name_find(word, &name))
		return false;
	if (name.month < 0)
		return set_once(&p->weekday, name.weekday);
	if (name.weekday < 0)
		return set_once(&p->month, name.month);
	p->either = name;
	return p->eithers++ < 2;
}

/* Behind the clock: "CEST", "+0200"; whether it is known, and where it is, is for later.
 */
static bool take_zone(struct parts *p, struct span word)
{
	int64_t offset_ns;

	if (p->zone.len)
		return false;
	p->zone = word;
	if (span_is_nocase(word, "utc") || span_is_nocase(word, "gmt") ||
		span_is(word, "Z"))
		return true;
	if (p->clock_ns < 0)
		return false;
	if (time_parse_offset(word, &offset_ns))
		return true;
	for (size_t i = 0; i < word.len; i++)
		if (word.at[i] < 'A' || word.at[i] > 'Z')
			return zone_word_find(word, &ZONE_UTC, 0, &offset_ns) !=
				ZONE_WORD_NONE;
	return word.len >= 2 && word.len <= 5;
}

/* HH:MM, and with seconds whatever time_parse_clock reads. */
static bool take_clock(struct parts *p, struct span word)
{
	uint64_t hour, minute;
	const char *colon = memchr(word.at, ':', word.len);
	size_t before;

	if (!colon || p->clock_ns >= 0)
		return false;
	before = (size_t)(colon - word.at);
	if (!memchr(colon + 1, ':', word.len - before - 1)) {
		if (before > 2 || word.len - before != 3 ||
			!number_unsigned((struct span){word.at, before}, &hour) ||
			!number_unsigned((struct span){colon + 1, 2}, &minute) ||
			hour > 23 || minute > 59)
			return false;
		p->clock_ns = (int64_t)(hour * 60 + minute) * 60 * NS_PER_S;
		return true;
	}
	if (before == 1) { /* "3:44:03" */
		char padded[32] = "0";

		if (word.len > sizeof padded - 2)
			return false;
		memcpy(padded + 1, word.at, word.len);
		return time_parse_clock(
			(struct span){padded, word.len + 1}, &p->clock_ns);
	}
	return time_parse_clock(word, &p->clock_ns);
}

/* "08/18/2020", "18.08.2020": which of the first two is the day is for later. */
static bool take_numeric(struct parts *p, struct span word)
{
	char separator = word.len && memchr(word.at, '/', word.len) ? '/' : '.';
	uint64_t number[3];
	int count = 0;

	for (size_t from = 0, i = 0; i <= word.len; i++) {
		if (i < word.len && word.at[i] != separator)
			continue;
		if (count == 3 ||
			!number_unsigned((struct span){word.at + from, i - from},
				&number[count++]))
			return false;
		from = i + 1;
	}
	if (count != 3 || number[0] < 1 || number[0] > 31 || number[1] < 1 ||
		number[1] > 31 || number[2] < TIME_YEAR_MIN || number[2] > TIME_YEAR_MAX)
		return false;
	p->first = (int)number[0];
	p->second = (int)number[1];
	p->separator = separator;
	return set_once(&p->year, (int)number[2]);
}

static bool take_word(struct parts *p, struct span word)
{
	uint64_t number;
	int64_t date_ns;

	if (word.at[0] != '+' && number_unsigned(word, &number)) {
		if (number >= TIME_YEAR_MIN && number <= TIME_YEAR_MAX)
			return set_once(&p->year, (int)number);
		return number >= 1 && number <= 31 && set_once(&p->day, (int)number);
	}
	if (span_is_nocase(word, "am") || span_is_nocase(word, "pm"))
		return set_once(&p->half, word.at[0] == 'p' || word.at[0] == 'P');
	if (take_clock(p, word) || take_numeric(p, word) || take_name(p, word) ||
		clock_word_is_idle(word))
		return true;
	if (word.at[0] < '0' || word.at[0] > '9')
		return take_zone(p, word);
	if (p->date_ns >= 0 || !time_parse_date(word, &date_ns))
		return false;
	p->date_ns = date_ns;
	return true;
}

static bool is_date(int year, int month, int day)
{
	return month >= 1 && month <= 12 && day >= 1 &&
		time_days(year, month, day) < time_days(year, month + 1, 1);
}

/* 0 is Sunday; 1970-01-01 was a Thursday. */
static int weekday_of(int year, int month, int day)
{
	return (int)((time_days(year, month, day) + 4) % 7);
}

/* A date that there is, on the weekday that is said; both must agree. */
static bool is_day(const struct parts *p, int month, int day)
{
	return is_date(p->year, month, day) &&
		(p->weekday < 0 || weekday_of(p->year, month, day) == p->weekday);
}

/*
 * Between dots the day is first. Between slashes the sizes of the numbers tell, or the
 * weekday; where both orders are dates, the one that is given, else month first, as in
 * the USA. False: in neither order it is a date.
 */
static bool resolve_numeric(
	struct parts *p, struct clock_line *clock, enum day_order order)
{
	bool us = p->separator == '/' && is_day(p, p->first, p->second);
	bool others = is_day(p, p->second, p->first);

	clock->either = us && others && p->first != p->second;
	if (p->separator == '/' && us != others)
		clock->order = us ? MONTH_FIRST : DAY_FIRST;
	if (us && others)
		us = order != DAY_FIRST;
	p->month = us ? p->first : p->second;
	p->day = us ? p->second : p->first;
	return us || others;
}

/* Midnight is 12 AM, noon 12 PM. */
static bool resolve_half(struct parts *p)
{
	int64_t hour_ns = 3600 * NS_PER_S, hour = p->clock_ns / hour_ns;

	if (p->half < 0 || p->clock_ns < 0)
		return p->half < 0;
	if (hour < 1 || hour > 12)
		return false;
	if (hour == 12)
		p->clock_ns -= 12 * hour_ns;
	if (p->half)
		p->clock_ns += 12 * hour_ns;
	return true;
}

/* "mar" is a weekday where another word is the month, and both if it came twice. */
static bool resolve_either(struct parts *p)
{
	bool weekday = p->eithers == 2 || (p->eithers == 1 && p->month >= 0);
	bool month = p->eithers == 2 || (p->eithers == 1 && p->month < 0);

	return (!weekday || set_once(&p->weekday, p->either.weekday)) &&
		(!month || set_once(&p->month, p->either.month));
}

/* "(UTC+0200)", "janv.", "2024," */
static struct span without_marks(struct span word)
{
	while (word.len && strchr(",.)", word.at[word.len - 1]) && word.at[word.len - 1])
		word.len--;
	if (word.len && word.at[0] == '(')
		word.at++, word.len--;
	return word;
}

/* The instant of a wall clock reading: what the line says of its zone goes before ours.
 */
static int64_t find_instant(struct clock_line *clock, int64_t wall_ns,
	const struct zone *zone, struct span word)
{
	int64_t offset_ns;

	if (!word.len)
		return time_from_wall(wall_ns, zone);
	if (time_parse_offset(word, &offset_ns))
		return wall_ns - offset_ns;
	switch (zone_word_find(word, zone, wall_ns, &offset_ns)) {
	case ZONE_WORD_KNOWN:
		return wall_ns - offset_ns;
	case ZONE_WORD_ASSUMED:
		clock->zone_word = word;
		clock->zone_ns = offset_ns;
		return wall_ns - offset_ns;
	case ZONE_WORD_NONE:
		break;
	}
	clock->zone_word = word;
	clock->zone_ns = TIME_NONE;
	return time_from_wall(wall_ns, zone);
}

/* The whole line as one time that says its date and clock. */
static bool read_whole(struct span line, const struct zone *zone, int64_t *t_ns)
{
	if (time_parse(line, zone, t_ns))
		return true;
	/* Seconds since 1970: nobody counts to 2001 by chance. */
	return time_parse_epoch(line, t_ns) && *t_ns >= NS_PER_S * 1000000000LL;
}

enum clock_result clock_line_read(struct clock_line *clock, struct span line,
	const struct zone *zone, enum day_order order, int64_t *t_ns)
{
	struct parts p = {.year = -1,
		.month = -1,
		.day = -1,
		.weekday = -1,
		.date_ns = -1,
		.clock_ns = -1,
		.half = -1};

	clock->order = DAYS_UNKNOWN;
	clock->either = false;
	clock->zone_word = (struct span){NULL, 0};
	line = undecorated(line);
	if (!line.len || line.len > 80)
		return CLOCK_NOT;
	if (read_whole(line, zone, t_ns))
		return CLOCK_TIME;
	while (line.len) {
		struct span word = span_word(&line);

		word = without_marks(word);
		if (word.len && !take_word(&p, word))
			return CLOCK_NOT;
	}
	if (!resolve_half(&p) || !resolve_either(&p) ||
		(p.separator && !resolve_numeric(&p, clock, order)))
		return CLOCK_NOT;
	if (p.year >= 0 || p.month >= 0 || p.day >= 0) {
		if (p.date_ns >= 0 || p.year < 0 || !is_day(&p, p.month, p.day))
			return CLOCK_NOT;
		p.date_ns = time_days(p.year, p.month, p.day) * NS_PER_DAY;
	}
	if (order && clock->order && clock->order != order) {
		clock->has_date = false;
		return CLOCK_CONTRADICTS;
	}
	if (p.date_ns >= 0) {
		clock->date_ns = p.date_ns;
		clock->has_date = true;
	}
	if (p.clock_ns < 0)
		return p.date_ns >= 0 ? CLOCK_PART : CLOCK_NOT;
	if (!clock->has_date)
		return CLOCK_NOT;
	*t_ns = find_instant(clock, clock->date_ns + p.clock_ns, zone, p.zone);
	return CLOCK_TIME;
}
