/*
 * main: options, then the command, then its exit status. The only file beside base/alloc
 * that prints errors or ends the program.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/folders.h"
#include "cmd/options.h"
#include "cmd/progress.h"

static void say(const char *sentence)
{
	struct error fitted;
	char *line;

	error_set(&fitted, "%s", sentence);
	line = terminal_line(fitted.message);
	fprintf(stderr, "hwsummarize: %s\n", line);
	free(line);
}

static bool is_refused(const struct options *opt, const char *command)
{
	char *refused = belongs_refuse(opt, command);

	if (refused)
		say(refused);
	free(refused);
	return refused;
}

/* No file, but nearly a command: nothing is read or written then. */
static bool is_mistyped(const char *operand)
{
	char *hint = help_hint(operand);

	if (hint)
		say(hint);
	free(hint);
	return hint != NULL;
}

/*
 * The first operand may be a command's name; ./check is a run of that name.
 */
static enum exit_status run_command(struct options *opt, const struct console *console)
{
	static const char no_run[] = "no run given: expected run directories or log "
				     "files behind the command";
	static const struct {
		const char *name;
		enum exit_status (*run)(
			const struct options *opt, const struct console *console);
		const char *alone; /* what to say where no operand stands behind it;
				      NULL: none need */
		bool stored; /* of stored runs, without any option of these */
	} commands[] = {{"check", cmd_check, no_run, false},
		{"compare", cmd_compare, no_run, false},
		{"explain", cmd_explain, no_run, false},
		{"export", cmd_export, no_run, false}, {"gate", cmd_gate, no_run, false},
		{"forget", cmd_forget, NULL, true}, {"list", cmd_list_runs, NULL, true},
		{"merge", cmd_merge,
			"no database given: expected those whose runs are to be taken "
			"behind the command",
			true},
		{"push", cmd_push, NULL, true}, {"report", cmd_report, no_run, false},
		{"sql", cmd_sql,
			"no query given: expected one in quotes behind the command, as "
			"'SELECT * FROM v_run'",
			true},
		{"trend", cmd_trend,
			"no metric given: expected a key of resource_summary or a metric "
			"behind the command",
			false}};

	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
		if (strcmp(opt->operand[0], commands[i].name) != 0)
			continue;
		opt->operand_count--;
		opt->vs -= opt->vs > 0;
		memmove(opt->operand, opt->operand + 1,
			(size_t)opt->operand_count * sizeof *opt->operand);
		if (!commands[i].stored && is_refused(opt, commands[i].name))
			return EXIT_USAGE;
		if (!commands[i].stored && !opt->join)
			folders_open(opt, console);
		if (opt->operand_count || !commands[i].alone)
			return commands[i].run(opt, console);
		say(commands[i].alone);
		return EXIT_USAGE;
	}
	if (is_mistyped(opt->operand[0]))
		return EXIT_USAGE;
	if (opt->vs >= 0) {
		say("--vs sets runs beside one another: expected hwsummarize compare "
		    "BASE... --vs NEW...");
		return EXIT_USAGE;
	}
	if (is_refused(opt, NULL))
		return EXIT_USAGE;
	if (!opt->join)
		folders_open(opt, console);
	return cmd_summarize(opt, console);
}

int main(int argc, char **argv)
{
	const struct console console = {say};
	struct options opt;
	struct error err;
	enum exit_status status = EXIT_DONE;

	/* A file that may not grow any more is an error, which is said, and no death. */
	signal(SIGXFSZ, SIG_IGN);
	if (options_parse(&opt, argc, argv, &err) < 0) {
		say(err.message);
		status = EXIT_USAGE;
	} else if (opt.help) {
		help_print(stdout, opt.operand_count ? opt.operand[0] : NULL);
	} else if (opt.version) {
		puts("hwsummarize " VERSION);
	} else if (opt.list_metrics || opt.list_formats) {
		status = cmd_list(&opt);
	} else if (!opt.operand_count) {
		say("no run given: expected run directories or log files (see "
		    "hwsummarize "
		    "--help)");
		status = EXIT_USAGE;
	} else {
		opt.progress = progress_new(&opt, stderr);
		status = run_command(&opt, &console);
		progress_free(opt.progress);
	}
	options_release(&opt);
	if (status == EXIT_DONE && (fflush(stdout) != 0 || ferror(stdout))) {
		say("standard output can't be written");
		status = EXIT_USAGE;
	}
	return (int)status;
}
