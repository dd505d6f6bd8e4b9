/*
 * A log that lies there twice: as it is and packed, or under two names. Read twice, all
 * of it would count twice.
 */
#include <string.h>

#include "model/names.h"
#include "read/glance.h"

/* A header alone is no copy of another. */
static bool is_same_text(const char *a, const char *b)
{
	struct input *x, *y;
	struct error err;
	struct span s, t;
	int more, as_well, rows = 0;
	bool same;

	if (input_open(&x, a, -1, &err) < 0)
		return false;
	if (input_open(&y, b, -1, &err) < 0) {
		input_close(x);
		return false;
	}
	do {
		more = input_line(x, &s, &err);
		as_well = input_line(y, &t, &err);
		same = more == as_well && (more <= 0 || span_equal(s, t));
		rows += more > 0 && !span_begins(s, "#");
	} while (same && more > 0);
	input_close(x);
	input_close(y);
	return same && more == 0 && rows > 1;
}

/* Worth a look at every line: as many bytes and the same ends, or the same name, packed.
 */
static bool may_be_copy(const struct run_file *a, const struct run_file *b)
{
	return (a->size == b->size && a->hash == b->hash) ||
		span_equal(
			name_unpacked(span_of(a->path)), name_unpacked(span_of(b->path)));
}

/* Is it a log of its own, with rows, that can be read again? */
static bool is_log(const struct reading *reading, size_t i)
{
	return source_has_samples(reading->run->file[i].kind) && reading->file[i].path &&
		!reading->file[i].part && reading->run->file[i].size;
}

void reading_drop_copies(struct reading *reading)
{
	struct run *run = reading->run;

	for (size_t i = 1; i < run->file_count; i++)
		for (size_t k = 0; k < i && is_log(reading, i); k++) {
			if (!is_log(reading, k) ||
				run->file[k].kind != run->file[i].kind ||
				!may_be_copy(&run->file[k], &run->file[i]) ||
				!is_same_text(
					reading->file[k].path, reading->file[i].path))
				continue;
			run->file[i].kind = SOURCE_NONE;
			reading->file[i].unread = true;
			diag_add(&run->diags, true, "same-file", run->file[i].path, 0,
				(struct span){NULL, 0},
				"it has the same lines as %s, which is read",
				run->file[k].path);
		}
}
