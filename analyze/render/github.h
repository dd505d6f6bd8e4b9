/*
 * GitHub's workflow commands. A runner takes a line for a command that begins with
 * "::" behind blanks; it keeps ten errors, warnings and notices of a step each, and
 * 4096 characters of each. Of every line here the beginning is ours, and nothing else
 * can begin one: foreign bytes are made visible first, then %, CR and LF are escaped,
 * and in properties : and , (Runner.Common, ActionCommand.cs).
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
