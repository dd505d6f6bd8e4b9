/* Who wins a file, and who claims which of its lines. */
#include "read/formats.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/timestamp.h"
#include "read/clock_line.h"
#include "read/header_words.h"
#include "read/log.h"

const struct format *format_of(const struct format *const *formats,
	const struct probe *probe, uint8_t bid[SOURCE_KIND_COUNT])
{
	int bits[SOURCE_KIND_COUNT], most = 0;
	const struct format *best = NULL;

	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		bits[kind] = !probe->sqlite || source_may_be_database(kind)
			? formats[kind]->bid(probe)
			: -1;
		most = bits[kind] > most ? bits[kind] : most;
	}
	if (most < SURE_BITS)
		worded_header_bid(probe, bits);
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		bid[kind] = bits[kind] > 0 ? (uint8_t)bits[kind] : 0;
		if (bid[kind] > (best ? bid[best->kind] : 0))
			best = formats[kind];
	}
	return best;
}

struct rows_of_log {
	struct sample_source source;
	const struct format *format;
	struct log *log;
	void *state;
};

static int rows_next(
	struct sample_source *source, struct sample_batch *batch, struct error *err)
{
	struct rows_of_log *rows = (struct rows_of_log *)source;

	(void)err;
	sample_batch_clear(batch);
	batch->source = rows->format->kind;
	rows->format->fill(rows->state, batch);
	return batch->rows > 0;
}

static void rows_free(struct sample_source *source)
{
	struct rows_of_log *rows = (struct rows_of_log *)source;

	if (rows->format->end)
		rows->format->end(rows->state);
	free(rows->state);
	log_free(rows->log);
	free(rows);
}

struct sample_source *format_open(const struct format *format, struct log *log)
{
	struct rows_of_log *rows = xcalloc(1, sizeof *rows);

	*rows = (struct rows_of_log){
		{rows_next, rows_free}, format, log, xcalloc(1, format->state_size)};
	memcpy(rows->state, &log, sizeof log);
	if (format->begin)
		format->begin(rows->state, format->kind);
	return &rows->source;
}

/* The claims of the formats, line by line. */

uint32_t route_rows(const struct format *const *formats, uint32_t kinds)
{
	uint32_t rows = 0;

	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		if (formats[kind]->claims_rows)
			rows |= UINT32_C(1) << kind;
	return rows & kinds;
}

enum source_kind route_claimant(const struct format *const *formats, uint32_t all,
	uint32_t rows, struct span line, enum claim *claim)
{
	bool is_row = line.at[0] == '{' || (line.at[0] >= '0' && line.at[0] <= '9');

	for (uint32_t kinds = is_row ? rows : all; kinds; kinds &= kinds - 1) {
		enum source_kind kind = (enum source_kind)__builtin_ctz(kinds);
		const struct format *format = formats[kind];

		*claim = format->claims ? format->claims(line) : CLAIM_NONE;
		if (*claim)
			return kind;
	}
	return SOURCE_NONE;
}

bool route_is_own(
	struct route *route, const struct format *const *formats, struct span line)
{
	enum claim claim = CLAIM_NONE;
	enum source_kind kind =
		route_claimant(formats, route->kinds, route->rows, line, &claim);

	if (kind != SOURCE_NONE && claim == CLAIM_ON)
		route->owner = kind;
	if (kind != SOURCE_NONE)
		return kind == route->own;
	return route->owner == route->own ||
		((route->around || formats[route->own]->around) &&
			(marker_is(line) ||
				clock_line_kind(line, CLOCK_LACKS_NOTHING) != CLOCK_NOT));
}
