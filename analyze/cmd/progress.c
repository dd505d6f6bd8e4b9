/* Counts bytes and rows, asks the clock once a batch, and draws. */
#include "cmd/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/quantity.h"
#include "base/timestamp.h"
#include "cmd/options.h"
#include "cmd/terminal.h"
#include "read/read.h"

#define SILENT_NS (NS_PER_S / 2) /* what is done by then needs no progress */
#define STEP_NS	  (NS_PER_S / 10)
#define RATE_NS	  NS_PER_S /* before that nobody knows how fast it is */

struct progress {
	FILE *out;
	const struct options *opt;
	size_t runs;
	uint64_t *size; /* [runs] bytes of each; NULL: not looked up yet */
	uint64_t total; /* of them all */
	size_t nth; /* the run being loaded, from 0 */
	uint64_t taken, read; /* read: of it, and of all runs so far */
	uint64_t rows;
	int64_t begun_ns, drawn_ns;
	bool drawn;
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
	p->begun_ns = clock_ns();
	return p;
}

void progress_free(struct progress *p)
{
	if (p)
		free(p->size);
	free(p);
}

/* Is this operand the path, or NAME=PATH? */
static bool is_operand(const char *operand, const char *path)
{
	size_t whole = strlen(operand), part = strlen(path);

	return part <= whole && strcmp(operand + whole - part, path) == 0 &&
		(part == whole || operand[whole - part - 1] == '=');
}

/* A run is loaded behind those before, or once more. */
static void find_run(struct progress *p, const char *path)
{
	const struct options *opt = p->opt;

	p->runs = opt->join ? 1 : (size_t)opt->operand_count;
	for (size_t i = 0; i < p->runs; i++) {
		size_t nth = (p->nth + i) % p->runs;

		if (!is_operand(opt->operand[nth], path))
			continue;
		p->nth = nth;
		return;
	}
	p->runs = 0;
}

void progress_begin(struct progress *p, const char *const *path, size_t path_count)
{
	if (!p)
		return;
	p->read += p->taken;
	p->taken = 0;
	find_run(p, path_count ? path[0] : "");
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
	struct progress_state s = {.rows = p->rows, .left_s = NAN};
	double elapsed_s = (double)(now_ns - p->begun_ns) / NS_PER_S;
	uint64_t read = p->read + p->taken, of_run = p->taken;

	if (!p->runs)
		return s;
	if (!p->size)
		look_up_sizes(p);
	s.nth = p->nth + 1;
	s.runs = p->runs;
	s.total = p->total;
	for (size_t i = 0; i < p->nth; i++)
		s.done += p->size[i];
	/* Files may grow, and be read twice. */
	s.done += of_run < p->size[p->nth] ? of_run : p->size[p->nth];
	if (now_ns - p->begun_ns >= RATE_NS && read > 0)
		s.left_s = elapsed_s * (double)(s.total - s.done) / (double)read;
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
		strbuf_addf(sb, "run %zu of %zu, ", s->nth, s->runs);
	if (s->total) {
		strbuf_addf(sb, "%d %%, ", (int)(s->done * 100 / s->total));
		put_bytes(sb, s->done, giga);
		strbuf_adds(sb, " of ");
		put_bytes(sb, s->total, giga);
		strbuf_adds(sb, giga ? " GB, " : " MB, ");
	}
	quantity_count(sb, s->rows);
	strbuf_adds(sb, s->rows == 1 ? " row" : " rows");
	if (!isnan(s->left_s))
		put_left(sb, s->left_s);
}

/* It may not be longer than a line of the terminal: only that can be wiped. */
static void draw(struct progress *p, int64_t now_ns)
{
	struct progress_state state = state_of(p, now_ns);
	struct strbuf text;

	strbuf_init(&text);
	progress_text(&text, &state);
	terminal_show(p->out, text.text);
	strbuf_release(&text);
	p->drawn = true;
	p->drawn_ns = now_ns;
}

void progress_add(struct progress *p, size_t rows, uint64_t taken)
{
	int64_t now_ns;

	if (!p)
		return;
	p->rows += rows;
	p->taken = taken;
	now_ns = clock_ns();
	if (now_ns - p->begun_ns >= SILENT_NS && now_ns - p->drawn_ns >= STEP_NS)
		draw(p, now_ns);
}

void progress_end(struct progress *p)
{
	if (!p || !p->drawn)
		return;
	terminal_wipe(p->out);
	p->drawn = false;
}
