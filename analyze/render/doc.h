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
	DOC_HEADING, /* one cell: the title; a second cell: a word about it */
	DOC_LEAD, /* one cell: the result, a sentence */
	DOC_FACTS, /* short texts, printed side by side */
	DOC_CODE, /* one cell: a command; may be cut to one line */
	DOC_FIELDS, /* pairs of cells: label, value (prose) */
	DOC_TABLE, /* rows of column_count cells */
	DOC_NOTES, /* pairs of cells: place (NULL: none), sentence */
	DOC_SPARK /* a sparkline through bars (doc_bar), each up to its `to`; skipped if
		     the format can't draw it */
};

enum doc_align {
	DOC_LEFT,
	DOC_RIGHT,
	DOC_SPARE, /* as RIGHT; dropped if there is no room */
	DOC_BAR /* cells hold a bar; dropped if there is no room */
};

/* A bar is a share (STEP_NONE), or a step of a waterfall of costs, where less is
 * better. */
enum doc_step {
	STEP_NONE,
	STEP_LESS,
	STEP_MORE
};

struct doc_column {
	const char *title; /* raw; static, or borrowed from the input; "": none */
	const char *unit; /* static; "": none */
	enum doc_align align;
	bool name; /* may be shortened to make room */
};

struct doc_cell {
	struct strbuf words; /* owned; text NULL: unknown, or a bar */
	const char *explains; /* of a note: the title of the column that it explains; the
				 note is skipped if that column is not shown; static */
	char *called; /* longer name, for formats that have room; owned; NULL: none */
	bool blank; /* empty on purpose, not unknown */
	bool spans; /* first cell of a row that is a title over all columns */
	bool path; /* if it must be cut, cut the beginning */
	/* a bar on a scale from 0 to 1: filled from `from` to `to`, lighter up to
	 * `marked`; NAN: no such part */
	double from, to, marked;
	enum doc_step step;
	bool broken; /* the axis of the bar does not begin at 0 */
	enum doc_tone tone;
	size_t run; /* a page links this cell to that run, counted from 1; 0: no link */
	size_t number; /* number of the problem, as marked in the picture; 0: none */
};

struct doc_block {
	enum doc_kind kind;
	int level; /* of a heading: 1 a run, 2 a section, 3 a subsection */
	const char
		*folded; /* title of a block that the reader opens; static; NULL: open */
	bool follows; /* no blank line before it */
	struct doc_column *column; /* of a TABLE; owned */
	size_t column_count;
	bool *shown; /* [all_columns] of a TABLE of some columns; owned; NULL: of all */
	size_t all_columns, added; /* cells, with those that were dropped */
	struct doc_cell *cell;
	size_t cell_count, cell_cap;
};

struct doc {
	struct doc_block *block;
	size_t count, cap;
	size_t picture_at; /* the picture over time comes before this block */
	struct doc_cell dropped; /* the last one of a column that is not shown */
	bool drops; /* ... is the last cell that was added */
	bool brief; /* for a terminal: -v adds when findings were true */
	bool apart; /* problems have numbers; their evidence is in tables of its own
		       (doc_findings_evidence) */
	bool answered; /* above it is the verdict: a comparison begins with outcomes */
	bool folds; /* the format can fold blocks. Else `folded` is never set, and notes
		       name the option that shows more */
};

#define DOC_INIT ((struct doc){0})

void doc_release(struct doc *doc);

/* Begins a block; cells are added to the last one. Valid until the next block. */
struct doc_block *doc_begin(struct doc *doc, enum doc_kind kind);

/* Begins FIELDS, without a blank line after a heading, other fields or a table. */
void doc_fields(struct doc *doc);
void doc_heading(struct doc *doc, int level, const char *title);
struct doc_block *doc_table(
	struct doc *doc, const struct doc_column *column, size_t count);

/* A heading of level 2, and the table below it. */
void doc_section(struct doc *doc, const char *title, const struct doc_column *column,
	size_t count);

/* A table with only the columns for which shown[i] is true. Rows have a cell for each
 * column: those of the others are dropped. */
struct doc_block *doc_table_of(struct doc *doc, const struct doc_column *column,
	const bool *shown, size_t count);

/* Each adds a cell; the pointer is valid until the next one is added. NULL: unknown. */
struct doc_cell *doc_text(struct doc *doc, const char *text);
struct doc_cell *doc_textf(struct doc *doc, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
struct doc_cell *doc_number(struct doc *doc, double x, int decimals);

/* The last cell. */
struct doc_cell *doc_last(struct doc *doc);

/*
 * Each adds a cell and returns its text to append to: a plain cell, the value of a field
 * with that label, a note about no place. Valid until the next cell.
 */
struct strbuf *doc_write(struct doc *doc);
struct strbuf *doc_field(struct doc *doc, const char *label);
struct strbuf *doc_note(struct doc *doc);

/* Adds a note for each of these sentences. */
void doc_notes(struct doc *doc, char *const *text, size_t count);

/* Removes the last field or note if its text is empty. False: it was removed. */
bool doc_keep(struct doc *doc);

/* Makes the last cell a blank one if its text is empty. */
void doc_or_blank(struct doc *doc);

/* "... and 3 more (-v shows them)": a note that follows; nothing if there are none. */
void doc_more(struct doc *doc, size_t count, const char *behind);

struct doc_cell *doc_bar(struct doc *doc, double from, double to, double marked);
struct doc_cell *doc_blank(struct doc *doc);

/* Adds a row that is a title for the rows below it; returns its text. */
struct strbuf *doc_row_title(struct doc *doc);

/* The level of an indented cell: two blanks are one level. doc_deep appends the level of
 * a cell that is deeper than `most`, such as "8: ". */
size_t doc_depth(const char *text);
void doc_deep(struct strbuf *sb, size_t depth, size_t most);

/* Cells per row: the columns of a table, else 1 or 2 by kind. */
size_t doc_row_length(const struct doc_block *block);

#endif
