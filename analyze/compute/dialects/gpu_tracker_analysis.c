/* Pieces found by a walk, and blocks in the order of their padded line numbers. */
#include "compute/dialects/gpu_tracker_analysis.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

static bool opens(const struct dialect_item *item)
{
	return item->kind == ITEM_OBJECT || item->kind == ITEM_ARRAY;
}

const struct dialect_item *item_behind(const struct dialect_item *item)
{
	int depth = 0;

	do {
		depth += opens(item);
		depth -= item->kind == ITEM_CLOSE;
		item++;
	} while (depth);
	return item;
}

const struct dialect_item *item_member(
	const struct dialect_item *object, const char *key, enum dialect_kind kind)
{
	for (const struct dialect_item *i = object + 1; i->kind != ITEM_CLOSE;
		i = item_behind(i))
		if (i->kind == kind && strcmp(i->key, key) == 0)
			return i;
	return NULL;
}

static const struct dialect_item *top(
	const struct report *report, const char *key, enum dialect_kind kind)
{
	const struct dialect_item *end = report->dialect + report->dialect_count;

	for (const struct dialect_item *i = report->dialect; i < end; i = item_behind(i))
		if (i->kind == kind && strcmp(i->key, key) == 0)
			return i;
	return NULL;
}

const char *block_line(const char *name)
{
	const char *colon = strrchr(name, ':');

	if (!colon || !colon[1] || colon[1 + strspn(colon + 1, "0123456789")])
		return NULL;
	return colon + 1;
}

static int by_order(const void *a, const void *b)
{
	const struct block *x = a, *y = b;
	int order = strcmp(x->order, y->order);

	return order ? order : (x->item > y->item) - (x->item < y->item);
}

/* Line 9 before line 38. */
static void sort_blocks(struct analysis *side)
{
	size_t width = 0;

	for (size_t i = 0; i < side->block_count; i++) {
		const char *line = block_line(side->block[i].name);

		width = line && strlen(line) > width ? strlen(line) : width;
	}
	for (size_t i = 0; i < side->block_count; i++) {
		struct block *block = &side->block[i];
		const char *line = block_line(block->name);
		struct strbuf sb;

		strbuf_init(&sb);
		strbuf_add(&sb, block->name,
			line ? (size_t)(line - block->name) : strlen(block->name));
		for (size_t len = line ? strlen(line) : width; len < width; len++)
			strbuf_addc(&sb, '0');
		strbuf_adds(&sb, line ? line : "");
		block->order = strbuf_detach(&sb);
	}
	if (side->block_count)
		qsort(side->block, side->block_count, sizeof *side->block, by_order);
}

int analysis_read(struct analysis *side, const struct tracker_side *of, struct error *err)
{
	const struct dialect_item *blocks =
		top(of->report, "code_block_results", ITEM_ARRAY);
	size_t room = 0;

	*side = (struct analysis){.name = of->name,
		.overall = top(of->report, "overall", ITEM_OBJECT),
		.facts = top(of->report, "static_data", ITEM_OBJECT)};
	if (of->report->dialect_refusal)
		return error_set(err, "%s: the recording of code blocks is invalid: %s",
			of->name, of->report->dialect_refusal);
	if (!side->overall || !side->facts || !blocks)
		return error_set(err,
			"%s: expected the results of a sub-tracking analysis, with "
			"overall, static_data and code_block_results",
			of->name);
	for (blocks++; blocks->kind != ITEM_CLOSE; blocks = item_behind(blocks)) {
		const struct dialect_item *name = blocks->kind == ITEM_OBJECT
			? item_member(blocks, "name", ITEM_TEXT)
			: NULL;

		if (!name)
			return error_set(err,
				"%s: a code block has no name; expected one", of->name);
		ALLOC_GROW(side->block, side->block_count + 1, room);
		side->block[side->block_count++] =
			(struct block){.item = blocks, .name = name->text};
	}
	sort_blocks(side);
	return 0;
}

void analysis_release(struct analysis *analysis)
{
	for (size_t i = 0; i < analysis->block_count; i++)
		free(analysis->block[i].order);
	free(analysis->block);
	*analysis = (struct analysis){0};
}
