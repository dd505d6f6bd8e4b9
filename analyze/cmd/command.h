/* The commands, their exit status, and the help. */
#ifndef CMD_COMMAND_H
#define CMD_COMMAND_H

#include "cmd/options.h"

enum exit_status {
	EXIT_DONE = 0,
	EXIT_FAILED = 1, /* of a gate, a calibration, a self-test */
	EXIT_USAGE = 2, /* wrong usage; no usable run, database or output */
	EXIT_UNUSABLE = 3, /* some runs are unusable; with --strict also: damage */
	EXIT_INCONCLUSIVE = 4 /* a gate with too few runs to decide */
};

/* Prints a sentence for the user on stderr. Only main sets it, and prints errors. */
struct console {
	void (*say)(const char *format, ...) __attribute__((format(printf, 1, 2)));
};

/* A command. Returns an exit status, or -1 for EXIT_USAGE: then err says why. */
typedef int cmd_run(
	const struct options *opt, const struct console *console, struct error *err);
cmd_run cmd_summarize, cmd_report, cmd_export, cmd_check, cmd_explain, cmd_compare,
	cmd_gate, cmd_trend, cmd_forget, cmd_merge, cmd_push, cmd_list_runs, cmd_sql;

/*
 * Runs the command named by the first operand, else summary. An option that the command
 * does not take is an error: a gate without the word gate must not pass.
 */
enum exit_status command_run(struct options *opt, const struct console *console);

/* topic: a command, "logs", "formats" or "options"; NULL: the program. False: unknown
 * topic. */
bool help_print(FILE *out, const char *topic);
void help_short(FILE *out); /* three examples */
/* Appends "; did you mean compare?" if the word is nearly a command. */
void help_say_near(const char *word, struct strbuf *sb);

/* --list-metrics, --list-formats */
enum exit_status cmd_list(const struct options *opt);

#endif
