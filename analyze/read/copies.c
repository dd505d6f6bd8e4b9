/*
 * A log that lies there twice: as it is and packed, or under two names. Read twice, all
 * of it would count twice. Who was killed while it packed or unpacked a log leaves one of
 * the two cut short.
 */
#include <string.h>

#include "model/measure.h"
#include "read/glance.h"

/* What two files that may be one log have to do with each other. */
enum kinship {
	OTHERS,
	SAME_LINES,
	FIRST_BREAKS_OFF, /* it begins as the second does, which goes on */
	SECOND_BREAKS_OFF
};

static bool breaks_off_in(struct span part, struct span line)
{
	return part.len < line.len && memcmp(part.at, line.at, part.len) == 0;
}

/* Of two lines that differ; part may be the last one of a file that breaks off in it. */
static bool is_last_part(struct input *in, struct span part, struct span whole)
{
	struct error err;
	struct span next;

	return breaks_off_in(part, whole) && input_line(in, &next, &err) <= 0;
}

/* Lines that begin with "#" are no rows: rows is how many that are both have. */
static enum kinship compare_lines(struct input *x, struct input *y, size_t *rows)
{
	struct error err;
	struct span s, t;

	for (;;) {
		int more = input_line(x, &s, &err), as_well = input_line(y, &t, &err);

		if (more == as_well && more <= 0)
			return SAME_LINES;
		if (more <= 0 || as_well <= 0)
			return more < as_well ? FIRST_BREAKS_OFF : SECOND_BREAKS_OFF;
		if (!span_equal(s, t))
			return is_last_part(x, s, t)	? FIRST_BREAKS_OFF
				: is_last_part(y, t, s) ? SECOND_BREAKS_OFF
							: OTHERS;
		*rows += !span_begins(s, "#");
	}
}

static enum kinship compare(const char *a, const char *b, size_t *rows)
{
	enum kinship kinship = OTHERS;
	struct input *x, *y;
	struct error err;

	*rows = 0;
	if (input_open(&x, a, -1, &err) < 0)
		return OTHERS;
	if (input_open(&y, b, -1, &err) == 0) {
		kinship = compare_lines(x, y, rows);
		input_close(y);
	}
	input_close(x);
	return kinship;
}

/* "gpu.csv" of "gpu.csv.gz", and of "gpu.csv.gz.new", which a packer did not finish. */
static struct span log_name(const char *path)
{
	static const char new[] = ".new";
	const size_t len = sizeof new - 1;
	struct span whole = span_of(path), packed = whole, name;

	if (whole.len <= len || memcmp(whole.at + whole.len - len, new, len) != 0)
		return name_unpacked(whole);
	packed.len -= len;
	name = name_unpacked(packed);
	return name.len < packed.len ? name : whole;
}

static bool have_one_name(const struct run_file *a, const struct run_file *b)
{
	return span_equal(log_name(a->path), log_name(b->path));
}

/* As many bytes, and the same ends. */
static bool are_of_one_size(const struct run_file *a, const struct run_file *b)
{
	return a->size == b->size && a->hash == b->hash;
}

/* Is it a log of its own, with rows, that can be read again? */
static bool is_log(const struct reading *reading, size_t i)
{
	return source_has_samples(reading->run->file[i].kind) && reading->file[i].path &&
		!reading->file[i].part;
}

/* A header alone is no copy of another, and no log an unfinished copy of one with another
 * name. */
static enum kinship kinship_of(const struct reading *reading, size_t a, size_t b)
{
	const struct run_file *file = reading->run->file;
	bool one_name = have_one_name(&file[a], &file[b]);
	enum kinship kinship;
	size_t rows;

	if (!one_name && !are_of_one_size(&file[a], &file[b]))
		return OTHERS;
	kinship = compare(reading->file[a].path, reading->file[b].path, &rows);
	if (kinship == SAME_LINES)
		return rows > 1 ? SAME_LINES : OTHERS;
	return one_name ? kinship : OTHERS;
}

static void drop(struct reading *reading, size_t file, size_t kept, const char *why)
{
	struct run *run = reading->run;

	run->file[file].kind = SOURCE_NONE;
	reading->file[file].unread = true;
	diag_add(&run->diags, true, "same-file", run->file[file].path, 0,
		(struct span){NULL, 0}, "it %s %s, which is read", why,
		run->file[kept].path);
}

static void drop_one_of(struct reading *reading, size_t a, size_t b)
{
	static const char breaks_off[] = "breaks off, and begins as";

	switch (kinship_of(reading, a, b)) {
	case OTHERS:
		break;
	case SAME_LINES:
		drop(reading, b, a, "has the same lines as");
		break;
	case FIRST_BREAKS_OFF:
		drop(reading, a, b, breaks_off);
		break;
	case SECOND_BREAKS_OFF:
		drop(reading, b, a, breaks_off);
		break;
	}
}

void reading_drop_copies(struct reading *reading)
{
	struct run *run = reading->run;

	for (size_t i = 1; i < run->file_count; i++)
		for (size_t k = 0; k < i && is_log(reading, i); k++)
			if (is_log(reading, k) && run->file[k].kind == run->file[i].kind)
				drop_one_of(reading, k, i);
}
