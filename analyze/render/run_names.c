/* Makes names of runs unique, and shortens long names. */
#include "render/run_names.h"

#include <stdbool.h>
#include <stdint.h>
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

#define PARTS_MOST 4

const char *name_tail(const char *name, size_t parts)
{
	const char *at = name + strlen(name);

	while (at > name && at[-1] == '/')
		at--;
	while (at > name && (at[-1] != '/' || --parts > 0))
		at--;
	return at;
}

struct tail {
	const char *name, *tail;
};

static int by_tail(const void *a, const void *b)
{
	const struct tail *x = a, *y = b;
	int order = strcmp(x->tail, y->tail);

	return order ? order : strcmp(x->name, y->name);
}

static const char *nth_name(const void *first, size_t nth, size_t size)
{
	const char *name;

	memcpy(&name, (const char *)first + nth * size, sizeof name);
	return name;
}

static bool tells_apart(const void *first, size_t count, size_t size, size_t parts)
{
	struct tail *tail = xcalloc(count, sizeof *tail);
	bool apart = true;

	for (size_t i = 0; i < count; i++) {
		const char *name = nth_name(first, i, size);

		tail[i] = (struct tail){name, name_tail(name, parts)};
	}
	qsort(tail, count, sizeof *tail, by_tail);
	for (size_t i = 1; i < count; i++)
		apart &= strcmp(tail[i].tail, tail[i - 1].tail) != 0 ||
			strcmp(tail[i].name, tail[i - 1].name) == 0;
	free(tail);
	return apart;
}

size_t names_parts(const void *first, size_t count, size_t size)
{
	for (size_t parts = 1; count > 1 && parts <= PARTS_MOST; parts++)
		if (tells_apart(first, count, size, parts))
			return parts;
	return SIZE_MAX;
}

static size_t head_of(const char *name, size_t parts)
{
	return (size_t)(name_tail(name, parts) - name);
}

size_t names_folder(const void *first, size_t count, size_t size, size_t parts)
{
	const char *name = count ? nth_name(first, 0, size) : "";
	size_t head = head_of(name, parts);

	for (size_t i = 1; i < count; i++)
		if (head_of(nth_name(first, i, size), parts) != head ||
			strncmp(nth_name(first, i, size), name, head) != 0)
			return 0;
	return head > 1 ? head - 1 : 0;
}

size_t compared_parts(const struct comparison *comparison)
{
	return names_parts(
		&comparison->run->name, comparison->run_count, sizeof *comparison->run);
}

const char *compared_name(const struct comparison *comparison, size_t run)
{
	return name_tail(comparison->run[run].name, compared_parts(comparison));
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
