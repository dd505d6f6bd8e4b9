/*
 * The command line: one table of options, from which come parsing, the help and (by a
 * test) the man page. Options may follow operands; "--" ends them.
 */
#ifndef CMD_OPTIONS_H
#define CMD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "compute/series/series.h"
#include "foreign/foreign.h"
#include "model/answer.h"
#include "model/report.h"
#include "model/run.h"

struct gate_rules;
struct progress;

struct options {
	const char *db; /* --db; NULL: the default */
	bool no_db;
	bool join;
	const char *format; /* "text" */
	const char *output; /* -o; NULL: stdout */
	const char *tz; /* NULL: not given */
	struct zone zone; /* --tz, understood */
	const char *columns; /* NULL */
	int64_t gap_ns; /* -1 */
	int64_t since_ns, until_ns; /* -1 */
	int64_t interval_ns; /* -1 */
	const char *phase, *device, *metric; /* globs; NULL: all */
	int32_t jobs; /* threads that load; 0: as many as there are processors */
	bool calls, per_core, strict, no_color;
	const char *statistic; /* NULL: not given */
	struct label_list label; /* --label: of the runs that are loaded */
	struct label_list where; /* --where: labels that a stored run must have */
	const char *baseline_db; /* whose runs are the base; NULL: none */
	const char *dsn; /* the PostgreSQL to push to; NULL: none */
	const char *by; /* the label that runs are ordered by; NULL: time */
	const char *work; /* a glob; NULL: all */
	const char *gate_rules; /* NULL: none */
	bool calibrate, selftest;
	const struct gate_rules *gate; /* those of the file; no option; NULL: none */
	int vs; /* operands before --vs; -1: not given */
	struct tool_options tools; /* what is asked of their formats */
	struct progress *progress; /* of loading; no option; NULL: nobody watches */
	uint64_t given; /* bits: the options that stand there, as in the table */
	int verbose; /* -1: quiet */
	bool help, version, list_metrics, list_formats;
	const char **operand; /* [operand_count] borrowed from argv, or opened */
	int operand_count;
	char **opened; /* [opened_count] paths of runs in folders; owned */
	size_t opened_count, opened_cap;
};

/* Fills *opt; -1: err names the option and what was expected. */
int options_parse(struct options *opt, int argc, char **argv, struct error *err);
bool options_has(const struct options *opt, const char *name); /* does it stand there? */
void options_release(struct options *opt);

/* What of a run is asked for; its texts are the options'. */
struct report_filter options_filter(const struct options *opt);
bool options_has_filter(const struct options *opt); /* a --metric, --device or --phase */

/* The database that is meant: --db, $HWSUMMARIZE_DB, else runs.db. */
const char *options_db(const struct options *opt);
bool options_name_db(const struct options *opt); /* did somebody name it? */

/*
 * Which options belong to some commands only. One that would do nothing is refused:
 * who forgets the word gate would have a gate that can't fail.
 */

/* command: its name; NULL: none stands there. A sentence, to be freed; NULL: all do. */
char *belongs_refuse(const struct options *opt, const char *command);

/* What --help prints: of everything, or of one command. */

/* command: its name; NULL, or what is none: of everything. */
void help_print(FILE *out, const char *command);

/* Of an operand that is no file: the command that may be meant, in a sentence; NULL: none
 * is near. To be freed. */
char *help_hint(const char *operand);

const char *help_command(size_t nth); /* NULL: there are no more */

/* What --since and --until mean for a run. */

static inline bool window_is_asked(const struct options *opt)
{
	return opt->since_ns >= 0 || opt->until_ns >= 0;
}

/*
 * A sentence for an option that means nothing to a command that asks the database and
 * reads no log; NULL: there is none. To be freed. chooses: it takes --where.
 */
char *stored_refuse(const struct options *opt, const char *command, bool chooses);

/*
 * Which formats a command prints: for what it refuses, for its help, and for what
 * shells complete. "gate --calibrate" and "gate --selftest" are commands of their own
 * here. One that is in no table prints lines for people alone.
 */

/* -1: it does not print this one, and a sentence says what it does. */
int formats_check(const char *command, const char *format, struct error *err);

/* What hwsummarize RUN... says of one that it does not print. */
void formats_refuse(const char *format, struct error *err);

/* Does it print this one, or does it with one of its options? */
bool formats_has(const char *command, const char *format);

#endif
