/*
 * The reading of a run: first what each file is, the manifest and the events
 * (read_survey), then the samples (read_samples), as batches. Knows every log format;
 * knows no statistics and no database.
 */
#ifndef READ_READ_RUN_H
#define READ_READ_RUN_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/diag.h"
#include "base/timestamp.h"
#include "model/run.h"
#include "model/sample.h"
#include "read/clock_steps.h"
#include "read/csv.h"
#include "read/identify.h"

struct reading; /* the files of one run, surveyed */

struct read_options {
	/* [SOURCE_KIND_COUNT] by kind: how each log is read, other tools' too. */
	const struct format *const *formats;
	const char *tz; /* --tz; NULL: the manifest's, else UTC */
	const char *columns; /* --columns; NULL */
	const char *const *path; /* [path_count] directories and logs; or one "-" alone */
	size_t path_count;
	const struct tool_options
		*asked; /* of other tools' logs, read by foreign/; NULL */
	bool general; /* every line the general way, none by a fast one: to test them */
};

/*
 * Sweeps the files of a run (a directory, a log, several of both, or standard input),
 * decides the kind of each, reads the manifest and the events into *run (run_init'ed).
 * -1: an operand can't be read, or nothing in it is claimed by a reader.
 */
int read_survey(struct reading **out, struct run *run, const struct read_options *opt,
	struct error *err);
void reading_free(struct reading *reading);

/*
 * Unpacks packed logs to learn what they hold: content_size and content_hash of the run's
 * files, which until then are those of the bytes on disk. True: some were learned; done
 * once.
 */
bool read_contents(struct reading *reading);

/*
 * The samples of all files of one kind, joined in time. step_limit_ns: a step back in a
 * device's time beyond it begins a segment. Devices are added to the run as they appear,
 * rows and refusals counted in its files, damage in its diagnostics. May be opened again
 * for a second reading, which counts nothing; free it before the reading.
 */
struct sample_source *read_samples(
	struct reading *reading, enum source_kind kind, int64_t step_limit_ns);

/*
 * How many bytes of the files the readings of samples have taken, as they are on disk:
 * for people who wait. A second reading counts them again.
 */
uint64_t read_taken(const struct reading *reading);

/* The bytes of the files that the operands are, read or not; 0: unknown. */
uint64_t read_size(const struct read_options *opt);

/*
 * Says in the run's diagnostics where the time goes back, as the last reading of each
 * kind saw it: only that one knew the limit. Once, behind all readings.
 */
void read_note_steps_back(struct reading *reading);

/*
 * The files of a run as the survey left them: what the samples are read from. Private
 * to read/.
 */

/* Beside run->file[i], with the same index. */
struct reading_file {
	char *path; /* to open; NULL: spooled */
	int fd; /* of what was spooled, standard input or a pipe; else -1 */
	dev_t device;
	ino_t inode;
	uint64_t from_line, to_line; /* of a section of a capture; 0: the whole file */
	struct route route; /* of a part that has only the lines of a kind */
	bool timed; /* a header of it has a time */
	bool one_header; /* at most, among its first ROUTE_LINES */
	bool unread; /* a folder, or a copy of another file */
	bool part; /* of another file, whose descriptor and bids it has */
	bool sqlite; /* it is a database */
	bool escapes; /* it has colours of a terminal in its lines */
	struct prefix prefix; /* that another program put before each line */
	enum day_order day_order; /* of its dates with slashes */
	enum gpu_column gpu_column;
	bool around; /* lines around its rows, which have none, say the time */
	char *by_units; /* the fields of rows without a header, by their units; NULL */
	char *by_sibling; /* the fields of rows without a header, as another file names
			     them; NULL */
	bool nine; /* rows without a header could be of the fields that pytyche asks for
		    */
	bool lost; /* it can't be opened */
	bool prepared; /* the following is known */
	int64_t first_ns; /* of the first row; TIME_NONE: no times, or no rows */
	bool commas_behind; /* the rows of a query log, as a rule */
	struct streams streams; /* of its rows without ids */
	bool clocked; /* lines around its rows say the time */
};

struct reading {
	struct run *run; /* borrowed */
	const struct format *const *formats; /* as read_options has them */
	struct run *census; /* while it is taken: the GPUs of all logs; NULL */
	bool surveyed; /* the census was taken */
	uint64_t taken; /* bytes of the files whose samples were read, so far */
	bool unpacked; /* it is known what packed logs hold */
	struct zone zone;
	struct clock_watch watch;
	struct clock_steps steps; /* of the wall clock */
	const struct tool_options *asked; /* as read_options has them */
	struct reading_file *file;
	size_t file_count, file_cap;
	const char *columns; /* --columns; NULL */
	bool general; /* no fast ways */
	bool counted[SOURCE_KIND_COUNT]; /* rows and damage: only by the first reading */
	struct diag_list step_back[SOURCE_KIND_COUNT]; /* as the last reading saw them */
};

/* Lists the files of the operands, and sets the run's key. listing.c */
int reading_list(
	struct reading *reading, const struct read_options *opt, struct error *err);

/*
 * What a file is, by its first lines: its kind and the bids of all. A capture is replaced
 * by its sections. A sentence about a file that nobody claims goes to *said.
 */
int reading_find_kind(
	struct reading *reading, size_t file, struct strbuf *said, struct error *err);

/* The same of all files; -1: not one is known. */
int reading_find_kinds(struct reading *reading, struct error *err);

/* Leaves out what is there twice, packed and as it is, or as a copy. */
void reading_drop_copies(struct reading *reading);

/*
 * Gives files without a header that of another file of the same log, which was rotated or
 * cut into pieces.
 */
void reading_ask_siblings(struct reading *reading);

/* What the column "gpu" of a query, or of dmon's CSV, holds. */
enum gpu_column gpu_column_find(struct reading *reading, size_t file);

/*
 * Whether lines between the rows of dmon, pmon or compute-apps say when they were
 * written; the file's route lets them through then.
 */
bool around_find(struct reading *reading, size_t file);

/*
 * A further file of the run: a part of file i, which is called by the title behind a '#'.
 * What the part is the caller says; valid until the next one is added.
 */
struct reading_file *reading_add_part(
	struct reading *reading, size_t file, const char *title);

/* A file that can't be opened once is left out altogether. */
void reading_lose(struct reading *reading, size_t file, const struct error *why);

/*
 * Reads the beginning of a file into a run of its own, which is thrown away, unless that
 * was done before. Its GPUs go into the census.
 */
void reading_prepare(struct reading *reading, size_t file);

/* What was found out about a file, but for its path. */
void reading_release_file(struct reading_file *file);

/*
 * The files of a kind in the order of their first times, prepared; there is room for all
 * files. Returns how many there are.
 */
size_t reading_order(struct reading *reading, enum source_kind kind, size_t *file);

/* What all query logs together tell of their streams, before one is read. */
void reading_join_streams(struct reading *reading);

/* Opens a file of the run for its format; NULL: err is set. Ends with log_free. */
struct log *reading_open(struct reading *reading, size_t file, struct run *run,
	struct run_file *counts, struct diag_list *diags, struct error *err);

/*
 * A look at the first lines of a file of the run, of which nothing is said and nothing
 * counted: what one line alone does not tell.
 */

struct glance {
	struct log *log; /* NULL: it can't be opened */
	struct diag_list diags;
	struct run_file counts;
	struct csv_row row; /* for the caller */
	int lines;
};

/* Until glance_end. */
void glance_begin(struct glance *g, struct reading *reading, size_t file);

/* The next of at most GLANCE_LINES lines; false: there is none. */
bool glance_on(struct glance *g, struct span *line);
void glance_end(struct glance *g);

#endif
