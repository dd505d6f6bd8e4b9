/*
 * Which rows of a file are of a time that can't be, by courses written out by hand: the
 * times of its rows in seconds, with a letter for the device, and an x where one must go.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "read/bad_rows.h"

#define DAY   86400
#define BEGIN 1767225600 /* 2026-01-01 */

/* A source of rows that a text names: "a0 b0.5 x a1200 a2". */
struct text_source {
	struct sample_source source;
	const char *at;
	size_t batch_rows;
	bool snapshots;
};

static bool next_row(const char **at, uint32_t *device, double *seconds, bool *goes)
{
	char *end;

	*at += strspn(*at, " ");
	*goes = **at == 'x';
	*at += *goes;
	*at += strspn(*at, " ");
	if (!**at)
		return false;
	*device = (uint32_t)(*(*at)++ - 'a');
	*seconds = strtod(*at, &end);
	*at = end;
	return true;
}

static int text_next(
	struct sample_source *source, struct sample_batch *batch, struct error *err)
{
	struct text_source *text = (struct text_source *)source;
	uint32_t device;
	double seconds;
	bool goes;

	(void)err;
	sample_batch_clear(batch);
	batch->timed = true;
	batch->snapshots = text->snapshots;
	while (batch->rows < text->batch_rows &&
		next_row(&text->at, &device, &seconds, &goes))
		sample_batch_add(batch,
			BEGIN * NS_PER_S + (int64_t)llround(seconds * 1000) * 1000000,
			device);
	return batch->rows > 0;
}

static void text_free(struct sample_source *source)
{
	free(source);
}

/* The text again, with an x before each row that is refused. */
static void judge(struct strbuf *sb, const struct run *run, const char *rows,
	size_t batch_rows, bool snapshots)
{
	struct text_source *text = xcalloc(1, sizeof *text);
	struct bad_times times = {.seen = false};
	struct sample_batch batch;
	struct ahead ahead;
	struct error err;
	int64_t from_ns;

	*text = (struct text_source){{text_next, text_free}, rows, batch_rows, snapshots};
	ahead_init(&ahead, &text->source);
	sample_batch_init(&batch);
	strbuf_clear(sb);
	while (ahead_next(&ahead, &batch, &err) > 0)
		for (size_t row = 0; row < batch.rows; row++) {
			bool goes = bad_time(&times, run, &ahead, &batch, row, &from_ns);

			if (!goes)
				bad_time_pass(&times, &batch, row);
			strbuf_addf(sb, "%s%s%c%g", sb->len ? " " : "", goes ? "x " : "",
				(int)('a' + batch.device[row]),
				(double)(batch.t_ns[row] - BEGIN * NS_PER_S) / 1e9);
		}
	sample_batch_release(&batch);
	ahead_release(&ahead);
	bad_times_release(&times);
}

/* Wherever batches end. */
static void expect_in(const struct run *run, const char *rows, bool snapshots)
{
	struct strbuf sb;

	strbuf_init(&sb);
	for (size_t batch_rows = 8; batch_rows <= 40; batch_rows++) {
		judge(&sb, run, rows, batch_rows, snapshots);
		assert_string_equal(sb.text, rows);
	}
	strbuf_release(&sb);
}

static void expect(const char *rows)
{
	struct run run = {.started_ns = TIME_NONE, .ended_ns = TIME_NONE};

	expect_in(&run, rows, false);
}

/* started_s, ended_s: what run.json says. */
static void expect_within(double started_s, double ended_s, const char *rows)
{
	struct run run = {.started_ns = BEGIN * NS_PER_S + (int64_t)(started_s * 1e9),
		.ended_ns = BEGIN * NS_PER_S + (int64_t)(ended_s * 1e9)};

	expect_in(&run, rows, false);
}

static void one_digit(void **state)
{
	(void)state;
	expect("a0 a1 a2 a3 a4 x a1205 a6 a7 a8");
	expect("a0 a1 a2 a3 a4 x a-1195 a6 a7 a8");
	expect("a0 a1 x a1202 a3 a4");
	/* the first, where the log begins; the second; the last */
	expect("x a1200 a1 a2 a3 a4");
	expect("x a-1.7672e+09 a1 a2 a3 a4");
	expect("a0 x a1201 a2 a3 a4");
	expect("a0 x a-1200 a2 a3 a4");
	expect("a0 a1 a2 a3 x a-1196");
	expect("a0 a1 a2 a3 x a2.3e+09");
	expect("a0 a1 a2 x a1203 a4");
	/* behind a gap, and before one */
	expect("a0 a1 a2 a3 x a1203 a104 a105 a106");
	expect("a0 a1 a2 a3 a103 x a1304 a105 a106");
	expect("a0 a1 a2 a3 x a1204 a105 a106 a107");
}

static void several(void **state)
{
	(void)state;
	expect("a0 a1 a2 x a1203 x a-5000 a5 a6 a7");
	expect("a0 a1 x a1202 a3 x a-5000 a5 x a9006 a7 a8");
	/* steps in turns */
	expect("a0 a1 a4 a5 x a1208 a9 a12 a13");
	expect("a0 a1 a4 x a1205 a8 a9 a12 a13");
	/* seldom: the step says what is far */
	expect("a0 a60 a120 x a4180 a240 a300");
	expect("a0 a60 a120 a700 a760 a820");
}

static void several_devices(void **state)
{
	(void)state;
	expect("a0 b0.01 x a1201 b1.01 a2 b2.01 a3 b3.01");
	expect("a0 b0.01 a1 b1.01 x a1202 b2.01");
	expect("x a1200 b0.01 a1 b1.01 a2 b2.01");
	expect("a0 x b-1200 a1 b1.01 a2 b2.01");
	/* a process that is listed once; hosts whose clocks differ */
	expect("a0 x c1200 a1 b1.01 a2 b2.01");
	expect("a0 b30 a1 b31 a2 b32 a3 b33");
	expect("a0 b30 c-40 d90 e500 a1 b31 c-39 d91 e501 a2 b32 c-38 d92 e502");
}

/*
 * Beside the true row of its time: by three steps, and 2 s more than one, less half a
 * step. At 1 Hz that is 2.5 s from the rows that stand beside it, at 2 Hz 2.25 s.
 */
static void out_of_order(void **state)
{
	(void)state;
	expect("a0 a1 a2 a3 a4 a5 a6 x a2 a8 a9 a10");
	expect("a0 a1 a2 x a7 a4 a5 a6 a7 a8 a9");
	expect("a0 a1 a2 x a13 a4 a5 a6 a7 a8 a9 a10 a11 a12 a13 a14");
	expect("a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 x a1 a12 a13 a14");
	expect("a0.02 a1.01 a2 x a6.99 a4.02 a5 a6.01 a7.02 a8");
	expect("a0 x a-9 a2 a3 a4 a5");
	expect("a0 a1 a2 a3 a4 x a9 a6");
	/* two, by different amounts */
	expect("a0 a1 a2 x a7 a4 a5 a6 a7 a8 a9 x a2 a11 a12");
	/* the least, and what is less */
	expect("a0 a1 a2 a3 a4 a5 x a2.4 a7 a8 a9");
	expect("a0 a1 a2 a3 a4 a5 a2.6 a7 a8 a9");
	expect("a0 a0.5 a1 a1.5 a2 a2.5 x a0.2 a3.5 a4 a4.5");
	expect("a0 a0.5 a1 a1.5 a2 a2.5 a0.3 a3.5 a4 a4.5");
	/* every minute: by 3 minutes less half a one */
	expect("a0 a60 a120 a180 a240 x a60 a360 a420 a480");
	expect("a0 b0.01 a1 b1.01 a2 b2.01 a3 x b-2.99 a4 b4.01 a5 b5.01 a6 b6.01");
	/* the place of a row that is late, and at once that of another one, is empty */
	expect("a0 a1 a2 a4 a5 a6 a7 a3 a9 a10");
	expect("a0 a1 a2 a4 a5 a6 a7 x a1 a9 a10");
	expect("a1 a2 a3 a4 a0 a6 a7 a8");
	/* its own place is not; or a pause */
	expect("a0 a1 a2 a3 a4 a5 a1 a6 a7 a8");
	expect("a0 a1 a2 a3 a4 a5 a1 a20 a21 a22");
	/* at the ends the clock may have been set */
	expect("a0 a1 a2 a3 a4 a5 a1");
	expect("a6 a1 a2 a3 a4 a5");
	/* a clock that is set back, ahead, ahead and back; for one row of each */
	expect("a0 a1 a2 a3 a-2 a-1 a0 a1 a2 a3 a4");
	expect("a0 a1 a2 a3 a9 a10 a11");
	expect("a0 a1 a2 a3 a9 a10 a6 a7 a8");
	expect("a0 b0.01 a1 b1.01 a2 b2.01 a-2 b-1.99 a4 b4.01 a5 b5.01");
	/* two recorders, of which one waits for the other, whose clock is 9 s behind */
	expect("a0 a1 a2 a3 a4 a-4 a6 a7 a8 a9 a10 a2 a12 a13");
	expect("a0 a1 a2 a3 a-5 a4 a5 a6 a7 a8 a9 a1 a11 a12");
}

/* Nothing of these is wrong with the row. */
static void good_rows(void **state)
{
	(void)state;
	/* gaps, clocks that are set for good, a pause at either end */
	expect("a0 a1 a2 a1000 a1001 a1002");
	expect("a0 a1 a2 a-1000 a-999 a-998");
	expect("a0 a1 a2 a-1000 a-999");
	expect("a0 a1000 a1001 a1002");
	expect("a0 a1 a2 a1000");
	expect("a0 b0.01 a1 b1.01 a2 b1202.01");
	expect("a0 a1 a2 a1000 a2000 a3000");
	expect("a0 a1000");
	expect("a0 a100000");
	expect("a1000 a0");
	/* once a day */
	expect("a0 a86400 a172800 a259200 a345600 a864000");
	/* late rows, which fill the holes that they left */
	expect("a0 a1 a2 a4 a5 a6 a7 a8 a9 a10 a11 a12 a13 a14 a15 a3 a16 a17");
	expect("a0 a1 a2 a3 a4 a5 a6 a40 a41 a18 a43 a44");
	expect("a0 a1 a2 a3 a4 a5 a6 a40 a41 a18");
	/* two recorders, of whose clocks one is 1000 s ahead, and of steps that differ */
	expect("a0 a1000.5 a1 a1001.5 a2 a1002.5 a3 a1003.5");
	expect("a0 a-29 a2 a-27 a4 a-25 a6 a-23");
	expect("a0 a2 a4 a-31 a6 a8 a10 a12 a14.5 a-21 a18 a20 a22 a24 a-11 a26");
	/* all of a round, and then the machine slept */
	expect("a0 b0.01 c0.02 a200000 b200000 c200000 a200001 b200001 c200001");
}

static void manifest(void **state)
{
	(void)state;
	expect_within(0, 5, "a0 a1 a2 a3 a4 x a1200");
	expect_within(0, 5, "a0 a1 a2 a3 a4 a40");
	expect_within(0, 1500, "a0 a1 a2 a3 a4 a1200");
	expect_within(0, 5, "x a-1200 a1 a2 a3 a4");
	expect_within(-1300, 5, "a-1200 a1 a2 a3 a4");
	expect_within(-200000, 5, "a-200000 a1 a2 a3 a4");
	expect_within(0, 5, "a0 x a1200");
	/* its clock is another one, or of another zone */
	expect_within(7200, 7205, "a0 a1 a2 a3 a4 a1200");
}

/* The rows of a snapshot have their time from one line. */
static void snapshots(void **state)
{
	const char *rows = "a0 b0 c0 a1 b1 c1 x a1202 x b1202 x c1202 a3 b3 c3 a4 b4 c4";
	struct run run = {.started_ns = TIME_NONE, .ended_ns = TIME_NONE};

	(void)state;
	expect_in(&run, rows, true);
	expect_in(&run, "a0 b0 a1 b1 a2 b2 a3 b3 a4 b4 a5 b5 x a1 x b1 a7 b7 a8 b8 a9 b9",
		true);
	/* several rows that say so, each by itself, are right */
	expect("a0 b0 c0 a1 b1 c1 a1202 b1202 c1202 a3 b3 c3 a4 b4 c4");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_digit),
		cmocka_unit_test(several),
		cmocka_unit_test(several_devices),
		cmocka_unit_test(out_of_order),
		cmocka_unit_test(good_rows),
		cmocka_unit_test(manifest),
		cmocka_unit_test(snapshots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
