/*
 * Offers a list of GitHub workflow commands for one step. A runner takes every line
 * that begins with "::" (after blanks) for a command; it keeps ten errors, warnings
 * and notices per step and 4096 characters each. Bytes from outside can never begin
 * such a line: controls are made visible first, then %, CR and LF are escaped, and in
 * properties : and , as well (Runner.Common, ActionCommand.cs).
 */
#ifndef RENDER_GITHUB_H
#define RENDER_GITHUB_H

#include <stddef.h>
#include <stdio.h>

enum command_kind {
	COMMAND_ERROR,
	COMMAND_WARNING,
	COMMAND_NOTICE,
	COMMAND_KINDS
};

struct command {
	enum command_kind kind;
	const char *title; /* borrowed */
	char *text; /* owned */
};

#endif
