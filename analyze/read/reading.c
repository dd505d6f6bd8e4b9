/* The files of a run, opened again and again; and what is known of them, given back. */
#include "read/reading.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"
#include "read/archive.h"
#include "read/formats.h"
#include "read/log.h"

/* Files that stay open from one look to the next. */
#define IDLE_MAX 16

/* A file is opened once, and looked at many times. NULL: err is set */
static struct input *open_input(struct reading *reading, size_t file, struct error *err)
{
	struct reading_file *own = &reading->file[file];
	struct reading_file *whole = &reading->file[own->whole];
	const char *path = own->facts.path;
	struct input *in = whole->idle;
	int fd = -1;

	if (in) {
		whole->idle = NULL;
		reading->idle--;
		if (input_rewind(in, err) == 0)
			return in;
		input_close(in);
		return NULL;
	}
	if (!path) {
		fd = log_spooled(own->facts.fd, reading->run->file[file].path, err);
		if (fd < 0)
			return NULL;
	}
	return input_open(&in, path ? path : "-", fd, err) < 0 ? NULL : in;
}

struct log *reading_open(struct reading *reading, size_t file, struct run *run,
	struct run_file *counts, struct diag_list *diags, struct error *err)
{
	const struct file_facts *facts = &reading->file[file].facts;
	struct input *in = open_input(reading, file, err);
	struct log *log;

	if (!in)
		return NULL;
	input_set_pieces(in, false);
	log = xcalloc(1, sizeof *log);
	*log = (struct log){.in = in,
		.reading = reading,
		.whole = reading->file[file].whole,
		.opt = &reading->opt,
		.facts = *facts,
		.line_ns = TIME_NONE,
		.line_host = span_of(facts->host ? facts->host : ""),
		.name = reading->run->file[file].path,
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

void log_free(struct log *log)
{
	struct reading *reading = log->reading;

	if (reading->idle < IDLE_MAX && !reading->file[log->whole].idle) {
		reading->file[log->whole].idle = log->in;
		reading->idle++;
	} else {
		input_close(log->in);
	}
	recast_close(log->recast);
	strbuf_release(&log->plain);
	message_release(&log->message);
	free(log);
}

struct reading_file *reading_add_part(
	struct reading *reading, size_t file, const char *title)
{
	struct run *run = reading->run;
	const struct file_facts *whole;
	struct reading_file *part;
	struct run_file *counts;
	struct strbuf name = strbuf_new();

	strbuf_addf(&name, "%s#%s", run->file[file].path, title);
	counts = run_add_file(run, name.text);
	strbuf_release(&name);
	counts->size = run->file[file].size;
	counts->mtime_ns = run->file[file].mtime_ns;
	counts->hash = run->file[file].hash;
	counts->content_size = run->file[file].content_size;
	counts->content_hash = run->file[file].content_hash;
	part = &ALLOC_NEXT(reading->file, reading->file_count, reading->file_cap);
	whole = &reading->file[file].facts;
	*part = (struct reading_file){
		.facts = {.path = whole->path ? xstrdup(whole->path) : NULL,
			.fd = whole->fd,
			.host = whole->host ? xstrdup(whole->host) : NULL,
			.only = whole->only ? xstrdup(whole->only) : NULL,
			.from_line = whole->from_line,
			.to_line = whole->to_line,
			.prefix = whole->prefix,
			.escapes = whole->escapes,
			.day_order = whole->day_order},
		.whole = reading->file[file].whole,
		.first_ns = TIME_NONE};
	return part;
}

int64_t reading_hash_part(const struct reading_file *file, int64_t hash)
{
	return file->facts.only
		? (int64_t)span_hash(span_of(file->facts.only), (uint64_t)hash)
		: hash;
}

void reading_release_file(struct reading_file *file)
{
	free(file->facts.host);
	free(file->facts.banner_host);
	free(file->facts.only);
	recast_facts_release(&file->facts.recast);
	free(file->facts.by_units);
	free(file->facts.worded_header);
	free(file->facts.worded_fields);
	free(file->facts.worded_as);
	free(file->facts.by_sibling);
	streams_release(&file->facts.streams);
	input_close(file->idle);
	file->idle = NULL;
}

void reading_free(struct reading *reading)
{
	if (!reading)
		return;
	for (size_t i = 0; i < reading->file_count; i++) {
		struct reading_file *file = &reading->file[i];

		if (file->facts.fd >= 0 && file->whole == i)
			close(file->facts.fd);
		free(file->facts.path);
		reading_release_file(file);
	}
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		diag_list_release(&reading->step_back[kind]);
	clock_steps_release(&reading->steps);
	for (int i = 0; i < USE_NUMBERS; i++)
		process_use_release(&reading->process_use[i]);
	lookup_release(&reading->inodes);
	for (size_t i = 0; i < reading->archive_count; i++)
		archive_close(&reading->archive[i]);
	free(reading->archive);
	free(reading->file);
	free(reading);
}

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
	g->row = csv_row_new();
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
