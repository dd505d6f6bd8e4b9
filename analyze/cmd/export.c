/*
 * hwsummarize export RUN...: the runs for another program. What it prints is what
 * --format prints; a trace if nothing else is asked for.
 */
#include <string.h>

#include "base/strbuf.h"
#include "cmd/command.h"

static const char *const formats[] = {"trace", "svg", "openmetrics", "csv", "ndjson"};

#define FORMATS (sizeof formats / sizeof *formats)

static void refuse_format(const struct options *opt, const struct console *console)
{
	struct strbuf names;
	struct error err;

	strbuf_init(&names);
	for (size_t i = 0; i < FORMATS; i++)
		strbuf_addf(&names, "%s%s",
			!i			  ? ""
				: i + 1 < FORMATS ? ", "
						  : " or ",
			formats[i]);
	error_set(&err, "export has no format '%s'; expected --format %s", opt->format,
		names.text);
	console->say(err.message);
	strbuf_release(&names);
}

enum exit_status cmd_export(const struct options *opt, const struct console *console)
{
	struct options asked = *opt;

	if (!options_has(opt, "format") && !options_has(opt, "json"))
		asked.format = formats[0];
	for (size_t i = 0; i < FORMATS; i++)
		if (strcmp(asked.format, formats[i]) == 0)
			return cmd_summarize(&asked, console);
	refuse_format(opt, console);
	return EXIT_USAGE;
}
