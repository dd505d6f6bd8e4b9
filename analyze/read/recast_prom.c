/*
 * What an exporter shows to Prometheus, scraped once or again and again, with the time
 * between, or behind each value:
 *
 *   DCGM_FI_DEV_GPU_UTIL{gpu="0",UUID="GPU-...",Hostname="node1"} 97
 *
 * A scrape is a record; all values of the same labels are a row. A value that comes for
 * a second time begins the next scrape.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/text.h"
#include "read/log.h"
#include "read/recast.h"

/* A piece of the source's text, which moves while it grows. */
struct part {
	size_t at, len;
};

/* A line of values: name{labels} value time. */
struct series {
	struct span name, labels, value, time;
};

/* All that has the same labels. */
struct label_row {
	uint64_t hash;
	struct part labels, time;
	uint64_t line;
};

struct value {
	size_t row;
	uint64_t name_hash;
	struct part name, value;
};

struct prom_source {
	struct strbuf text;
	struct label_row *row; /* [rows] of the scrape; owned */
	size_t rows, row_cap;
	struct value *value; /* [values] owned */
	size_t values, value_cap;
};

static void prom_release(void *state)
{
	struct prom_source *p = state;

	free(p->row);
	free(p->value);
	strbuf_release(&p->text);
}

/* Letters, digits, "_" and ":". */
static size_t name_length(struct span line)
{
	size_t len = 0;

	while (len < line.len &&
		((line.at[len] >= 'a' && line.at[len] <= 'z') ||
			(line.at[len] >= 'A' && line.at[len] <= 'Z') ||
			(len && line.at[len] >= '0' && line.at[len] <= '9') ||
			line.at[len] == '_' || line.at[len] == ':'))
		len++;
	return len;
}

/* Behind a string in quotes, which begins there; 0: it does not end. */
static size_t quoted_length(struct span text)
{
	for (size_t i = 1; i < text.len; i++) {
		if (text.at[i] == '"')
			return i + 1;
		i += text.at[i] == '\\';
	}
	return 0;
}

/* Behind the brace that closes the labels, which begin there; 0: they do not end. */
static size_t labels_length(struct span text)
{
	for (size_t i = 1; i < text.len; i++) {
		size_t quoted = 1;

		if (text.at[i] == '}')
			return i + 1;
		if (text.at[i] == '"')
			quoted = quoted_length((struct span){text.at + i, text.len - i});
		if (!quoted)
			return 0;
		i += quoted - 1;
	}
	return 0;
}

/* False: it is another line. */
static bool read_series(struct span line, struct series *series)
{
	size_t len = name_length(line);
	struct span rest = {line.at + len, line.len - len};
	int64_t number;

	*series = (struct series){.name = {line.at, len}};
	if (!len || !span_begins(rest, "{"))
		return false;
	len = labels_length(rest);
	if (!len)
		return false;
	series->labels = (struct span){rest.at + 1, len - 2};
	rest.at += len;
	rest.len -= len;
	series->value = span_word(&rest);
	series->time = span_word(&rest);
	return series->value.len && !span_trim(rest).len &&
		(!series->time.len || number_scaled(series->time, 1, &number));
}

static bool prom_is(const struct probe *probe)
{
	struct series series;
	int count = 0;

	for (size_t i = 0; i < probe->count; i++)
		count += read_series(probe->line[i], &series);
	return count > 1;
}

static struct part keep(struct prom_source *p, struct span text)
{
	struct part part = {p->text.len, text.len};

	strbuf_add(&p->text, text.at, text.len);
	return part;
}

static struct span text_of(const struct prom_source *p, struct part part)
{
	return (struct span){p->text.text + part.at, part.len};
}

static size_t find_row(struct prom_source *p, const struct series *series, uint64_t line)
{
	uint64_t hash = span_hash(series->labels, SPAN_HASH);

	for (size_t i = 0; i < p->rows; i++)
		if (p->row[i].hash == hash &&
			span_equal(text_of(p, p->row[i].labels), series->labels))
			return i;
	ALLOC_GROW(p->row, p->rows + 1, p->row_cap);
	p->row[p->rows] = (struct label_row){
		hash, keep(p, series->labels), keep(p, series->time), line};
	return p->rows++;
}

/* False: the scrape has the value already. */
static bool take_series(struct prom_source *p, const struct series *series, uint64_t line)
{
	size_t row = find_row(p, series, line);
	uint64_t hash = span_hash(series->name, SPAN_HASH);

	for (size_t i = 0; i < p->values; i++)
		if (p->value[i].row == row && p->value[i].name_hash == hash &&
			span_equal(text_of(p, p->value[i].name), series->name))
			return false;
	ALLOC_NEXT(p->value, p->values, p->value_cap) =
		(struct value){row, hash, keep(p, series->name), keep(p, series->value)};
	return true;
}

/* The labels of a row: name="value", as often as it comes. */
static void put_labels(struct recast *recast, struct span labels)
{
	while (labels.len) {
		size_t len = name_length(labels), quoted;
		struct span name = {labels.at, len};
		struct span rest = {labels.at + len, labels.len - len};

		if (!len || !span_begins(rest, "=\""))
			return;
		rest.at++, rest.len--;
		quoted = quoted_length(rest);
		if (!quoted)
			return;
		recast_put(recast, name, (struct span){rest.at + 1, quoted - 2});
		rest.at += quoted;
		rest.len -= quoted;
		while (rest.len && (*rest.at == ',' || *rest.at == ' '))
			rest.at++, rest.len--;
		labels = rest;
	}
}

/*
 * What DCGM says in place of a value that is not available, of 32 bits, of 64 and as a
 * double: the first of each, and those behind it (not found, not supported, ...).
 */
static bool is_blank(struct span value)
{
	static const int64_t first[] = {INT64_C(0x7ffffff0), INT64_C(0x7ffffffffffffff0),
		INT64_C(0x7fffffffffff) + 1};
	int64_t number;

	if (span_begins(value, "9.22337203685477"))
		return true;
	if (!number_scaled(value, 1, &number))
		return false;
	for (size_t i = 0; i < sizeof first / sizeof first[0]; i++)
		if (number >= first[i] && number - first[i] < 4)
			return true;
	return false;
}

static void put_rows(struct recast *recast, struct prom_source *p)
{
	for (size_t i = 0; i < p->rows; i++) {
		size_t cells = recast_cells(recast);

		put_labels(recast, text_of(p, p->row[i].labels));
		if (p->row[i].time.len)
			recast_put(
				recast, span_of("timestamp"), text_of(p, p->row[i].time));
		for (size_t k = 0; k < p->values; k++) {
			struct span value = text_of(p, p->value[k].value);

			if (p->value[k].row == i)
				recast_put(recast, text_of(p, p->value[k].name),
					is_blank(value) ? SPAN_NONE : value);
		}
		recast_row(recast, span_of(""), p->row[i].line);
		recast_back(recast, cells);
	}
	p->rows = p->values = 0;
	strbuf_clear(&p->text);
}

/* "# HELP ..." and the like; a marker with the time is for who reads the rows. */
static bool is_comment(struct span line)
{
	return !line.len || (line.at[0] == '#' && !span_begins(line, "# t="));
}

static bool prom_next(struct recast *recast)
{
	struct prom_source *p = recast_state(recast);
	struct series series;
	struct span line;

	while (recast_raw_line(recast, &line)) {
		uint64_t number = recast_number(recast);
		bool taken = false;

		line = span_trim(line);
		if (is_comment(line))
			continue;
		if (recast_torn(recast)) {
			recast_refuse(recast, number, true, "file ends inside a line",
				SPAN_NONE);
			break;
		}
		if (read_series(line, &series)) {
			taken = take_series(p, &series, number);
		} else if (!p->rows) {
			recast_pass(recast, line, number);
			return true;
		}
		if (taken)
			continue;
		recast_put_back(recast, line);
		break;
	}
	if (!p->rows)
		return false;
	put_rows(recast, p);
	return true;
}

const struct recast_shape recast_prom = {.name = "Prometheus' text",
	.is = prom_is,
	.next = prom_next,
	.state_size = sizeof(struct prom_source),
	.release = prom_release};
