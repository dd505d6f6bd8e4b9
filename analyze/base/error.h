/*
 * What the world did to us. A function that can fail for reasons outside the
 * program takes a `struct error *` as its last parameter, leaves it untouched on
 * success, and fills it with one complete sentence (file, line, value, what was
 * expected) when it returns -1. Damage inside the data is no error: see diag.h.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

struct error {
	char message[1024]; /* without a final newline; what is longer is cut in its
				midst, between characters */
};

/* Fills the error and returns -1, so that callers write: return error_set(err, ...); */
int error_set(struct error *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
