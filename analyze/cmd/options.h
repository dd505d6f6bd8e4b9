/*
 * The command line. One table of options is for the parser and the help; a test compares
 * the manual page with it. Options may follow operands; "--" ends the options.
 */
#ifndef CMD_OPTIONS_H
#define CMD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "foreign/foreign.h"
#include "model/report.h"
#include "model/run.h"
#include "read/maps.h"

struct gate_rules;
struct progress;

/* Where help lists an option. */
enum option_use {
	USE_FIRST, /* also in the help of the program, if summary takes it */
	USE_OFTEN,
	USE_RARELY,
	USE_OF_TOOLS, /* only in the help on formats */
	USE_ALWAYS /* every command takes it */
};

enum option_kind {
	FLAG,
	TEXT,
	DURATION, /* above 0 */
	INSTANT, /* a duration from the run's start, from 0 */
	COUNT_UP,
	COUNT_DOWN,
	JSON,
	NUMBER,
	LABEL, /* may be given several times */
	PLACE, /* among the operands */
	OF_TOOLS /* options of other tools' formats, which have their own table */
};

struct option {
	char letter; /* 0: none */
	const char *name; /* NULL: none */
	enum option_kind kind;
	size_t field; /* offset in struct options; of OF_TOOLS: its number there */
	const char *argument; /* NULL: none */
	enum option_use use;
	const char *help;
};

/* In the order of the help; false: no more. */
bool option_nth(size_t nth, struct option *option);

struct options {
	const char *db; /* --db; NULL: the default */
	bool no_db;
	bool join;
	const char *format; /* "text" */
	const char *output; /* -o; NULL: stdout */
	const char *tz; /* NULL: not given */
	struct zone zone; /* --tz, understood */
	const char *columns; /* NULL */
	const char *map; /* NULL */
	struct table_maps maps; /* the program's own, and that one */
	int64_t gap_ns; /* -1 */
	int64_t since_ns, until_ns; /* -1 */
	int64_t interval_ns; /* -1 */
	int64_t timeout_ns; /* of a query */
	const char *phase, *device, *metric; /* globs; NULL: all */
	int32_t jobs; /* threads that load; 0: as many as there are processors */
	bool calls, per_core, strict, no_color;
	const char *statistic; /* NULL: not given */
	const char *weights; /* a file; NULL: not given */
	struct label_list label; /* --label: of the runs that are loaded */
	struct label_list where; /* --where: labels that a stored run must have */
	const char *baseline_db; /* whose runs are the base; NULL: none */
	const char *dsn; /* the PostgreSQL to push to; NULL: none */
	const char *by; /* the label that runs are ordered by; NULL: time */
	const char *work; /* a glob; NULL: all */
	bool paired; /* the runs of both sides, in their order */
	const char *paired_by; /* ... by this label, or "time"; NULL: not given */
	const char *gate_rules; /* NULL: none */
	bool calibrate, selftest, allow_undetected;
	const struct gate_rules *gate; /* read from gate_rules; no option; NULL: none */
	int vs; /* operands before --vs; -1: not given */
	struct tool_options tools; /* of other tools' formats */
	struct progress *progress; /* of loading; no option; NULL: none is shown */
	uint64_t given; /* bits of the given options, in the order of the table */
	int verbose; /* -1: quiet */
	bool help, version, list_metrics, list_formats;
	const char **operand; /* [operand_count] borrowed from argv, or opened */
	int operand_count;
	char **opened; /* [opened_count] paths of runs in folders; owned */
	size_t opened_count, opened_cap;
};

/*
 * Appends a file of JSON that an option names. -1: it can't be read, or has more than
 * `most` bytes or a NUL, and err says so: "NAME: EXPECTED".
 */
int options_read_json(struct strbuf *text, const char *path, size_t most,
	const char *name, const char *expected, struct error *err);

/* Fills *opt; -1: err names the option and what was expected. */
int options_parse(struct options *opt, int argc, char **argv, struct error *err);
bool options_has(const struct options *opt, const char *name); /* is it given? */
void options_release(struct options *opt);

/* The part of a run that is wanted; its texts belong to the options. */
struct report_filter options_filter(const struct options *opt);
bool options_has_filter(const struct options *opt); /* a --metric, --device or --phase */

/* The database: --db, $HWSUMMARIZE_DB, else runs.db. */
const char *options_db(const struct options *opt);
bool options_name_db(const struct options *opt); /* did the user name it? */

/* --since or --until */
static inline bool window_is_asked(const struct options *opt)
{
	return opt->since_ns >= 0 || opt->until_ns >= 0;
}

#endif
