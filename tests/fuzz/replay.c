/*
 * A fuzz target as an ordinary program: runs it over files, and over every file of
 * directories. Needs no fuzzing engine; ends badly where the target does.
 */
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

#include "fuzz.h"

static int replay_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = NULL;
	size_t size = 0, cap = 0, got;
	int failed;

	if (!file) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	do {
		if (size == cap) {
			cap = cap ? cap * 2 : 65536;
			data = realloc(data, cap);
			CHECK(data);
		}
		got = fread(data + size, 1, cap - size, file);
		size += got;
	} while (got);
	failed = ferror(file);
	fclose(file);
	if (failed) {
		fprintf(stderr, "%s: can't be read\n", path);
		free(data);
		return -1;
	}
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return 0;
}

static int replay(const char *path, size_t *count)
{
	struct dirent **entries;
	struct stat st;
	int n, result = 0;

	if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)) {
		++*count;
		return replay_file(path);
	}
	n = scandir(path, &entries, NULL, alphasort);
	CHECK(n >= 0);
	for (int i = 0; i < n; i++) {
		char full[4096];

		snprintf(full, sizeof full, "%s/%s", path, entries[i]->d_name);
		if (entries[i]->d_name[0] != '.' && replay(full, count) < 0)
			result = -1;
		free(entries[i]);
	}
	free(entries);
	return result;
}

int main(int argc, char **argv)
{
	size_t count = 0;
	int failed = 0;

	for (int i = 1; i < argc; i++)
		failed |= replay(argv[i], &count) < 0;
	printf("%zu inputs\n", count);
	return failed || !count;
}
