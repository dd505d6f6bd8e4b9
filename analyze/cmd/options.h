/*
 * The command line: one table of options, from which come parsing, the help and (by a
 * test) the man page. Options may follow operands; "--" ends them.
 */
#ifndef CMD_OPTIONS_H
#define CMD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "model/dialect.h"
#include "model/report.h"
#include "model/run.h"

struct rule_set;
struct gate_rules;
struct progress;

/* Of the runs that are named in an array of paths those that are drawn: so many of them
 * from this one on. */
struct timeline_share {
	const char *const *from; /* NULL: none */
	size_t count;
};

struct options {
	const char *db; /* --db; NULL: the default */
	bool no_db;
	bool join;
	const char *format; /* "text" */
	const char *output; /* -o; NULL: stdout */
	const char *tz;
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
	struct dialect_options dialect; /* its dialect: the format's business */
	const struct rule_set *rules; /* of findings; no option, but shapes the report;
					 NULL: none */
	bool samples; /* they are shown, so a store keeps them till the run is released;
			 no option */
	bool several; /* runs are told from one another by what logs hold; no option */
	struct progress *progress; /* of loading; no option; NULL: nobody watches */
	bool silent_rules; /* those that don't fire leave findings, too; no option */
	size_t timeline_columns; /* of a run's timeline; no option; 0: there is none */
	struct timeline_share timeline_of[2]; /* whose; no option */
	uint64_t given; /* bits: the options that stand there, as in the table */
	int verbose; /* -1: quiet */
	bool help, version, list_metrics, list_formats;
	const char **operand; /* [operand_count] borrowed from argv */
	int operand_count;
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

/* A line for each; wanted: of those of these names, to a NULL; NULL: of all. formats:
 * what stands behind --format; NULL: where all are listed. */
struct help_page;
void options_help(
	const struct help_page *page, const char *const *wanted, const char *formats);

#endif
