/* A table of the commands, of which the help of all and that of each are made. */
#include "cmd/help.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/name_match.h"
#include "cmd/formats.h"
#include "cmd/options.h"
#include "cmd/paragraph.h"
#include "cmd/terminal.h"

#define USAGES	 3
#define EXAMPLES 3
#define OPTIONS	 36

/* Options that go together. */
#define PRINTED "format", "json", "output"
#define TOLD	"no-color", "quiet", "verbose"
#define READ	"tz", "gap", "interval", "columns"
#define LOADED	"db", "no-db", "label", "jobs", "strict"
#define PART	"device", "metric", "phase", "since", "until", "per-core"

static const struct command {
	const char *name;
	const char *usage[USAGES]; /* behind the name */
	const char *text; /* one paragraph */
	struct {
		const char *call, *what;
	} example[EXAMPLES];
	const char *option[OPTIONS]; /* by name: all that it takes */
} commands[] = {
	{"report", {"[OPTIONS] RUN...", "[OPTIONS] BASE... --vs NEW..."},
		"the same as a page for a browser, in report.html or where -o says; "
		"one file, which needs nothing but itself. Several runs stand beside "
		"one another as well, as compare sets them.",
		{{"runs/*/", "every run on one page"},
			{"-o try-1.html runs/old-1", "where to"},
			{"old-* --vs new-*", "and what changed"}},
		{"output", "vs", "join", "calls", READ, LOADED, PART, TOLD}},
	{"export", {"[OPTIONS] RUN..."},
		"the runs for other programs: without --format a trace, which "
		"Perfetto and chrome://tracing draw, with every sample, phase and "
		"event, and stretches of findings; or a picture (svg), openmetrics, "
		"csv, ndjson.",
		{{"-o run.json runs/old-1", "for ui.perfetto.dev"},
			{"--format svg --metric power_w run", "a picture of its power"},
			{"--format csv runs/*/", "for a spreadsheet"}},
		{"format", "output", "join", "calls", READ, LOADED, PART, TOLD}},
	{"check", {"[OPTIONS] RUN..."},
		"is the recording sound? every damage with file, line, id and cost; "
		"text or --json. A run that is called check is ./check.",
		{{"runs/*/", "every damage of these runs"},
			{"gpu_log.csv --json", "the same for programs"}},
		{PRINTED, "join", READ, "no-db", "strict", TOLD}},
	{"explain", {"[OPTIONS] RUN METRIC"},
		"where a number comes from, of the run or with --phase: METRIC is a "
		"metric or a key of resource_summary, of the steady state, of the "
		"times of phases (total_s), or the id of a rule; text or --json.",
		{{"run power_w --device gpu0", "the power of a GPU, with its lines"},
			{"run energy_j --phase train",
				"a key of the summary, in a phase"},
			{"run gpu-waits", "a rule: why it fired, or did not"}},
		{PRINTED, "join", READ, "no-db", "phase", "device", "since", "until",
			"per-core", TOLD}},
	{"compare",
		{"[OPTIONS] BASE... --vs NEW...", "[OPTIONS] RUN RUN...",
			"[OPTIONS] --baseline-db FILE NEW..."},
		"what changed between BASE and NEW, and could chance have done it? Of "
		"two runs the first is the base; more without --vs stand in a table. "
		"RUN may be NAME=RUN. --format gpu-tracker compares as gpu_tracker "
		"does, also its results as JSON.",
		{{"old/ new/", "two runs"},
			{"old-* --vs new-*", "several of each, with what chance does"},
			{"--baseline-db runs.db new-*", "against what is stored"}},
		{"vs", "baseline-db", "where", PRINTED, READ, LOADED, PART, "statistic",
			"ram-unit", "gpu-ram-unit", "time-unit", TOLD}},
	{"gate",
		{"--rules FILE [OPTIONS] BASE... --vs NEW...",
			"--rules FILE [OPTIONS] --baseline-db FILE NEW...",
			"--rules FILE --calibrate | --selftest RUN..."},
		"do NEW keep the rules of FILE, against BASE? Bounds need no base. "
		"FILE may be training, or another of schema/gates. Of repeats of one "
		"program, --calibrate says what is noise, --selftest what the rules "
		"would see.",
		{{"--rules training old-* --vs new-*", "carried rules"},
			{"--rules rules.json --format junit new-*", "own rules, for CI"},
			{"--rules training --calibrate new-*", "what is noise?"}},
		{"rules", "vs", "baseline-db", "where", "calibrate", "selftest", PRINTED,
			READ, LOADED, "since", "until", "per-core", TOLD}},
	{"trend", {"[OPTIONS] METRIC [RUN...]"},
		"one number of all runs of the database, in order: where it changed, "
		"and which run began it. METRIC is a key of resource_summary, of the "
		"steady state, of units of work or (with --phase) of phases, or a "
		"metric; RUN a glob over paths.",
		{{"energy_j", "over all runs, by time"},
			{"energy_j --by commit", "a point for each commit"},
			{"total_s --phase train", "of a phase"}},
		{"db", "by", "where", "phase", "work", "device", "statistic", "per-core",
			PRINTED, TOLD}},
	{"sql", {"[OPTIONS] 'SELECT ...'"},
		"what the database answers to a query, which changes nothing: text, "
		"csv, json, ndjson, markdown. schema/README.md has the views and a "
		"cookbook.",
		{{"'SELECT path, duration_s FROM v_run'", "every run and its time"},
			{"--format csv 'SELECT * FROM v_phase'",
				"phases, for a program"}},
		{"db", PRINTED, TOLD}},
	{"list", {"[OPTIONS] [RUN...]"},
		"the runs of the database; RUN is a glob over paths, or a run id.",
		{{"", "all of them"}, {"--where branch=main", "those with a label"}},
		{"db", "where", PRINTED, TOLD}},
	{"forget", {"[OPTIONS] RUN..."},
		"removes them from the database, whole; the logs stay where they are.",
		{{"'runs/2025-*'", "those of these paths"},
			{"--where branch=topic", "those with a label"}},
		{"db", "where", "output", TOLD}},
	{"merge", {"[OPTIONS] OTHER.db..."},
		"takes the runs of other databases into this one; as often as you "
		"like.",
		{{"--db all.db node-*.db", "those of several machines into one"}},
		{"db", "output", TOLD}},
	{"push", {"--dsn URL [OPTIONS] [RUN...]"},
		"copies runs and summaries into PostgreSQL; as often as you like.",
		{{"--dsn postgresql://me@host/runs", "every run of the database"}},
		{"dsn", "db", "where", "output", TOLD}},
};

#define COMMANDS (sizeof commands / sizeof *commands)

bool help_takes(const char *name, const char *option)
{
	for (size_t i = 0; i < COMMANDS; i++)
		for (size_t k = 0; k < OPTIONS && commands[i].option[k]; k++)
			if (strcmp(commands[i].name, name) == 0 &&
				strcmp(commands[i].option[k], option) == 0)
				return true;
	return false;
}

const char *help_command(size_t nth)
{
	return nth < COMMANDS ? commands[nth].name : NULL;
}

char *help_hint(const char *operand)
{
	struct near near = {.asked = operand};
	struct strbuf sb;

	if (access(operand, F_OK) == 0)
		return NULL;
	for (size_t i = 0; i < COMMANDS; i++)
		near_offer(&near, commands[i].name);
	if (!near.count)
		return NULL;
	strbuf_init(&sb);
	strbuf_addf(&sb, "%s: is no command, and no run", operand);
	near_say(&sb, &near, "");
	return strbuf_detach(&sb);
}

#define USAGE_HANGS    11
#define EXAMPLE_APART  2 /* from what it does */
#define COMMAND_COLUMN 11

static void print_usage(const struct help_page *page, const char *usage, bool first)
{
	int used = fprintf(page->out, "%s ", first ? "usage:" : "      ");

	paragraph_print(page, (size_t)used, USAGE_HANGS, usage);
}

static void print_usages(
	const struct help_page *page, const struct command *c, bool first)
{
	struct strbuf usage;

	strbuf_init(&usage);
	for (size_t i = 0; i < USAGES && c->usage[i]; i++) {
		strbuf_clear(&usage);
		strbuf_addf(&usage, "hwsummarize %s %s", c->name, c->usage[i]);
		print_usage(page, usage.text, first && i == 0);
	}
	strbuf_release(&usage);
}

/* Below one another, what each does in one column. */
static void print_examples(const struct help_page *page, const struct command *c)
{
	size_t width = 0;
	struct strbuf call;

	strbuf_init(&call);
	for (size_t i = 0; i < EXAMPLES && c->example[i].call; i++)
		if (strlen(c->example[i].call) > width)
			width = strlen(c->example[i].call);
	width += strlen("  hwsummarize ") + strlen(c->name) + strlen(" ") + EXAMPLE_APART;
	for (size_t i = 0; i < EXAMPLES && c->example[i].call; i++) {
		strbuf_clear(&call);
		strbuf_addf(&call, "  hwsummarize %s %s", c->name, c->example[i].call);
		paragraph_beside(page, call.text, width, c->example[i].what);
	}
	strbuf_release(&call);
}

static void print_command(const struct help_page *page, const struct command *c)
{
	FILE *out = page->out;
	struct strbuf formats;

	strbuf_init(&formats);
	paragraph_print(
		page, (size_t)fprintf(out, "hwsummarize %s: ", c->name), 0, c->text);
	fputc('\n', out);
	print_examples(page, c);
	fputc('\n', out);
	print_usages(page, c, true);
	fputc('\n', out);
	formats_help(&formats, c->name);
	options_help(page, c->option, formats.text);
	fputc('\n', out);
	paragraph_print(
		page, 0, 0, "hwsummarize --help has all options and the exit status.");
	strbuf_release(&formats);
}

static const struct {
	const char *call, *what;
} calls[] = {{"  hwsummarize runs/*/", "every run, as text"},
	{"  hwsummarize runs/*/ --json", "the same for programs"},
	{"  hwsummarize gpu_log.csv", "one log"},
	{"  hwsummarize compare old/ new/", "what changed between two runs"},
	{"  hwsummarize compare --help", "examples and options of a command"},
	{"  nvidia-smi ... | hwsummarize -", "one log from standard input"}};

#define CALLS	    (sizeof calls / sizeof *calls)
#define CALL_COLUMN 38 /* where what a call does stands */

static void print_commands(const struct help_page *page)
{
	char name[16];

	for (size_t i = 0; i < COMMANDS; i++) {
		snprintf(name, sizeof name, "  %s", commands[i].name);
		paragraph_beside(page, name, COMMAND_COLUMN, commands[i].text);
	}
}

static void print_all(const struct help_page *page)
{
	FILE *out = page->out;

	paragraph_print(page, 0, 0,
		"hwsummarize: what did this run use? From the raw logs of GPUs and "
		"hosts.");
	fputc('\n', out);
	for (size_t i = 0; i < CALLS; i++)
		paragraph_beside(page, calls[i].call, CALL_COLUMN, calls[i].what);
	fputc('\n', out);
	print_usage(page, "hwsummarize [OPTIONS] RUN...", true);
	for (size_t i = 0; i < COMMANDS; i++)
		print_usages(page, &commands[i], false);
	fputc('\n', out);
	paragraph_print(page, 0, 0,
		"RUN is a run directory, a log file, or - for one log on standard "
		"input.");
	fputc('\n', out);
	print_commands(page);
	fputc('\n', out);
	options_help(page, NULL, NULL);
	fputc('\n', out);
	paragraph_print(page, 0, 0,
		"What has a value may stand again only with the same one, but for "
		"--label and --where.");
	paragraph_print(page, 0, 0,
		"Exit status: 0 done; 1 a gate failed, a calibration was refused; 2 "
		"usage, output or database can't be used, or no usable run; 3 a run "
		"unreadable or unusable beside usable ones, or damage with --strict or "
		"check; 4 so few runs can't tell. Of several the first of 2, 1, 4, 3, "
		"0.");
}

void help_print(FILE *out, const char *name)
{
	int width = terminal_columns(out);
	const struct help_page page = {
		out, width < PARAGRAPH_COLUMNS ? (size_t)width : PARAGRAPH_COLUMNS};

	for (size_t i = 0; name && i < COMMANDS; i++)
		if (strcmp(commands[i].name, name) == 0) {
			print_command(&page, &commands[i]);
			return;
		}
	print_all(&page);
}
