/* Lines and complaints of one file. */
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
#include "read/log_clock.h"

/*
 * NULs that a line begins with were never written: a crash left them, or a file was
 * emptied under its writer. A line may begin behind them; a digit there may as well be
 * the middle of a number, a capital that of an id, so the line stays as it is and no
 * reader accepts it.
 */
static struct span skip_hole(struct log *log, struct span line)
{
	struct span rest = line;

	log_note(log, true, "nul", (struct span){NULL, 0},
		"NUL bytes where a line should begin: what stood there is lost");
	log_lose(log, log_line_number(log), LOST_ROWS_MANY);
	while (rest.len && !rest.at[0])
		rest.at++, rest.len--;
	if (rest.len && !strchr("#{", rest.at[0]) &&
		!(rest.at[0] >= 'a' && rest.at[0] <= 'z'))
		return line;
	return rest;
}

/* The length of a sequence that sets a colour, or erases what follows; 0: another one. */
static size_t colour_len(struct span text)
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

/* Whoever colours lines begins one of the first with that, or has it within. */
static struct span without_colours(struct log *log, struct span line)
{
	if (!log->escapes && line.at[0] != '\033')
		return line;
	log->escapes = true;
	if (!memchr(line.at, '\033', line.len))
		return line;
	if (!log->plain.text)
		strbuf_init(&log->plain);
	strbuf_clear(&log->plain);
	while (line.len) {
		size_t len = colour_len(line);

		log->escaped |= len > 0;
		if (!len)
			strbuf_addc(&log->plain, line.at[0]);
		line.at += len ? len : 1;
		line.len -= len ? len : 1;
	}
	return span_trim((struct span){log->plain.text, log->plain.len});
}

/* What another program put around the line; an object may say nothing of the log. */
static struct span unwrap(struct log *log, struct span line)
{
	log->line_ns = log_prefix_time(log, line);
	log->line_host = prefix_host(line, &log->prefix);
	line = prefix_cut(line, &log->prefix);
	if (!log->prefix.member || !span_begins(line, "{") ||
		!message_read(&log->message, line, log->prefix.member, &log->zone))
		return line;
	if (log->message.timed) {
		log->line_ns = log->message.t_ns;
		log->line_clock = CLOCK_TIME;
	}
	if (!message_line(&log->message, &line))
		line.len = 0;
	return line;
}

/* What can't be used of a line that was read. */
static void look_at_damage(struct log *log, struct span *line)
{
	if (input_line_number(log->in) < log->from_line)
		line->len = 0;
	if (input_line_cut(log->in)) {
		log_refuse(log, "long-line", "a line of more than %d bytes is lost",
			INPUT_LINE_MAX);
		line->len = 0;
	} else if (input_line_mixed(log->in)) {
		log_refuse(log, "mixed-encoding",
			"another encoding begins within the line, as where "
			"UTF-16 was appended to other text; it is lost");
		line->len = 0;
	} else if (line->len && !line->at[0]) {
		*line = skip_hole(log, *line);
	} else if (line->len && memchr(line->at, '\0', line->len)) {
		log_note(log, true, "nul", (struct span){NULL, 0},
			"NUL bytes within a line: what stood there is lost");
		log_lose(log, log_line_number(log), LOST_ROWS_MANY);
	}
}

/* It may begin or end with a blank, as few lines do. */
static bool is_padded(struct span line)
{
	return line.len && (line.at[0] <= ' ' || line.at[line.len - 1] <= ' ');
}

/* The next line of the file; false: the end. */
static bool read_line(struct log *log, struct span *line)
{
	struct error err;
	int got = input_line(log->in, line, &err);

	if (got < 0) {
		diag_add(log->diags, true, "read-error", log->name,
			input_line_number(log->in), (struct span){NULL, 0},
			"%s; the lines before it are used", err.message);
		log_lose(log, input_line_number(log->in), LOST_ROWS_MANY);
	}
	if (got <= 0)
		return false;
	if (log->to_line && input_line_number(log->in) > log->to_line)
		return false;
	if (is_padded(*line))
		*line = span_trim(*line);
	if (log->from_line || !input_line_plain(log->in))
		look_at_damage(log, line);
	if (line->len)
		*line = without_colours(log, *line);
	if (prefix_is_any(&log->prefix) && line->len)
		*line = unwrap(log, *line);
	return true;
}

bool log_line(struct log *log, struct span *line)
{
	do {
		if (!(log->prefix.member && message_line(&log->message, line)) &&
			!read_line(log, line))
			return false;
		if (log->route.kinds && line->len &&
			!route_is_own(&log->route, log->formats, *line))
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

	if (!log->path) {
		fd = log_spooled(log->fd, log->name, err);
		if (fd < 0)
			return -1;
	}
	return sqlitefile_open(out, log->path ? log->path : log->name, fd, err);
}

struct event_place log_place(const struct log *log)
{
	return (struct event_place){
		(size_t)(log->file - log->run->file), log_line_number(log)};
}

uint64_t log_line_number(const struct log *log)
{
	return log->sqlite || log->record ? log->record : input_line_number(log->in);
}

void log_hear(struct log *log, struct span line)
{
	if (log->loss)
		loss_hear(log->loss, (size_t)(log->file - log->run->file),
			log_line_number(log), line);
}

void log_lose(struct log *log, uint64_t line, uint64_t rows)
{
	if (log->lost)
		lost_rows_add(log->lost, line, rows);
}

void log_refuse(struct log *log, const char *id, const char *format, ...)
{
	char sentence[768];
	va_list ap;

	va_start(ap, format);
	vsnprintf(sentence, sizeof sentence, format, ap);
	va_end(ap);
	log->file->refused++;
	log_lose(log, log_line_number(log), 1);
	diag_add(log->diags, true, id, log->name, log_line_number(log),
		(struct span){NULL, 0}, "%s", sentence);
}

void log_note(struct log *log, bool damage, const char *id, struct span what,
	const char *format, ...)
{
	char sentence[768];
	va_list ap;

	va_start(ap, format);
	vsnprintf(sentence, sizeof sentence, format, ap);
	va_end(ap);
	diag_add(log->diags, damage, id, log->name, log_line_number(log), what, "%s",
		sentence);
}

struct quoted log_quote(struct span s)
{
	struct quoted quoted;
	struct strbuf sb;

	strbuf_init(&sb);
	diag_quote(&sb, s);
	snprintf(quoted.text, sizeof quoted.text, "%s", sb.text);
	strbuf_release(&sb);
	return quoted;
}
