/*
 * Prints a document as one self-contained HTML page: no script, no network. Must not
 * know what the document says.
 */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "model/run.h"
#include "render/doc.h"
#include "render/doc_compare.h"
#include "render/doc_run.h"
#include "render/formats.h"
#include "render/html_timeline.h"
#include "render/run_names.h"
#include "render/utf8.h"

/*
 * Bars: filled from one share to another; a step of a waterfall points in its
 * direction, so it needs no color. Must not know what the shares are.
 */

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

/* A bar of a table; nothing where nothing is known. Draws what stands beside it, so that
 * nobody has it read out. */
static void html_bar(struct strbuf *sb, const struct doc_cell *cell)
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

/* The line of a DOC_SPARK. */
static void html_spark(struct strbuf *sb, const struct doc_block *block)
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

#define DEPTH_MOST  6 /* that a cell is set in by */
#define NAME_LONG   24 /* bytes; longer names may be cut to their column */
#define CALLED_LONG 16 /* letters of what people call it: longer ones may be broken */

/* A row on a phone: what it has room for, and what it takes. */
#define PHONE_PX  338
#define DIGIT_PX  9
#define LETTER_PX 7
#define GAP_PX	  6

/* Text whose lines don't end between a number and the word behind it, its unit. */
static void add_prose(struct strbuf *sb, const char *text)
{
	struct strbuf marked = strbuf_new();
	char before = '\0';

	xml_text(&marked, text);
	for (const char *at = marked.len ? marked.text : ""; *at; before = *at++)
		if (*at == ' ' && before >= '0' && before <= '9')
			strbuf_adds(sb, "\u00a0");
		else
			strbuf_addc(sb, *at);
	strbuf_release(&marked);
}

/* A color alone says nothing to who can't see it, so a sign stands before the text. */
static void html_toned(struct strbuf *sb, enum doc_tone tone, const char *text)
{
	static const char *const name[] = {
		[TONE_PLAIN] = "", [TONE_WARN] = "warn", [TONE_BAD] = "bad"};
	static const char *const sign[] = {
		[TONE_PLAIN] = "", [TONE_WARN] = "\u26a0", [TONE_BAD] = "\u2716"};
	static const char *const spoken[] = {
		[TONE_PLAIN] = "", [TONE_WARN] = "warning", [TONE_BAD] = "problem"};

	if (tone != TONE_PLAIN)
		strbuf_addf(sb,
			"<span class=\"%s\"><span aria-hidden=\"true\">%s\u00a0</span>"
			"<span class=\"hidden\">%s: </span>",
			name[tone], sign[tone], spoken[tone]);
	add_prose(sb, text);
	if (tone != TONE_PLAIN)
		strbuf_adds(sb, "</span>");
}

/* "-" for unknown, nothing for a blank one. */
static void html_cell(struct strbuf *sb, const struct doc_cell *cell)
{
	if (cell->words.text)
		html_toned(
			sb, cell->tone, cell->called ? cell->called : cell->words.text);
	else if (!cell->blank)
		strbuf_adds(sb, "-");
}

/* The attributes of an element that may be cut, if its text has more bytes than `most`:
 * the whole text is in its title. */
static void html_cut(struct strbuf *sb, const char *class, const char *text, size_t most)
{
	if (!text || strlen(text) <= most)
		return;
	strbuf_addf(sb, " class=\"%s\" title=\"", class);
	xml_text(sb, text);
	strbuf_addc(sb, '"');
}

static bool is_number(const struct doc_column *column)
{
	return column->align == DOC_RIGHT || column->align == DOC_SPARE;
}

static void table_head(struct strbuf *sb, const struct doc_block *block)
{
	strbuf_adds(sb, "<thead><tr>");
	for (size_t i = 0; i < block->column_count; i++) {
		const struct doc_column *c = &block->column[i];
		bool empty = !*c->title && !*c->unit;

		strbuf_addf(sb, "<%s%s>", empty ? "td" : "th scope=\"col\"",
			is_number(c)		      ? " class=\"n\""
				: c->align == DOC_BAR ? " class=\"b\""
						      : "");
		xml_text(sb, c->title);
		if (*c->unit)
			strbuf_addf(sb, *c->title ? " (%s)" : "%s", c->unit);
		strbuf_adds(sb, empty ? "</td>" : "</th>");
	}
	strbuf_adds(sb, "</tr></thead>\n");
}

/* What is set in is a part of what stands above. Of a path the end is seen: a line that
 * is written from the right, as far as its cell knows, is cut at its left. */
static void table_text(
	struct strbuf *sb, const struct doc_cell *cell, const struct doc_column *column)
{
	size_t blanks = cell->words.text ? strspn(cell->words.text, " ") : 0;
	size_t deep = cell->words.text ? doc_depth(cell->words.text) : 0;
	size_t depth = deep < DEPTH_MOST ? deep : DEPTH_MOST;
	bool cut = column->name && cell->words.text &&
		strlen(cell->words.text + blanks) > NAME_LONG;
	char class[sizeof "name path"] = "name";

	strbuf_adds(sb, "<td");
	if (depth)
		snprintf(class, sizeof class, "name d%zu", depth);
	else if (cell->path)
		snprintf(class, sizeof class, "name path");
	if (cut)
		html_cut(sb, class, cell->words.text + blanks, 0);
	else if (depth)
		strbuf_addf(sb, " class=\"d%zu\"", depth);
	strbuf_adds(sb, cut && cell->path ? "><bdi>" : ">");
	doc_deep(sb, deep, DEPTH_MOST);
	if (cell->run)
		strbuf_addf(sb, "<a href=\"#s%zu\">", cell->run);
	if (cell->words.text)
		html_toned(sb, cell->tone, cell->words.text + blanks);
	else
		html_cell(sb, cell);
	strbuf_adds(sb, cell->run ? "</a>" : "");
	strbuf_adds(sb, cut && cell->path ? "</bdi>" : "");
}

/* What people call it; what options and other formats do is its title. */
static void table_called(struct strbuf *sb, const struct doc_cell *cell)
{
	strbuf_adds(sb, "<td class=\"k\" title=\"");
	xml_text(sb, cell->words.text);
	strbuf_adds(sb, "\">");
	html_cell(sb, cell);
}

static void table_cell(
	struct strbuf *sb, const struct doc_cell *cell, const struct doc_column *column)
{
	if (column->align == DOC_BAR) {
		strbuf_adds(sb, "<td class=\"b\">");
		html_bar(sb, cell);
	} else if (is_number(column)) {
		strbuf_adds(sb, "<td class=\"n\">");
		html_cell(sb, cell);
	} else if (cell->called) {
		table_called(sb, cell);
	} else {
		table_text(sb, cell, column);
	}
	strbuf_adds(sb, "</td>");
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

static size_t longest_word(const char *text)
{
	size_t longest = 0, n;

	for (; *text; text += n + (text[n] == ' ')) {
		n = strcspn(text, " ");
		longest = larger(longest, n);
	}
	return longest;
}

/* As it is written: a control stands as several. */
static size_t letters_written(const char *text)
{
	struct strbuf written = strbuf_new();
	size_t letters;

	xml_text(&written, text);
	letters = written.len ? utf8_width(written.text) : 0;
	strbuf_release(&written);
	return letters;
}

static size_t letters_of(const struct doc_cell *cell)
{
	size_t mark = cell->tone == TONE_PLAIN ? 0 : 2;
	size_t called = cell->called ? letters_written(cell->called) : 0;

	if (cell->called)
		return called < CALLED_LONG ? called : CALLED_LONG;
	return mark + (cell->words.text ? letters_written(cell->words.text) : 1);
}

/* Of the words of its title each may have a line. */
static size_t column_letters(const struct doc_block *block, size_t at)
{
	const struct doc_column *column = &block->column[at];
	size_t letters = longest_word(column->title);

	if (*column->unit)
		letters = larger(letters, strlen(column->unit) + strlen("()"));
	for (size_t i = 0; i < block->cell_count; i += block->column_count)
		if (!block->cell[i].spans)
			letters = larger(letters, letters_of(&block->cell[i + at]));
	return letters;
}

/* Does a row take more than a line on a phone? Bars stand below it there. */
static bool is_wide(const struct doc_block *block)
{
	size_t row_px = 0;

	for (size_t i = 0; i < block->column_count; i++) {
		const struct doc_column *c = &block->column[i];

		if (c->align != DOC_BAR)
			row_px += GAP_PX +
				column_letters(block, i) *
					(is_number(c) ? DIGIT_PX : LETTER_PX);
	}
	return row_px > PHONE_PX;
}

/* heading: what the table is of, as HTML. */
static void html_table(
	struct strbuf *sb, const struct doc_block *block, const char *heading)
{
	strbuf_addf(sb,
		"<div class=\"scroll\" role=\"group\" tabindex=\"0\" "
		"aria-label=\"%s\"><table%s>\n",
		heading, is_wide(block) ? " class=\"wide\"" : "");
	table_head(sb, block);
	strbuf_adds(sb, "<tbody>\n");
	for (size_t i = 0; i < block->cell_count; i += block->column_count) {
		strbuf_adds(sb, "<tr>");
		if (block->cell[i].spans) {
			strbuf_addf(sb,
				"<th class=\"title\" scope=\"col\" colspan=\"%zu\">",
				block->column_count);
			html_cell(sb, &block->cell[i]);
			strbuf_adds(sb, "</th>");
		}
		for (size_t k = 0; !block->cell[i].spans && k < block->column_count; k++)
			table_cell(sb, &block->cell[i + k], &block->column[k]);
		strbuf_adds(sb, "</tr>\n");
	}
	strbuf_adds(sb, "</tbody></table></div>\n");
}

/*
 * The style sheet: ink on paper, light and dark; color only where something needs
 * attention. Nothing is wider than a phone; wide parts scroll.
 */

/* clang-format off */
static const char html_style[] =
":root{color-scheme:light dark;--ink:#1d1d1f;--paper:#fff;--quiet:#595e64;--line:#d9dce0;"
"--shade:#0003;--bar:#18406e;--good:#1d7a46;--mark:#6a90c0;--track:#eef0f2;--warn:#865300;--bad:#b3261e;--gap:#e4e7ea;--odd:#f3f5f8}\n"
"@media screen and (prefers-color-scheme:dark){:root{--ink:#eeeef0;--paper:#17181a;--quiet:#a3a8ae;"
"--line:#3a3d41;--shade:#000c;--bar:#c3dcfa;--good:#6fcf97;--mark:#4b6e97;--track:#26282b;--warn:#f0b95c;--bad:#ff8b80;--gap:#2e3135;--odd:#1f2124}}\n"
"*{box-sizing:border-box}\n"
"body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}\n"
"main{max-width:62rem;margin:0 auto;padding:1rem 1rem 4rem}\n"
"h1{font-size:1.1rem;font-weight:600;color:var(--quiet);margin:0 0 1.5rem}\n"
"h2{font-size:1.35rem;line-height:1.25;margin:0;overflow-wrap:anywhere}\n"
"h3{font-size:1rem;margin:2rem 0 .5rem;padding-top:.5rem;border-top:1px solid var(--line)}\n"
"h4{font-size:.95rem;margin:1rem 0 .25rem}.no{display:inline-block;min-width:1.35em;padding:0 .3em;border-radius:1em;font-size:.8rem;line-height:1.35;font-weight:700;"
"text-align:center;print-color-adjust:exact}.no.warn{background:var(--warn);color:var(--paper)}.no.bad{background:var(--bad);color:var(--paper)}li.p{list-style:none}li.p>.no{margin:0 .15rem 0 -1.2rem}\n"
"small{font-size:.85em}h2 small,h3 small,h4 small{font-weight:400;color:var(--quiet)}\n"
"section+section{margin-top:4rem}nav{margin-bottom:3rem}\n"
"p,dl,ul,pre{margin:.5rem 0}\n"
".lead{font-size:1.1rem;margin:.5rem 0}\n"
".facts{color:var(--quiet);margin:.25rem 0}\n"
"pre{overflow-x:auto}\n"
"code{font:13px/1.5 ui-monospace,monospace}\n"
"dl{display:grid;grid-template-columns:minmax(7rem,max-content) 1fr;gap:.15rem 1.25rem}\n"
"dt{color:var(--quiet)}\n"
"dd{margin:0;overflow-wrap:anywhere}\n"
"ul{padding-left:1.2rem;overflow-wrap:anywhere}\n"
"ul ul{margin:.1rem 0;color:var(--quiet);list-style:none}\n"
".scroll{overflow-x:auto;position:relative;background:"
"linear-gradient(to right,var(--paper) 40%,transparent) left/2rem 100% no-repeat local,"
"linear-gradient(to left,var(--paper) 40%,transparent) right/2rem 100% no-repeat local,"
"linear-gradient(to right,var(--shade),transparent) left/.6rem 100% no-repeat,"
"linear-gradient(to left,var(--shade),transparent) right/.6rem 100% no-repeat}\n"
".name{max-width:11rem;overflow:hidden;text-overflow:ellipsis}.path{max-width:20rem;direction:rtl}bdi{direction:ltr}"
"td.name:last-child{max-width:32rem}\n"
".long{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:4;overflow:hidden}\n"
"table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
"th,td{padding:.15rem .9rem .15rem 0;text-align:left;vertical-align:baseline;white-space:nowrap;"
"font-weight:400}\n"
"thead th{color:var(--quiet);font-size:.85rem;white-space:normal;vertical-align:bottom}.k{white-space:normal;min-width:8rem}thead tr{border-bottom:1px solid var(--line)}\n"
"tbody th.title{font-weight:600;padding-top:.6rem;white-space:normal;overflow-wrap:anywhere}\n"
".numbers td:first-child{white-space:normal;overflow-wrap:anywhere}.n,.numbers td+td,.held td+td+td{text-align:right}\n"
".d1{padding-left:1rem}.d2{padding-left:2rem}.d3{padding-left:3rem}.d4{padding-left:4rem}"
".d5{padding-left:5rem}.d6{padding-left:6rem}\n"
".warn{color:var(--warn)}.bad{color:var(--bad);font-weight:600}\n"
"svg{display:block;width:8rem;height:.7rem}\n"
"svg.spark{width:100%;max-width:30rem;height:3rem;margin:.5rem 0}\n"
".b svg{background:var(--track);print-color-adjust:exact}.mark{fill:var(--mark)}.bar{fill:var(--bar)}.less{fill:var(--good)}.more{fill:var(--warn)}\n"
".line{fill:none;stroke:var(--bar);stroke-width:1.5;vector-effect:non-scaling-stroke}\n"
"details{margin:.5rem 0}summary{cursor:pointer;color:var(--quiet);font-size:.85rem}\n"
".hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}\n"
"a{color:inherit}\n";
/* clang-format on */

/* The rows of a timeline: a name, a picture, numbers. */
/* clang-format off */
static const char html_style_time[] =
"figure{margin:0}figure.multiples{margin-top:.75rem}figcaption{color:var(--quiet);font-size:.85rem;margin:.5rem 0}\n"
".time,.group{display:grid;grid-template-columns:var(--l) 1fr var(--r);align-items:center;row-gap:4px}.axes,.group{display:contents}\n"
".time{--l:4.5rem;--r:8.5rem;position:relative;font-variant-numeric:tabular-nums;--high:4.5rem;--middle:2.8rem;--low:1.7rem}\n"
".time.small{--high:2.8rem;--middle:1.7rem;--low:1.1rem}\n"
".time h4{grid-column:1/-1;margin:.5rem 0 0;padding:.4rem 0 .1rem;font-size:.85rem;position:relative;background:var(--paper)}.time h4 small{font-weight:400;color:var(--quiet);"
"margin-left:.5rem;font-size:1em}\n"
".time .l,.time .r{position:relative}.time .l{font-size:.8rem;color:var(--quiet);overflow-wrap:anywhere}\n"
".time .r{display:grid;grid-template-columns:1fr 1fr;text-align:right;font-size:.8rem}"
".time>svg,.group>svg{width:100%;position:relative;grid-column:2}.time .l{grid-column:1}.time .r{grid-column:3}\n"
".time svg.high{height:var(--high)}.time svg.middle{height:var(--middle)}.time svg.low{height:var(--low)}"
".time svg.high,.time svg.middle,.time svg.low{overflow:visible;border-bottom:1px solid var(--line)}\n"
".time svg.gaps{height:4px;overflow:visible}.time svg.axis{height:1.1rem;overflow:visible}.time svg.axis text{font-size:.75rem;fill:var(--quiet);text-anchor:middle}"
".time svg.axis .first{text-anchor:start}.time svg.axis .last{text-anchor:end}\n"
".time svg.phases{height:auto}.time svg.phases text{font-size:.75rem;fill:var(--ink)}.phases .one{fill:var(--mark)}.phases .many{fill:var(--mark);fill-opacity:.35}.hatch{stroke:var(--mark);stroke-width:16;stroke-dasharray:1 3}\n"
".time svg[height=\"7\"]{height:7px}.time svg[height=\"14\"]{height:14px}.time svg[height=\"21\"]{height:21px}.power{fill:var(--mark);background:var(--mark)}.heat{fill:var(--warn);background:var(--warn)}"
".hardware{fill:var(--bad);background:var(--bad)}.gap{background:var(--gap)}.short{background:var(--quiet)}\n"
".time svg.marks{height:.85rem;background:var(--track);print-color-adjust:exact}path.warn{fill:var(--warn)}path.bad{fill:var(--bad)}.time .at{text-align:right;padding-right:.5rem;line-height:1}\n"
".key{print-color-adjust:exact;display:inline-block;width:.9em;height:.6em;margin:0 .35em 0 .6em}\n"
".time>svg.behind{grid-column:auto;position:absolute;left:var(--l);width:calc(100% - var(--l) - var(--r));top:0;height:100%}\n"
".behind .odd{fill:var(--odd)}.behind .even{fill:none}.behind line{stroke:var(--line);stroke-width:1}\n"
".g{fill:var(--gap)}.na{fill:none;stroke:var(--quiet);stroke-dasharray:2 3}.key.na{outline:1px dashed var(--quiet)}.e{fill:var(--mark);stroke:var(--mark)}.m,.p{fill:none;stroke:var(--bar);stroke-linecap:round}"
".e,.m,.p,.s,.na{vector-effect:non-scaling-stroke;stroke-width:1;stroke-linejoin:round}.p{stroke-width:3}"
".s{fill:var(--quiet);stroke:var(--quiet);stroke-width:1.5}\n"
".panels{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(25rem,100%),1fr));gap:1rem 2rem;align-items:start}\n"
".multiples .time{--l:7rem;--r:3.8rem;row-gap:3px}.multiples .time .r{display:block}.multiples .l{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden;word-break:break-all;line-height:1.15;margin-right:.5rem}.multiples .dense .l{-webkit-line-clamp:1}\n"
".multiples .time h4{margin:0;padding-top:0}.time>h3{grid-column:1/-1;margin:0;padding:0 0 .1rem;border:0;font-size:.85rem;position:relative;background:var(--paper)}.time h3 small{margin-left:.5rem;font-size:1em}\n"
".time svg.multiple{height:1.9rem;overflow:visible}.time.dense svg.multiple{height:1rem}"
".ran{fill:var(--odd);background:var(--odd)}.key.ran{outline:1px solid var(--line)}.none{grid-column:2;justify-self:start;padding-right:.4rem;position:relative;background:var(--paper);font-size:.8rem;color:var(--quiet)}"
".side{grid-column:1/-1;position:relative;font-size:.8rem;font-weight:600;margin-top:.2rem;background:var(--paper)}\n";
/* clang-format on */

/*
 * On a phone a bar stands below its row, and a row of many columns is several lines: what
 * it is of, its numbers, its bar. On paper nothing can be folded up or scrolled.
 */
/* clang-format off */
static const char html_style_media[] =
"@media(max-width:56rem){th,td{padding-right:.4rem;font-size:.85rem}.name{max-width:9rem}.b svg{width:5rem}\n"
".wide,.wide thead,.wide tbody{display:block}"
".wide tr{display:grid;grid-template-columns:repeat(auto-fill,minmax(5.2rem,1fr));column-gap:.4rem;padding:.25rem 0;border-bottom:1px solid var(--line)}"
".wide tr>:first-child{grid-column:1/-1;position:static}.wide tr:has(>.b)>:first-child{grid-column:1/span 2}"
".wide tr>.b.b{grid-area:1/3/auto/-1;position:static;align-self:center}.wide .b svg{height:.5rem}"
".wide tr>*{padding-block:0;padding-inline-end:0;white-space:normal}.wide tr>.title{padding-top:.6rem}"
".wide td{overflow-wrap:anywhere}.wide .name{max-width:none}}\n"
"@media(max-width:44rem){dl{grid-template-columns:1fr;gap:0}dt{margin-top:.4rem}pre{white-space:pre-wrap;overflow-wrap:anywhere}"
"td:first-child,thead th:first-child{position:sticky;left:0;background:var(--paper)}"
"tr{position:relative}:not(.wide)>*>tr:has(>td.b>svg)>:not(.b){padding-bottom:.6rem}:not(.wide)>*>tr:has(>th.b)>:not(.b){padding-bottom:1.4rem}"
"tr>.b.b{position:absolute;left:0;bottom:.15rem;width:100%;padding:0}.b svg{display:block;width:100%;height:.3rem}\n"
".time{--l:3rem;--r:0px}.time .r,.tight{display:none}.multiples .time{--l:5.5rem;--r:3.6rem}.multiples .time .l{-webkit-line-clamp:4}}\n"
"@media(max-width:23rem){main{padding-inline:.5rem}th,td,thead th{padding-right:.3rem;font-size:.75rem}.multiples .time{--l:4.5rem;--r:3.2rem}}\n"
"@page{margin:14mm}\n"
"@media print{:root{color-scheme:light;font-size:12px}body,code{font-size:11px}main{padding:0;max-width:none}.scroll,pre{overflow:visible}pre{white-space:pre-wrap}.scroll{background:none}"
".name,td:first-child{white-space:normal;overflow-wrap:anywhere;min-width:7rem}.name{max-width:16rem;overflow:visible}.long,.multiples .l{display:block;overflow:visible}"
"details:not([open]){display:none}summary{list-style:none}"
"h2,h3{break-after:avoid}tr,.panels .time,table:not(:has(tbody>tr:nth-child(7))){break-inside:avoid}section+section{margin-top:2.5rem}\n"
"figure>.time{display:table;width:100%}.axes{display:table-header-group}.group~.axes{display:table-footer-group}"
".axes,.group{break-inside:avoid}.axes{break-after:avoid}.axes+.group,.group:has(.phases)+.group{break-before:avoid}.group{display:grid}.time~figcaption{break-before:avoid}}\n";
/* clang-format on */

/* Their SHA-256 in base 64, which the page's Content-Security-Policy allows alone. */
static const char html_style_hash[] = "e91kX7c0GF0bKERZkcf3YJrKOXJKZzwRDY0F6GzOqHM=";

#define PROSE_LONG 500 /* longer texts are cut to some lines: no sentence is */
#define BYTES_MOST 950000 /* what several runs over time may fill up to */

struct page {
	struct strbuf body;
	struct strbuf links; /* to its sections */
	size_t links_shown; /* bytes of them; those of runs in a table are not */
	struct strbuf title; /* the first section's */
	size_t sections;
	size_t runs; /* that it is of; 0: it is of something else */
	bool in_section;
	struct strbuf heading; /* the last one, as text: what a table is of */
};

/* " <small>grade A</small>": a word about what the heading is of. */
static void add_aside(struct strbuf *sb, const struct doc_block *block)
{
	if (block->cell_count < 2)
		return;
	strbuf_adds(sb, " <small>");
	html_cell(sb, &block->cell[1]);
	strbuf_adds(sb, "</small>");
}

/* What the picture of the run marks it by. */
static void add_problem_number(struct strbuf *sb, const struct doc_cell *cell)
{
	if (cell->number)
		strbuf_addf(sb, "<span class=\"no %s\">%zu</span> ",
			cell->tone == TONE_BAD ? "bad" : "warn", cell->number);
}

static void end_section(struct page *page)
{
	if (page->in_section) {
		strbuf_adds(&page->body, "</section>\n");
		strbuf_adds(&page->links, "</li>\n");
	}
	page->in_section = false;
}

/* How many links to sections of that name there are. */
static size_t sections_called(const struct page *page, const char *name)
{
	struct strbuf link = strbuf_new();
	size_t count = 0;

	strbuf_addf(&link, ">%s</a>", name);
	for (const char *at = page->links.text; (at = strstr(at, link.text)); at++)
		count++;
	strbuf_release(&link);
	return count;
}

/* Regions of a page must not be called alike. */
static void add_number(struct strbuf *sb, size_t before)
{
	if (before)
		strbuf_addf(sb, " <small>number %zu of that name</small>", before + 1);
}

/* Of a run, or what else stands alone: its own heading, and a link to it. */
static void begin_section(struct page *page, const struct doc_block *block)
{
	struct strbuf *sb = &page->body;
	size_t before = sections_called(page, page->heading.text);

	end_section(page);
	page->in_section = true;
	page->sections++;
	if (page->sections == 1 || page->runs == 1) {
		strbuf_clear(&page->title);
		strbuf_adds(&page->title, page->heading.text);
	}
	strbuf_addf(&page->links, "<li><a href=\"#s%zu\">%s</a>", page->sections,
		page->heading.text);
	add_number(&page->links, before);
	add_aside(&page->links, block);
	strbuf_addf(sb, "<section aria-labelledby=\"s%zu\">\n<h2 id=\"s%zu\"",
		page->sections, page->sections);
	html_cut(sb, "long", block->cell->words.text, PROSE_LONG);
	strbuf_addc(sb, '>');
	html_cell(sb, block->cell);
	add_number(sb, before);
	add_aside(sb, block);
	strbuf_adds(sb, "</h2>\n");
}

/* Of what a problem was, for who looks further. */
static void problem_heading(struct strbuf *sb, const struct doc_block *block)
{
	strbuf_adds(sb, "<h4>");
	add_problem_number(sb, block->cell);
	add_prose(sb, block->cell->words.text);
	add_aside(sb, block);
	strbuf_adds(sb, "</h4>\n");
}

static void heading(struct page *page, const struct doc_block *block)
{
	strbuf_clear(&page->heading);
	xml_text(&page->heading,
		block->cell->called ? block->cell->called : block->cell->words.text);
	if (block->level == 1) {
		begin_section(page, block);
		return;
	}
	if (block->level == 3) {
		problem_heading(&page->body, block);
		return;
	}
	strbuf_adds(&page->body, "<h3>");
	html_cell(&page->body, block->cell);
	add_aside(&page->body, block);
	strbuf_adds(&page->body, "</h3>\n");
}

static void facts(struct strbuf *sb, const struct doc_block *block)
{
	strbuf_adds(sb, "<p class=\"facts\">");
	for (size_t i = 0; i < block->cell_count; i++) {
		strbuf_adds(sb, i ? " \u00b7 " : "");
		html_cell(sb, &block->cell[i]);
	}
	strbuf_adds(sb, "</p>\n");
}

/* A sentence beside the link to the section. */
static void say_beside_link(struct page *page, const char *text)
{
	strbuf_adds(&page->links, "<div>");
	html_toned(&page->links, TONE_PLAIN, text);
	strbuf_adds(&page->links, "</div>");
}

/* Of several runs it stands beside the link to each as well. */
static void lead(struct page *page, const struct doc_block *block)
{
	strbuf_adds(&page->body, "<p class=\"lead\">");
	html_cell(&page->body, block->cell);
	strbuf_adds(&page->body, "</p>\n");
	strbuf_adds(&page->links, "<div>");
	html_cell(&page->links, block->cell);
	strbuf_adds(&page->links, "</div>");
}

static void code(struct strbuf *sb, const struct doc_block *block)
{
	strbuf_adds(sb, "<pre tabindex=\"0\"><code>");
	xml_text(sb, block->cell->words.text);
	strbuf_adds(sb, "</code></pre>\n");
}

static void fields(struct strbuf *sb, const struct doc_block *block)
{
	strbuf_adds(sb, "<dl>\n");
	for (size_t i = 0; i < block->cell_count; i += 2) {
		strbuf_adds(sb, "<dt>");
		html_cell(sb, &block->cell[i]);
		strbuf_adds(sb, "</dt><dd");
		html_cut(sb, "long", block->cell[i + 1].words.text, PROSE_LONG);
		strbuf_addc(sb, '>');
		html_cell(sb, &block->cell[i + 1]);
		strbuf_adds(sb, "</dd>\n");
	}
	strbuf_adds(sb, "</dl>\n");
}

/* A sentence that is set in, or says what to do, belongs to the one before it. */
static void notes(struct strbuf *sb, const struct doc_block *block)
{
	bool nested = false;

	strbuf_adds(sb, "<ul>\n");
	for (size_t i = 0; i < block->cell_count; i += 2) {
		const struct doc_cell *at = &block->cell[i], *said = &block->cell[i + 1];
		const char *text = said->words.text;
		bool remedy = strncmp(text, "-> ", 3) == 0;
		bool nests = i && (*text == ' ' || remedy);

		text += remedy ? 3 : strspn(text, " ");
		text += strncmp(text, "- ", 2) == 0 ? 2 : 0;
		if (i && !nests)
			strbuf_adds(sb, nested ? "</li></ul></li>\n" : "</li>\n");
		else if (i)
			strbuf_adds(sb, nested ? "</li>" : "<ul>");
		nested = nests;
		strbuf_adds(sb, at->number ? "<li class=\"p\">" : "<li>");
		add_problem_number(sb, at);
		if (at->words.text) {
			strbuf_adds(sb, "<code>");
			xml_text(sb, at->words.text);
			strbuf_adds(sb, "</code>: ");
		}
		strbuf_adds(sb, remedy ? "\u2192 " : "");
		html_toned(sb, said->tone, text);
	}
	strbuf_adds(sb, nested ? "</li></ul></li>\n</ul>\n" : "</li>\n</ul>\n");
}

static void add_block(struct page *page, const struct doc_block *block)
{
	assert(block->cell_count % doc_row_length(block) == 0 ||
		block->kind == DOC_HEADING);
	if (block->folded)
		strbuf_addf(&page->body,
			"<details class=\"more\"><summary>%s</summary>\n", block->folded);
	switch (block->kind) {
	case DOC_HEADING:
		heading(page, block);
		break;
	case DOC_LEAD:
		lead(page, block);
		break;
	case DOC_FACTS:
		facts(&page->body, block);
		break;
	case DOC_CODE:
		code(&page->body, block);
		break;
	case DOC_FIELDS:
		fields(&page->body, block);
		break;
	case DOC_TABLE:
		html_table(&page->body, block,
			page->heading.len ? page->heading.text : "Table");
		break;
	case DOC_NOTES:
		notes(&page->body, block);
		break;
	case DOC_SPARK:
		html_spark(&page->body, block);
		break;
	}
	if (block->folded)
		strbuf_adds(&page->body, "</details>\n");
}

static void page_init(struct page *page)
{
	*page = (struct page){.links_shown = SIZE_MAX};
	strbuf_init(&page->body);
	strbuf_init(&page->links);
	strbuf_init(&page->title);
	strbuf_init(&page->heading);
}

static void add_blocks(struct page *page, const struct doc *doc, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (doc->block[i].cell_count)
			add_block(page, &doc->block[i]);
}

/* Empties the document. */
static void add_doc(struct page *page, struct doc *doc)
{
	add_blocks(page, doc, 0, doc->count);
	doc_release(doc);
}

/* Writes the page, and releases it. */
static int page_end(struct page *page, FILE *out, struct error *err)
{
	size_t shown;

	fprintf(out,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, "
		"initial-scale=1\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
		"'none'; style-src 'sha256-%s'; base-uri 'none'; form-action "
		"'none'\">\n<title>",
		html_style_hash);
	if (page->runs > 1)
		fprintf(out, "%zu runs", page->runs);
	else
		fputs(page->title.text, out);
	fprintf(out, "</title>\n<style>%s%s%s</style>\n</head>\n<body>\n<main>\n",
		html_style, html_style_time, html_style_media);
	fputs("<h1>hwsummarize</h1>\n", out);
	end_section(page);
	shown = page->links_shown < page->links.len ? page->links_shown : page->links.len;
	if (page->sections > 1 && shown)
		fprintf(out, "<nav aria-label=\"Runs\"><ul>\n%.*s</ul></nav>\n",
			(int)shown, page->links.text);
	fputs(page->body.len ? page->body.text : "", out);
	fputs("</main>\n</body>\n</html>\n", out);
	strbuf_release(&page->body);
	strbuf_release(&page->links);
	strbuf_release(&page->title);
	strbuf_release(&page->heading);
	return render_check(out, "html", err);
}

/* All runs over time, before the first of them: as fine as all else leaves room for. */
static void add_together(struct strbuf *sb, const struct page *page,
	const struct render_input *in, size_t first)
{
	size_t used = sb->len + page->body.len + page->links.len;

	html_together(sb, in->report, in->report_count, first,
		used < BYTES_MOST ? BYTES_MOST - used : 0);
}

/* With what they were over time, where nothing else draws that; else beside runs, with
 * its result at the top of the page. */
static void add_comparison(struct page *page, const struct comparison *comparison,
	const struct render_options *opt, bool draws)
{
	struct doc doc = {.folds = true};
	struct strbuf verdict;

	doc_compare(&doc, comparison, opt);
	add_blocks(page, &doc, 0, doc.picture_at);
	if (draws)
		html_compared(&page->body, comparison);
	add_blocks(page, &doc, doc.picture_at, doc.count);
	doc_release(&doc);
	if (draws)
		return;
	strbuf_init(&verdict);
	doc_compare_verdict(&verdict, comparison, opt);
	say_beside_link(page, verdict.text);
	strbuf_release(&verdict);
}

static void add_uncompared(struct page *page, const char *why)
{
	struct doc doc = DOC_INIT;

	doc_heading(&doc, 1, "Comparison");
	doc_begin(&doc, DOC_FACTS)->follows = true;
	doc_textf(&doc, "not compared: %s", why);
	add_doc(page, &doc);
	say_beside_link(page, "not compared");
}

static void add_run(struct page *page, const struct report *report, const char *name,
	const struct render_options *opt, const struct timeline_detail *detail)
{
	struct doc doc = {.folds = true, .apart = true};

	doc_run_lead(&doc, report, opt);
	doc.block[0].cell->called = xstrdup(name);
	add_doc(page, &doc);
	html_timeline(&page->body, report, detail);
	if (!detail->together) /* many runs: a page of one has the tables */
		doc_findings_evidence(&doc, report, opt);
	doc_run_usage(&doc, report, opt);
	doc_run_rest(&doc, report, opt);
	add_doc(page, &doc);
}

/* A row a run, which links to its section. The table needs no link: it comes next. */
static void add_table(struct page *page, const struct render_input *in,
	const struct render_options *opt, size_t first)
{
	struct runs_table table = {.count = 0};
	struct doc doc = {.folds = true};
	size_t links = page->links.len;

	for (size_t i = 0; i < in->report_count; i++)
		runs_table_add(&table, &in->report[i]);
	doc_runs(&doc, &table, opt);
	for (size_t i = 0; i < doc.count; i++)
		for (size_t k = 0; k < doc.block[i].cell_count; k++)
			if (doc.block[i].cell[k].run)
				doc.block[i].cell[k].run += first - 1;
	add_doc(page, &doc);
	end_section(page);
	page->links.len = links;
	page->links.text[links] = '\0';
	runs_table_release(&table);
}

int html_write(const struct render_input *in, const struct render_options *opt, FILE *out,
	struct error *err)
{
	const struct timeline_detail detail =
		html_timeline_detail(in->report, in->report_count);
	bool many = in->report_count > RUNS_IN_FULL;
	struct doc warnings = {.folds = true};
	struct strbuf above;
	char **name = xcalloc(in->report_count + 1, sizeof *name);
	struct page page;
	size_t first, parts;

	page_init(&page);
	page.runs = in->report_count;
	doc_warnings(&warnings, in);
	add_doc(&page, &warnings);
	end_section(&page);
	first = page.sections + 1 + many + (in->comparison || in->uncompared);
	if (many)
		add_table(&page, in, opt, first);
	above = page.body;
	strbuf_init(&page.body);
	if (in->comparison)
		add_comparison(&page, in->comparison, opt, false);
	else if (in->uncompared)
		add_uncompared(&page, in->uncompared);
	end_section(&page);
	if (many)
		page.links_shown = page.links.len;
	for (size_t i = 0; i < in->report_count; i++)
		name[i] = run_name(in->report[i].run);
	parts = names_parts(name, in->report_count, sizeof *name);
	for (size_t i = 0; i < in->report_count; i++)
		add_run(&page, &in->report[i], name_tail(name[i], parts), opt, &detail);
	run_names_free(name, in->report_count);
	if (in->report_count > 1)
		add_together(&above, &page, in, first);
	strbuf_add(&above, page.body.text, page.body.len);
	strbuf_release(&page.body);
	page.body = above;
	return page_end(&page, out, err);
}

int html_result(const struct render_result *result, const struct render_options *opt,
	FILE *out, struct error *err)
{
	struct doc doc = {.folds = true};
	struct page page;

	page_init(&page);
	if (result->kind == RESULT_COMPARISON) {
		add_comparison(&page, result->comparison, opt, true);
	} else {
		doc_result(&doc, result, opt);
		add_doc(&page, &doc);
	}
	return page_end(&page, out, err);
}
