/*
 * Every word of the line must be a part of a time: a weekday, a month's name, a day, a
 * year, a clock, AM or PM, a zone. The order does not matter, so one rule reads what
 * date(1) prints in all languages whose names are known.
 */
#include "read/clock_line.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"
#include "base/text.h"
#include "base/timestamp.h"

/* What a name may mean; "mar" is March, and Tuesday in French and Spanish. */
struct clock_name {
	int weekday; /* 0: Sunday; -1: none */
	int month; /* from 1; -1: none */
};

/*
 * Tables. Zones: RFC 5322's, and what the tz database calls them; of those with one
 * name the first is the common one.
 */

#define WORD_MAX 16 /* letters; no name is longer */

/* A name, and the letters of it that must be there. */
struct name {
	const char *text;
	size_t least;
	int value;
};

static const struct name weekdays[] = {{"sunday", 3, 0}, {"monday", 3, 1},
	{"tuesday", 3, 2}, {"wednesday", 3, 3}, {"thursday", 3, 4}, {"friday", 3, 5},
	{"saturday", 3, 6}, {"sonntag", 2, 0}, {"montag", 2, 1}, {"dienstag", 2, 2},
	{"mittwoch", 2, 3}, {"donnerstag", 2, 4}, {"freitag", 2, 5}, {"samstag", 2, 6},
	{"sonnabend", 5, 6}, {"dimanche", 3, 0}, {"lundi", 3, 1}, {"mardi", 3, 2},
	{"mercredi", 3, 3}, {"jeudi", 3, 4}, {"vendredi", 3, 5}, {"samedi", 3, 6},
	{"domingo", 3, 0}, {"lunes", 3, 1}, {"martes", 3, 2}, {"miercoles", 3, 3},
	{"jueves", 3, 4}, {"viernes", 3, 5}, {"sabado", 3, 6}};

static const struct name months[] = {{"january", 3, 1}, {"february", 3, 2},
	{"march", 3, 3}, {"april", 3, 4}, {"may", 3, 5}, {"june", 3, 6}, {"july", 3, 7},
	{"august", 3, 8}, {"september", 3, 9}, {"october", 3, 10}, {"november", 3, 11},
	{"december", 3, 12}, {"januar", 3, 1}, {"janner", 3, 1}, {"februar", 3, 2},
	{"marz", 3, 3}, {"maerz", 3, 3}, {"mrz", 3, 3}, {"mai", 3, 5}, {"juni", 3, 6},
	{"juli", 3, 7}, {"oktober", 3, 10}, {"dezember", 3, 12}, {"janvier", 3, 1},
	{"fevrier", 3, 2}, {"mars", 4, 3}, {"avril", 3, 4}, {"juin", 4, 6},
	{"juillet", 4, 7}, {"aout", 3, 8}, {"septembre", 3, 9}, {"octobre", 3, 10},
	{"novembre", 3, 11}, {"decembre", 3, 12}, {"enero", 3, 1}, {"febrero", 3, 2},
	{"marzo", 3, 3}, {"abril", 3, 4}, {"mayo", 3, 5}, {"junio", 3, 6},
	{"julio", 3, 7}, {"agosto", 3, 8}, {"septiembre", 3, 9}, {"octubre", 3, 10},
	{"noviembre", 3, 11}, {"diciembre", 3, 12}};

/* The letter without its accent, of those that the names have; byte as in Latin-1. */
static char plain_letter(unsigned char byte)
{
	static const struct {
		unsigned char from, to;
		char letter;
	} ranges[] = {{0xe0, 0xe5, 'a'}, {0xe8, 0xeb, 'e'}, {0xec, 0xef, 'i'},
		{0xf2, 0xf6, 'o'}, {0xf9, 0xfc, 'u'}};

	if (byte >= 'A' && byte <= 'Z')
		return (char)(byte | 0x20);
	if (byte >= 'a' && byte <= 'z')
		return (char)byte;
	if (byte >= 0xc0)
		byte |= 0x20; /* the small one */
	for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
		if (byte >= ranges[i].from && byte <= ranges[i].to)
			return ranges[i].letter;
	return '\0';
}

/* Small letters without accents; how many, 0: something else is among them. */
static size_t plain_letters(struct span word, char *plain)
{
	size_t len = 0;

	if (word.len > 2 * WORD_MAX)
		return 0;
	for (size_t i = 0; i < word.len; i++) {
		unsigned char byte = (unsigned char)word.at[i];

		if (byte == 0xc3 && i + 1 < word.len) { /* U+00C0 to U+00FF in UTF-8 */
			byte = (unsigned char)word.at[++i];
			byte |= 0x40;
		}
		if (len == WORD_MAX || !(plain[len++] = plain_letter(byte)))
			return 0;
	}
	return len;
}

static int find_name(
	const struct name *names, size_t count, const char *plain, size_t len)
{
	for (size_t i = 0; i < count; i++)
		if (names[i].text[0] == plain[0] && len >= names[i].least &&
			strncmp(names[i].text, plain, len) == 0)
			return names[i].value;
	return -1;
}

/*
 * Whole or cut names, in either case, accents in UTF-8, Latin-1, or left out. False:
 * neither a day nor a month.
 */
static bool clock_name_find(struct span word, struct clock_name *name)
{
	char plain[WORD_MAX + 1] = "";
	size_t len = plain_letters(word, plain);

	if (len < 2)
		return false;
	name->weekday =
		find_name(weekdays, sizeof weekdays / sizeof weekdays[0], plain, len);
	name->month = find_name(months, sizeof months / sizeof months[0], plain, len);
	return name->weekday >= 0 || name->month >= 0;
}

/*
 * The line behind "The current date is: " and its translations; else the line itself.
 */
static struct span clock_without_label(struct span line)
{
	static const char *const labels[] = {"The current date is", "The current time is",
		"Aktuelles Datum", "Aktuelle Uhrzeit", "La date du jour est",
		"L'heure actuelle est", "La fecha actual es", "La hora actual es"};

	for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
		size_t len = strlen(labels[i]);
		struct span rest = {line.at + len, line.len - len};

		if (line.len <= len || strncasecmp(line.at, labels[i], len) != 0)
			continue;
		rest = span_trim(rest);
		if (span_begins(rest, ":"))
			return span_trim((struct span){rest.at + 1, rest.len - 1});
	}
	return line;
}

static const struct {
	char name[6];
	int minutes; /* east of UTC */
} zones[] = {{"UTC", 0}, {"GMT", 0}, {"UT", 0}, {"WET", 0}, {"WEST", 60}, {"CET", 60},
	{"CEST", 120}, {"MEZ", 60}, {"MESZ", 120}, {"EET", 120}, {"EEST", 180},
	{"BST", 60}, {"BST", 360}, /* of Great Britain, of Bangladesh */
	{"MSK", 180}, {"TRT", 180}, {"IDT", 180}, {"GST", 240}, {"PKT", 300},
	{"IST", 330}, {"IST", 120}, {"IST", 60}, /* of India, of Israel, of Ireland */
	{"NPT", 345}, {"ICT", 420}, {"WIB", 420}, {"HKT", 480}, {"SGT", 480},
	{"AWST", 480}, {"JST", 540}, {"KST", 540}, {"ACST", 570}, {"ACDT", 630},
	{"AEST", 600}, {"AEDT", 660}, {"NZST", 720}, {"NZDT", 780}, {"SAST", 120},
	{"CAT", 120}, {"WAT", 60}, {"EAT", 180}, {"BRT", -180}, {"ART", -180},
	{"NST", -210}, {"NDT", -150}, {"AST", -240}, {"AST", 180}, /* Atlantic, Arabian */
	{"ADT", -180}, {"EST", -300}, {"EDT", -240}, {"CST", -360}, {"CST", 480},
	{"CST", -300}, /* of America, of China, of Cuba */
	{"CDT", -300}, {"MST", -420}, {"MDT", -360}, {"PST", -480}, {"PDT", -420},
	{"AKST", -540}, {"AKDT", -480}, {"HST", -600}};

/* "UTC" as others write it, with an offset or without: "GMT+0200", "Z". */
static bool read_utc(struct span word, int64_t *offset_ns)
{
	bool named = word.len >= 3 &&
		(strncasecmp(word.at, "utc", 3) == 0 ||
			strncasecmp(word.at, "gmt", 3) == 0);

	*offset_ns = 0;
	if (span_is(word, "Z"))
		return true;
	if (!named || word.len == 3)
		return named;
	return time_parse_offset((struct span){word.at + 3, word.len - 3}, offset_ns);
}

/*
 * How far east of UTC, in ns, an abbreviation of a zone is: "CEST", "GMT+0200". Of one
 * of several zones ("CST") that one is meant in which the given zone's clock agrees,
 * which shows wall_ns; else the most common one.
 */
static enum zone_word zone_word_find(
	struct span word, const struct zone *zone, int64_t wall_ns, int64_t *offset_ns)
{
	struct zone quiet = *zone;
	int64_t here_ns;
	size_t meanings = 0;

	if (read_utc(word, offset_ns))
		return ZONE_WORD_KNOWN;
	quiet.asked = NULL; /* a comparison doesn't read the time in it */
	here_ns = wall_ns - time_from_wall(wall_ns, &quiet);
	for (size_t i = 0; i < sizeof zones / sizeof zones[0]; i++) {
		int64_t meant_ns = zones[i].minutes * 60 * NS_PER_S;

		if (!span_is(word, zones[i].name))
			continue;
		if (!meanings++ || meant_ns == here_ns)
			*offset_ns = meant_ns;
		if (meant_ns == here_ns)
			return ZONE_WORD_KNOWN;
	}
	return meanings == 0	? ZONE_WORD_NONE
		: meanings == 1 ? ZONE_WORD_KNOWN
				: ZONE_WORD_ASSUMED;
}

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

#define CLOCK_MAX 40 /* characters of a clock, padded */

/* "3:44:03", "10:2:7.5": with zeros before single digits. False: it has no such. */
static bool two_digits(struct span word, char *padded)
{
	size_t len = 0, digits = 0;
	bool any = false;

	for (size_t i = 0; i < word.len && len + 2 < CLOCK_MAX; i++) {
		bool digit = word.at[i] >= '0' && word.at[i] <= '9';
		bool ends = i + 1 < word.len && memchr(":.", word.at[i + 1], 2);

		if (digit && !digits && ends && (!i || word.at[i - 1] == ':')) {
			padded[len++] = '0';
			any = true;
		}
		digits = digit ? digits + 1 : 0;
		padded[len++] = word.at[i];
	}
	padded[len] = '\0';
	return any;
}

/* HH:MM, and with seconds whatever time_parse_clock reads. */
static bool take_clock(struct parts *p, struct span word)
{
	char padded[CLOCK_MAX];
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
	if (two_digits(word, padded))
		word = span_of(padded);
	return time_parse_clock(word, &p->clock_ns);
}

/* "08/18/2020", "18-08-2020", "18.08.2020": which of the first two is the day is for
 * later. */
static bool take_numeric(struct parts *p, struct span word)
{
	char separator = memchr(word.at, '/', word.len) ? '/'
		: memchr(word.at, '-', word.len)	? '-'
							: '.';
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
		span_is(word, "de") || span_is(word, "Uhr") || span_is(word, "at") ||
		span_is(word, "@")) /* say nothing */
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
 * Between dots the day is first. Between slashes or hyphens the sizes of the numbers
 * tell, or the weekday; where both orders are dates, the one that is given, else month
 * first, as in the USA. False: in neither order it is a date.
 */
static bool resolve_numeric(
	struct parts *p, struct clock_line *clock, enum day_order order)
{
	bool us = p->separator != '.' && is_day(p, p->first, p->second);
	bool others = is_day(p, p->second, p->first);

	clock->either = us && others && p->first != p->second;
	if (p->separator != '.' && us != others)
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

static int nearest_year(struct parts p, int64_t date_ns)
{
	int64_t days = date_ns / NS_PER_DAY, best = INT64_MAX;
	int guess = TIME_YEAR_MIN + (int)(days / 365), nearest = -1;

	for (p.year = guess - 4; p.year <= guess + 4; p.year++) {
		int64_t off;

		if (p.year < TIME_YEAR_MIN || !is_day(&p, p.month, p.day))
			continue;
		off = time_days(p.year, p.month, p.day) - days;
		off = off < 0 ? -off : off;
		if (off < best)
			nearest = p.year;
		best = off < best ? off : best;
	}
	return nearest;
}

int64_t clock_nearest_day(int64_t clock_ns, int64_t near_ns)
{
	int64_t from_ns = near_ns - NS_PER_DAY / 2 - clock_ns;

	return from_ns < 0 ? 0 : (from_ns / NS_PER_DAY + 1) * NS_PER_DAY;
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
	clock->zone_word = SPAN_NONE;
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
	if (clock->lacks == CLOCK_LACKS_YEAR && p.year < 0 && p.month >= 0 && p.day >= 0)
		p.year = nearest_year(p, time_to_wall(clock->near_ns, zone));
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
	if (clock->lacks == CLOCK_LACKS_DATE && p.date_ns < 0) {
		clock->date_ns =
			clock_nearest_day(p.clock_ns, time_to_wall(clock->near_ns, zone));
		clock->has_date = true;
	}
	if (!clock->has_date)
		return CLOCK_NOT;
	*t_ns = find_instant(clock, clock->date_ns + p.clock_ns, zone, p.zone);
	return CLOCK_TIME;
}

enum clock_result clock_line_kind(struct span line, enum clock_lacks lacks)
{
	struct clock_line clock = {.lacks = lacks};
	struct zone utc = ZONE_UTC;
	int64_t t_ns;

	return clock_line_read(&clock, line, &utc, DAYS_UNKNOWN, &t_ns);
}

bool clock_is_cell(struct span cell)
{
	int64_t t_ns;

	return time_parse_epoch_any(cell, &t_ns) ||
		clock_line_kind(cell, CLOCK_LACKS_NOTHING) == CLOCK_TIME;
}

bool marker_is(struct span line)
{
	return line.len && line.at[0] == '#' && span_begins(line, "# t=");
}
