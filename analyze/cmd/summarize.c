/*
 * hwsummarize RUN...: loads every run and prints what they used. One bad run never hides
 * the others.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "cmd/command.h"
#include "cmd/finding_lines.h"
#include "cmd/matching.h"
#include "cmd/result.h"
#include "cmd/runs.h"
#include "cmd/unknown.h"
#include "compute/selection.h"
#include "render/render.h"

/*
 * The runs of a call on their way to the output. Where the format takes them one by one,
 * each is loaded when its turn comes, and let go when the next one is: ten thousand need
 * no more memory than ten.
 */
struct stream {
	struct runs *runs;
	const struct render_format *format;
	struct report_filter filter;
	size_t operand; /* the next to be loaded */
	bool begun; /* a run was taken */
	struct render_input in;
	FILE *out;
	int broke; /* errno of the first write that failed */
	struct sigaction pipe; /* what a broken pipe does before and behind the runs */
	struct error refused; /* a run that the output would be written over */
	bool is_refused;
};

/* The next run that can be loaded; false: there is none left. */
static bool load_next(struct stream *s)
{
	struct runs *runs = s->runs;
	size_t operands = (size_t)runs->opt->operand_count;

	while (s->operand < operands) {
		const char *const *path = &runs->opt->operand[s->operand];
		size_t count = runs->opt->join ? operands : 1;

		s->operand += count;
		if (runs_load(runs, path, count) == 0)
			return true;
	}
	return false;
}

/* Where each of its findings stands in the logs, whatever it was loaded from. */
static void find_lines(struct runs *runs, struct loaded *loaded)
{
	const struct options *opt = runs->opt;
	const char *path = loaded->run.path;

	if (opt->verbose > 0 && opt->join)
		finding_lines(loaded, opt->operand, (size_t)opt->operand_count, opt);
	else if (opt->verbose > 0)
		finding_lines(loaded, &path, 1, opt);
}

/* With a database all runs are loaded, whoever stops reading. */
static void begin_runs(struct stream *s)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};

	sigaction(SIGPIPE, s->runs->store ? &ignore : NULL, &s->pipe);
}

static void end_runs(struct stream *s)
{
	s->in.warning = (const char *const *)s->runs->warning;
	s->in.warning_count = s->runs->warning_count;
	sigaction(SIGPIPE, &s->pipe, NULL);
	errno = s->broke;
}

/* The first was loaded before the output was begun. */
static const struct report *take_next(void *context)
{
	struct stream *s = context;
	struct loaded *loaded = s->runs->loaded;

	/* What else is opened and read must not hide why. */
	if (!s->broke && ferror(s->out))
		s->broke = errno;
	if (s->begun)
		runs_drop(s->runs);
	if (s->begun && !load_next(s)) {
		end_runs(s);
		return NULL;
	}
	s->begun = true;
	if (!s->is_refused)
		s->is_refused =
			result_protect(s->runs->opt, &loaded->run, &s->refused) < 0;
	find_lines(s->runs, loaded);
	selection_apply(&loaded->report, &s->filter);
	errno = 0;
	return &loaded->report;
}

static int write_reports(
	void *context, const struct render_options *options, FILE *out, struct error *err)
{
	struct stream *s = context;
	int written;

	s->out = out;
	if (s->in.more)
		begin_runs(s);
	written = s->format->write(&s->in, options, out, err);
	if (!s->is_refused)
		return written;
	*err = s->refused;
	return -1;
}

/* Its readers may not expect null. */
static void say_unknown(const struct runs *runs, const struct report *report)
{
	char *names = unknown_names(report);
	struct error said;

	if (!names)
		return;
	error_set(&said, "%s: its logs have no value for %s, null in the output",
		report->run->path, names);
	runs->console->say(said.message);
	free(names);
}

/* All that were loaded, to be freed. */
static struct report *list_reports(struct runs *runs, const struct render_format *format)
{
	struct report *reports = xcalloc(runs->count, sizeof *reports);

	for (size_t i = 0; i < runs->count; i++) {
		find_lines(runs, &runs->loaded[i]);
		reports[i] = runs->loaded[i].report;
		if (format->dialect == DIALECT_GPU_TRACKER)
			say_unknown(runs, &reports[i]);
	}
	return reports;
}

/* Those that are loaded already, or one by one. */
static int print(struct stream *s, bool one_by_one)
{
	struct runs *runs = s->runs;
	const struct result result = {
		runs->opt, runs->loaded, runs->count, runs->store ? runs->db : NULL};
	struct report *reports = NULL;
	struct error err;
	int printed;

	if (one_by_one) {
		s->in.more = take_next;
		s->in.context = s;
	} else {
		reports = list_reports(runs, s->format);
		s->in = (struct render_input){.report = reports,
			.report_count = runs->count,
			.warning = (const char *const *)runs->warning,
			.warning_count = runs->warning_count};
	}
	printed = result_print(&result, write_reports, s, &err);
	if (printed < 0)
		runs->console->say(err.message);
	free(reports);
	return printed;
}

/* -1: what was asked for is in no run, which is said. */
static int select_asked(struct stream *s)
{
	struct runs *runs = s->runs;

	if (matching_check(runs->loaded, runs->count, &s->filter, runs->console) < 0)
		return -1;
	for (size_t i = 0; i < runs->count; i++)
		selection_apply(&runs->loaded[i].report, &s->filter);
	return matching_check_left(runs->loaded, runs->count, &s->filter, runs->console);
}

/* Whether one of all the runs has what is asked for must be known before the first. */
static int print_asked(struct stream *s)
{
	const struct options *opt = s->runs->opt;

	if (s->format->one_by_one && !options_has_filter(opt))
		return print(s, true);
	while (load_next(s))
		;
	return select_asked(s) < 0 ? -1 : print(s, false);
}

/* Another tool's object is of the whole run; filters would be ignored. */
static int check_filters(
	const struct options *opt, const struct render_format *format, struct error *err)
{
	if (format->dialect == DIALECT_NONE || !options_has_filter(opt))
		return 0;
	return error_set(err,
		"--format %s is of the whole run; expected no --metric, --device or "
		"--phase",
		opt->format);
}

enum exit_status cmd_summarize(const struct options *opt, const struct console *console)
{
	const struct render_format *format = render_find(opt->format);
	struct options asked = *opt;
	struct runs runs;
	struct stream stream = {
		.runs = &runs, .format = format, .filter = options_filter(opt)};
	enum exit_status status = EXIT_USAGE;
	struct error err;

	if (!format || !format->write) {
		error_set(&err,
			format ? "format '%s' is for the command gate"
			       : "unknown format '%s' (see hwsummarize --list-formats)",
			opt->format);
		console->say(err.message);
		return EXIT_USAGE;
	}
	if (check_filters(opt, format, &err) < 0) {
		console->say(err.message);
		return EXIT_USAGE;
	}
	asked.dialect.dialect = format->dialect;
	if (runs_init(&runs, &asked, console) == 0) {
		/* Without a usable run nothing is written that looks like a result. */
		if (load_next(&stream) && print_asked(&stream) == 0)
			status = runs_status(&runs);
	}
	runs_release(&runs);
	return status;
}
