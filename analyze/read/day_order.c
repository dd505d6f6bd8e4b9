/* Dates in lines; each new one is held against the one before. */
#include "read/day_order.h"

#include <string.h>

#include "read/log.h"

#define WHEN_MAX 64 /* bytes of a date, its weekday and its clock */

/* "Wed 03/04/2024 10:00:00 PM" in some line. */
struct when {
	char text[WHEN_MAX];
	size_t len;
	size_t date, date_len; /* where the date is in it */
};

struct day_evidence {
	enum day_order order;
	bool either; /* a date that may be either has come */
	struct when last; /* the last date; len 0: none */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (unsigned char)c >= 0x80;
}

static size_t digits(const char *at, const char *end)
{
	size_t count = 0;

	while (at + count < end && is_digit(at[count]))
		count++;
	return count;
}

/* "03/04/2024" around its first slash, with nothing glued to it; else false. */
static bool find_ends(struct span line, const char *slash, struct span *date)
{
	const char *from = slash, *end = line.at + line.len, *to = slash + 1;
	size_t count;

	while (from > line.at && is_digit(from[-1]))
		from--;
	count = digits(to, end);
	if (from == slash || slash - from > 2 || !count || count > 2)
		return false;
	to += count;
	if (to == end || *to != '/' || digits(to + 1, end) != 4)
		return false;
	to += 5;
	if ((from > line.at && !strchr(" \t,;\"'[(", from[-1])) ||
		(to < end && !strchr(" \t,;\"'])", *to)))
		return false;
	*date = (struct span){from, (size_t)(to - from)};
	return true;
}

/* A clock behind a date, with AM or PM. */
static const char *behind_clock(const char *at, const char *end)
{
	const char *to = at;

	while (to < end && (*to == ' ' || *to == '\t'))
		to++;
	if (to == end || !is_digit(*to))
		return at;
	while (to < end && (is_digit(*to) || *to == ':' || *to == '.'))
		to++;
	if (end - to >= 3 && *to == ' ' && strchr("AaPp", to[1]) && to[1] &&
		(to[2] | 0x20) == 'm' && (end - to == 3 || !is_letter(to[3])))
		to += 3;
	return to;
}

/* The word before a date, if it may be a weekday. */
static const char *before_weekday(const char *at, const char *begin)
{
	const char *from = at;

	while (from > begin && (from[-1] == ' ' || from[-1] == '.' || from[-1] == ','))
		from--;
	while (from > begin && is_letter(from[-1]))
		from--;
	return from;
}

static bool read_when(const struct when *when, enum day_order order,
	struct clock_line *clock, int64_t *t_ns)
{
	struct span text = {when->text, when->len};
	struct zone utc = ZONE_UTC;
	enum clock_result result;

	*clock = (struct clock_line){0};
	*t_ns = TIME_NONE;
	result = clock_line_read(clock, text, &utc, order, t_ns);
	return result == CLOCK_TIME || result == CLOCK_PART;
}

static bool set_when(
	struct when *when, const char *from, struct span date, const char *to)
{
	struct clock_line clock;
	int64_t t_ns;

	if (to - from > WHEN_MAX)
		return false;
	when->len = (size_t)(to - from);
	memcpy(when->text, from, when->len);
	when->date = (size_t)(date.at - from);
	when->date_len = date.len;
	return read_when(when, DAYS_UNKNOWN, &clock, &t_ns);
}

/* From one date to the next it is less than half a day. */
static bool passes_midnight(
	const struct when *before, const struct when *after, enum day_order order)
{
	struct clock_line clock;
	int64_t from_ns, to_ns;

	return read_when(before, order, &clock, &from_ns) && from_ns != TIME_NONE &&
		read_when(after, order, &clock, &to_ns) && to_ns != TIME_NONE &&
		to_ns >= from_ns && to_ns - from_ns < NS_PER_DAY / 2;
}

static void take_date(struct day_evidence *e, struct span line, struct span date)
{
	const char *to = behind_clock(date.at + date.len, line.at + line.len);
	const char *from = before_weekday(date.at, line.at);
	struct clock_line clock;
	struct when when;
	int64_t t_ns;

	/* of one day only the last time counts */
	if (e->last.len && e->last.date_len == date.len &&
		memcmp(e->last.text + e->last.date, date.at, date.len) == 0) {
		if (set_when(&when, date.at, date, to))
			e->last = when;
		return;
	}
	if (!set_when(&when, from, date, to) && !set_when(&when, date.at, date, to))
		return;
	read_when(&when, DAYS_UNKNOWN, &clock, &t_ns);
	e->order = clock.order;
	e->either |= clock.either;
	if (e->last.len && e->order == DAYS_UNKNOWN) {
		bool us = passes_midnight(&e->last, &when, MONTH_FIRST);

		if (us != passes_midnight(&e->last, &when, DAY_FIRST))
			e->order = us ? MONTH_FIRST : DAY_FIRST;
	}
	e->last = when;
}

static void take_line(struct day_evidence *e, struct span line)
{
	const char *slash = line.at, *end = line.at + line.len;
	struct span date;

	while ((slash = memchr(slash, '/', (size_t)(end - slash)))) {
		if (find_ends(line, slash, &date)) {
			take_date(e, line, date);
			return;
		}
		slash++;
	}
}

enum day_order day_order_find(const struct probe *probe, struct log *log)
{
	struct day_evidence e = {0};
	struct span line;

	for (size_t i = 0; i < probe->count && e.order == DAYS_UNKNOWN; i++)
		take_line(&e, probe->line[i]);
	while (e.order == DAYS_UNKNOWN && e.either && log_line(log, &line))
		take_line(&e, line);
	return e.order;
}
