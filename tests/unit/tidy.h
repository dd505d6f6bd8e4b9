/* What every text for people keeps. Included after cmocka.h. */
#ifndef UNIT_TIDY_H
#define UNIT_TIDY_H

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "render/utf8.h"

/* Every line within the width, no blanks at its end, no control but the newline. */
static inline void assert_tidy(const char *text, size_t width)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		char *line = xstrndup(text, n);

		for (const char *c = line; *c; c++)
			if ((unsigned char)*c < 0x20 || *c == 0x7f)
				fail_msg("control byte %02x in: %s", (unsigned)*c, line);
		if (utf8_width(line) > width)
			fail_msg("wider than %zu: %s", width, line);
		if (n && line[n - 1] == ' ')
			fail_msg("blank at the end of: %s|", line);
		free(line);
		text += n;
		assert_int_equal(*text, '\n');
		text++;
	}
}

#endif
