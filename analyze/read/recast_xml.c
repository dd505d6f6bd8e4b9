/*
 * XML as rows, as nvidia-smi -q -x prints it: once, or again and again. A document is a
 * record; its element for a GPU is a row, and so is each process in that. Names leave out
 * the document's own element; an attribute is a name like that of an element.
 */
#include <string.h>

#include "base/text.h"
#include "read/log.h"
#include "read/recast.h"

#define LEVELS 32

/* What comes several times. */
static const char *const rows[] = {"gpu", "process_info"};

struct element {
	size_t path; /* length of the path before */
	size_t name; /* ... and where its name begins, in names */
	size_t cells; /* before */
	uint64_t line;
	bool row, has_children;
};

struct xml_source {
	bool in_tag;
	uint64_t line;
	size_t depth;
	struct element open[LEVELS];
	struct strbuf names, text, tag;
};

static bool xml_is(const struct probe *probe)
{
	for (size_t i = 0; i < probe->count; i++)
		if (span_begins(probe->line[i], "<?xml ") ||
			span_begins(probe->line[i], "<nvidia_smi_log"))
			return true;
	return false;
}

static void xml_release(void *state)
{
	struct xml_source *x = state;

	strbuf_release(&x->names);
	strbuf_release(&x->text);
	strbuf_release(&x->tag);
}

/* What stands for a character: "&amp;". */
static const struct {
	const char *name;
	char is;
} entities[] = {
	{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};

/* In place; a text never gets longer. */
static void resolve(struct strbuf *text)
{
	size_t to = 0;

	for (size_t from = 0; from < text->len; to++) {
		size_t len = 1;
		char c = text->text[from];

		for (size_t i = 0; c == '&' && i < sizeof entities / sizeof entities[0];
			i++)
			if (strncmp(text->text + from, entities[i].name,
				    strlen(entities[i].name)) == 0) {
				len = strlen(entities[i].name);
				c = entities[i].is;
				break;
			}
		text->text[to] = c;
		from += len;
	}
	strbuf_cut(text, to);
}

static bool is_row(struct span name)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (span_is(name, rows[i]))
			return true;
	return false;
}

/* name="value", as often as it comes. */
static void put_attributes(struct recast *recast, struct span rest)
{
	const char *is, *end;

	while (rest.len && (is = memchr(rest.at, '=', rest.len))) {
		struct span name =
			span_trim((struct span){rest.at, (size_t)(is - rest.at)});
		size_t before, left = rest.len - (size_t)(is - rest.at);

		if (left < 3 || (is[1] != '"' && is[1] != '\''))
			return;
		end = memchr(is + 2, is[1], left - 2);
		if (!end)
			return;
		before = recast_enter(recast, name);
		recast_put(recast, recast_path(recast),
			(struct span){is + 2, (size_t)(end - is - 2)});
		recast_leave(recast, before);
		rest.len -= (size_t)(end + 1 - rest.at);
		rest.at = end + 1;
	}
}

/* An element begins. False: it stands too deep. */
static bool open_element(struct recast *recast, struct xml_source *x, struct span tag)
{
	struct span rest = tag, name = span_word(&rest);
	struct element *element;

	if (x->depth == LEVELS)
		return false;
	if (x->depth)
		x->open[x->depth - 1].has_children = true;
	element = &x->open[x->depth];
	*element = (struct element){.path = recast_path(recast).len,
		.name = x->names.len,
		.cells = recast_cells(recast),
		.line = x->line,
		.row = is_row(name)};
	strbuf_add(&x->names, name.at, name.len);
	if (x->depth++)
		recast_enter(recast, name);
	if (element->row)
		recast_enter_list(recast);
	put_attributes(recast, rest);
	return true;
}

/* An element ends; an empty name is that of the last one. False: another one is open. */
static bool close_element(struct recast *recast, struct xml_source *x, struct span name)
{
	struct element *element = &x->open[x->depth - 1];

	if (name.len && !span_is(name, x->names.text + element->name))
		return false;
	resolve(&x->text);
	if (!element->has_children && x->depth > 1)
		recast_put(recast, recast_path(recast),
			(struct span){x->text.text, x->text.len});
	if (element->row) {
		recast_row(recast, recast_path(recast), element->line);
		recast_back(recast, element->cells);
	}
	recast_leave(recast, element->path);
	strbuf_cut(&x->names, element->name);
	if (!--x->depth)
		recast_back(recast, 0);
	return true;
}

/* False: no tag can stand here. */
static bool take_tag(struct recast *recast, struct xml_source *x)
{
	struct span tag = span_trim((struct span){x->tag.text, x->tag.len});
	bool empty = tag.len && tag.at[tag.len - 1] == '/', good = true;

	if (tag.len && tag.at[0] == '?')
		good = !x->depth;
	else if (!tag.len || tag.at[0] == '!')
		return true;
	else if (tag.at[0] == '/')
		good = x->depth &&
			close_element(recast, x,
				span_trim((struct span){tag.at + 1, tag.len - 1}));
	else
		good = open_element(recast, x, (struct span){tag.at, tag.len - empty});
	if (good && empty)
		good = close_element(recast, x, SPAN_NONE);
	strbuf_clear(&x->text);
	return good;
}

/* A document that does not go on as one; the rows before stay. */
static void refuse(struct recast *recast, struct xml_source *x, bool torn)
{
	recast_refuse(recast, x->line, torn,
		torn ? "file ends inside an XML document"
		     : "the XML document is incomplete here",
		SPAN_NONE);
	x->depth = 0;
	x->in_tag = false;
	recast_leave(recast, 0);
	strbuf_clear(&x->names);
	strbuf_clear(&x->text);
	recast_back(recast, 0);
}

/* Whole tags, and texts between them. False: it does not go on as it should. */
static bool take_line(struct recast *recast, struct xml_source *x, struct span line)
{
	while (line.len) {
		const char *mark = memchr(line.at, x->in_tag ? '>' : '<', line.len);
		size_t len = mark ? (size_t)(mark - line.at) : line.len;

		strbuf_add(x->in_tag ? &x->tag : &x->text, line.at, len);
		len += mark != NULL;
		line.at += len;
		line.len -= len;
		if (!mark)
			break;
		x->in_tag = !x->in_tag;
		if (x->in_tag)
			strbuf_clear(&x->tag);
		else if (!take_tag(recast, x))
			return false;
	}
	return true;
}

/* Reads to the end of a document, or a line before it. */
static bool xml_next(struct recast *recast)
{
	struct xml_source *x = recast_state(recast);
	struct log *log = recast_log(recast);
	struct span line;
	bool more;

	while (log_raw_line(log, &line, &more)) {
		x->line = recast_number(recast);
		line = span_trim(line);
		if (!x->depth && !x->in_tag && line.len && line.at[0] != '<') {
			recast_pass(recast, line, x->line);
			return true;
		}
		if (x->depth && span_begins(line, "<?xml"))
			refuse(recast, x, false);
		strbuf_addc(x->in_tag ? &x->tag : &x->text, ' ');
		if (!take_line(recast, x, line))
			refuse(recast, x, false);
		if (!x->depth && !x->in_tag)
			return true;
	}
	if (!x->depth && !x->in_tag)
		return false;
	refuse(recast, x, true);
	return true;
}

const struct recast_shape recast_xml = {.name = "XML",
	.is = xml_is,
	.next = xml_next,
	.state_size = sizeof(struct xml_source),
	.release = xml_release};
