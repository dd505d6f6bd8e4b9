/*
 * The runs of a call: loaded one by one, from the database where one is in use. One
 * bad run never hides the others.
 */
#ifndef CMD_RUNS_H
#define CMD_RUNS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cmd/command.h"
#include "cmd/load.h"
#include "cmd/options.h"
#include "compute/compare/compare.h"
#include "model/comparison.h"
#include "model/gate.h"
#include "render/render.h"

struct ahead;

struct past_run {
	char *key, *path;
};

struct runs {
	const struct options *opt;
	struct load_plan plan; /* of the options and rules; a command may add to it
				  before the first run is loaded */
	const struct console *console;
	struct store *store; /* NULL: none */
	bool store_fails; /* it is not used any more */
	bool store_is_new; /* the default database, created by this call */
	bool stored; /* a run was stored */
	bool unkept; /* a run was not stored, as the database can't be written */
	struct ahead *ahead; /* NULL: no run is loaded before its turn */
	const char *db; /* path of the database */
	struct loaded *loaded; /* [count] */
	size_t count;
	struct past_run *past; /* [past_count] all loaded runs, in order */
	size_t past_count;
	bool unreadable; /* a run has a file that can't be read */
	bool damaged; /* with --strict: a run is damaged, as check says */
	char *spoilt; /* why the last loaded run is damaged or unreadable, as a sentence;
			 NULL: it is neither; owned */
	char **warning; /* [warning_count] sentences on runs that could not be used */
	size_t warning_count;
};

/* Opens the database, and makes room for a run for each operand. -1: a database named by
 * the user can't be used. Release in either case. */
int runs_init(struct runs *runs, const struct options *opt, const struct console *console,
	struct error *err);
void runs_release(struct runs *runs);

/* Begins to load the runs of these paths, one each, by the plan and in this order: with
 * several threads, or with a database one run ahead. The paths are borrowed until
 * runs_release(). */
void runs_announce(struct runs *runs, const char *const *path, size_t count);

/* Loads the run of these operands. -1: the error is printed, and kept as a warning. */
int runs_load(struct runs *runs, const char *const *path, size_t count);

/* Counts the run that a caller has put into loaded[count]. */
void runs_took(struct runs *runs);

/* Prints the error of a run that can't be used, and keeps it as a warning. Returns -1. */
int runs_fail(struct runs *runs, const struct error *err);

enum exit_status runs_status(const struct runs *runs);

/* The comparison on a page of several runs. */

struct page_comparison {
	struct comparison comparison;
	struct error why; /* why the runs are not compared; "": they are */
};

/*
 * Compares the loaded runs. nth: [runs->count] their operands. Their reports must have
 * all metrics and phases; afterwards they have only the devices of --device.
 */
void page_comparison_init(
	struct page_comparison *comparison, struct runs *runs, const size_t *nth);

/*
 * The runs of a call on their way to the output. If the format takes them one by one,
 * each is loaded in its turn and released before the next one, so that ten thousand runs
 * need no more memory than ten. Zeroed except for the first three members.
 */
struct run_stream {
	struct runs *runs;
	const struct render_format *format;
	struct report_filter filter;
	size_t operand; /* the next to be loaded */
	bool begun; /* a run was taken */
	struct render_input in;
	struct page_comparison *comparison; /* NULL: not wanted */
	FILE *out;
	int broke; /* errno of the first write that failed */
	struct sigaction pipe; /* the action for SIGPIPE before and after the runs */
	struct error refused; /* the output would overwrite a file of a run */
	bool is_refused;
};

/* Loads the next run that can be loaded; false: there are no more. */
bool stream_load_next(struct run_stream *s);

/* With -v: finds the lines of the run's findings in its logs. */
void stream_find_lines(struct runs *runs, struct loaded *loaded);

/* Makes `in` give one run after the other. The first one is loaded already. */
void stream_one_by_one(struct run_stream *s);

/* Writes the stream, which is `context`, in its format: for result_print(). -1 also: the
 * output would overwrite a file of a run. */
int stream_write(void *context, const struct render_options *options, FILE *out,
	struct error *err);

/*
 * Operands of commands that compare runs. "A=run" names the run A, unless a file of that
 * name exists, or A has a slash and the run does not exist ("runs/lr=0.1"). Other
 * operands are the names of their runs.
 */

struct named {
	char **name; /* [count] owned; no two are equal */
	const char **path; /* [count] borrowed from the operands */
	size_t count;
};

/* -1: two runs have the same name. Release in either case. */
int named_init(struct named *named, const struct options *opt, struct error *err);
void named_release(struct named *named);

/*
 * The baseline from a database (--baseline-db, --where), without the runs that are new
 * ones, too.
 */

struct baseline {
	const struct options *opt;
	const struct named *named; /* names of the new runs */
	const struct runs *new; /* runs that must not be in the baseline */
	struct store *store; /* NULL: no baseline database */
	size_t runs; /* number of runs in the database */
	size_t others; /* ... that are not new runs */
	size_t count; /* ... that are the baseline */
	/* while they are added: */
	struct comparing *comparing;
	struct comparison *out;
	int added; /* -1: err says why a run could not be added */
	struct error err;
};

/* -1: there is a baseline database, but no baseline in it. */
int baseline_check(const struct baseline *baseline, struct error *err);

/* Runs loaded for a comparison, each on a side or on none. */

struct sides {
	struct runs runs;
	struct baseline baseline;
	const struct named *named;
	struct comparison comparison;
	struct lost_run *lost; /* [lost_count] new runs that can't be used; owned */
	size_t lost_count, lost_cap;
	struct pairing pairing;
	bool has_devices; /* a run has numbers of the devices of --device */
};

/* Why --vs, --baseline-db and --where can't be used like this; NULL: they can. */
const char *sides_refused(const struct options *opt);

/* The side of the nth operand. */
typedef enum side sides_of(const struct options *opt, int nth);

/* By --vs. Without it two runs are base and new, and more runs are on no side. */
enum side sides_plain(const struct options *opt, int nth);

/* Selects the wanted numbers, with the options as context; NULL: the headline numbers. */
compare_wanted *sides_wanted(const struct options *opt);

/* Why runs can't be compared: a side is missing. */
extern const char sides_missing[];

/*
 * Loads all runs and those of --baseline-db, and compares the wanted numbers (with the
 * options as context). draws: with timelines. -1: there is no comparison. Release in
 * either case.
 */
int sides_load(struct sides *sides, const struct options *opt, const struct named *named,
	sides_of *side_of, compare_wanted *wanted, bool draws,
	const struct console *console, struct error *err);
void sides_release(struct sides *sides);

/*
 * Checks that --device, --metric and --phase match something in the loaded runs, whose
 * reports are complete. A name that matches nothing is mistyped or not recorded. -1: one
 * of the options matches nothing in any run; the nearest names are printed. Runs without
 * a match are named if other runs have one.
 */
int matching_check(const struct loaded *loaded, size_t count,
	const struct report_filter *filter, const struct console *console);

/* The same for several options together, after their selection was applied. */
int matching_check_left(const struct loaded *loaded, size_t count,
	const struct report_filter *filter, const struct console *console);

#endif
