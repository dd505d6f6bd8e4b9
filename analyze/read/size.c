/* The files that listing.c would list, and no more of them than their sizes. */
#include <dirent.h>
#include <sys/stat.h>

#include "base/text.h"
#include "read/read.h"

static uint64_t size_of_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
}

static uint64_t size_of_folder(DIR *folder, const char *path)
{
	struct strbuf file;
	struct dirent *entry;
	uint64_t size = 0;

	strbuf_init(&file);
	while ((entry = readdir(folder))) {
		if (entry->d_name[0] == '.')
			continue;
		strbuf_clear(&file);
		strbuf_addf(&file, "%s/%s", path, entry->d_name);
		size += size_of_file(file.text);
	}
	strbuf_release(&file);
	return size;
}

uint64_t read_size(const struct read_options *opt)
{
	uint64_t size = 0;

	for (size_t i = 0; i < opt->path_count; i++) {
		DIR *folder = opendir(opt->path[i]);

		size += folder ? size_of_folder(folder, opt->path[i])
			       : size_of_file(opt->path[i]);
		if (folder)
			closedir(folder);
	}
	return size;
}
