/*
 * A document: headings, facts, fields, tables and notes, before a format decides how
 * they look. Built by the doc_ files, printed by text.c, markdown.c and html.c. Knows no
 * report and no format.
 *
 * All text is raw: bytes from outside as they were, English, no decoration. The format
 * escapes it, and never breaks a line between a number and the next word, usually its
 * unit.
 */
#ifndef RENDER_DOC_H
#define RENDER_DOC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

enum doc_tone {
	TONE_PLAIN,
	TONE_WARN, /* worth a look */
	TONE_BAD /* something is lost or wrong */
};

enum doc_kind {
	DOC_HEADING, /* one cell: the title; two: and a word about it */
	DOC_LEAD, /* one cell: what all below it comes to, a sentence */
	DOC_FACTS, /* short texts that stand side by side */
	DOC_CODE, /* one cell: a command, may be shortened to a line */
	DOC_FIELDS, /* pairs of cells: label, value (prose) */
	DOC_TABLE, /* rows of column_count cells */
	DOC_NOTES, /* pairs of cells: where (NULL: nowhere), sentence */
	DOC_SPARK /* a line through bars (doc_bar), each up to its `to`; left out where it
		     can't be drawn */
};

enum doc_align {
	DOC_LEFT,
	DOC_RIGHT,
	DOC_SPARE, /* as RIGHT; may be left out where there is no room */
	DOC_BAR /* cells hold a bar; may be left out where there is no room */
};

/* What a bar is beside a share: a step of a waterfall of what costs, so that less is
 * better. */
enum doc_step {
	STEP_NONE,
	STEP_LESS,
	STEP_MORE
};

struct doc_column {
	const char *title; /* static, or borrowed from what the document is of, and as
			      raw as a cell; "": none */
	const char *unit; /* static; "": none */
	enum doc_align align;
	bool name; /* may be shortened to make room */
};

struct doc_cell {
	struct strbuf words; /* owned; text NULL: unknown, or the bar of a DOC_BAR column
			      */
	const char *explains; /* of a note: the title of the column that it is about, and
				 nothing without; static; NULL: none */
	char *called; /* what people call it, where there is room for that; owned; NULL */
	bool blank; /* without words: there is nothing to know here */
	bool spans; /* the first of a row that is one title over all columns */
	bool path; /* where it must be shortened, its end says more */
	/* a bar over 0 to 1: full between from and to, marked up to there; NAN: not */
	double from, to, marked;
	enum doc_step step; /* of a bar */
	bool broken; /* ... whose axis does not begin at 0, where it does */
	enum doc_tone tone;
	size_t run; /* whose page it names, from 1 on: a page links it; 0: none */
	size_t number; /* of the problem that it is about, as a picture marks it; 0: none
			*/
};

struct doc_block {
	enum doc_kind kind;
	int level; /* of a HEADING: 1 a run, 2 a part of it, 3 of that */
	const char *folded; /* what it is, static: it is shown to who asks for it; NULL */
	bool follows; /* belongs to the block before it: no blank line between */
	struct doc_column *column; /* of a TABLE; owned */
	size_t column_count;
	struct doc_cell *cell;
	size_t cell_count, cell_cap;
};

struct doc {
	struct doc_block *block;
	size_t count, cap;
	size_t picture_at; /* the block before which who draws what was over time does
			      so; as many as there are: behind all */
	bool brief; /* for a terminal: when findings were true is left to -v */
	bool apart; /* the evidence of findings stands apart from their list, as tables
		       (doc_findings_evidence), and problems have numbers */
	bool folds; /* who lays it out can fold a block; else `folded` is never set, and
		       the document says which option shows more */
};

#define DOC_INIT ((struct doc){0})

void doc_release(struct doc *doc);

/* Begins a block; cells are added to the last one. Valid until the next block. */
struct doc_block *doc_begin(struct doc *doc, enum doc_kind kind);

/* Begins FIELDS, which follow a heading, other fields or a table without a blank line. */
void doc_fields(struct doc *doc);
void doc_heading(struct doc *doc, int level, const char *title);
struct doc_block *doc_table(
	struct doc *doc, const struct doc_column *column, size_t count);

/* The same of those columns that are shown[count]. */
struct doc_block *doc_table_of(struct doc *doc, const struct doc_column *column,
	const bool *shown, size_t count);

/* Each adds a cell, which is valid until the next. NULL: unknown. */
struct doc_cell *doc_text(struct doc *doc, const char *text);
struct doc_cell *doc_textf(struct doc *doc, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
struct doc_cell *doc_number(struct doc *doc, double x, int decimals);

/* The last cell. */
struct doc_cell *doc_last(struct doc *doc);

/*
 * The words of a new cell, to append to until the next cell is added; of the value of a
 * field with that label; of a note on `where` (NULL: nowhere).
 */
struct strbuf *doc_write(struct doc *doc);
struct strbuf *doc_field(struct doc *doc, const char *label);
struct strbuf *doc_note(struct doc *doc, const char *where);

/* Adds a note for each of these sentences. */
void doc_notes(struct doc *doc, char *const *text, size_t count);

/* Takes back the last field or note if nothing was appended. False: it did. */
bool doc_keep(struct doc *doc);

struct doc_cell *doc_bar(struct doc *doc, double from, double to, double marked);
struct doc_cell *doc_blank(struct doc *doc);

/* A whole row of the table that is a title for the rows below it: its words. */
struct strbuf *doc_row_title(struct doc *doc);

/* How deep a cell is: what is set in by two blanks is a part of what stands above. And
 * who sets it in by so many levels at most says how deep one below those is: "8: ". */
size_t doc_depth(const char *text);
void doc_deep(struct strbuf *sb, size_t depth, size_t most);

/* Cells a row: of a table its columns, else what the kind says. */
size_t doc_row_length(const struct doc_block *block);

#endif
