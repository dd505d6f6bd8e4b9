/* What of the circumstances of a comparison's runs differs, in words. */
#ifndef RENDER_NOT_ALIKE_H
#define RENDER_NOT_ALIKE_H

#include "base/text.h"
#include "model/comparison.h"

/* "550.54 or 555.42 -> 570.86": the base, and the new runs; without sides all runs. */
void not_alike_say(struct strbuf *text, const struct comparison *comparison,
	const struct difference *difference);

/* "driver: 550.54 -> 570.86; GPUs: ...": all that differs; nothing: nothing does. */
void not_alike_say_all(struct strbuf *text, const struct comparison *comparison);

#endif
