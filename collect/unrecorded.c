/*
 * A command that runs without a recording, as the disk is full.
 */
#include "unrecorded.h"

#include "command.h"
#include "say.h"

#include <stdlib.h>

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
