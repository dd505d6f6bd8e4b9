/* Names without what differs from one piece of a log to the next. */
#include "model/names.h"

#include <string.h>

struct span name_unpacked(struct span name)
{
	static const char *const ends[] = {".gz", ".zst", ".zstd"};

	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
		size_t len = strlen(ends[i]);

		if (name.len > len && !memcmp(name.at + name.len - len, ends[i], len))
			name.len -= len;
	}
	return name;
}

static void skip_numbers(struct span *name)
{
	while (name->len && strchr("0123456789.-_", name->at[0]))
		name->at++, name->len--;
}

/* "gpu.log.1" and "gpu.log"; "gpu-0304.csv" and "gpu-0305.csv.gz" */
bool name_is_sibling(const char *a, const char *b)
{
	const char *a_name = strrchr(a, '/'), *b_name = strrchr(b, '/');
	size_t a_folder = a_name ? (size_t)(a_name + 1 - a) : 0;
	size_t b_folder = b_name ? (size_t)(b_name + 1 - b) : 0;
	struct span x = name_unpacked(span_of(a + a_folder));
	struct span y = name_unpacked(span_of(b + b_folder));

	if (a_folder != b_folder || memcmp(a, b, a_folder) != 0)
		return false;
	for (;;) {
		skip_numbers(&x);
		skip_numbers(&y);
		if (!x.len || !y.len || x.at[0] != y.at[0])
			return !x.len && !y.len;
		x.at++, x.len--;
		y.at++, y.len--;
	}
}
