/*
 * Offers the documents of comparisons and trends, and parts of comparisons that gates
 * use as well.
 */
#ifndef RENDER_DOC_COMPARE_H
#define RENDER_DOC_COMPARE_H

#include "base/text.h"
#include "model/comparison.h"
#include "render/doc.h"
#include "render/render.h"

/* The document of a result of any kind. */
void doc_result(struct doc *doc, const struct render_result *result,
	const struct render_options *opt);
void doc_compare(struct doc *doc, const struct comparison *comparison,
	const struct render_options *opt);
void doc_trends(
	struct doc *doc, const struct trends *trends, const struct render_options *opt);

/* Appends the result in one sentence, for a list of links. */
void doc_compare_verdict(struct strbuf *text, const struct comparison *comparison,
	const struct render_options *opt);

/* Shared by doc_compare.c and doc_compare_table.c. */

#define PHASES_SHOWN 8 /* the longest phases, without -v */
#define ROWS_SHOWN   10000 /* of a table, also with -v: those that changed most */

#define COLUMN_DETECTABLE "would show" /* a note explains it */

/* Which rows of a comparison are shown, and how many are hidden. */
struct view {
	const struct comparison *comparison;
	bool all; /* show every row */
	const char *more; /* how to see all: "-v shows them"; static */
	const char *phase[PHASES_SHOWN]; /* borrowed from the rows */
	size_t phase_count;
	bool shows_detectable; /* a table has that column */
	/* hidden rows, by reason: */
	size_t alike; /* base and new print the same */
	size_t in_phases; /* of shorter phases */
	size_t beyond; /* beyond ROWS_SHOWN */
	size_t details, changed; /* of devices, or neither good nor bad; those changed */
};

void view_init(struct view *view, const struct comparison *comparison, bool verbose);

/* What the whole run took and did, what explains that, of a phase, of a device? */
enum part_shown {
	SHOWN_OUTCOME,
	SHOWN_RUN,
	SHOWN_WORK,
	SHOWN_PHASE,
	SHOWN_DEVICE
};

/* Has it a good direction, and no device but that of a state that changed? Or is all
 * shown? */
bool view_is_headline(const struct view *view, const struct comparison_row *row);

/* What people are told: of what only explains an outcome neither better nor worse. */
enum change view_verdict(const struct comparison_row *row);

/* Do two numbers print alike, or as good as? */
bool view_is_alike(double a, double b, int decimals);

/* "+3.2 %", without a ratio "+1.5 W". */
void view_change(struct strbuf *text, const struct comparison_row *row);

/* Tables of two sides: outcomes; what explains them; all else. */
enum compare_stage {
	STAGE_OUTCOMES,
	STAGE_CHANGES,
	STAGE_DETAILS
};

void doc_compare_sections(struct doc *doc, struct view *view, enum compare_stage stage);
void doc_compare_table(struct doc *doc, struct view *view);

/* Are the runs of a table called A, B ..., as their names are too long? */
bool doc_compare_letters(const struct comparison *comparison);
void doc_compare_name(
	struct strbuf *text, const struct comparison *comparison, size_t run);
void doc_compare_waterfall(struct doc *doc, const struct comparison *comparison,
	const struct waterfall *waterfall);

/* ... a field: what tests tell, or where there are none what was measured. */
void doc_compare_short(struct doc *doc, const struct comparison *comparison);

/*
 * Lists of runs and of their differences, for the documents of comparisons and gates.
 */

/*
 * A pair of fields: the title, and the names of the runs of a side, of SIDES of all;
 * nothing of none.
 */
void doc_side(struct doc *doc, const char *title, const struct comparison *comparison,
	enum side side);

/* A part of its own: what of the runs' circumstances differs, if anything does. */
void doc_differences(struct doc *doc, const struct comparison *comparison);

/* Differences in circumstances, in words. */

/* "driver: 550.54 -> 570.86; GPUs: ...": all that differs; nothing: nothing does. */
void not_alike_say_all(struct strbuf *text, const struct comparison *comparison);

#endif
