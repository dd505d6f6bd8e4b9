/*
 * What went wrong during a recording, said in one line at its end.
 * This room knows nothing of recorders.
 */
#ifndef COLLECT_TROUBLES_H
#define COLLECT_TROUBLES_H

struct troubles {
	char first[4608]; /* a path and a sentence */
	unsigned count;
};

__attribute__((format(printf, 2, 3))) void troubles_add(
	struct troubles *troubles, const char *format, ...);

/* Says the first, and how many more there are; nothing where there is none. */
void troubles_say(const struct troubles *troubles);

#endif
