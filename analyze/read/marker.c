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

/* Its time, as digits, and the words behind it. */
static struct span cut_time(struct span line, struct span *rest)
{
	struct span time;

	*rest = (struct span){line.at + 2, line.len - 2};
	time = span_word(rest);
	return (struct span){time.at + 2, time.len - 2}; /* behind "t=" */
}

bool marker_clocks(struct span line, struct clock_reading *reading)
{
	struct span rest, time = cut_time(line, &rest);
	int64_t t_ns;

	if (!time_parse_epoch(time, &t_ns))
		return false;
	*reading = clock_reading_of(t_ns, rest);
	return reading->known;
}

/* Its time is known; the other clocks may be. */
static void take_clocks(struct marker *marker, struct log *log, struct span rest)
{
	struct clock_reading reading = clock_reading_of(marker->t_ns, rest);

	reading.known &= !input_line_torn(log->in);
	if (log->steps) {
		reading.wall_ns = marker->t_ns =
			clock_course_read(&marker->course, log->steps, &reading);
		log->by_clocks = true;
	}
	if (!input_line_torn(log->in))
		clocks_take(&marker->clocks, log->run, &reading);
}

bool marker_read(struct marker *marker, struct log *log, struct sample_batch *batch,
	struct span line)
{
	struct span rest, time = cut_time(line, &rest);

	if (!marker->seen && marker->delivered)
		return false;
	if (!marker->seen && batch->rows)
		refuse_head(log, batch);
	refuse_glued(log, rest);
	marker->seen = true;
	marker->lost = !time_parse_epoch(time, &marker->t_ns);
	if (!marker->lost)
		take_clocks(marker, log, rest);
	else
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
