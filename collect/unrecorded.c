/*
 * A command that runs without a recording, as the disk is full.
 */
#include "unrecorded.h"

#include "command.h"
#include "say.h"

#include <stdlib.h>

int unrecorded_run(const char *why, char *const argv[], const struct signals *signals)
{
	struct command command = {0};
	int status;

	say("%s: the command runs without a recording", why);
	(void)unsetenv("COLLECT_DIR");
	status = command_start(&command, argv, signals);
	if (status != 0)
		return status;
	command_wait(&command, signals, NULL, NULL);
	command_bury(&command);
	return command_follow(&command);
}
