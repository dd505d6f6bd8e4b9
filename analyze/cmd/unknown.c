/* A walk over the object; one whose numbers are all unknown is named as a whole. */
#include "cmd/unknown.h"

#include <math.h>

#include "base/text.h"

#define UNKNOWN_NAMED 4
#define DIALECT_DEPTH 8

static bool is_number(const struct dialect_item *item)
{
	return item->kind == ITEM_NUMBER || item->kind == ITEM_COUNT;
}

static bool lacks(const struct dialect_item *item)
{
	return is_number(item) && (isnan(item->number) || item->absent) &&
		!item->omitted && !item->unsaid;
}

/* Has the object numbers, all of them unknown, and nothing else but texts? */
static bool is_unknown(const struct dialect_item *object, const struct dialect_item *end)
{
	bool any = false;

	for (object++; object < end && object->kind != ITEM_CLOSE; object++) {
		if (object->kind == ITEM_OBJECT || object->kind == ITEM_ARRAY)
			return false;
		if (is_number(object) && !isnan(object->number) && !object->absent)
			return false;
		any |= is_number(object) && !object->unsaid;
	}
	return any;
}

static void add_name(struct strbuf *names, const char *const *path, size_t depth,
	const struct dialect_item *item)
{
	strbuf_adds(names, names->len ? ", " : "");
	for (size_t i = 0; i < depth; i++)
		strbuf_addf(names, "%s.", path[i]);
	strbuf_adds(names, item->key);
}

char *unknown_names(const struct report *report)
{
	const struct dialect_item *item = report->dialect,
				  *end = item + report->dialect_count;
	const char *path[DIALECT_DEPTH] = {NULL};
	size_t depth = 0, count = 0;
	struct strbuf names;

	strbuf_init(&names);
	for (; item < end && item->kind != ITEM_ARRAY; item++) {
		bool whole = item->kind == ITEM_OBJECT && is_unknown(item, end);

		if (item->kind == ITEM_CLOSE) {
			depth--;
			continue;
		}
		if ((whole || lacks(item)) && count++ < UNKNOWN_NAMED)
			add_name(&names, path, depth, item);
		if (whole)
			while (item->kind != ITEM_CLOSE)
				item++;
		else if (item->kind == ITEM_OBJECT && depth < DIALECT_DEPTH)
			path[depth++] = item->key;
	}
	if (count > UNKNOWN_NAMED)
		strbuf_addf(&names, " and %zu more", count - UNKNOWN_NAMED);
	if (count && !report->dialect_refusal)
		return strbuf_detach(&names);
	strbuf_release(&names);
	return NULL;
}

bool unknown_has_zeros(const struct report *report)
{
	for (size_t i = 0; i < report->dialect_count; i++)
		if (lacks(&report->dialect[i]) && !isnan(report->dialect[i].number))
			return true;
	return false;
}
