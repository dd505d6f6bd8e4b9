/* One after the other. */
#include "base/globs.h"

#include <fnmatch.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

bool globs_match(const char *globs, const char *name)
{
	bool found = !globs;

	while (globs && !found) {
		size_t len = strcspn(globs, ",");
		char *glob = xstrndup(globs, len);

		found = fnmatch(glob, name, 0) == 0;
		free(glob);
		globs = globs[len] ? globs + len + 1 : NULL;
	}
	return found;
}
