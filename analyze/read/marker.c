/* Snapshots in time. */
#include "read/marker.h"

#include <string.h>

#include "read/log_clock.h"

bool marker_is(struct span line)
{
	return line.len && line.at[0] == '#' && span_begins(line, "# t=");
}

/* The rest of a snapshot whose marker was cut off with the head of the file. */
static void refuse_head(struct log *log, struct sample_batch *batch)
{
	sample_batch_drop(batch, batch->rows);
	log->file->refused += log->file->rows;
	log_lose(log, 1, log->file->rows);
	for (; log->file->rows; log->file->rows--)
		diag_add(log->diags, true, "no-time", log->name, 1,
			(struct span){NULL, 0},
			"lines stand before the first marker; they have no place in "
			"time");
}

/* Clocks have names; a line that was glued to the marker has other words. */
static void refuse_glued(struct log *log, struct span rest)
{
	while (rest.len) {
		struct span word = span_word(&rest);

		if (!word.len || memchr(word.at, '=', word.len))
			continue;
		log_refuse(log, "prose", "'%s' stands behind a marker; it is lost",
			log_quote(word).text);
		return;
	}
}

bool marker_read(struct marker *marker, struct log *log, struct sample_batch *batch,
	struct span line)
{
	struct span rest = {line.at + 2, line.len - 2};
	struct span time = span_word(&rest);

	if (!marker->seen && marker->delivered)
		return false;
	if (!marker->seen && batch->rows)
		refuse_head(log, batch);
	refuse_glued(log, rest);
	marker->seen = true;
	time.at += 2, time.len -= 2; /* "t=" */
	marker->lost = !time_parse_epoch(time, &marker->t_ns);
	if (!marker->lost && !input_line_torn(log->in))
		clocks_take(&marker->clocks, log->run, marker->t_ns, rest);
	if (marker->lost)
		log_refuse(log, "bad-time",
			"'%s' is no time; expected seconds since 1970",
			log_quote(time).text);
	return true;
}

bool marker_read_clock(struct marker *marker, struct log *log, struct sample_batch *batch,
	struct span line)
{
	int64_t t_ns;

	switch (log_clock(log, &marker->clock, line, &t_ns)) {
	case CLOCK_NOT:
		return false;
	case CLOCK_PART:
		return true;
	case CLOCK_CONTRADICTS:
		log_refuse_order(log, line);
		marker->lost = marker->seen;
		return true;
	case CLOCK_TIME:
		break;
	}
	if (!marker->seen && marker->delivered)
		return true;
	if (!marker->seen && batch->rows)
		refuse_head(log, batch);
	marker->seen = true;
	marker->lost = false;
	marker->t_ns = t_ns;
	return true;
}
