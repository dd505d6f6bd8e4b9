/*
 * Sparklines and bars in lines of text, in eighths of a line or column. Must not know
 * what they show.
 */
#include "render/spark.h"

#include <math.h>

static double clamp(double share)
{
	return share < 0 ? 0 : share > 1 ? 1 : share;
}

/* The mean height of the cells that share a column. */
static double mean_height(const struct doc_block *block, size_t from, size_t to)
{
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += clamp(block->cell[i].to);
	return sum / (double)(to - from);
}

void spark_column(struct strbuf *sb, double height, bool unicode)
{
	static const char *const glyph[8] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	static const char ascii[] = "_.-~=+*#"; /* no colon: two may begin a command */
	size_t level;

	if (isnan(height)) {
		strbuf_addc(sb, ' ');
		return;
	}
	level = (size_t)fmin(7, clamp(height) * 8);
	if (unicode)
		strbuf_adds(sb, glyph[level]);
	else
		strbuf_addc(sb, ascii[level]);
}

void spark_draw(struct strbuf *sb, const struct doc_block *block, size_t columns)
{
	size_t cells = block->cell_count, used = cells < columns ? cells : columns;

	for (size_t i = 0; i < used; i++)
		spark_column(sb,
			mean_height(block, i * cells / used, (i + 1) * cells / used),
			true);
}

/*
 * Bars: filled from one share to another, shaded up to a third. A nonzero share shows
 * at least a trace; only a full share looks full.
 */

static void add(struct strbuf *sb, bool unicode, const char *glyph, const char *ascii)
{
	strbuf_adds(sb, unicode ? glyph : ascii);
}

static void add_full(struct strbuf *sb, bool unicode, enum doc_step step)
{
	static const char *const glyph[] = {
		[STEP_NONE] = "█", [STEP_LESS] = "░", [STEP_MORE] = "▓"};
	static const char *const ascii[] = {
		[STEP_NONE] = "#", [STEP_LESS] = "<", [STEP_MORE] = ">"};

	add(sb, unicode, glyph[step], ascii[step]);
}

void bar_draw(
	struct strbuf *sb, const struct doc_cell *cell, size_t columns, bool unicode)
{
	static const char *const eighth[8] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
	double from = isnan(cell->from) ? 0 : clamp(cell->from);
	double to = isnan(cell->to) ? 0 : clamp(cell->to);
	size_t first = (size_t)(from * (double)columns), last, part = 0, mark = 0;

	if (cell->blank || (isnan(cell->to) && isnan(cell->marked))) {
		for (size_t i = 0; i < columns; i++)
			strbuf_addc(sb, ' ');
		return;
	}
	if (first || cell->step) {
		/* A span in the middle: whole cells, at least one. */
		last = (size_t)ceil(to * (double)columns);
		if (first >= columns)
			first = columns - 1;
		if (last <= first)
			last = first + 1;
	} else {
		size_t steps = (size_t)(to * (double)columns * 8);

		if (to > 0 && !steps)
			steps = 1;
		last = steps / 8;
		part = unicode ? steps % 8 : 0;
		if (!unicode && to > 0 && !last)
			last = 1;
	}
	if (!isnan(cell->marked))
		mark = (size_t)ceil(clamp(cell->marked) * (double)columns);
	for (size_t i = 0; i < columns; i++) {
		if (i < first)
			add(sb, unicode, "·", ".");
		else if (i == 0 && cell->broken)
			add(sb, unicode, "≈", "~");
		else if (i < last)
			add_full(sb, unicode, cell->step);
		else if (i == last && part)
			strbuf_adds(sb, eighth[part]);
		else if (i < mark)
			add(sb, unicode, "▒", "-");
		else
			add(sb, unicode, "·", ".");
	}
}
