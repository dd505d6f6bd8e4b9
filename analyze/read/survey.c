/*
 * The first sweep over a run: which files there are and what each is, the manifest, the
 * time zone, the events.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "read/headerless.h"
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
		format_get(kind)->survey(log);
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
	reading->columns = opt->columns;
	reading->general = opt->general;
	reading->zone = ZONE_UTC;
	reading->units = opt->units;
	if ((opt->columns && headerless_check(opt->columns, err) < 0) ||
		reading_list(reading, opt, err) < 0 ||
		reading_find_kinds(reading, err) < 0)
		goto fail;
	survey_kind(reading, SOURCE_MANIFEST);
	if (run->run_id)
		run_set_string(&run->key, run->run_id);
	survey_kind(reading, SOURCE_JUMPER_SESSION);
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
