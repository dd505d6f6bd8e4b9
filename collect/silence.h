/*
 * How long a program that loops may say nothing before that is told, and before it is
 * taken for one that hangs. This room must not know what the program is, nor what is done
 * to it.
 */
#ifndef COLLECT_SILENCE_H
#define COLLECT_SILENCE_H

#include <stdbool.h>
#include <stdint.h>

struct silence {
	int64_t interval_ns; /* from one thing that it says to the next */
	int64_t patience_ns; /* how much longer the first one may take */
	bool quiet; /* there may be nothing to say */
	int64_t heard_ns; /* when it was started, or last said something */
	int64_t longest_ns; /* that it took to go on so far */
	bool spoke; /* it has said something */
	bool told; /* of this silence */
};

/* It was started just now. */
void silence_begin(struct silence *silence);

/* It says something, or is seen to go on. Returns whether a silence ends that was told.
 */
bool silence_break(struct silence *silence, bool spoke);

/* When the silence is to be told or, where it was, shows that it hangs. */
int64_t silence_ends_ns(const struct silence *silence);

#endif
