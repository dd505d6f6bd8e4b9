/* Sums over logs, and logs side by side. */
#include "model/same.h"

#include <stdio.h>
#include <string.h>

#include "model/names.h"

/* A part of a file is called by what stands behind a '#': both may be packed. */
static struct span before_part(const char *name, struct span *part)
{
	const char *mark = strrchr(name, '#');

	*part = name_unpacked(span_of(mark ? mark + 1 : ""));
	return name_unpacked(
		mark ? (struct span){name, (size_t)(mark - name)} : span_of(name));
}

bool file_has_same_name(const struct run_file *a, const struct run_file *b)
{
	struct span a_part, b_part;
	struct span a_name = before_part(a->path, &a_part);
	struct span b_name = before_part(b->path, &b_part);

	return span_equal(a_name, b_name) && span_equal(a_part, b_part);
}

static bool has_same_bytes(const struct run_file *a, const struct run_file *b)
{
	return a->size == b->size && a->hash == b->hash;
}

/* What was loaded by an older version is known by its bytes alone. */
static bool has_same_content(const struct run_file *a, const struct run_file *b)
{
	return has_same_bytes(a, b) ||
		(a->content_size == b->content_size &&
			a->content_hash == b->content_hash);
}

/* The next file from *at on that a reader claims; NULL: none. */
static const struct run_file *next_log(const struct run *run, size_t *at)
{
	while (*at < run->file_count && run->file[*at].kind == SOURCE_NONE)
		++*at;
	return *at < run->file_count ? &run->file[(*at)++] : NULL;
}

bool run_has_same_logs(const struct run *a, const struct run *b)
{
	size_t i = 0, k = 0;

	for (;;) {
		const struct run_file *x = next_log(a, &i), *y = next_log(b, &k);

		if (!x || !y)
			return !x && !y;
		if (!has_same_content(x, y) ||
			(a->is_directory && !file_has_same_name(x, y)))
			return false;
	}
}

bool run_is_packed_alike(const struct run *a, const struct run *b)
{
	size_t i = 0, k = 0;

	for (;;) {
		const struct run_file *x = next_log(a, &i), *y = next_log(b, &k);

		if (!x || !y)
			return true;
		if (!has_same_bytes(x, y))
			return false;
	}
}

/* With its end: "a", "bc" is not "ab", "c". */
static uint64_t hash_number(int64_t number, uint64_t hash)
{
	char text[32];
	int len = snprintf(text, sizeof text, "%lld", (long long)number);

	return span_hash((struct span){text, (size_t)len + 1}, hash);
}

static uint64_t hash_name(const struct run_file *file, uint64_t hash)
{
	struct span part, name = before_part(file->path, &part);

	hash = span_hash(name, hash);
	if (part.len) {
		hash = span_hash(span_of("#"), hash);
		hash = span_hash(part, hash);
	}
	return span_hash((struct span){"", 1}, hash);
}

uint64_t run_hash_logs(const struct run *run)
{
	uint64_t hash = SPAN_HASH;
	const struct run_file *file;
	size_t i = 0;

	while ((file = next_log(run, &i))) {
		if (run->is_directory)
			hash = hash_name(file, hash);
		hash = hash_number(file->content_hash, hash);
		hash = hash_number(file->content_size, hash);
	}
	return hash;
}

const struct run_file *run_largest_log(const struct run *run)
{
	const struct run_file *largest = NULL, *file;
	size_t i = 0;

	while ((file = next_log(run, &i)))
		if (!largest || file->content_size > largest->content_size)
			largest = file;
	return largest;
}

bool run_is_unchanged(const struct run *now, const struct run *stored)
{
	if (now->file_count != stored->file_count)
		return false;
	for (size_t i = 0; i < now->file_count; i++)
		if (strcmp(now->file[i].path, stored->file[i].path) != 0 ||
			now->file[i].mtime_ns != stored->file[i].mtime_ns ||
			!has_same_bytes(&now->file[i], &stored->file[i]))
			return false;
	return strcmp(now->path, stored->path) == 0;
}

struct run_identity run_identity(const struct run *run)
{
	const uint64_t spread = 0x9e3779b97f4a7c15u;
	struct run_identity own = {.key = run->key, .named = run->run_id != NULL};

	for (size_t i = 0; i < run->file_count; i++) {
		const struct run_file *file = &run->file[i];

		if (!file->rows || source_is_manifest(file->kind))
			continue;
		own.content +=
			((uint64_t)file->content_hash ^ (uint64_t)file->content_size) *
			spread;
		own.bytes += ((uint64_t)file->hash ^ (uint64_t)file->size) * spread;
	}
	return own;
}

bool run_identity_same_logs(const struct run_identity *a, const struct run_identity *b)
{
	return (a->content && a->content == b->content) ||
		(a->bytes && a->bytes == b->bytes);
}

bool run_identity_same(const struct run_identity *a, const struct run_identity *b)
{
	return strcmp(a->key, b->key) == 0 &&
		(a->named || b->named || !a->content || !b->content ||
			run_identity_same_logs(a, b));
}
