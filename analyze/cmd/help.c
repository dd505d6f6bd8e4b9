/* A table of the commands, of which the help of all and that of each are made. */
#include "cmd/help.h"

#include <stddef.h>
#include <string.h>

#include "cmd/options.h"

#define USAGES	 3
#define EXAMPLES 3
#define OPTIONS	 14

static const struct command {
	const char *name;
	const char *usage[USAGES]; /* behind the name */
	const char *text; /* lines, the first behind the name */
	struct {
		const char *call, *what;
	} example[EXAMPLES];
	const char *option[OPTIONS]; /* by name: those that are asked for most */
} command[] = {
	{"report", {"[OPTIONS] RUN..."},
		"the same as a page for a browser, in report.html or where -o says;\n"
		"one file, which needs nothing but itself.\n",
		{{"runs/*/", "every run on one page"},
			{"-o try-1.html runs/old-1", "where to"}},
		{"output", "calls", "verbose", "since", "until", "device", "metric",
			"phase", "tz", "no-db"}},
	{"export", {"[OPTIONS] RUN..."},
		"the runs for other programs: without --format a trace,\n"
		"which Perfetto and chrome://tracing draw, with every sample, phase, "
		"event\n"
		"and finding; or a picture (svg), openmetrics, csv, ndjson.\n",
		{{"-o run.json runs/old-1", "a trace, for ui.perfetto.dev"},
			{"--format svg --metric power_w runs/old-1",
				"a picture of its power"},
			{"--format csv runs/*/", "every number, for a spreadsheet"}},
		{"format", "output", "device", "metric", "phase", "since", "until",
			"interval", "per-core", "tz", "no-db"}},
	{"check", {"[OPTIONS] RUN..."},
		"is the recording sound? every damage with file, line, id and cost;\n"
		"text or --json. A run that is called check is ./check.\n",
		{{"runs/*/", "every damage of these runs"},
			{"gpu_log.csv --json", "the same for programs"}},
		{"json", "output", "tz", "gap", "interval", "columns", "join", "quiet",
			"verbose"}},
	{"explain", {"[OPTIONS] RUN METRIC"},
		"where a number comes from, of the run or with --phase: METRIC is a "
		"metric\n"
		"or a key of resource_summary, of the steady state, of the times of "
		"phases\n"
		"(total_s), or the id of a rule; text or --json.\n",
		{{"run power_w --device gpu0", "the power of a GPU, with its lines"},
			{"run energy_j --phase train",
				"a key of the summary, in a phase"},
			{"run gpu-waits", "a rule: why it fired, or did not"}},
		{"phase", "device", "since", "until", "json", "output", "no-db"}},
	{"compare",
		{"[OPTIONS] BASE... --vs NEW...", "[OPTIONS] RUN RUN...",
			"[OPTIONS] --baseline-db FILE NEW..."},
		"what changed between BASE and NEW, and could chance have done it? Of "
		"two\n"
		"runs the first is the base; more without --vs stand in a table. RUN\n"
		"may be NAME=RUN. --format gpu-tracker compares as gpu_tracker does,\n"
		"also its results as JSON.\n",
		{{"old/ new/", "two runs"},
			{"old-* --vs new-*", "several of each, with what chance does"},
			{"--baseline-db runs.db new-*", "against what is stored"}},
		{"vs", "baseline-db", "where", "metric", "phase", "device", "since",
			"until", "format", "json", "output", "statistic", "verbose"}},
	{"gate",
		{"--rules FILE [OPTIONS] BASE... --vs NEW...",
			"--rules FILE [OPTIONS] --baseline-db FILE NEW...",
			"--rules FILE --calibrate | --selftest RUN..."},
		"do NEW keep the rules of FILE, against BASE? Bounds need no base. FILE\n"
		"may be training, or another of schema/gates. Of repeats of one "
		"program,\n"
		"--calibrate says what is noise, --selftest what the rules would see.\n",
		{{"--rules training old-* --vs new-*", "rules that are carried"},
			{"--rules rules.json --format junit new-*",
				"one's own, for a CI"},
			{"--rules training --calibrate new-*", "what is noise?"}},
		{"rules", "vs", "baseline-db", "where", "calibrate", "selftest", "since",
			"until", "format", "json", "output", "strict"}},
	{"trend", {"[OPTIONS] METRIC [RUN...]"},
		"one number of all runs of the database, in order: where it changed, "
		"and\n"
		"which run began it. METRIC is a key of resource_summary, of the "
		"steady\n"
		"state, of units of work or (with --phase) of phases, or a metric; RUN "
		"a\n"
		"glob over paths.\n",
		{{"energy_j", "over all runs, by time"},
			{"energy_j --by commit --where branch=main",
				"a point for each commit"},
			{"total_s --phase train", "of a phase"}},
		{"db", "by", "where", "phase", "work", "device", "statistic", "format",
			"json", "output"}},
	{"sql", {"[OPTIONS] 'SELECT ...'"},
		"what the database answers to a query, which changes nothing: text, "
		"csv,\n"
		"json, ndjson, markdown. schema/README.md has the views and a "
		"cookbook.\n",
		{{"'SELECT path, duration_s FROM v_run'", "every run and its time"},
			{"--format csv 'SELECT * FROM v_phase'",
				"phases, for a program"}},
		{"db", "format", "json", "output"}},
	{"list", {"[OPTIONS] [RUN...]"},
		"the runs of the database; RUN is a glob over paths, or a run id.\n",
		{{"", "all of them"}, {"--where branch=main", "those with a label"}},
		{"db", "where", "format", "json", "output"}},
	{"forget", {"[OPTIONS] RUN..."},
		"removes them from the database, whole; the logs stay where they are.\n",
		{{"'runs/2025-*'", "those of these paths"},
			{"--where branch=topic", "those with a label"}},
		{"db", "where"}},
	{"merge", {"[OPTIONS] OTHER.db..."},
		"takes the runs of other databases into this one; as often as you "
		"like.\n",
		{{"--db all.db node-*.db", "those of several machines into one"}},
		{"db"}},
	{"push", {"--dsn URL [OPTIONS] [RUN...]"},
		"copies runs and summaries into PostgreSQL; as often as you like.\n",
		{{"--dsn postgresql://me@host/runs", "every run of the database"}},
		{"dsn", "db", "where"}},
};

#define COMMANDS (sizeof command / sizeof *command)

static void print_usages(FILE *out, const struct command *c, bool first)
{
	for (size_t i = 0; i < USAGES && c->usage[i]; i++)
		fprintf(out, "%s hwsummarize %s %s\n",
			first && i == 0 ? "usage:" : "      ", c->name, c->usage[i]);
}

/* The lines of a text, those behind the first as far in as it is. */
static void print_text(FILE *out, const char *name, const char *text)
{
	for (const char *end; *text; text = end + 1, name = "") {
		end = strchr(text, '\n');
		fprintf(out, "  %-8s %.*s\n", name, (int)(end - text), text);
	}
}

static void print_command(FILE *out, const struct command *c)
{
	fprintf(out, "hwsummarize %s: ", c->name);
	for (const char *at = c->text; *at; at++)
		fputc(*at, out);
	fputc('\n', out);
	for (size_t i = 0; i < EXAMPLES && c->example[i].call; i++)
		fprintf(out, "  hwsummarize %s %-*s  %s\n", c->name,
			44 - (int)strlen(c->name), c->example[i].call,
			c->example[i].what);
	fputc('\n', out);
	print_usages(out, c, true);
	fputc('\n', out);
	options_help(out, c->option);
	fputs("\nhwsummarize --help has all options and the exit status.\n", out);
}

static void print_all(FILE *out)
{
	fputs("hwsummarize: what did this run use? From the raw logs of GPUs and hosts.\n"
	      "\n"
	      "  hwsummarize runs/*/                 every run, as text\n"
	      "  hwsummarize runs/*/ --json          the same for programs\n"
	      "  hwsummarize gpu_log.csv             one log\n"
	      "  hwsummarize compare old/ new/       what changed between two runs\n"
	      "  hwsummarize compare --help          examples and options of a command\n"
	      "  nvidia-smi ... | hwsummarize -      one log from standard input\n"
	      "\n"
	      "usage: hwsummarize [OPTIONS] RUN...\n",
		out);
	for (size_t i = 0; i < COMMANDS; i++)
		print_usages(out, &command[i], false);
	fputs("\n"
	      "RUN is a run directory, a log file, or - for one log on standard input.\n"
	      "\n",
		out);
	for (size_t i = 0; i < COMMANDS; i++)
		print_text(out, command[i].name, command[i].text);
	fputc('\n', out);
	options_help(out, NULL);
	fputs("\n"
	      "What has a value may stand again only with the same one, but for --label "
	      "and --where.\n"
	      "Exit status: 0 done; 1 a gate failed, a calibration was refused; 2 "
	      "usage, output\n"
	      "or database can't be used, or no usable run; 3 a run unreadable or "
	      "unusable beside\n"
	      "usable ones, or damage with --strict or check; 4 so few runs can't tell. "
	      "Of several\n"
	      "the first of 2, 1, 4, 3, 0.\n",
		out);
}

void help_print(FILE *out, const char *name)
{
	for (size_t i = 0; name && i < COMMANDS; i++)
		if (strcmp(command[i].name, name) == 0) {
			print_command(out, &command[i]);
			return;
		}
	print_all(out);
}
