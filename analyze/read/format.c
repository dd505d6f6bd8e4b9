/* The list of the formats, and who wins a file. */
#include "read/format.h"

#include <stdlib.h>
#include <string.h>

enum medium {
	MEDIUM_LINES,
	MEDIUM_DATABASE
};

static const struct {
	const struct format *format;
	enum medium medium;
} formats[SOURCE_KIND_COUNT] = {
#define SOURCE(id, object, name, medium, ...) {&format_##object, MEDIUM_##medium},
#include "../schema/sources.def"
};

const struct format *format_of(const struct probe *probe, uint8_t bid[SOURCE_KIND_COUNT])
{
	const struct format *best = NULL;

	memset(bid, 0, SOURCE_KIND_COUNT);
	for (size_t i = 0; i < SOURCE_KIND_COUNT; i++) {
		const struct format *format = formats[i].format;
		uint8_t bits = 0;

		if (!probe->sqlite || formats[i].medium == MEDIUM_DATABASE)
			bits = (uint8_t)format->bid(probe);
		bid[format->kind] = bits;
		if (bits > (best ? bid[best->kind] : 0))
			best = format;
	}
	return best;
}

const struct format *format_get(enum source_kind kind)
{
	return kind == SOURCE_NONE ? NULL : formats[kind].format;
}

void log_free(struct log *log)
{
	input_close(log->in);
	strbuf_release(&log->plain);
	message_release(&log->message);
	free(log);
}
