/* The files of a run, opened again and again; and what is known of them, given back. */
#include "read/reading.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"
#include "read/formats.h"
#include "read/log.h"

struct log *reading_open(struct reading *reading, size_t file, struct run *run,
	struct run_file *counts, struct diag_list *diags, struct error *err)
{
	const struct file_facts *facts = &reading->file[file].facts;
	const char *name = reading->run->file[file].path;
	struct input *in;
	struct log *log;
	int fd = -1;

	if (!facts->path) {
		fd = log_spooled(facts->fd, name, err);
		if (fd < 0)
			return NULL;
	}
	if (input_open(&in, facts->path ? facts->path : "-", fd, err) < 0)
		return NULL;
	log = xcalloc(1, sizeof *log);
	*log = (struct log){.in = in,
		.opt = &reading->opt,
		.facts = *facts,
		.line_ns = TIME_NONE,
		.name = name,
		.run = run,
		.file = counts,
		.diags = diags,
		.zone = reading->zone,
		.near_ns = TIME_NONE,
		.watch = &reading->watch,
		.steps = reading->steps.count ? &reading->steps : NULL};
	log->zone.asked = &counts->wall;
	return log;
}

struct reading_file *reading_add_part(
	struct reading *reading, size_t file, const char *title)
{
	struct run *run = reading->run;
	const struct file_facts *whole;
	struct reading_file *part;
	struct run_file *counts;
	struct strbuf name;

	strbuf_init(&name);
	strbuf_addf(&name, "%s#%s", run->file[file].path, title);
	counts = run_add_file(run, name.text);
	strbuf_release(&name);
	counts->size = run->file[file].size;
	counts->mtime_ns = run->file[file].mtime_ns;
	counts->hash = run->file[file].hash;
	counts->content_size = run->file[file].content_size;
	counts->content_hash = run->file[file].content_hash;
	ALLOC_GROW(reading->file, reading->file_count + 1, reading->file_cap);
	whole = &reading->file[file].facts;
	part = &reading->file[reading->file_count++];
	*part = (struct reading_file){
		.facts = {.path = whole->path ? xstrdup(whole->path) : NULL,
			.fd = whole->fd,
			.from_line = whole->from_line,
			.to_line = whole->to_line,
			.prefix = whole->prefix,
			.escapes = whole->escapes,
			.day_order = whole->day_order},
		.part = true,
		.first_ns = TIME_NONE};
	return part;
}

void reading_release_file(struct reading_file *file)
{
	free(file->facts.by_units);
	free(file->facts.by_sibling);
	streams_release(&file->facts.streams);
}

void reading_free(struct reading *reading)
{
	if (!reading)
		return;
	for (size_t i = 0; i < reading->file_count; i++) {
		struct reading_file *file = &reading->file[i];

		if (file->facts.fd >= 0 && !file->part)
			close(file->facts.fd);
		free(file->facts.path);
		reading_release_file(file);
	}
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		diag_list_release(&reading->step_back[kind]);
	clock_steps_release(&reading->steps);
	free(reading->file);
	free(reading);
}

/* A file that can't be opened once is left out altogether. */
void reading_lose(struct reading *reading, size_t file, const struct error *why)
{
	struct run *run = reading->run;

	reading->file[file].lost = true;
	diag_add(&run->diags, true, "unreadable", run->file[file].path, 0, SPAN_NONE,
		"%s", why->message);
}

/* A log that counts into itself. */

void peek_begin(struct peek *g, struct reading *reading, size_t file)
{
	struct error err;

	*g = (struct peek){.diags = DIAG_LIST_INIT};
	csv_row_init(&g->row);
	g->log = reading_open(reading, file, reading->run, &g->counts, &g->diags, &err);
}

bool peek_on(struct peek *g, struct span *line)
{
	return g->log && g->lines++ < PEEK_LINES && log_line(g->log, line);
}

void peek_end(struct peek *g)
{
	if (g->log)
		log_free(g->log);
	csv_row_release(&g->row);
	diag_list_release(&g->diags);
}
