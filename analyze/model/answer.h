/*
 * The answer to an SQL query: named columns, and rows that are fetched one at a time,
 * so that an answer may be of any length. Filled by store, printed by render. Knows no
 * metric.
 */
#ifndef MODEL_ANSWER_H
#define MODEL_ANSWER_H

#include "base/diag.h"

enum answer_kind {
	ANSWER_NULL, /* not known */
	ANSWER_INTEGER,
	ANSWER_REAL, /* may be infinite, never NaN */
	ANSWER_TEXT, /* foreign bytes, which may hold NUL */
	ANSWER_BLOB
};

struct answer_cell {
	enum answer_kind kind;
	int64_t integer;
	double real;
	struct span bytes; /* of TEXT and BLOB */
};

struct answer {
	const char *const *column; /* [column_count] raw names, which may be equal */
	const struct answer_cell *cell; /* [column_count] valid until the next row */
	size_t column_count;
	uint64_t rows; /* that answer_next() gave so far */
	bool has_value; /* one of an SQL query's: not NULL, and no count of 0 */
	const bool
		*names; /* [column_count] texts that a terminal may cut; static; NULL */
	/* 1: `cell` holds the next row; 0: there is none; -1 */
	int (*next)(struct answer *answer, struct error *err);
	void (*free)(struct answer *answer);
};

int answer_next(struct answer *answer, struct error *err);
void answer_free(struct answer *answer); /* NULL is fine */

/*
 * A number, which a BLOB of decimal digits is, too: one that no double carries exactly.
 * Infinities are none.
 */
bool answer_is_number(const struct answer_cell *cell);

/*
 * Appends the cell as text: numbers as the shortest decimals that read back the same,
 * other BLOBs as SQL writes them (x'00ff'), U+FFFD in the place of NUL; of NULL nothing.
 */
void answer_print(struct strbuf *sb, const struct answer_cell *cell);

/*
 * The same as a person would write it: of a fraction six significant digits, all digits
 * before the point. Very small and very large numbers are printed in full.
 */
void answer_print_brief(struct strbuf *sb, const struct answer_cell *cell);

#endif
