/* Which phases only runs have that were left out. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "compute/compare/comparing.h"
#include "model/phase_name.h"

/* A path of phases that some run has. */
struct compared_phase {
	char *path; /* owned */
	char *left_out; /* the first run that has it, all of which were left out; NULL: a
			   run that counts has it; owned */
};

static struct compared_phase *find(struct comparing *c, const char *path, bool *is_new)
{
	uint64_t hash = span_hash(span_of(path), SPAN_HASH);

	*is_new = false;
	for (size_t at = lookup_first(&c->phases, hash); at != LOOKUP_NONE;
		at = lookup_next(&c->phases, at))
		if (strcmp(c->phase[at].path, path) == 0)
			return &c->phase[at];
	*is_new = true;
	ALLOC_GROW(c->phase, c->phase_count + 1, c->phase_cap);
	c->phase[c->phase_count++] = (struct compared_phase){xstrdup(path), NULL};
	return &c->phase[lookup_add(&c->phases, hash)];
}

void phases_add(struct comparing *c, const struct report *report, const char *left_out)
{
	for (size_t i = 0; i < report->path_count; i++) {
		struct compared_phase *phase;
		bool is_new;

		if (report->path[i].outside)
			continue;
		phase = find(c, report->path[i].path, &is_new);
		if (!left_out) {
			free(phase->left_out);
			phase->left_out = NULL;
		} else if (is_new) {
			phase->left_out = xstrdup(left_out);
		}
	}
}

void phases_end(struct comparing *c)
{
	struct name_list names;

	name_list_init(&names, LEFT_OUT_MOST);
	for (size_t i = 0; i < c->phase_count; i++) {
		const struct compared_phase *phase = &c->phase[i];

		if (phase->left_out && name_list_next(&names)) {
			phase_path_show(&names.text, phase->path);
			strbuf_addf(&names.text, " (%s)", phase->left_out);
		}
		free(phase->left_out);
		free(phase->path);
	}
	name_list_end(&names);
	if (names.count)
		comparison_remark(c->out, "phases that only left-out runs have: %s",
			names.text.text);
	name_list_release(&names);
	lookup_release(&c->phases);
	free(c->phase);
}
