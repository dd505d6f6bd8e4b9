/* Lines and complaints of one file, what it decides of its times, and its markers. */
#include "read/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/text.h"
#include "read/gpu_loss.h"

/*
 * NULs that a line begins with were never written: a crash left them, or a file was
 * emptied under its writer. A line may begin behind them; a digit there may as well be
 * the middle of a number, a capital that of an id, so the line stays as it is and no
 * reader accepts it.
 */
static struct span skip_hole(struct log *log, struct span line)
{
	struct span rest = line;

	log_note(log, true, "nul", SPAN_NONE,
		"NUL bytes at the start of a line (lost data)");
	log_lose(log, log_line_number(log), LOST_ROWS_MANY);
	while (rest.len && !rest.at[0])
		rest.at++, rest.len--;
	if (rest.len && !strchr("#{", rest.at[0]) &&
		!(rest.at[0] >= 'a' && rest.at[0] <= 'z'))
		return line;
	return rest;
}

/* The length of a sequence that sets a color, or erases what follows; 0: another one. */
static size_t color_len(struct span text)
{
	size_t len = 2;

	if (text.len < 3 || text.at[0] != '\033')
		return 0;
	if (text.at[1] == '(') /* a character set */
		return 3;
	while (len < text.len && text.at[len] && strchr("0123456789;:", text.at[len]))
		len++;
	if (text.at[1] != '[' || len == text.len ||
		(text.at[len] != 'm' && text.at[len] != 'K'))
		return 0;
	return len + 1;
}

/* Whoever colors lines begins one of the first with that, or has it within. */
static struct span without_colors(struct log *log, struct span line)
{
	if (!log->facts.escapes && line.at[0] != '\033')
		return line;
	log->facts.escapes = true;
	if (!memchr(line.at, '\033', line.len))
		return line;
	if (!log->plain.text)
		strbuf_init(&log->plain);
	strbuf_clear(&log->plain);
	while (line.len) {
		size_t len = color_len(line);

		log->escaped |= len > 0;
		if (!len)
			strbuf_addc(&log->plain, line.at[0]);
		line.at += len ? len : 1;
		line.len -= len ? len : 1;
	}
	return span_trim((struct span){log->plain.text, log->plain.len});
}

/* What the words cut off before the line say; TIME_NONE: no time. See log->line_clock. */
static int64_t log_prefix_time(struct log *log, struct span line)
{
	struct span time = prefix_time(line, &log->facts.prefix);
	struct clock_line clock = {
		.lacks = log->facts.prefix.lacks, .near_ns = log->last_line_ns};
	int64_t t_ns, last_ns = log->last_ns, begin_ns = TIME_BEGIN;

	log->line_clock = CLOCK_NOT;
	log->last_ns = log->last_line_ns;
	if (log->near_ns != TIME_NONE)
		begin_ns = time_from_wall(log->near_ns, &log->zone);
	if (!log->last_line_ns && !log->facts.prefix.elapsed)
		clock.near_ns = begin_ns < 0 ? 0 : begin_ns;
	if (time.len)
		log->line_clock = log_clock(log, &clock, time, &t_ns);
	log->last_line_ns = log->last_ns;
	log->last_ns = last_ns;
	if (log->line_clock != CLOCK_TIME)
		return TIME_NONE;
	return log->facts.prefix.elapsed ? begin_ns + t_ns : t_ns;
}

/* What another program put around the line; an object may say nothing of the log. */
static struct span unwrap(struct log *log, struct span line)
{
	log->line_ns = log_prefix_time(log, line);
	if (log->facts.prefix.host)
		log->line_host = prefix_host(line, &log->facts.prefix);
	line = prefix_cut(line, &log->facts.prefix);
	if (!log->facts.prefix.member || !span_begins(line, "{") ||
		!message_read(&log->message, line, log->facts.prefix.member, &log->zone))
		return line;
	if (log->message.timed) {
		log->line_ns = log->message.t_ns;
		log->line_clock = CLOCK_TIME;
	}
	if (!message_line(&log->message, &line))
		line.len = 0;
	return line;
}

static void look_at_damage(struct log *log, struct span *line)
{
	if (input_line_number(log->in) < log->facts.from_line)
		line->len = 0;
	if (input_line_cut(log->in)) {
		log_refuse(log, "long-line", "line longer than %d bytes (line skipped)",
			INPUT_LINE_MAX);
		line->len = 0;
	} else if (input_line_mixed(log->in)) {
		log_refuse(log, "mixed-encoding",
			"the encoding changes inside the line, e.g. from UTF-16 to ASCII "
			"(line skipped)");
		line->len = 0;
	} else if (line->len && !line->at[0]) {
		*line = skip_hole(log, *line);
	} else if (line->len && memchr(line->at, '\0', line->len)) {
		log_note(log, true, "nul", SPAN_NONE,
			"NUL bytes inside a line (lost data)");
		log_lose(log, log_line_number(log), LOST_ROWS_MANY);
	}
}

/* It may begin or end with a blank, as few lines do. */
static bool is_padded(struct span line)
{
	return line.len && (line.at[0] <= ' ' || line.at[line.len - 1] <= ' ');
}

static bool read_line(struct log *log, struct span *line)
{
	struct error err;
	int got = input_line(log->in, line, &err);

	if (got < 0) {
		diag_add(log->diags, true, "read-error", log->name,
			input_line_number(log->in), SPAN_NONE,
			"%s (the lines before it are used)", err.message);
		log_lose(log, input_line_number(log->in), LOST_ROWS_MANY);
	}
	if (got <= 0)
		return false;
	if (log->facts.to_line && input_line_number(log->in) > log->facts.to_line)
		return false;
	if (!log->recast && is_padded(*line))
		*line = span_trim(*line);
	if (log->facts.from_line || !input_line_plain(log->in))
		look_at_damage(log, line);
	if (line->len)
		*line = without_colors(log, *line);
	if (prefix_is_any(&log->facts.prefix) && line->len)
		*line = unwrap(log, *line);
	return true;
}

bool log_raw_line(struct log *log, struct span *line, bool *more)
{
	bool any = read_line(log, line);

	*more = any && input_line_goes_on(log->in);
	return any;
}

bool log_line_torn(const struct log *log)
{
	return !log->recast && input_line_torn(log->in);
}

bool log_line(struct log *log, struct span *line)
{
	if (log->facts.recast.shape && !log->recast)
		log->recast = recast_open(log);
	if (log->recast)
		return recast_line(log->recast, line);
	do {
		if (!(log->facts.prefix.member && message_line(&log->message, line)) &&
			!read_line(log, line))
			return false;
		if (log->facts.route.kinds && line->len &&
			!route_is_own(&log->facts.route, log->opt->formats, *line))
			line->len = 0;
	} while (!line->len);
	return true;
}

int log_spooled(int fd, const char *name, struct error *err)
{
	int again = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	if (again >= 0 && lseek(again, 0, SEEK_SET) == 0)
		return again;
	error_set(err, "%s: can't be read again: %s", name, strerror(errno));
	if (again >= 0)
		close(again);
	return -1;
}

int log_open_sqlite(struct log *log, struct sqlitefile **out, struct error *err)
{
	int fd = -1;

	if (!log->facts.path) {
		fd = log_spooled(log->facts.fd, log->name, err);
		if (fd < 0)
			return -1;
	}
	return sqlitefile_open(
		out, log->facts.path ? log->facts.path : log->name, fd, err);
}

struct event_place log_place(const struct log *log)
{
	return (struct event_place){
		(size_t)(log->file - log->run->file), log_line_number(log)};
}

uint64_t log_line_number(const struct log *log)
{
	return log->facts.sqlite || log->record ? log->record
						: input_line_number(log->in);
}

void log_hear(struct log *log, struct span line)
{
	if (log->loss && !log->facts.twin)
		gpu_loss_hear(log->loss, (size_t)(log->file - log->run->file),
			log_line_number(log), line);
}

void log_lose(struct log *log, uint64_t line, uint64_t rows)
{
	if (log->loss)
		lost_rows_add(&log->file->lost, line, rows);
}

void log_refuse(struct log *log, const char *id, const char *format, ...)
{
	char sentence[768];
	va_list ap;

	if (log->facts.twin)
		return;
	va_start(ap, format);
	vsnprintf(sentence, sizeof sentence, format, ap);
	va_end(ap);
	log->file->refused++;
	log_lose(log, log_line_number(log), 1);
	diag_add(log->diags, true, id, log->name, log_line_number(log), SPAN_NONE, "%s",
		sentence);
}

void log_note(struct log *log, bool damage, const char *id, struct span what,
	const char *format, ...)
{
	char sentence[768];
	va_list ap;

	if (log->facts.twin && strcmp(id, "bad-value") != 0)
		return;
	va_start(ap, format);
	vsnprintf(sentence, sizeof sentence, format, ap);
	va_end(ap);
	diag_add(log->diags, damage, id, log->name, log_line_number(log), what, "%s",
		sentence);
}

void log_note_header(struct log *log, bool mapped, bool guessed, const char *read_as)
{
	log_note(log, false,
		mapped		  ? "mapped-header"
			: guessed ? "guessed-names"
				  : "named-header",
		SPAN_NONE, "header read as: %s", read_as);
}

struct quoted log_quote(struct span s)
{
	struct quoted quoted;
	struct strbuf sb = strbuf_new();

	diag_quote(&sb, s);
	snprintf(quoted.text, sizeof quoted.text, "%s", sb.text);
	strbuf_release(&sb);
	return quoted;
}

/* The rest of a snapshot whose marker was cut off with the head of the file. */
static void refuse_head(struct log *log, struct sample_batch *batch)
{
	sample_batch_drop(batch, batch->rows);
	log->file->refused += log->file->rows;
	log_lose(log, 1, log->file->rows);
	for (; log->file->rows; log->file->rows--)
		diag_add(log->diags, true, "no-time", log->name, 1, SPAN_NONE,
			"lines before the first time marker (line skipped)");
}

/* Clocks have names; a line that was glued to the marker has other words. */
static void refuse_glued(struct log *log, struct span rest)
{
	while (rest.len) {
		struct span word = span_word(&rest);

		if (!word.len || memchr(word.at, '=', word.len))
			continue;
		log_refuse(log, "prose",
			"unexpected text '%s' after a time marker (ignored)",
			log_quote(word).text);
		return;
	}
}

/* Its time, as digits, and the words behind it. */
static struct span cut_time(struct span line, struct span *rest)
{
	struct span time;

	*rest = (struct span){line.at + 2, line.len - 2};
	time = span_word(rest);
	return (struct span){time.at + 2, time.len - 2}; /* behind "t=" */
}

bool marker_clocks(struct span line, struct clock_reading *reading)
{
	struct span rest, time = cut_time(line, &rest);
	int64_t t_ns;

	if (!time_parse_epoch(time, &t_ns))
		return false;
	*reading = clock_reading_of(t_ns, rest);
	return reading->known;
}

/* Its time is known; the other clocks may be. */
static void take_clocks(struct marker *marker, struct log *log, struct span rest)
{
	struct clock_reading reading = clock_reading_of(marker->t_ns, rest);

	reading.known &= !input_line_torn(log->in);
	if (log->steps) {
		reading.wall_ns = marker->t_ns =
			clock_course_read(&marker->course, log->steps, &reading);
		log->by_clocks = true;
	}
	if (!input_line_torn(log->in))
		clocks_take(&marker->clocks, log->run, &reading);
}

bool marker_read(struct marker *marker, struct log *log, struct sample_batch *batch,
	struct span line)
{
	struct span rest, time = cut_time(line, &rest);

	if (!marker->seen && marker->delivered)
		return false;
	if (!marker->seen && batch->rows)
		refuse_head(log, batch);
	refuse_glued(log, rest);
	marker->seen = true;
	marker->lost = !time_parse_epoch(time, &marker->t_ns);
	if (!marker->lost)
		take_clocks(marker, log, rest);
	else
		log_refuse(log, "bad-time",
			"invalid time '%s', expected seconds since 1970 (snapshot "
			"skipped)",
			log_quote(time).text);
	return true;
}

bool marker_read_clock(struct marker *marker, struct log *log, struct sample_batch *batch,
	struct span line)
{
	int64_t t_ns;

	switch (log_clock(log, &marker->clock, line, &t_ns)) {
	case CLOCK_NOT:
		return false;
	case CLOCK_PART:
		return true;
	case CLOCK_CONTRADICTS:
		log_refuse_order(log, line);
		marker->lost = marker->seen;
		return true;
	case CLOCK_TIME:
		break;
	}
	if (!marker->seen && marker->delivered)
		return true;
	if (!marker->seen && batch->rows)
		refuse_head(log, batch);
	marker->seen = true;
	marker->lost = false;
	marker->t_ns = t_ns;
	return true;
}

/* The order of a file is that of its first date that needs one. */
static void settle_order(struct log *log, const struct clock_line *clock)
{
	if (log->facts.day_order == DAYS_UNKNOWN && clock->either) {
		log->facts.day_order = MONTH_FIRST;
		log->order_assumed = true;
	} else if (log->facts.day_order == DAYS_UNKNOWN) {
		log->facts.day_order = clock->order;
	}
	if (clock->either && log->order_assumed)
		log_note(log, false, "date-order", SPAN_NONE,
			"dates with slashes are read as month/day/year; no date in the "
			"file shows the order");
}

/* A zone that the line names, and that had to be guessed. */
static void note_zone(struct log *log, const struct clock_line *clock)
{
	int64_t minutes = clock->zone_ns / NS_PER_S / 60;
	int len = (int)clock->zone_word.len;

	if (clock->zone_ns == TIME_NONE)
		log_note(log, false, "zone-word", clock->zone_word,
			"unknown time zone %.*s; its times are read in %s", len,
			clock->zone_word.at, log->zone.name);
	else
		log_note(log, false, "zone-word", clock->zone_word,
			"ambiguous time zone %.*s is read as UTC%c%02d:%02d; use --tz if "
			"another one is meant",
			len, clock->zone_word.at, minutes < 0 ? '-' : '+',
			(int)(minutes < 0 ? -minutes : minutes) / 60,
			(int)(minutes < 0 ? -minutes : minutes) % 60);
}

/* Late rows, and clocks that were set, go back by less. */
#define BACK_MAX_NS (NS_PER_S * 1800)

bool log_goes_back(const struct log *log, int64_t t_ns, struct zone *second)
{
	if (log->zone.fixed || t_ns >= log->last_ns - BACK_MAX_NS)
		return false;
	*second = log->zone;
	second->second = true;
	return true;
}

void log_settle(const struct log *log, int64_t *t_ns, int64_t second_ns)
{
	if (second_ns >= log->last_ns - BACK_MAX_NS)
		*t_ns = second_ns;
}

int64_t log_from_wall(struct log *log, int64_t wall_ns)
{
	int64_t t_ns = time_from_wall(wall_ns, &log->zone);
	struct zone second;

	if (log_goes_back(log, t_ns, &second))
		log_settle(log, &t_ns, time_from_wall(wall_ns, &second));
	return log->last_ns = t_ns;
}

static bool add_digit(int64_t *number, char c)
{
	unsigned digit = (unsigned char)c - (unsigned)'0';

	*number = *number * 10 + digit;
	return digit <= 9;
}

/* "07" or "07.250": the seconds behind a minute, in ns; -1: something else. */
static int64_t read_seconds(struct span text)
{
	static const int64_t part[] = {0, NS_PER_S / 10, NS_PER_S / 100, NS_PER_S / 1000,
		NS_PER_S / 10000, NS_PER_S / 100000, NS_PER_S / 1000000};
	int64_t number = 0;

	if (text.len < 2 || text.len == 3 || text.len > 9)
		return -1;
	if (text.at[0] > '5' || (text.len > 2 && text.at[2] != '.') ||
		!add_digit(&number, text.at[0]) || !add_digit(&number, text.at[1]))
		return -1;
	for (size_t i = 3; i < text.len; i++)
		if (!add_digit(&number, text.at[i]))
			return -1;
	return text.len == 2 ? number * NS_PER_S : number * part[text.len - 3];
}

static struct span behind_minute(struct span text)
{
	return (struct span){text.at + MINUTE_LEN, text.len - MINUTE_LEN};
}

/*
 * In the minute of the time before; whether that was the first or the second of an hour
 * that comes twice, this one is as long as the clock stays in it. Zones change on whole
 * minutes.
 */
static bool in_minute(const struct log *log, struct span text, int64_t *t_ns)
{
	const struct minute *minute = &log->minute;
	int64_t rest_ns;

	if (!minute->known || text.len <= MINUTE_LEN ||
		memcmp(text.at, minute->text, MINUTE_LEN) != 0 ||
		log->last_ns < minute->begin_ns ||
		log->last_ns - minute->begin_ns >= 60 * NS_PER_S)
		return false;
	rest_ns = read_seconds(behind_minute(text));
	*t_ns = minute->begin_ns + rest_ns;
	return rest_ns >= 0;
}

static void learn_minute(struct log *log, struct span text, int64_t t_ns)
{
	int64_t rest_ns = text.len > MINUTE_LEN && text.at[MINUTE_LEN - 1] == ':'
		? read_seconds(behind_minute(text))
		: -1;

	log->minute.known = rest_ns >= 0;
	if (rest_ns < 0)
		return;
	memcpy(log->minute.text, text.at, MINUTE_LEN);
	log->minute.begin_ns = t_ns - rest_ns;
}

bool log_time_goes_on(struct log *log, struct span text, int64_t *t_ns)
{
	if (log->opt->general || !in_minute(log, text, t_ns))
		return false;
	log->last_ns = *t_ns;
	return true;
}

bool log_time(struct log *log, struct span text, int64_t *t_ns)
{
	struct zone second;
	int64_t second_ns;

	if (log_time_goes_on(log, text, t_ns))
		return true;
	if (!time_parse(text, &log->zone, t_ns) && !time_parse_epoch_any(text, t_ns))
		return false;
	if (log_goes_back(log, *t_ns, &second) && time_parse(text, &second, &second_ns))
		log_settle(log, t_ns, second_ns);
	log->last_ns = *t_ns;
	learn_minute(log, text, *t_ns);
	return true;
}

enum clock_result log_clock(
	struct log *log, struct clock_line *clock, struct span line, int64_t *t_ns)
{
	enum clock_result result =
		clock_line_read(clock, line, &log->zone, log->facts.day_order, t_ns);
	struct zone second;
	int64_t second_ns;

	if (result == CLOCK_TIME && log_goes_back(log, *t_ns, &second)) {
		clock_line_read(clock, line, &second, log->facts.day_order, &second_ns);
		log_settle(log, t_ns, second_ns);
	}
	if (result == CLOCK_TIME)
		log->last_ns = *t_ns;
	if (result == CLOCK_PART || result == CLOCK_TIME)
		settle_order(log, clock);
	if (result == CLOCK_TIME && clock->zone_word.len)
		note_zone(log, clock);
	return result;
}

void log_refuse_order(struct log *log, struct span time)
{
	bool day_first = log->facts.day_order == DAY_FIRST;

	log_refuse(log, "bad-time",
		"date '%s' has the %s first, but the other dates of the file %s (row "
		"skipped)",
		log_quote(time).text, day_first ? "month" : "day",
		day_first		     ? "have the day first"
			: log->order_assumed ? "are read with the month first"
					     : "have the month first");
}
