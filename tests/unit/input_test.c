/*
 * A file as lines, whatever it is on disk: encodings, ends of lines, compression, damage,
 * and the borders of the blocks in which it is read.
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
#include <unistd.h>
#include <zlib.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "read/input.h"

#define BLOCK (256 * 1024) /* in which input.c reads */

static char path[] = "/tmp/input_test.XXXXXX";

static int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static void write_file(const void *bytes, size_t len)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

static void write_gzip(const void *bytes, size_t len)
{
	gzFile file = gzopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(gzwrite(file, bytes, (unsigned)len), len);
	assert_int_equal(gzclose(file), Z_OK);
}

/* All lines, each with '|' behind it, or '~' if it is torn; '!' if reading failed. */
static void read_lines(struct strbuf *sb)
{
	struct input *in;
	struct span line;
	struct error err;
	int got;

	strbuf_init(sb);
	assert_int_equal(input_open(&in, path, -1, &err), 0);
	for (uint64_t n = 1; (got = input_line(in, &line, &err)) > 0; n++) {
		assert_int_equal(input_line_number(in), n);
		strbuf_add(sb, line.at, line.len);
		strbuf_addc(sb, input_line_torn(in) ? '~' : '|');
	}
	if (got < 0) {
		assert_non_null(strstr(err.message, path));
		strbuf_addc(sb, '!');
	}
	input_close(in);
}

static const struct {
	const char *name, *bytes;
	size_t len;
	const char *lines;
	size_t lines_len;
} cases[] = {
#define CASE(name, bytes, lines)                                         \
	{                                                                \
		name, bytes, sizeof(bytes) - 1, lines, sizeof(lines) - 1 \
	}
	CASE("LF", "a\nb\n", "a|b|"),
	CASE("CRLF", "a\r\nb\r\n", "a|b|"),
	CASE("mixed", "a\r\nb\nc\r", "a|b|c~"),
	CASE("blank lines", "\n\r\n\n", "|||"),
	CASE("no final newline", "a\nb", "a|b~"),
	CASE("empty", "", ""),
	CASE("CR inside", "a\rb\n", "a\rb|"),
	CASE("NULs", "a\0b\n\0\n", "a\0b|\0|"),
	CASE("NULs from the start", "\0\0\0\0\n", "\0\0\0\0|"),
	CASE("UTF-8 BOM", "\xef\xbb\xbf\xc3\xa9\n", "\xc3\xa9|"),
	CASE("only a BOM", "\xef\xbb\xbf", ""),
	CASE("half a BOM", "\xef\xbb\n", "\xef\xbb|"),
	CASE("UTF-16 LE BOM CRLF", "\xff\xfe\x61\0\r\0\n\0\xe9\0\n\0", "a|\xc3\xa9|"),
	CASE("UTF-16 BE BOM CRLF", "\xfe\xff\0a\0\r\0\n\0\xe9\0\n", "a|\xc3\xa9|"),
	CASE("UTF-16 LE", "a\0b\0\n\0", "ab|"),
	CASE("UTF-16 BE", "\0a\0b\0\n", "ab|"),
	CASE("UTF-16 without end", "\xff\xfe\x61\0", "a~"),
	CASE("UTF-16 with half a unit", "\xff\xfe\x61\0\n\0\x62", "a|"),
	/* U+20AC is e2 82 ac, U+1F600 is f0 9f 98 80 */
	CASE("UTF-16 of three and four bytes", "\xff\xfe\xac\x20\x3d\xd8\0\xde\n\0",
		"\xe2\x82\xac\xf0\x9f\x98\x80|"),
	CASE("a lone surrogate", "\xff\xfe\x3d\xd8\x61\0\0\xdc\n\0",
		"\xef\xbf\xbd"
		"a\xef\xbf\xbd|"),
	CASE("a newline's byte in UTF-16 is none", "\xff\xfe\x0a\x0a\n\0",
		"\xe0\xa8\x8a|"),
};

static void known_bytes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		for (int gzip = 0; gzip < 2; gzip++) {
			struct strbuf sb;

			if (gzip)
				write_gzip(cases[i].bytes, cases[i].len);
			else
				write_file(cases[i].bytes, cases[i].len);
			read_lines(&sb);
			if (sb.len != cases[i].lines_len ||
				memcmp(sb.text, cases[i].lines, sb.len) != 0)
				fail_msg("%s%s: %s", cases[i].name, gzip ? ", gzip" : "",
					sb.text);
			strbuf_release(&sb);
		}
	}
}

static void two_gzip_members(void **state)
{
	struct strbuf sb;
	gzFile file;

	(void)state;
	write_gzip("a\nb", 3);
	file = gzopen(path, "ab");
	assert_int_equal(gzwrite(file, "c\n", 2), 2);
	assert_int_equal(gzclose(file), Z_OK);
	read_lines(&sb);
	assert_string_equal(sb.text, "a|bc|");
	strbuf_release(&sb);
}

/* What was read before the damage stays good; that there was damage is said. */
static void cut_gzip(void **state)
{
	static char text[64 * 1000];
	struct strbuf sb;
	size_t whole = 0;
	FILE *file;
	long len;

	(void)state;
	for (int i = 0; i < 1000; i++)
		snprintf(text + 63 * i, 64, "%07d %054d\n", i, i * 7919);
	write_gzip(text, 63 * 1000);
	file = fopen(path, "rb");
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	len = ftell(file);
	fclose(file);
	assert_int_equal(truncate(path, len / 2), 0);
	read_lines(&sb);
	while (63 * whole + 63 <= sb.len && sb.text[63 * whole + 62] == '|') {
		assert_memory_equal(sb.text + 63 * whole, text + 63 * whole, 62);
		whole++;
	}
	assert_in_range(whole, 100, 900);
	assert_string_equal(sb.text + 63 * whole, "!");
	strbuf_release(&sb);
}

/* Zeros may pad a file; other bytes, or a wrong checksum, are damage behind good lines.
 */
static void behind_the_gzip_data(void **state)
{
	static const struct {
		const char *bytes, *lines;
		long at; /* from the end; 0: appended */
	} endings[] = {{"\0\0\0", "a|b|", 0}, {"xyz", "a|b|!", 0}, {"xyz", "a|b|!", -8}};

	(void)state;
	for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
		struct strbuf sb;
		FILE *file;

		write_gzip("a\nb\n", 4);
		file = fopen(path, "r+b");
		assert_non_null(file);
		assert_int_equal(fseek(file, endings[i].at, SEEK_END), 0);
		assert_int_equal(fwrite(endings[i].bytes, 1, 3, file), 3);
		assert_int_equal(fclose(file), 0);
		read_lines(&sb);
		assert_string_equal(sb.text, endings[i].lines);
		strbuf_release(&sb);
	}
}

static void damaged_gzip(void **state)
{
	static const unsigned char bytes[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	struct input *in;
	struct error err;

	(void)state;
	write_file(bytes, sizeof bytes);
	assert_int_equal(input_open(&in, path, -1, &err), -1);
	assert_non_null(strstr(err.message, "gzip"));
	assert_non_null(strstr(err.message, path));
}

static void what_is_no_file(void **state)
{
	struct input *in;
	struct error err;

	(void)state;
	assert_int_equal(input_open(&in, "/tmp", -1, &err), -1);
	assert_string_equal(err.message, "/tmp: not a regular file; expected a log");
	assert_int_equal(input_open(&in, "/tmp/does/not/exist", -1, &err), -1);
	assert_non_null(strstr(err.message, "/tmp/does/not/exist: can't be opened"));
	input_close(NULL);
}

/* A line is as long as allowed or cut; where the blocks end makes no difference. */
static void long_lines(void **state)
{
	static const size_t lengths[] = {BLOCK - 1, BLOCK, BLOCK + 1, INPUT_LINE_MAX,
		INPUT_LINE_MAX + 1, 2 * INPUT_LINE_MAX};
	char *text = xmalloc(2 * INPUT_LINE_MAX + BLOCK + 16);

	(void)state;
	for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
		for (size_t before = 0; before < BLOCK; before += BLOCK / 2 - 1) {
			size_t len = lengths[i];
			struct input *in;
			struct span line;
			struct error err;

			memset(text, 'x', before + 1 + len);
			text[before] = '\n';
			memcpy(text + before + 1 + len, "\nend", 4);
			write_file(text, before + 1 + len + 4);
			assert_int_equal(input_open(&in, path, -1, &err), 0);
			assert_int_equal(input_line(in, &line, &err), 1);
			assert_int_equal(line.len, before);
			assert_int_equal(input_line(in, &line, &err), 1);
			assert_int_equal(input_line_cut(in), len > INPUT_LINE_MAX);
			assert_false(input_line_torn(in));
			if (!input_line_cut(in))
				assert_int_equal(line.len, len);
			assert_int_equal(input_line(in, &line, &err), 1);
			assert_true(span_is(line, "end"));
			assert_true(input_line_torn(in));
			assert_false(input_line_cut(in));
			assert_int_equal(input_line_number(in), 3);
			assert_int_equal(input_line(in, &line, &err), 0);
			input_close(in);
		}
	}
	free(text);
}

/* A long line that the file ends in is both cut and torn. */
static void long_last_line(void **state)
{
	char *text = xmalloc(INPUT_LINE_MAX + 1);
	struct input *in;
	struct span line;
	struct error err;

	(void)state;
	memset(text, 'x', INPUT_LINE_MAX + 1);
	write_file(text, INPUT_LINE_MAX + 1);
	free(text);
	assert_int_equal(input_open(&in, path, -1, &err), 0);
	assert_int_equal(input_line(in, &line, &err), 1);
	assert_true(input_line_cut(in));
	assert_true(input_line_torn(in));
	assert_int_equal(input_line(in, &line, &err), 0);
	input_close(in);
}

/* CRLF, and units of UTF-16, on both sides of a block's end. */
static void block_borders(void **state)
{
	unsigned char *bytes = xmalloc(2 * BLOCK);

	(void)state;
	for (size_t shift = 0; shift < 6; shift++) {
		size_t first = BLOCK - 4 + shift;
		struct strbuf sb;

		memset(bytes, 'a', first);
		memcpy(bytes + first, "\r\nbc\r\n", 6);
		write_file(bytes, first + 6);
		read_lines(&sb);
		assert_int_equal(sb.len, first + 4);
		assert_string_equal(sb.text + first, "|bc|");
		strbuf_release(&sb);

		/* one byte off: behind the mark, 3 bytes before the end, U+1F600 */
		first = (BLOCK - 8) / 2 + shift;
		bytes[0] = 0xff, bytes[1] = 0xfe;
		for (size_t i = 0; i < first; i++)
			bytes[2 + 2 * i] = 'a', bytes[3 + 2 * i] = 0;
		memcpy(bytes + 2 + 2 * first, "\x3d\xd8\0\xde\r\0\n\0b\0\n\0", 12);
		write_file(bytes, 2 + 2 * first + 12);
		read_lines(&sb);
		assert_int_equal(sb.len, first + 4 + 3);
		assert_string_equal(sb.text + first, "\xf0\x9f\x98\x80|b|");
		strbuf_release(&sb);
	}
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_bytes),
		cmocka_unit_test(two_gzip_members),
		cmocka_unit_test(cut_gzip),
		cmocka_unit_test(behind_the_gzip_data),
		cmocka_unit_test(damaged_gzip),
		cmocka_unit_test(what_is_no_file),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(long_last_line),
		cmocka_unit_test(block_borders),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
