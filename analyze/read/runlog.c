/*
 * Events and phases as JSON lines: RunLog, {"ts": ..., "type": ..., "name": ...}, and
 * what the usual loggers write. Of a phase line the time is the end, "seconds" the
 * length. Keys that mean nothing here are kept as they are.
 */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "read/formats.h"
#include "read/json.h"
#include "read/log.h"

/*
 * Where a line may have its name, and what else it must have for that. "name" beside a
 * message is the name of the logger, unless a type says that it is the event's.
 */
static const struct {
	const char *type; /* NULL: any or none */
	const char *name;
} spellings[] = {{"type", "name"}, {"event", "name"}, {NULL, "event"}, {NULL, "message"},
	{NULL, "msg"}, {NULL, "body"}, {NULL, "MESSAGE"}, {NULL, "name"}, {NULL, "key"},
	{NULL, "tag"}, {NULL, "phase"}, {NULL, "step_name"}, {NULL, "record.message"},
	{NULL, "fields.message"}, /* Rust's tracing */
	{NULL, "short_message"}, /* GELF */
	{NULL, "@m"}, {NULL, "@mt"}, /* CLEF */
	{NULL, "Body"}, {NULL, "body.stringValue"}, /* OpenTelemetry */
	{NULL, "operationName"}}; /* Azure */

/* What a line says, and where; NULL: nowhere. */
struct event_fields {
	const char *time, *type, *name;
	struct span type_text, name_text; /* the values, with their quotes */
	int64_t t_ns; /* TIME_NONE: there is no time */
};

static bool find_text(const struct json_line *line, const char *path, struct span *text)
{
	*text = json_line_find(line, path);
	return json_is_text(*text);
}

static struct event_fields find_place(
	const struct json_line *line, const struct zone *zone)
{
	struct event_fields place = {.t_ns = TIME_NONE};

	place.time = json_time_find(line, zone, &place.t_ns);
	for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
		const char *type = spellings[i].type, *name = spellings[i].name;

		if (!find_text(line, name, &place.name_text) ||
			(type && !find_text(line, type, &place.type_text)))
			continue;
		place.type = type;
		place.name = name;
		break;
	}
	if (!place.type && find_text(line, "type", &place.type_text))
		place.type = "type";
	/* what happens to collect's recorders is told as their state */
	if (!place.name && span_is(place.type_text, "\"recorder\"") &&
		find_text(line, "state", &place.name_text))
		place.name = "state";
	return place;
}

/* A line of events has a time, and a type or a name. */
static bool is_event(struct json_line *line, struct span text)
{
	struct event_fields place;

	if (!json_line_parse(line, text))
		return false;
	place = find_place(line, &ZONE_UTC);
	return place.time && (place.type || place.name);
}

static enum claim claims(struct span text)
{
	struct json_line line = {0};
	bool event;

	if (!span_begins(text, "{"))
		return CLAIM_NONE; /* as nearly all */
	event = is_event(&line, text);
	json_line_release(&line);
	return event ? CLAIM_LINE : CLAIM_NONE;
}

static int bid(const struct probe *probe)
{
	for (size_t i = 0; i < probe->count; i++)
		if (claims(probe->line[i]))
			return 60;
	return 0;
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

/* -1: the line says that it is a phase, and its seconds are no length. */
static int64_t phase_length(const struct json_line *line, int64_t end_ns)
{
	int64_t ns;

	if (!number_scaled(json_line_find(line, "seconds"), NS_PER_S, &ns) || ns < 0 ||
		ns > end_ns) /* before 1970 */
		return -1;
	return ns;
}

/*
 * No process begins or ends one thing twice within a microsecond; within a millisecond a
 * recursion may, or two processes that don't say who they are. Moments may have a time
 * together: what is told of many things at once.
 */
static bool is_said_again(
	struct strbuf *last, enum event_type type, int64_t t_ns, struct span text)
{
	bool fine = type != EVENT_POINT && t_ns % (NS_PER_S / 1000) != 0;
	bool again = fine && span_equal((struct span){last->text, last->len}, text);

	strbuf_clear(last);
	if (fine)
		strbuf_add(last, text.at, text.len);
	return again;
}

/* collect's lines have the clocks that nobody sets, too. */
static void see_clocks(struct log *log, const struct json_line *line, int64_t t_ns)
{
	struct clock_reading reading = {.wall_ns = t_ns, .boot_ns = -1};

	if (!log->watch->started.known)
		return;
	reading.known =
		number_scaled(json_line_find(line, "mono"), NS_PER_S, &reading.mono_ns);
	(void)number_scaled(json_line_find(line, "boot"), NS_PER_S, &reading.boot_ns);
	clock_watch_see(log->watch, &reading);
}

static void take_event(struct log *log, const struct json_line *line,
	const struct event_fields *place, struct span text, struct strbuf *last)
{
	const char *type = place->type
		? run_keep_and_free(log->run, json_text(place->type_text))
		: NULL;
	bool phase = event_type_of(type) == EVENT_PHASE;
	const char *used[] = {
		place->time, place->type, place->name, phase ? "seconds" : NULL};
	int64_t length_ns = phase ? phase_length(line, place->t_ns) : 0;
	struct event *event;

	if (length_ns < 0) {
		log_refuse(log, "bad-phase",
			"phase with invalid \"seconds\": '%s' (phase skipped)",
			log_quote(text).text);
		return;
	}
	if (is_said_again(last, event_type_of(type), place->t_ns, text)) {
		log_refuse(log, "same-line",
			"repeats the line before; a phase can't begin or end twice at "
			"the same time (counted once)");
		return;
	}
	see_clocks(log, line, place->t_ns);
	event = run_add_event(log->run);
	event->at = log_place(log);
	event->type = event_type_of(type);
	event->t_ns = place->t_ns - length_ns;
	event->end_ns = phase ? place->t_ns : TIME_NONE;
	event->type_name = type;
	if (place->name)
		event->name = run_keep_and_free(log->run, json_text(place->name_text));
	event->extras = run_keep_and_free(
		log->run, json_line_rest(line, used, sizeof used / sizeof used[0]));
	log->file->rows++;
}

static struct event_fields settled_place(struct log *log, const struct json_line *line)
{
	struct event_fields place = find_place(line, &log->zone);
	struct zone second;

	if (!place.time)
		return place;
	if (log_goes_back(log, place.t_ns, &second))
		log_settle(log, &place.t_ns, find_place(line, &second).t_ns);
	log->last_ns = place.t_ns;
	return place;
}

static void take_line(
	struct log *log, struct json_line *line, struct span text, struct strbuf *last)
{
	struct event_fields place;

	if (!json_line_parse(line, text)) {
		log_refuse(log, input_line_torn(log->in) ? "torn-line" : "bad-json",
			"not a JSON object: '%s' (line skipped)", log_quote(text).text);
		return;
	}
	place = settled_place(log, line);
	if (!place.time)
		log_refuse(log, "bad-time", "event without a time: '%s' (event skipped)",
			log_quote(text).text);
	else if (!place.type && !place.name)
		log_refuse(log, "no-name",
			"event without a type or a name: '%s' (event skipped)",
			log_quote(text).text);
	else
		take_event(log, line, &place, text, last);
}

static void runlog_survey(struct log *log)
{
	struct json_line line = {0};
	struct strbuf last; /* of those whose time is exact */
	struct span text;

	strbuf_init(&last);
	while (log_line(log, &text))
		take_line(log, &line, text, &last);
	strbuf_release(&last);
	json_line_release(&line);
}

const struct format format_runlog = {.kind = SOURCE_RUNLOG,
	.bid = bid,
	.claims = claims,
	.survey = runlog_survey,
	.claims_rows = true};
