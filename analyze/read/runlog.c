/*
 * Events and phases as JSON lines (RunLog): {"ts": ..., "type": ..., "name": ...}. Of a
 * phase line ts is the end, "seconds" the length. Keys that mean nothing here are kept as
 * they are.
 */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "read/format.h"
#include "read/json_line.h"

static const char *const time_keys[] = {"ts", "timestamp", "time"};

/* The key that holds the time of a line; NULL: none does. */
static const char *time_key(const struct json_line *line)
{
	for (size_t i = 0; i < sizeof time_keys / sizeof time_keys[0]; i++)
		if (json_line_get(line, time_keys[i]).len)
			return time_keys[i];
	return NULL;
}

static struct span time_value(const struct json_line *line)
{
	const char *key = time_key(line);

	return key ? json_line_get(line, key) : (struct span){NULL, 0};
}

/* A line of a RunLog has a time, and a type or a name. */
static int bid(const struct probe *probe)
{
	struct json_line line = {0};
	int bits = 0;

	for (size_t i = 0; i < probe->count && !bits; i++) {
		if (!span_begins(probe->line[i], "{") ||
			!json_line_parse(&line, probe->line[i]))
			continue;
		if (time_value(&line).len &&
			(json_line_get(&line, "type").len ||
				json_line_get(&line, "name").len))
			bits = 60;
	}
	json_line_release(&line);
	return bits;
}

/* A string in ISO 8601, or a number of seconds since 1970. */
static bool read_time(struct span value, const struct zone *zone, int64_t *t_ns)
{
	if (value.len >= 2 && value.at[0] == '"')
		return time_parse((struct span){value.at + 1, value.len - 2}, zone, t_ns);
	return time_parse_epoch(value, t_ns);
}

static enum event_type event_type_of(const char *name)
{
	if (!name)
		return EVENT_POINT;
	if (strcmp(name, "phase") == 0)
		return EVENT_PHASE;
	if (strcmp(name, "begin") == 0)
		return EVENT_BEGIN;
	if (strcmp(name, "end") == 0)
		return EVENT_END;
	return EVENT_POINT;
}

/* All keys but the ones that have a field of their own. */
static char *collect_extras(const struct json_line *line, bool phase)
{
	const char *time = time_key(line);
	struct strbuf sb;

	strbuf_init(&sb);
	for (size_t i = 0; i < line->count; i++) {
		const struct json_member *m = &line->member[i];

		if ((time && span_is(m->key, time)) || span_is(m->key, "type") ||
			span_is(m->key, "name") || (phase && span_is(m->key, "seconds")))
			continue;
		strbuf_adds(&sb, sb.len ? ", \"" : "{\"");
		strbuf_add(&sb, m->key.at, m->key.len);
		strbuf_adds(&sb, "\": ");
		strbuf_add(&sb, m->value.at, m->value.len);
	}
	if (!sb.len) {
		strbuf_release(&sb);
		return NULL;
	}
	strbuf_addc(&sb, '}');
	return strbuf_detach(&sb);
}

/* -1: the line says that it is a phase, and its seconds are no length. */
static int64_t phase_length(const struct json_line *line, int64_t end_ns)
{
	int64_t ns;

	if (!number_scaled(json_line_get(line, "seconds"), NS_PER_S, &ns) || ns < 0 ||
		ns > end_ns) /* before 1970 */
		return -1;
	return ns;
}

static void take_line(struct log *log, struct json_line *line, struct span text)
{
	struct event *event;
	char *type;
	int64_t t_ns = TIME_NONE, length_ns = 0;
	bool phase;

	if (!json_line_parse(line, text)) {
		log_refuse(log, input_line_torn(log->in) ? "torn-line" : "bad-json",
			"'%s' is no JSON object", log_quote(text).text);
		return;
	}
	if (!read_time(time_value(line), &log->zone, &t_ns)) {
		log_refuse(log, "bad-time", "an event without a time: '%s'",
			log_quote(text).text);
		return;
	}
	type = json_text(json_line_get(line, "type"));
	phase = event_type_of(type) == EVENT_PHASE;
	if (phase)
		length_ns = phase_length(line, t_ns);
	if (length_ns < 0) {
		log_refuse(log, "bad-phase",
			"a phase whose \"seconds\" are no length: '%s'",
			log_quote(text).text);
		free(type);
		return;
	}
	event = run_add_event(log->run);
	event->type = event_type_of(type);
	event->t_ns = t_ns - length_ns;
	event->end_ns = phase ? t_ns : TIME_NONE;
	event->type_name = type;
	event->name = json_text(json_line_get(line, "name"));
	event->extras = collect_extras(line, phase);
	log->file->rows++;
}

static void runlog_survey(struct log *log)
{
	struct json_line line = {0};
	struct span text;

	while (log_line(log, &text))
		take_line(log, &line, text);
	json_line_release(&line);
}

const struct format format_runlog = {SOURCE_RUNLOG, bid, NULL, runlog_survey};
