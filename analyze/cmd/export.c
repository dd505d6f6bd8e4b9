/*
 * hwsummarize export RUN...: the runs for another program. What it prints is what
 * --format prints; a trace if nothing else is asked for.
 */
#include "cmd/command.h"
#include "cmd/formats.h"

enum exit_status cmd_export(const struct options *opt, const struct console *console)
{
	struct options asked = *opt;
	struct error err;

	if (!options_has(opt, "format") && !options_has(opt, "json"))
		asked.format = "trace";
	if (formats_check("export", asked.format, &err) == 0)
		return cmd_summarize(&asked, console);
	console->say(err.message);
	return EXIT_USAGE;
}
