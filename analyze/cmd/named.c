/* Names are cut from operands, or are the operands without the slashes at their ends. */
#include "cmd/named.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"

/* A link to nowhere is there as well: it says that it was meant. */
static bool is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

/* Of a path with a slash: could it be there? */
static bool has_folder(const char *path)
{
	char *folder = xstrndup(path, (size_t)(strrchr(path, '/') - path));
	bool there = !*folder || is_there(folder);

	free(folder);
	return there;
}

/* Where the name of NAME=RUN ends; NULL: the operand is a path. */
static const char *name_end(const char *operand)
{
	const char *end = strchr(operand, '=');

	if (!end || end == operand || !end[1] || is_there(operand))
		return NULL;
	return memchr(operand, '/', (size_t)(end - operand)) && has_folder(operand) ? NULL
										    : end;
}

static void name_run(struct named *named, size_t nth, const char *operand)
{
	const char *end = name_end(operand);
	size_t len = strlen(operand);

	if (end) {
		named->name[nth] = xstrndup(operand, (size_t)(end - operand));
		named->path[nth] = end + 1;
		return;
	}
	while (len > 1 && operand[len - 1] == '/')
		len--;
	named->name[nth] = xstrndup(operand, len);
	named->path[nth] = operand;
}

/* Two of one name: the same run, or two that want other names. */
static int refuse_twins(
	const struct named *named, size_t first, size_t second, struct error *err)
{
	const char *name = named->name[second];

	if (strcmp(named->path[first], named->path[second]) == 0)
		return error_set(err,
			"%s stands twice; expected each run once, on one side", name);
	return error_set(err,
		"two runs are called %s; expected another name, as in NAME=%s", name,
		named->path[second]);
}

int named_init(struct named *named, const struct options *opt, struct error *err)
{
	named->count = (size_t)opt->operand_count;
	named->name = xcalloc(named->count, sizeof *named->name);
	named->path = xcalloc(named->count, sizeof *named->path);
	for (size_t i = 0; i < named->count; i++)
		name_run(named, i, opt->operand[i]);
	for (size_t i = 0; i < named->count; i++)
		for (size_t k = 0; k < i; k++)
			if (strcmp(named->name[i], named->name[k]) == 0)
				return refuse_twins(named, k, i, err);
	return 0;
}

void named_release(struct named *named)
{
	for (size_t i = 0; i < named->count; i++)
		free(named->name[i]);
	free(named->name);
	free(named->path);
}
