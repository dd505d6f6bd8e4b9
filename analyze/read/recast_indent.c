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
	bool begun;
	struct strbuf ahead; /* the line that ended the last record */
	bool has_ahead;
	uint64_t ahead_line;
	struct strbuf path;
	struct outer above[LEVELS];
	size_t depth;
	bool in_device, in_process;
	size_t device_cells, process_cells, process_indent; /* cells before */
	uint64_t device_line, process_line;
	size_t process_path; /* length of the path before */
};

static struct indent_source *source_of(struct recast *recast)
{
	struct indent_source *s = recast_state(recast);

	if (!s->begun) {
		strbuf_init(&s->ahead);
		strbuf_init(&s->path);
		s->begun = true;
	}
	return s;
}

static void indent_release(void *state)
{
	struct indent_source *s = state;

	if (!s->begun)
		return;
	strbuf_release(&s->ahead);
	strbuf_release(&s->path);
}

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

static struct span path_of(const struct indent_source *s)
{
	return (struct span){s->path.text, s->path.len};
}

static void cut_path(struct indent_source *s, size_t len)
{
	s->path.len = len;
	s->path.text[len] = '\0';
}

static void add_name(struct indent_source *s, struct span name)
{
	if (s->path.len)
		strbuf_addc(&s->path, '.');
	strbuf_add(&s->path, name.at, name.len);
}

/* Lines of this indentation are not below those of as much or more. */
static void leave(struct indent_source *s, size_t indent)
{
	while (s->depth && s->above[s->depth - 1].indent >= indent)
		cut_path(s, s->above[--s->depth].path);
}

static void end_process(struct recast *recast, struct indent_source *s)
{
	if (!s->in_process)
		return;
	s->in_process = false;
	leave(s, s->process_indent + 1);
	recast_row(recast, path_of(s), s->process_line);
	cut_path(s, s->process_path);
	recast_back(recast, s->process_cells);
}

static void end_device(struct recast *recast, struct indent_source *s)
{
	end_process(recast, s);
	leave(s, 0);
	if (s->in_device) {
		cut_path(s, 0);
		strbuf_adds(&s->path, "GPU[]");
		recast_row(recast, path_of(s), s->device_line);
		recast_back(recast, s->device_cells);
	}
	cut_path(s, 0);
	s->in_device = false;
}

static void put_named(struct recast *recast, struct indent_source *s, struct span name,
	struct span value)
{
	size_t before = s->path.len;

	add_name(s, name);
	recast_put(recast, path_of(s), value);
	cut_path(s, before);
}

static void begin_device(
	struct recast *recast, struct indent_source *s, struct span id, uint64_t line)
{
	end_device(recast, s);
	s->in_device = true;
	s->device_cells = recast_cells(recast);
	s->device_line = line;
	strbuf_adds(&s->path, "GPU[]");
	put_named(recast, s, span_of("key"), id);
}

/* Of the same name come several: "Process ID : 12", with the rest below. */
static void begin_process(struct recast *recast, struct indent_source *s, size_t indent,
	struct span value, uint64_t line)
{
	s->in_process = true;
	s->process_cells = recast_cells(recast);
	s->process_indent = indent;
	s->process_line = line;
	s->process_path = s->path.len;
	strbuf_adds(&s->path, "[]");
	put_named(recast, s, span_of("Process ID"), value);
}

/* A line within a device. */
static void take_inner(struct recast *recast, struct indent_source *s, struct span line,
	size_t indent, uint64_t number)
{
	struct span key, value;

	if (s->in_process && indent <= s->process_indent)
		end_process(recast, s);
	leave(s, indent);
	split(line, &key, &value);
	if (span_is(key, "Process ID")) {
		begin_process(recast, s, indent, value, number);
		return;
	}
	if (value.len)
		put_named(recast, s, key, value);
	if (s->depth == LEVELS)
		return;
	s->above[s->depth++] = (struct outer){indent, s->path.len};
	add_name(s, key);
}

/* The line ahead, or the next one, trimmed at its end; false: there is none. */
static bool next_line(struct recast *recast, struct indent_source *s, struct span *line,
	uint64_t *number)
{
	struct log *log = recast_log(recast);
	bool more;

	if (s->has_ahead) {
		s->has_ahead = false;
		*line = (struct span){s->ahead.text, s->ahead.len};
		*number = s->ahead_line;
		return true;
	}
	if (!log_raw_line(log, line, &more))
		return false;
	*number = log_file_line(log);
	return true;
}

static void put_back(struct indent_source *s, struct span line, uint64_t number)
{
	if (line.at != s->ahead.text) {
		strbuf_clear(&s->ahead);
		strbuf_add(&s->ahead, line.at, line.len);
	}
	s->has_ahead = true;
	s->ahead_line = number;
}

static uint64_t last_line(struct recast *recast)
{
	return log_file_line(recast_log(recast));
}

/* The file ends in a value, of which a part may be missing. */
static void drop_torn(struct recast *recast, struct indent_source *s)
{
	recast_refuse(
		recast, last_line(recast), true, "file ends inside a line", SPAN_NONE);
	if (s->in_process)
		s->in_process = false;
	s->in_device = false;
	leave(s, 0);
}

/* Reads to the begin of the next record: a banner, or a name behind the devices. */
static bool indent_next(struct recast *recast)
{
	struct indent_source *s = source_of(recast);
	bool any = false, devices = false;
	struct span line, id, key, value;
	uint64_t number;

	while (next_line(recast, s, &line, &number)) {
		struct span text = span_trim(line);
		size_t indent = (size_t)(text.at - line.at);

		if (!text.len)
			continue;
		if (log_file_torn(recast_log(recast)) && number == last_line(recast)) {
			drop_torn(recast, s);
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
			put_back(s, line, number);
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
	.state_size = sizeof(struct indent_source),
	.release = indent_release};
