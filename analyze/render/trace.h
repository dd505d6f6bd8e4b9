/*
 * What the files of the trace share: events that begin alike, tracks, and slices that
 * nest on them. Only trace*.c include this.
 *
 * Every viewer makes integers of times in its own way, so a slice is a begin and an
 * end: what is one instant here is one there, and nothing that nests here overlaps
 * there.
 */
#ifndef RENDER_TRACE_H
#define RENDER_TRACE_H

#include "model/report.h"
#include "model/timeline.h"
#include "render/json_writer.h"

struct trace {
	struct chronicle_taker taker; /* the first member: samples come as to it */
	struct json_writer *w;
	const struct report *report; /* the run that is being written */
	int64_t zero_ns; /* of its times */
	uint32_t pid; /* its number, and that of its main track */
	uint32_t last_id; /* no two runs or tracks of the file have the same number */
	struct strbuf name; /* of a counter, while it is written */
};

struct trace_span {
	int64_t from_ns, to_ns;
	const char *name;
	const void *of; /* for whoever writes its args */
	const void *kind, *inside; /* where the spans are strict: what it is, and what it
				      lies in; NULL: nothing */
};

/* Spans that stand together. */
struct trace_spans {
	const struct trace_span
		*at; /* [count] by start, of equal starts the outer first */
	size_t count;
	const char *track, *category;
	int64_t slack_ns; /* spans that overlap by less are in one another, or one behind
			     the other, as their times are rounded */
	bool strict; /* one lies in another one only if that is of a kind that it says */
	void (*args)(struct trace *t, const struct trace_span *span); /* NULL: none */
};

/* On as few tracks as they nest in, "name", "name 2" ... */
void trace_spans(struct trace *t, const struct trace_spans *spans);

#endif
