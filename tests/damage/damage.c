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
 *    (A record of many lines, a snapshot of /proc/meminfo or of host.log, is torn with
 * any of them.)
 *
 * Every byte replaced by NUL, 0xff, newline and comma, and by a quote where the recorder
 * quotes (blocks of code: pairs.c; databases: database.c):
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
#include "victim.h"

#define FAILURES_SHOWN 10

void victim_fail(struct victim *v, const char *format, ...)
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

void victim_fail_record(struct victim *v, const char *expected, const char *actual)
{
	struct strbuf text;

	strbuf_init(&text);
	strbuf_addf(&text, "expected %s; found %s", expected, actual);
	for (size_t i = 0; i < text.len; i++)
		if (text.text[i] < ' ')
			text.text[i] = ' ';
	victim_fail(v, "%s", text.text);
	strbuf_release(&text);
}

void victim_read(struct victim *v, size_t size)
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
			victim_fail_record(v, expected, actual);
			return;
		}
	}
}

void victim_expect_damage(struct victim *v, uint64_t before, const char *lost)
{
	if (v->now.readable && v->now.damage <= before)
		victim_fail(v, "%s, and that is not said", lost);
}

void victim_load(struct victim *v, const char *path)
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
	outcome_init(&v->whole);
	outcome_init(&v->now);
	outcome_init(&v->before);
	outcome_read(&v->whole, path);
	snprintf(v->what, sizeof v->what, "undamaged");
	if (!v->whole.readable || v->whole.damage || !v->whole.count)
		victim_fail(v, "it must be sound: %s", v->whole.said.text);
}

static void load(struct victim *v, const char *path)
{
	victim_load(v, path);
	CHECK(v->size && v->bytes[v->size - 1] == '\n');
	v->end = xcalloc(v->size + 1, sizeof *v->end);
	v->unit = xcalloc(v->size + 1, sizeof *v->unit);
	v->begin = xcalloc(v->size + 2, sizeof *v->begin);
	v->about = xcalloc(v->size + 1, sizeof *v->about);
	v->given = xcalloc(v->size + 1, sizeof *v->given);
	v->damage = xcalloc(v->size + 1, sizeof *v->damage);
	for (size_t i = 0; i < v->size; i++)
		if (v->bytes[i] == '\n')
			v->end[++v->lines] = i + 1;
}

static bool is_paired(const struct victim *v)
{
	return v->whole.kind == SOURCE_GPU_TRACKER_SUB;
}

/* Whether line k + 1 begins a unit. */
static bool begins_unit(const struct victim *v, size_t k)
{
	if (v->whole.kind == SOURCE_MANIFEST)
		return k == 0;
	if (is_paired(v))
		return !pairs_in_quotes(v, k);
	return !(v->whole.kind == SOURCE_PROC_STAT || v->whole.kind == SOURCE_MEMINFO ||
		       v->whole.kind == SOURCE_HOST_LOG) ||
		v->bytes[v->end[k]] == '#';
}

void victim_unload(struct victim *v)
{
	outcome_release(&v->whole);
	outcome_release(&v->now);
	outcome_release(&v->before);
	free(v->bytes);
	free(v->end);
	free(v->given);
	free(v->unit);
	free(v->begin);
	free(v->about);
	free(v->damage);
}

/* Records that the first k lines give for good: further ones add nothing to them. */
static size_t count_closed(const struct victim *v, size_t k)
{
	bool open =
		(v->whole.kind == SOURCE_MEMINFO || v->whole.kind == SOURCE_HOST_LOG) &&
		k;

	if (is_paired(v))
		return 0;
	return open ? v->begin[v->unit[k - 1]] : v->given[k];
}

/* Record i of a log that ends early against that of the whole; before: said earlier. */
static void expect_start(struct victim *v, size_t i, bool torn, uint64_t before)
{
	const char *expected = outcome_record(&v->whole, i);
	const char *actual = outcome_record(&v->now, i);
	struct difference difference = record_compare(expected, actual);

	if (difference.changed || difference.moved)
		victim_fail_record(v, expected, actual);
	if (difference.lost && torn)
		victim_expect_damage(v, before, "a field is lost");
}

/* The first k lines, to compare others with. */
static void read_before(struct victim *v, size_t k)
{
	outcome_read(&v->before, fuzz_file(v->bytes, v->end[k]));
}

/* Learns what each line gives, whatever comes behind it; the tests below stand on that.
 */
static void test_sound(struct victim *v)
{
	for (size_t k = 1; k <= v->lines; k++) {
		bool begins = begins_unit(v, k - 1);

		v->unit[k - 1] = k > 1 ? v->unit[k - 2] + begins : 0;
		if (begins)
			v->begin[v->unit[k - 1]] = v->given[k - 1];
		v->begin[v->unit[k - 1] + 1] = v->whole.count;
		snprintf(v->what, sizeof v->what, "the first %zu lines", k);
		victim_read(v, v->end[k]);
		v->given[k] = v->now.count;
		v->damage[k] = v->now.damage;
		expect_same(v, 0, count_closed(v, k), 0);
		for (size_t i = count_closed(v, k); i < v->now.count; i++)
			expect_start(v, i, false, 0);
		if (v->now.count < v->given[k - 1])
			victim_fail(v, "a line takes records away");
		if (is_paired(v)) {
			read_before(v, k - 1);
			pairs_learn(v, k - 1);
		}
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
	victim_read(v, cut);
	if (is_paired(v)) {
		pairs_expect_cut(v, k);
		return;
	}
	if (v->now.count < before || v->now.count > before + of_line) {
		victim_fail(v,
			"%zu records; expected %zu, and at most %zu of the torn line",
			v->now.count, before, of_line);
		return;
	}
	expect_same(v, 0, count_closed(v, k), 0);
	for (size_t i = count_closed(v, k); i < v->now.count; i++)
		expect_start(v, i, true, v->damage[k]);
	if (v->now.count < before + of_line &&
		!is_blank(v->bytes + v->end[k], cut - v->end[k]) &&
		!is_before_object(v, cut, k))
		victim_expect_damage(v, v->damage[k], "the torn line is lost");
}

static void test_cuts(struct victim *v)
{
	for (size_t k = 0; k < v->lines; k++) {
		if (is_paired(v))
			read_before(v, k);
		for (size_t cut = v->end[k] + 1; cut < v->end[k + 1]; cut++)
			test_cut(v, cut, k);
	}
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
			victim_fail_record(v, "none", actual);
			return;
		}
		lost |= difference.lost || difference.moved;
	}
	if (v->now.readable && lost && v->now.damage <= v->whole.damage &&
		v->now.remarks <= v->whole.remarks)
		victim_fail(v, "something is lost, and that is not said");
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
		victim_fail_record(v, outcome_record(&v->whole, from), actual);
	if (difference.lost)
		victim_expect_damage(v, v->whole.damage, "a field is lost");
}

/* Units that give records [from, to) are touched; text: nobody may see what is lost. */
static void expect_others(struct victim *v, size_t from, size_t to, bool cut, bool text)
{
	size_t behind = v->whole.count - to, left;

	if (v->now.count < from + behind || v->now.count > v->whole.count) {
		victim_fail(v, "%zu records; expected %zu to %zu", v->now.count,
			from + behind, v->whole.count);
		return;
	}
	left = v->now.count - behind;
	expect_same(v, 0, from, 0);
	expect_same(v, left, v->now.count, to);
	for (size_t i = from; i < left; i++)
		expect_near(v, i, from, to, cut);
	if (left < to && !text)
		victim_expect_damage(v, v->whole.damage, "a record is lost");
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
		victim_fail(v, "%zu records are others", others);
	if (v->now.count + 1 < v->whole.count)
		victim_expect_damage(v, v->whole.damage, "the manifest is lost");
}

/* A unit that says how others are to be read. */
static bool is_frame(const struct victim *v, size_t unit)
{
	if (is_paired(v))
		return v->about[unit] == NO_EVENT;
	return v->begin[unit] == v->begin[unit + 1] ||
		v->begin[unit + 1] <= v->whole.facts;
}

/* Byte `at`, of line k + 1, is another now. */
static void test_replaced(struct victim *v, size_t at, size_t k)
{
	size_t first = v->unit[k], last = first; /* touched units */
	bool cut = v->bytes[at] == '\n';
	bool frame = is_frame(v, first);

	if (at + 1 == v->end[k + 1] && k + 1 < v->lines) {
		last = v->unit[k + 1];
		frame |= is_frame(v, last);
	}
	victim_read(v, v->size);
	if (v->whole.kind == SOURCE_MANIFEST)
		expect_manifest(v);
	else if (frame)
		expect_less(v);
	else if (is_paired(v))
		pairs_expect_replaced(v, first, last, cut);
	else
		expect_others(v, v->begin[first], v->begin[last + 1], cut,
			is_before_object(v, at, k));
}

static bool has_quotes(const struct victim *v)
{
	return v->whole.kind == SOURCE_GPU_TRACKER || is_paired(v);
}

static void test_replacements(struct victim *v)
{
	static const uint8_t by[] = {0, 0xff, '\n', ',', '"'};
	/* most recorders know no quotes, and take one for a letter */
	size_t kinds = has_quotes(v) ? sizeof by : sizeof by - 1;

	for (size_t k = 0; k < v->lines; k++) {
		for (size_t at = v->end[k]; at < v->end[k + 1]; at++) {
			uint8_t was = v->bytes[at];

			for (size_t i = 0; i < kinds; i++) {
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

/* The result of a test; false: it failed. */
static bool report(const char *path, const char *name, size_t failures)
{
	static int count;

	printf("%sok %d - %s %s\n", failures ? "not " : "", ++count, path, name);
	if (failures)
		printf("# %zu failures\n", failures);
	fflush(stdout);
	return !failures;
}

static bool has_lines(const char *path)
{
	size_t len = strlen(path);

	return len < 7 || strcmp(path + len - 7, ".sqlite") != 0;
}

static bool test_lines(const char *path)
{
	static const struct {
		const char *name;
		void (*run)(struct victim *v);
	} tests[] = {{"is sound", test_sound}, {"is cut after every byte", test_cuts},
		{"has every byte replaced", test_replacements}};
	struct victim victim;
	bool good = true;

	load(&victim, path);
	for (size_t t = 0; t < sizeof tests / sizeof tests[0]; t++) {
		tests[t].run(&victim);
		good &= report(path, tests[t].name, victim.failures);
		victim.failures = 0;
	}
	victim_unload(&victim);
	return good;
}

int main(int argc, char **argv)
{
	bool good = true;
	int tests = 0;

	for (int i = 1; i < argc; i++) {
		alarm(300); /* a reader that hangs on one log */
		good &= has_lines(argv[i])
			? test_lines(argv[i])
			: report(argv[i], "is damaged all over", database_test(argv[i]));
		tests += has_lines(argv[i]) ? 3 : 1;
	}
	printf("1..%d\n", tests);
	return !good;
}
