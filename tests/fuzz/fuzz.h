/*
 * What every fuzz target shares: the entry point, a check that can't be compiled out, and
 * the bytes as a file, because that is what the readers read.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Called by libFuzzer, or by replay.c for every file of a corpus. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)                                                        \
	do {                                                                    \
		if (!(condition)) {                                             \
			fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, \
				__LINE__, #condition);                          \
			abort();                                                \
		}                                                               \
	} while (0)

static char fuzz_path[64]; /* of the one file of this process; empty: none yet */

static inline void fuzz_remove_file(void)
{
	unlink(fuzz_path);
}

/* The path of a file that holds the bytes, until the next call. */
static inline const char *fuzz_file(const uint8_t *data, size_t size)
{
	FILE *file;

	if (!fuzz_path[0]) {
		int fd;

		snprintf(fuzz_path, sizeof fuzz_path, "%s/hwsummarize-fuzz.XXXXXX",
			access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
		fd = mkstemp(fuzz_path);
		CHECK(fd >= 0);
		close(fd);
		atexit(fuzz_remove_file);
	}
	file = fopen(fuzz_path, "wb");
	CHECK(file);
	CHECK(fwrite(data, 1, size, file) == size);
	CHECK(fclose(file) == 0);
	return fuzz_path;
}

#endif
