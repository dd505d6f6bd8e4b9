/*
 * What collect prints: sentences for people, pieces of JSON, random ids. Knows nothing
 * of what they say.
 */
#ifndef COLLECT_TEXT_H
#define COLLECT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* collect's own exit statuses, those of env(1) and timeout(1). */
enum {
	EXIT_TIMEOUT = 124,
	EXIT_COLLECT = 125,
	EXIT_CANNOT_RUN = 126,
	EXIT_NOT_FOUND = 127
};

/*
 * realloc() and open_memstream() that end collect with a message if there is no memory:
 * COMMAND goes on. The caller frees the memory.
 */
void *memory_resize(void *old, size_t size);
FILE *memory_stream(char **text, size_t *size);

/*
 * Prints "collect: ", the sentence and a newline on standard error in one write, so that
 * it stays whole among the output of others. A sentence that can't be written is lost:
 * nothing depends on it.
 */
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);

/*
 * Writes text as a JSON string, or null for NULL. Arguments and file names may hold any
 * bytes, JSON text must be UTF-8: each byte that is no part of valid UTF-8 becomes
 * U+FFFD.
 */
void json_string(FILE *out, const char *text);

/* Writes a NULL-terminated list as an array of strings, or null for NULL. */
void json_strings(FILE *out, char *const *texts);

/* Writes nanoseconds as seconds, with as many decimals as are needed. */
void json_seconds(FILE *out, int64_t ns);

/*
 * Is the whole text a number by the grammar of RFC 8259, which every reader keeps? What
 * has many digits, or an exponent without a sign or point, is an id: 71e4096.
 */
bool json_is_number(const char *text);

/* Writes so many random bytes, as two digits each, and a terminator. Returns 0, or -1
 * with errno; then text is "". */
int random_id(char *text, size_t bytes);

#endif
