/*
 * Operands of commands that set runs beside one another: "A=run" is a run that is called
 * A, unless there is a file of that name, or A has a slash and there is no such run, as
 * in "runs/lr=0.1"; any other is called as it is given.
 */
#ifndef CMD_NAMED_H
#define CMD_NAMED_H

#include "cmd/options.h"

struct named {
	char **name; /* [count] owned; no two are equal */
	const char **path; /* [count] borrowed from the operands */
	size_t count;
};

/* -1: two have one name; release in either case. */
int named_init(struct named *named, const struct options *opt, struct error *err);
void named_release(struct named *named);

#endif
