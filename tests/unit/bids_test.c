/*
 * Of no file do two formats think alike: over all files of testdata, and of the
 * recordings of other people where they are, at most one format bids most, and it is the
 * one that reads the file. Second bids are printed. Runs in the top directory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/formats.h"
#include "every_file.h"
#include "read/read_run.h"

struct seen {
	size_t files, claimed, seconds;
};

static void print_bids(const struct run_file *file)
{
	struct strbuf text;

	strbuf_init(&text);
	for (int bits = UINT8_MAX; bits > 0; bits--)
		for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
			if (file->bid[kind] == bits)
				strbuf_addf(&text, " %s %d", source_name(kind), bits);
	print_message("# %s:%s\n", file->path, text.text);
	strbuf_release(&text);
}

static void check_file(const struct run_file *file, struct seen *seen)
{
	size_t bids = 0, best = 0;
	uint8_t most = 0;

	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		bids += file->bid[kind] > 0;
		if (file->bid[kind] > most)
			most = file->bid[kind];
	}
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		best += most && file->bid[kind] == most;
	seen->files++;
	seen->claimed += most > 0;
	seen->seconds += bids > 1;
	if (bids > 1)
		print_bids(file);
	if (best > 1)
		fail_msg("%s: %zu formats bid most", file->path, best);
	if (most && file->bid[file->kind] != most)
		fail_msg("%s: not the highest bid reads it", file->path);
}

static void check_path(const char *path, void *context)
{
	struct seen *seen = context;
	const struct read_options opt = {
		.formats = log_formats(), .path = &path, .path_count = 1};
	struct reading *reading = NULL;
	struct error err;
	struct run run;

	run_init(&run, path);
	/* A file that nobody claims is an error, with all its bids. */
	if (read_survey(&reading, &run, &opt, &err) == 0)
		reading_free(reading);
	for (size_t i = 0; i < run.file_count; i++)
		check_file(&run.file[i], seen);
	run_release(&run);
}

static void expect(const struct seen *seen, size_t least)
{
	print_message("# %zu files, %zu with a bid, %zu with a second one\n", seen->files,
		seen->claimed, seen->seconds);
	assert_true(seen->claimed >= least);
}

static void testdata_has_no_ties(void **state)
{
	struct seen seen = {0};

	(void)state;
	every_file("testdata", check_path, &seen);
	expect(&seen, 100);
}

static void recordings_of_others_have_no_ties(void **state)
{
	struct seen seen = {0};

	(void)state;
	if (!every_shared_file(check_path, &seen))
		skip();
	expect(&seen, 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(testdata_has_no_ties),
		cmocka_unit_test(recordings_of_others_have_no_ties),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
