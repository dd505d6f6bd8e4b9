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
#include "model/rule.h"
#include "render/render.h"
#include "store/store.h"

struct ahead;

struct past_run {
	char *key, *path;
};

struct runs {
	const struct options *opt;
	struct load_plan plan; /* of these, with the rules; commands add to it before the
				  first run is loaded */
	struct rule_set rules;
	const struct console *console;
	struct store *store; /* NULL: none */
	bool store_fails; /* it is not asked any more */
	bool store_is_new; /* the default database, which was not there before */
	bool stored; /* a run was put into it */
	bool unkept; /* it did not take a run, as it can't be written */
	struct ahead *ahead; /* NULL: each run is loaded when it is its turn */
	const char *db; /* its path */
	struct loaded *loaded; /* [count] */
	size_t count;
	struct past_run *past; /* [past_count] all that were loaded, in order */
	size_t past_count;
	bool unreadable; /* one of them has a file that can't be read */
	bool damaged; /* with --strict: one of them is not sound, as check says */
	char *spoilt; /* why the last one that was loaded is damaged or unreadable in the
			 above sense, as a sentence; NULL: it is not; owned */
	char **warning; /* [warning_count] runs that could not be used */
	size_t warning_count;
};

/* Room for as many runs as there are operands, and the database. -1: a named database
 * can't be used. Release in either case. */
int runs_init(struct runs *runs, const struct options *opt, const struct console *console,
	struct error *err);
void runs_release(struct runs *runs);

/* These runs, one each, are to be loaded in their order, by the plan: without a
 * database by several threads, into one the next is read beside the one before. The paths
 * are borrowed until runs_release. */
void runs_announce(struct runs *runs, const char *const *path, size_t count);

/* Loads the run that these operands are; 0, -1: it is said, and kept as a warning. */
int runs_load(struct runs *runs, const char *const *path, size_t count);

/* The next of loaded has been filled. */
void runs_took(struct runs *runs);

/* One more run that could not be used: said, and kept. Returns -1. */
int runs_fail(struct runs *runs, const struct error *err);

enum exit_status runs_status(const struct runs *runs);

/* The runs of a page beside one another, as compare has them. */

struct page_comparison {
	struct comparison comparison;
	struct error why; /* "": it is whole; else why the runs are not compared */
};

/* Is there more than one run to be? */
bool page_comparison_is_asked(const struct options *opt);

/*
 * nth: [runs->count] of the operands. Their reports are of all metrics and phases yet; of
 * the devices that are asked for alone they are behind it.
 */
void page_comparison_init(
	struct page_comparison *comparison, struct runs *runs, const size_t *nth);
void page_comparison_release(struct page_comparison *comparison);

/*
 * The runs of a call on their way to the output. Where the format takes them one by
 * one, each is loaded when its turn comes, and let go when the next one is: ten
 * thousand need no more memory than ten.
 */

/* Zeroed but for the first three. */
struct run_stream {
	struct runs *runs;
	const struct render_format *format;
	struct report_filter filter;
	size_t operand; /* the next to be loaded */
	bool begun; /* a run was taken */
	struct render_input in;
	struct page_comparison *comparison; /* of runs that are loaded already; NULL: it
				  is not asked for */
	FILE *out;
	int broke; /* errno of the first write that failed */
	struct sigaction pipe; /* what a broken pipe does before and behind the runs */
	struct error refused; /* a run that the output would be written over */
	bool is_refused;
};

/* The next run that can be loaded, behind those of `runs`; false: there is none left. */
bool stream_load_next(struct run_stream *s);

/* With -v: where each of its findings stands in the logs, whatever it was loaded from. */
void stream_find_lines(struct runs *runs, struct loaded *loaded);

/* From now on `in` gives one run after the other; the first has been loaded. */
void stream_one_by_one(struct run_stream *s);

/*
 * The stream, as `context`, in its format: for result_print(). -1 also: the output would
 * be written over a run.
 */
int stream_write(void *context, const struct render_options *options, FILE *out,
	struct error *err);

/*
 * Operands of commands that set runs beside one another: "A=run" is a run that is
 * called A, unless there is a file of that name, or A has a slash and there is no such
 * run, as in "runs/lr=0.1"; any other is called as it is given.
 */

struct named {
	char **name; /* [count] owned; no two are equal */
	const char **path; /* [count] borrowed from the operands */
	size_t count;
};

/* -1: two have one name; release in either case. */
int named_init(struct named *named, const struct options *opt, struct error *err);
void named_release(struct named *named);

/*
 * The base of a comparison out of a database: --baseline-db, of whose runs --where
 * chooses by labels. Runs that are new ones as well are left out.
 */

struct baseline {
	const struct options *opt;
	const struct named *named; /* the new ones, whose names are taken */
	const struct runs *new; /* those that are not to be in it */
	struct store *store; /* NULL: there is none */
	size_t runs; /* that the database has */
	size_t others; /* ... that are none of the new ones */
	size_t count; /* of them those of the base */
	/* while they are added */
	struct comparing *comparing;
	struct comparison *out;
	int added; /* -1: a run could not be, err says why */
	struct error err;
};

/* -1: a base was asked for, and is empty, which err says. */
int baseline_check(const struct baseline *baseline, struct error *err);

/*
 * Runs loaded for a comparison: each of a side, or of none. One bad run hides no
 * other.
 */

struct sides {
	struct runs runs;
	struct baseline baseline;
	const struct named *named;
	struct comparison comparison;
	struct lost_run *lost; /* [lost_count] new runs that could not be used; owned */
	size_t lost_count, lost_cap;
	struct pairing pairing;
	bool has_devices; /* an operand has numbers of the devices that are asked for */
};

/* A sentence for what can't be asked of --vs, a base and --where; NULL: all can. */
const char *sides_refused(const struct options *opt);

/* The side of the nth operand. */
typedef enum side sides_of(const struct options *opt, int nth);

/* By --vs; without it two runs are base and new, more are on no side. */
enum side sides_plain(const struct options *opt, int nth);

/* The numbers that are asked for, with the options as context; NULL: what people look at
 * first. */
compare_wanted *sides_wanted(const struct options *opt);

/* Why a comparison is not whole. */
extern const char sides_missing[];

/*
 * Loads every run, beside those of --baseline-db, and compares what is wanted (with the
 * options as context); draws: with timelines. -1: there is no comparison. Release in
 * either case.
 */
int sides_load(struct sides *sides, const struct options *opt, const struct named *named,
	sides_of *side_of, compare_wanted *wanted, bool draws,
	const struct console *console, struct error *err);
void sides_release(struct sides *sides);

/*
 * Does what --device, --metric and --phase ask for exist in the runs that were loaded?
 * What matches nothing is a name that somebody mistyped, or a number that nobody
 * recorded: no report of it looks like a result.
 */

/*
 * loaded[count]: with all of their reports. -1: one of them matches nothing in any run;
 * it is said, with names that are near it. Runs beside others in which it matches nothing
 * are named. per_core as of the filter.
 */
int matching_check(const struct loaded *loaded, size_t count,
	const struct report_filter *filter, const struct console *console);

/* The same of reports from which was selected, several options together. */
int matching_check_left(const struct loaded *loaded, size_t count,
	const struct report_filter *filter, const struct console *console);

#endif
