/* The table of options and its two readers: the parser and the help. */
#include "cmd/options.h"
#include "cmd/formats.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/name_match.h"
#include "base/number.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "cmd/output.h"
#include "cmd/progress.h"
#include "model/report.h"
#include "model/run.h"
#include "read/identify.h"
#include "render/render.h"

/* Where they go: as wide as the terminal is, but no wider than people read. */
struct help_page {
	FILE *out;
	size_t columns;
};

#define PARAGRAPH_COLUMNS 80 /* at most */

#define FORMATS_OF_RUNS "" /* hwsummarize RUN..., which has no name */

/*
 * Words into lines, for what --help prints.
 *
 * Breaks lines between words. Must not know what they say.
 */

#define BESIDE_LEAST 20 /* columns: less is no room for words */
#define BELOW	     8 /* the indent of what stands below it */
#define LEFT_HANGS   4 /* further than it begins */

/*
 * Goes on in a line of which `used` columns are taken; further lines are indented by
 * `hang`. text is ASCII, with single blanks between its words. Ends the line.
 */
static void paragraph_print(
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
 * What is said of `left`, which may be indented: beside it, from `column` on, or where
 * the page has no room there below it.
 */
static void paragraph_beside(
	const struct help_page *page, const char *left, size_t column, const char *text)
{
	size_t indent = strspn(left, " "), used;

	if (page->columns >= column + BESIDE_LEAST) {
		used = (size_t)fprintf(page->out, "%-*s ", (int)column - 1, left);
		paragraph_print(page, used, column, text);
		return;
	}
	fprintf(page->out, "%*s", (int)indent, "");
	paragraph_print(page, indent, indent + LEFT_HANGS, left + indent);
	fprintf(page->out, "%*s", BELOW, "");
	paragraph_print(page, BELOW, BELOW, text);
}

enum kind {
	FLAG,
	TEXT,
	SECONDS,
	INSTANT, /* seconds from the run's start, of which 0 is one */
	COUNT_UP,
	COUNT_DOWN,
	JSON,
	NUMBER,
	LABEL, /* one of several */
	PLACE, /* among the operands */
	OF_TOOLS /* where those of other tools' formats are */
};

struct option {
	char letter; /* 0: none */
	const char *name; /* NULL: none */
	enum kind kind;
	size_t field; /* offset in struct options; of OF_TOOLS: which of those */
	const char *argument; /* NULL: none */
	const char *help;
};

static const struct option table[] = {
#define FIELD(name) offsetof(struct options, name)
	{0, "db", TEXT, FIELD(db), "FILE",
		"the runs database (default: $HWSUMMARIZE_DB, or runs.db)"},
	{0, "no-db", FLAG, FIELD(no_db), NULL, "use no database"},
	{0, "join", FLAG, FIELD(join), NULL, "all operands are logs of one run"},
	{0, "format", TEXT, FIELD(format), "NAME",
		"text (default), json, ndjson, csv ...; see --list-formats"},
	{0, "json", JSON, FIELD(format), NULL, "the same as --format json"},
	{'o', "output", TEXT, FIELD(output), "FILE",
		"write to FILE, whole or not at all; - is standard output"},
	{0, "tz", TEXT, FIELD(tz), "ZONE",
		"zone of times that name none: UTC, +02:00, Europe/Berlin"},
	{0, "gap", SECONDS, FIELD(gap_ns), "SECONDS",
		"longer steps between samples are gaps (default: max(3h, h + 2))"},
	{0, "interval", SECONDS, FIELD(interval_ns), "SECONDS",
		"sampling interval of logs without times, or of few rows"},
	{0, "columns", TEXT, FIELD(columns), "LIST",
		"fields of logs without a header: utilization.gpu,power.draw"},
	{0, "label", LABEL, FIELD(label), "KEY=VALUE",
		"label the runs: commit=4f2a1c; may be given several times"},
	{0, "device", TEXT, FIELD(device), "GLOB",
		"only these devices: gpu0, 'gpu*', cpu"},
	{0, "metric", TEXT, FIELD(metric), "GLOB",
		"only these metrics (GLOB,GLOB: all of them); see --list-metrics"},
	{0, "since", INSTANT, FIELD(since_ns), "SECONDS",
		"only from then on, counted from the run's start"},
	{0, "until", SECONDS, FIELD(until_ns), "SECONDS", "only up to then"},
	{0, "phase", TEXT, FIELD(phase), "GLOB", "only these phases"},
	{0, "", OF_TOOLS, 0, NULL, NULL},
	{0, "statistic", TEXT, FIELD(statistic), "NAME",
		"compare --format gpu-tracker: min, max, mean (default), std; "
		"trend: of a metric"},
	{0, "vs", PLACE, FIELD(vs), NULL,
		"compare, gate, report: base runs before it, new ones behind"},
	{0, "rules", TEXT, FIELD(gate_rules), "FILE",
		"gate: the rules; a file, or the name of some that are carried"},
	{0, "calibrate", FLAG, FIELD(calibrate), NULL,
		"gate: of repeats, what is noise and what is tighter"},
	{0, "selftest", FLAG, FIELD(selftest), NULL,
		"gate: would each rule catch what it is there for?"},
	{0, "baseline-db", TEXT, FIELD(baseline_db), "FILE",
		"compare, gate: the base are the runs of this database"},
	{0, "by", TEXT, FIELD(by), "LABEL",
		"trend: runs of one value of this label are one point"},
	{0, "where", LABEL, FIELD(where), "KEY=VALUE",
		"of stored runs only those with this label; may be given several times"},
	{0, "dsn", TEXT, FIELD(dsn), "URL",
		"push: postgresql://USER@HOST/DATABASE; a password better in ~/.pgpass"},
	{0, "work", TEXT, FIELD(work), "GLOB", "trend: only these units of work"},
	{0, "calls", FLAG, FIELD(calls), NULL, "list every phase"},
	{0, "per-core", FLAG, FIELD(per_core), NULL, "every CPU beside all together"},
	{'j', "jobs", NUMBER, FIELD(jobs), "N",
		"load N runs at once, into a database two at most (default: processors)"},
	{0, "strict", FLAG, FIELD(strict), NULL,
		"any damage, as check finds it: exit status 3"},
	{0, "no-color", FLAG, FIELD(no_color), NULL, "no color"},
	{'q', "quiet", COUNT_DOWN, FIELD(verbose), NULL, "less text, no progress"},
	{'v', "verbose", COUNT_UP, FIELD(verbose), NULL, "every metric, every remark"},
	{0, "list-metrics", FLAG, FIELD(list_metrics), NULL, "what can be measured"},
	{0, "list-formats", FLAG, FIELD(list_formats), NULL, "what can be printed"},
	{'h', "help", FLAG, FIELD(help), NULL, "this"},
	{0, "version", FLAG, FIELD(version), NULL, "the version"},
#undef FIELD
};

#define SECONDS_MAX 100000000LL /* three years */
#define TABLE_COUNT (sizeof table / sizeof table[0])
#define OPTIONS_MAX 64 /* each has a bit of options.given */

_Static_assert(TABLE_COUNT + TOOL_OPTIONS_MAX <= OPTIONS_MAX, "a bit for each");

/* In the order of the help; false: there are no more. */
static bool option_nth(size_t nth, struct option *option)
{
	const struct tool_option *tool;

	for (size_t i = 0; i < TABLE_COUNT; i++) {
		if (table[i].kind != OF_TOOLS) {
			*option = table[i];
			if (!nth--)
				return true;
			continue;
		}
		for (size_t k = 0; (tool = tool_option_nth(k)); k++) {
			*option = (struct option){
				0, tool->name, OF_TOOLS, k, tool->argument, tool->help};
			if (!nth--)
				return true;
		}
	}
	return false;
}

/* Which one it is, and the option itself; OPTIONS_MAX: there is none. */
static size_t find_long(const char *name, size_t len, struct option *option)
{
	for (size_t nth = 0; option_nth(nth, option); nth++)
		if (strlen(option->name) == len && strncmp(option->name, name, len) == 0)
			return nth;
	return OPTIONS_MAX;
}

static size_t find_letter(char letter, struct option *option)
{
	for (size_t nth = 0; option_nth(nth, option); nth++)
		if (option->letter == letter)
			return nth;
	return OPTIONS_MAX;
}

static int set_of_tool(struct tool_options *tools, const struct option *option,
	const char *value, struct error *err)
{
	struct error why;

	if (tool_option_nth(option->field)->set(tools, value, &why) < 0)
		return error_set(err, "--%s %s: %s", option->name, value, why.message);
	return 0;
}

#define COUNT_MAX 1000000

static int set_count(
	const struct option *option, const char *value, char *field, struct error *err)
{
	uint64_t number;

	if (!number_unsigned(span_of(value), &number) || !number || number > COUNT_MAX)
		return error_set(err, "--%s %s: expected a number from 1 to 1000000",
			option->name, value);
	memcpy(field, &(int32_t){(int32_t)number}, sizeof(int32_t));
	return 0;
}

static int set_label(
	const struct option *option, const char *value, char *field, struct error *err)
{
	struct error why;

	if (label_add((struct label_list *)(void *)field, value, &why) < 0)
		return error_set(err, "--%s %s", option->name, why.message);
	return 0;
}

/* What the words so far have set; options of one field are one, as --json and --format.
 */
struct parsing {
	struct options *opt;
	const char *given[OPTIONS_MAX]; /* the value, at the first option of its field;
					   NULL: none */
};

/* One that has a value: the same value again changes nothing, another one is a mistake.
 */
static int give_once(struct parsing *parsing, const struct option *option,
	const char *value, struct error *err)
{
	struct option of_field;
	size_t first = 0;

	while (option_nth(first, &of_field) &&
		(of_field.field != option->field ||
			(of_field.kind == OF_TOOLS) != (option->kind == OF_TOOLS)))
		first++;
	if (parsing->given[first] && strcmp(parsing->given[first], value) != 0)
		return error_set(err,
			"--%s stands twice, as '%s' and '%s'; expected it once",
			of_field.name, parsing->given[first], value);
	parsing->given[first] = value;
	return 0;
}

static int set_option(struct parsing *parsing, size_t nth, const struct option *option,
	const char *value, struct error *err)
{
	struct options *opt = parsing->opt;
	char *field = (char *)opt + option->field;
	int64_t ns;

	opt->given |= UINT64_C(1) << nth;
	if (option->kind == JSON)
		value = "json";
	if (value && option->kind != LABEL && give_once(parsing, option, value, err) < 0)
		return -1;

	switch (option->kind) {
	case FLAG:
		memcpy(field, &(bool){true}, sizeof(bool));
		return 0;
	case TEXT:
	case JSON:
		memcpy(field, &value, sizeof value);
		return 0;
	case COUNT_UP:
		memcpy(field, &(int){1}, sizeof(int));
		return 0;
	case COUNT_DOWN:
		memcpy(field, &(int){-1}, sizeof(int));
		return 0;
	case SECONDS:
	case INSTANT:
		if (!number_scaled(span_of(value), NS_PER_S, &ns) ||
			ns < (option->kind == SECONDS) || ns > SECONDS_MAX * NS_PER_S)
			return error_set(err,
				"--%s %s: expected a number of seconds %s, at most "
				"100000000",
				option->name, value,
				option->kind == SECONDS ? "above 0" : "from 0");
		memcpy(field, &ns, sizeof ns);
		return 0;
	case NUMBER:
		return set_count(option, value, field, err);
	case OF_TOOLS:
		return set_of_tool(&opt->tools, option, value, err);
	case LABEL:
		return set_label(option, value, field, err);
	case PLACE:
		if (opt->vs >= 0)
			return error_set(
				err, "--%s stands twice; expected it once", option->name);
		memcpy(field, &opt->operand_count, sizeof(int));
		return 0;
	}
	return 0;
}

static int refuse_long(const char *name, size_t len, struct error *err)
{
	char *asked = xstrndup(name, len);
	struct near near = {.asked = asked};
	struct option option;
	struct strbuf sb;

	for (size_t i = 0; option_nth(i, &option); i++)
		near_offer(&near, option.name);
	strbuf_init(&sb);
	if (near.count)
		near_say(&sb, &near, "--");
	else
		strbuf_adds(&sb, " (see hwsummarize --help)");
	error_set(err, "unknown option --%s%s", asked, sb.text);
	strbuf_release(&sb);
	free(asked);
	return -1;
}

/* --name, --name=value, --name value */
static int parse_long(
	struct parsing *parsing, int argc, char **argv, int *at, struct error *err)
{
	const char *name = argv[*at] + 2, *equals = strchr(name, '=');
	size_t len = equals ? (size_t)(equals - name) : strlen(name);
	const char *value = equals ? equals + 1 : NULL;
	struct option option;
	size_t nth = find_long(name, len, &option);

	if (nth == OPTIONS_MAX)
		return refuse_long(name, len, err);
	if (option.argument && !value) {
		if (*at + 1 >= argc)
			return error_set(err, "--%s needs an argument: %s", option.name,
				option.argument);
		value = argv[++*at];
	} else if (!option.argument && value) {
		return error_set(err, "--%s takes no argument", option.name);
	}
	return set_option(parsing, nth, &option, value, err);
}

/* -v, -qv, -oFILE, -o FILE */
static int parse_letters(
	struct parsing *parsing, int argc, char **argv, int *at, struct error *err)
{
	for (const char *c = argv[*at] + 1; *c; c++) {
		struct option option;
		size_t nth = find_letter(*c, &option);

		if (nth == OPTIONS_MAX)
			return error_set(
				err, "unknown option -%c (see hwsummarize --help)", *c);
		if (!option.argument) {
			if (set_option(parsing, nth, &option, NULL, err) < 0)
				return -1;
			continue;
		}
		if (c[1])
			return set_option(parsing, nth, &option, c + 1, err);
		if (*at + 1 >= argc)
			return error_set(
				err, "-%c needs an argument: %s", *c, option.argument);
		return set_option(parsing, nth, &option, argv[++*at], err);
	}
	return 0;
}

int options_parse(struct options *opt, int argc, char **argv, struct error *err)
{
	struct parsing parsing = {.opt = opt};
	bool ended = false;

	*opt = (struct options){.format = "text",
		.gap_ns = -1,
		.since_ns = -1,
		.until_ns = -1,
		.interval_ns = -1,
		.vs = -1,
		.tools = TOOL_OPTIONS_NONE};
	opt->operand = xcalloc((size_t)argc + 1, sizeof *opt->operand);
	for (int i = 1; i < argc; i++) {
		int bad = 0;

		if (!ended && strcmp(argv[i], "--") == 0)
			ended = true;
		else if (!ended && strncmp(argv[i], "--", 2) == 0)
			bad = parse_long(&parsing, argc, argv, &i, err);
		else if (!ended && argv[i][0] == '-' && argv[i][1])
			bad = parse_letters(&parsing, argc, argv, &i, err);
		else
			opt->operand[opt->operand_count++] = argv[i];
		if (bad < 0)
			return -1;
	}
	if (opt->output && strcmp(opt->output, "-") == 0)
		opt->output = NULL;
	if (opt->db && !opt->db[0])
		return error_set(err, "--db '': expected the name of a file");
	if (opt->baseline_db && !opt->baseline_db[0])
		return error_set(err, "--baseline-db '': expected the name of a file");
	if (opt->tz && zone_parse(&opt->zone, opt->tz, err) < 0)
		return -1;
	if (opt->columns && headerless_check(opt->columns, err) < 0)
		return -1;
	if (opt->db && opt->no_db)
		return error_set(err, "--db and --no-db exclude one another");
	return 0;
}

bool options_has(const struct options *opt, const char *name)
{
	struct option option;

	return opt->given >> find_long(name, strlen(name), &option) & 1;
}

void options_release(struct options *opt)
{
	free(opt->operand);
	opt->operand = NULL;
	for (size_t i = 0; i < opt->opened_count; i++)
		free(opt->opened[i]);
	free(opt->opened);
	opt->opened = NULL;
	label_list_release(&opt->label);
	label_list_release(&opt->where);
}

/* What several options mean together. */

bool options_has_filter(const struct options *opt)
{
	return opt->metric || opt->device || opt->phase;
}

struct report_filter options_filter(const struct options *opt)
{
	return (struct report_filter){.metric = opt->metric,
		.device = opt->device,
		.phase = opt->phase,
		.per_core = opt->per_core,
		.since_ns = opt->since_ns > 0 ? opt->since_ns : 0,
		.until_ns = opt->until_ns > 0 ? opt->until_ns : 0};
}

static const char *named_db(const struct options *opt)
{
	const char *named = opt->db ? opt->db : getenv("HWSUMMARIZE_DB");

	return named && named[0] ? named : NULL;
}

bool options_name_db(const struct options *opt)
{
	return named_db(opt) != NULL;
}

const char *options_db(const struct options *opt)
{
	return options_name_db(opt) ? named_db(opt) : "runs.db";
}

/* The commands, and how each chooses from the table of formats. */

static bool reports(const struct render_format *format)
{
	return format->write;
}

static bool compares(const struct render_format *format)
{
	return format->compare || (format->tool && format->tool->compare);
}

static bool gates(const struct render_format *format)
{
	return format->gate;
}

static bool calibrates(const struct render_format *format)
{
	return format->calibrate;
}

static bool tests_itself(const struct render_format *format)
{
	return format->selftest;
}

static bool draws_trends(const struct render_format *format)
{
	return format->trend;
}

static bool answers(const struct render_format *format)
{
	return format->answer;
}

#define NAMED 5 /* at most */
#define MOST  32 /* formats of a command */

static const struct printer {
	const char *command;
	bool (*prints)(const struct render_format *); /* NULL: what is named */
	const char *name[NAMED + 1]; /* the default first */
} printer[] = {{"export", NULL, {"trace", "svg", "openmetrics", "csv", "ndjson"}},
	{"check", NULL, {"text", "json"}}, {"explain", NULL, {"text", "json"}},
	{"compare", compares, {NULL}}, {"gate", gates, {NULL}},
	{"gate --calibrate", calibrates, {NULL}}, {FORMATS_OF_RUNS, reports, {NULL}},
	{"gate --selftest", tests_itself, {NULL}}, {"trend", draws_trends, {NULL}},
	{"sql", answers, {NULL}}, {"list", answers, {NULL}}};

struct names {
	const char *name[MOST];
	size_t count;
};

static bool is_among(const struct names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (strcmp(names->name[i], name) == 0)
			return true;
	return false;
}

static void add(struct names *names, const char *name)
{
	if (names->count < MOST && !is_among(names, name))
		names->name[names->count++] = name;
}

static void add_all(struct names *names, const struct printer *p)
{
	const struct render_format *format;

	for (size_t i = 0; p->name[i]; i++)
		add(names, p->name[i]);
	for (size_t i = 0; p->prints && (format = output_nth(i)); i++)
		if (p->prints(format))
			add(names, format->name);
}

/* options: with what it prints with one of them. */
static struct names names_of(const char *command, bool options)
{
	struct names names = {.count = 0};
	size_t len = strlen(command);

	for (size_t i = 0; i < sizeof printer / sizeof *printer; i++)
		if (strncmp(printer[i].command, command, len) == 0 &&
			(!printer[i].command[len] ||
				(options && printer[i].command[len] == ' ')))
			add_all(&names, &printer[i]);
	return names;
}

/* "text, json or csv"; first: behind the first. */
static void say(struct strbuf *sb, const struct names *names, const char *first)
{
	for (size_t i = 0; i < names->count; i++) {
		strbuf_add_or(sb, i, i + 1 == names->count);
		strbuf_addf(sb, "%s%s", names->name[i], i ? "" : first);
	}
}

int formats_check(const char *command, const char *format, struct error *err)
{
	struct names names = names_of(command, false);
	struct strbuf expected;

	if (names.count ? is_among(&names, format) : strcmp(format, "text") == 0)
		return 0;
	strbuf_init(&expected);
	say(&expected, &names, "");
	error_set(err, "%s has no format '%s'; expected %s--format%s%s", command, format,
		names.count ? "" : "no ", names.count ? " " : "", expected.text);
	strbuf_release(&expected);
	return -1;
}

void formats_refuse(const char *format, struct error *err)
{
	struct names names = names_of(FORMATS_OF_RUNS, false);
	struct near near = {.asked = format};
	struct strbuf sb;

	if (output_find(format)) {
		error_set(err, "format '%s' is for the command gate", format);
		return;
	}
	for (size_t i = 0; i < names.count; i++)
		near_offer(&near, names.name[i]);
	strbuf_init(&sb);
	if (near.count)
		near_say(&sb, &near, "");
	else
		strbuf_adds(&sb, " (see hwsummarize --list-formats)");
	error_set(err, "unknown format '%s'%s", format, sb.text);
	strbuf_release(&sb);
}

bool formats_has(const char *command, const char *format)
{
	struct names names = names_of(command, true);

	return is_among(&names, format);
}

/* Appends them, "text (default), json or csv", with those of its options. */
static void formats_help(struct strbuf *sb, const char *command)
{
	struct names names = names_of(command, true);

	say(sb, &names, " (default)");
}

/* A table of the commands, of which the help of all and that of each are made. */

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
	/* By name: all that it takes; compare also what other tools' options say. */
	const char *option[OPTIONS];
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
			TOLD}},
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

/* Has the help of a command this option? Options of all, as --help, are in none. */
static bool help_takes(const char *name, const char *option)
{
	const struct tool_option *tool;
	size_t i = 0;

	while (i < COMMANDS && strcmp(commands[i].name, name) != 0)
		i++;
	if (i == COMMANDS)
		return false;
	for (size_t k = 0; k < OPTIONS && commands[i].option[k]; k++)
		if (strcmp(commands[i].option[k], option) == 0)
			return true;
	for (size_t k = 0; strcmp(name, "compare") == 0 && (tool = tool_option_nth(k));
		k++)
		if (tool->compares && strcmp(tool->name, option) == 0)
			return true;
	return false;
}

#define HELP_COLUMN 27

/* command: of which; NULL: all. */
static void options_help(
	const struct help_page *page, const char *command, const char *formats)
{
	struct option o;

	for (size_t i = 0; option_nth(i, &o); i++) {
		char letter[] = "  -x, ", name[48];

		if (command && !help_takes(command, o.name))
			continue;
		letter[3] = o.letter;
		snprintf(name, sizeof name, "%s--%s%s%s", o.letter ? letter : "      ",
			o.name, o.argument ? " " : "", o.argument ? o.argument : "");
		paragraph_beside(page, name, HELP_COLUMN,
			formats && strcmp(o.name, "format") == 0 ? formats : o.help);
	}
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
	strbuf_addf(&sb, "unknown command %s", operand);
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
	options_help(page, c->name, formats.text);
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

/* Which command takes what its help says: here is of which options that must be so. */

/* "report, export and gate": the first of them. */
static const char *add_commands(struct strbuf *sb, const char *option)
{
	const char *first = NULL, *name, *last = NULL;

	for (size_t i = 0; (name = help_command(i)); i++) {
		if (!help_takes(name, option))
			continue;
		if (last)
			strbuf_addf(sb, "%s%s", last == first ? " " : ", ", last);
		first = first ? first : name;
		last = name;
	}
	if (last)
		strbuf_addf(sb, "%s %s", last == first ? "" : " and", last);
	return first;
}

static char *refuse_option(const char *name, const char *command)
{
	const char *first;
	struct strbuf sb;

	strbuf_init(&sb);
	strbuf_addf(&sb, "--%s is an option of", name);
	first = add_commands(&sb, name);
	if (!first)
		strbuf_adds(&sb, " hwsummarize RUN...");
	if (command)
		strbuf_addf(&sb, ", and does nothing for %s", command);
	else
		strbuf_addf(&sb, "; expected hwsummarize %s", first);
	return strbuf_detach(&sb);
}

char *belongs_refuse(const struct options *opt, const char *command)
{
	static const struct {
		const char *name;
		bool summary; /* it is one of hwsummarize RUN..., too */
	} option[] = {{"rules", false}, {"calibrate", false}, {"selftest", false},
		{"baseline-db", false}, {"vs", false}, {"by", false}, {"work", false},
		{"statistic", false}, {"dsn", false}, {"where", false}, {"calls", true},
		{"per-core", true}, {"label", true}, {"strict", true}, {"jobs", true},
		{"tz", true}, {"columns", true}};
	const struct tool_option *tool;

	for (size_t i = 0; i < sizeof option / sizeof *option; i++)
		if (options_has(opt, option[i].name) &&
			!(command ? help_takes(command, option[i].name)
				  : option[i].summary))
			return refuse_option(option[i].name, command);
	for (size_t i = 0; command && (tool = tool_option_nth(i)); i++)
		if (options_has(opt, tool->name) && !help_takes(command, tool->name))
			return refuse_option(tool->name, command);
	return NULL;
}

/* An option that would change nothing is refused rather than ignored. */

/* The first that shapes how logs are read, or what a report tells; NULL: none. */
static const char *of_reports(const struct options *opt)
{
	static const char *const option[] = {"join", "tz", "columns", "gap", "interval",
		"since", "until", "phase", "device", "metric", "calls", "per-core",
		"strict", "statistic", "by", "work", "label", "vs", "rules",
		"baseline-db", "calibrate", "selftest", "jobs"};
	const struct tool_option *tool;

	for (size_t i = 0; i < sizeof option / sizeof *option; i++)
		if (options_has(opt, option[i]))
			return option[i];
	for (size_t i = 0; (tool = tool_option_nth(i)); i++)
		if (options_has(opt, tool->name))
			return tool->name;
	return NULL;
}

char *stored_refuse(const struct options *opt, const char *command, bool chooses)
{
	const char *name = of_reports(opt);
	struct strbuf sb;
	struct error err;

	strbuf_init(&sb);
	if (formats_check(command, opt->format, &err) < 0)
		strbuf_adds(&sb, err.message);
	else if (opt->no_db)
		strbuf_addf(&sb, "%s asks the database; expected no --no-db", command);
	else if (name)
		strbuf_addf(&sb, "%s reads no log; expected no --%s", command, name);
	else if (opt->dsn && strcmp(command, "push") != 0)
		strbuf_addf(&sb, "%s takes no --dsn; push does", command);
	else if (!chooses && opt->where.count)
		strbuf_addf(&sb, "%s takes no --where", command);
	if (sb.len)
		return strbuf_detach(&sb);
	strbuf_release(&sb);
	return NULL;
}
