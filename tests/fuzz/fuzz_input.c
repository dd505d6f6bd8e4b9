/*
 * Fuzz target: a file as lines, whatever its encoding and compression. Of plain bytes the
 * lines must be the ones that a plain splitting finds.
 */
#include "fuzz.h"
#include "read/input.h"

/* Bytes that are neither compressed, marked, nor look like UTF-16. */
static int is_plain(const uint8_t *data, size_t size)
{
	if (size >= 2 && data[0] == 0x1f && data[1] == 0x8b)
		return 0;
	if (size >= 2 && (data[0] == 0xff || data[0] == 0xfe || data[0] == 0xef))
		return 0;
	return size < 4 || (data[0] && data[1] && data[2] && data[3]);
}

/* The line of plain bytes from *at on, compared with what the reader gave. */
static void check_line(const uint8_t *data, size_t size, size_t *at, struct span line,
	const struct input *in)
{
	const uint8_t *newline = memchr(data + *at, '\n', size - *at);
	size_t len = newline ? (size_t)(newline - data) - *at : size - *at;

	CHECK(input_line_torn(in) == !newline);
	if (len > INPUT_LINE_MAX)
		CHECK(input_line_cut(in));
	if (!input_line_cut(in)) {
		size_t shown = len && data[*at + len - 1] == '\r' ? len - 1 : len;

		CHECK(line.len == shown);
		CHECK(memcmp(line.at, data + *at, shown) == 0);
	}
	*at += len + (newline != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_file(data, size);
	int plain = is_plain(data, size), got;
	uint64_t lines = 0;
	struct input *in;
	struct span line;
	struct error err;
	size_t at = 0;

	if (input_open(&in, path, -1, &err) < 0) {
		CHECK(!plain);
		return 0;
	}
	while ((got = input_line(in, &line, &err)) > 0) {
		CHECK(input_line_number(in) == ++lines);
		CHECK(line.len <= INPUT_LINE_MAX);
		CHECK(!memchr(line.at, '\n', line.len));
		if (plain)
			check_line(data, size, &at, line, in);
	}
	if (plain)
		CHECK(got == 0 && at == size);
	else if (got < 0)
		CHECK(strstr(err.message, path));
	input_close(in);
	return 0;
}
