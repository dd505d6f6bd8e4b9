/*
 * Which runs are the same: what a packed file holds against the bytes of the plain one,
 * and logs side by side.
 */
#include "input_fixture.h"

#include <fcntl.h>

#define ZLIB_CONST
#include <zlib.h>

#include "base/alloc.h"
#include "model/coverage.h"
#include "read/listing.h"

/* Bytes that repeat nowhere, so that those of no end are those of another place. */
static unsigned char *make_bytes(size_t len)
{
	unsigned char *bytes = xmalloc(len + 1);
	uint32_t seed = 1;

	for (size_t i = 0; i < len; i++) {
		seed = seed * 1664525 + 1013904223;
		bytes[i] = (unsigned char)(seed >> 24);
	}
	return bytes;
}

/* As members of at most `member` bytes. Returns how many bytes it takes. */
static size_t write_gzip(const unsigned char *bytes, size_t len, size_t member)
{
	size_t room = 2 * len + 4096, packed = 0, at = 0;
	unsigned char *to = xmalloc(room);

	do {
		size_t part = len - at < member ? len - at : member;
		z_stream z = {.next_in = bytes + at, .avail_in = (unsigned)part};

		assert_int_equal(deflateInit2(&z, 1, Z_DEFLATED, 16 + MAX_WBITS, 8,
					 Z_DEFAULT_STRATEGY),
			Z_OK);
		z.next_out = to + packed;
		z.avail_out = (unsigned)(room - packed);
		assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
		packed += z.total_out;
		assert_int_equal(deflateEnd(&z), Z_OK);
		at += part;
	} while (at < len);
	write_file(to, packed);
	free(to);
	return packed;
}

/* Around the lengths at which the ends of 64 KiB meet, and where one is all there is. */
static void packed_holds_what_plain_is(void **state)
{
	static const size_t lens[] = {0, 1, 1000, 65535, 65536, 65537, 100000, 131071,
		131072, 131073, 196608, 1000003};

	(void)state;
	for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
		unsigned char *bytes = make_bytes(lens[i]);
		struct content plain, packed = {-1, -1};
		int fd;

		write_file(bytes, lens[i]);
		fd = open(path, O_RDONLY);
		plain = content_on_disk(fd, (int64_t)lens[i]);
		close(fd);
		assert_false(content_unpacked(path, &packed));
		assert_int_equal(packed.size, -1);
		for (size_t member = 70000; member <= 2000000; member += 1930000) {
			write_gzip(bytes, lens[i], member);
			assert_true(content_unpacked(path, &packed));
			assert_int_equal(packed.size, lens[i]);
			assert_int_equal(packed.hash, plain.hash);
		}
		free(bytes);
	}
}

/* One byte at either end is another content; so is what is cut off or damaged. */
static void other_contents(void **state)
{
	static const size_t len = 200000, at[] = {0, 65535, 134464, 199999};
	unsigned char *bytes = make_bytes(len);
	struct content whole, other = {-1, -1};
	size_t packed = write_gzip(bytes, len, len);

	(void)state;
	assert_true(content_unpacked(path, &whole));
	for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
		bytes[at[i]] ^= 1;
		write_gzip(bytes, len, len);
		assert_true(content_unpacked(path, &other));
		assert_true(other.hash != whole.hash);
		bytes[at[i]] ^= 1;
	}
	other = (struct content){-1, -1};
	write_gzip(bytes, len, len);
	assert_int_equal(truncate(path, (long)packed - 1), 0);
	assert_false(content_unpacked(path, &other));
	assert_int_equal(other.size, -1);
	free(bytes);
}

/* A file of a run: its name, the bytes on disk, and what it holds; both as one number. */
static void add(
	struct run *run, enum source_kind kind, const char *name, int bytes, int content)
{
	struct run_file *file = run_add_file(run, name);

	file->kind = kind;
	file->size = file->hash = bytes;
	file->content_size = file->content_hash = content;
	file->rows = 1;
}

/* Two runs of one directory each: a log of content 1, its notes, and a second log. */
static void make_pair(struct run *plain, struct run *packed)
{
	run_init(plain, "a");
	run_init(packed, "b");
	plain->is_directory = packed->is_directory = true;
	add(plain, SOURCE_NVIDIA_QUERY, "gpu.csv", 1, 1);
	add(plain, SOURCE_NONE, "notes.txt", 5, 5);
	add(plain, SOURCE_NVIDIA_DMON, "all.log#dmon", 2, 2);
	add(packed, SOURCE_NVIDIA_QUERY, "gpu.csv.zst", 7, 1);
	add(packed, SOURCE_NVIDIA_DMON, "all.log.gz#dmon", 8, 2);
}

static void logs_side_by_side(void **state)
{
	struct run plain, packed;

	(void)state;
	make_pair(&plain, &packed);
	assert_true(run_has_same_logs(&plain, &packed));
	assert_true(run_has_same_logs(&plain, &plain));
	assert_false(run_is_packed_alike(&plain, &packed));
	assert_true(run_is_packed_alike(&plain, &plain));
	assert_true(run_hash_logs(&plain) == run_hash_logs(&packed));
	assert_int_equal(run_largest_log(&packed)->size, 8);
	packed.file[1].content_hash = 3;
	assert_false(run_has_same_logs(&plain, &packed));
	assert_false(run_has_same_logs(&packed, &plain));
	assert_true(run_hash_logs(&plain) != run_hash_logs(&packed));
	/* not unpacked: only the packed bytes are known */
	packed.file[1].size = packed.file[1].hash = 2;
	assert_true(run_has_same_logs(&plain, &packed));
	add(&packed, SOURCE_RUNLOG, "events.jsonl", 1, 1);
	assert_false(run_has_same_logs(&plain, &packed));
	assert_false(run_has_same_logs(&packed, &plain));
	run_release(&plain);
	run_release(&packed);
}

static void names(void **state)
{
	static const struct {
		const char *a, *b;
		bool same;
	} pairs[] = {
		{"gpu.csv", "gpu.csv.gz", true},
		{"gpu.csv.zst", "gpu.csv.gz", true},
		{"gpu.csv", "gpu.log", false},
		{"a.log#dmon", "a.log.gz#dmon", true},
		{"a.log#dmon", "a.log.gz#pmon", false},
		{"a.log#dmon", "a.log", false},
		{"run#1.csv", "run#1.csv.gz", true},
		{"run#1.csv", "run#2.csv.gz", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
		struct run_file a = {.path = (char *)pairs[i].a};
		struct run_file b = {.path = (char *)pairs[i].b};

		if (file_has_same_name(&a, &b) != pairs[i].same)
			fail_msg("%s, %s", a.path, b.path);
	}
}

/* Keys of places say nothing where the logs are others; names of a recorder do. */
static void identities(void **state)
{
	struct run_identity was = {"/a/gpu.csv.gz", false, 1, 2};
	struct run_identity now = {"/a/gpu.csv.gz", false, 1, 3};

	(void)state;
	assert_true(run_identity_same(&was, &now)); /* packed anew */
	now.content = 4;
	assert_false(run_identity_same(&was, &now));
	assert_false(run_identity_same_logs(&was, &now));
	now.bytes = 2; /* and `was` was not unpacked */
	assert_true(run_identity_same(&was, &now));
	now = (struct run_identity){"/b/gpu.csv", false, 1, 1};
	assert_false(run_identity_same(&was, &now));
	assert_true(run_identity_same_logs(&was, &now));
	was.content = now.content = 0; /* not known */
	assert_false(run_identity_same_logs(&was, &now));
	now = (struct run_identity){"/a/gpu.csv.gz", true, 5, 6};
	assert_true(run_identity_same(&was, &now));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packed_holds_what_plain_is),
		cmocka_unit_test(other_contents),
		cmocka_unit_test(logs_side_by_side),
		cmocka_unit_test(names),
		cmocka_unit_test(identities),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
