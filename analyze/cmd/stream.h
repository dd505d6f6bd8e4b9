/*
 * The runs of a call on their way to the output. Where the format takes them one by one,
 * each is loaded when its turn comes, and let go when the next one is: ten thousand need
 * no more memory than ten.
 */
#ifndef CMD_STREAM_H
#define CMD_STREAM_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

#include "cmd/beside.h"
#include "cmd/runs.h"
#include "render/render.h"

/* Zeroed but for the first three. */
struct run_stream {
	struct runs *runs;
	const struct render_format *format;
	struct report_filter filter;
	size_t operand; /* the next to be loaded */
	bool begun; /* a run was taken */
	struct render_input in;
	struct beside *beside; /* of runs that are loaded already; NULL: it is not asked
				  for */
	FILE *out;
	int broke; /* errno of the first write that failed */
	struct sigaction pipe; /* what a broken pipe does before and behind the runs */
	struct error refused; /* a run that the output would be written over */
	bool is_refused;
};

/* The next run that can be loaded, behind those of `runs`; false: there is none left. */
bool stream_load_next(struct run_stream *s);

/* With -v: where each of its findings stands in the logs, whatever it was loaded from. */
void stream_find_lines(struct runs *runs, struct loaded *loaded);

/* From now on `in` gives one run after the other; the first has been loaded. */
void stream_one_by_one(struct run_stream *s);

/*
 * The stream, as `context`, in its format: for result_print(). -1 also: the output would
 * be written over a run.
 */
int stream_write(void *context, const struct render_options *options, FILE *out,
	struct error *err);

#endif
