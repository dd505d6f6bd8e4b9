/* What is no row, by its first character, its words, its cells. */
#include "read/talk.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/text.h"
#include "read/cell.h"

bool talk_is_complaint(struct span line)
{
	static const char *const words[] = {"error", "fail", "unable", "lost",
		"no devices", "insufficient", "not found", "not supported", "denied"};

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (span_has_nocase(line, words[i]))
			return true;
	return false;
}

bool talk_is_failure(const struct csv_row *row)
{
	for (size_t i = 0; i < row->count; i++)
		if (!cell_is_failure(row->cell[i]))
			return false;
	return row->count > 0;
}

/* "sep=,": which character parts the cells, for Excel. */
static bool is_separator(struct span line)
{
	return line.len == 5 && span_has_nocase(line, "sep=");
}

/*
 * A prompt, the echo of a command, a title, a line of dashes: nothing of the log. What
 * begins as a row does, or holds a NUL, may have been one.
 */
/* In whatever encoding; bytes that nobody prints are damage. */
static bool is_text(struct span line)
{
	char *text = xstrndup(line.at, line.len);
	bool valid = strlen(text) == line.len && utf8_is_valid(text);
	size_t high = 0, control = 0;

	free(text);
	for (size_t i = 0; i < line.len; i++) {
		unsigned char c = (unsigned char)line.at[i];

		high += c >= 0x80;
		control += (c < 0x20 && c != '\t' && c != '\033') || c == 0x7f;
	}
	return !control && (valid || 2 * high <= line.len);
}

bool talk_is_noise(const struct csv_row *row, struct span line)
{
	if (strchr("0123456789[\"", line.at[0]) || !is_text(line))
		return false;
	return talk_is_echo(line) || is_separator(line) ||
		(row->count == 1 && !talk_is_complaint(line));
}

bool talk_is_prose(const struct csv_row *row, struct span line)
{
	if ((line.at[0] | 0x20) < 'a' || (line.at[0] | 0x20) > 'z' ||
		memchr(line.at, '\0', line.len) || talk_is_complaint(line))
		return false;
	for (size_t i = 0; i < row->count; i++) {
		struct span rest = row->cell[i];
		int64_t quanta;

		if (span_begins(rest, "GPU-") || cell_is_missing(rest) ||
			number_cut(&rest, 1, &quanta))
			return false;
	}
	return true;
}

bool talk_is_echo(struct span line)
{
	if (!line.len || (line.at[0] >= '0' && line.at[0] <= '9'))
		return false; /* as nearly all rows: looked at no further */
	if (span_has_nocase(line, "nvidia-smi has failed"))
		return false; /* it is what it says itself */
	return span_has_nocase(line, "nvidia-smi ") ||
		span_has_nocase(line, "nvidia-smi.exe ");
}

bool talk_is_rule(struct span line)
{
	if (line.len < 3 || !strchr("-=*#_~+", line.at[0]) || !line.at[0])
		return false;
	for (size_t i = 1; i < line.len; i++)
		if (line.at[i] != line.at[0])
			return false;
	return true;
}
