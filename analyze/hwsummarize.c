/*
 * main: options, then the command, then its exit status. The only file beside base/alloc
 * that prints errors or ends the program.
 */
#include <stdio.h>

#include "cmd/command.h"

/* One line, whatever bytes a file's name holds. */
static void say(const char *sentence)
{
	fputs("hwsummarize: ", stderr);
	for (const char *c = sentence; *c; c++) {
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			fprintf(stderr, "\\x%02x", (unsigned char)*c);
		else
			putc(*c, stderr);
	}
	putc('\n', stderr);
}

int main(int argc, char **argv)
{
	const struct console console = {say};
	struct options opt;
	struct error err;
	enum exit_status status = EXIT_DONE;

	if (options_parse(&opt, argc, argv, &err) < 0) {
		say(err.message);
		status = EXIT_USAGE;
	} else if (opt.help) {
		options_help(stdout);
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
		status = cmd_summarize(&opt, &console);
	}
	options_release(&opt);
	if (status == EXIT_DONE && (fflush(stdout) != 0 || ferror(stdout))) {
		say("standard output can't be written");
		status = EXIT_USAGE;
	}
	return (int)status;
}
