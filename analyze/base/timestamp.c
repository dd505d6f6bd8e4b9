/*
 * Calendar arithmetic, and parsing and printing of instants. The day count is the
 * usual one for the proleptic Gregorian calendar with years that begin in March.
 */
#include "base/timestamp.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/number.h"

int64_t time_days(int year, int month, int day)
{
	int64_t y = month <= 2 ? year - 1 : year;
	int64_t era = (y >= 0 ? y : y - 399) / 400;
	int64_t year_of_era = y - era * 400;
	int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
	int64_t day_of_era =
		year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;

	return era * 146097 + day_of_era - 719468;
}

/* Cuts exactly `digits` digits from s. */
static bool cut_number(struct span *s, size_t digits, int *out)
{
	int value = 0;

	if (s->len < digits)
		return false;
	for (size_t i = 0; i < digits; i++) {
		if (s->at[i] < '0' || s->at[i] > '9')
			return false;
		value = value * 10 + (s->at[i] - '0');
	}
	s->at += digits;
	s->len -= digits;
	*out = value;
	return true;
}

static bool cut_char(struct span *s, char c)
{
	if (!s->len || s->at[0] != c)
		return false;
	s->at++, s->len--;
	return true;
}

static bool cut_date(struct span *s, int64_t *ns)
{
	static const int length[12] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int year, month, day;
	char separator;

	if (!cut_number(s, 4, &year) || !s->len)
		return false;
	separator = s->at[0];
	if (separator == '/' || separator == '-') {
		s->at++, s->len--;
		if (!cut_number(s, 2, &month) || !cut_char(s, separator))
			return false;
	} else if (!cut_number(s, 2, &month)) {
		return false;
	}
	if (!cut_number(s, 2, &day) || year < TIME_YEAR_MIN || year > TIME_YEAR_MAX)
		return false;
	if (month < 1 || month > 12 || day < 1 || day > length[month - 1])
		return false;
	if (month == 2 && day == 29 && (year % 4 || (year % 100 == 0 && year % 400)))
		return false;
	*ns = time_days(year, month, day) * NS_PER_DAY;
	return true;
}

/* The digits behind the decimal point of a second; more than nine are cut. */
static bool cut_fraction(struct span *s, int64_t *ns)
{
	int64_t unit = NS_PER_S / 10;
	bool seen = false;

	for (; s->len && s->at[0] >= '0' && s->at[0] <= '9'; s->at++, s->len--) {
		*ns += (s->at[0] - '0') * unit;
		unit /= 10;
		seen = true;
	}
	return seen;
}

static bool cut_clock(struct span *s, int64_t *ns)
{
	int hour, minute, second;

	if (!cut_number(s, 2, &hour) || !cut_char(s, ':') || !cut_number(s, 2, &minute) ||
		!cut_char(s, ':') || !cut_number(s, 2, &second))
		return false;
	if (hour > 23 || minute > 59 || second > 60)
		return false;
	*ns = ((hour * 60LL + minute) * 60 + second) * NS_PER_S;
	if (cut_char(s, '.') || cut_char(s, ','))
		return cut_fraction(s, ns);
	return true;
}

bool time_parse_offset(struct span s, int64_t *offset_ns)
{
	bool west;
	int hours, minutes = 0;

	if (span_is(s, "Z") || span_is(s, "z") || span_is_nocase(s, "UTC")) {
		*offset_ns = 0;
		return true;
	}
	if (!s.len || (s.at[0] != '+' && s.at[0] != '-'))
		return false;
	west = s.at[0] == '-';
	s.at++, s.len--;
	if (!cut_number(&s, 2, &hours))
		return false;
	cut_char(&s, ':');
	if (s.len && !cut_number(&s, 2, &minutes))
		return false;
	if (s.len || hours > 23 || minutes > 59)
		return false;
	*offset_ns = (hours * 60LL + minutes) * 60 * NS_PER_S;
	if (west)
		*offset_ns = -*offset_ns;
	return true;
}

/* A name of the system's database: what tzset() can't find, it takes for UTC. */
static bool is_zone_file(const char *name)
{
	char path[512], magic[4] = "";
	FILE *file;

	snprintf(path, sizeof path, "/usr/share/zoneinfo/%s", name);
	file = fopen(path, "rb");
	if (!file)
		return false;
	if (fread(magic, 1, sizeof magic, file) != sizeof magic)
		magic[0] = '\0';
	fclose(file);
	return memcmp(magic, "TZif", sizeof magic) == 0;
}

int zone_parse(struct zone *zone, const char *text, struct error *err)
{
	int64_t offset_ns;

	if (time_parse_offset(span_of(text), &offset_ns)) {
		*zone = (struct zone){"", true, offset_ns, false, NULL};
		snprintf(zone->name, sizeof zone->name, "%s", offset_ns ? text : "UTC");
		return 0;
	}
	if (!text[0] || strstr(text, "..") || text[0] == '/' ||
		strlen(text) >= sizeof zone->name || !is_zone_file(text))
		return error_set(err,
			"unknown time zone '%s', expected UTC, an offset such as +02:00, "
			"or a name such as Europe/Berlin",
			text);
	setenv("TZ", text, 1);
	tzset();
	*zone = (struct zone){"", false, 0, false, NULL};
	snprintf(zone->name, sizeof zone->name, "%s", text);
	return 0;
}

int64_t time_to_wall(int64_t t_ns, const struct zone *zone)
{
	int64_t second = t_ns / NS_PER_S - (t_ns % NS_PER_S < 0);
	time_t when = (time_t)second;
	struct tm tm;

	if (zone->fixed)
		return t_ns + zone->offset_ns;
	localtime_r(&when, &tm);
	return ((time_days(tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday) * 24 +
			tm.tm_hour) *
			       3600LL +
		       tm.tm_min * 60LL + tm.tm_sec) *
		NS_PER_S +
		(t_ns - second * NS_PER_S);
}

/*
 * mktime() would remember what it was asked before. The offsets a day earlier and a day
 * later are all there can be: of an hour that comes twice the first is meant, unless the
 * zone says the second; one that does not exist is read as if the clock had not been set
 * forward.
 */
int64_t time_from_wall(int64_t wall_ns, const struct zone *zone)
{
	int64_t offset_ns[2];

	if (zone->asked)
		*zone->asked = true;
	if (zone->fixed)
		return wall_ns - zone->offset_ns;
	for (int i = 0; i < 2; i++) {
		bool after = (i == 1) != zone->second;
		int64_t near_ns = after ? wall_ns + NS_PER_DAY : wall_ns - NS_PER_DAY;

		offset_ns[after] = time_to_wall(near_ns, zone) - near_ns;
		if (time_to_wall(wall_ns - offset_ns[after], zone) == wall_ns)
			return wall_ns - offset_ns[after];
	}
	return wall_ns - offset_ns[0];
}

/* "HHMMSS", as only names of files have it, behind such a date; else as it was. */
static bool cut_plain_clock(struct span *s, int64_t *ns)
{
	struct span rest = *s;
	int hour, minute, second;

	if (!cut_number(&rest, 2, &hour) || !cut_number(&rest, 2, &minute) ||
		!cut_number(&rest, 2, &second) || hour > 23 || minute > 59 || second > 60)
		return false;
	*ns = ((hour * 60LL + minute) * 60 + second) * NS_PER_S;
	if (cut_char(&rest, '.') && !cut_fraction(&rest, ns))
		return false;
	*s = rest;
	return true;
}

/* What stands between date and clock; of "20260304100000" nothing does, nor of
 * "2026/03/0410:00:00". */
static bool cut_middle(struct span *s, bool plain)
{
	return cut_char(s, ' ') || cut_char(s, 'T') || (s->len > 7 && s->at[2] == ':') ||
		(plain && (cut_char(s, '_') || cut_char(s, '-') || s->len));
}

bool time_parse(struct span s, const struct zone *zone, int64_t *t_ns)
{
	int64_t date_ns, clock_ns, offset_ns;
	bool plain;

	s = span_trim(s);
	plain = s.len > 4 && s.at[4] >= '0' && s.at[4] <= '9';
	if (!cut_date(&s, &date_ns) || !cut_middle(&s, plain))
		return false;
	s = span_trim(s);
	if (!(plain && cut_plain_clock(&s, &clock_ns)) && !cut_clock(&s, &clock_ns))
		return false;
	s = span_trim(s);
	if (!s.len) {
		*t_ns = time_from_wall(date_ns + clock_ns, zone);
		return true;
	}
	if (!time_parse_offset(s, &offset_ns))
		return false;
	*t_ns = date_ns + clock_ns - offset_ns;
	return true;
}

/* A number of units since 1970. */
static bool parse_since_1970(struct span s, int64_t unit_ns, int64_t *t_ns)
{
	int64_t ns;

	if (!number_scaled(s, unit_ns, &ns) || ns < 0 || ns >= TIME_END_NS)
		return false;
	*t_ns = ns;
	return true;
}

bool time_parse_seconds(struct span s, int64_t *t_ns)
{
	return parse_since_1970(s, NS_PER_S, t_ns);
}

static bool parse_since_epoch(struct span s, int64_t unit_ns, int64_t *t_ns)
{
	int64_t ns;

	/* Below 1e8 s (March 1973) a number is more likely a count than a time. */
	if (!parse_since_1970(s, unit_ns, &ns) || ns < 100000000LL * NS_PER_S)
		return false;
	*t_ns = ns;
	return true;
}

bool time_parse_epoch(struct span s, int64_t *t_ns)
{
	return parse_since_epoch(s, NS_PER_S, t_ns);
}

bool time_parse_epoch_any(struct span s, int64_t *t_ns)
{
	/* From 1973 to 2200 no number is a time in two of them. */
	for (int64_t unit_ns = NS_PER_S; unit_ns; unit_ns /= 1000)
		if (parse_since_epoch(s, unit_ns, t_ns))
			return true;
	return false;
}

bool time_parse_clock(struct span s, int64_t *ns)
{
	return cut_clock(&s, ns) && !s.len;
}

bool time_parse_date(struct span s, int64_t *ns)
{
	return cut_date(&s, ns) && !s.len;
}

/* With zeros before it, up to nine digits; as printf, but reports have many times. */
static void add_digits(struct strbuf *sb, char before, int64_t number, size_t digits)
{
	char text[10];

	text[0] = before;
	for (size_t i = digits; i; i--, number /= 10)
		text[i] = (char)('0' + number % 10);
	strbuf_add(sb, text, digits + 1);
}

static void add_fraction(struct strbuf *sb, int64_t rest_ns)
{
	if (rest_ns % 1000)
		add_digits(sb, '.', rest_ns, 9);
	else if (rest_ns % 1000000)
		add_digits(sb, '.', rest_ns / 1000, 6);
	else if (rest_ns)
		add_digits(sb, '.', rest_ns / 1000000, 3);
}

static void print_since_begin(struct strbuf *sb, int64_t ns)
{
	strbuf_addf(sb, "%lld", (long long)(ns / NS_PER_S));
	add_fraction(sb, ns % NS_PER_S);
	strbuf_adds(sb, " s");
}

void time_print(struct strbuf *sb, int64_t t_ns)
{
	int64_t second = t_ns / NS_PER_S - (t_ns % NS_PER_S < 0);
	int64_t rest = t_ns - second * NS_PER_S;
	time_t when = (time_t)second;
	struct tm tm;

	if (!time_is_dated(t_ns)) {
		print_since_begin(sb, t_ns - TIME_BEGIN);
		return;
	}
	gmtime_r(&when, &tm);
	add_digits(sb, (char)('0' + (tm.tm_year + 1900) / 1000), tm.tm_year + 1900, 3);
	add_digits(sb, '-', tm.tm_mon + 1, 2);
	add_digits(sb, '-', tm.tm_mday, 2);
	add_digits(sb, 'T', tm.tm_hour, 2);
	add_digits(sb, ':', tm.tm_min, 2);
	add_digits(sb, ':', tm.tm_sec, 2);
	add_fraction(sb, rest);
	strbuf_addc(sb, 'Z');
}
