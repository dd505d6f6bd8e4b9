/* The commands: each takes the options and gives the exit status. */
#ifndef CMD_COMMAND_H
#define CMD_COMMAND_H

#include "cmd/options.h"

enum exit_status {
	EXIT_DONE = 0,
	EXIT_FAILED = 1, /* a gate, a calibration, a self-test */
	EXIT_USAGE = 2, /* wrong usage; no usable run, database or output */
	EXIT_UNUSABLE = 3, /* some runs unusable; or damage, with --strict */
	EXIT_INCONCLUSIVE = 4 /* a gate with too few runs to decide */
};

/* Prints a sentence for the user on stderr. Set by main, which alone prints errors. */
struct console {
	void (*say)(const char *sentence);
};

enum exit_status cmd_summarize(const struct options *opt, const struct console *console);
enum exit_status cmd_report(const struct options *opt, const struct console *console);
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

/*
 * Runs the command that the operands begin with, else summary. An option that the command
 * does not take is refused rather than ignored: a gate without the word gate must not
 * pass.
 */
enum exit_status command_run(struct options *opt, const struct console *console);

/* topic: a command, "logs", "formats" or "options"; NULL: the program. False: there is no
 * such topic. */
bool help_print(FILE *out, const char *topic);
void help_short(FILE *out); /* three examples */

/* --list-metrics, --list-formats */
enum exit_status cmd_list(const struct options *opt);

#endif
