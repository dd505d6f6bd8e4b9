/*
 * The file that W&B keeps of a run (run-ID.wandb): protobuf records in a log as LevelDB
 * has it, in blocks of 32 KiB. Of interest are those of system metrics, whose names and
 * values become the cells of a row:
 *
 *   Record.stats = 7: timestamp = 2 (seconds = 1, nanos = 2), item = 3 (key = 1, value =
 * 16)
 *
 * They are called as in W&B's export: "system.gpu.0.gpu".
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "read/input.h"
#include "read/log.h"
#include "read/recast.h"

#define BLOCK	    32768
#define MAGIC	    ":W&B"
#define FILE_HEADER 7 /* with the magic: its version */
#define HEADER	    7 /* of a piece: its sum, its length, its type */
#define RECORD_MAX  (64 << 20)

enum piece { /* of a record */
	PIECE_NONE, /* the rest of the block is empty */
	PIECE_WHOLE,
	PIECE_FIRST,
	PIECE_MIDDLE,
	PIECE_LAST
};

enum { /* numbers of fields, and how they are written */
	RECORD_STATS = 7,
	STATS_TIME = 2,
	STATS_ITEM = 3,
	TIME_SECONDS = 1,
	TIME_NANOS = 2,
	ITEM_KEY = 1,
	ITEM_VALUE = 16,
	WIRE_NUMBER = 0,
	WIRE_8_BYTES = 1,
	WIRE_BYTES = 2,
	WIRE_4_BYTES = 5
};

struct wandb_state {
	struct bytes *bytes; /* owned; NULL: not open yet */
	unsigned char block[BLOCK]; /* [len] read up to at */
	size_t len, at;
	struct strbuf record; /* as far as it came */
	uint64_t number; /* of records */
	bool ended;
};

static bool wandb_is(const struct probe *probe)
{
	return probe->count && span_begins(probe->line[0], MAGIC);
}

static void wandb_release(void *state)
{
	struct wandb_state *s = state;

	bytes_close(s->bytes);
	strbuf_release(&s->record);
}

static bool open_file(struct log *log, struct wandb_state *s)
{
	struct error err;
	int fd = -1;

	if (!log->facts.path)
		fd = log_spooled(log->facts.fd, log->name, &err);
	return (log->facts.path || fd >= 0) &&
		bytes_open(&s->bytes, log->facts.path ? log->facts.path : log->name, fd,
			&err) == 0;
}

/* False: the file ends. */
static bool next_block(struct wandb_state *s)
{
	struct error err;
	size_t got;

	s->len = s->at = 0;
	while (s->len < BLOCK &&
		bytes_read(s->bytes, s->block + s->len, BLOCK - s->len, &got, &err) > 0)
		s->len += got;
	return s->len > 0;
}

static uint32_t little_endian(const unsigned char *at, size_t bytes)
{
	uint32_t value = 0;

	for (size_t i = bytes; i-- > 0;)
		value = value << 8 | at[i];
	return value;
}

#define CRC_POLYNOMIAL 0xedb88320u

/* Is the CRC-32 of a piece's type and its bytes the one before them? */
static bool has_sum(const unsigned char *piece, size_t len)
{
	uint32_t crc = ~0u;

	for (size_t i = 0; i < 1 + len; i++) {
		crc ^= piece[HEADER - 1 + i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? CRC_POLYNOMIAL : 0);
	}
	return ~crc == little_endian(piece, 4);
}

/* The next record; false: the file ends, or is damaged from here on. */
static bool next_record(struct recast *recast, struct wandb_state *s)
{
	strbuf_clear(&s->record);
	while (!s->ended) {
		const unsigned char *piece = s->block + s->at;
		size_t len;
		enum piece type;

		if (s->len - s->at < HEADER) {
			s->ended = !next_block(s);
			continue;
		}
		type = (enum piece)piece[HEADER - 1];
		len = little_endian(piece + 4, 2);
		if (type == PIECE_NONE) {
			s->at = s->len;
			continue;
		}
		s->ended = type > PIECE_LAST || len > s->len - s->at - HEADER ||
			!has_sum(piece, len) || s->record.len > RECORD_MAX;
		if (s->ended) {
			recast_refuse(recast, s->number + 1,
				len > s->len - s->at - HEADER && s->len < BLOCK,
				"the file is damaged, or ends, in a record", SPAN_NONE);
			return false;
		}
		if (type == PIECE_WHOLE || type == PIECE_FIRST)
			strbuf_clear(&s->record);
		strbuf_add(&s->record, (const char *)piece + HEADER, len);
		s->at += HEADER + len;
		if (type == PIECE_WHOLE || type == PIECE_LAST) {
			s->number++;
			return true;
		}
	}
	return false;
}

struct field {
	uint64_t number, value; /* value: of WIRE_NUMBER */
	struct span bytes; /* of WIRE_BYTES */
};

static bool cut_number(struct span *rest, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; rest->len && shift < 64; shift += 7) {
		unsigned char c = (unsigned char)*rest->at;

		rest->at++, rest->len--;
		*value |= (uint64_t)(c & 0x7f) << shift;
		if (!(c & 0x80))
			return true;
	}
	return false;
}

/* Cuts the next field of a message; false: none is left. */
static bool cut_field(struct span *rest, struct field *field)
{
	uint64_t key, len = 0;

	*field = (struct field){0};
	if (!cut_number(rest, &key))
		return false;
	field->number = key >> 3;
	if ((key & 7) == WIRE_NUMBER)
		return cut_number(rest, &field->value);
	if ((key & 7) == WIRE_BYTES && !cut_number(rest, &len))
		return false;
	if ((key & 7) == WIRE_8_BYTES)
		len = 8;
	if ((key & 7) == WIRE_4_BYTES)
		len = 4;
	if (len > rest->len || !((key & 7) == WIRE_BYTES || len))
		return false;
	field->bytes = (struct span){rest->at, (size_t)len};
	rest->at += len, rest->len -= (size_t)len;
	return true;
}

static void put_time(struct recast *recast, struct span message)
{
	uint64_t seconds = 0, nanos = 0;
	struct field field;
	char text[48];

	while (cut_field(&message, &field))
		if (field.number == TIME_SECONDS)
			seconds = field.value;
		else if (field.number == TIME_NANOS)
			nanos = field.value;
	if (nanos > 999999999)
		return;
	snprintf(text, sizeof text, "%llu.%09llu", (unsigned long long)seconds,
		(unsigned long long)nanos);
	recast_put(recast, span_of("_timestamp"), span_of(text));
}

static void put_item(struct recast *recast, struct span message)
{
	struct span key = SPAN_NONE, value = SPAN_NONE;
	struct strbuf name = strbuf_new();
	struct field field;

	while (cut_field(&message, &field))
		if (field.number == ITEM_KEY)
			key = field.bytes;
		else if (field.number == ITEM_VALUE)
			value = field.bytes;
	strbuf_adds(&name, "system.");
	strbuf_add(&name, key.at, key.len);
	if (key.len)
		recast_put(recast, (struct span){name.text, name.len}, value);
	strbuf_release(&name);
}

static void put_stats(struct recast *recast, struct span message)
{
	struct field field;

	while (cut_field(&message, &field))
		if (field.number == STATS_TIME)
			put_time(recast, field.bytes);
		else if (field.number == STATS_ITEM)
			put_item(recast, field.bytes);
}

static bool wandb_next(struct recast *recast)
{
	struct wandb_state *s = recast_state(recast);
	struct span record;
	struct field field;
	bool any = false;

	if (!s->bytes) {
		if (!open_file(recast_log(recast), s) || !next_block(s))
			return false;
		s->at = s->len < FILE_HEADER ? s->len : FILE_HEADER;
	}
	if (!next_record(recast, s))
		return false;
	record = (struct span){s->record.text, s->record.len};
	while (cut_field(&record, &field)) {
		if (field.number != RECORD_STATS)
			continue;
		put_stats(recast, field.bytes);
		any = true;
	}
	if (any)
		recast_row(recast, span_of(""), s->number);
	return true;
}

const struct recast_shape recast_wandb = {.name = "W&B's file",
	.is = wandb_is,
	.next = wandb_next,
	.state_size = sizeof(struct wandb_state),
	.release = wandb_release,
	.sections = true};
