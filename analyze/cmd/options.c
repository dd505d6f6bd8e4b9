/* The table of options, and the parser. */
#include "cmd/options.h"
#include "cmd/formats.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/name_match.h"
#include "base/number.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "cmd/output.h"
#include "model/report.h"
#include "model/run.h"
#include "read/identify.h"
#include "render/render.h"

static const struct option table[] = {
#define FIELD(name) offsetof(struct options, name)
	{0, "format", TEXT, FIELD(format), "NAME", USE_FIRST,
		"csv, markdown, html ... (hwsummarize help formats)"},
	{0, "json", JSON, FIELD(format), NULL, USE_FIRST, "the same as --format json"},
	{'o', "output", TEXT, FIELD(output), "FILE", USE_FIRST,
		"write to FILE; .html, .json or .csv set the format"},
	{0, "phase", TEXT, FIELD(phase), "GLOB", USE_FIRST,
		"only these phases in the tables of phases"},
	{0, "device", TEXT, FIELD(device), "GLOB", USE_FIRST,
		"only these devices: gpu0, 'gpu*', cpu"},
	{0, "metric", TEXT, FIELD(metric), "GLOB", USE_FIRST,
		"only these metrics (see --list-metrics)"},
	{0, "since", INSTANT, FIELD(since_ns), "TIME", USE_FIRST,
		"only from this time of the run on: 90, 5m, 1h30m"},
	{0, "until", DURATION, FIELD(until_ns), "TIME", USE_FIRST,
		"only until this time of the run"},
	{0, "vs", PLACE, FIELD(vs), NULL, USE_OFTEN,
		"baseline runs before it, new runs after it"},
	{0, "baseline-db", TEXT, FIELD(baseline_db), "FILE", USE_OFTEN,
		"compare with the runs of this database"},
	{0, "paired", FLAG, FIELD(paired), NULL, USE_OFTEN,
		"pair the nth base run with the nth new run"},
	{0, "paired-by", TEXT, FIELD(paired_by), "LABEL", USE_OFTEN,
		"pair runs with the same label, or by time"},
	{0, "rules", TEXT, FIELD(gate_rules), "FILE", USE_OFTEN,
		"a file, or built-in rules, which need a baseline"},
	{0, "calibrate", FLAG, FIELD(calibrate), NULL, USE_OFTEN,
		"measure the noise of repeated runs, propose limits"},
	{0, "selftest", FLAG, FIELD(selftest), NULL, USE_OFTEN,
		"show how large a change each rule would notice"},
	{0, "allow-undetected", FLAG, FIELD(allow_undetected), NULL, USE_OFTEN,
		"pass limits too tight for so few runs to check"},
	{0, "by", TEXT, FIELD(by), "LABEL", USE_OFTEN,
		"one point for each value of this label"},
	{0, "work", TEXT, FIELD(work), "GLOB", USE_OFTEN, "only these units of work"},
	{0, "dsn", TEXT, FIELD(dsn), "URL", USE_OFTEN,
		"postgresql://USER@HOST/DATABASE (password: in ~/.pgpass)"},
	{0, "db", TEXT, FIELD(db), "FILE", USE_FIRST,
		"runs database (default: $HWSUMMARIZE_DB, runs.db)"},
	{0, "no-db", FLAG, FIELD(no_db), NULL, USE_FIRST, "use no database"},
	{0, "where", LABEL, FIELD(where), "KEY=VALUE", USE_OFTEN,
		"only stored runs with this label (may repeat)"},
	{0, "label", LABEL, FIELD(label), "KEY=VALUE", USE_OFTEN,
		"label the runs, e.g. commit=4f2a1c (may repeat)"},
	{'q', "quiet", COUNT_DOWN, FIELD(verbose), NULL, USE_OFTEN,
		"less text, no progress"},
	{'v', "verbose", COUNT_UP, FIELD(verbose), NULL, USE_FIRST,
		"every metric and remark"},
	{0, "join", FLAG, FIELD(join), NULL, USE_RARELY, "read all logs as one run"},
	{0, "tz", TEXT, FIELD(tz), "ZONE", USE_RARELY,
		"zone of times without one: +02:00, Europe/Berlin"},
	{0, "interval", DURATION, FIELD(interval_ns), "TIME", USE_RARELY,
		"sampling interval, if the log does not show it"},
	{0, "gap", DURATION, FIELD(gap_ns), "TIME", USE_RARELY,
		"a longer step between samples is a gap, e.g. 30s"},
	{0, "columns", TEXT, FIELD(columns), "LIST", USE_RARELY,
		"columns of a log without a header, with commas"},
	{0, "map", TEXT, FIELD(map), "FILE", USE_RARELY,
		"what the columns of a table mean, as schema/maps does"},
	{0, "statistic", TEXT, FIELD(statistic), "NAME", USE_RARELY,
		"mean (default), min, max ... (compare: with gpu-tracker formats)"},
	{0, "weights", TEXT, FIELD(weights), "FILE", USE_RARELY,
		"rank several runs by these weights of numbers (JSON)"},
	{0, "calls", FLAG, FIELD(calls), NULL, USE_RARELY, "list every call of a phase"},
	{0, "per-core", FLAG, FIELD(per_core), NULL, USE_RARELY,
		"show each CPU, too, not only all together"},
	{0, "timeout", DURATION, FIELD(timeout_ns), "TIME", USE_RARELY,
		"stop a query after this time (60s)"},
	{0, "strict", FLAG, FIELD(strict), NULL, USE_RARELY,
		"exit status 3 when a log is damaged"},
	{'j', "jobs", NUMBER, FIELD(jobs), "N", USE_RARELY,
		"load N runs at once (default: number of processors)"},
	{0, "no-color", FLAG, FIELD(no_color), NULL, USE_RARELY, "no color"},
	{0, "", OF_TOOLS, 0, NULL, USE_OF_TOOLS, NULL},
	{0, "list-metrics", FLAG, FIELD(list_metrics), NULL, USE_ALWAYS,
		"list the metrics and keys of the summary"},
	{0, "list-formats", FLAG, FIELD(list_formats), NULL, USE_ALWAYS,
		"list the output formats"},
	{'h', "help", FLAG, FIELD(help), NULL, USE_ALWAYS, "show help"},
	{0, "version", FLAG, FIELD(version), NULL, USE_ALWAYS, "show the version"},
#undef FIELD
};

#define SECONDS_MAX 100000000LL /* three years */
#define TABLE_COUNT (sizeof table / sizeof table[0])
#define OPTIONS_MAX 64 /* each has a bit of options.given */

_Static_assert(TABLE_COUNT + TOOL_OPTIONS_MAX <= OPTIONS_MAX, "a bit for each");

bool option_nth(size_t nth, struct option *option)
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
			*option = (struct option){0, tool->name, OF_TOOLS, k,
				tool->argument, USE_OF_TOOLS, tool->help};
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

/* "90" are seconds; "500ms", "5m", "1h30m". At most SECONDS_MAX. */
static bool duration_parse(const char *text, int64_t *ns)
{
	static const struct {
		const char *name;
		int64_t ns;
	} unit[] = {{"ms", NS_PER_S / 1000}, {"s", NS_PER_S}, {"m", 60 * NS_PER_S},
		{"min", 60 * NS_PER_S}, {"h", 3600 * NS_PER_S}, {"d", 86400 * NS_PER_S}};
	const size_t units = sizeof unit / sizeof *unit;
	int64_t part;

	if (number_scaled(span_of(text), NS_PER_S, ns))
		return *ns <= SECONDS_MAX * NS_PER_S;
	*ns = 0;
	do {
		size_t digits = strspn(text, "0123456789."), letters, i = 0;

		letters = strcspn(text + digits, "0123456789.");
		while (i < units &&
			(strlen(unit[i].name) != letters ||
				strncmp(unit[i].name, text + digits, letters)))
			i++;
		if (i == units ||
			!number_scaled((struct span){text, digits}, unit[i].ns, &part) ||
			part > SECONDS_MAX * NS_PER_S - *ns)
			return false;
		*ns += part;
		text += digits + letters;
	} while (*text);
	return true;
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

/* What the words so far have set; options of one field are one: --json, --format. */
struct parsing {
	struct options *opt;
	const char *given[OPTIONS_MAX]; /* the value, at the first option of its field;
					   NULL: none */
};

/* One that has a value: the same value again changes nothing, another is a mistake. */
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
		return error_set(err, "--%s is given twice, as '%s' and '%s'",
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
	case DURATION:
	case INSTANT:
		if (!duration_parse(value, &ns) || ns < (option->kind == DURATION))
			return error_set(err,
				"--%s %s: expected a time %s, e.g. 90 (seconds), 500ms, "
				"5m or 1h30m",
				option->name, value,
				option->kind == DURATION ? "above 0" : "from 0");
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
			return error_set(err, "--%s is given twice", option->name);
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
	struct strbuf sb = strbuf_new();

	for (size_t i = 0; option_nth(i, &option); i++)
		near_offer(&near, option.name);
	if (near.count)
		near_say(&sb, &near, "--");
	else if (output_find(asked))
		strbuf_addf(&sb, "; did you mean --format %s?", asked);
	else
		strbuf_adds(&sb, " (see hwsummarize help)");
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
				err, "unknown option -%c (see hwsummarize help)", *c);
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

int options_read_json(struct strbuf *text, const char *path, size_t most,
	const char *name, const char *expected, struct error *err)
{
	FILE *file = fopen(path, "rb");
	int result;

	if (!file)
		return error_set(err, "%s: can't open: %s", name, strerror(errno));
	errno = 0;
	result = strbuf_read(text, file, most);
	if (result < 0)
		error_set(err, "%s: can't read: %s", name, strerror(errno));
	else if (text->len > most || memchr(text->text, 0, text->len))
		result = error_set(err, "%s: %s", name, expected);
	fclose(file);
	return result;
}

#define MAP_BYTES_MAX (1 << 20)

/* The map that --map names; it goes before the program's own. */
static int take_map(struct options *opt, struct error *err)
{
	struct strbuf text = strbuf_new(), name = strbuf_new();
	int result;

	strbuf_addf(&name, "--map %s", opt->map);
	result = options_read_json(&text, opt->map, MAP_BYTES_MAX, name.text,
		"expected a map of columns as JSON, of at most 1 MiB", err);
	if (result == 0)
		result = table_maps_parse(&opt->maps, opt->map, text.text, err);
	strbuf_release(&name);
	strbuf_release(&text);
	return result;
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
		.timeout_ns = 60 * NS_PER_S,
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
		return error_set(err, "--db '': the file name is empty");
	if (opt->baseline_db && !opt->baseline_db[0])
		return error_set(err, "--baseline-db '': the file name is empty");
	if (opt->tz && zone_parse(&opt->zone, opt->tz, err) < 0)
		return -1;
	if (opt->columns && headerless_check(opt->columns, err) < 0)
		return -1;
	opt->maps = table_maps_carried();
	if (opt->map && take_map(opt, err) < 0)
		return -1;
	if (opt->db && opt->no_db)
		return error_set(err, "--db and --no-db exclude each other");
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
	free_texts(opt->opened, opt->opened_count);
	opt->opened = NULL;
	label_list_release(&opt->label);
	label_list_release(&opt->where);
	table_maps_release(&opt->maps);
}

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
