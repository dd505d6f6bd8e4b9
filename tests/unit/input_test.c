/*
 * A file as lines, whatever it is on disk: encodings, ends of lines, and the borders of
 * the blocks in which it is read.
 */
#include "input_fixture.h"

#include <zlib.h>

#include "base/alloc.h"

#define BLOCK (256 * 1024) /* in which input.c reads */

static void write_gzip(const void *bytes, size_t len)
{
	gzFile file = gzopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(gzwrite(file, bytes, (unsigned)len), len);
	assert_int_equal(gzclose(file), Z_OK);
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
	CASE("mixed", "a\r\nb\nc\rd\r\n", "a|b|c|d|"),
	CASE("CR", "a\rb\rc", "a|b|c~"),
	CASE("cut between CR and LF", "a\r\nb\r", "a|b|"),
	CASE("CR CR LF", "a\r\r\nb\r\r\n", "a|b|"),
	CASE("several CRs", "a\r\r\r\r\nb\r\r\rc\r\r", "a|b|c|"),
	CASE("LF CR", "a\n\rb\n\r", "a||b||"),
	CASE("only a CR", "\r", "|"),
	CASE("blank lines", "\n\r\n\n", "|||"),
	CASE("no final newline", "a\nb", "a|b~"),
	CASE("empty", "", ""),
	CASE("NULs", "a\0b\n\0\n", "a\0b|\0|"),
	CASE("NULs from the start", "\0\0\0\0\n", "\0\0\0\0|"),
	CASE("UTF-8 BOM", "\xef\xbb\xbf\xc3\xa9\n", "\xc3\xa9|"),
	CASE("only a BOM", "\xef\xbb\xbf", "~"),
	CASE("a BOM twice", "\xef\xbb\xbf\xef\xbb\xbf\na\n", "|a|"),
	CASE("BOMs in mid-file", "\xef\xbb\xbf\x61\n\xef\xbb\xbf\x62\r\xef\xbb\xbf\x63",
		"a|b|c~"),
	CASE("a BOM in mid-line", "a\xef\xbb\xbf\n", "a\xef\xbb\xbf|"),
	CASE("half a BOM", "\xef\xbb\n", "\xef\xbb|"),
	CASE("UTF-16 LE BOM CRLF", "\xff\xfe\x61\0\r\0\n\0\xe9\0\n\0", "a|\xc3\xa9|"),
	CASE("UTF-16 BE BOM CRLF", "\xfe\xff\0a\0\r\0\n\0\xe9\0\n", "a|\xc3\xa9|"),
	CASE("UTF-16 LE", "a\0b\0\n\0", "ab|"),
	CASE("UTF-16 BE", "\0a\0b\0\n", "ab|"),
	CASE("UTF-16 LE BOM in mid-file", "\xff\xfe\x61\0\n\0\xff\xfe\x62\0\n\0", "a|b|"),
	CASE("UTF-16 BE BOM in mid-file", "\xfe\xff\0a\0\n\xfe\xff\0b\0\n", "a|b|"),
	CASE("UTF-16 CR", "\xff\xfe\x61\0\r\0\x62\0\r\0", "a|b|"),
	CASE("a CR's byte in UTF-16 is none", "\xff\xfe\x0d\x0d\n\0", "\xe0\xb4\x8d|"),
	CASE("UTF-16 without end", "\xff\xfe\x61\0", "a~"),
	CASE("UTF-16 with half a unit", "\xff\xfe\x61\0\n\0\x62", "a|"),
	/* U+20AC is e2 82 ac, U+1F600 is f0 9f 98 80 */
	CASE("UTF-16 of three and four bytes", "\xff\xfe\xac\x20\x3d\xd8\0\xde\n\0",
		"\xe2\x82\xac\xf0\x9f\x98\x80|"),
	CASE("a lone surrogate", "\xff\xfe\x3d\xd8\x61\0\0\xdc\n\0",
		"\xef\xbf\xbd"
		"a\xef\xbf\xbd|"),
	/* appended to one another */
	CASE("8-bit behind UTF-16",
		"\xff\xfe\x61\0\n\0"
		"row 1, 10 %\r\nrow 2, 20 %\r\n",
		"a|row 1, 10 %|row 2, 20 %|"),
	CASE("8-bit behind UTF-16 BE", "\xfe\xff\0a\0\nrow 1, 10 % of it\n",
		"a|row 1, 10 % of it|"),
	CASE("8-bit with its mark behind UTF-16",
		"\xff\xfe\x61\0\n\0\xef\xbb\xbfrow 1, 10 % of it\n",
		"a|row 1, 10 % of it|"),
	CASE("a few 8-bit bytes behind UTF-16", "\xff\xfe\x61\0\n\0bc\r\n", "a|bc|"),
	CASE("8-bit behind UTF-16 without end",
		"\xff\xfe\x61\0row 1, 10 % of it\nrow 2\n",
		"arow 1, 10 % of it<>|row 2|"),
	CASE("8-bit behind half a unit", "\xff\xfe\x61\0\r\0\nrow 1, 10 % of it\n",
		"a<>|row 1, 10 % of it|"),
	CASE("UTF-16 behind 8-bit", "ab\nc\0d\0\r\0\n\0e\0\n\0", "ab|cd|e|"),
	CASE("UTF-16 BE behind 8-bit", "ab\n\0c\0d\0\n", "ab|cd|"),
	CASE("UTF-16 with its mark behind 8-bit",
		"ab\r\n\xff\xfe"
		"c\0d\0\n\0",
		"ab|cd|"),
	CASE("UTF-16 BE with its mark behind 8-bit", "ab\n\xfe\xff\0c\0d\0\n", "ab|cd|"),
	CASE("UTF-16 behind 8-bit without end", "a\nbc, 1d\0e\0\n\0f\0\n\0",
		"a|bc, 1de<>|f|"),
	CASE("an end in UTF-16 behind 8-bit without one", "bc, 1\r\0\n\0f\0\n\0",
		"bc, 1<>|f|"),
	CASE("an odd number of 8-bit bytes between UTF-16",
		"\xff\xfe\x61\0\n\0row 1, 10 % of it\r\nb\0c\0d\0\n\0e\0\n\0",
		"a|row 1, 10 % of it|bcd|e|"),
	CASE("UTF-16 of the other order behind UTF-16",
		"\xff\xfe\x61\0\n\0\xfe\xff\0b\0\n", "a|b|"),
	CASE("two characters of Chinese that could be four of ASCII",
		"\xff\xfe\x2d\x4e\x2d\x4e\n\0", "\xe4\xb8\xad\xe4\xb8\xad|"),
	CASE("a NUL between others is no UTF-16", "ab\0cd\0\0ef\n", "ab\0cd\0\0ef|"),
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

static void what_is_no_file(void **state)
{
	struct input *in;
	struct error err;

	(void)state;
	assert_int_equal(input_open(&in, "/tmp", -1, &err), -1);
	assert_string_equal(err.message, "/tmp: not a regular file; expected a log");
	assert_int_equal(input_open(&in, "/tmp/does/not/exist", -1, &err), -1);
	assert_non_null(strstr(err.message, "/tmp/does/not/exist: can't open it"));
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

/* A CR at a block's end ends a line that is too long as well. */
static void long_line_before_cr(void **state)
{
	size_t len = 5 * BLOCK;
	char *text = xmalloc(len + 2);
	struct strbuf sb;

	(void)state;
	memset(text, 'x', len - 1);
	memcpy(text + len - 1, "\ra\n", 3);
	write_file(text, len + 2);
	free(text);
	read_lines(&sb);
	assert_non_null(strstr(sb.text, "1 MiB)|a|"));
	strbuf_release(&sb);
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

/* CR, CRLF, and units of UTF-16, on both sides of a block's end. */
static void block_borders(void **state)
{
	unsigned char *bytes = xmalloc(2 * BLOCK);

	(void)state;
	for (size_t shift = 0; shift < 6; shift++) {
		size_t first = BLOCK - 4 + shift;
		struct strbuf sb;

		memset(bytes, 'a', first);
		memcpy(bytes + first, "\r\nbc\rd\r\r\n", 9);
		write_file(bytes, first + 9);
		read_lines(&sb);
		assert_int_equal(sb.len, first + 6);
		assert_string_equal(sb.text + first, "|bc|d|");
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

/* Where the blocks end makes no difference to where an encoding does. */
static void borders_of_blocks_and_encodings(void **state)
{
	static const char ends[] = "a row that ends\n\xff\xfe"
				   "b\0c\0d\0\n\0another row that ends\ne\0f\0g\0\n";
	size_t len = sizeof ends; /* with the last NUL */
	unsigned char *bytes = xmalloc(BLOCK + len);

	(void)state;
	for (size_t in_front = 0; in_front <= len; in_front++) {
		struct strbuf sb;

		memset(bytes, 'a', BLOCK);
		bytes[BLOCK - in_front - 1] = '\n';
		memcpy(bytes + BLOCK - in_front, ends, len);
		write_file(bytes, BLOCK - in_front + len);
		read_lines(&sb);
		assert_string_equal(sb.text + BLOCK - in_front,
			"a row that ends|bcd|another row that ends|efg|");
		strbuf_release(&sb);
	}
	free(bytes);
}

/* A file that is written to while it is read is read to the end that it has then. */
static void growing_file(void **state)
{
	static const size_t lines[] = {0, 1, 2, 3, 40, BLOCK / 8, BLOCK / 2, BLOCK};

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		struct input *in;
		struct span line;
		struct error err;
		size_t got = 0;
		FILE *file;

		write_file("line 1\nline 2\n", 14);
		assert_int_equal(input_open(&in, path, -1, &err), 0);
		file = fopen(path, "ab");
		assert_non_null(file);
		for (size_t k = 0; k < lines[i]; k++)
			assert_true(fputs("line 3\n", file) >= 0);
		assert_int_equal(fclose(file), 0);
		while (input_line(in, &line, &err) > 0) {
			assert_int_equal(line.len, 6);
			assert_memory_equal(line.at, "line ", 5);
			got++;
		}
		assert_int_equal(got, lines[i] + 2);
		input_close(in);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_bytes),
		cmocka_unit_test(what_is_no_file),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(long_line_before_cr),
		cmocka_unit_test(long_last_line),
		cmocka_unit_test(block_borders),
		cmocka_unit_test(borders_of_blocks_and_encodings),
		cmocka_unit_test(growing_file),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
