/* Eighths of a line's height. Must not know what the heights are of. */
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
