/*
 * Damages a log byte by byte and reads what is left: damage LOG...
 *
 * The log itself must be sound. What a line gives is found out by cutting the log at line
 * ends: given[k] records by the first k lines. A line that gives none is a header, a line
 * of units, or of no interest. Lines that are worth nothing without one another are one
 * unit: a snapshot of a file of the kernel with its marker, all of run.json.
 *
 * Cut after every byte:
 *  - The records of the lines before the cut are there, unchanged.
 *  - The torn line gives what the whole one would give, or less: fields may be missing,
 *    none is another. What is lost is said as damage, unless only blanks were left of it.
 *    (A record of many lines, a snapshot of /proc/meminfo, is torn with any of them.)
 *
 * Every byte replaced by NUL, 0xff, newline and comma:
 *  - Where a unit with records is touched, the records of all others are there,
 * unchanged. Its own may be gone, or miss a field, which is said as damage. No field
 * becomes another, but the one that a newline cuts. (A replaced newline touches two
 * units.)
 *  - Where a header or units are touched, records may be gone, miss fields, or lose the
 *    column that says when or about what they are, or which kind of log it is; that is
 *    said, as damage or as a remark. No value becomes another, in any record.
 *  - Text is text: of an event that is touched any field may be another; of run.json one
 *    record may be another or gone; if more is gone, that is said as damage. In an MLPerf
 *    log, what stands before an object may be any text, and what comes behind it too.
 */
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "fuzz.h"
#include "outcome.h"

#define FAILURES_SHOWN 10

struct victim {
	const char *path;
	uint8_t *bytes; /* [size + 1] */
	size_t size;
	size_t *end; /* [lines + 1] where the first k lines end; end[0]: 0 */
	size_t *given; /* [lines + 1] */
	size_t *unit; /* [lines] the unit that line k + 1 belongs to */
	size_t *begin; /* [units + 1] of records: those of unit u are [begin[u],
			  begin[u+1]) */
	uint64_t *damage; /* [lines + 1] said of the first k lines */
	size_t lines;
	struct outcome whole;
	struct outcome now; /* of the damaged log */
	size_t failures;
	char what[64]; /* is done to it just now */
};

static void fail(struct victim *v, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void fail(struct victim *v, const char *format, ...)
{
	va_list ap;

	if (v->failures++ >= FAILURES_SHOWN)
		return;
	printf("# %s: %s: ", v->path, v->what);
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	printf(" (said: %s)\n", v->now.said.text);
}

/* Both records, with their fields parted by blanks. */
static void fail_record(struct victim *v, const char *expected, const char *actual)
{
	struct strbuf text;

	strbuf_init(&text);
	strbuf_addf(&text, "expected %s; found %s", expected, actual);
	for (size_t i = 0; i < text.len; i++)
		if (text.text[i] < ' ')
			text.text[i] = ' ';
	fail(v, "%s", text.text);
	strbuf_release(&text);
}

static void read_bytes(struct victim *v, size_t size)
{
	outcome_read(&v->now, fuzz_file(v->bytes, size));
}

/* The order of the fields means nothing. */
static bool is_same(const char *expected, const char *actual)
{
	struct difference difference = record_compare(expected, actual);

	return !difference.lost && !difference.changed && !difference.moved;
}

/* Records [from, to) of the damaged log are those of the whole from `at` on. */
static void expect_same(struct victim *v, size_t from, size_t to, size_t at)
{
	for (size_t i = from; i < to; i++) {
		const char *expected = outcome_record(&v->whole, at + i - from);
		const char *actual = outcome_record(&v->now, i);

		if (!is_same(expected, actual)) {
			fail_record(v, expected, actual);
			return;
		}
	}
}

static void expect_damage(struct victim *v, uint64_t before, const char *lost)
{
	if (v->now.readable && v->now.damage <= before)
		fail(v, "%s, and that is not said", lost);
}

static void load(struct victim *v, const char *path)
{
	FILE *file = fopen(path, "rb");
	size_t cap = 0;
	int c;

	*v = (struct victim){.path = path};
	CHECK(file);
	while ((c = getc(file)) != EOF) {
		ALLOC_GROW(v->bytes, v->size + 1, cap);
		v->bytes[v->size++] = (uint8_t)c;
	}
	fclose(file);
	CHECK(v->size && v->bytes[v->size - 1] == '\n');
	outcome_init(&v->whole);
	outcome_init(&v->now);
	outcome_read(&v->whole, path);
	v->end = xcalloc(v->size + 1, sizeof *v->end);
	v->unit = xcalloc(v->size + 1, sizeof *v->unit);
	v->begin = xcalloc(v->size + 2, sizeof *v->begin);
	v->given = xcalloc(v->size + 1, sizeof *v->given);
	v->damage = xcalloc(v->size + 1, sizeof *v->damage);
	for (size_t i = 0; i < v->size; i++)
		if (v->bytes[i] == '\n')
			v->end[++v->lines] = i + 1;
}

/* Whether line k + 1 begins a unit. */
static bool begins_unit(const struct victim *v, size_t k)
{
	if (v->whole.kind == SOURCE_MANIFEST)
		return k == 0;
	return !(v->whole.kind == SOURCE_PROC_STAT || v->whole.kind == SOURCE_MEMINFO) ||
		v->bytes[v->end[k]] == '#';
}

static void unload(struct victim *v)
{
	outcome_release(&v->whole);
	outcome_release(&v->now);
	free(v->bytes);
	free(v->end);
	free(v->given);
	free(v->unit);
	free(v->begin);
	free(v->damage);
}

/* Records that the first k lines give for good: further ones add nothing to them. */
static size_t count_closed(const struct victim *v, size_t k)
{
	bool open = v->whole.kind == SOURCE_MEMINFO && k;

	return open ? v->begin[v->unit[k - 1]] : v->given[k];
}

/* Record i of a log that ends early against that of the whole; before: said earlier. */
static void expect_start(struct victim *v, size_t i, bool torn, uint64_t before)
{
	const char *expected = outcome_record(&v->whole, i);
	const char *actual = outcome_record(&v->now, i);
	struct difference difference = record_compare(expected, actual);

	if (difference.changed || difference.moved)
		fail_record(v, expected, actual);
	if (difference.lost && torn)
		expect_damage(v, before, "a field is lost");
}

/* Learns what each line gives, whatever comes behind it; the tests below stand on that.
 */
static void test_sound(struct victim *v)
{
	snprintf(v->what, sizeof v->what, "undamaged");
	if (!v->whole.readable || v->whole.damage || !v->whole.count)
		fail(v, "it must be sound: %s", v->whole.said.text);
	for (size_t k = 1; k <= v->lines; k++) {
		bool begins = begins_unit(v, k - 1);

		v->unit[k - 1] = k > 1 ? v->unit[k - 2] + begins : 0;
		if (begins)
			v->begin[v->unit[k - 1]] = v->given[k - 1];
		v->begin[v->unit[k - 1] + 1] = v->whole.count;
		snprintf(v->what, sizeof v->what, "the first %zu lines", k);
		read_bytes(v, v->end[k]);
		v->given[k] = v->now.count;
		v->damage[k] = v->now.damage;
		expect_same(v, 0, count_closed(v, k), 0);
		for (size_t i = count_closed(v, k); i < v->now.count; i++)
			expect_start(v, i, false, 0);
		if (v->now.count < v->given[k - 1])
			fail(v, "a line takes records away");
	}
}

static bool is_blank(const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (bytes[i] != ' ' && bytes[i] != '\t')
			return false;
	return true;
}

/* Before the object of line k + 1 of an MLPerf log, which nobody may know for one then.
 */
static bool is_before_object(const struct victim *v, size_t at, size_t k)
{
	const uint8_t *line = v->bytes + v->end[k];

	return v->whole.kind == SOURCE_MLLOG && !memchr(line, '{', at - v->end[k]);
}

/* Cut in line k + 1, of which there are some bytes. */
static void test_cut(struct victim *v, size_t cut, size_t k)
{
	size_t before = v->given[k], of_line = v->given[k + 1] - before;

	snprintf(v->what, sizeof v->what, "cut after byte %zu", cut);
	read_bytes(v, cut);
	if (v->now.count < before || v->now.count > before + of_line) {
		fail(v, "%zu records; expected %zu, and at most %zu of the torn line",
			v->now.count, before, of_line);
		return;
	}
	expect_same(v, 0, count_closed(v, k), 0);
	for (size_t i = count_closed(v, k); i < v->now.count; i++)
		expect_start(v, i, true, v->damage[k]);
	if (v->now.count < before + of_line &&
		!is_blank(v->bytes + v->end[k], cut - v->end[k]) &&
		!is_before_object(v, cut, k))
		expect_damage(v, v->damage[k], "the torn line is lost");
}

static void test_cuts(struct victim *v)
{
	for (size_t k = 0; k < v->lines; k++)
		for (size_t cut = v->end[k] + 1; cut < v->end[k + 1]; cut++)
			test_cut(v, cut, k);
}

/* Each record is one of the whole, in their order, but for what is missing. */
static void expect_less(struct victim *v)
{
	bool other = v->now.kind != v->whole.kind;
	bool lost = other || v->now.count != v->whole.count;
	size_t at = 0;

	for (size_t i = 0; i < v->now.count && !other; i++) {
		const char *actual = outcome_record(&v->now, i);
		struct difference difference = {.changed = 1};

		while (at < v->whole.count && difference.changed)
			difference =
				record_compare(outcome_record(&v->whole, at++), actual);
		if (difference.changed) {
			fail_record(v, "none", actual);
			return;
		}
		lost |= difference.lost || difference.moved;
	}
	if (v->now.readable && lost &&
		v->now.damage + v->now.remarks <= v->whole.damage + v->whole.remarks)
		fail(v, "something is lost, and that is not said");
}

/* A record of touched units against those that they should give. */
static void expect_near(struct victim *v, size_t i, size_t from, size_t to, bool cut)
{
	const char *actual = outcome_record(&v->now, i);
	struct difference difference = {.changed = 1};
	size_t at = from, most = cut ? 1 : 0;

	if (source_has_events(v->whole.kind))
		return;
	while (at < to && difference.changed + difference.moved > most)
		difference = record_compare(outcome_record(&v->whole, at++), actual);
	if (difference.changed + difference.moved > most)
		fail_record(v, outcome_record(&v->whole, from), actual);
	if (difference.lost)
		expect_damage(v, v->whole.damage, "a field is lost");
}

/* Units that give records [from, to) are touched; text: nobody may see what is lost. */
static void expect_others(struct victim *v, size_t from, size_t to, bool cut, bool text)
{
	size_t behind = v->whole.count - to, left;

	if (v->now.count < from + behind || v->now.count > v->whole.count) {
		fail(v, "%zu records; expected %zu to %zu", v->now.count, from + behind,
			v->whole.count);
		return;
	}
	left = v->now.count - behind;
	expect_same(v, 0, from, 0);
	expect_same(v, left, v->now.count, to);
	for (size_t i = from; i < left; i++)
		expect_near(v, i, from, to, cut);
	if (left < to && !text)
		expect_damage(v, v->whole.damage, "a record is lost");
}

/* At most one record is another, or gone. */
static void expect_manifest(struct victim *v)
{
	size_t others = 0;

	for (size_t i = 0; i < v->now.count; i++) {
		bool same = false;

		for (size_t at = 0; at < v->whole.count; at++)
			same |= strcmp(outcome_record(&v->now, i),
					outcome_record(&v->whole, at)) == 0;
		others += !same;
	}
	if (others > 1 || v->now.count > v->whole.count)
		fail(v, "%zu records are others", others);
	if (v->now.count + 1 < v->whole.count)
		expect_damage(v, v->whole.damage, "the manifest is lost");
}

/* Byte `at`, of line k + 1, is another now. */
static void test_replaced(struct victim *v, size_t at, size_t k)
{
	size_t first = v->unit[k], last = first; /* touched units */
	bool cut = v->bytes[at] == '\n';
	bool frame = v->begin[first] == v->begin[first + 1];

	if (at + 1 == v->end[k + 1] && k + 1 < v->lines) {
		last = v->unit[k + 1];
		frame |= v->begin[last] == v->begin[last + 1];
	}
	read_bytes(v, v->size);
	if (v->whole.kind == SOURCE_MANIFEST)
		expect_manifest(v);
	else if (frame)
		expect_less(v);
	else
		expect_others(v, v->begin[first], v->begin[last + 1], cut,
			is_before_object(v, at, k));
}

static void test_replacements(struct victim *v)
{
	static const uint8_t by[] = {0, 0xff, '\n', ','};

	for (size_t k = 0; k < v->lines; k++) {
		for (size_t at = v->end[k]; at < v->end[k + 1]; at++) {
			uint8_t was = v->bytes[at];

			for (size_t i = 0; i < sizeof by; i++) {
				if (by[i] == was)
					continue;
				snprintf(v->what, sizeof v->what,
					"byte %zu replaced by 0x%02x", at, by[i]);
				v->bytes[at] = by[i];
				test_replaced(v, at, k);
			}
			v->bytes[at] = was;
		}
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(struct victim *v);
	} tests[] = {{"is sound", test_sound}, {"is cut after every byte", test_cuts},
		{"has every byte replaced", test_replacements}};
	int count = 0, failed = 0;

	alarm(300); /* a reader that hangs */
	for (int i = 1; i < argc; i++) {
		struct victim victim;

		load(&victim, argv[i]);
		for (size_t t = 0; t < sizeof tests / sizeof tests[0]; t++) {
			victim.failures = 0;
			tests[t].run(&victim);
			printf("%sok %d - %s %s\n", victim.failures ? "not " : "",
				++count, argv[i], tests[t].name);
			if (victim.failures)
				printf("# %zu failures\n", victim.failures);
			fflush(stdout);
			failed |= victim.failures > 0;
		}
		unload(&victim);
	}
	printf("1..%d\n", count);
	return failed;
}
