/*
 * Names and values by their indentation, as nvidia-smi -q and amd-smi print them for
 * people:
 *
 *   Timestamp                 : Tue Jul 14 09:00:27 2026
 *   GPU 00000000:00:09.0
 *       FB Memory Usage
 *           Used              : 59 MiB
 *
 * A line that begins with a device begins a row, and so does a process within it. What
 * stands before the first device, and not further in, is of all of them.
 */
#include <string.h>

#include "base/text.h"
#include "read/header_words.h"
#include "read/log.h"
#include "read/recast.h"

#define LEVELS 16

/* A line that others stand below. */
struct outer {
	size_t indent, path; /* length of the path before */
};

struct indent_source {
	struct outer above[LEVELS];
	size_t depth;
	bool in_device, in_process;
	size_t device_cells, process_cells, process_indent; /* cells before */
	uint64_t device_line, process_line;
	size_t process_path; /* length of the path before */
};

static bool is_banner(struct span line)
{
	return span_begins(line, "====") && span_has_nocase(line, "LOG");
}

/* "Used : 59 MiB", "GFX_ACTIVITY: 0 %", "USAGE:". False: a title alone. */
static bool split(struct span line, struct span *key, struct span *value)
{
	size_t at = 0, behind = 0;

	for (size_t i = 0; i + 3 <= line.len && !behind; i++)
		if (memcmp(line.at + i, " : ", 3) == 0)
			at = i, behind = i + 3;
	for (size_t i = 0; i < line.len && !behind; i++)
		if (line.at[i] == ':' && (i + 1 == line.len || line.at[i + 1] == ' '))
			at = i, behind = i + 1;
	*key = span_trim((struct span){line.at, behind ? at : line.len});
	*value = span_trim(
		(struct span){line.at + behind, behind ? line.len - behind : 0});
	return behind;
}

/* "GPU 00000000:00:09.0", "GPU: 0". *id: what follows. */
static bool is_device(struct span line, struct span *id)
{
	struct span word = span_word(&line);

	if (word.len && word.at[word.len - 1] == ':')
		word.len--;
	*id = span_trim(line);
	return header_word_is_device(word) && id->len && !memchr(id->at, ' ', id->len);
}

static bool indent_is(const struct probe *probe)
{
	struct span id, key, value;

	for (size_t i = 0; i < probe->count; i++)
		if (is_banner(probe->line[i]) ||
			(i + 1 < probe->count && is_device(probe->line[i], &id) &&
				split(probe->line[i + 1], &key, &value)))
			return true;
	return false;
}

/* Lines of this indentation are not below those of as much or more. */
static void leave(struct recast *recast, struct indent_source *s, size_t indent)
{
	while (s->depth && s->above[s->depth - 1].indent >= indent)
		recast_leave(recast, s->above[--s->depth].path);
}

static void end_process(struct recast *recast, struct indent_source *s)
{
	if (!s->in_process)
		return;
	s->in_process = false;
	leave(recast, s, s->process_indent + 1);
	recast_row(recast, recast_path(recast), s->process_line);
	recast_leave(recast, s->process_path);
	recast_back(recast, s->process_cells);
}

static void end_device(struct recast *recast, struct indent_source *s)
{
	end_process(recast, s);
	leave(recast, s, 0);
	if (s->in_device) {
		recast_leave(recast, 0);
		recast_enter(recast, span_of("GPU[]"));
		recast_row(recast, recast_path(recast), s->device_line);
		recast_back(recast, s->device_cells);
	}
	recast_leave(recast, 0);
	s->in_device = false;
}

static void put_named(struct recast *recast, struct span name, struct span value)
{
	size_t before = recast_enter(recast, name);

	recast_put(recast, recast_path(recast), value);
	recast_leave(recast, before);
}

static void begin_device(
	struct recast *recast, struct indent_source *s, struct span id, uint64_t line)
{
	end_device(recast, s);
	s->in_device = true;
	s->device_cells = recast_cells(recast);
	s->device_line = line;
	recast_enter(recast, span_of("GPU[]"));
	put_named(recast, span_of("key"), id);
}

/* Of the same name come several: "Process ID : 12", with the rest below. */
static void begin_process(struct recast *recast, struct indent_source *s, size_t indent,
	struct span value, uint64_t line)
{
	s->in_process = true;
	s->process_cells = recast_cells(recast);
	s->process_indent = indent;
	s->process_line = line;
	s->process_path = recast_path(recast).len;
	recast_enter_list(recast);
	put_named(recast, span_of("Process ID"), value);
}

static void take_inner(struct recast *recast, struct indent_source *s, struct span line,
	size_t indent, uint64_t number)
{
	struct span key, value;

	if (s->in_process && indent <= s->process_indent)
		end_process(recast, s);
	leave(recast, s, indent);
	split(line, &key, &value);
	if (span_is(key, "Process ID")) {
		begin_process(recast, s, indent, value, number);
		return;
	}
	if (value.len)
		put_named(recast, key, value);
	if (s->depth == LEVELS)
		return;
	s->above[s->depth++] = (struct outer){indent, recast_enter(recast, key)};
}

/* Reads to the begin of the next record: a banner, or a name behind the devices. */
static bool indent_next(struct recast *recast)
{
	struct indent_source *s = recast_state(recast);
	bool any = false, devices = false;
	struct span line, id, key, value;

	while (recast_raw_line(recast, &line)) {
		uint64_t number = recast_number(recast);
		struct span text = span_trim(line);
		size_t indent = (size_t)(text.at - line.at);

		if (!text.len)
			continue;
		if (recast_torn(recast)) {
			recast_refuse(recast, number, true, "file ends inside a line",
				SPAN_NONE);
			s->in_process = s->in_device = false;
			leave(recast, s, 0);
			any = true;
			break;
		}
		if (indent && s->in_device) {
			take_inner(recast, s, text, indent, number);
			continue;
		}
		if (!indent && is_device(text, &id)) {
			begin_device(recast, s, id, number);
			any = devices = true;
			continue;
		}
		if (any && (devices || is_banner(text))) {
			recast_put_back(recast, line);
			break;
		}
		any = true;
		if (is_banner(text))
			continue;
		if (!split(text, &key, &value)) {
			recast_pass(recast, text, number);
			break;
		}
		if (!indent && value.len)
			recast_put(recast, key, value);
	}
	end_device(recast, s);
	recast_back(recast, 0);
	return any;
}

const struct recast_shape recast_indent = {.name = "indented names",
	.is = indent_is,
	.next = indent_next,
	.state_size = sizeof(struct indent_source)};
