/* The table of options and its two readers: the parser and the help. */
#include "cmd/options.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/name_match.h"
#include "base/number.h"
#include "base/timestamp.h"
#include "cmd/paragraph.h"
#include "read/headerless.h"

enum kind {
	FLAG,
	TEXT,
	SECONDS,
	INSTANT, /* seconds from the run's start, of which 0 is one */
	COUNT_UP,
	COUNT_DOWN,
	JSON,
	DATA_UNIT,
	TIME_UNIT,
	NUMBER,
	LIST, /* of names, of which the number is kept */
	CELLS,
	LEVEL,
	LABEL, /* one of several */
	PLACE /* among the operands */
};

static const struct option {
	char letter; /* 0: none */
	const char *name; /* NULL: none */
	enum kind kind;
	size_t field; /* offset in struct options */
	const char *argument; /* NULL: none */
	const char *help;
} table[] = {
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
	{0, "ram-unit", DATA_UNIT, FIELD(dialect.ram), "UNIT",
		"gpu-tracker: bytes, kilobytes, megabytes, gigabytes, terabytes"},
	{0, "gpu-ram-unit", DATA_UNIT, FIELD(dialect.gpu_ram), "UNIT",
		"gpu-tracker: the same of GPU memory"},
	{0, "time-unit", TIME_UNIT, FIELD(dialect.time), "UNIT",
		"gpu-tracker: seconds, minutes, hours, days"},
	{0, "expected-cores", NUMBER, FIELD(dialect.expected_cores), "N",
		"gpu-tracker, jumper: CPUs that the program was to use"},
	{0, "gpus", LIST, FIELD(dialect.expected_gpus), "UUIDS",
		"gpu-tracker: GPUs that the program was to use"},
	{0, "cell", CELLS, FIELD(dialect.cells), "RANGE",
		"jumper: only these cells: 5, 2:8, :5, 3:"},
	{0, "no-idle", FLAG, FIELD(dialect.no_idle), NULL,
		"jumper: without the time between cells"},
	{0, "level", LEVEL, FIELD(dialect.level), "NAME",
		"jumper: only process, user, system or slurm"},
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
	{0, "no-color", FLAG, FIELD(no_color), NULL, "no colour"},
	{'q', "quiet", COUNT_DOWN, FIELD(verbose), NULL, "less text, no progress"},
	{'v', "verbose", COUNT_UP, FIELD(verbose), NULL, "every metric, every remark"},
	{0, "list-metrics", FLAG, FIELD(list_metrics), NULL, "what can be measured"},
	{0, "list-formats", FLAG, FIELD(list_formats), NULL, "what can be printed"},
	{'h', "help", FLAG, FIELD(help), NULL, "this"},
	{0, "version", FLAG, FIELD(version), NULL, "the version"},
#undef FIELD
};

#define SECONDS_MAX  100000000LL /* three years */
#define OPTION_COUNT (sizeof table / sizeof table[0])

_Static_assert(OPTION_COUNT <= 64, "each has a bit of options.given");

static const struct option *find_long(const char *name, size_t len)
{
	for (size_t i = 0; i < OPTION_COUNT; i++)
		if (strlen(table[i].name) == len &&
			strncmp(table[i].name, name, len) == 0)
			return &table[i];
	return NULL;
}

static const struct option *find_letter(char letter)
{
	for (size_t i = 0; i < OPTION_COUNT; i++)
		if (table[i].letter && table[i].letter == letter)
			return &table[i];
	return NULL;
}

static int set_unit(
	const struct option *option, const char *value, char *field, struct error *err)
{
	enum data_unit data = data_unit_find(span_of(value));
	enum time_unit time = time_unit_find(span_of(value));

	if (option->kind == DATA_UNIT) {
		if (data == DATA_UNIT_NONE)
			return error_set(err,
				"--%s %s: expected bytes, kilobytes, megabytes, "
				"gigabytes or terabytes",
				option->name, value);
		memcpy(field, &data, sizeof data);
		return 0;
	}
	if (time == TIME_UNIT_NONE)
		return error_set(err, "--%s %s: expected seconds, minutes, hours or days",
			option->name, value);
	memcpy(field, &time, sizeof time);
	return 0;
}

/* "GPU-1,GPU-2" are two; an empty name is none. -1: there is an empty one. */
static int64_t count_names(const char *list)
{
	int64_t names = 1;

	for (const char *c = list; *c; c++) {
		if (*c == ',')
			names++;
		if (*c == ',' && (c == list || c[1] == ',' || !c[1]))
			return -1;
	}
	return *list ? names : -1;
}

#define COUNT_MAX 1000000

static int set_count(
	const struct option *option, const char *value, char *field, struct error *err)
{
	int64_t count = -1;
	uint64_t number;

	if (option->kind == LIST)
		count = count_names(value);
	else if (number_unsigned(span_of(value), &number) && number <= COUNT_MAX)
		count = (int64_t)number;
	if (count < 1)
		return error_set(err, "--%s %s: expected %s", option->name, value,
			option->kind == LIST ? "names with commas between"
					     : "a number from 1 to 1000000");
	memcpy(field, &(int32_t){(int32_t)count}, sizeof(int32_t));
	return 0;
}

static int set_cells(
	const struct option *option, const char *value, char *field, struct error *err)
{
	struct cell_range range;
	struct error why;

	if (cell_range_parse(&range, span_of(value), &why) < 0)
		return error_set(err, "--%s %s: %s", option->name, value, why.message);
	memcpy(field, &range, sizeof range);
	return 0;
}

static int set_level(
	const struct option *option, const char *value, char *field, struct error *err)
{
	if (jumper_level_find(span_of(value)) == JUMPER_LEVELS)
		return error_set(err, "--%s %s: expected process, user, system or slurm",
			option->name, value);
	memcpy(field, &value, sizeof value);
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
	const char *given[OPTION_COUNT]; /* the value, at the first option of its field;
					    NULL: none */
};

/* One that has a value: the same value again changes nothing, another one is a mistake.
 */
static int give_once(struct parsing *parsing, const struct option *option,
	const char *value, struct error *err)
{
	size_t first = 0;

	while (table[first].field != option->field)
		first++;
	if (parsing->given[first] && strcmp(parsing->given[first], value) != 0)
		return error_set(err,
			"--%s stands twice, as '%s' and '%s'; expected it once",
			table[first].name, parsing->given[first], value);
	parsing->given[first] = value;
	return 0;
}

static int set_option(struct parsing *parsing, const struct option *option,
	const char *value, struct error *err)
{
	struct options *opt = parsing->opt;
	char *field = (char *)opt + option->field;
	int64_t ns;

	opt->given |= UINT64_C(1) << (option - table);
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
	case DATA_UNIT:
	case TIME_UNIT:
		return set_unit(option, value, field, err);
	case NUMBER:
	case LIST:
		return set_count(option, value, field, err);
	case CELLS:
		return set_cells(option, value, field, err);
	case LEVEL:
		return set_level(option, value, field, err);
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
	struct strbuf sb;

	for (size_t i = 0; i < OPTION_COUNT; i++)
		near_offer(&near, table[i].name);
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
	const struct option *option = find_long(name, len);
	const char *value = equals ? equals + 1 : NULL;

	if (!option)
		return refuse_long(name, len, err);
	if (option->argument && !value) {
		if (*at + 1 >= argc)
			return error_set(err, "--%s needs an argument: %s", option->name,
				option->argument);
		value = argv[++*at];
	} else if (!option->argument && value) {
		return error_set(err, "--%s takes no argument", option->name);
	}
	return set_option(parsing, option, value, err);
}

/* -v, -qv, -oFILE, -o FILE */
static int parse_letters(
	struct parsing *parsing, int argc, char **argv, int *at, struct error *err)
{
	for (const char *c = argv[*at] + 1; *c; c++) {
		const struct option *option = find_letter(*c);

		if (!option)
			return error_set(
				err, "unknown option -%c (see hwsummarize --help)", *c);
		if (!option->argument) {
			if (set_option(parsing, option, NULL, err) < 0)
				return -1;
			continue;
		}
		if (c[1])
			return set_option(parsing, option, c + 1, err);
		if (*at + 1 >= argc)
			return error_set(
				err, "-%c needs an argument: %s", *c, option->argument);
		return set_option(parsing, option, argv[++*at], err);
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
		.dialect = DIALECT_OPTIONS_NONE};
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
	if (opt->tz && zone_parse(&(struct zone){0}, opt->tz, err) < 0)
		return -1;
	if (opt->columns && headerless_check(opt->columns, err) < 0)
		return -1;
	if (opt->db && opt->no_db)
		return error_set(err, "--db and --no-db exclude one another");
	return 0;
}

bool options_has(const struct options *opt, const char *name)
{
	return opt->given >> (find_long(name, strlen(name)) - table) & 1;
}

void options_release(struct options *opt)
{
	free(opt->operand);
	opt->operand = NULL;
	label_list_release(&opt->label);
	label_list_release(&opt->where);
}

#define HELP_COLUMN 27

void options_help(
	const struct help_page *page, const char *const *wanted, const char *formats)
{
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		const struct option *o = &table[i];
		bool is_wanted = !wanted;
		char letter[] = "  -x, ", name[48];

		for (size_t k = 0; wanted && wanted[k]; k++)
			is_wanted |= strcmp(wanted[k], o->name) == 0;
		if (!is_wanted)
			continue;
		letter[3] = o->letter;
		snprintf(name, sizeof name, "%s--%s%s%s", o->letter ? letter : "      ",
			o->name, o->argument ? " " : "", o->argument ? o->argument : "");
		paragraph_beside(page, name, HELP_COLUMN,
			formats && strcmp(o->name, "format") == 0 ? formats : o->help);
	}
}
