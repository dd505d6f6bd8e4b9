/*
 * The part of collect that can't be a shell script: one small program, its first argument
 * says which. The script `collect` beside it is what people call.
 */
#include "control.h"
#include "event.h"
#include "help.h"
#include "kept.h"
#include "probe.h"
#include "say.h"
#include "streams.h"
#include "supervise.h"
#include "unrecorded.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *name;
	int (*main)(int argc, char **argv);
} commands[] = {
	{"record", record_main},
	{"phase", phase_main},
	{"begin", event_main},
	{"end", event_main},
	{"event", event_main},
	{"status", status_main},
	{"stop", stop_main},
	{"probe", probe_main},
	{"help", help_main},
	{"keep", keep_main},
	{"unrecorded", unrecorded_main},
};

int main(int argc, char **argv)
{
	if (streams_hold() != 0)
		return EXIT_COLLECT;
	kept_take();
	for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return (help_is_asked(argv[2]) ? help_main : commands[i].main)(
				argc - 1, argv + 1);
	say("this program is started by the script collect");
	return EXIT_COLLECT;
}
