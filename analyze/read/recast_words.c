/*
 * Tables that tools print for people: words in columns, below a header that comes again,
 * perhaps with other columns (sar, mpstat, iostat, vmstat, dcgmi dmon):
 *
 *   Linux 6.1.0 (node1)   06/10/2023   _x86_64_   (16 CPU)
 *
 *   12:30:22 AM     CPU     %user     %nice   %system   %iowait    %steal     %idle
 *   12:30:23 AM     all      0.50      0.00      0.25      0.00      0.00     99.25
 *
 * Which line is a header, maps say. A time before the words of a row is "clock", or that
 * with a date "timestamp"; the date of a banner is "date".
 */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/timestamp.h"
#include "read/cells.h"
#include "read/clock_line.h"
#include "read/log.h"
#include "read/recast.h"

#define WORDS_MAX 64
#define DATE_MAX  16
#define TIME_MAX  48
#define MILLION	  1000000
#define NAMES_MAX 1024 /* bytes of a header */
#define PLAIN_MAX 512 /* bytes of a line whose time has other marks */

struct words_state {
	const struct table_map *map; /* NULL: no header yet, or its section ended */
	char names[NAMES_MAX]; /* of the header */
	size_t name_count;
	char date[DATE_MAX]; /* of the banner; empty: none */
	char plain[PLAIN_MAX]; /* the line, with usual marks in its time */
	bool rows; /* the section has one */
	bool epoch; /* a time in seconds stands before the words of the names */
	bool open; /* the last word of the names is that of a command with blanks */
	/* rows of one time that are added: */
	int64_t sum[WORDS_MAX]; /* in millionths, of the words of the header */
	bool summed[WORDS_MAX]; /* the word was a number */
	char sum_time[TIME_MAX];
	bool sum_dated;
	uint64_t sum_line; /* of the first one; 0: none */
};

/* The words of a line, without the time before them. */
struct word_line {
	struct span word[WORDS_MAX];
	size_t group[WORDS_MAX]; /* of the names: how many bars are before */
	size_t count;
	struct span time; /* len 0: none */
	bool dated;
};

/* "2023-06-10", "06/10/2023", "06/10/23"; "10-06" of dstat: a day and a month */
static bool is_date(struct span word)
{
	size_t marks = 0, digits = 0;

	for (size_t i = 0; i < word.len; i++) {
		marks += word.at[i] == '-' || word.at[i] == '/';
		digits += word.at[i] >= '0' && word.at[i] <= '9';
	}
	if (word.len == 5 && word.at[2] == '-' && digits == 4)
		return true;
	return marks == 2 && digits + marks == word.len && (digits == 6 || digits == 8);
}

static bool is_clock(struct span word)
{
	int64_t ns;

	return time_parse_clock(word, &ns);
}

/* How many words from one on are a time: a clock, AM or PM, perhaps a date before. */
static size_t time_words(const struct word_line *w, size_t at, bool *dated)
{
	size_t from = at;

	*dated = at < w->count && is_date(w->word[at]);
	at += *dated;
	if (at == w->count || !is_clock(w->word[at]))
		return 0;
	at++;
	if (at < w->count &&
		(span_is_nocase(w->word[at], "AM") || span_is_nocase(w->word[at], "PM")))
		at++;
	return at - from;
}

static struct span join(const struct word_line *w, size_t from, size_t count)
{
	const struct span *last = &w->word[from + count - 1];

	return (struct span){
		w->word[from].at, (size_t)(last->at + last->len - w->word[from].at)};
}

/* False: too many words for a table. */
static bool split(struct word_line *w, struct span line)
{
	struct span word;
	size_t time, bars = 0;

	*w = (struct word_line){.count = 0};
	while ((word = span_word(&line)).len) {
		const char *bar = memchr(word.at, '|', word.len);
		size_t group = bars;

		bars += bar != NULL;

		if (bar) { /* between the columns of dstat */
			line.len += (size_t)(line.at - bar) - 1;
			line.at = bar + 1;
			word.len = (size_t)(bar - word.at);
		}
		if (!word.len)
			continue;
		if (w->count == WORDS_MAX)
			return false;
		w->group[w->count] = group;
		w->word[w->count++] = word;
	}
	time = time_words(w, 0, &w->dated);
	if (time) {
		w->time = join(w, 0, time);
		w->count -= time;
		memmove(w->word, w->word + time, w->count * sizeof *w->word);
	}
	/* "avg-cpu:" stands above no cell, and "Average:" before what is no row */
	if (w->count && w->word[0].at[w->word[0].len - 1] == ':') {
		w->count--;
		memmove(w->word, w->word + 1, w->count * sizeof *w->word);
		return !is_clock(w->word[0]) &&
			!(w->count && w->word[0].at[0] >= '0' &&
				w->word[0].at[0] <= '9') &&
			!span_is(w->word[0], "all");
	}
	return true;
}

static const struct table_map *find_map(
	const struct table_maps *maps, struct word_line *w)
{
	struct csv_row header = {.cell = w->word, .count = w->count};

	return w->count ? table_maps_find(maps, &header, MAP_OF_WORDS) : NULL;
}

static bool words_is(const struct probe *probe)
{
	struct word_line w;

	for (size_t i = 0; i < probe->count; i++)
		if (split(&w, probe->line[i]) && find_map(probe->maps, &w))
			return true;
	return false;
}

static size_t size_of_group(const struct word_line *w, size_t group)
{
	size_t size = 0;

	for (size_t i = 0; i < w->count; i++)
		size += w->group[i] == group;
	return size;
}

/*
 * "used" of memory and of swap in dstat's table. The memory's group has more names; where
 * that does not tell, neither is used.
 */
static bool is_other_of(const struct word_line *w, size_t at)
{
	for (size_t i = 0; i < w->count; i++)
		if (i != at && span_equal(w->word[i], w->word[at]) &&
			size_of_group(w, w->group[i]) >= size_of_group(w, w->group[at]))
			return true;
	return false;
}

static void take_header(struct words_state *s, const struct word_line *w)
{
	size_t len = 0;

	s->name_count = s->map->name_count ? s->map->name_count : w->count;
	for (size_t i = 0; i < s->name_count; i++) {
		struct span name =
			s->map->name_count ? span_of(s->map->names[i]) : w->word[i];

		if (len + name.len + 3 > sizeof s->names) {
			s->map = NULL;
			return;
		}
		memcpy(s->names + len, name.at, name.len);
		len += name.len;
		if (!s->map->name_count && is_other_of(w, i))
			s->names[len++] = '#'; /* no map has such a name */
		s->names[len++] = ' ';
	}
	s->names[len] = '\0';
	s->rows = false;
}

/* With four digits of the year: "06/10/23" is of 2023. */
static void set_date(struct words_state *s, struct span date)
{
	struct strbuf text = strbuf_new();

	strbuf_add(&text, date.at, date.len);
	if (date.len == 8 && date.at[2] == '/') {
		strbuf_clear(&text);
		strbuf_addf(&text, "%.6s20%.2s", date.at, date.at + 6);
	}
	if (text.len < sizeof s->date)
		memcpy(s->date, text.text, text.len + 1);
	strbuf_release(&text);
}

/* "Linux 6.1.0 (node1)  06/10/2023  ...": the day of the clocks below. */
static bool take_banner(struct words_state *s, const struct word_line *w)
{
	if (w->count < 4 || !span_is(w->word[0], "Linux"))
		return false;
	for (size_t i = 2; i < w->count; i++)
		if (is_date(w->word[i])) {
			set_date(s, w->word[i]);
			s->map = NULL;
			return true;
		}
	return false;
}

/* "# Time  UID" of pidstat -h, "Time  User" of powerstat: before rows with a time. */
static void cut_hash(struct words_state *s, struct word_line *w)
{
	size_t hash = w->count > 2 && span_is(w->word[0], "#");

	s->epoch = w->count > 2 && span_is_nocase(w->word[hash], "Time");
	s->open = w->count && span_is(w->word[w->count - 1], "Command");
	if (!s->epoch)
		return;
	w->count -= hash + 1;
	memmove(w->word, w->word + hash + 1, w->count * sizeof *w->word);
	memmove(w->group, w->group + hash + 1, w->count * sizeof *w->group);
}

static void cut_epoch(const struct words_state *s, struct word_line *w)
{
	if (s->epoch && w->count > 1 && !w->time.len && is_digit(w->word[0].at[0])) {
		w->time = w->word[0];
		w->dated = true;
		w->count--;
		memmove(w->word, w->word + 1, w->count * sizeof *w->word);
	}
	if (s->open && w->count > s->name_count)
		w->count = s->name_count;
}

/* Has it as many words as the header names? "GPU 0" is one, its number, and a time may
 * stand behind. */
static bool fits(const struct words_state *s, struct word_line *w)
{
	bool dated;

	if (w->count == s->name_count + 1 && time_words(w, w->count - 2, &dated) == 2 &&
		dated && !w->time.len) {
		w->time = join(w, w->count - 2, 2);
		w->dated = true;
		w->count -= 2;
		return true;
	}
	if (w->count == s->name_count + 1 && w->word[1].at[0] >= '0' &&
		w->word[1].at[0] <= '9' && w->word[0].at[0] >= 'A') {
		w->word[0] =
			span_is_nocase(w->word[0], "GPU") ? w->word[1] : join(w, 0, 2);
		w->count--;
		memmove(w->word + 1, w->word + 2, (w->count - 1) * sizeof *w->word);
	}
	return w->count == s->name_count;
}

/* Words that are numbers, as "26.1G", or not available. */
static size_t count_numbers(const struct word_line *w)
{
	size_t count = 0;
	int64_t number;

	for (size_t i = 0; i < w->count; i++) {
		struct span word = w->word[i];

		word.len -= word.len > 1 && strchr("BkMGT", word.at[word.len - 1]);
		count += number_scaled(word, 1, &number) || cell_is_missing(word);
	}
	return count;
}

static void put_time(
	struct recast *recast, const struct words_state *s, struct span time, bool dated)
{
	struct span rest = time, day = span_word(&rest);
	char text[TIME_MAX];

	if (time.len && !dated && s->date[0])
		recast_put(recast, span_of("date"), span_of(s->date));
	if (dated && day.len == 5) {
		log_note(recast_log(recast), false, "no-date", SPAN_NONE,
			"times have no year, taken as 1970");
		snprintf(text, sizeof text, "1970-%.2s-%.2s %.*s", day.at + 3, day.at,
			(int)rest.len, rest.at);
		time = span_of(text);
	}
	if (time.len)
		recast_put(recast, span_of(dated ? "timestamp" : "clock"), time);
}

static void put_row(
	struct recast *recast, struct words_state *s, const struct word_line *w)
{
	struct span names = span_of(s->names);

	put_time(recast, s, w->time, w->dated);
	for (size_t i = 0; i < w->count; i++)
		recast_put(recast, span_word(&names), w->word[i]);
	recast_line_row(recast);
	s->rows = true;
}

/* Puts the sum of the rows of one time, if there are any. */
static bool end_sum(struct recast *recast, struct words_state *s)
{
	struct span names = span_of(s->names);
	struct strbuf text;

	if (!s->sum_line)
		return false;
	strbuf_init(&text);
	put_time(recast, s, span_of(s->sum_time), s->sum_dated);
	for (size_t i = 0; i < s->name_count; i++) {
		struct span name = span_word(&names);

		strbuf_clear(&text);
		if (s->summed[i]) /* else it is a word, by which the map knows the table
				   */
			strbuf_addf(&text, "%lld.%06lld",
				(long long)(s->sum[i] / MILLION),
				(long long)(s->sum[i] % MILLION));
		recast_put(recast, name, (struct span){text.text, text.len});
	}
	recast_row(recast, span_of(""), s->sum_line);
	strbuf_release(&text);
	memset(s->sum, 0, sizeof s->sum);
	memset(s->summed, 0, sizeof s->summed);
	s->sum_line = 0;
	return true;
}

/* Adds a row to those of its time; true: that before is complete, and was put. */
static bool add_row(
	struct recast *recast, struct words_state *s, const struct word_line *w)
{
	bool ended = !span_is(w->time, s->sum_time) && end_sum(recast, s);
	int64_t value;

	if (!s->sum_line) {
		s->sum_line = recast_number(recast);
		s->sum_dated = w->dated;
		snprintf(s->sum_time, sizeof s->sum_time, "%.*s", (int)w->time.len,
			w->time.at);
	}
	for (size_t i = 0; i < w->count; i++) {
		if (!number_scaled(w->word[i], MILLION, &value) || value < 0 ||
			value > INT64_MAX - s->sum[i])
			continue;
		s->sum[i] += value;
		s->summed[i] = true;
	}
	s->rows = true;
	return ended;
}

/* What is neither header nor row: units, the header of other columns, or text. */
static void take_other(struct recast *recast, struct words_state *s,
	const struct word_line *w, struct span line)
{
	if (s->map && !s->rows)
		return; /* units */
	if (w->count > 1)
		s->map = NULL;
	recast_noise(recast, line);
}

/* "18時25分10秒" as 18:25:10, "2025年08月02日" as 2025-08-02: sar in Chinese,
 * Japanese and Korean. */
static struct span with_plain_time(struct words_state *s, struct span line)
{
	static const struct {
		const char *mark, *plain;
	} marks[] = {{"年", "-"}, {"月", "-"}, {"日", ""}, {"時", ":"}, {"时", ":"},
		{"分", ":"}, {"秒", ""}, {"년 ", "-"}, {"월 ", "-"}, {"일", ""},
		{"시 ", ":"}, {"분 ", ":"}, {"초", ""}};
	size_t len = 0;

	if (line.len > sizeof s->plain)
		return line;
	while (line.len) {
		size_t i = 0;

		while (i < sizeof marks / sizeof *marks &&
			!span_begins(line, marks[i].mark))
			i++;
		if (i == sizeof marks / sizeof *marks) {
			s->plain[len++] = *line.at++;
			line.len--;
			continue;
		}
		for (const char *c = marks[i].plain; *c; c++)
			s->plain[len++] = *c;
		line.at += strlen(marks[i].mark);
		line.len -= strlen(marks[i].mark);
	}
	return (struct span){s->plain, len};
}

static bool is_done(struct recast *recast, struct words_state *s, struct span line)
{
	struct log *log = recast_log(recast);
	const struct table_map *map;
	struct word_line w;

	for (size_t i = 0; i < line.len; i++)
		if (line.at[i] & 0x80) {
			line = with_plain_time(s, line);
			break;
		}
	if (!line.len || !split(&w, line) || take_banner(s, &w))
		return false;
	map = find_map(log->opt->maps, &w);
	if (map) {
		bool ended = end_sum(recast, s);

		s->map = map;
		if (map->skip_first)
			recast_skip_first(recast);
		cut_hash(s, &w);
		take_header(s, &w);
		return ended;
	}
	if (clock_line_kind(line, CLOCK_LACKS_NOTHING) != CLOCK_NOT) {
		recast_pass(recast, line, recast_number(recast));
		return true;
	}
	if (!s->map || !count_numbers(&w)) {
		take_other(recast, s, &w, line);
		return false;
	}
	cut_epoch(s, &w);
	if (s->epoch && !w.time.len) { /* "Average" */
		take_other(recast, s, &w, line);
		return false;
	}
	if (!fits(s, &w) || 2 * count_numbers(&w) < w.count) {
		log_refuse(log, "field-count",
			"expected %zu words, found %zu: '%s' (row skipped)",
			s->name_count, w.count, log_quote(line).text);
		return false;
	}
	if (s->map->sum)
		return add_row(recast, s, &w);
	put_row(recast, s, &w);
	return true;
}

static bool words_next(struct recast *recast)
{
	struct words_state *s = recast_state(recast);
	struct span line;

	while (recast_next_line(recast, &line)) {
		recast_points(recast, &line);
		if (is_done(recast, s, line))
			return true;
	}
	return end_sum(recast, s);
}

const struct recast_shape recast_words = {.name = "a table of words",
	.is = words_is,
	.next = words_next,
	.state_size = sizeof(struct words_state),
	.sections = true};
