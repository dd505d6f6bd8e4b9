/* The tables of the rooms that see nothing of one another, joined. */
#include "cmd/formats.h"

#include <string.h>

#include "foreign/foreign.h"
#include "read/formats.h"
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

static const struct tool *const tools[] = {
	&tool_pytyche, &tool_calibrax, &tool_gpu_tracker, &tool_jumper};

const struct render_format *output_nth(size_t nth)
{
	size_t count;
	const struct render_format *format = render_formats(&count);

	for (size_t i = 0; nth >= count; i++) {
		if (i == sizeof tools / sizeof tools[0])
			return NULL;
		nth -= count;
		format = tools[i]->format;
		count = tools[i]->format_count;
	}
	return &format[nth];
}

const struct tool_option *tool_option_nth(size_t nth)
{
	for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++) {
		if (nth < tools[i]->option_count)
			return &tools[i]->option[nth];
		nth -= tools[i]->option_count;
	}
	return NULL;
}

const struct render_format *output_find(const char *name)
{
	const struct render_format *format;
	size_t nth = 0;

	while ((format = output_nth(nth++)) && strcmp(format->name, name) != 0)
		;
	return format;
}
