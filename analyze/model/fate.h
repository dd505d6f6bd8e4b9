/*
 * How a run came to its end, as far as that keeps its numbers from standing for the work
 * that it was to do. README.md of compute/, "Comparing runs".
 */
#ifndef MODEL_FATE_H
#define MODEL_FATE_H

#include "base/text.h"

enum fate_kind {
	FATE_WHOLE, /* nothing speaks against it, or nobody knows */
	FATE_FAILED, /* its command did */
	FATE_CUT_OFF, /* nobody wrote down its end */
	FATE_KINDS
};

struct fate {
	enum fate_kind kind;
	char *how; /* "exit status 137 (SIGKILL)", "run.json has no end"; owned; NULL:
		      WHOLE */
};

const char *fate_name(enum fate_kind kind); /* "failed", "cut off"; NULL: WHOLE */
void fate_release(struct fate *fate);

/* "exit status 1", "cut off: run.json has no end": behind a run's name. */
void fate_say(struct strbuf *sb, const struct fate *fate);

#endif
