/*
 * Snapshots of /proc/meminfo: "Key:   N kB", under marker lines with the clocks
 * ("# t=1763632800.123456789 ...") or one after the other. MemAvailable is lacking before
 * Linux 3.14; what is used follows from it, so then that is not known either.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/number.h"
#include "read/cell.h"
#include "read/columns.h"
#include "read/format.h"
#include "read/identity.h"
#include "read/marker.h"

#define VALUES_MAX 32 /* of a snapshot; there are as many as bindings */

struct meminfo_source {
	struct sample_source source;
	struct log *log;
	struct marker marker;
	/* the snapshot that is being read */
	struct {
		enum metric_id metric;
		int64_t quanta;
		bool missing;
	} value[VALUES_MAX];
	size_t values;
	uint64_t line; /* of its first value */
};

/* "MemTotal:  8144960 kB" gives the key, and what stands behind it. */
static bool cut_key(struct span line, struct span *key, struct span *value)
{
	for (size_t i = 0; i < line.len; i++) {
		if (line.at[i] != ':')
			continue;
		*key = (struct span){line.at, i};
		*value = span_trim((struct span){line.at + i + 1, line.len - i - 1});
		return i > 0 && value->len > 0;
	}
	return false;
}

static int bid(const struct probe *probe)
{
	struct span key, value;
	int64_t kib;
	int keys = 0;

	for (size_t i = 0; i < probe->count; i++)
		if (cut_key(probe->line[i], &key, &value) &&
			binding_find(SOURCE_MEMINFO, key) &&
			cell_read(value, UNIT_MIB, 1048576, 1024, &kib) == CELL_VALUE)
			keys++;
	return keys >= 2 ? 70 : 0;
}

static const int64_t *find_value(const struct meminfo_source *m, enum metric_id metric)
{
	for (size_t i = 0; i < m->values; i++)
		if (m->value[i].metric == metric && !m->value[i].missing)
			return &m->value[i].quanta;
	return NULL;
}

static void put_value(
	struct sample_batch *batch, size_t row, enum metric_id metric, int64_t quanta)
{
	sample_batch_put(batch, row, sample_batch_column(batch, metric), quanta);
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
			put_value(batch, row, m->value[i].metric, m->value[i].quanta);
	if (total && available)
		put_value(batch, row, METRIC_ram_used_mib, *total - *available);
	m->values = 0;
	m->log->file->rows++;
}

/* A key that comes again begins the next snapshot. */
static void add_value(struct meminfo_source *m, struct sample_batch *batch,
	const struct binding *binding, struct span value)
{
	int64_t per_unit = metric_get(binding->metric)->per_unit, quanta = 0;
	bool missing;

	for (size_t i = 0; i < m->values; i++)
		if (m->value[i].metric == binding->metric)
			close_snapshot(m, batch);
	if (m->values == VALUES_MAX)
		return;
	if (!m->values)
		m->line = input_line_number(m->log->in);
	missing = cell_read(value, binding->unit, per_unit, 1024, &quanta) != CELL_VALUE;
	if (missing)
		log_note(m->log, true, "bad-value", span_of(binding->name),
			"'%s' is no number of kB for %s; it is left out",
			log_quote(value).text, binding->name);
	m->value[m->values].metric = binding->metric;
	m->value[m->values].quanta = quanta;
	m->value[m->values++].missing = missing;
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
	if (m->marker.lost || !cut_key(line, &key, &value))
		return;
	binding = binding_find(SOURCE_MEMINFO, key);
	if (!binding)
		return; /* of some fifty lines a few are used */
	if (input_line_torn(m->log->in)) {
		log_refuse(m->log, "torn-line",
			"the file ends without a newline; its last line may be cut "
			"inside "
			"a number and is lost");
		return;
	}
	add_value(m, batch, binding, value);
}

/* A line may close one snapshot, so one row of the batch is kept free for the end. */
static int meminfo_next(
	struct sample_source *source, struct sample_batch *batch, struct error *err)
{
	struct meminfo_source *m = (struct meminfo_source *)source;
	struct span line;

	(void)err;
	sample_batch_clear(batch);
	batch->source = SOURCE_MEMINFO;
	while (batch->rows + 1 < SAMPLE_BATCH_ROWS && log_line(m->log, &line))
		take_line(m, batch, line);
	if (batch->rows + 1 < SAMPLE_BATCH_ROWS)
		close_snapshot(m, batch);
	m->marker.delivered |= batch->rows > 0;
	return batch->rows > 0;
}

static void meminfo_free(struct sample_source *source)
{
	struct meminfo_source *m = (struct meminfo_source *)source;

	log_free(m->log);
	free(m);
}

static struct sample_source *meminfo_open(struct log *log)
{
	struct meminfo_source *m = xcalloc(1, sizeof *m);

	m->source = (struct sample_source){meminfo_next, meminfo_free};
	m->log = log;
	return &m->source;
}

const struct format format_meminfo = {SOURCE_MEMINFO, bid, meminfo_open, NULL};
