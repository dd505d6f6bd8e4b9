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
#include <strings.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "model/run.h"
#include "read/clock_steps.h"
#include "read/csv.h"
#include "read/formats.h"
#include "read/identify.h"
#include "read/listing.h"
#include "read/log.h"
#include "read/reading.h"

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
				0, SPAN_NONE,
				"second run.json; only the first one is used (file "
				"ignored)");
			continue;
		}
		log = reading_open(reading, i, run, &run->file[i], &run->diags, &err);
		if (!log) {
			diag_add(&run->diags, true, "unreadable", run->file[i].path, 0,
				SPAN_NONE, "%s", err.message);
			continue;
		}
		reading->opt.formats[kind]->survey(log);
		log_free(log);
	}
}

static bool are_together(const char *a, const char *b)
{
	const char *a_name = strrchr(a, '/'), *b_name = strrchr(b, '/');
	size_t len = a_name ? (size_t)(a_name - a) : 0;

	return len == (b_name ? (size_t)(b_name - b) : 0) && strncmp(a, b, len) == 0;
}

/* The host that a manifest names. To be freed; NULL: none. */
static char *read_host(struct reading *reading, size_t manifest)
{
	const struct format *format = reading->opt.formats[SOURCE_MANIFEST];
	struct run_file scratch = {0};
	struct run of_host;
	struct error err;
	struct log *log;
	char *host = NULL;

	run_init(&of_host, "");
	log = reading_open(reading, manifest, &of_host, &scratch, &of_host.diags, &err);
	if (log) {
		log->watch = &(struct clock_watch){.stepped = false};
		format->survey(log);
		log_free(log);
		host = of_host.host;
		of_host.host = NULL;
	}
	run_release(&of_host);
	return host;
}

/* The GPUs of one host are none of another: their logs, joined, lie beside manifests. */
static void find_hosts(struct reading *reading)
{
	struct run *run = reading->run;

	for (size_t i = 0; i < run->file_count && reading->opt.path_count > 1; i++) {
		char *host = run->file[i].kind == SOURCE_MANIFEST ? read_host(reading, i)
								  : NULL;

		for (size_t k = 0; k < run->file_count && host; k++)
			if (!reading->file[k].facts.host && reading->file[k].facts.path &&
				are_together(reading->file[i].facts.path,
					reading->file[k].facts.path))
				reading->file[k].facts.host = xstrdup(host);
		free(host);
	}
	for (size_t i = 0; i < run->of_kind[DEVICE_GPU].count && run->host; i++)
		if (reading->opt.path_count > 1)
			run_set_string(&run->device[run->of_kind[DEVICE_GPU].at[i]].host,
				run->host);
}

/* By what stands before the first dot: some logs name the domain, too. */
static bool is_same_host(const char *a, const char *b)
{
	size_t len = strcspn(a, ".");

	return len == strcspn(b, ".") && strncasecmp(a, b, len) == 0;
}

/* The host of a GPU, or of the manifest, if none has that name; NULL: one has. */
static const char *other_host(const struct run *run, const char *host)
{
	const struct device_list *gpus = &run->of_kind[DEVICE_GPU];
	const char *other = NULL;

	for (size_t i = 0; i < gpus->count; i++) {
		const char *name = run->device[gpus->at[i]].host;

		if (name && is_same_host(name, host))
			return NULL;
		other = name ? name : other;
	}
	if (other || !run->host || is_same_host(run->host, host))
		return other;
	return run->host;
}

void read_note_hosts(struct reading *reading)
{
	struct run *run = reading->run;

	for (size_t i = 0; i < run->file_count; i++) {
		const char *host = run->file[i].kind == SOURCE_MANIFEST
			? run->host
			: reading->file[i].facts.banner_host;
		const char *other = host && run->file[i].kind != SOURCE_NONE
			? other_host(run, host)
			: NULL;

		if (other)
			diag_add(&run->diags, true, "other-host", run->file[i].path, 0,
				SPAN_NONE,
				"of host %s, but other logs of the run are of host %s: "
				"their numbers are mixed",
				host, other);
	}
}

static void choose_zone(struct reading *reading, const struct read_options *opt)
{
	struct run *run = reading->run;
	const char *source = "default";
	struct error unknown;

	reading->zone = ZONE_UTC;
	if (opt->zone) {
		reading->zone = *opt->zone;
		source = "option";
	} else if (run->zone && zone_parse(&reading->zone, run->zone, &unknown) == 0) {
		source = "manifest";
	} else if (run->zone) {
		diag_add(&run->diags, true, "zone", "", 0, SPAN_NONE,
			"run.json: %s; times are read as UTC", unknown.message);
	}
	snprintf(run->time_zone, sizeof run->time_zone, "%s", reading->zone.name);
	snprintf(run->time_source, sizeof run->time_source, "%s", source);
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
	ALLOC_NEXT(f->known, f->known_count, f->known_cap) = *reading;
}

/* Other lines than collect's have no clocks. */
static struct clock_reading reading_of(const struct event *event, bool runlog)
{
	bool phase = runlog && event->type == EVENT_PHASE; /* is told by its end */
	struct clock_reading reading = {
		.wall_ns = phase ? event->end_ns : event->t_ns, .boot_ns = -1};
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
	struct clock_reading reading;
	struct span line;
	struct peek g;

	peek_begin(&g, f->reading, file);
	while (g.log && log_line(g.log, &line))
		if (marker_is(line) && !input_line_torn(g.log->in) &&
			marker_clocks(line, &reading) &&
			clock_watch_knows(&f->reading->watch, &reading)) {
			take_known(f, reading.boot_ns);
			clocks_take(&f->clocks, &f->nowhere, &reading);
		}
	peek_end(&g);
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

static void find_clock_steps(struct finder *f)
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
	find_clock_steps(&f);
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
			"\"ended_at\" is before \"started_at\"; the duration of the logs "
			"is used");
		return;
	}
}

int read_survey(struct reading **out, struct run *run, const struct read_options *opt,
	struct error *err)
{
	struct reading *reading = xcalloc(1, sizeof *reading);

	reading->run = run;
	reading->opt = *opt;
	reading->zone = ZONE_UTC;
	if (reading_list(reading, opt, err) < 0 || reading_find_kinds(reading, err) < 0)
		goto fail;
	if (reading->file_count == 1 && reading->file[0].facts.recast.step_ns > 0)
		run->interval_ns = reading->file[0].facts.recast.step_ns;
	survey_kind(reading, SOURCE_MANIFEST);
	find_hosts(reading);
	if (run->run_id)
		run_set_string(&run->key, run->run_id);
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		if (source_is_manifest(kind) && kind != SOURCE_MANIFEST)
			survey_kind(reading, kind);
	choose_zone(reading, opt);
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
