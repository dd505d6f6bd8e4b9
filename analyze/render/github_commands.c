/* A list of commands, and their lines. */
#include "render/github_commands.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "render/utf8.h"

#define COMMANDS_MOST 10 /* of a kind */
#define PATH_COLUMNS  120
#define TEXT_COLUMNS  1500

static const char *const kind_name[COMMAND_KINDS] = {"error", "warning", "notice"};

void commands_add(struct command_list *list, enum command_kind kind, const char *title,
	const char *path, const char *said, const char *remedy)
{
	struct strbuf inert, text;

	strbuf_init(&inert);
	strbuf_init(&text);
	if (path) {
		utf8_inert(&inert, path);
		utf8_cut_front(&text, inert.text, PATH_COLUMNS, "…");
		strbuf_adds(&text, ": ");
		strbuf_clear(&inert);
	}
	utf8_inert(&inert, said);
	utf8_cut(&text, inert.text, TEXT_COLUMNS, "…");
	if (remedy)
		strbuf_addf(&text, "\n%s", remedy);
	ALLOC_GROW(list->command, list->count + 1, list->cap);
	list->command[list->count++] =
		(struct command){kind, title, strbuf_detach(&text)};
	strbuf_release(&inert);
}

static void add_escaped(struct strbuf *line, const char *text, const char *escaped)
{
	for (; *text; text++)
		if (strchr(escaped, *text))
			strbuf_addf(line, "%%%02X", (unsigned)(unsigned char)*text);
		else
			strbuf_addc(line, *text);
}

static void print(FILE *out, enum command_kind kind, const char *title, const char *text)
{
	struct strbuf line;

	strbuf_init(&line);
	strbuf_addf(&line, "::%s title=", kind_name[kind]);
	add_escaped(&line, title, "%\r\n:,");
	strbuf_adds(&line, "::");
	add_escaped(&line, text, "%\r\n");
	fprintf(out, "%s\n", line.text);
	strbuf_release(&line);
}

static void print_kind(FILE *out, const struct command_list *list, enum command_kind kind)
{
	size_t count = 0, printed = 0, most;

	for (size_t i = 0; i < list->count; i++)
		count += list->command[i].kind == kind;
	most = count > COMMANDS_MOST ? COMMANDS_MOST - 1 : count;
	for (size_t i = 0; i < list->count && printed < most; i++) {
		const struct command *c = &list->command[i];

		if (c->kind != kind)
			continue;
		print(out, kind, c->title, c->text);
		printed++;
	}
	if (most < count) {
		struct strbuf more;

		strbuf_init(&more);
		strbuf_addf(&more, "%zu more %ss are in the report", count - most,
			kind_name[kind]);
		print(out, kind, "And more", more.text);
		strbuf_release(&more);
	}
}

void commands_print(struct command_list *list, FILE *out)
{
	for (enum command_kind kind = 0; kind < COMMAND_KINDS; kind++)
		print_kind(out, list, kind);
	for (size_t i = 0; i < list->count; i++)
		free(list->command[i].text);
	free(list->command);
	*list = COMMAND_LIST_INIT;
}
