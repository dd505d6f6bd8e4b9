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
	void (*say)(const char *format, ...) __attribute__((format(printf, 1, 2)));
};

/* A command. Returns an exit status, or -1 for EXIT_USAGE: then err says why. */
typedef int cmd_run(
	const struct options *opt, const struct console *console, struct error *err);
cmd_run cmd_summarize, cmd_report, cmd_export, cmd_check, cmd_explain, cmd_compare,
	cmd_gate, cmd_trend, cmd_forget, cmd_merge, cmd_push, cmd_list_runs, cmd_sql;

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
