/*
 * The first sweep over a run: which files there are and what each is, the manifest,
 * the time zone, the events.
 */
#include "read/read_run.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "model/run.h"
#include "read/bad_gpu_id.h"
#include "read/clock_steps.h"
#include "read/csv.h"
#include "read/gpus_in_stream.h"
#include "read/headerless.h"
#include "read/identity.h"
#include "read/log.h"

#define GLANCE_LINES 16384

/* Files of a run, opened again and again; and what is known of them, given back. */

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

/* Reads all files of a kind without samples; what can't be opened any more is said. */
static void survey_kind(struct reading *reading, enum source_kind kind)
{
	struct run *run = reading->run;

	for (size_t i = 0; i < run->file_count; i++) {
		struct error err;
		struct log *log;

		if (run->file[i].kind != kind)
			continue;
		if (kind == SOURCE_MANIFEST && run->run_id) {
			diag_add(&run->diags, true, "second-manifest", run->file[i].path,
				0, (struct span){NULL, 0},
				"a second manifest; the run is what the first one says");
			continue;
		}
		log = reading_open(reading, i, run, &run->file[i], &run->diags, &err);
		if (!log) {
			diag_add(&run->diags, true, "unreadable", run->file[i].path, 0,
				(struct span){NULL, 0}, "%s", err.message);
			continue;
		}
		log->watch = &reading->watch;
		reading->formats[kind]->survey(log);
		log_free(log);
	}
}

static int choose_zone(
	struct reading *reading, const struct read_options *opt, struct error *err)
{
	struct run *run = reading->run;
	const char *source = "default";
	struct error unknown;

	reading->zone = ZONE_UTC;
	if (opt->tz) {
		if (zone_parse(&reading->zone, opt->tz, err) < 0)
			return -1;
		source = "option";
	} else if (run->zone && zone_parse(&reading->zone, run->zone, &unknown) == 0) {
		source = "manifest";
	} else if (run->zone) {
		diag_add(&run->diags, true, "zone", "", 0, (struct span){NULL, 0},
			"the manifest's %s; times are read as UTC", unknown.message);
	}
	snprintf(run->time_zone, sizeof run->time_zone, "%s", reading->zone.name);
	snprintf(run->time_source, sizeof run->time_source, "%s", source);
	return 0;
}

/*
 * Steps of the wall clock: readings of the manifest and the events, with the markers
 * of a log between them, in the order of the clock since boot.
 */

struct finder {
	struct reading *reading;
	struct clock_reading
		*said; /* [event_count] what each event's line reads; owned */
	struct clock_reading *known; /* [known_count] of manifest and events, ascending */
	size_t known_count, known_cap;
	size_t next; /* of them that was not taken yet */
	struct clocks clocks;
	struct run nowhere; /* for what clocks tell beside steps: a reader tells it again
			     */
};

static int by_boot(const void *a, const void *b)
{
	const struct clock_reading *x = a, *y = b;

	return (x->boot_ns > y->boot_ns) - (x->boot_ns < y->boot_ns);
}

static void add_known(struct finder *f, const struct clock_reading *reading)
{
	if (!clock_watch_knows(&f->reading->watch, reading))
		return;
	ALLOC_GROW(f->known, f->known_count + 1, f->known_cap);
	f->known[f->known_count++] = *reading;
}

/* The time of the line, as it was: of a phase that of its end. */
static int64_t said_ns(const struct event *event)
{
	return event->type == EVENT_PHASE ? event->end_ns : event->t_ns;
}

/* Other lines than collect's have no clocks. */
static struct clock_reading reading_of(const struct event *event, bool runlog)
{
	struct clock_reading reading = {
		.wall_ns = runlog ? said_ns(event) : event->t_ns, .boot_ns = -1};
	double s;

	if (!runlog || !event_number(event, "mono", &s) || s < 0 || s > 9e9)
		return reading;
	reading.known = true;
	reading.mono_ns = llround(s * 1e9);
	if (event_number(event, "boot", &s) && s >= 0 && s <= 9e9)
		reading.boot_ns = llround(s * 1e9);
	return reading;
}

static bool is_of_runlog(const struct run *run, const struct event *event)
{
	return event->at.line && run->file[event->at.file].kind == SOURCE_RUNLOG;
}

static void gather_known(struct finder *f)
{
	const struct run *run = f->reading->run;

	add_known(f, &f->reading->watch.started);
	add_known(f, &f->reading->watch.ended);
	f->said = xcalloc(run->event_count + 1, sizeof *f->said);
	for (size_t i = 0; i < run->event_count; i++) {
		const struct event *event = &run->event[i];

		f->said[i] = reading_of(event, is_of_runlog(run, event));
		add_known(f, &f->said[i]);
	}
	qsort(f->known, f->known_count, sizeof *f->known, by_boot);
}

/* Those up to a time. */
static void take_known(struct finder *f, int64_t boot_ns)
{
	while (f->next < f->known_count && f->known[f->next].boot_ns <= boot_ns)
		clocks_take(&f->clocks, &f->nowhere, &f->known[f->next++]);
}

static void take_markers(struct finder *f, size_t file)
{
	struct diag_list diags = DIAG_LIST_INIT;
	struct run_file counts = {0};
	struct error why;
	struct log *log =
		reading_open(f->reading, file, &f->nowhere, &counts, &diags, &why);
	struct clock_reading reading;
	struct span line;

	while (log && log_line(log, &line))
		if (marker_is(line) && !input_line_torn(log->in) &&
			marker_clocks(line, &reading) &&
			clock_watch_knows(&f->reading->watch, &reading)) {
			take_known(f, reading.boot_ns);
			clocks_take(&f->clocks, &f->nowhere, &reading);
		}
	if (log)
		log_free(log);
	diag_list_release(&diags);
}

/* The files of one kind of log: all logs of a recorder have their markers from it. */
static void take_all_markers(struct finder *f)
{
	static const enum source_kind marked[] = {
		SOURCE_PROC_STAT, SOURCE_MEMINFO, SOURCE_HOST_LOG, SOURCE_PROCESS_TREE};
	const struct run *run = f->reading->run;
	bool found = false;

	for (size_t k = 0; k < sizeof marked / sizeof marked[0] && !found; k++)
		for (size_t i = 0; i < run->file_count; i++)
			if (run->file[i].kind == marked[k]) {
				take_markers(f, i);
				found = true;
			}
}

/* Of two boots nothing is known; nor if there are more than one would tell of. */
static bool are_known(const struct clocks *clocks)
{
	return clocks->step_count && clocks->step_count <= CLOCK_CHANGES_MAX &&
		!clocks->boots;
}

/* What a phase's line says of its length is no time of a clock. */
static void tell_event(const struct clock_steps *steps, struct clock_course *course,
	struct event *event, const struct clock_reading *said, bool runlog)
{
	int64_t told_ns = clock_course_read(course, steps, said);

	if (event->type == EVENT_PHASE && runlog) {
		event->t_ns = told_ns - (event->end_ns - event->t_ns);
		event->end_ns = told_ns;
		return;
	}
	event->t_ns = told_ns;
	if (event->end_ns != TIME_NONE)
		event->end_ns = clock_course_take(course, steps, event->end_ns);
}

static void tell_events(const struct finder *f)
{
	const struct clock_steps *steps = &f->reading->steps;
	struct run *run = f->reading->run;
	struct clock_course course = {0};
	size_t file = SIZE_MAX;

	for (size_t i = 0; i < run->event_count; i++) {
		struct event *event = &run->event[i];

		if (event->t_ns == TIME_NONE)
			continue;
		if (event->at.line && event->at.file != file)
			course.seen = false;
		if (event->at.line)
			file = event->at.file;
		tell_event(steps, &course, event, &f->said[i], is_of_runlog(run, event));
	}
}

static void tell_changes(const struct clock_steps *steps, struct run *run)
{
	for (size_t i = 0; i < steps->count; i++)
		run_add_clock_change(run,
			&(struct clock_change){CLOCK_CORRECTED,
				clock_steps_at(steps, &steps->at[i].before),
				clock_steps_at(steps, &steps->at[i].after),
				steps->at[i].by_ns});
}

static void find(struct finder *f)
{
	struct reading *reading = f->reading;

	gather_known(f);
	take_all_markers(f);
	take_known(f, INT64_MAX);
	clocks_end(&f->clocks, &f->nowhere);
	if (!are_known(&f->clocks))
		return;
	clock_steps_init(&reading->steps, &f->clocks, &reading->watch.started);
	tell_changes(&reading->steps, reading->run);
	if (clock_watch_knows(&reading->watch, &reading->watch.ended))
		reading->run->ended_ns =
			clock_steps_at(&reading->steps, &reading->watch.ended);
	tell_events(f);
}

/*
 * Finds the steps, and tells the run's end and events by them, once all are read; the
 * markers of a log are read for it only if the wall clock was set, or might have been as
 * the recording has no end.
 */
static void reading_find_clock_steps(struct reading *reading)
{
	const struct clock_watch *watch = &reading->watch;
	struct finder f = {.reading = reading, .clocks.keeps_steps = true};

	if (!watch->stepped && clock_watch_knows(watch, &watch->ended))
		return;
	if (!clock_watch_knows(watch, &watch->started))
		return;
	run_init(&f.nowhere, "");
	find(&f);
	clocks_release(&f.clocks);
	run_release(&f.nowhere);
	free(f.known);
	free(f.said);
}

/* As a clock that was set back during the run leaves it: neither time can be right. */
static void check_order(struct run *run)
{
	if (run->started_ns == TIME_NONE || run->ended_ns == TIME_NONE ||
		run->ended_ns >= run->started_ns)
		return;
	for (size_t i = 0; i < run->file_count; i++) {
		if (run->file[i].kind != SOURCE_MANIFEST)
			continue;
		diag_add(&run->diags, true, "bad-manifest", run->file[i].path,
			run->ended_at.line, span_of("ended_at"),
			"\"ended_at\" is before \"started_at\"; the run is taken to last "
			"as long as its logs");
		return;
	}
}

int read_survey(struct reading **out, struct run *run, const struct read_options *opt,
	struct error *err)
{
	struct reading *reading = xcalloc(1, sizeof *reading);

	reading->run = run;
	reading->formats = opt->formats;
	reading->columns = opt->columns;
	reading->general = opt->general;
	reading->zone = ZONE_UTC;
	reading->asked = opt->asked;
	if ((opt->columns && headerless_check(opt->columns, err) < 0) ||
		reading_list(reading, opt, err) < 0 ||
		reading_find_kinds(reading, err) < 0)
		goto fail;
	survey_kind(reading, SOURCE_MANIFEST);
	if (run->run_id)
		run_set_string(&run->key, run->run_id);
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		if (source_is_manifest(kind) && kind != SOURCE_MANIFEST)
			survey_kind(reading, kind);
	if (choose_zone(reading, opt, err) < 0)
		goto fail;
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		if (source_has_events(kind))
			survey_kind(reading, kind);
	reading_find_clock_steps(reading);
	check_order(run);
	*out = reading;
	return 0;
fail:
	reading_free(reading);
	return -1;
}

/*
 * What must be known of a file before its samples are read, by a look at its first
 * rows: when it begins, and how many GPUs it is about if it has no ids.
 */

/* The rows whose times decide how many GPUs an anonymous log is about. */
#define ANONYMOUS_ROWS 65536

/* ... and which GPUs a log with ids names. */
#define NAMED_ROWS 16384

#define COMMA_ROWS 3 /* that end with a comma: as a rule, and no damage */

/* A file that can't be opened once is left out altogether. */
void reading_lose(struct reading *reading, size_t file, const struct error *why)
{
	struct run *run = reading->run;

	reading->file[file].lost = true;
	diag_add(&run->diags, true, "unreadable", run->file[file].path, 0,
		(struct span){NULL, 0}, "%s", why->message);
}

/* Which of its GPUs are none. */
static void judge_ids(
	struct stray_ids *ids, struct run *run, const struct sample_batch *batch)
{
	uint32_t instead;
	size_t row = 0;

	if (run->device[batch->device[0]].kind != DEVICE_GPU)
		return;
	while ((row = stray_ids_take_turns(ids, batch, row)) < batch->rows)
		(void)stray_id(ids, run, NULL, batch, row++, &instead);
	stray_ids_end(ids, batch);
}

/* Reads the beginning of a file into a run of its own, which is thrown away. */
void reading_prepare(struct reading *reading, size_t file)
{
	struct reading_file *own = &reading->file[file];
	const struct format *format = reading->formats[reading->run->file[file].kind];
	struct look look = LOOK_INIT;
	size_t rows = 0;
	struct run_file scratch = {0};
	struct stray_ids ids = {.known = 0};
	struct sample_source *source;
	struct sample_batch batch;
	struct error err;
	struct run run;
	struct log *log;
	struct stream_key *row_key;

	if (own->prepared)
		return;
	own->prepared = true;
	run_init(&run, "");
	run_set_string(&run.query, reading->run->query);
	log = reading_open(reading, file, &run, &scratch, &run.diags, &err);
	if (!log) {
		reading_lose(reading, file, &err);
		run_release(&run);
		return;
	}
	sample_batch_init(&batch);
	log->asks = true;
	log->row_key = xcalloc(SAMPLE_BATCH_ROWS, sizeof *log->row_key);
	row_key = log->row_key;
	for (size_t i = 0; i < SAMPLE_BATCH_ROWS; i++)
		row_key[i].named = true; /* as those of all kinds but queries are */
	source = clock_steps_filter(format->open(log), log);
	while (rows < (log->anonymous ? ANONYMOUS_ROWS : NAMED_ROWS) &&
		sample_source_next(source, &batch, &err) > 0) {
		if (log->anonymous || !rows)
			look_at_batch(&look, &batch, row_key, &own->streams);
		if (reading->census)
			judge_ids(&ids, &run, &batch);
		rows += batch.rows;
		if (!log->anonymous && !reading->census)
			break;
	}
	own->first_ns = look.first_ns;
	own->clocked = log->clocked;
	own->commas_behind = log->rows_and_comma >= COMMA_ROWS &&
		log->rows_and_comma > log->rows_as_named;
	look.exact = log->exact;
	if (log->anonymous)
		look_tell_gpus(&look, own, &run);
	if (reading->census)
		census_add(reading->census, &run, streams_largest(&own->streams) == 1);
	stray_ids_release(&ids);
	sample_source_free(source);
	sample_batch_release(&batch);
	run_release(&run);
	look_release(&look);
	free(row_key);
}

static bool comes_before(const struct reading *reading, size_t a, size_t b)
{
	int64_t x = reading->file[a].first_ns, y = reading->file[b].first_ns;

	if ((x == TIME_NONE) != (y == TIME_NONE))
		return y == TIME_NONE;
	return x != y ? x < y : a < b;
}

size_t reading_order(struct reading *reading, enum source_kind kind, size_t *file)
{
	size_t count = 0;

	for (size_t i = 0; i < reading->file_count; i++) {
		size_t at = count;

		if (reading->run->file[i].kind != kind)
			continue;
		reading_prepare(reading, i);
		for (; at > 0 && comes_before(reading, i, file[at - 1]); at--)
			file[at] = file[at - 1];
		file[at] = i;
		count++;
	}
	return count;
}

/*
 * A log in several files, as one snapshot in each, or cut in two: the rows of one file
 * may be too few to tell how many GPUs they are of. Those of all, one after the other,
 * tell.
 */

/* The streams of one key, in the order of the files, and their rows. */
struct joint {
	struct stream **stream; /* [streams] */
	size_t streams;
	int64_t *t_ns; /* [rows] */
	uint8_t *header;
	size_t rows, cap, header_cap;
};

/* False: its rows don't stand behind those before. */
static bool join_stream(struct joint *joint, struct stream *stream)
{
	const struct stream_begin *begin = &stream->begin;
	size_t rows = joint->rows + begin->count;

	if (!begin->count || stream->models.count)
		return true;
	if (joint->streams &&
		(begin->timed != joint->stream[0]->begin.timed ||
			(begin->timed && begin->t_ns[0] < joint->t_ns[joint->rows - 1])))
		return false;
	ALLOC_GROW(joint->t_ns, rows, joint->cap);
	ALLOC_GROW(joint->header, rows, joint->header_cap);
	memcpy(joint->t_ns + joint->rows, begin->t_ns, begin->count * sizeof(int64_t));
	memcpy(joint->header + joint->rows, begin->header, begin->count);
	joint->rows = rows;
	joint->stream[joint->streams++] = stream;
	return true;
}

/*
 * Its own rows could be such blocks: all have the size, but for one that was cut at
 * either end.
 */
static bool fits(const struct stream_begin *begin, const struct blocks *blocks)
{
	size_t rows = 0, found = 0;

	for (size_t i = 0; i <= begin->count; i++) {
		bool border = i == begin->count ||
			(blocks->by_header ? begin->header[i] != 0
					   : i > 0 &&
						blocks_is_border(blocks,
							begin->t_ns[i] -
								begin->t_ns[i - 1]));

		if (border && rows > 0 &&
			(rows > blocks->size ||
				(rows < blocks->size && found > 0 && i < begin->count)))
			return false;
		found += border && rows > 0;
		rows = border ? 1 : rows + 1;
	}
	return true;
}

static struct blocks find_blocks(const struct joint *joint)
{
	struct blocks blocks;
	bool certain;

	if (!joint->stream[0]->begin.timed)
		return blocks_find_by_header(joint->header, joint->rows);
	blocks = blocks_find(joint->t_ns, joint->rows);
	if (blocks.size > 1)
		return blocks;
	blocks = blocks_find_few(joint->t_ns, joint->header, joint->rows, &certain);
	return certain ? blocks : (struct blocks){.size = 1};
}

/* What the few rows of a file may be, those of all are or are not. */
static void settle(struct stream *stream, const struct blocks *blocks, bool single)
{
	if (stream->blocks.size > 1 && !stream->few)
		return;
	if (stream->doubt && !stream->few)
		return;
	if (blocks->size > 1 ? !fits(&stream->begin, blocks) : !single)
		return;
	stream->blocks = *blocks;
	stream->doubt = NULL;
	stream->few = stream->bursts = false;
}

static void tell(const struct joint *joint)
{
	struct blocks blocks;
	bool single = false; /* some file has enough rows to tell that they are of one */

	if (joint->streams < 2)
		return;
	blocks = find_blocks(joint);
	for (size_t i = 0; i < joint->streams; i++)
		single |= joint->stream[i]->blocks.size == 1 &&
			joint->stream[i]->begin.count > BLOCKS_MAX;
	for (size_t i = 0; i < joint->streams; i++)
		settle(joint->stream[i], &blocks, single);
}

/* The streams of that key in all files from the first on; each is looked at once. */
static void join_key(struct reading *reading, const size_t *file, size_t count,
	const struct stream_key *key)
{
	struct joint joint = {.stream = xmalloc(count * sizeof *joint.stream)};
	bool good = true;

	for (size_t i = 0; i < count && good; i++) {
		struct streams *streams = &reading->file[file[i]].streams;
		size_t k = streams_find(streams, key);

		if (k == STREAMS_NONE || streams->at[k].key.names != key->names)
			continue;
		streams->at[k].joined = true;
		good = join_stream(&joint, &streams->at[k]);
	}
	if (good)
		tell(&joint);
	free(joint.stream);
	free(joint.t_ns);
	free(joint.header);
}

void reading_join_streams(struct reading *reading)
{
	size_t *file = xmalloc((reading->file_count + 1) * sizeof *file);
	size_t count = reading_order(reading, SOURCE_NVIDIA_QUERY, file);

	for (size_t i = 0; i < count; i++) {
		struct streams *streams = &reading->file[file[i]].streams;

		for (size_t k = 0; k < streams->count; k++)
			if (!streams->at[k].joined)
				join_key(reading, file + i, count - i,
					&streams->at[k].key);
	}
	free(file);
}

/* A log that counts into itself. */

void glance_begin(struct glance *g, struct reading *reading, size_t file)
{
	struct error err;

	*g = (struct glance){.diags = DIAG_LIST_INIT};
	csv_row_init(&g->row);
	g->log = reading_open(reading, file, reading->run, &g->counts, &g->diags, &err);
}

bool glance_on(struct glance *g, struct span *line)
{
	return g->log && g->lines++ < GLANCE_LINES && log_line(g->log, line);
}

void glance_end(struct glance *g)
{
	if (g->log)
		log_free(g->log);
	csv_row_release(&g->row);
	diag_list_release(&g->diags);
}
