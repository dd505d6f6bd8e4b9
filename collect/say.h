/* Messages of collect to people: whole sentences on standard error, nowhere else. */
#ifndef COLLECT_SAY_H
#define COLLECT_SAY_H

/* collect's own exit statuses, those of env(1) and timeout(1). */
enum {
	EXIT_COLLECT = 125,
	EXIT_CANNOT_RUN = 126,
	EXIT_NOT_FOUND = 127
};

/*
 * Prints "collect: ", the sentence and a newline in one write, so that it stays whole
 * among the output of others. A sentence that can't be written is lost: nothing depends
 * on it.
 */
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);

#endif
