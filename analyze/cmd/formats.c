/* The tables of the rooms that see nothing of one another, joined. */
#include "cmd/formats.h"

#include <string.h>

#include "foreign/dialect.h"
#include "read/identify.h"
#include "render/render.h"

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

const struct render_format *output_nth(size_t nth)
{
	size_t own, foreign;
	const struct render_format *format = render_formats(&own);
	const struct render_format *further = dialect_formats(&foreign);

	if (nth < own)
		return &format[nth];
	return nth - own < foreign ? &further[nth - own] : NULL;
}

const struct render_format *output_find(const char *name)
{
	const struct render_format *format;
	size_t nth = 0;

	while ((format = output_nth(nth++)) && strcmp(format->name, name) != 0)
		;
	return format;
}
