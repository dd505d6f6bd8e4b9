/*
 * Snapshots of /proc/meminfo: "Key:   N kB", under marker lines with the clocks
 * ("# t=1763632800.123456789 ...") or one after the other. MemAvailable is lacking before
 * Linux 3.14; what is used follows from it, so then that is not known either. Linux 2.4
 * puts a table in bytes before them, which is passed over.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "read/columns.h"
#include "read/formats.h"
#include "read/identity.h"
#include "read/log.h"

#define VALUES_MAX 32 /* of a snapshot; there are as many as bindings */

struct meminfo_source {
	struct log *log;
	struct marker marker;
	/* the snapshot that is being read */
	struct {
		enum metric_id metric;
		int64_t quanta;
		uint64_t line;
		bool missing, apart; /* behind a blank: in a cell of its own */
	} value[VALUES_MAX];
	size_t values;
	uint64_t line; /* of its first value */
};

/* "Active(anon)", "DirectMap4k": the kernel's keys begin with a capital. */
static bool is_key(struct span key)
{
	if (!key.len || key.at[0] < 'A' || key.at[0] > 'Z')
		return false;
	for (size_t i = 0; i < key.len; i++)
		if (((key.at[i] | 0x20) < 'a' || (key.at[i] | 0x20) > 'z') &&
			!is_digit(key.at[i]) && key.at[i] != '_' && key.at[i] != '(' &&
			key.at[i] != ')')
			return false;
	return true;
}

/* "MemTotal:  8144960 kB" gives the key, and what stands behind it. */
static bool cut_key(struct span line, struct span *key, struct span *value)
{
	const char *colon = line.len ? memchr(line.at, ':', line.len) : NULL;

	if (!colon)
		return false;
	*key = (struct span){line.at, (size_t)(colon - line.at)};
	*value = span_trim((struct span){colon + 1, line.len - key->len - 1});
	return is_key(*key);
}

/* A number of kB, or of huge pages: without its unit one of kB may be cut. */
static bool is_amount(struct span value, bool of_kb)
{
	struct span number = span_word(&value), unit = span_word(&value);
	uint64_t n;

	return number_unsigned(number, &n) && !value.len &&
		(span_is(unit, "kB") || (!unit.len && !of_kb));
}

/*
 * Linux 2.4 begins with a table in bytes, "total: used: free: ..." over "Mem: 1055760384
 * 1041887232 ..."; what is used of it the lines below say too.
 */
static bool is_old_table(struct span line)
{
	struct span word = span_word(&line);
	size_t numbers = 0;
	uint64_t n;

	if (span_is(word, "total:"))
		return span_is(span_word(&line), "used:");
	if (!span_is(word, "Mem:") && !span_is(word, "Swap:"))
		return false;
	while ((word = span_word(&line)).len) {
		if (!number_unsigned(word, &n))
			return false;
		numbers++;
	}
	return numbers >= 3; /* total, used, free */
}

static int bid(const struct probe *probe)
{
	struct span key, value;
	int keys = 0;

	for (size_t i = 0; i < probe->count; i++)
		keys += cut_key(probe->line[i], &key, &value) &&
			binding_find(SOURCE_MEMINFO, key) && is_amount(value, true);
	return keys >= 2 ? 70 : 0;
}

/* Of those that are no kB, the ones of the huge pages. */
static enum claim claims(struct span line)
{
	struct span key, value;

	return cut_key(line, &key, &value) &&
			(is_amount(value, true) ||
				(span_begins(key, "HugePages_") &&
					is_amount(value, false)))
		? CLAIM_LINE
		: CLAIM_NONE;
}

static const int64_t *find_value(const struct meminfo_source *m, enum metric_id metric)
{
	for (size_t i = 0; i < m->values; i++)
		if (m->value[i].metric == metric && !m->value[i].missing)
			return &m->value[i].quanta;
	return NULL;
}

/* "MemTotal:  8144960 kB": the second cell of a line of its own. */
static void put_value(const struct meminfo_source *m, struct sample_batch *batch,
	size_t row, size_t nth)
{
	size_t column = sample_batch_column(batch, m->value[nth].metric);

	sample_column_move(&batch->column[column],
		(struct sample_place){row, (uint32_t)(m->value[nth].line - m->line),
			m->value[nth].apart ? 2 : 0});
	sample_batch_put(batch, row, column, m->value[nth].quanta);
}

/* The snapshot as a row. Used is what is not available. */
static void close_snapshot(struct meminfo_source *m, struct sample_batch *batch)
{
	const int64_t *total = find_value(m, METRIC_ram_total_mib);
	const int64_t *available = find_value(m, METRIC_ram_available_mib);
	size_t row;

	if (!m->values)
		return;
	batch->timed = m->marker.seen;
	row = sample_batch_add(
		batch, m->marker.seen ? m->marker.t_ns : 0, identity_host(m->log->run));
	batch->line[row] = m->line;
	for (size_t i = 0; i < m->values; i++)
		if (!m->value[i].missing)
			put_value(m, batch, row, i);
	if (total && available)
		sample_batch_put(batch, row,
			sample_batch_column(batch, METRIC_ram_used_mib),
			*total - *available);
	m->values = 0;
	m->log->file->rows++;
}

/*
 * A key that comes again begins the next snapshot. False: one whose marker is lost, which
 * has no place in time.
 */
static bool may_add(
	struct meminfo_source *m, struct sample_batch *batch, enum metric_id metric)
{
	bool again = false;

	for (size_t i = 0; i < m->values; i++)
		again |= m->value[i].metric == metric;
	if (!again)
		return m->values < VALUES_MAX;
	close_snapshot(m, batch);
	m->marker.lost = m->marker.seen;
	if (m->marker.lost)
		log_refuse(m->log, "no-time",
			"snapshot without its time marker (snapshot skipped)");
	return !m->marker.lost;
}

static void add_value(struct meminfo_source *m, struct sample_batch *batch,
	const struct binding *binding, struct span value)
{
	int64_t per_unit = metric_get(binding->metric)->per_unit, quanta = 0;
	bool missing;

	if (!may_add(m, batch, binding->metric))
		return;
	if (!m->values)
		m->line = input_line_number(m->log->in);
	missing = !is_amount(value, true) ||
		cell_read(value, binding->unit, per_unit, 1024, &quanta) != CELL_VALUE;
	if (missing)
		log_note(m->log, true, "bad-value", span_of(binding->name),
			"invalid size '%s' for %s, expected a number of kB (line "
			"skipped)",
			log_quote(value).text, binding->name);
	m->value[m->values].metric = binding->metric;
	m->value[m->values].quanta = quanta;
	m->value[m->values].line = input_line_number(m->log->in);
	m->value[m->values].apart = value.at[-1] != ':';
	m->value[m->values++].missing = missing;
}

/* A line with the time, as others print it before each snapshot. */
static bool take_clock(
	struct meminfo_source *m, struct sample_batch *batch, struct span line)
{
	struct marker marker = m->marker;
	struct span key, value;

	/* a key is a word, and most lines have one */
	if ((cut_key(line, &key, &value) && binding_find(SOURCE_MEMINFO, key)) ||
		!marker_read_clock(&marker, m->log, batch, line))
		return false;
	close_snapshot(m, batch);
	m->marker = marker;
	return true;
}

/* Behind a line the file ends, without a newline. False: it is refused. */
static bool is_whole(struct meminfo_source *m, struct span line)
{
	struct span key, value;
	bool known = cut_key(line, &key, &value), whole = known && is_amount(value, true);

	if (whole)
		log_note(m->log, true, "no-newline", SPAN_NONE,
			"file ends without a newline, so its last snapshot may be "
			"incomplete");
	else if (known && span_begins(key, "HugePages_") && is_amount(value, false))
		log_refuse(m->log, "no-newline",
			"file ends without a newline, so the number in its last line may "
			"be truncated (line skipped)");
	else
		log_refuse(m->log, "torn-line", "file ends inside a line (line skipped)");
	return whole;
}

static void take_line(
	struct meminfo_source *m, struct sample_batch *batch, struct span line)
{
	const struct binding *binding;
	struct span key, value;

	if (marker_is(line)) {
		close_snapshot(m, batch);
		marker_read(&m->marker, m->log, batch, line);
		return;
	}
	if (!input_line_torn(m->log->in) && take_clock(m, batch, line))
		return;
	if (m->marker.lost || span_begins(line, "#"))
		return;
	if (input_line_torn(m->log->in) && !is_whole(m, line))
		return;
	binding = cut_key(line, &key, &value) ? binding_find(SOURCE_MEMINFO, key) : NULL;
	if (!binding) { /* of some fifty lines a few are used */
		if ((!cut_key(line, &key, &value) || !is_amount(value, false)) &&
			!is_old_table(line))
			log_refuse(m->log, "prose",
				"not a line of /proc/meminfo: '%s' (line skipped)",
				log_quote(line).text);
		return;
	}
	add_value(m, batch, binding, value);
}

/* A line may close one snapshot, so one row of the batch is kept free for the end. */
static void meminfo_fill(void *state, struct sample_batch *batch)
{
	struct meminfo_source *m = state;
	struct span line;

	while (batch->rows + 1 < SAMPLE_BATCH_ROWS && log_line(m->log, &line))
		take_line(m, batch, line);
	if (batch->rows + 1 < SAMPLE_BATCH_ROWS)
		close_snapshot(m, batch);
	m->marker.delivered |= batch->rows > 0;
}

static void meminfo_end(void *state)
{
	struct meminfo_source *m = state;

	clocks_end(&m->marker.clocks, m->log->run);
}

const struct format format_meminfo = {.kind = SOURCE_MEMINFO,
	.bid = bid,
	.claims = claims,
	.around = true,
	.state_size = sizeof(struct meminfo_source),
	.fill = meminfo_fill,
	.end = meminfo_end};
