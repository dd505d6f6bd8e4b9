/*
 * main: options, then the command, then its exit status. Only this file and base/alloc
 * print errors or end the program.
 */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/options.h"
#include "cmd/progress.h"

static void say(const char *format, ...)
{
	struct error fitted;
	struct strbuf sentence;
	va_list ap;
	char *line;

	strbuf_init(&sentence);
	va_start(ap, format);
	strbuf_vaddf(&sentence, format, ap);
	va_end(ap);
	error_set(&fitted, "%s", sentence.text);
	strbuf_release(&sentence);
	line = terminal_line(fitted.message);
	fprintf(stderr, "hwsummarize: %s\n", line);
	free(line);
}

/* "help", "help TOPIC" or "COMMAND help", unless such a file is there. */
static bool asks_for_help(const struct options *opt)
{
	for (int i = 0; i < opt->operand_count && i < 2; i++)
		if (strcmp(opt->operand[i], "help") == 0 && access("help", F_OK) != 0)
			return true;
	return false;
}

static enum exit_status help(const struct options *opt)
{
	const char *topic = NULL;
	struct strbuf near;

	for (int i = opt->operand_count < 2 ? opt->operand_count : 2; i-- > 0;)
		if (strcmp(opt->operand[i], "help") != 0)
			topic = opt->operand[i];
	if (help_print(stdout, topic) || (opt->help && help_print(stdout, NULL)))
		return EXIT_DONE;
	near = strbuf_new();
	help_say_near(topic, &near);
	say("no help on '%s'%s", topic, near.len ? near.text : " (see hwsummarize help)");
	strbuf_release(&near);
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	const struct console console = {say};
	struct options opt;
	struct error err;
	enum exit_status status = EXIT_DONE;

	/* A file that may not grow is an error with a message, not the end by a signal.
	 */
	signal(SIGXFSZ, SIG_IGN);
	if (options_parse(&opt, argc, argv, &err) < 0) {
		say("%s", err.message);
		status = EXIT_USAGE;
	} else if (opt.help || asks_for_help(&opt)) {
		status = help(&opt);
	} else if (opt.version) {
		puts("hwsummarize " VERSION);
	} else if (opt.list_metrics || opt.list_formats) {
		status = cmd_list(&opt);
	} else if (!opt.operand_count) {
		help_short(stderr);
		status = EXIT_USAGE;
	} else {
		opt.progress = progress_new(&opt, stderr);
		status = command_run(&opt, &console);
		progress_free(opt.progress);
	}
	options_release(&opt);
	if (status == EXIT_DONE && (fflush(stdout) != 0 || ferror(stdout))) {
		say("can't write to standard output");
		status = EXIT_USAGE;
	}
	return (int)status;
}
