/*
 * gpu_tracker's comparison: its analyses side by side. The one whose name sorts first
 * says which measurements there are and what blocks are called.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "compute/dialects/gpu_tracker_analysis.h"
#include "compute/dialects/gpu_tracker_compare.h"

struct comparing {
	struct tracker_comparison *out;
	struct analysis *side; /* [out->side_count] */
	const struct analysis *first; /* the one whose name sorts first */
	const char *statistic;
	struct error *err;
};

/* The same name, or one that only the line number tells from it. */
static int match_blocks(struct comparing *c, const struct analysis *side, size_t nth)
{
	const char *a = c->first->block[nth].name, *b = side->block[nth].name;
	const char *a_line = block_line(a), *b_line = block_line(b);

	if (strcmp(a, b) == 0)
		return 0;
	if (!a_line || !b_line || a_line - a != b_line - b ||
		memcmp(a, b, (size_t)(a_line - a)) != 0)
		return error_set(c->err,
			"code block '%s' of %s is not '%s' of %s; expected the same code "
			"blocks, but for their line numbers",
			a, c->first->name, b, side->name);
	tracker_comparison_remark(c->out,
		"code block '%s' of %s is taken for '%s' of %s: only their line numbers "
		"differ",
		a, c->first->name, b, side->name);
	return 0;
}

/* Amounts in different units can't be compared; other facts may well differ. */
static int match_facts(struct comparing *c, const struct analysis *side)
{
	static const char *const units[] = {"ram_unit", "gpu_ram_unit"};

	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
		const struct dialect_item *a =
			item_member(c->first->facts, units[i], ITEM_TEXT);
		const struct dialect_item *b =
			item_member(side->facts, units[i], ITEM_TEXT);

		if (a && b && strcmp(a->text, b->text) != 0)
			return error_set(c->err,
				"%s of %s is %s, of %s %s; expected one unit%s", units[i],
				c->first->name, a->text, side->name, b->text,
				i ? " (see --gpu-ram-unit)" : " (see --ram-unit)");
	}
	for (const struct dialect_item *a = c->first->facts + 1; a->kind != ITEM_CLOSE;
		a = item_behind(a)) {
		const struct dialect_item *b;

		if (a->kind != ITEM_NUMBER && a->kind != ITEM_COUNT)
			continue;
		b = item_member(side->facts, a->key, a->kind);
		if (b && a->number != b->number &&
			!(isnan(a->number) && isnan(b->number)))
			tracker_comparison_remark(c->out,
				"%s of %s is %.15g, of %s %.15g", a->key, c->first->name,
				a->number, side->name, b->number);
	}
	return 0;
}

static int match(struct comparing *c, const struct analysis *side)
{
	if (c->first->block_count != side->block_count)
		return error_set(c->err,
			"%s has %zu code blocks, %s has %zu; expected as many in every "
			"run",
			c->first->name, c->first->block_count, side->name,
			side->block_count);
	for (size_t i = 0; i < side->block_count; i++)
		if (match_blocks(c, side, i) < 0)
			return -1;
	return match_facts(c, side);
}

/* The statistic of one side; object: of the measurement, NULL: it has none. */
static int take(struct comparing *c, struct tracker_comparison_row *row, size_t side,
	const struct dialect_item *object, const char *what)
{
	const struct dialect_item *item =
		object ? item_member(object, c->statistic, ITEM_COUNT) : NULL;

	row->counts &= item != NULL;
	if (object && !item)
		item = item_member(object, c->statistic, ITEM_NUMBER);
	if (!item)
		return error_set(c->err, "%s has no %s of %s%s%s; expected what %s has",
			c->side[side].name, c->statistic, what,
			row->phase ? " in code block " : "", row->phase ? row->phase : "",
			c->first->name);
	row->value[side] = item->number;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

/* "a.py:7 -> a.py:9": the names that a block has, each once. To be freed. */
static char *joined_name(const struct comparing *c, size_t nth)
{
	const char **name = xcalloc(c->out->side_count, sizeof *name);
	struct strbuf sb;

	for (size_t i = 0; i < c->out->side_count; i++)
		name[i] = c->side[i].block[nth].name;
	qsort(name, c->out->side_count, sizeof *name, by_name);
	strbuf_init(&sb);
	for (size_t i = 0; i < c->out->side_count; i++)
		if (!i || strcmp(name[i], name[i - 1]) != 0)
			strbuf_addf(&sb, "%s%s", i ? " -> " : "", name[i]);
	free(name);
	return strbuf_detach(&sb);
}

/* A row of a measurement (NULL: of the time) of a block. */
static int add_block(
	struct comparing *c, size_t nth, const char *phase, const char *measurement)
{
	struct tracker_comparison_row *row = tracker_comparison_add(c->out,
		measurement ? TRACKER_COMPARISON_PHASE : TRACKER_COMPARISON_TIME,
		measurement, phase);

	row->counts = true;
	for (size_t i = 0; i < c->out->side_count; i++) {
		const struct dialect_item *block = c->side[i].block[nth].item;
		const struct dialect_item *object = item_member(block,
			measurement ? "resource_usage" : "compute_time", ITEM_OBJECT);

		if (object && measurement)
			object = item_member(object, measurement, ITEM_OBJECT);
		if (take(c, row, i, object, measurement ? measurement : "the time") < 0)
			return -1;
	}
	return 0;
}

/* Of blocks that share a name the tool keeps the last. */
static int add_blocks(struct comparing *c, char *const *phase, const char *measurement)
{
	for (size_t i = 0; i < c->first->block_count; i++)
		if ((!phase[i + 1] || strcmp(phase[i], phase[i + 1]) != 0) &&
			add_block(c, i, phase[i], measurement) < 0)
			return -1;
	return 0;
}

static int add_run(struct comparing *c, const char *measurement)
{
	struct tracker_comparison_row *row =
		tracker_comparison_add(c->out, TRACKER_COMPARISON_RUN, measurement, NULL);

	row->counts = true;
	for (size_t i = 0; i < c->out->side_count; i++)
		if (take(c, row, i,
			    item_member(c->side[i].overall, measurement, ITEM_OBJECT),
			    measurement) < 0)
			return -1;
	return 0;
}

static int add_rows(struct comparing *c)
{
	const struct dialect_item *overall = c->first->overall;
	size_t blocks = c->first->block_count;
	char **phase = xcalloc(blocks + 1, sizeof *phase);
	int result = 0;

	for (size_t i = 0; i < blocks; i++)
		phase[i] = joined_name(c, i);
	for (const struct dialect_item *i = overall + 1; i->kind != ITEM_CLOSE && !result;
		i = item_behind(i))
		result = i->kind == ITEM_OBJECT ? add_run(c, i->key) : 0;
	for (const struct dialect_item *i = overall + 1; i->kind != ITEM_CLOSE && !result;
		i = item_behind(i))
		result = i->kind == ITEM_OBJECT ? add_blocks(c, phase, i->key) : 0;
	if (!result)
		result = add_blocks(c, phase, NULL);
	for (size_t i = 0; i < blocks; i++)
		free(phase[i]);
	free(phase);
	return result;
}

static int compare_all(struct comparing *c)
{
	for (size_t i = 0; i < c->out->side_count; i++)
		if (analysis_read(&c->side[i], &c->out->side[i], c->err) < 0)
			return -1;
	for (size_t i = 1; i < c->out->side_count; i++)
		if (strcmp(c->side[i].name, c->first->name) < 0)
			c->first = &c->side[i];
	for (size_t i = 0; i < c->out->side_count; i++)
		if (&c->side[i] != c->first && match(c, &c->side[i]) < 0)
			return -1;
	return add_rows(c);
}

int compare_tracker(struct tracker_comparison *out, const struct tracker_side *side,
	size_t count, const char *statistic, struct error *err)
{
	static const char *const known[] = {"min", "max", "mean", "std"};
	struct comparing c = {.out = out, .statistic = statistic, .err = err};
	size_t i = 0;
	int result;

	tracker_comparison_init(out, side, count);
	while (i < sizeof known / sizeof known[0] && strcmp(statistic, known[i]) != 0)
		i++;
	if (i == sizeof known / sizeof known[0])
		return error_set(
			err, "--statistic %s: expected min, max, mean or std", statistic);
	c.side = xcalloc(count, sizeof *c.side);
	c.first = c.side;
	result = compare_all(&c);
	for (i = 0; i < count; i++)
		analysis_release(&c.side[i]);
	free(c.side);
	return result;
}
