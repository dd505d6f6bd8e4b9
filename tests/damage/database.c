/*
 * A recording in an SQLite database, which has neither lines nor checksums: cut, and with
 * bytes replaced, all over the file. It is refused in a sentence, or read:
 *  - Of a file that is cut, that is said.
 *  - If nothing is said of replaced bytes, all rows are there, and the samples of one at
 *    most are others: a value is whatever its bytes are.
 */
#include <inttypes.h>
#include <stdio.h>

#include "victim.h"

#define STEP 3 /* bytes; no divisor of a page */

/* Samples of one row have one time. */
static void expect_others(struct victim *v)
{
	int64_t other_ns = INT64_MIN;

	for (size_t i = 0; i < v->now.count; i++) {
		const char *expected = outcome_record(&v->whole, i);
		const char *actual = outcome_record(&v->now, i);
		struct difference difference = record_compare(expected, actual);
		int64_t t_ns = record_number(expected, "t=");

		if (!difference.lost && !difference.changed && !difference.moved)
			continue;
		if (other_ns != INT64_MIN && other_ns != t_ns)
			victim_fail_record(v, expected, actual);
		other_ns = t_ns;
	}
}

static void test_replaced(struct victim *v)
{
	victim_read(v, v->size);
	if (!v->now.readable || v->now.damage || v->now.remarks > v->whole.remarks)
		return;
	if (v->now.rows != v->whole.rows || v->now.kind != v->whole.kind)
		victim_fail(v, "%" PRIu64 " rows of %" PRIu64 ", and that is not said",
			v->now.rows, v->whole.rows);
	else if (v->now.kind == SOURCE_GPU_TRACKER)
		expect_others(v);
}

static void test_replacements(struct victim *v, size_t at)
{
	uint8_t was = v->bytes[at];
	const uint8_t by[] = {0, 0xff, '\n', ',', was ^ 1};

	for (size_t i = 0; i < sizeof by; i++) {
		if (by[i] == was)
			continue;
		snprintf(v->what, sizeof v->what, "byte %zu replaced by 0x%02x", at,
			by[i]);
		v->bytes[at] = by[i];
		test_replaced(v);
	}
	v->bytes[at] = was;
}

size_t database_test(const char *path)
{
	struct victim victim, *v = &victim;

	victim_load(v, path);
	for (size_t at = 1; at < v->size; at += STEP) {
		test_replacements(v, at);
		snprintf(v->what, sizeof v->what, "cut after byte %zu", at);
		victim_read(v, at);
		victim_expect_damage(v, 0, "the rest is lost");
	}
	victim_unload(v);
	return v->failures;
}
