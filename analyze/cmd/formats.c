/* The table of logs, out of schema/sources.def: each names the format that reads it. */
#include "cmd/formats.h"

#define SOURCE(id, object, ...) extern const struct format format_##object;
#include "../schema/sources.def"

const struct format *const *log_formats(void)
{
	static const struct format *const formats[SOURCE_KIND_COUNT] = {
#define SOURCE(id, object, ...) [SOURCE_##id] = &format_##object,
#include "../schema/sources.def"
	};

	return formats;
}
