/*
 * Counts bytes and rows, asks the clock once a batch, and draws. Several threads may
 * load, but only one writes on the terminal, as it does the results.
 */
#include "cmd/progress.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/quantity.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "cmd/options.h"
#include "read/read_run.h"
#include "render/render.h"
#include "render/utf8.h"

#define WIDTH_MOST 10000

static int terminal_width(FILE *file)
{
	struct winsize size;

	if (isatty(fileno(file)) && ioctl(fileno(file), TIOCGWINSZ, &size) == 0 &&
		size.ws_col > 0)
		return size.ws_col;
	return 80;
}

/* What the user wants it to be goes before what it is, as POSIX has it of COLUMNS. */
int terminal_columns(FILE *file)
{
	const char *wanted = getenv("COLUMNS");
	uint64_t columns;

	if (isatty(fileno(file)) && wanted &&
		number_unsigned(span_of(wanted), &columns) && columns > 0 &&
		columns <= WIDTH_MOST)
		return (int)columns;
	return terminal_width(file);
}

/* Of "de_DE.utf-8@euro" what is behind the dot, which libraries take in every spelling;
 * "UTF-8" is a locale of macOS, which its ssh hands on. */
static bool names_utf8(const char *locale)
{
	const char *dot = strchr(locale, '.'), *set = dot ? dot + 1 : locale;

	return strncasecmp(set, "utf-8", 5) == 0 || strncasecmp(set, "utf8", 4) == 0;
}

/* It is asked before the program draws lines and bars. Names stay as they are, as where
 * a locale is missing, in containers and over ssh, the terminal mostly shows them. */
static bool speaks_unicode(void)
{
	const char *names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (int i = 0; i < 3; i++) {
		const char *value = getenv(names[i]);

		if (value && value[0])
			return names_utf8(value);
	}
	return false;
}

/* Can a line be wiped there? */
static bool terminal_can_wipe(FILE *file)
{
	const char *term = getenv("TERM");

	return isatty(fileno(file)) && term && term[0] && strcmp(term, "dumb") != 0;
}

/*
 * Puts a text at the beginning of the line instead of what stands there, cut to its
 * width; wiped, it is as if it had not been. Both flush.
 */
static void terminal_show(FILE *file, const char *text)
{
	fprintf(file, "\r\033[K%.*s", terminal_width(file) - 1, text);
	fflush(file);
}

static void terminal_wipe(FILE *file)
{
	fputs("\r\033[K", file);
	fflush(file);
}

struct render_options terminal_options(const struct options *opt, FILE *file)
{
	const char *no_color = getenv("NO_COLOR");
	bool terminal = terminal_can_wipe(file);

	return (struct render_options){.terminal = terminal,
		.color = terminal && !opt->no_color && !(no_color && no_color[0]),
		.unicode = terminal && speaks_unicode(),
		.width = terminal_columns(file),
		.calls = opt->calls,
		.verbose = opt->verbose};
}

char *terminal_line(const char *sentence)
{
	struct strbuf line = strbuf_new();

	utf8_inert(&line, sentence);
	return strbuf_detach(&line);
}

#define SILENT_NS (NS_PER_S / 2) /* what is done by then needs no progress */
#define STEP_NS	  (NS_PER_S / 10)
#define RATE_NS	  NS_PER_S /* before that nobody knows how fast it is */

struct progress {
	FILE *out;
	const struct options *opt;
	pthread_t first; /* the thread that draws */
	bool drawn;
	pthread_mutex_t lock; /* of the following */
	size_t runs; /* of the operands; 0: not known */
	uint64_t *size; /* [runs] bytes of each; NULL: not looked up yet */
	bool *has_ended; /* [runs] */
	uint64_t *taken; /* [runs] of those that are being loaded */
	uint64_t total; /* of all sizes */
	uint64_t read, rows; /* by all runs so far */
	int64_t begun_ns, drawn_ns;
};

static int64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

struct progress *progress_new(const struct options *opt, FILE *out)
{
	struct progress *p;

	if (opt->verbose < 0 || !terminal_can_wipe(out))
		return NULL;
	p = xcalloc(1, sizeof *p);
	p->out = out;
	p->opt = opt;
	p->first = pthread_self();
	p->begun_ns = clock_ns();
	pthread_mutex_init(&p->lock, NULL);
	return p;
}

void progress_free(struct progress *p)
{
	if (!p)
		return;
	pthread_mutex_destroy(&p->lock);
	free(p->size);
	free(p->has_ended);
	free(p->taken);
	free(p);
}

/* Is this operand the path, or NAME=PATH? */
static bool is_operand(const char *operand, const char *path)
{
	size_t whole = strlen(operand), part = strlen(path);

	return part <= whole && strcmp(operand + whole - part, path) == 0 &&
		(part == whole || operand[whole - part - 1] == '=');
}

/* The command has taken what is no run from the operands by now. */
static void list_runs(struct progress *p)
{
	if (p->has_ended)
		return;
	p->runs = p->opt->join ? 1 : (size_t)p->opt->operand_count;
	p->has_ended = xcalloc(p->runs + 1, sizeof *p->has_ended);
	p->taken = xcalloc(p->runs + 1, sizeof *p->taken);
}

/* As a rule a run that has not been loaded yet. */
static size_t find_run(const struct progress *p, const char *path)
{
	size_t found = SIZE_MAX;

	for (size_t i = p->runs; i-- > 0;)
		if ((found == SIZE_MAX || !p->has_ended[i]) &&
			is_operand(p->opt->operand[i], path))
			found = i;
	return found;
}

void progress_begin(struct progress *p, struct progress_run *run, const char *const *path,
	size_t path_count)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	list_runs(p);
	*run = (struct progress_run){find_run(p, path_count ? path[0] : ""), 0};
	pthread_mutex_unlock(&p->lock);
}

static uint64_t size_of_operand(const struct options *opt, size_t nth)
{
	const char *path = opt->operand[nth], *equals = strchr(path, '=');
	struct read_options read = {.path = opt->operand, .path_count = 1};
	uint64_t size;

	if (opt->join) {
		read.path_count = (size_t)opt->operand_count;
		return read_size(&read);
	}
	read.path = &path;
	size = read_size(&read);
	if (size || !equals)
		return size;
	path = equals + 1; /* NAME=PATH */
	return read_size(&read);
}

/* Only once there is something to draw: a look at all files takes its time. */
static void look_up_sizes(struct progress *p)
{
	p->size = xcalloc(p->runs, sizeof *p->size);
	for (size_t i = 0; i < p->runs; i++) {
		p->size[i] = size_of_operand(p->opt, i);
		p->total += p->size[i];
	}
}

static struct progress_state state_of(struct progress *p, int64_t now_ns)
{
	struct progress_state s = {.rows = p->rows, .left_s = NAN, .runs = p->runs};
	double elapsed_s = (double)(now_ns - p->begun_ns) / NS_PER_S;

	if (!p->runs)
		return s;
	if (!p->size)
		look_up_sizes(p);
	s.total = p->total;
	for (size_t i = 0; i < p->runs; i++) {
		/* Files may grow, and be read twice. */
		bool all = p->has_ended[i] || p->taken[i] > p->size[i];

		s.again |= !p->has_ended[i] && p->taken[i] > p->size[i];
		s.ended += p->has_ended[i];
		s.done += all ? p->size[i] : p->taken[i];
	}
	if (now_ns - p->begun_ns >= RATE_NS && p->read > 0)
		s.left_s = elapsed_s * (double)(s.total - s.done) / (double)p->read;
	return s;
}

static void put_bytes(struct strbuf *sb, uint64_t bytes, bool giga)
{
	quantity_number(sb, (double)bytes / (giga ? 1e9 : 1e6), giga ? 2 : 0);
}

/* Tenths of seconds would only flicker. */
static void put_left(struct strbuf *sb, double seconds)
{
	seconds = ceil(seconds);
	strbuf_adds(sb, ", ");
	if (seconds < 100)
		strbuf_addf(sb, "%.0f s", seconds);
	else
		quantity_span(sb, seconds);
	strbuf_adds(sb, " left");
}

void progress_text(struct strbuf *sb, const struct progress_state *s)
{
	bool giga = s->total >= 1000000000;

	if (s->runs > 1)
		strbuf_addf(sb, "%zu of %zu runs, ", s->ended, s->runs);
	if (s->total) {
		strbuf_addf(sb, "%d %%, ", (int)(s->done * 100 / s->total));
		put_bytes(sb, s->done, giga);
		strbuf_adds(sb, " of ");
		put_bytes(sb, s->total, giga);
		strbuf_adds(sb, giga ? " GB, " : " MB, ");
	}
	quantity_count(sb, s->rows);
	strbuf_adds(sb, s->rows == 1 ? " row" : " rows");
	if (s->again)
		strbuf_adds(sb, ", reading some again");
	else if (!isnan(s->left_s))
		put_left(sb, s->left_s);
}

/* It may not be longer than a line of the terminal: only that can be wiped. */
static void draw(struct progress *p, int64_t now_ns)
{
	struct progress_state state = state_of(p, now_ns);
	struct strbuf text = strbuf_new();

	progress_text(&text, &state);
	terminal_show(p->out, text.text);
	strbuf_release(&text);
	p->drawn = true;
	p->drawn_ns = now_ns;
}

void progress_watch(struct progress *p)
{
	int64_t now_ns;

	if (!p || !pthread_equal(p->first, pthread_self()))
		return;
	now_ns = clock_ns();
	pthread_mutex_lock(&p->lock);
	if (now_ns - p->begun_ns >= SILENT_NS && now_ns - p->drawn_ns >= STEP_NS)
		draw(p, now_ns);
	pthread_mutex_unlock(&p->lock);
}

void progress_wipe(struct progress *p)
{
	if (!p || !p->drawn || !pthread_equal(p->first, pthread_self()))
		return;
	terminal_wipe(p->out);
	p->drawn = false;
}

void progress_add(
	struct progress *p, struct progress_run *run, size_t rows, uint64_t taken)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->rows += rows;
	p->read += taken - run->taken;
	run->taken = taken;
	if (run->nth < p->runs)
		p->taken[run->nth] = taken;
	pthread_mutex_unlock(&p->lock);
	progress_watch(p);
}

void progress_end(struct progress *p, struct progress_run *run)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	if (run->nth < p->runs)
		p->has_ended[run->nth] = true;
	pthread_mutex_unlock(&p->lock);
	progress_wipe(p);
}
