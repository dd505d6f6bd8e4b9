/* The tables of the rooms that see nothing of one another, joined. */
#include "cmd/formats.h"

#include <string.h>

#include "base/name_match.h"
#include "foreign/foreign.h"
#include "read/formats.h"
#include "render/render.h"

#define SOURCE(id, object, ...) extern const struct format format_##object;
#include "../schema/sources.def"

const struct format *const *log_formats(void)
{
	static const struct format *const formats[SOURCE_KIND_COUNT] = {
#define SOURCE(id, object, ...) [SOURCE_##id] = &format_##object,
#include "../schema/sources.def"
	};

	return formats;
}

static const struct tool *const tools[] = {
	&tool_pytyche, &tool_calibrax, &tool_gpu_tracker, &tool_jumper};

const struct render_format *output_nth(size_t nth)
{
	size_t count;
	const struct render_format *format = render_formats(&count);

	for (size_t i = 0; nth >= count; i++) {
		if (i == sizeof tools / sizeof tools[0])
			return NULL;
		nth -= count;
		format = tools[i]->format;
		count = tools[i]->format_count;
	}
	return &format[nth];
}

const struct tool_option *tool_option_nth(size_t nth)
{
	for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++) {
		if (nth < tools[i]->option_count)
			return &tools[i]->option[nth];
		nth -= tools[i]->option_count;
	}
	return NULL;
}

const struct tool *tool_of_option(const struct tool_option *option)
{
	for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++)
		for (size_t k = 0; k < tools[i]->option_count; k++)
			if (option == &tools[i]->option[k])
				return tools[i];
	return NULL;
}

const struct render_format *output_find(const char *name)
{
	const struct render_format *format;
	size_t nth = 0;

	while ((format = output_nth(nth++)) && strcmp(format->name, name) != 0)
		;
	return format;
}

#define NAMED 6 /* at most */
#define MOST  32 /* formats of a command */

static const struct printer {
	const char *command;
	enum {
		NAMES, /* the formats that are named */
		REPORTS,
		RESULTS, /* of that kind */
		ANSWERS
	} prints;
	enum result_kind result;
	const char *name[NAMED + 1]; /* the default first */
} printer[] = {{"summary", REPORTS, 0, {NULL}},
	{"export", NAMES, 0,
		{"trace", "svg", "openmetrics", "csv", "ndjson", "gpu-tracker-sub"}},
	{"check", NAMES, 0, {"text", "json"}}, {"explain", NAMES, 0, {"text", "json"}},
	{"compare", RESULTS, RESULT_COMPARISON, {NULL}},
	{"gate", RESULTS, RESULT_GATE, {NULL}},
	{"gate --calibrate", RESULTS, RESULT_CALIBRATION, {NULL}},
	{"gate --selftest", RESULTS, RESULT_SELFTEST, {NULL}},
	{"trend", RESULTS, RESULT_TRENDS, {NULL}}, {"sql", ANSWERS, 0, {NULL}},
	{"list", ANSWERS, 0, {NULL}}};

static bool prints(const struct printer *p, const struct render_format *format)
{
	switch (p->prints) {
	case NAMES:
		return false;
	case REPORTS:
		return format->write;
	case RESULTS:
		return render_has(format, p->result) ||
			(p->result == RESULT_COMPARISON && format->tool &&
				!format->marks && format->tool->compare);
	case ANSWERS:
		return format->answer;
	}
	return false;
}

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
	for (size_t i = 0; (format = output_nth(i)); i++)
		if (prints(p, format))
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
	struct near near = {.asked = format};
	struct strbuf sb;

	if (names.count ? is_among(&names, format) : strcmp(format, "text") == 0)
		return 0;
	for (size_t i = 0; i < names.count; i++)
		near_offer(&near, names.name[i]);
	strbuf_init(&sb);
	if (near.count) {
		near_say(&sb, &near, "");
	} else if (names.count) {
		strbuf_adds(&sb, "; expected ");
		say(&sb, &names, "");
	}
	error_set(err, "%s has no format '%s'%s", command, format, sb.text);
	strbuf_release(&sb);
	return -1;
}

bool formats_has(const char *command, const char *format)
{
	struct names names = names_of(command, true);

	return is_among(&names, format);
}

const char *formats_of_file(const char *command, const char *path, const char *otherwise)
{
	static const struct {
		const char *ending, *format;
	} by_ending[] = {{".html", "html"}, {".htm", "html"}, {".json", "json"},
		{".ndjson", "ndjson"}, {".jsonl", "ndjson"}, {".csv", "csv"},
		{".md", "markdown"}, {".svg", "svg"}};
	const struct names names = names_of(command, false);
	const char *ending = strrchr(path, '.');

	for (size_t i = 0; ending && i < sizeof by_ending / sizeof *by_ending; i++)
		if (strcmp(by_ending[i].ending, ending) == 0 &&
			is_among(&names, by_ending[i].format))
			return by_ending[i].format;
	return otherwise;
}

void formats_help(struct strbuf *sb, const char *command)
{
	struct names names = names_of(command, true);

	say(sb, &names, " (default)");
}
