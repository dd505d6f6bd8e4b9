/*
 * What the rooms of a comparison's document share. Only doc_compare*.c include this.
 */
#ifndef RENDER_DOC_COMPARE_PARTS_H
#define RENDER_DOC_COMPARE_PARTS_H

#include "base/text.h"
#include "model/comparison.h"
#include "render/doc.h"

#define PHASES_SHOWN 8 /* to who did not ask for all: those that last longest */
#define ROWS_SHOWN   10000 /* of a table, whoever asked: those that changed most */

#define COLUMN_DETECTABLE "would show" /* which a note explains */

/* What is shown of a comparison, and what was not. */
struct view {
	const struct comparison *comparison;
	bool all; /* every row, whatever it says */
	const char *more; /* what shows all: "-v", on a page the call with it; static */
	const char *phase[PHASES_SHOWN]; /* borrowed from the rows */
	size_t phase_count;
	bool shows_detectable; /* a table has that column */
	size_t alike; /* rows that were left out, as all print alike */
	size_t in_phases; /* ... as they are of shorter phases */
	size_t beyond; /* ... as their table is long enough */
	size_t details, changed; /* ... as nothing is good or bad of them, or they are of
				    devices; of them those that changed */
};

void view_init(struct view *view, const struct comparison *comparison, bool verbose);

/* Of the whole run, of a kind of work, of a phase, of a device? */
enum part_shown {
	SHOWN_RUN,
	SHOWN_WORK,
	SHOWN_PHASE,
	SHOWN_DEVICE
};
enum part_shown view_part(const struct comparison_row *row);

/* Has it a good direction, and no device but that of a state that changed? Or is all
 * shown? */
bool view_is_headline(const struct view *view, const struct comparison_row *row);
/* Is a row worth a line, whatever its values? Counts those that are not. */
bool view_shows(struct view *view, const struct comparison_row *row);

/* Do two numbers print alike, or as good as? */
bool view_is_alike(double a, double b, int decimals);

/* A cell: "energy_j", "power_w mean", of a share of time "pstate: P0", and what people
 * call it. */
void doc_compare_label(struct doc *doc, const struct measure *measure);
/* "train", "gpu0, train"; false: the run. */
bool view_subject(struct strbuf *text, const struct measure *measure);

/* For a number of which four digits are to be seen. */
int doc_compare_decimals(double x);

/* "+3.2 %", without a ratio "+1.5 W". */
void view_change(struct strbuf *text, const struct comparison_row *row);

/* A word at the heading that was begun: what the numbers below are of the runs of a side;
 * nothing where each side is one run. */
void doc_compare_statistic(
	struct doc *doc, const struct comparison *comparison, const char *word);
/* Tables of two sides: what changed of the runs and their work; all else. */
void doc_compare_changes(struct doc *doc, struct view *view);
void doc_compare_details(struct doc *doc, struct view *view);
void doc_compare_table(struct doc *doc, struct view *view);
/* Are the runs of a table called A, B ..., as their names are too long? */
bool doc_compare_letters(const struct comparison *comparison);
void doc_compare_name(
	struct strbuf *text, const struct comparison *comparison, size_t run);
void doc_compare_waterfall(struct doc *doc, const struct comparison *comparison,
	const struct waterfall *waterfall);
/* What matters of two sides, in a sentence: nothing where nothing is to be told. */
void view_short(struct strbuf *text, const struct comparison *comparison);
/* ... a field: what tests tell, or where there are none what was measured. */
void doc_compare_short(struct doc *doc, const struct comparison *comparison);
/* How many rows came out how, a field. */
void doc_compare_result(struct doc *doc, const struct view *view);
void doc_compare_notes(struct doc *doc, const struct view *view);

#endif
