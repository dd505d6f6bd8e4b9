/* Names of files that are no logs. */
#include "read/not_logs.h"

#include <stdbool.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "read/csv.h"

enum where {
	BEGINS, /* the first line */
	LINE, /* a line begins so */
	HAS, /* it stands anywhere in a line */
	NAME, /* the name of the file ends so */
	SCRIPT, /* as BEGINS */
	SOURCE /* as NAME */
};

/* A name and what to do instead are one text. */
static const struct {
	enum where where;
	const char *text, *says;
} signs[] = {
#define NOT_LOG(where, text, what, instead) {where, text, what ". " instead},
#include "../schema/not_logs.def"
#undef NOT_LOG
};

/* "0, gpuUtil , 1709978400123456, 0": GPU, what, microseconds since 1970, value. */
static bool is_statistics(struct span line)
{
	static const char *const names[] = {"pwrDraw", "temp", "gpuUtil", "memUtil",
		"encUtil", "decUtil", "procClk", "memClk", "violPwr", "violThm"};
	struct csv_row row;
	uint64_t number;
	bool found = false;

	row = csv_row_of(line);
	for (size_t i = 0; i < sizeof names / sizeof names[0] && row.count == 4; i++)
		found |= span_is(row.cell[1], names[i]);
	found = found && number_unsigned(row.cell[0], &number) &&
		number_unsigned(row.cell[2], &number);
	csv_row_release(&row);
	return found;
}

/* "1709978400123 45.5 3": milliseconds since 1970, a value, a step. */
static bool is_mlflow(struct span line)
{
	struct span rest = line;
	struct span time = span_word(&rest), value = span_word(&rest),
		    step = span_word(&rest);
	int64_t any;
	uint64_t number;

	return time.len == 13 && number_unsigned(time, &number) &&
		number_scaled(value, 1, &any) && number_unsigned(step, &number) &&
		!span_trim(rest).len;
}

/* All of "Device & rkB/s". */
static bool has_all(struct span line, const char *texts)
{
	char part[64];

	for (const char *end; *texts; texts = *end ? end + strlen(" & ") : end) {
		size_t len;

		end = strstr(texts, " & ");
		end = end ? end : texts + strlen(texts);
		len = (size_t)(end - texts);
		if (len >= sizeof part)
			return false;
		memcpy(part, texts, len);
		part[len] = '\0';
		if (!span_has_nocase(line, part))
			return false;
	}
	return true;
}

static bool ends_so(const char *path, const char *end)
{
	size_t len = path ? strlen(path) : 0;

	return len > strlen(end) &&
		span_is_nocase(span_of(path + len - strlen(end)), end);
}

static bool is_sign(const struct probe *probe, size_t sign)
{
	const char *text = signs[sign].text;

	if (signs[sign].where == NAME || signs[sign].where == SOURCE)
		return ends_so(probe->path, text);
	for (size_t i = 0; i < probe->count; i++) {
		if (signs[sign].where == HAS ? has_all(probe->line[i], text)
					     : span_begins(probe->line[i], text))
			return true;
		if (signs[sign].where == BEGINS || signs[sign].where == SCRIPT)
			break;
	}
	return false;
}

/* Are three bytes in ten none of a text's? */
static bool is_binary(struct span line)
{
	size_t strange = 0;

	for (size_t i = 0, len; i < line.len; i += len ? len : 1) {
		len = utf8_printable(line, i);
		strange += !len && line.at[i] != '\t' && line.at[i] != '\x1b';
	}
	return strange * 10 > line.len * 3;
}

const char *not_log_refused(const struct probe *probe, bool in_folder)
{
	for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
		if ((signs[i].where == SCRIPT ||
			    (signs[i].where == SOURCE && in_folder)) &&
			is_sign(probe, i))
			return signs[i].says;
	return NULL;
}

const char *not_log_name(const struct probe *probe)
{
	if (probe->count && foreign_is_tar(probe->line[0]))
		return "a tar file. Unpack it first: tar -xf FILE";
	for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
		if (is_sign(probe, i))
			return signs[i].says;
	if (probe->count && is_statistics(probe->line[0]))
		return "the output of nvidia-smi stats. To record a log, use nvidia-smi "
		       "dmon";
	if (probe->count && is_mlflow(probe->line[0]))
		return "a metric of an MLflow run. Join the metrics of the system into "
		       "one table: docs/trackers.md";
	if (probe->count && is_binary(probe->line[0]))
		return "binary data. hwsummarize reads text, SQLite, gzip and zstd";
	return NULL;
}
