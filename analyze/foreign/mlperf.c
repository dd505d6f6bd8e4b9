/*
 * MLPerf's training logs: ":::MLLOG {...}" lines, and the ":::MLPv0.5.0 ..." ones of old,
 * between whatever else a job prints. Intervals become the begin and end of a phase.
 * Other text is nobody's damage, unless it has an event's keys or is binary.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/lookup.h"
#include "read/lines.h"
#include "read/log.h"

/* Broken ones in a line that are looked at: each may be broken at its very end. */
#define BROKEN_MAX 8

#define MARK	 ":::MLLOG"
#define OLD_MARK ":::MLPv"

/* What has been said already: the last event of that content. */
struct said {
	uint64_t rank; /* who said it first; 0: not known */
	size_t event; /* of the run */
};

struct mllog {
	struct log *log;
	struct json_line line;
	struct said *said;
	size_t count, cap;
	struct lookup contents; /* of said */
};

/* Behind the first of its colons come two others, as in few other texts. */
static bool is_mark(struct span s, const char *mark)
{
	return s.len > 2 && s.at[2] == mark[2] && span_begins(s, mark);
}

/* Cuts the text up to and with the next mark. False: there is none. */
static bool cut_mark(struct span *text, struct span *before, bool *old)
{
	struct span s = *text;
	const char *colon;

	while (s.len && (colon = memchr(s.at, ':', s.len))) {
		s.len -= (size_t)(colon - s.at), s.at = colon;
		*old = is_mark(s, OLD_MARK);
		if (*old || is_mark(s, MARK)) {
			size_t mark = strlen(*old ? OLD_MARK : MARK);

			*before = (struct span){text->at, (size_t)(s.at - text->at)};
			*text = (struct span){s.at + mark, s.len - mark};
			return true;
		}
		s.at++, s.len--;
	}
	return false;
}

/*
 * Who speaks, by what a launcher puts before a line: "3: " of srun, "[1,3]<stdout>:" of
 * mpirun, "[rank3]:" of torchrun. 0: it can't be told; a clock is no rank.
 */
static uint64_t rank_of(struct span before)
{
	static const char digits[] = "0123456789";
	static const char words[] = "0123456789abcdefghijklmnopqrstuvwxyz,_-";
	bool bracket;
	size_t n = 0;

	before = span_trim(before);
	bracket = span_begins(before, "[");
	if (bracket)
		before.at++, before.len--;
	while (n < before.len && before.at[n] &&
		strchr(bracket ? words : digits, before.at[n]))
		n++;
	if (!n || n == before.len || before.at[n] != (bracket ? ']' : ':'))
		return 0;
	if (!bracket && n + 1 < before.len && before.at[n + 1] != ' ')
		return 0;
	return span_hash((struct span){before.at, n}, SPAN_HASH);
}

static uint64_t content_hash(const struct event *event)
{
	const char *const parts[] = {event->type_name, event->name, event->extras};
	uint64_t hash = SPAN_HASH;

	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		hash = span_hash(span_of(parts[i] ? parts[i] : ""), hash);
	return hash;
}

/* All but the time. */
static bool same_content(const struct event *a, const struct event *b)
{
	return a->type == b->type && text_equal(a->type_name, b->type_name) &&
		text_equal(a->name, b->name) && text_equal(a->extras, b->extras);
}

/*
 * Takes an event. What was said at the same time, or by another rank
 * before, is the same event again.
 */
static void take_event(struct mllog *m, const struct event *event, uint64_t rank)
{
	uint64_t hash = content_hash(event);
	size_t at = lookup_first(&m->contents, hash);
	struct said *said;

	while (at != LOOKUP_NONE &&
		!same_content(&m->log->run->event[m->said[at].event], event))
		at = lookup_next(&m->contents, at);
	said = at == LOOKUP_NONE ? NULL : &m->said[at];
	if (said &&
		(m->log->run->event[said->event].t_ns == event->t_ns ||
			(rank && said->rank && rank != said->rank))) {
		log_note(m->log, false, "repeated-event", SPAN_NONE,
			"the same line from another rank, or twice (counted once)");
		return;
	}
	if (!said) {
		lookup_add(&m->contents, hash);
		said = &ALLOC_NEXT(m->said, m->count, m->cap);
		said->rank = rank;
	}
	said->event = m->log->run->event_count;
	*run_add_event(m->log->run) = *event;
	m->log->run->event[said->event].at = log_place(m->log);
	m->log->file->rows++;
}

/* Cuts the ending off a key that has it: "run_start" is about "run". */
static bool strip(char *key, const char *ending)
{
	size_t len = strlen(key), n = strlen(ending);

	if (len <= n || strcmp(key + len - n, ending) != 0)
		return false;
	key[len - n] = '\0';
	return true;
}

static enum event_type event_type_of(const char *type)
{
	if (type && strcmp(type, "INTERVAL_START") == 0)
		return EVENT_BEGIN;
	if (type && strcmp(type, "INTERVAL_END") == 0)
		return EVENT_END;
	return EVENT_POINT;
}

/* The time of m->line. */
static bool read_time(const struct json_line *line, int64_t *t_ns)
{
	return time_parse_epoch_any(json_line_find(line, "time_ms"), t_ns);
}

/* The object that m->line is. */
static void take_object(struct mllog *m, struct span object, uint64_t rank)
{
	static const char *const used[] = {"time_ms", "event_type", "key"};
	struct event event = {.end_ns = TIME_NONE};
	char *name;

	if (!read_time(&m->line, &event.t_ns)) {
		log_refuse(m->log, "bad-time",
			"event without \"time_ms\": '%s' (event skipped)",
			log_quote(object).text);
		return;
	}
	name = json_text(json_line_find(&m->line, "key"));
	if (!name) {
		log_refuse(m->log, "no-name",
			"event without \"key\": '%s' (event skipped)",
			log_quote(object).text);
		return;
	}
	event.type_name = run_keep_and_free(
		m->log->run, json_text(json_line_find(&m->line, "event_type")));
	event.type = event_type_of(event.type_name);
	if (event.type == EVENT_BEGIN)
		strip(name, "_start");
	else if (event.type == EVENT_END && !strip(name, "_stop"))
		strip(name, "_end");
	event.name = run_keep_and_free(m->log->run, name);
	event.extras = run_keep_and_free(m->log->run,
		json_line_rest(&m->line, used, sizeof used / sizeof used[0]));
	take_event(m, &event, rank);
}

/* "0.5.0 BENCHMARK SECONDS (FILE:LINE) KEY[: VALUE]", behind the mark. */
struct old_line {
	struct span benchmark, file, key, value;
	int64_t t_ns;
};

/* False: it is none, but text that somebody wrote. */
static bool cut_old(struct old_line *old, struct span text)
{
	const char *end;

	span_word(&text);
	old->benchmark = span_word(&text);
	if (!time_parse_epoch(span_word(&text), &old->t_ns))
		return false;
	text = span_trim(text);
	end = text.len ? memchr(text.at, ')', text.len) : NULL;
	if (!end || text.at[0] != '(')
		return false;
	old->file = (struct span){text.at + 1, (size_t)(end - text.at) - 1};
	text.len -= (size_t)(end + 1 - text.at), text.at = end + 1;
	old->key = text = span_trim(text);
	end = text.len ? memchr(text.at, ':', text.len) : NULL;
	old->value = SPAN_NONE;
	if (end) {
		old->key.len = (size_t)(end - text.at);
		text.len -= old->key.len + 1, text.at = end + 1;
		old->value = span_trim(text);
	}
	return old->key.len > 0;
}

static void add_quoted(struct strbuf *sb, struct span s)
{
	strbuf_addc(sb, '"');
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.at[i];

		if (c < 0x20)
			strbuf_addf(sb, "\\u%04x", c);
		else if (c == '"' || c == '\\')
			strbuf_addf(sb, "\\%c", c);
		else
			strbuf_addc(sb, (char)c);
	}
	strbuf_addc(sb, '"');
}

/* An old line as the object of today; what is no JSON is a string. */
static void print_old(struct strbuf *sb, const struct old_line *old, bool quote)
{
	strbuf_clear(sb);
	strbuf_adds(sb, "{\"value\":");
	if (quote)
		add_quoted(sb, old->value);
	else if (old->value.len)
		strbuf_add(sb, old->value.at, old->value.len);
	else
		strbuf_adds(sb, "null");
	strbuf_adds(sb, ",\"key\":");
	add_quoted(sb, old->key);
	strbuf_adds(sb, ",\"benchmark\":");
	add_quoted(sb, old->benchmark);
	strbuf_adds(sb, ",\"file\":");
	add_quoted(sb, old->file);
	strbuf_addc(sb, '}');
}

static void take_old(struct mllog *m, struct span text, uint64_t rank)
{
	static const char *const used[] = {"key"};
	struct event event = {.end_ns = TIME_NONE};
	struct old_line old;
	struct strbuf sb;
	char *name;

	if (!cut_old(&old, text))
		return;
	if (input_line_torn(m->log->in)) {
		log_refuse(m->log, "no-newline",
			"file ends without a newline, so its last key '%s' may be "
			"truncated (line skipped)",
			log_quote(old.key).text);
		return;
	}
	strbuf_init(&sb);
	print_old(&sb, &old, false);
	if (!json_line_parse(&m->line, (struct span){sb.text, sb.len}) ||
		m->line.count != 4) {
		print_old(&sb, &old, true);
		json_line_parse(&m->line, (struct span){sb.text, sb.len});
	}
	event.t_ns = old.t_ns;
	name = json_text(json_line_find(&m->line, "key"));
	event.type = strip(name, "_start") ? EVENT_BEGIN
		: strip(name, "_stop")	   ? EVENT_END
					   : EVENT_POINT;
	event.name = run_keep_and_free(m->log->run, name);
	event.extras = run_keep_and_free(m->log->run, json_line_rest(&m->line, used, 1));
	strbuf_release(&sb);
	take_event(m, &event, rank);
}

/* The text up to the next mark, or all of it. */
static struct span before_next(struct span text)
{
	struct span rest = text, before;
	bool old;

	return cut_mark(&rest, &before, &old) ? before : text;
}

/* Two keys of an event: the text of one that lost its mark, or a part of it. */
static bool has_keys(struct span text)
{
	static const char *const keys[] = {"\"namespace\":", "\"time_ms\":",
		"\"event_type\":", "\"key\":", "\"metadata\":"};
	size_t found = 0;

	if (!text.len || !memchr(text.at, '"', text.len))
		return false;
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
		found += span_has_nocase(text, keys[i]);
	return found > 1;
}

/* Text that belongs to no event. */
static void take_other(struct mllog *m, struct span text)
{
	if (has_keys(text))
		log_refuse(m->log, input_line_torn(m->log->in) ? "torn-line" : "bad-json",
			"event without " MARK ": '%s' (event skipped)",
			log_quote(text).text);
	else if (!line_is_text(text))
		log_refuse(m->log, "bad-json",
			"bytes that are no text: '%s' (line skipped)",
			log_quote(text).text);
}

/* A line may have several: writes of many processes run into each other. */
static void take_line(struct mllog *m, struct span text)
{
	struct span before;
	int broken = 0, said = 0;
	bool old;

	while (broken < BROKEN_MAX && cut_mark(&text, &before, &old)) {
		uint64_t rank = rank_of(before);
		struct span object, rest;

		if (broken == said)
			take_other(m, before);
		said = broken;
		if (old) {
			take_old(m, before_next(text), rank);
			continue;
		}
		rest = text = span_trim(text);
		if (!span_begins(text, "{"))
			continue; /* somebody writes about it */
		if (json_cut_object(&rest, &object) && line_is_text(object) &&
			json_line_parse(&m->line, object)) {
			take_object(m, object, rank);
			text = rest;
			continue;
		}
		broken++;
		log_refuse(m->log, input_line_torn(m->log->in) ? "torn-line" : "bad-json",
			"not a JSON object after " MARK ": '%s' (event skipped)",
			log_quote(text).text);
	}
	if (broken == said)
		take_other(m, text);
}

/* Whether a line has an event. */
static bool has_event(struct json_line *line, struct span text)
{
	struct span before, object;
	bool old;

	for (int i = 0; i < BROKEN_MAX && cut_mark(&text, &before, &old); i++) {
		struct span rest = span_trim(text);
		struct old_line old_line;
		int64_t t_ns;

		if (old ? cut_old(&old_line, text)
			: json_cut_object(&rest, &object) &&
					json_line_parse(line, object) &&
					read_time(line, &t_ns) &&
					json_is_text(json_line_find(line, "key")))
			return true;
	}
	return false;
}

static enum claim claims(struct span text)
{
	struct json_line line = {0};
	struct span rest = text, before;
	bool event, old;

	/* both marks have an L, as few lines of numbers */
	if (!memchr(text.at, 'L', text.len) || !cut_mark(&rest, &before, &old))
		return CLAIM_NONE; /* as nearly all */
	event = has_event(&line, text);
	json_line_release(&line);
	return event ? CLAIM_LINE : CLAIM_NONE;
}

static int bid(const struct probe *probe)
{
	for (size_t i = 0; i < probe->count; i++)
		if (claims(probe->line[i]))
			return 85;
	return 0;
}

static void mllog_survey(struct log *log)
{
	struct mllog m = {.log = log};
	struct span text;

	while (log_line(log, &text))
		take_line(&m, text);
	json_line_release(&m.line);
	lookup_release(&m.contents);
	free(m.said);
}

const struct format format_mllog = {.kind = SOURCE_MLLOG,
	.bid = bid,
	.claims = claims,
	.survey = mllog_survey,
	.claims_rows = true,
	.marked = true};
