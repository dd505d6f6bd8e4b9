/* Lines and complaints of one file. */
#include "read/log.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/strbuf.h"

bool log_line(struct log *log, struct span *line)
{
	struct error err;
	int got;

	do {
		got = input_line(log->in, line, &err);
		if (got < 0)
			diag_add(log->diags, true, "read-error", log->name,
				input_line_number(log->in), (struct span){NULL, 0},
				"%s; the lines before it are used", err.message);
		if (got <= 0)
			return false;
		*line = span_trim(*line);
		if (input_line_cut(log->in)) {
			log_refuse(log, "long-line",
				"a line of more than %d bytes is lost", INPUT_LINE_MAX);
			line->len = 0;
		}
	} while (!line->len);
	return true;
}

void log_refuse(struct log *log, const char *id, const char *format, ...)
{
	char sentence[768];
	va_list ap;

	va_start(ap, format);
	vsnprintf(sentence, sizeof sentence, format, ap);
	va_end(ap);
	log->file->refused++;
	diag_add(log->diags, true, id, log->name, input_line_number(log->in),
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
	diag_add(log->diags, damage, id, log->name, input_line_number(log->in), what,
		"%s", sentence);
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
