/* The files of a run, opened again and again; and what is known of them, given back. */
#include "read/reading.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"
#include "read/formats.h"
#include "read/log.h"

#define GLANCE_LINES 16384

/* pytyche's recorder of the CPUs ran, so that its one of the GPUs did. */
static bool has_cpu_csv(const struct run *run)
{
	for (size_t i = 0; i < run->file_count; i++)
		if (run->file[i].kind == SOURCE_CPU_CSV)
			return true;
	return false;
}

struct log *reading_open(struct reading *reading, size_t file, struct run *run,
	struct run_file *counts, struct diag_list *diags, struct error *err)
{
	const char *path = reading->file[file].path;
	struct input *in;
	struct log *log;
	int fd = -1;

	if (!path) {
		fd = log_spooled(
			reading->file[file].fd, reading->run->file[file].path, err);
		if (fd < 0)
			return NULL;
	}
	if (input_open(&in, path ? path : "-", fd, err) < 0)
		return NULL;
	log = xcalloc(1, sizeof *log);
	*log = (struct log){.in = in,
		.formats = reading->formats,
		.from_line = reading->file[file].from_line,
		.line_ns = TIME_NONE,
		.route = reading->file[file].route,
		.prefix = reading->file[file].prefix,
		.escapes = reading->file[file].escapes,
		.to_line = reading->file[file].to_line,
		.path = path,
		.fd = reading->file[file].fd,
		.name = reading->run->file[file].path,
		.run = run,
		.file = counts,
		.diags = diags,
		.zone = reading->zone,
		.day_order = reading->file[file].day_order,
		.asked = reading->asked,
		.near_ns = TIME_NONE,
		.around = reading->file[file].around,
		.clock_ns = TIME_NONE,
		.gpu_column = reading->file[file].gpu_column,
		.columns = reading->columns,
		.general = reading->general,
		.timed = reading->file[file].timed,
		.headed = reading->run->file[file].bid[SOURCE_NVIDIA_QUERY] >= SURE_BITS,
		.by_units = reading->file[file].by_units,
		.by_sibling = reading->file[file].by_sibling,
		.nine = reading->file[file].nine,
		.nine_sure = has_cpu_csv(reading->run),
		.clocked = reading->file[file].clocked,
		.steps = reading->steps.count ? &reading->steps : NULL,
		.sqlite = reading->file[file].sqlite};
	log->zone.asked = &counts->wall;
	return log;
}

struct reading_file *reading_add_part(
	struct reading *reading, size_t file, const char *title)
{
	struct run *run = reading->run;
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
	part = &reading->file[reading->file_count++];
	*part = (struct reading_file){.fd = reading->file[file].fd,
		.from_line = reading->file[file].from_line,
		.to_line = reading->file[file].to_line,
		.part = true,
		.prefix = reading->file[file].prefix,
		.escapes = reading->file[file].escapes,
		.day_order = reading->file[file].day_order,
		.first_ns = TIME_NONE};
	if (reading->file[file].path)
		part->path = xstrdup(reading->file[file].path);
	return part;
}

void reading_release_file(struct reading_file *file)
{
	free(file->by_units);
	free(file->by_sibling);
	streams_release(&file->streams);
}

void reading_free(struct reading *reading)
{
	if (!reading)
		return;
	for (size_t i = 0; i < reading->file_count; i++) {
		if (reading->file[i].fd >= 0 && !reading->file[i].part)
			close(reading->file[i].fd);
		free(reading->file[i].path);
		reading_release_file(&reading->file[i]);
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
	diag_add(&run->diags, true, "unreadable", run->file[file].path, 0,
		(struct span){NULL, 0}, "%s", why->message);
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
	return g->log && g->lines++ < GLANCE_LINES && log_line(g->log, line);
}

void peek_end(struct peek *g)
{
	if (g->log)
		log_free(g->log);
	csv_row_release(&g->row);
	diag_list_release(&g->diags);
}
