/*
 * GitHub's workflow commands. A runner takes a line for a command that begins with "::"
 * behind blanks; it keeps ten errors, warnings and notices of a step each, and 4096
 * characters of each. Of every line here the beginning is ours, and nothing else can
 * begin one: foreign bytes are made visible first, then %, CR and LF are escaped, and in
 * properties : and , (Runner.Common, ActionCommand.cs).
 */
#ifndef RENDER_GITHUB_COMMANDS_H
#define RENDER_GITHUB_COMMANDS_H

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

struct command_list {
	struct command *command;
	size_t count, cap;
};

#define COMMAND_LIST_INIT ((struct command_list){0})

/*
 * "path: what is said", and what to do in a line of its own; path and remedy may be NULL.
 * title and remedy are ours, or a rule's of schema/findings.
 */
void commands_add(struct command_list *list, enum command_kind kind, const char *title,
	const char *path, const char *said, const char *remedy);

/* Prints them by their kind, at most ten of each, and releases them. */
void commands_print(struct command_list *list, FILE *out);

#endif
