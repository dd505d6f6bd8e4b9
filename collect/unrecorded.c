/*
 * A command that runs without a recording, as the disk is full.
 */
#include "unrecorded.h"

#include "command.h"
#include "say.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int unrecorded_run(char *const argv[], const struct signals *signals)
{
	struct command command = {0};
	int status;

	say("there is no room for a recording: the command runs without one");
	(void)unsetenv("COLLECT_DIR");
	status = command_start(&command, argv, signals);
	if (status != 0)
		return status;
	command_wait(&command, signals, NULL, NULL);
	command_bury(&command);
	return command_follow(&command);
}

int unrecorded_main(int argc, char **argv)
{
	struct signals signals;

	if (argc < 2)
		say("this program is started by the script collect");
	else if (signals_take(&signals) != 0)
		say("can't take signals: %s", strerror(errno));
	else
		return unrecorded_run(argv + 1, &signals);
	return EXIT_COLLECT;
}
