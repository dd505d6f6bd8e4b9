/* All files under a folder, in order, for tests that hold for whatever there is. */
#ifndef EVERY_FILE_H
#define EVERY_FILE_H

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/text.h"

typedef void file_visitor(const char *path, void *context);

static inline void every_file(const char *folder, file_visitor *visit, void *context)
{
	struct dirent **entry = NULL;
	int count = scandir(folder, &entry, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		struct strbuf path;
		struct stat st;

		strbuf_init(&path);
		strbuf_addf(&path, "%s/%s", folder, entry[i]->d_name);
		if (entry[i]->d_name[0] != '.' && stat(path.text, &st) == 0) {
			if (S_ISDIR(st.st_mode))
				every_file(path.text, visit, context);
			else if (S_ISREG(st.st_mode))
				visit(path.text, context);
		}
		strbuf_release(&path);
		free(entry[i]);
	}
	free(entry);
}

/* Those of other people's recordings; false: they are not on this machine. */
static inline bool every_shared_file(file_visitor *visit, void *context)
{
	const char *shared = getenv("SHARED");
	struct strbuf folder;
	struct stat st;
	bool there;

	strbuf_init(&folder);
	strbuf_addf(&folder, "%s/data", shared ? shared : "../shared");
	there = stat(folder.text, &st) == 0;
	if (there)
		every_file(folder.text, visit, context);
	strbuf_release(&folder);
	return there;
}

#endif
