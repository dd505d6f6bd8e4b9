/* The commands: each takes the options and gives the exit status. */
#ifndef CMD_COMMAND_H
#define CMD_COMMAND_H

#include "cmd/options.h"

enum exit_status {
	EXIT_DONE = 0,
	EXIT_FAILED = 1, /* a gate, a calibration, a self-test */
	EXIT_USAGE = 2, /* usage, output, database; not one usable run, or part that is
			   asked for */
	EXIT_UNUSABLE = 3, /* a run beside usable ones; or damage, with --strict */
	EXIT_INCONCLUSIVE = 4 /* a gate that so few runs can't tell */
};

/*
 * A sentence for the user on stderr. Set by main, the only file that prints errors; the
 * commands call it through this.
 */
struct console {
	void (*say)(const char *sentence);
};

enum exit_status cmd_summarize(const struct options *opt, const struct console *console);

/* The same as a page, in a file. */
enum exit_status cmd_report(const struct options *opt, const struct console *console);

/* The same for other programs: a trace, openmetrics, csv, ndjson. */
enum exit_status cmd_export(const struct options *opt, const struct console *console);
enum exit_status cmd_check(const struct options *opt, const struct console *console);
enum exit_status cmd_explain(const struct options *opt, const struct console *console);
enum exit_status cmd_compare(const struct options *opt, const struct console *console);
enum exit_status cmd_gate(const struct options *opt, const struct console *console);
enum exit_status cmd_trend(const struct options *opt, const struct console *console);
enum exit_status cmd_forget(const struct options *opt, const struct console *console);
enum exit_status cmd_merge(const struct options *opt, const struct console *console);
enum exit_status cmd_push(const struct options *opt, const struct console *console);
enum exit_status cmd_list_runs(const struct options *opt, const struct console *console);
enum exit_status cmd_sql(const struct options *opt, const struct console *console);

/* --list-metrics, --list-formats */
enum exit_status cmd_list(const struct options *opt);

#endif
