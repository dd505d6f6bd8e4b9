/*
 * A bar of a page: full from one share to another; a step of a waterfall points where it
 * goes, so that it needs no colour. Must not know what the shares are of.
 */
#include "render/html_bar.h"

#include <math.h>

#define BAR_WIDTH 1000 /* in units of its picture */
#define HEAD	  30 /* of a step, at most */
#define BREAK	  30 /* where a bar begins whose axis does not begin at 0 */

static double clamp(double share)
{
	return share > 0 ? fmin(share, 1) : 0;
}

static void add_rect(struct strbuf *sb, const char *class, double from, double to)
{
	double x = floor(BAR_WIDTH * clamp(from));
	double end = ceil(BAR_WIDTH * clamp(to));

	if (!(to > from))
		return;
	strbuf_addf(sb, "<rect class=\"%s\"", class);
	if (x > 0)
		strbuf_addf(sb, " x=\"%g%%\"", x * 100 / BAR_WIDTH);
	strbuf_addf(sb, " width=\"%g%%\" height=\"100%%\"/>",
		fmax(1, end - x) * 100 / BAR_WIDTH);
}

/* Less points to the left, more to the right. */
static void add_step(struct strbuf *sb, const struct doc_cell *cell)
{
	double x = floor(BAR_WIDTH * clamp(cell->from));
	double end = fmax(ceil(BAR_WIDTH * clamp(cell->to)), x + 1);
	double head = fmin(HEAD, end - x);

	if (cell->step == STEP_LESS)
		strbuf_addf(sb,
			"<path class=\"less\" d=\"M%.0f 5L%.0f 0H%.0fV10H%.0fz\"/>", x,
			x + head, end, x + head);
	else
		strbuf_addf(sb,
			"<path class=\"more\" d=\"M%.0f 5L%.0f 0H%.0fV10H%.0fz\"/>", end,
			end - head, x, end - head);
}

static void add_full(struct strbuf *sb, const struct doc_cell *cell)
{
	double from = isnan(cell->from) ? 0 : cell->from;

	if (cell->step) {
		add_step(sb, cell);
	} else if (cell->broken) {
		add_rect(sb, "bar", 0, (double)BREAK / BAR_WIDTH / 2);
		add_rect(sb, "bar", (double)BREAK / BAR_WIDTH, cell->to);
	} else {
		add_rect(sb, "bar", from, cell->to);
	}
}

/* Draws what stands beside it, so that nobody has it read out. */
void html_bar(struct strbuf *sb, const struct doc_cell *cell)
{
	if (cell->blank || (isnan(cell->to) && isnan(cell->marked)))
		return;
	strbuf_adds(sb, "<svg");
	if (cell->step)
		strbuf_addf(sb, " viewBox=\"0 0 %d 10\" preserveAspectRatio=\"none\"",
			BAR_WIDTH);
	strbuf_adds(sb, " aria-hidden=\"true\">");
	if (!isnan(cell->marked))
		add_rect(sb, "mark", 0, cell->marked);
	if (!isnan(cell->to))
		add_full(sb, cell);
	strbuf_adds(sb, "</svg>");
}

void html_spark(struct strbuf *sb, const struct doc_block *block)
{
	double step =
		block->cell_count > 1 ? BAR_WIDTH / (double)(block->cell_count - 1) : 0;

	strbuf_addf(sb,
		"<svg class=\"spark\" viewBox=\"0 -2 %d 104\" "
		"preserveAspectRatio=\"none\" aria-hidden=\"true\"><polyline "
		"class=\"line\" points=\"",
		BAR_WIDTH);
	for (size_t i = 0; i < block->cell_count; i++)
		strbuf_addf(sb, "%s%.0f,%.1f", i ? " " : "", step * (double)i,
			100 - 100 * clamp(block->cell[i].to));
	strbuf_adds(sb, "\"/></svg>\n");
}
