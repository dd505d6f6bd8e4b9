/* Cells, and rows of cells: what every reader is made of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "read/cells.h"
#include "read/csv.h"

#define MIB 1048576

static const struct {
	const char *cell;
	enum unit unit;
	int64_t per_unit;
	enum cell_result result;
	int64_t value;
} cells[] = {
	/* bare numbers are in the column's unit */
	{"75.5", UNIT_WATT, 1000000, CELL_VALUE, 75500000},
	{"-3", UNIT_CELSIUS, 1000000, CELL_VALUE, -3000000},
	{".25", UNIT_PERCENT, 1000000, CELL_VALUE, 250000},
	{"512", UNIT_MIB, MIB, CELL_VALUE, 512LL * MIB},
	{"1", UNIT_NONE, 1000000, CELL_VALUE, 1000000},
	/* every unit, with and without a blank */
	{"75.50 W", UNIT_WATT, 1000000, CELL_VALUE, 75500000},
	{"75.50W", UNIT_WATT, 1000000, CELL_VALUE, 75500000},
	{"75500 mW", UNIT_WATT, 1000000, CELL_VALUE, 75500000},
	{"50 %", UNIT_PERCENT, 1000000, CELL_VALUE, 50000000},
	{"50%", UNIT_PERCENT, 1000000, CELL_VALUE, 50000000},
	{"81559 MiB", UNIT_MIB, MIB, CELL_VALUE, 81559LL * MIB},
	{"100 MB", UNIT_MIB, MIB, CELL_VALUE, 100LL * MIB},
	{"512 KiB", UNIT_MIB, MIB, CELL_VALUE, MIB / 2},
	{"1.5 GiB", UNIT_MIB, MIB, CELL_VALUE, 1536LL * MIB},
	{"1980 MHz", UNIT_MHZ, 1000000, CELL_VALUE, 1980000000},
	{"1.98 GHz", UNIT_MHZ, 1000000, CELL_VALUE, 1980000000},
	{"41 C", UNIT_CELSIUS, 1000000, CELL_VALUE, 41000000},
	{"12 MB/s", UNIT_MIB_PER_S, MIB, CELL_VALUE, 12LL * MIB},
	{"12 MiB/s", UNIT_MIB_PER_S, MIB, CELL_VALUE, 12LL * MIB},
	/* a unit of another kind, unknown, or alone */
	{"75 W", UNIT_MHZ, 1000000, CELL_UNREADABLE, 0},
	{"75 W/s", UNIT_WATT, 1000000, CELL_UNREADABLE, 0},
	{"75 kW", UNIT_WATT, 1000000, CELL_VALUE, 75000000000},
	{"W", UNIT_WATT, 1000000, CELL_UNREADABLE, 0},
	{"MiB", UNIT_MIB, MIB, CELL_UNREADABLE, 0},
	{"15-39", UNIT_WATT, 1000000, CELL_UNREADABLE, 0},
	{"12,5 W", UNIT_WATT, 1000000, CELL_UNREADABLE, 0},
	{"Enabled", UNIT_PERCENT, 1000000, CELL_UNREADABLE, 0},
	/* as much as is believed */
	{"100000000", UNIT_WATT, 1000000, CELL_VALUE, 100000000000000},
	{"-1e8 W", UNIT_WATT, 1000000, CELL_VALUE, -100000000000000},
	{"100000000.1", UNIT_WATT, 1000000, CELL_UNREADABLE, 0},
	{"97656.3 GiB", UNIT_MIB, MIB, CELL_UNREADABLE, 0},
	{"1e300", UNIT_WATT, 1000000, CELL_UNREADABLE, 0},
	/* all spellings of "not available" */
	{"", UNIT_WATT, 1000000, CELL_MISSING, 0},
	{"-", UNIT_WATT, 1000000, CELL_MISSING, 0},
	{"N/A", UNIT_WATT, 1000000, CELL_MISSING, 0},
	{"n/a", UNIT_WATT, 1000000, CELL_MISSING, 0},
	{"[N/A]", UNIT_WATT, 1000000, CELL_MISSING, 0},
	{"[Not Supported]", UNIT_WATT, 1000000, CELL_MISSING, 0},
	{"Not Supported", UNIT_WATT, 1000000, CELL_MISSING, 0},
	{"[Unknown Error]", UNIT_WATT, 1000000, CELL_MISSING, 0},
	{"Unknown Error", UNIT_WATT, 1000000, CELL_MISSING, 0},
	{"[GPU is lost]", UNIT_WATT, 1000000, CELL_MISSING, 0},
	{"[GPU requires reset]", UNIT_WATT, 1000000, CELL_MISSING, 0},
	{"[Function Not Found]", UNIT_WATT, 1000000, CELL_MISSING, 0},
	{"[Insufficient Permissions]", UNIT_WATT, 1000000, CELL_MISSING, 0},
	{"[Requested functionality has been deprecated]", UNIT_MHZ, 1000000, CELL_MISSING,
		0},
	{"[12 W]", UNIT_WATT, 1000000, CELL_MISSING, 0},
	{"None", UNIT_WATT, 1000000, CELL_MISSING, 0},
	{"null", UNIT_WATT, 1000000, CELL_MISSING, 0},
	{"nan", UNIT_WATT, 1000000, CELL_MISSING, 0},
	{"ERR!", UNIT_WATT, 1000000, CELL_MISSING, 0},
	{"Not Found", UNIT_WATT, 1000000, CELL_MISSING, 0},
	{"Not Available", UNIT_WATT, 1000000, CELL_MISSING, 0},
	{"Unknown", UNIT_WATT, 1000000, CELL_MISSING, 0},
};

static void cells_known_answers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
		int64_t value = 0;
		enum cell_result result = cell_read(span_of(cells[i].cell), cells[i].unit,
			cells[i].per_unit, cells[i].per_unit, &value);

		if (result != cells[i].result ||
			(result == CELL_VALUE && value != cells[i].value))
			fail_msg("'%s': %d, %lld", cells[i].cell, result,
				(long long)value);
	}
}

/* The header's unit is what a bare number stands for; a cell's own unit wins. */
static void units_of_headers(void **state)
{
	int64_t bare = 0, value = 0;

	(void)state;
	assert_true(
		cell_header_unit(span_of("power.draw [mW]"), UNIT_WATT, 1000000, &bare));
	assert_int_equal(bare, 1000);
	assert_int_equal(cell_read(span_of("60000"), UNIT_WATT, 1000000, bare, &value),
		CELL_VALUE);
	assert_int_equal(value, 60000000);
	assert_int_equal(cell_read(span_of("60.50 W"), UNIT_WATT, 1000000, bare, &value),
		CELL_VALUE);
	assert_int_equal(value, 60500000);
	assert_true(
		cell_header_unit(span_of("power.draw [W]"), UNIT_WATT, 1000000, &bare));
	assert_int_equal(bare, 1000000);
	assert_true(cell_header_unit(span_of("power.draw"), UNIT_WATT, 1000000, &bare));
	assert_int_equal(bare, 1000000);
	assert_true(
		cell_header_unit(span_of("power.draw [kW]"), UNIT_WATT, 1000000, &bare));
	assert_int_equal(bare, 1000000000);
	assert_false(
		cell_header_unit(span_of("power.draw [MW]"), UNIT_WATT, 1000000, &bare));
	/* as GPU-Z writes where there is no unit */
	assert_true(
		cell_header_unit(span_of("power.draw []"), UNIT_WATT, 1000000, &bare));
	assert_int_equal(bare, 1000000);
	assert_false(
		cell_header_unit(span_of("memory.used [W]"), UNIT_MIB, 1048576, &bare));
}

static void names_without_units(void **state)
{
	static const char *const names[][2] = {{"power.draw [W]", "power.draw"},
		{"memory.used [MiB]", "memory.used"}, {"fan.speed[%]", "fan.speed"},
		{"temperature.gpu", "temperature.gpu"}, {"[W]", ""},
		{"a [b] [c]", "a [b]"}, {"power.draw@1 [W]", "power.draw"},
		{"power.draw@1", "power.draw"}, {"", ""}};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		assert_true(span_is(cell_strip_unit(span_of(names[i][0])), names[i][1]));
}

/* Cells are separated by '|' here. */
static const struct {
	const char *line, *cells;
} rows[] = {
	{"2025/03/01 10:00:00.000, 0, 50 %, [N/A]",
		"2025/03/01 10:00:00.000|0|50 %|[N/A]"},
	{"", ""},
	{" \t ", ""},
	{",", "|"},
	{"a,", "a|"},
	{" a b ,\tc\t, d\r", "a b|c|d"},
	{"a\rb,c", "a\rb|c"},
	{"\"a, b\",c", "a, b|c"},
	{"\"say \"\"no\"\"\",2", "say \"no\"|2"},
	{"\"['N/A', 'N/A']\", 7", "['N/A', 'N/A']|7"},
	{"\"\",\" x \"", "|x"},
	{"1,\"open, end", "1|open, end"},
};

static void rows_known_answers(void **state)
{
	struct csv_row row;

	(void)state;
	row = csv_row_new();
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const char *expected = rows[i].cells;

		csv_split(&row, span_of(rows[i].line));
		for (size_t c = 0; c < row.count; c++) {
			size_t len = strcspn(expected, "|");

			assert_true(
				span_equal(row.cell[c], (struct span){expected, len}));
			expected += len;
			assert_int_equal(*expected, c + 1 < row.count ? '|' : '\0');
			expected += c + 1 < row.count;
		}
	}
	csv_row_release(&row);
}

/* On lines without quotes the fast way and libcsv agree, whatever the bytes. */
static void both_ways_agree(void **state)
{
	static const char alphabet[] = "a0.,, \t\r\n\0\xff[";
	struct csv_row fast, general;
	uint64_t seed = 42;

	(void)state;
	fast = csv_row_new();
	general = csv_row_new();
	for (int i = 0; i < 20000; i++) {
		char text[24];
		struct span line = {text, (size_t)i % sizeof text};

		for (size_t c = 0; c < line.len; c++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			text[c] = alphabet[(seed >> 33) % (sizeof alphabet - 1)];
		}
		csv_split(&fast, line);
		csv_split_general(&general, line);
		assert_int_equal(fast.count, general.count);
		for (size_t c = 0; c < fast.count; c++)
			assert_true(span_equal(fast.cell[c], general.cell[c]));
	}
	csv_row_release(&fast);
	csv_row_release(&general);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_known_answers),
		cmocka_unit_test(units_of_headers),
		cmocka_unit_test(names_without_units),
		cmocka_unit_test(rows_known_answers),
		cmocka_unit_test(both_ways_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
