/* The table of commands, and the help. */
#include "cmd/command.h"

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/name_match.h"
#include "base/text.h"
#include "cmd/formats.h"
#include "cmd/load.h"
#include "cmd/options.h"
#include "cmd/progress.h"
#include "read/archive.h"
#include "read/read_run.h"

#define USAGES	 3
#define EXAMPLES 3
#define OPTIONS	 36
#define OTHERS	 9

struct command {
	const char *name;
	const char *group; /* begins a group of this title; NULL: goes on with the last */
	const char *what; /* one line, for the help of the program */
	const char *more; /* a paragraph for its own help */
	cmd_run *run;
	const char *needs; /* its operands, in words; NULL: it runs without any */
	bool reads; /* logs, not only the database */
	const char *other[OTHERS]; /* names that people and other tools have for it */
	const char *usage[USAGES]; /* after the name */
	struct {
		const char *call, *what;
	} example[EXAMPLES];
	const char *option[OPTIONS]; /* all that it takes, but those that all take */
};

/* Options that go together. */
#define PRINTED "format", "json", "output"
#define QUIET	"no-color", "quiet"
#define VERBOSE QUIET, "verbose"
#define READ	"tz", "gap", "interval", "columns", "map"
#define LOADED	"db", "no-db", "label", "jobs", "strict"
#define PART	"device", "metric", "phase", "since", "until", "per-core"

#define A_RUN "a run directory or a log file"

static const struct command commands[] = {
	{"summary", "Look at runs", "what the runs used, and what was wasted (default)",
		"What the runs used, in which phase, what was wasted and why. This is "
		"the default: hwsummarize RUN... does the same. More than four runs are "
		"a table with a row each; -v prints each in full. The results are kept "
		"in the runs database, so that the next call is faster; --no-db does "
		"without.",
		cmd_summarize, A_RUN, true,
		{"stats", "show", "view", "analyze", "summarize", "info", "load",
			"import", "add"},
		{"[OPTIONS] RUN..."},
		{{"runs/*/", "every run: a row each, if they are many"},
			{"gpu_log.csv --json", "one log, for programs"},
			{"runs/old-1 --phase load",
				"only this one in the table of phases"}},
		{PRINTED, "join", "calls", READ, LOADED, PART, VERBOSE}},
	{"report", NULL, "the same as an HTML page",
		"Writes the summary as one HTML page, to report.html or the file of -o. "
		"The page loads nothing from the network. It also compares the runs when "
		"there are several.",
		cmd_report, A_RUN, true, {"html", "page", "plot", "web", "dashboard"},
		{"[OPTIONS] RUN...", "[OPTIONS] BASE... --vs NEW..."},
		{{"runs/*/", "every run on one page"},
			{"-o try-1.html runs/old-1", "one run, to another file"},
			{"old-* --vs new-*", "and what changed"}},
		{"output", "vs", "join", "calls", READ, LOADED, PART, VERBOSE}},
	{"explain", NULL, "where a number comes from, or why a check fired",
		"Shows the method, the samples, the gaps and the lines of a number. "
		"METRIC is a metric (power_w), a key of the summary (energy_j), a "
		"finding (gpu-waits) or, with --phase, a time of a phase (duration_s).",
		cmd_explain, A_RUN " and a metric", true,
		{"why", "where", "metric", "metrics"}, {"[OPTIONS] RUN METRIC"},
		{{"run power_w --device gpu0", "the power of a GPU, with its lines"},
			{"run energy_j --phase train",
				"a key of the summary, in a phase"},
			{"run gpu-waits", "a finding: why it fired, or did not"}},
		{PRINTED, "join", READ, "no-db", "phase", "device", "since", "until",
			"per-core", VERBOSE}},
	{"check", NULL, "is the recording complete and undamaged?",
		"Lists each damage of the logs with its file, line and cost, and which "
		"files were not read. Exit status 3 when there is any.",
		cmd_check, A_RUN, true, {"validate", "verify", "lint", "doctor"},
		{"[OPTIONS] RUN..."},
		{{"runs/*/", "every damage of these runs"},
			{"gpu_log.csv --json", "the same for programs"}},
		{PRINTED, "join", READ, "no-db", "strict", VERBOSE}},
	{"export", NULL, "a trace, a picture, CSV or OpenMetrics",
		"Writes the runs for other programs. Without --format it writes a trace "
		"for Perfetto (ui.perfetto.dev) with every sample, phase and event.",
		cmd_export, A_RUN, true, {"convert", "trace", "perfetto", "save", "dump"},
		{"[OPTIONS] RUN..."},
		{{"-o run.json runs/old-1", "for ui.perfetto.dev"},
			{"--format svg --metric power_w run", "a picture of its power"},
			{"--format csv runs/*/", "for a spreadsheet"}},
		{"format", "output", "join", "calls", READ, LOADED, PART, VERBOSE}},
	{"compare", "Compare runs", "what changed between runs, and could it be chance?",
		"With two runs, the first one is the baseline. Three or more runs "
		"without --vs "
		"are shown in a table. RUN may be NAME=RUN, which names it.",
		cmd_compare, "at least two runs", true, {"diff", "cmp", "vs", "delta"},
		{"[OPTIONS] BASE... --vs NEW...", "[OPTIONS] RUN RUN...",
			"[OPTIONS] --baseline-db FILE NEW..."},
		{{"old/ new/", "two runs"},
			{"old-* --vs new-*", "several of each: is it more than chance?"},
			{"--baseline-db runs.db new-*", "against stored runs"}},
		{"vs", "paired", "paired-by", "baseline-db", "where", PRINTED, READ,
			LOADED, PART, "statistic", "weights", VERBOSE}},
	{"gate", NULL, "fail a CI job when runs break rules",
		"Checks the new runs against the rules of a file, or against built-in "
		"ones: energy-per-unit, idle-share, peak-memory, steady-utilization, "
		"throttling, training, wall-time. The built-in rules need a baseline: "
		"old runs before --vs, or --baseline-db. Exit status 0: all rules hold, "
		"1: a rule is broken, 4: too few runs to decide.",
		cmd_gate, "at least one run", true, {"test", "assert", "ci", "rules"},
		{"--rules FILE [OPTIONS] BASE... --vs NEW...",
			"--rules FILE [OPTIONS] --baseline-db FILE NEW...",
			"--rules FILE --calibrate | --selftest RUN..."},
		{{"--rules training old-* --vs new-*", "built-in rules"},
			{"--rules rules.json --format junit new-*", "own rules, for CI"},
			{"--rules training --calibrate new-*", "what is noise?"}},
		{"rules", "vs", "paired", "paired-by", "baseline-db", "where",
			"allow-undetected", "calibrate", "selftest", PRINTED, READ,
			LOADED, "since", "until", "per-core", VERBOSE}},
	{"trend", NULL, "one number over all stored runs: where did it change?",
		"Shows a number of all runs in the database in order, where it changed, "
		"and which run began the change. METRIC is a metric, a key of the "
		"summary, a number of units of work, or with --phase a number of a "
		"phase. RUN is a glob over paths.",
		cmd_trend, "a metric, e.g. energy_j", false, {"history", "log", "bisect"},
		{"[OPTIONS] METRIC [RUN...]"},
		{{"energy_j", "over all runs, by time"},
			{"energy_j --by commit", "a point for each commit"},
			{"duration_s --phase train", "of a phase"}},
		{"db", "by", "where", "phase", "work", "device", "statistic", "per-core",
			PRINTED, VERBOSE}},
	{"sql", "The runs database", "run a read-only SQL query",
		"Runs a query on the runs database. The query can't change it. Without a "
		"query it lists the views; with the name of a view, its columns.",
		cmd_sql, NULL, false, {"query", "select", "sqlite", "db"},
		{"[OPTIONS] 'SELECT ...'", "[OPTIONS] [VIEW]"},
		{{"", "the views"}, {"runs", "the columns of a view"},
			{"'SELECT path, duration_s FROM runs'",
				"every run and its time"}},
		{"db", "timeout", PRINTED, QUIET}},
	{"list", NULL, "list the stored runs",
		"Lists the stored runs. RUN is a glob over paths, or a run id.",
		cmd_list_runs, NULL, false, {"ls"}, {"[OPTIONS] [RUN...]"},
		{{"", "all of them"}, {"--where branch=main", "those with a label"}},
		{"db", "where", PRINTED, QUIET}},
	{"forget", NULL, "remove runs from the database; logs stay",
		"Removes runs from the database. The logs stay where they are. RUN is a "
		"glob over paths, or a run id.",
		cmd_forget, NULL, false, {"rm", "remove", "delete", "prune"},
		{"[OPTIONS] RUN..."},
		{{"'runs/2025-*'", "those of these paths"},
			{"--where branch=topic", "those with a label"}},
		{"db", "where", "output", QUIET}},
	{"merge", NULL, "add the runs of other databases",
		"Adds the runs of other databases to this one. Runs that are already "
		"there are not added twice.",
		cmd_merge, "the database files to add", false,
		{"import", "add", "join", "pull"}, {"[OPTIONS] OTHER.db..."},
		{{"--db all.db node-*.db", "the runs of several machines in one file"}},
		{"db", "output", QUIET}},
	{"push", NULL, "copy runs to PostgreSQL",
		"Copies runs and summaries to PostgreSQL. Runs that are already there "
		"are not copied twice.",
		cmd_push, NULL, false, {"upload", "publish", "sync"},
		{"--dsn URL [OPTIONS] [RUN...]"},
		{{"--dsn postgresql://me@host/runs", "every run of the database"}},
		{"dsn", "db", "where", "output", QUIET}},
};

#define COMMANDS (sizeof commands / sizeof *commands)

static const struct command *find(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

static bool takes(const struct command *command, const char *option)
{
	for (size_t i = 0; i < OPTIONS && command->option[i]; i++)
		if (strcmp(command->option[i], option) == 0)
			return true;
	return false;
}

/* compare takes some options of other tools, summary all of them. */
static bool takes_of_tool(const struct command *command, const char *option)
{
	const struct tool_option *tool;

	for (size_t i = 0; (tool = tool_option_nth(i)); i++)
		if (strcmp(tool->name, option) == 0)
			return command->run == cmd_summarize ||
				(command->run == cmd_compare && tool->compares);
	return false;
}

/* As wide as the terminal, at most PARAGRAPH_COLUMNS. */
struct help_page {
	FILE *out;
	size_t columns;
};

#define PARAGRAPH_COLUMNS 80 /* at most */

#define RIGHT_LEAST                                                        \
	20 /* columns of a text right of its name; with less it goes below \
	    */
#define BELOW	   8 /* the indent of a text below its name */
#define LEFT_HANGS 4 /* further lines of a long name are indented by this much more */

/*
 * Prints text in a line whose first `used` columns are taken; further lines are indented
 * by `hang`. text is ASCII, with single blanks between its words. Ends the line.
 */
static void print_text(
	const struct help_page *page, size_t used, size_t hang, const char *text)
{
	FILE *out = page->out;
	bool begun = false;

	while (*text) {
		size_t len = strcspn(text, " ");

		if (begun && used + 1 + len > page->columns) {
			fprintf(out, "\n%*s", (int)hang, "");
			used = hang;
		} else if (begun) {
			fputc(' ', out);
			used++;
		}
		fprintf(out, "%.*s", (int)len, text);
		used += len;
		begun = true;
		text += len + (text[len] == ' ');
	}
	fputc('\n', out);
}

/*
 * A name, which may be indented, and its text from `column` on, or below the name where
 * the page is narrow.
 */
static void print_named(
	const struct help_page *page, const char *left, size_t column, const char *text)
{
	size_t indent = strspn(left, " "), used;

	if (page->columns >= column + RIGHT_LEAST) {
		used = (size_t)fprintf(page->out, "%-*s ", (int)column - 1, left);
		print_text(page, used, column, text);
		return;
	}
	fprintf(page->out, "%*s", (int)indent, "");
	print_text(page, indent, indent + LEFT_HANGS, left + indent);
	fprintf(page->out, "%*s", BELOW, "");
	print_text(page, BELOW, BELOW, text);
}

#define OPTION_COLUMN  27
#define COMMAND_COLUMN 13
#define EXAMPLE_APART  2 /* from what it does */

static void print_option(
	const struct help_page *page, const struct option *o, const char *text)
{
	char letter[] = "  -x, ", name[48];

	letter[3] = o->letter;
	snprintf(name, sizeof name, "%s--%s%s%s", o->letter ? letter : "      ", o->name,
		o->argument ? " " : "", o->argument ? o->argument : "");
	print_named(page, name, OPTION_COLUMN, text);
}

/* The options of a command that are used so, below a title; without any nothing. */
static void print_options(const struct help_page *page, const struct command *command,
	enum option_use first, enum option_use last, const char *title)
{
	struct strbuf formats = strbuf_new();
	struct option o;
	bool begun = false;

	if (last != USE_FIRST)
		formats_help(&formats, command->name);
	for (size_t i = 0; option_nth(i, &o); i++) {
		if (o.use < first || o.use > last || !takes(command, o.name))
			continue;
		if (!begun)
			fprintf(page->out, "\n%s:\n", title);
		begun = true;
		print_option(page, &o,
			formats.len && strcmp(o.name, "format") == 0 ? formats.text
				: strcmp(o.name, "output") == 0 && !command->reads &&
					!takes(command, "format")
				? "write to FILE"
				: o.help);
	}
	strbuf_release(&formats);
}

static void print_usage(const struct help_page *page, const struct command *c)
{
	struct strbuf usage = strbuf_new();

	for (size_t i = 0; i < USAGES && c->usage[i]; i++) {
		int used = fprintf(page->out, "%s ", i ? "      " : "usage:");

		strbuf_clear(&usage);
		strbuf_addf(&usage, "hwsummarize %s %s", c->name, c->usage[i]);
		print_text(page, (size_t)used, (size_t)used + LEFT_HANGS, usage.text);
	}
	strbuf_release(&usage);
}

/* The calls in one column, their meanings in another. */
static void print_examples(const struct help_page *page, const struct command *c)
{
	size_t width = 0;
	struct strbuf call = strbuf_new();

	for (size_t i = 0; i < EXAMPLES && c->example[i].call; i++)
		if (strlen(c->example[i].call) > width)
			width = strlen(c->example[i].call);
	width += strlen("  hwsummarize ") + strlen(c->name) + strlen(" ") + EXAMPLE_APART;
	for (size_t i = 0; i < EXAMPLES && c->example[i].call; i++) {
		strbuf_clear(&call);
		strbuf_addf(&call, "  hwsummarize %s %s", c->name, c->example[i].call);
		print_named(page, call.text, width, c->example[i].what);
	}
	strbuf_release(&call);
}

static void print_command(const struct help_page *page, const struct command *c)
{
	print_usage(page, c);
	fputc('\n', page->out);
	print_text(page, 0, 0, c->more);
	fputc('\n', page->out);
	print_examples(page, c);
	print_options(page, c, USE_FIRST, USE_OFTEN, "Options");
	print_options(page, c, USE_RARELY, USE_RARELY, "Rarely needed");
}

/* of_tools: only those of other tools' formats. */
static void print_all_options(const struct help_page *page, bool of_tools)
{
	struct option o;

	for (size_t i = 0; option_nth(i, &o); i++)
		if (!of_tools || o.use == USE_OF_TOOLS)
			print_option(page, &o, o.help);
}

static void print_formats(const struct help_page *page)
{
	const struct render_format *format;

	for (size_t i = 0; (format = output_nth(i)); i++) {
		char name[32];

		snprintf(name, sizeof name, "  %s", format->name);
		print_named(page, name, OPTION_COLUMN, format->help);
	}
	fprintf(page->out, "\nOptions of the formats of other tools:\n");
	print_all_options(page, true);
}

static void print_logs(const struct help_page *page)
{
	static const struct {
		const char *name, *what;
	} logs[] = {
		{"  nvidia-smi",
			"--query-gpu, --query-compute-apps and --query-accounted-apps as "
			"CSV; dmon; pmon; its table; -q; XML"},
		{"  /proc",
			"snapshots of stat, meminfo, loadavg, pressure, diskstats, "
			"net/dev and "
			"the process tree, as collect writes them"},
		{"  CPU",
			"sar, mpstat, vmstat, pidstat, dstat, top; CSV of CPU shares "
			"(usr, sys, iowait, idle)"},
		{"  events",
			"JSON lines with type, name and ts (begin, end, event); MLPerf "
			"logs"},
		{"  collect", "a run directory"},
		{"  other tools",
			"recordings of pytyche, calibrax, gpu_tracker, JUmPER, MLflow "
			"and codecarbon"},
		{"  tables",
			"CSV or JSON of amd-smi, rocm-smi, xpu-smi, tegrastats, dcgmi, "
			"gpustat, W&B and others; "
			"--map FILE adds one"},
		{"  packed", "each of these as gzip or zstd, or in a .zip or .tar"},
	};

	print_text(page, 0, 0,
		"Logs that are read. The content of a file decides, not its name.");
	for (size_t i = 0; i < sizeof logs / sizeof *logs; i++)
		print_named(
			page, logs[i].name, strlen("  other tools") + 3, logs[i].what);
	fputc('\n', page->out);
	print_text(page, 0, 0,
		"A table without a header needs its columns: --columns "
		"timestamp,utilization.gpu,? (? is a column to skip). Rows without times "
		"need --interval 1s.");
}

static void print_calls(const struct help_page *page)
{
	static const struct {
		const char *call, *what;
	} calls[] = {{"  hwsummarize runs/*/", "summarize every run of a folder"},
		{"  hwsummarize gpu_log.csv --json", "summarize one log, for programs"},
		{"  hwsummarize compare old/ new/", "what changed between two runs"}};

	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		print_named(page, calls[i].call,
			strlen("  hwsummarize gpu_log.csv --json") + 3, calls[i].what);
}

#define TITLE "hwsummarize: what did a GPU run use, what was wasted, what changed?"

static void print_program(const struct help_page *page)
{
	FILE *out = page->out;
	char name[16];

	print_text(page, 0, 0, TITLE);
	fputc('\n', out);
	print_calls(page);
	fputc('\n', out);
	print_text(page, 0, 0, "usage: hwsummarize [COMMAND] [OPTIONS] RUN...");
	print_text(page, 0, 0,
		"RUN is a run directory, a folder of runs, a log file, or - for standard "
		"input.");
	for (size_t i = 0; i < COMMANDS; i++) {
		if (commands[i].group)
			fprintf(out, "%s%s:\n", i ? "" : "\n", commands[i].group);
		snprintf(name, sizeof name, "  %s", commands[i].name);
		print_named(page, name, COMMAND_COLUMN, commands[i].what);
	}
	print_options(page, &commands[0], USE_FIRST, USE_FIRST, "Options");
	print_text(page, 0, 0,
		"More: hwsummarize help COMMAND, help logs, help formats, help options");
	print_text(page, 0, 0,
		"Exit status: 0 done, 1 gate failed, 2 wrong usage, 3 damage (check, "
		"--strict)");
}

static struct help_page page_on(FILE *out)
{
	int width = terminal_columns(out);

	return (struct help_page){
		out, width < PARAGRAPH_COLUMNS ? (size_t)width : PARAGRAPH_COLUMNS};
}

bool help_print(FILE *out, const char *topic)
{
	const struct help_page page = page_on(out);
	const struct command *command = topic ? find(topic) : NULL;

	if (command)
		print_command(&page, command);
	else if (topic && strcmp(topic, "formats") == 0)
		print_formats(&page);
	else if (topic && strcmp(topic, "logs") == 0)
		print_logs(&page);
	else if (topic && strcmp(topic, "options") == 0)
		print_all_options(&page, false);
	else if (!topic)
		print_program(&page);
	else
		return false;
	return true;
}

void help_short(FILE *out)
{
	const struct help_page page = page_on(out);

	print_text(&page, 0, 0, TITLE);
	fputc('\n', out);
	print_calls(&page);
	fputc('\n', out);
	print_text(&page, 0, 0, "All commands and options: hwsummarize help");
}

/* The command that people or other tools call so; NULL: none. */
static const char *find_other(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++)
		for (size_t k = 0; k < OTHERS && commands[i].other[k]; k++)
			if (strcmp(commands[i].other[k], name) == 0)
				return commands[i].name;
	return NULL;
}

/* The option that people take for a command: "; did you mean --version?" */
static void say_option(struct strbuf *sb, const char *name)
{
	struct option option;

	for (size_t i = 0; option_nth(i, &option); i++)
		if (strcmp(option.name, name) == 0) {
			strbuf_addf(sb, "; did you mean --%s?", name);
			return;
		}
	if (output_find(name))
		strbuf_addf(sb, "; did you mean --format %s?", name);
}

void help_say_near(const char *word, struct strbuf *sb)
{
	struct near near = {.asked = word};

	for (size_t i = 0; i < COMMANDS; i++)
		near_offer(&near, commands[i].name);
	near_offer(&near, "help");
	if (!near.count && find_other(word))
		near.name[near.count++] = find_other(word);
	near_say(sb, &near, "");
}

/* Refuses a first word that is no file, but nearly a command, or a word like one. */
static int check_word(const char *word, struct error *err)
{
	struct strbuf sb;
	struct stat st;
	bool said;

	if (lstat(word, &st) == 0 || strchr(word, '#'))
		return 0;
	strbuf_init(&sb);
	help_say_near(word, &sb);
	if (!sb.len)
		say_option(&sb, word);
	if (sb.len > 0)
		error_set(err, "unknown command %s%s", word, sb.text);
	said = sb.len > 0;
	strbuf_release(&sb);
	if (said)
		return -1;
	if (word[strspn(word, "abcdefghijklmnopqrstuvwxyz")])
		return 0;
	return error_set(err,
		"%s is neither a command nor a file or directory (see hwsummarize help)",
		word);
}

/* "report, export and gate": the commands that take the option. */
static void add_commands(struct strbuf *sb, const char *option)
{
	const char *last = NULL;
	size_t count = 0;

	for (size_t i = 0; i < COMMANDS; i++) {
		if (!takes(&commands[i], option) && !takes_of_tool(&commands[i], option))
			continue;
		if (last)
			strbuf_addf(sb, "%s%s", count++ ? ", " : "", last);
		last = commands[i].name;
	}
	strbuf_addf(sb, "%s%s", count ? " and " : "", last ? last : "");
}

/* Refuses the first option that does nothing for the command. */
static int check_options(
	const struct options *opt, const struct command *command, struct error *err)
{
	struct strbuf sb;
	struct option o;

	for (size_t i = 0; option_nth(i, &o); i++) {
		if (o.use == USE_ALWAYS || !(opt->given >> i & 1) ||
			takes(command, o.name) || takes_of_tool(command, o.name))
			continue;
		strbuf_init(&sb);
		add_commands(&sb, o.name);
		error_set(err, "%s does not take --%s; it is an option of %s",
			command->name, o.name, sb.text);
		strbuf_release(&sb);
		return -1;
	}
	return 0;
}

/* What a directory holds. */
struct contents {
	char **directory; /* [directories] their paths, by name; owned; NULL: a run's */
	size_t directories;
	char **run; /* [runs] owned, but their paths are the options' */
	size_t runs, run_cap;
	size_t files; /* but for runs.db */
	bool is_run; /* it holds logs itself, and is not opened */
};

/* The database that is kept where no other is named, and the files beside it. */
static bool is_own_database(const char *name)
{
	return strncmp(name, "runs.db", strlen("runs.db")) == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return name_compare((*a)->d_name, (*b)->d_name);
}

/* Of what can't be opened there is nothing. */
static struct contents contents_read(const char *path)
{
	struct contents c = {.files = 0};
	struct dirent **entry;
	int count = scandir(path, &entry, NULL, by_name);

	if (count < 0)
		return c;
	c.directory = xcalloc((size_t)count + 1, sizeof *c.directory);
	for (int i = 0; i < count; i++) {
		struct strbuf inner = strbuf_new();
		struct stat st;

		strbuf_addf(&inner, "%s%s%s", path,
			path[strlen(path) - 1] == '/' ? "" : "/", entry[i]->d_name);
		if (entry[i]->d_name[0] != '.' && stat(inner.text, &st) == 0) {
			if (S_ISDIR(st.st_mode))
				c.directory[c.directories++] = strbuf_detach(&inner);
			else
				c.files += !is_own_database(entry[i]->d_name);
		}
		strbuf_release(&inner);
		free(entry[i]);
	}
	free(entry);
	return c;
}

static void contents_release(struct contents *c)
{
	free_texts(c->directory, c->directories);
	free(c->run);
}

static bool holds_files(const char *path)
{
	struct contents c = contents_read(path);
	bool holds = c.files > 0;

	contents_release(&c);
	return holds;
}

/* In the place of the nth operand. */
static void put_runs(struct options *opt, int nth, char *const *run, size_t count)
{
	size_t rest = (size_t)(opt->operand_count - nth - 1);
	const char **operand =
		xcalloc((size_t)opt->operand_count + count, sizeof *operand);

	memcpy(operand, opt->operand, (size_t)nth * sizeof *operand);
	for (size_t i = 0; i < count; i++)
		operand[(size_t)nth + i] = run[i];
	memcpy(operand + (size_t)nth + count, opt->operand + nth + 1,
		rest * sizeof *operand);
	free(opt->operand);
	opt->operand = operand;
	opt->operand_count += (int)count - 1;
	opt->vs += opt->vs > nth ? (int)count - 1 : 0;
}

/* Is a file in this directory a log? */
static bool holds_logs(const char *path, const struct options *opt)
{
	const struct load_plan plan = load_plan_of(opt);
	struct read_options read = plan.read;
	struct reading *reading;
	struct error err;
	struct run run;
	bool holds;

	read.path = &path;
	read.path_count = 1;
	run_init(&run, path);
	holds = read_survey(&reading, &run, &read, &err) == 0;
	if (holds)
		reading_free(reading);
	run_release(&run);
	return holds;
}

static bool is_link(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

#define FOLDERS_DEEP 4 /* folders of nothing but folders, in one another */

/*
 * Finds the runs of a folder, and of those of its folders that hold nothing but folders.
 * Where notes or reports lie next to them, only directories with logs are runs.
 */
static void find_runs(
	struct options *opt, const char *folder, struct contents *c, size_t depth)
{
	bool pure = c->files == 0;

	c->is_run = !pure && c->directories > 0 && holds_logs(folder, opt);
	for (size_t i = 0; i < c->directories; i++) {
		char *path = c->directory[i];

		if (pure ? holds_files(path) : holds_logs(path, opt)) {
			c->directory[i] = NULL;
			ALLOC_NEXT(c->run, c->runs, c->run_cap) = path;
			ALLOC_NEXT(opt->opened, opt->opened_count, opt->opened_cap) =
				path;
		} else if (pure && depth < FOLDERS_DEEP && !is_link(path)) {
			struct contents inner = contents_read(path);

			find_runs(opt, path, &inner, depth + 1);
			for (size_t k = 0; k < inner.runs; k++)
				ALLOC_NEXT(c->run, c->runs, c->run_cap) = inner.run[k];
			contents_release(&inner);
		}
	}
}

/*
 * Replaces each operand that is such a folder by its runs, by name, and says how many
 * they are, or which of a run are not read. Names that begin with a dot, and runs.db, do
 * not count. The paths are the options'.
 */
static void folders_open(struct options *opt, const struct console *console)
{
	for (int nth = 0; nth < opt->operand_count; nth++) {
		const char *path = opt->operand[nth];
		struct contents c = contents_read(path);

		find_runs(opt, path, &c, 1);
		if (c.runs > 0 && !c.is_run) {
			put_runs(opt, nth, c.run, c.runs);
			nth += (int)c.runs - 1;
		}
		if (c.runs > 0 && opt->verbose >= 0)
			console->say(c.is_run ? "%s: one run; not read: %zu folder%s of "
						"logs in it (name them to read "
						"each as a run)"
					      : "%s: a folder of %zu run%s",
				path, c.runs, c.runs == 1 ? "" : "s");
		contents_release(&c);
	}
}

/* A table with a row a run, or an archive of several: these are the operands. */
static void files_open(struct options *opt, const struct console *console)
{
	for (int nth = 0; nth < opt->operand_count; nth++) {
		const char *path = opt->operand[nth];
		bool packed = archive_length(path) > 0;
		size_t count;
		char **run = packed ? archive_runs(path, &count)
				    : read_runs_of(path, &opt->maps, &count);

		for (size_t i = 0; i < count; i++)
			ALLOC_NEXT(opt->opened, opt->opened_count, opt->opened_cap) =
				run[i];
		if (count > 1) {
			put_runs(opt, nth, run, count);
			nth += (int)count - 1;
		}
		if (count > 1 && opt->verbose >= 0)
			console->say("%s: %s of %zu runs", path,
				packed ? "an archive" : "a table", count);
		free(run);
	}
}

/* Takes the name of a command off the operands. */
static void drop_name(struct options *opt)
{
	opt->operand_count--;
	opt->vs -= opt->vs > 0;
	memmove(opt->operand, opt->operand + 1,
		(size_t)opt->operand_count * sizeof *opt->operand);
}

static int run(struct options *opt, const struct console *console, struct error *err)
{
	const struct command *command = find(opt->operand[0]);

	if (command)
		drop_name(opt);
	else if (check_word(opt->operand[0], err) < 0)
		return -1;
	else
		command = &commands[0];
	if (check_options(opt, command, err) < 0)
		return -1;
	if (opt->output && !options_has(opt, "format") && !options_has(opt, "json"))
		opt->format = formats_of_file(command->name, opt->output, opt->format);
	if (command->needs && !opt->operand_count)
		return error_set(err, "%s needs %s (see hwsummarize help %s)",
			command->name, command->needs, command->name);
	if (command->reads && !opt->join) {
		folders_open(opt, console);
		files_open(opt, console);
	}
	return command->run(opt, console, err);
}

enum exit_status command_run(struct options *opt, const struct console *console)
{
	struct error err;
	int status = run(opt, console, &err);

	if (status >= 0)
		return (enum exit_status)status;
	console->say("%s", err.message);
	return EXIT_USAGE;
}
