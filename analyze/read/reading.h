/*
 * The files of a run as the survey left them: what the samples are read from. Private
 * to read/.
 */
#ifndef READ_READING_H
#define READ_READING_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/diag.h"
#include "base/lookup.h"
#include "base/timestamp.h"
#include "model/run.h"
#include "model/sample.h"
#include "read/clock_steps.h"
#include "read/csv.h"
#include "read/log.h"
#include "read/process_use.h"
#include "read/read_run.h"
#include "read/streams.h"

/* Beside run->file[i], with the same index. */
struct reading_file {
	struct file_facts facts; /* owned */
	dev_t device;
	ino_t inode;
	size_t operand; /* that named it, or its directory */
	bool one_header; /* at most, among its first PEEK_LINES */
	bool unread; /* a folder, or a copy of another file */
	size_t whole; /* the file that it is a part of, or itself */
	struct input *idle; /* open, and read by nobody; owned; NULL */
	bool lost; /* it can't be opened */
	bool prepared; /* the following is known */
	int64_t first_ns; /* of the first row; TIME_NONE: no times, or no rows */
};

struct reading {
	struct run *run; /* borrowed */
	struct read_options opt;
	struct run *census; /* while it is taken: the GPUs of all logs; NULL */
	bool surveyed; /* the census was taken */
	uint64_t taken; /* bytes of the files whose samples were read, so far */
	bool unpacked; /* it is known what packed logs hold */
	struct zone zone;
	struct clock_watch watch;
	struct clock_steps steps; /* of the wall clock */
	struct process_use process_use[USE_NUMBERS]; /* filled before it is asked */
	struct reading_file *file;
	size_t file_count, file_cap;
	struct archive *archive; /* [archive_count] that hold some of them */
	size_t archive_count, archive_cap;
	struct lookup inodes; /* of the files, while they are listed */
	size_t idle; /* inputs of theirs that are */
	size_t operand; /* while they are listed */
	bool counted[SOURCE_KIND_COUNT]; /* rows and damage: only by the first reading */
	struct diag_list step_back[SOURCE_KIND_COUNT]; /* as the last reading saw them */
};

/* The hash of what is read of a file with that hash: another run of it is another log. */
int64_t reading_hash_part(const struct reading_file *file, int64_t hash);

/*
 * A further file of the run: a part of file i, which is called by the title behind a '#'.
 * What the part is the caller says; valid until the next one is added.
 */
struct reading_file *reading_add_part(
	struct reading *reading, size_t file, const char *title);

/* A file that can't be opened once is left out altogether. */
void reading_lose(struct reading *reading, size_t file, const struct error *why);

/* What was found out about a file, but for its path. */
void reading_release_file(struct reading_file *file);

/* A file of the run for its format, from its begin; NULL: err is set. Ends with log_free.
 */
struct log *reading_open(struct reading *reading, size_t file, struct run *run,
	struct run_file *counts, struct diag_list *diags, struct error *err);

/* What the first rows of each log tell: when it begins, and which GPUs it is about. */

/*
 * Reads the beginning of a file into a run of its own, which is thrown away, unless that
 * was done before. Its GPUs go into the census.
 */
void reading_prepare(struct reading *reading, size_t file);

/*
 * The files of a kind in the order of their first times, prepared; there is room for all
 * files. Returns how many there are.
 */
size_t reading_order(struct reading *reading, enum source_kind kind, size_t *file);

/*
 * Prepares the logs that name GPUs, before any sample is read: where one has only the
 * UUID, another only the index, and none both, a GPU would be two. Where all ids of one
 * sort are as many as those of another, the run gets GPUs that have both, in their order,
 * and that is said; where they are not, that they may be the same is said.
 */
void gpu_ids_take(struct reading *reading);

/* What all query logs together tell of their streams, before one is read. */
void reading_join_streams(struct reading *reading);

#define PEEK_LINES 16384

/*
 * A look at the first lines of a file of the run, of which nothing is said and nothing
 * counted: what one line alone does not tell.
 */

struct peek {
	struct log *log; /* NULL: it can't be opened */
	struct diag_list diags;
	struct run_file counts;
	struct csv_row row; /* for the caller */
	int lines;
};

/* Until peek_end. */
void peek_begin(struct peek *g, struct reading *reading, size_t file);

/* The next of at most PEEK_LINES lines; false: there is none. */
bool peek_on(struct peek *g, struct span *line);
void peek_end(struct peek *g);

#endif
