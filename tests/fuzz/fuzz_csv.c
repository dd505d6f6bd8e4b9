/*
 * Fuzz target: a line as cells. The fast way and libcsv must agree on every line without
 * quotes, and cells are trimmed pieces of the line.
 */
#include "fuzz.h"
#include "read/csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct csv_row fast, general;
	char *text = malloc(size + 1); /* exactly as long: reading beyond it is seen */
	struct span line = {text, size};

	CHECK(text);
	memcpy(text, data, size);
	fast = csv_row_new();
	general = csv_row_new();
	csv_split(&fast, line);
	csv_split_general(&general, line);
	CHECK(fast.count >= 1);
	CHECK(fast.count == general.count);
	for (size_t i = 0; i < fast.count; i++) {
		CHECK(span_equal(fast.cell[i], general.cell[i]));
		CHECK(span_equal(fast.cell[i], span_trim(fast.cell[i])));
	}
	csv_row_release(&fast);
	csv_row_release(&general);
	free(text);
	return 0;
}
