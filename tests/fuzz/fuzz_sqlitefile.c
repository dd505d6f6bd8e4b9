/*
 * Fuzz target: a database that somebody made: every table row by row, and, if it bids for
 * a kind of recording, that one through all stages.
 */
#include "pipeline.h"
#include "read/sqlitefile.h"

static void read_table(struct sqlitefile *file, const char *table, size_t size)
{
	const struct span *cell;
	struct error err;
	uint64_t rows = 0;
	int got;

	if (sqlitefile_select(file, table, &err) < 0)
		return;
	while ((got = sqlitefile_row(file, &cell, &err)) > 0) {
		for (size_t i = 0; i < sqlitefile_columns(file); i++) {
			CHECK(cell[i].at || !cell[i].len);
			CHECK(sqlitefile_column(file, i).at);
		}
		CHECK(++rows <= size);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sqlitefile *file;
	struct error err;

	/* What is packed is a matter of the target "input". */
	if (size >= 2 && data[0] == 0x1f && data[1] == 0x8b)
		return 0;
	if (sqlitefile_open(&file, fuzz_file(data, size), -1, &err) == 0) {
		for (size_t i = 0; sqlitefile_table(file, i); i++)
			read_table(file, sqlitefile_table(file, i), size);
		sqlitefile_close(file);
	} else {
		CHECK(strstr(err.message, fuzz_path));
	}
	fuzz_log(SOURCE_GPU_TRACKER, data, size);
	return 0;
}
