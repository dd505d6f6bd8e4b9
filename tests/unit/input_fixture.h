/*
 * What tests of files as lines share: one file, its bytes, its lines as a string. For one
 * test program.
 */
#ifndef INPUT_FIXTURE_H
#define INPUT_FIXTURE_H

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

#include "base/text.h"
#include "read/input.h"

static char path[] = "/tmp/input_test.XXXXXX";

static inline int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static inline int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static inline void write_file(const void *bytes, size_t len)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

static inline void add_lines(struct strbuf *sb, struct input *in)
{
	struct span line;
	struct error err;
	int got;

	for (uint64_t n = 1; (got = input_line(in, &line, &err)) > 0; n++) {
		assert_int_equal(input_line_number(in), n);
		strbuf_add(sb, line.at, line.len);
		strbuf_adds(sb, input_line_mixed(in) ? "<>" : "");
		strbuf_addc(sb, input_line_torn(in) ? '~' : '|');
	}
	if (got < 0) {
		assert_non_null(strstr(err.message, path));
		strbuf_addc(sb, '!');
	}
}

/* All lines, each with '|' behind it, or '~' if it is torn, and "<>" before that if two
 * encodings meet in it; '!' if reading failed, "!!" if opening did. They are the same
 * again once the file is rewound, from its first line or its end. */
static inline void read_lines(struct strbuf *sb)
{
	struct strbuf again;
	struct input *in;
	struct span line;
	struct error err;

	strbuf_init(sb);
	if (input_open(&in, path, -1, &err) < 0) {
		assert_non_null(strstr(err.message, path));
		strbuf_adds(sb, "!!");
		return;
	}
	input_line(in, &line, &err);
	assert_int_equal(input_rewind(in, &err), 0);
	add_lines(sb, in);
	assert_int_equal(input_rewind(in, &err), 0);
	strbuf_init(&again);
	add_lines(&again, in);
	assert_int_equal(again.len, sb->len);
	if (sb->len)
		assert_memory_equal(again.text, sb->text, sb->len);
	strbuf_release(&again);
	input_close(in);
}

#endif
