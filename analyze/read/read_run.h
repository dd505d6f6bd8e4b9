/*
 * The reading of a run: first what each file is, the manifest and the events
 * (read_survey), then the samples (read_samples), as batches. Knows every log format;
 * knows no statistics and no database.
 */
#ifndef READ_READ_RUN_H
#define READ_READ_RUN_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/diag.h"
#include "base/timestamp.h"
#include "model/run.h"
#include "model/sample.h"

struct table_maps;
struct reading; /* the files of one run, surveyed */

struct read_options {
	/* [SOURCE_KIND_COUNT] by kind: how each log is read, other tools' too. */
	const struct format *const *formats;
	const struct zone *zone; /* --tz; NULL: the manifest's, else UTC */
	const char *columns; /* --columns, which headerless_check has passed; NULL */
	const struct table_maps *maps; /* of other tools' tables; NULL: none is known */
	const char *const *path; /* [path_count] directories and logs; or one "-" alone */
	size_t path_count;
	const struct tool_options
		*asked; /* of other tools' logs, read by foreign/; NULL */
	bool general; /* every line the general way, none by a fast one: to test them */
};

/*
 * A file that tells of several runs, as codecarbon's emissions.csv: [*count] an operand
 * for each, "FILE#RUN"; owned. NULL, and 0: any other file.
 */
char **read_runs_of(const char *path, const struct table_maps *maps, size_t *count);

/*
 * Sweeps the files of a run (a directory, a log, several of both, or standard input),
 * decides the kind of each, reads the manifest and the events into *run (run_init'ed).
 * -1: an operand can't be read, or nothing in it is claimed by a reader.
 */
int read_survey(struct reading **out, struct run *run, const struct read_options *opt,
	struct error *err);
void reading_free(struct reading *reading);

/*
 * Unpacks packed logs to learn what they hold: content_size and content_hash of the run's
 * files, which until then are those of the bytes on disk. True: some were learned; done
 * once.
 */
bool read_contents(struct reading *reading);

/*
 * The samples of all files of one kind, joined in time. step_limit_ns: a step back in a
 * device's time beyond it begins a segment. Devices are added to the run as they appear,
 * rows and refusals counted in its files, damage in its diagnostics. May be opened again
 * for a second reading, which counts nothing; free it before the reading.
 */
struct sample_source *read_samples(
	struct reading *reading, enum source_kind kind, int64_t step_limit_ns);

/*
 * How many bytes of the files the readings of samples have taken, as they are on disk:
 * for people who wait. A second reading counts them again.
 */
uint64_t read_taken(const struct reading *reading);

/* The bytes of the files that the operands are, read or not; 0: unknown. */
uint64_t read_size(const struct read_options *opt);

/*
 * Says in the run's diagnostics where the time goes back, as the last reading of each
 * kind saw it: only that one knew the limit. Once, behind all readings.
 */
void read_note_steps_back(struct reading *reading);

/* Says in them which file is of another host than the GPUs, or than the manifest. */
void read_note_hosts(struct reading *reading);

#endif
