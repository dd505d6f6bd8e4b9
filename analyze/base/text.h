/*
 * Text: growing strings (strbuf), borrowed pieces of text (span), and UTF-8.
 *
 * A strbuf is always terminated. Use strbuf_init or strbuf_new first, strbuf_release at
 * the end. `text` is never NULL after that and stays valid until the next call that
 * changes the buffer; that of an empty one is not to be written to. A zeroed one is
 * empty, too; its `text` is NULL until something is added, or it is cleared.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct strbuf {
	char *text;
	size_t len;
	size_t cap;
};

struct strbuf strbuf_new(void); /* an empty one, for a declaration */
void strbuf_init(struct strbuf *sb); /* the same, later */
void strbuf_release(struct strbuf *sb); /* frees; usable again after strbuf_init */
void strbuf_clear(struct strbuf *sb); /* empties, keeps the memory */
void strbuf_cut(struct strbuf *sb, size_t len); /* to its first bytes */
void strbuf_drop(struct strbuf *sb, size_t n); /* its first bytes */
void strbuf_add(struct strbuf *sb, const char *bytes, size_t n);
void strbuf_adds(struct strbuf *sb, const char *s);
void strbuf_addc(struct strbuf *sb, char c);
void strbuf_addf(struct strbuf *sb, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void strbuf_vaddf(struct strbuf *sb, const char *format, va_list ap)
	__attribute__((format(printf, 2, 0)));

/* What stands before the nth of several alternatives, from 0: "", ", " or " or ". */
void strbuf_add_or(struct strbuf *sb, size_t nth, bool is_last);
/* Appends a file, at most max bytes and some; -1: errno says why not. */
int strbuf_read(struct strbuf *sb, FILE *file, size_t max);
char *strbuf_join(const char *const *text, size_t count); /* by spaces; to be freed */
char *strbuf_detach(struct strbuf *sb); /* the text, now the caller's to free */

/*
 * A span is a borrowed, unterminated piece of text. It is valid as long as the buffer
 * that it points into; the function that returns a span names that buffer.
 */

struct span {
	const char *at;
	size_t len;
};

bool text_equal(const char *a, const char *b); /* NULL is equal to NULL alone */

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

struct span span_of(const char *s); /* the whole of a string; s outlives it */
struct span strbuf_span(const struct strbuf *sb); /* the whole, until it changes */
#define SPAN_NONE ((struct span){NULL, 0})
struct span span_trim(struct span s); /* without blanks, tabs and CR at both ends */
bool span_is(struct span s, const char *word); /* equal to the bytes of word */
bool span_is_nocase(struct span s, const char *word); /* ASCII case ignored */
bool span_begins(struct span s, const char *prefix);
bool span_has_nocase(struct span s, const char *part); /* anywhere in it */
bool span_equal(struct span a, struct span b);
bool span_is_text(struct span s); /* printable ASCII only; an empty one is */

/* FNV-1a of s behind what `hash` is of; SPAN_HASH is of nothing. */
#define SPAN_HASH 0xcbf29ce484222325u
uint64_t span_hash(struct span s, uint64_t hash);

/* Cuts the next word (separated by blanks and tabs) from *rest; len 0: none left. */
struct span span_word(struct span *rest);

/* Bytes that should be UTF-8: names and messages from outside the program. */

#define UTF8_INVALID (-1)

/* Bytes of the next character (1 for a byte that is not UTF-8: *point UTF8_INVALID). */
size_t utf8_read(const char *s, int32_t *point); /* s[0] != 0 */

bool utf8_is_valid(const char *s);

/* Bytes of the character at a place that can be printed as it is; 0: it can't. */
size_t utf8_printable(struct span s, size_t at);

/* Appends s with U+FFFD for every byte that is not UTF-8; all else as it is. */
void utf8_repair(struct strbuf *sb, const char *s);

#endif
