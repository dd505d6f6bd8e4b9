/*
 * What the host and the control groups of the command did: snapshots of the kernel's
 * files, a marker line with the clocks ("# t=... mono=... boot=...") over ">
 * /proc/loadavg" and the lines of that file, and so on. The first one has the limits too,
 * which hold from then on. A snapshot with a line that is damaged is lost as a whole; so
 * is the last one of the log if it lacks a file that the one before has: the recorder was
 * stopped in it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "read/format.h"
#include "read/host_facts.h"
#include "read/host_rows.h"
#include "read/marker.h"

struct host_source {
	struct sample_source source;
	struct log *log;
	struct marker marker;
	bool open, broken; /* the snapshot */
	bool told; /* the limits are facts of the run */
	uint64_t line; /* of its marker */
	struct host_snapshot snapshot;
};

static int bid(const struct probe *probe)
{
	struct span path;
	bool used;

	for (size_t i = 0; i < probe->count; i++)
		if (host_file_cut(probe->line[i], &path) &&
			host_file_of(path, &used) != HOST_NONE)
			return i && marker_is(probe->line[i - 1]) ? 90 : 70;
	return 0;
}

/* True: the snapshot was sound so far, and the caller says why it is not. */
static bool lose(struct host_source *s)
{
	bool was_sound = s->open && !s->broken;

	s->broken = true;
	return was_sound;
}

static void close_snapshot(struct host_source *s, struct sample_batch *batch)
{
	if (!s->open)
		return;
	s->open = false;
	if (s->broken || !s->snapshot.files.count)
		return;
	host_rows_put(&s->snapshot, s->log->run, batch, s->marker.t_ns, s->line);
	if (!s->told)
		host_fact_groups(s->log->run, &s->snapshot.groups);
	s->told = true;
	host_snapshot_keep(&s->snapshot);
	s->log->file->rows++;
}

static void open_snapshot(
	struct host_source *s, struct sample_batch *batch, struct span line)
{
	close_snapshot(s, batch);
	marker_read(&s->marker, s->log, batch, line);
	s->open = !s->marker.lost;
	s->broken = false;
	s->line = input_line_number(s->log->in);
	host_snapshot_clear(&s->snapshot);
}

/* No line of a file begins with "#", nor has this so early: "#,t=1773478800.25 mono=". */
static bool is_spoiled_marker(struct span line)
{
	for (size_t i = 0; i < 3 && i + 1 < line.len; i++)
		if (line.at[i] == 't' && line.at[i + 1] == '=')
			return true;
	return span_begins(line, "#");
}

/* What stands behind it has no place in time; the snapshot above it is whole. */
static void lose_marker(struct host_source *s, struct sample_batch *batch)
{
	close_snapshot(s, batch);
	if (!s->marker.lost)
		log_refuse(s->log, "no-time",
			"a snapshot whose marker is lost: it has no place in time");
	s->marker.lost = true;
}

static void take_file(struct host_source *s, struct span path)
{
	bool used;

	if (!host_snapshot_open(&s->snapshot, path) && lose(s))
		log_refuse(s->log, "prose", "a file comes twice; the snapshot is lost");
	if (host_file_of(path, &used) == HOST_NONE && used)
		log_note(s->log, true, "unknown-file", path,
			"'%s' is no file that is known here; it is not used",
			log_quote(path).text);
}

/* The log ends in the middle of the disks, or of the interfaces. */
static void drop_sum(struct host_source *s, bool torn)
{
	if (s->open && !s->broken && host_snapshot_drop_sum(&s->snapshot, torn))
		log_note(s->log, true, "torn-field", (struct span){NULL, 0},
			"the file ends within %s, which may lack lines; what it says is "
			"left out",
			s->snapshot.name.text);
}

static void take_torn(struct host_source *s)
{
	drop_sum(s, true);
	log_refuse(s->log, "torn-line",
		"the file ends without a newline; its last line may be cut, and is lost");
}

static void take_line(struct host_source *s, struct sample_batch *batch, struct span line)
{
	struct span path;

	if (marker_is(line)) {
		open_snapshot(s, batch, line);
		return;
	}
	if (is_spoiled_marker(line) || (!s->marker.seen && !s->open)) {
		lose_marker(s, batch);
		return;
	}
	if (!s->open)
		return;
	if (input_line_torn(s->log->in))
		take_torn(s);
	else if (host_file_cut(line, &path))
		take_file(s, path);
	else if (!host_snapshot_take(&s->snapshot, s->log->run, line) && lose(s))
		log_refuse(s->log, "bad-value",
			"'%s' is no line of %s; the snapshot is lost",
			log_quote(line).text,
			s->snapshot.name.len ? s->snapshot.name.text : "any file");
}

/* The log ends: was the last snapshot written to its end? */
static void take_end(struct host_source *s, struct sample_batch *batch)
{
	if (s->open && host_snapshot_is_cut(&s->snapshot) && lose(s))
		log_refuse(s->log, "torn-sample",
			"the last snapshot was not written to its end; it is lost");
	drop_sum(s, false);
	close_snapshot(s, batch);
}

static uint64_t damage_said(const struct log *log)
{
	uint64_t count = 0;

	for (size_t i = 0; i < log->diags->count; i++)
		count += log->diags->at[i].damage ? log->diags->at[i].count : 0;
	return count;
}

/*
 * The next line. Of what could not be read of the log nobody knows whose line it was: the
 * snapshot may lack one. Nor has the kernel blank lines there, which are passed over: one
 * may have been cut off the line behind it.
 */
static bool next_line(struct host_source *s, struct span *line)
{
	uint64_t before = damage_said(s->log), at = input_line_number(s->log->in);

	if (!log_line(s->log, line))
		return false;
	if ((damage_said(s->log) > before || input_line_number(s->log->in) > at + 1) &&
		!marker_is(*line) && !is_spoiled_marker(*line) && lose(s))
		log_refuse(s->log, "torn-sample",
			"a snapshot with a line that can't be read; it is lost");
	return true;
}

/* A line may close a snapshot, so rows of the batch are kept free for the end. */
static int host_next(
	struct sample_source *source, struct sample_batch *batch, struct error *err)
{
	struct host_source *s = (struct host_source *)source;
	struct span line;

	(void)err;
	sample_batch_clear(batch);
	batch->source = SOURCE_HOST_LOG;
	batch->snapshots = true;
	while (batch->rows + 2 * HOST_ROWS_MAX <= SAMPLE_BATCH_ROWS) {
		if (!next_line(s, &line)) {
			take_end(s, batch);
			break;
		}
		take_line(s, batch, line);
	}
	s->marker.delivered |= batch->rows > 0;
	return batch->rows > 0;
}

static void host_free(struct sample_source *source)
{
	struct host_source *s = (struct host_source *)source;

	host_snapshot_release(&s->snapshot);
	clocks_end(&s->marker.clocks, s->log->run);
	log_free(s->log);
	free(s);
}

static struct sample_source *host_open(struct log *log)
{
	struct host_source *s = xcalloc(1, sizeof *s);

	s->source = (struct sample_source){host_next, host_free};
	s->log = log;
	host_snapshot_init(&s->snapshot);
	return &s->source;
}

const struct format format_host_log = {
	.kind = SOURCE_HOST_LOG, .bid = bid, .around = true, .open = host_open};
