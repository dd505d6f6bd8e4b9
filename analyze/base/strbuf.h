/*
 * A growing, always terminated byte string. strbuf_init or STRBUF_INIT, use,
 * strbuf_release. `text` is never NULL after strbuf_init and stays valid until the
 * next call that changes the buffer.
 */
#ifndef BASE_STRBUF_H
#define BASE_STRBUF_H

#include <stdbool.h>
#include <stddef.h>

struct strbuf {
	char *text;
	size_t len;
	size_t cap;
};

void strbuf_init(struct strbuf *sb);
void strbuf_release(struct strbuf *sb); /* frees; usable again after strbuf_init */
void strbuf_clear(struct strbuf *sb); /* empties, keeps the memory */
void strbuf_add(struct strbuf *sb, const char *bytes, size_t n);
void strbuf_adds(struct strbuf *sb, const char *s);
void strbuf_addc(struct strbuf *sb, char c);
void strbuf_addf(struct strbuf *sb, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* What stands before the nth of several alternatives, from 0: "", ", " or " or ". */
void strbuf_add_or(struct strbuf *sb, size_t nth, bool is_last);
char *strbuf_join(const char *const *text, size_t count); /* by spaces; to be freed */
char *strbuf_detach(struct strbuf *sb); /* the text, now the caller's to free */

#endif
