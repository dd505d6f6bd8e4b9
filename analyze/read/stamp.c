/* The files that listing.c would list, in the order of their names. */
#include "read/stamp.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/timestamp.h"

/*
 * A file that changes again within the granularity of its clock, of two seconds on some
 * file systems, looks as it did.
 */
#define SETTLED_S 2

static bool add_file(struct strbuf *stamp, const char *name, const struct stat *st)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	strbuf_addf(stamp, "%s/%o/%lld/%lld.%09ld/%lld.%09ld/%llu\n", name,
		(unsigned)(st->st_mode & S_IFMT), (long long)st->st_size,
		(long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec,
		(long long)st->st_ctim.tv_sec, st->st_ctim.tv_nsec,
		(unsigned long long)st->st_ino);
	return now.tv_sec - st->st_ctim.tv_sec > SETTLED_S;
}

/* Of what is no file only the names count. */
static bool add_entry(struct strbuf *stamp, const char *folder, const char *name)
{
	struct strbuf path;
	struct stat st;
	bool good = true;

	if (name[0] == '.')
		return true;
	strbuf_init(&path);
	strbuf_addf(&path, "%s/%s", folder, name);
	if (stat(path.text, &st) != 0)
		good = false;
	else if (S_ISREG(st.st_mode))
		good = add_file(stamp, name, &st);
	else
		strbuf_addf(stamp, "%s/%o\n", name, (unsigned)(st.st_mode & S_IFMT));
	strbuf_release(&path);
	return good;
}

static bool add_folder(struct strbuf *stamp, const char *path)
{
	struct dirent **entry;
	int count = scandir(path, &entry, NULL, alphasort);
	bool good = count >= 0;

	for (int i = 0; i < count; i++) {
		good = good && add_entry(stamp, path, entry[i]->d_name);
		free(entry[i]);
	}
	if (count >= 0)
		free(entry);
	return good;
}

static bool add_operand(struct strbuf *stamp, const char *path)
{
	char *absolute = realpath(path, NULL);
	struct stat st;
	bool good = absolute && stat(absolute, &st) == 0;

	if (good)
		strbuf_addf(stamp, "%s\n%s\n", path, absolute);
	if (good && S_ISDIR(st.st_mode))
		good = add_folder(stamp, absolute);
	else if (good)
		good = S_ISREG(st.st_mode) && add_file(stamp, "", &st);
	free(absolute);
	return good;
}

bool read_stamp(struct strbuf *stamp, const struct read_options *opt)
{
	for (size_t i = 0; i < opt->path_count; i++)
		if (strcmp(opt->path[i], "-") == 0 || !add_operand(stamp, opt->path[i]))
			return false;
	return true;
}
