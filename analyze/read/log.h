/*
 * One file being read: its lines, where its devices, counts and diagnostics go, and
 * how its wall clock is to be read. What every format reader works with.
 */
#ifndef READ_LOG_H
#define READ_LOG_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "model/run.h"
#include "model/sample.h"
#include "read/clock_line.h"
#include "read/clock_steps.h"
#include "read/csv.h"
#include "read/formats.h"
#include "read/input.h"
#include "read/json.h"
#include "read/prefix.h"
#include "read/probe.h"
#include "read/read_run.h"
#include "read/recast.h"
#include "read/sqlitefile.h"
#include "read/streams.h"

struct gpu_loss;
struct reading;

/* What the column "gpu" of a file holds. */
enum gpu_column {
	GPU_COLUMN_NUMBER, /* numbers of GPUs, or their names */
	GPU_COLUMN_SHARE, /* per cents */
	GPU_COLUMN_DOUBT, /* the same, as far as bare numbers tell */
	GPU_COLUMN_UNUSED /* the same, beside a column that is known to say it */
};

/* "2025/03/01 10:00:": what stands before the seconds of a time, and when that began. */
#define MINUTE_LEN 17
struct minute {
	char text[MINUTE_LEN];
	bool known;
	int64_t begin_ns;
};

/* What is found out of a file before its rows are read. */
struct file_facts {
	char *path; /* to open; NULL: spooled */
	int fd; /* of what was spooled, standard input or a pipe; else -1 */
	char *host; /* that recorded it, where the run is of several; NULL */
	char *banner_host; /* that its first line names, as sysstat's does; NULL */
	char *only; /* the run that is wanted of several in the file, or how its name
		       begins; NULL; owned */
	bool sqlite; /* no lines, but tables */
	uint64_t from_line, to_line; /* of a section of a capture; 0: the whole file */
	struct route route; /* of a part that has only the lines of a kind */
	struct prefix prefix; /* that another program put before each line */
	bool escapes; /* lines are looked through for colors of a terminal */
	enum day_order day_order; /* of its dates with slashes */
	enum gpu_column gpu_column;
	bool timed; /* a header has a time: rows before it that have none can't stay */
	struct recast_facts recast; /* of what is no table of lines */
	/* Of query logs */
	char *by_units; /* fields of rows without a header, by their units; NULL */
	bool bare; /* ... which they have none, but numbers that tell it */
	char *by_sibling; /* ... as another file of the log names them; NULL */
	char *worded_header; /* a header whose names only words explain; NULL */
	char *worded_fields; /* ... the fields that it means */
	char *worded_as; /* ... and how that was found, for a message */
	const struct table_map *map; /* ... which says that; NULL: words do */
	bool worded_guess; /* ... by more than words: a unit, or whose a column is */
	bool twin; /* another reader reads the same lines, and says what is wrong with
		      them */
	bool maybe_pytyche; /* they could be the nine that pytyche asks for */
	bool commas_behind; /* a comma stands behind the rows, as a rule */
	bool shared_id[2]; /* several GPUs have one bus id, or UUID: it is none */
	bool clocked; /* lines around its rows say the time */
	struct streams streams; /* of its rows without ids */
};

/* What a look at a query log's first rows finds out beside the rows. */
struct first_rows {
	struct stream_key key[SAMPLE_BATCH_ROWS]; /* the streams of a batch's rows */
	bool anonymous; /* a row does not say which GPU it is about */
	bool exact; /* a time had a fraction of a second, be it 0 */
	uint64_t as_named, and_comma; /* rows without a comma behind them, and with it */
};

struct log {
	struct input *in; /* owned */
	struct recast *recast; /* which gives the lines; owned; NULL: the file does */
	struct reading *reading; /* which gets it back when the log is freed */
	size_t whole; /* the file of that which it is of */
	const struct read_options *opt; /* borrowed */
	struct file_facts facts; /* what it points to is borrowed */
	bool escaped; /* a line had colors of a terminal */
	struct strbuf plain; /* the line without them */
	struct message message; /* that holds the line, where prefix.member says so */
	int64_t line_ns; /* the time that was cut off this line; TIME_NONE */
	enum clock_result line_clock; /* what the words were that said it */
	struct span line_host; /* the host that was cut off, else that of the file; len 0:
				  nothing says it */
	uint64_t record; /* the row of a database being read, or the line that a record of
			    several begins in, from 1; 0: the last line */
	const char *name; /* in messages; borrowed */
	struct run *run;
	struct run_file *file; /* rows and refusals are counted here; not NULL */
	struct diag_list *diags; /* not NULL */
	struct zone zone;
	int64_t last_ns; /* the last time that was read in it; 0: none */
	struct minute minute; /* that it was in, as written */
	int64_t last_line_ns; /* ... of those cut off before lines */
	bool order_assumed; /* of dates with slashes: nothing decided it */
	int64_t near_ns; /* a wall clock near the first row, for clocks without a date;
			    TIME_NONE */
	struct first_rows *look; /* the rows are only looked at: a model is taken for a
				    GPU, and a comma behind a row for nothing, to see
				    whether they are; NULL */
	struct gpu_loss *loss; /* of a reading that counts: hears what is said of GPUs
				  between the rows; borrowed; NULL */
	struct clock_watch *watch; /* sees what events and manifests read from clocks */
	const struct clock_steps *steps; /* of the wall clock, which was set; borrowed;
					    NULL: it was not */
	bool by_clocks; /* ... set by a reader whose times are told by other clocks */
};

/*
 * The next line, trimmed; blank ones are passed over. A file that can't be read on ends
 * there, and that is said: what was read before stays good. So are NULs before a line,
 * which are passed over unless a number may have been cut by them. False: the end.
 */
bool log_line(struct log *log, struct span *line);

/* The file ends in the last line, of which something may be missing. */
bool log_line_torn(const struct log *log);

/*
 * The next line as it is in the file, for who makes lines of it: blanks before it stay,
 * and a long one comes in pieces. *more: the next piece is of the same line.
 */
bool log_raw_line(struct log *log, struct span *line, bool *more);

/* What was spooled, from its begin; a descriptor to close. -1: err is set. */
int log_spooled(int fd, const char *name, struct error *err);

/* The database that the log is. */
int log_open_sqlite(struct log *log, struct sqlitefile **out, struct error *err);

/* Where the last line stands. */
struct event_place log_place(const struct log *log);

/* Where the reader stands: the line of the last record, or of a database its row, from 1.
 */
uint64_t log_line_number(const struct log *log);

/* A line that is no row, to whoever wants to know what was said of GPUs. */
void log_hear(struct log *log, struct span line);

/* Counts a row that is lost, with the sentence why; the line is the current one. Of a
 * twin nothing: the other reader does it. */
void log_refuse(struct log *log, const char *id, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Rows from a line on are lost; log_refuse does it for the current one. */
void log_lose(struct log *log, uint64_t line, uint64_t rows);

/* Counts something worth knowing about a row or cell. what: see diag_add. */
void log_note(struct log *log, bool damage, const char *id, struct span what,
	const char *format, ...) __attribute__((format(printf, 5, 6)));

/* How a header was read, by a map, or else by words, and whether more was guessed. */
void log_note_header(struct log *log, bool mapped, bool guessed, const char *read_as);

/* A foreign piece of text, quoted for a message; static size, cut. */
struct quoted {
	char text[256];
};
struct quoted log_quote(struct span s);

/* Frees a log, whose file may be read again: what a source does when it is freed. */
void log_free(struct log *log);

/*
 * The time that a line or a cell of a log says in words or with slashes, in the zone
 * and the order of days of its file; and what is said about it.
 */

/*
 * clock_line_read() for the log: its order of days applies, and is settled by the first
 * date that needs one, if the file had not decided it. What had to be assumed is
 * remarked; of a line that contradicts nothing is said yet.
 */
enum clock_result log_clock(
	struct log *log, struct clock_line *clock, struct span line, int64_t *t_ns);

/*
 * In the hour that comes twice in autumn a log in order stays in order: where its time
 * would go back by more than half an hour, and does not by the second reading, that one
 * is meant. Whether the time goes back so far, and is to be read in *second once more.
 */
bool log_goes_back(const struct log *log, int64_t t_ns, struct zone *second);

/* *t_ns becomes the one of the two readings that is meant. */
void log_settle(const struct log *log, int64_t *t_ns, int64_t second_ns);

/* A wall clock in the log's zone, settled so; it is the log's last. */
int64_t log_from_wall(struct log *log, int64_t wall_ns);

/* time_parse(), or seconds or parts of them since 1970, for the log in the same way. */
bool log_time(struct log *log, struct span text, int64_t *t_ns);

/*
 * The same of a text that is in the minute of the time before, which nearly all are;
 * false: it is not, or is no time, and nothing has happened.
 */
bool log_time_goes_on(struct log *log, struct span text, int64_t *t_ns);

/* Refuses a line or row, whose time is quoted, that contradicts the order of days. */
void log_refuse_order(struct log *log, struct span time);

/*
 * The marker line that collect writes before each snapshot of a file of the kernel: "#
 * t=1763632800.123456789 mono=... boot=...". Logs without any have no times.
 */

struct marker {
	bool seen; /* the log has markers, from its first row on */
	bool delivered; /* a batch went out: a log without times remains one */
	bool lost; /* the snapshot has no place in time: its lines are passed over */
	int64_t t_ns; /* of the snapshot; defined if seen and not lost */
	struct clocks clocks; /* of the last markers; whoever has it ends them */
	struct clock_course course; /* of its times, where the wall clock was set */
	struct clock_line clock; /* of other people's lines with the time */
};

/* The clocks of a marker. False: it has no time, or not the others. */
bool marker_clocks(struct span line, struct clock_reading *reading);

/*
 * Takes in a line that is only the time, as others print it before a snapshot. False: it
 * is none.
 */
bool marker_read_clock(struct marker *marker, struct log *log, struct sample_batch *batch,
	struct span line);

/*
 * Takes a marker in. Rows of the batch that stand before the first one have no place in
 * time: they are refused. False: it is passed over, because the log is one without times.
 */
bool marker_read(struct marker *marker, struct log *log, struct sample_batch *batch,
	struct span line);

#endif
