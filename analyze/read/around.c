/*
 * Lines that are only a time between the outputs of dmon, pmon and compute-apps, which
 * have none in their rows: those of a loop that asks once, says when, and sleeps. Such a
 * line before a table that runs on tells when it began, and nothing of the other rows.
 */
#include <string.h>

#include "read/cell.h"
#include "read/columns.h"
#include "read/glance.h"
#include "read/marker.h"
#include "read/scroll.h"

#define LINES_SEEN 4096
#define ROWS_MAX   256 /* behind one line: more are no single look at the GPUs */
#define CELLS_SEEN 64

/* The rows behind one line with the time, by what each is about. */
struct looks {
	enum source_kind kind;
	bool headed, commas; /* there was a header, with them */
	uint64_t ids; /* of its columns, a bit for each that says what a row is about */
	bool timed; /* one of them is a time */
	uint64_t row[ROWS_MAX];
	size_t rows;
	bool again; /* a GPU, or a process, came twice */
	uint64_t times, count, bad; /* lines with the time; looks that had rows */
	struct clock_line clock;
};

static bool is_id(enum role role, struct span name)
{
	return role == ROLE_INDEX || role == ROLE_PID || role == ROLE_UUID ||
		role == ROLE_BUS_ID || role == ROLE_INSTANCE ||
		span_is_nocase(name, "type");
}

static bool has_commas(struct span line)
{
	return memchr(line.at, ',', line.len) != NULL;
}

static struct span without_hash(struct span line)
{
	if (span_begins(line, "#"))
		line.at++, line.len--;
	return line;
}

static bool take_header(struct looks *looks, struct span line)
{
	struct span word;

	if (format_get(looks->kind)->claims(line) != CLAIM_ON)
		return false;
	looks->headed = true;
	looks->commas = has_commas(line);
	looks->ids = 0;
	line = without_hash(line);
	for (int i = 0; i < CELLS_SEEN && scroll_word(&line, looks->commas, &word); i++) {
		enum role role = column_role(looks->kind, cell_strip_unit(word));

		looks->timed |= role == ROLE_TIME || role == ROLE_CLOCK;
		if (is_id(role, word))
			looks->ids |= UINT64_C(1) << i;
	}
	return true;
}

static void end_look(struct looks *looks)
{
	looks->count += looks->rows > 0;
	looks->bad += looks->again;
	looks->rows = 0;
	looks->again = false;
}

static bool take_clock(struct looks *looks, struct span line, const struct log *log)
{
	int64_t t_ns;

	switch (clock_line_read(&looks->clock, line, &log->zone, log->day_order, &t_ns)) {
	case CLOCK_NOT:
		return false;
	case CLOCK_PART:
		return true;
	case CLOCK_TIME:
	case CLOCK_CONTRADICTS:
		break;
	}
	looks->times++;
	end_look(looks);
	return true;
}

static void take_row(struct looks *looks, struct span line)
{
	uint64_t id = SPAN_HASH;
	struct span word;

	for (int i = 0; i < CELLS_SEEN && scroll_word(&line, looks->commas, &word); i++)
		if (looks->ids >> i & 1)
			id = span_hash(word, id);
	for (size_t i = 0; i < looks->rows; i++)
		looks->again |= looks->row[i] == id;
	looks->again |= looks->rows == ROWS_MAX;
	if (looks->rows < ROWS_MAX)
		looks->row[looks->rows++] = id;
}

bool around_find(struct reading *reading, size_t file)
{
	struct looks looks = {.kind = reading->run->file[file].kind};
	struct glance g;
	struct span line;

	reading->file[file].route.around = true;
	glance_begin(&g, reading, file);
	while (!looks.timed && g.lines < LINES_SEEN && glance_on(&g, &line))
		if (!take_header(&looks, line) && line.at[0] != '#' &&
			!take_clock(&looks, line, g.log) && looks.headed)
			take_row(&looks, line);
	glance_end(&g);
	end_look(&looks);
	reading->file[file].route.around = !looks.timed && looks.times && looks.count &&
		looks.bad * 10 <= looks.count;
	return reading->file[file].route.around;
}
