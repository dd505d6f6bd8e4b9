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

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const struct {
	const char *name;
	int (*main)(int argc, char **argv);
	bool for_people; /* who may ask for help behind it */
} commands[] = {
	{"record", record_main, true},
	{"phase", phase_main, true},
	{"begin", event_main, true},
	{"end", event_main, true},
	{"event", event_main, true},
	{"status", status_main, true},
	{"stop", stop_main, true},
	{"probe", probe_main, false},
	{"help", help_main, false},
	{"keep", keep_main, false},
};

int main(int argc, char **argv)
{
	if (streams_hold() != 0)
		return EXIT_COLLECT;
	kept_take();
	for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return (commands[i].for_people && help_is_asked(argv[2])
					? help_main
					: commands[i].main)(argc - 1, argv + 1);
	say("this program is started by the script collect");
	return EXIT_COLLECT;
}
