/*
 * Fuzz target: a file as lines, whatever its encoding and compression. Of plain bytes the
 * lines must be the ones that a plain splitting finds.
 */
#include "fuzz.h"
#include "read/input.h"

/* Two units that may be UTF-16: every other byte is NUL. */
static int has_alternating_nuls(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i + 4 <= size; i++)
		if (!data[i] != !data[i + 1] && !data[i] == !data[i + 2] &&
			!data[i + 1] == !data[i + 3])
			return 1;
	return 0;
}

/* Bytes that are neither packed nor marked as UTF-16, nor look like it anywhere. */
static int is_plain(const uint8_t *data, size_t size)
{
	if (size >= 2 && data[0] == 0x1f && data[1] == 0x8b)
		return 0;
	if (size >= 2 && (data[0] == 0xff || data[0] == 0xfe))
		return 0;
	if (size >= 4 &&
		(memcmp(data, "\x28\xb5\x2f\xfd", 4) == 0 ||
			memcmp(data + 1, "\x2a\x4d\x18", 3) == 0))
		return 0;
	return !has_alternating_nuls(data, size);
}

/* Where the line from `at` on ends: an LF, or the last of some CRs that no LF follows. */
static size_t line_end(const uint8_t *data, size_t size, size_t at)
{
	while (at < size && data[at] != '\n' &&
		!(data[at] == '\r' &&
			(at + 1 == size ||
				(data[at + 1] != '\r' && data[at + 1] != '\n'))))
		at++;
	return at;
}

/* The line of plain bytes from *at on, compared with what the reader gave. */
static void check_line(const uint8_t *data, size_t size, size_t *at, struct span line,
	const struct input *in)
{
	size_t from = *at, end = line_end(data, size, from);

	*at = end + (end < size);
	CHECK(input_line_torn(in) == (end == size));
	if (end - from > INPUT_LINE_MAX)
		CHECK(input_line_cut(in));
	if (input_line_cut(in))
		return;
	while (end > from && data[end - 1] == '\r')
		end--;
	while (end - from >= 3 && memcmp(data + from, "\xef\xbb\xbf", 3) == 0)
		from += 3;
	CHECK(line.len == end - from);
	CHECK(memcmp(line.at, data + from, line.len) == 0);
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
