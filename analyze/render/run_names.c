/* Makes names of runs unique, and shortens long names. */
#include "render/run_names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/phase_name.h"
#include "render/utf8.h"

static void add_name(struct strbuf *name, const char *path, size_t columns)
{
	struct strbuf inert;

	if (!columns) {
		utf8_inert_whole(name, path);
		return;
	}
	strbuf_init(&inert);
	utf8_inert(&inert, path);
	for (char *c = inert.text; *c; c++)
		if (*c == '`' || *c == '|')
			*c = '_';
	utf8_cut_front(name, inert.text, columns, "…");
	strbuf_release(&inert);
}

static bool is_taken(char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

char **run_names_make(const struct render_input *in, size_t columns)
{
	char **names = xcalloc(in->report_count + 1, sizeof *names);

	for (size_t i = 0; i < in->report_count; i++) {
		struct strbuf name = strbuf_new();
		size_t n, nth = 1;

		add_name(&name, in->report[i].run->path, columns);
		n = name.len;
		while (is_taken(names, i, name.text)) {
			name.len = n;
			strbuf_addf(&name, " (%zu)", ++nth);
		}
		names[i] = strbuf_detach(&name);
	}
	return names;
}

void run_names_free(char **names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(names);
}

/* Shortens a name in the middle, as both ends distinguish names. */

#define NAME_COLUMNS 120

void short_name(struct strbuf *sb, const char *name)
{
	utf8_cut_middle(sb, name, NAME_COLUMNS, "...");
}

void short_phase(struct strbuf *sb, const char *path)
{
	struct strbuf name = strbuf_new();

	phase_path_show(&name, path);
	short_name(sb, name.text);
	strbuf_release(&name);
}
