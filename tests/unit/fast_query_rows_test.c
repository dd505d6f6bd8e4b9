/*
 * Rows that are nearly those that the fast way knows, by an id, a number or a blank, are
 * read as the general way reads them.
 * longer: every pair of names
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "fast_query_fixture.h"
#include "often.h"

/* Both ways; and once more without its last newline. */
static void compare_text(const struct strbuf *text)
{
	char path[] = "/tmp/fast_query_test.XXXXXX";
	struct strbuf log;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	write_file(path, text);
	compare(path, NULL);
	strbuf_init(&log);
	strbuf_add(&log, text->text, text->len - 1);
	write_file(path, &log);
	compare(path, NULL);
	strbuf_release(&log);
	unlink(path);
}

/*
 * Ids that begin alike, that are the begin of one another, that are the same but for the
 * column between them, that a blank more or less or a comma parts; in turns, and not.
 */
static void like_ids_read_the_same(void **state)
{
	static const char *const ids[][2] = {
		{"1, GPU-11111111-aaaa", "n1"},
		{"1, GPU-11111111-aaab", "n1"},
		{"1, GPU-11111111-aaa", "n1"},
		{"11, GPU-11111111-aaaa", "n1"},
		{"1, GPU-11111111-aaaa", "n11"},
		{"1, GPU-11111111-aaaa", "n"},
		{"1,GPU-11111111-aaaa", "n1"},
		{"1,  GPU-11111111-aaaa", "n1"},
		{"1, ", "n1"},
		{"1, N/A", "n1"},
		{", GPU-11111111-aaaa", "n1"},
		{"1, GPU-11111111-aaaa", ""},
		{"1, GPU-11111111-aaaa, n1", "n1"},
		{"1, GPU-11111111-aaaa ", "n1"},
	};
	const size_t count = sizeof ids / sizeof ids[0];
	uint64_t seed = 11;

	(void)state;
	for (int i = 0; i < 20; i++) {
		struct strbuf log;

		strbuf_init(&log);
		strbuf_adds(&log,
			i % 2 ? "timestamp, index, uuid, utilization.gpu [%], hostname\n"
			      : "index, uuid, timestamp, utilization.gpu [%], host\n");
		for (size_t row = 0; row < 400; row++) {
			size_t id = i % 4 < 2 ? row % count : next_random(&seed) % count;
			char time[32];

			snprintf(time, sizeof time, "2025-03-01 10:%02zu:%02zu.%03zu",
				row / 60, row % 60, row);
			strbuf_addf(&log, "%s, %s, %zu %%, %s\n",
				i % 2 ? time : ids[id][0], i % 2 ? ids[id][0] : time,
				row % 101, ids[id][1]);
		}
		compare_text(&log);
		strbuf_release(&log);
	}
}

/* Numbers about as long as a word, with what may stand behind them; also at the end of a
 * line. */
static void numbers_of_any_length_read_the_same(void **state)
{
	static const char *const behind[] = {"", " W", " MiB", " seconds", " J", " mW",
		" W ", "W", "  W", " Wx", ".", ".5", ".25 W", ".123456", ".1234567 W",
		"..5", " W.5", "e1", "\"", "x"};
	static const char *const header = "index, timestamp, power.draw [W], "
					  "memory.used [MiB], total_energy_consumption "
					  "[mJ], utilization.gpu [%], power.limit [W]\n";
	struct strbuf log;
	size_t row = 0;

	(void)state;
	strbuf_init(&log);
	strbuf_adds(&log, header);
	for (size_t digits = 0; digits <= 21; digits++)
		for (size_t b = 0; b < sizeof behind / sizeof behind[0]; b++)
			for (int first = 0; first <= 9; first += 3, row++) {
				char number[64] = "";

				for (size_t i = 0; i < digits; i++)
					number[i] = (char)('0' + (first + (int)i) % 10);
				strcat(number, behind[b]);
				strbuf_addf(&log,
					"0, 2025-03-01 %02zu:%02zu:%02zu, %s, %s, %s, "
					"%s, %s\n",
					row / 3600, row / 60 % 60, row % 60, number,
					row % 3 ? "1 MiB" : number, number,
					row % 2 ? "5 %" : number, number);
			}
	/* 2^64 + 1, and the same in hundredths */
	strbuf_adds(&log,
		"0, 2025-03-01 11:00:00, 18446744073709551617, 18446744073709551617 MiB, "
		"18446744073709551617, 184467440737095516.17 %, 184467440737095516.17\n");
	compare_text(&log);
	strbuf_release(&log);
}

/* The first row of each batch goes the general way; a row that is refused leaves nothing.
 */
static void rows_of_many_batches_read_the_same(void **state)
{
	struct strbuf log;

	(void)state;
	strbuf_init(&log);
	strbuf_adds(&log,
		"timestamp, index, pstate, utilization.gpu [%], pcie.link.gen.max\n");
	for (int row = 0; row < 5000; row++) {
		if (row == 3000) /* behind a row that lacks a field */
			strbuf_adds(&log,
				"2025-03-01 10:00:00.500, 0, P0, 1 %\n"
				"index, timestamp, temperature.gpu\n");
		if (row >= 3000)
			strbuf_addf(&log, "%d, 2025-03-01 10:%02d:%02d.500, %s\n",
				row % 4, row / 60 % 60, row % 60,
				row % 7 ? "31" : "[N/A]");
		else
			strbuf_addf(&log,
				"2025-03-01 10:%02d:%02d.500, %d, P%d, %d %%, %s\n",
				row / 60 % 60, row % 60, row % 4, row / 1000 * 8 % 12,
				row % 101, row % 1024 ? "4" : "Enabled");
	}
	compare_text(&log);
	strbuf_release(&log);
}

/* Whether a last field was cut the row before tells, whichever way that one went. */
static void torn_last_fields_read_the_same(void **state)
{
	static const char *const last[][3] = {{"P3", "P12", "P1"}, {"P12", "P3", "P1"},
		{"17 %", "17", "1"}, {"17", "17 %", "1"}, {"[N/A]", "", "[N"},
		{"Active", "Not Active", "Not"}, {"Not Active", "Active", "Not A"}};
	static const char *const names[] = {"pstate", "utilization.gpu [%]", "index",
		"index, name", "clocks_event_reasons.sw_power_cap", "what"};

	(void)state;
	for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
		for (size_t i = 0; i < sizeof last / sizeof last[0]; i++) {
			const char *before = strchr(names[n], ',') ? "7, " : "";
			struct strbuf log;

			strbuf_init(&log);
			strbuf_addf(
				&log, "timestamp, uuid, temperature.gpu, %s\n", names[n]);
			for (int row = 0; row < 12; row++)
				strbuf_addf(&log,
					"2025-03-01 10:00:%02d, "
					"GPU-12345678-89ab-cdef-0123-456789abcdef, %d, "
					"%s%s\n",
					row, 30 + row, before,
					last[i][row == 11	       ? 2
							: row % 4 == 3 ? 1
								       : 0]);
			compare_text(&log);
			strbuf_release(&log);
		}
}

/* Cells that are names where no name should be: such a line is a header. */
static void names_in_rows_read_the_same(void **state)
{
	static const char *const cell[] = {"temperature.gpu", "power.draw [W]", "pstate",
		"timestamp", "index", "foo.bar", "nvidia-smi -l 1", "Default", "pid",
		"temperature.gpu x", "total_energy_consumption [mJ]"};
	const size_t cells = sizeof cell / sizeof cell[0];

	(void)state;
	/* 7 is prime to the 5 places and to the 11 cells. */
	for (size_t i = 0; i < 5 * cells * cells; i += (size_t)often(7, 1)) {
		const char *a = cell[i / 5 % cells], *b = cell[i / 5 / cells];
		struct strbuf log;

		strbuf_init(&log);
		strbuf_adds(
			&log, "what, timestamp, index, name, pstate, power.draw, odd\n");
		for (int row = 0; row < 12; row++) {
			strbuf_addf(&log, "x, 2025-03-01 10:00:%02d, %d, ", row, row % 2);
			if (row != 7)
				strbuf_adds(&log, "A100, P0, 20, Default\n");
			else if (i % 5 == 0)
				strbuf_addf(&log, "A100, P0, %s, %s\n", a, b);
			else if (i % 5 == 1)
				strbuf_addf(&log, "A100, %s, 20, %s\n", a, b);
			else if (i % 5 == 2)
				strbuf_addf(&log, "%s, P0, 20, %s\n", a, b);
			else if (i % 5 == 3)
				strbuf_addf(&log, "%s, P0, %s, Default\n", a, b);
			else
				strbuf_addf(&log, "A100, %s, %s, Default\n", a, b);
		}
		compare_text(&log);
		strbuf_release(&log);
	}
}

/* A number that came in the row before, and what only begins or ends like it. */
static void numbers_that_repeat_read_the_same(void **state)
{
	static const char *const cell[] = {"17", "17", "17 ", "171", "1", "17 %", "17 %",
		"17 W", "17.", "17.0", "17.0", "17.00", "", "0", "0", "00", "1234567",
		"1234567", "12345678", "1234567 %", "17\t", "17\r", "99999999999", "17\"",
		"-17", "+17", "[N/A]", "17"};
	const size_t cells = sizeof cell / sizeof cell[0];
	struct strbuf log;

	(void)state;
	for (size_t last = 0; last < cells; last++) {
		strbuf_init(&log);
		strbuf_adds(&log,
			"timestamp, temperature.gpu, utilization.gpu [%], index, "
			"utilization.memory [%], power.draw\n");
		for (size_t row = 0; row < cells * cells; row++) {
			const char *a = cell[row / cells], *b = cell[row % cells];

			strbuf_addf(&log,
				"2025-03-01 10:%02zu:%02zu, %s, %s, 0, %s, %s\n"
				"2025-03-01 10:%02zu:%02zu.5, %s, %s, 0, %s, %s\n",
				row / 60, row % 60, a, a, cell[last], a, row / 60,
				row % 60, b, b, a, b);
		}
		compare_text(&log);
		strbuf_release(&log);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(like_ids_read_the_same),
		cmocka_unit_test(numbers_of_any_length_read_the_same),
		cmocka_unit_test(rows_of_many_batches_read_the_same),
		cmocka_unit_test(torn_last_fields_read_the_same),
		cmocka_unit_test(names_in_rows_read_the_same),
		cmocka_unit_test(numbers_that_repeat_read_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
