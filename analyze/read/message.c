/* Strings of JSON objects as lines. */
#include "read/message.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "read/header.h"
#include "read/headerless.h"
#include "read/json_time.h"

/* Where loggers put what was said. */
static const char *const members[] = {"log", "message", "msg", "textPayload", "MESSAGE",
	"line", "body", "text", "event", "jsonPayload.message", "record.message",
	"fields.message"};

#define MEMBERS (sizeof members / sizeof members[0])

void message_release(struct message *message)
{
	json_line_release(&message->object);
	strbuf_release(&message->text);
}

static void take_text(struct message *message, const char *member)
{
	char *text = json_text(json_line_find(&message->object, member));

	strbuf_clear(&message->text);
	message->at = 0;
	if (text)
		strbuf_adds(&message->text, text);
	free(text);
}

bool message_read(struct message *message, struct span object, const char *member,
	const struct zone *zone)
{
	if (!message->text.text)
		strbuf_init(&message->text);
	strbuf_clear(&message->text);
	message->at = 0;
	if (!json_line_parse(&message->object, object))
		return false;
	message->timed = json_time_find(&message->object, zone, &message->t_ns) != NULL;
	take_text(message, member);
	return true;
}

bool message_line(struct message *message, struct span *line)
{
	struct span rest;
	const char *end;

	if (message->at >= message->text.len)
		return false;
	rest = (struct span){
		message->text.text + message->at, message->text.len - message->at};
	end = memchr(rest.at, '\n', rest.len);
	if (end)
		rest.len = (size_t)(end - rest.at);
	message->at += rest.len + 1;
	*line = span_trim(rest);
	return true;
}

/* A row, and no sentence that begins with a number and a unit. */
static bool is_row(struct csv_row *row, struct span line)
{
	int64_t number;

	return header_is_row(row, line) &&
		(headerless_is_amount(row->cell[1]) ||
			number_scaled(row->cell[1], 1, &number));
}

/* The object of a line, behind some words, and their number. */
static bool find_object(struct span line, struct span *object, size_t *words)
{
	*object = span_trim(line);
	for (*words = 0; *words <= PREFIX_WORDS_MAX; ++*words) {
		if (span_begins(*object, "{"))
			return true;
		prefix_word(object);
		*object = span_trim(*object);
	}
	return false;
}

/* How many lines have a header, or else a row, in a member. */
struct found {
	size_t words;
	size_t headers[MEMBERS], rows[MEMBERS];
	bool timed;
};

static void look_at(struct found *found, struct message *message, struct csv_row *row,
	struct span object)
{
	struct span line;

	if (!message_read(message, object, members[0], &ZONE_UTC))
		return;
	for (size_t m = 0; m < MEMBERS; m++) {
		take_text(message, members[m]);
		if (!message_line(message, &line) || !line.len)
			continue;
		if (header_is(row, line))
			found->headers[m]++;
		else
			found->rows[m] += is_row(row, line);
	}
	found->timed |= message->timed;
}

bool message_find(const struct probe *probe, struct csv_row *row, struct prefix *prefix)
{
	struct message message = {0};
	struct found found = {0};
	bool any = false;

	for (size_t i = 0; i < probe->count; i++) {
		struct span object;
		size_t words;

		if (!find_object(probe->line[i], &object, &words) ||
			(any && words != found.words))
			continue;
		any = true;
		found.words = words;
		look_at(&found, &message, row, object);
	}
	message_release(&message);
	for (size_t m = 0; m < MEMBERS && any; m++) {
		if (!found.headers[m] && found.rows[m] * 10 < probe->count * 9)
			continue;
		*prefix = (struct prefix){.words = found.words,
			.member = members[m],
			.object_time = found.timed};
		return true;
	}
	return false;
}
