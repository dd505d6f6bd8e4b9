/*
 * Errors and diagnostics. A diagnostic is damage in the data: never an error, always
 * counted. One entry per (id, file, what) keeps the first line, the count and the
 * first sentence.
 */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include "base/text.h"

struct strbuf;

struct diag {
	uint64_t hash; /* of what tells the entry apart */
	char *id; /* "torn-line", "unknown-column" ...: stable, documented in
		     docs/damage.md */
	char *file; /* as the user named it or relative to the run; "" for the run itself
		     */
	uint64_t line; /* of the first occurrence, from 1; 0: the file as a whole */
	uint64_t count;
	char *text; /* what was found and what it costs, one sentence, printable UTF-8 */
	bool damage; /* false: a remark (unknown column); true: something was lost */
};

struct diag_list {
	struct diag *at;
	size_t count;
	size_t cap;
};

#define DIAGS_MAX      1000 /* entries; the last one counts all that came after */
#define DIAG_LIST_INIT ((struct diag_list){0})

void diag_list_release(struct diag_list *list);

/*
 * Counts one occurrence. `what` tells apart entries of the same id in one file (a
 * column's name); it may be empty. The sentence is copied only for the first occurrence.
 */
void diag_add(struct diag_list *list, bool damage, const char *id, const char *file,
	uint64_t line, struct span what, const char *format, ...)
	__attribute__((format(printf, 7, 8)));

/*
 * Moves all entries of a list behind those of another, which has none of their ids; from
 * is empty then.
 */
void diag_list_move(struct diag_list *to, struct diag_list *from);
void diag_quote(struct strbuf *sb, struct span s);

/* The same, cut after so many bytes. */
void diag_quote_most(struct strbuf *sb, struct span s, size_t most);

/*
 * Errors: failures outside the program. A function that can fail takes a `struct error
 * *` as its last parameter, leaves it untouched on success, and fills it with one
 * complete sentence (file, line, value, what was expected) when it returns -1.
 */

struct error {
	char message[1024]; /* without a final newline; what is longer is cut in its
				midst, between characters */
};

/* Fills the error and returns -1, so that callers write: return error_set(err, ...); */
int error_set(struct error *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
