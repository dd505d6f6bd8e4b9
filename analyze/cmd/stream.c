/* Loads a run when the format asks for it, and drops it behind it. */
#include "cmd/stream.h"

#include <errno.h>

#include "cmd/finding_lines.h"
#include "cmd/result.h"
#include "cmd/samples.h"
#include "compute/inspect/selection.h"

bool stream_load_next(struct run_stream *s)
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

void stream_find_lines(struct runs *runs, struct loaded *loaded)
{
	const struct options *opt = runs->opt;
	const char *path = loaded->run.path;

	if (opt->verbose > 0 && opt->join)
		finding_lines(loaded, opt->operand, (size_t)opt->operand_count, opt);
	else if (opt->verbose > 0)
		finding_lines(loaded, &path, 1, opt);
}

/* With a database all runs are loaded, whoever stops reading. */
static void begin_runs(struct run_stream *s)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};

	sigaction(SIGPIPE, s->runs->store ? &ignore : NULL, &s->pipe);
}

static void end_runs(struct run_stream *s)
{
	s->in.warning = (const char *const *)s->runs->warning;
	s->in.warning_count = s->runs->warning_count;
	sigaction(SIGPIPE, &s->pipe, NULL);
	errno = s->broke;
}

/* The first was loaded before the output was begun. */
static const struct report *take_next(void *context)
{
	struct run_stream *s = context;
	struct loaded *loaded = s->runs->loaded;

	/* What else is opened and read must not hide why. */
	if (!s->broke && ferror(s->out))
		s->broke = errno;
	if (s->begun)
		runs_drop(s->runs);
	if (s->begun && !stream_load_next(s)) {
		end_runs(s);
		return NULL;
	}
	s->begun = true;
	if (!s->is_refused)
		s->is_refused =
			result_protect(s->runs->opt, &loaded->run, &s->refused) < 0;
	stream_find_lines(s->runs, loaded);
	selection_apply(&loaded->report, &s->filter);
	errno = 0;
	return &loaded->report;
}

void stream_one_by_one(struct run_stream *s)
{
	s->in.more = take_next;
	s->in.context = s;
}

static int show_samples(void *context, const struct report *report,
	struct chronicle_taker *taker, struct error *err)
{
	struct run_stream *s = context;

	return samples_show(s->runs, report, taker, err);
}

int stream_write(
	void *context, const struct render_options *options, FILE *out, struct error *err)
{
	struct run_stream *s = context;
	int written;

	s->out = out;
	s->in.samples = show_samples;
	s->in.samples_context = s;
	if (s->in.more)
		begin_runs(s);
	written = s->format->write(&s->in, options, out, err);
	if (!s->is_refused)
		return written;
	*err = s->refused;
	return -1;
}
