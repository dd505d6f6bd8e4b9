/* Both ends tell names apart. */
#include "render/short_name.h"

#include "model/phase_name.h"
#include "render/utf8.h"

#define NAME_COLUMNS 120

void short_name(struct strbuf *sb, const char *name)
{
	utf8_cut_middle(sb, name, NAME_COLUMNS, "...");
}

void short_phase(struct strbuf *sb, const char *path)
{
	struct strbuf name;

	strbuf_init(&name);
	phase_path_show(&name, path);
	short_name(sb, name.text);
	strbuf_release(&name);
}
