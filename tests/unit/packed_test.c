/*
 * Packed files as lines: whole ones, several members, cut ones, damaged ones. What was
 * unpacked before the damage stays good, and that there was damage is said.
 */
#include "input_fixture.h"

#define ZLIB_CONST
#include <zlib.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "base/alloc.h"

#define PACKED_MAX ((size_t)1024 * 1024) /* of what these tests pack */

static size_t pack_gzip(const void *bytes, size_t len, void *to)
{
	z_stream z = {.next_in = bytes, .avail_in = (unsigned)len};

	assert_int_equal(deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS,
				 8, Z_DEFAULT_STRATEGY),
		Z_OK);
	z.next_out = to;
	z.avail_out = PACKED_MAX;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(deflateEnd(&z), Z_OK);
	return z.total_out;
}

static size_t pack_zstd(const void *bytes, size_t len, void *to, int checksum)
{
#ifdef HAVE_ZSTD
	ZSTD_CCtx *context = ZSTD_createCCtx();
	size_t packed;

	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, checksum);
	packed = ZSTD_compress2(context, to, PACKED_MAX, bytes, len);
	assert_false(ZSTD_isError(packed));
	ZSTD_freeCCtx(context);
	return packed;
#else
	(void)bytes, (void)len, (void)to, (void)checksum;
	skip();
	return 0;
#endif
}

static size_t pack_checked_zstd(const void *bytes, size_t len, void *to)
{
	return pack_zstd(bytes, len, to, 1);
}

/* Without a checksum nothing is behind the last block. */
static size_t pack_bare_zstd(const void *bytes, size_t len, void *to)
{
	return pack_zstd(bytes, len, to, 0);
}

struct packer {
	size_t (*pack)(const void *bytes, size_t len, void *to);
};

static struct packer gzip = {pack_gzip}, zstd = {pack_checked_zstd},
		     bare_zstd = {pack_bare_zstd};

/* Packs two texts as a member each, the second unless it is empty, and writes them. */
static size_t write_packed(
	const struct packer *packer, const char *first, const char *second)
{
	char *packed = xmalloc(2 * PACKED_MAX);
	size_t len = packer->pack(first, strlen(first), packed);

	if (second[0])
		len += packer->pack(second, strlen(second), packed + len);
	write_file(packed, len);
	free(packed);
	return len;
}

static void expect_lines(const char *lines)
{
	struct strbuf sb;

	read_lines(&sb);
	assert_string_equal(sb.text, lines);
	strbuf_release(&sb);
}

static void two_members(void **state)
{
	const struct packer *packer = *state;

	write_packed(packer, "a\nb", "c\n");
	expect_lines("a|bc|");
}

/* More than a block, of few packed bytes: what has no room in one comes with the next. */
static void all_of_it_comes(void **state)
{
	const struct packer *packer = *state;
	size_t len = 3 * 1024 * 1024 + 17;
	char *text = xmalloc(len + 1);
	struct strbuf sb;

	memset(text, 'x', len);
	for (size_t i = 99; i < len; i += 100)
		text[i] = '\n';
	text[len] = '\0';
	write_packed(packer, text, "");
	for (size_t i = 99; i < len; i += 100)
		text[i] = '|';
	read_lines(&sb);
	assert_int_equal(sb.len, len + 1); /* the last line is torn */
	assert_memory_equal(sb.text, text, len);
	strbuf_release(&sb);
	free(text);
}

/* Two members, cut in the second: the lines of the first are all there. */
static void cut(void **state)
{
	const struct packer *packer = *state;
	size_t first = write_packed(packer, "a\nb\n", "");
	size_t both = write_packed(packer, "a\nb\n", "c\nd\n");

	for (size_t len = both - 1; len > first; len--) {
		struct strbuf sb;

		assert_int_equal(truncate(path, (long)len), 0);
		read_lines(&sb);
		assert_memory_equal(sb.text, "a|b|", 4);
		assert_non_null(strchr(sb.text, '!'));
		strbuf_release(&sb);
	}
	assert_int_equal(truncate(path, (long)first), 0);
	expect_lines("a|b|");
	assert_int_equal(truncate(path, 5), 0);
	expect_lines("!!");
}

/* Zeros may pad a file; other bytes, or a wrong checksum, are damage behind good lines.
 */
static void behind_the_data(void **state)
{
	static const struct {
		const char *bytes, *lines;
		long at; /* from the end; 0: appended */
	} endings[] = {{"\0\0\0", "a|b|", 0}, {"xyz", "a|b|!", 0}, {"xyz", "a|b|!", -4}};
	const struct packer *packer = *state;

	for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
		FILE *file;

		write_packed(packer, "a\nb\n", "");
		file = fopen(path, "r+b");
		assert_non_null(file);
		assert_int_equal(fseek(file, endings[i].at, SEEK_END), 0);
		assert_int_equal(fwrite(endings[i].bytes, 1, 3, file), 3);
		assert_int_equal(fclose(file), 0);
		expect_lines(endings[i].lines);
	}
}

/* Parallel packers write frames that are to be skipped. */
static void skippable_frames(void **state)
{
	static const char frame[] = "\x50\x2a\x4d\x18\4\0\0\0abcd";
	size_t len = sizeof frame - 1;
	char *packed = xmalloc(PACKED_MAX + 2 * sizeof frame);

	(void)state;
	memcpy(packed, frame, len);
	len += pack_zstd("a\nb\n", 4, packed + len, 1);
	memcpy(packed + len, frame, sizeof frame - 1);
	write_file(packed, len + sizeof frame - 1);
	free(packed);
	expect_lines("a|b|");
}

static void damaged(void **state)
{
	static const struct {
		const char *bytes, *said;
	} files[] = {
		{"\x1f\x8b\x08\0\0\0\0\0\0\3\xff\xff\xff\xff\xff\xff", "damaged gzip"},
#ifdef HAVE_ZSTD
		{"\x28\xb5\x2f\xfd\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
			"damaged zstd"},
#else
		{"\x28\xb5\x2f\xfd\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
			"compressed with zstd, but this program was built without "
			"libzstd"},
#endif
	};

	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		struct input *in;
		struct error err;

		write_file(files[i].bytes, 16);
		assert_int_equal(input_open(&in, path, -1, &err), -1);
		assert_non_null(strstr(err.message, files[i].said));
		assert_non_null(strstr(err.message, path));
	}
}

int main(void)
{
#define OF_EACH(packer)                                              \
	cmocka_unit_test_prestate(two_members, &packer),             \
		cmocka_unit_test_prestate(all_of_it_comes, &packer), \
		cmocka_unit_test_prestate(cut, &packer)
	const struct CMUnitTest tests[] = {
		OF_EACH(gzip),
		OF_EACH(zstd),
		OF_EACH(bare_zstd),
		cmocka_unit_test_prestate(behind_the_data, &gzip),
		cmocka_unit_test_prestate(behind_the_data, &zstd),
		cmocka_unit_test(skippable_frames),
		cmocka_unit_test(damaged),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
