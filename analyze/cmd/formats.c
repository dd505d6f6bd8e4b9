/* The commands, and how each chooses from the table of formats. */
#include "cmd/formats.h"

#include <stdbool.h>
#include <string.h>

#include "base/name_match.h"
#include "render/render.h"

static bool reports(const struct render_format *format)
{
	return format->write;
}

static bool compares(const struct render_format *format)
{
	return format->compare || format->compare_tracker;
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
	size_t count;
	const struct render_format *format = render_formats(&count);

	for (size_t i = 0; p->name[i]; i++)
		add(names, p->name[i]);
	for (size_t i = 0; p->prints && i < count; i++)
		if (p->prints(&format[i]))
			add(names, format[i].name);
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

	if (render_find(format)) {
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

void formats_help(struct strbuf *sb, const char *command)
{
	struct names names = names_of(command, true);

	say(sb, &names, " (default)");
}
