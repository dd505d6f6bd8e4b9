/* What is said of events that are far from the run, and that they are lost. */
#include "cmd/far.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/text.h"
#include "compute/phases/calls.h"

static void refuse_line(
	struct run *run, const struct event_place *place, const char *sentence)
{
	struct run_file *file = place->line && place->file < run->file_count
		? &run->file[place->file]
		: NULL;

	if (file) {
		file->rows--;
		file->refused++;
	}
	diag_add(&run->diags, true, "far-time", file ? file->path : "", place->line,
		(struct span){NULL, 0}, "%s", sentence);
}

static void say_distance(struct strbuf *text, int64_t ns)
{
	if (ns < 2 * NS_PER_DAY)
		strbuf_addf(text, "%.3f s", number_ratio(ns, NS_PER_S));
	else
		strbuf_addf(text, "%.0f days", number_ratio(ns, NS_PER_DAY));
}

/* One that the reader made of a start and a stop has a line of each. */
static void refuse(struct run *run, const struct far_event *far)
{
	const struct event *event = &run->event[far->event];
	int64_t begins_ns = event->type == EVENT_END ? TIME_NONE : event->t_ns;
	struct strbuf text;

	strbuf_init(&text);
	strbuf_adds(&text, event->type == EVENT_POINT ? "an event '" : "a phase '");
	diag_quote(&text,
		span_of(event->name		   ? event->name
				: event->type_name ? event->type_name
						   : ""));
	strbuf_addf(&text, "' that %s at ",
		event->type == EVENT_POINT	 ? "is"
			: far->t_ns == begins_ns ? "begins"
						 : "ends");
	time_print(&text, far->t_ns);
	strbuf_adds(&text, ", ");
	say_distance(&text, llabs(far->away_ns));
	strbuf_adds(&text,
		far->away_ns < 0 ? " before the run; the event is lost"
				 : " after the run; the event is lost");
	refuse_line(run, &event->at, text.text);
	if (event->end_at.line)
		refuse_line(run, &event->end_at, text.text);
	strbuf_release(&text);
}

bool far_refuse(struct run *run, struct aggregate *agg)
{
	int64_t from_ns = TIME_NONE, to_ns = TIME_NONE;
	struct far_event *far;
	size_t *event, count;

	aggregate_samples(agg, &from_ns, &to_ns);
	count = far_events_find(run, from_ns, to_ns, &far);
	event = xmalloc((count + 1) * sizeof *event);
	for (size_t i = 0; i < count; i++) {
		refuse(run, &far[i]);
		event[i] = far[i].event;
	}
	run_drop_events(run, event, count);
	if (count)
		aggregate_restart(agg);
	free(event);
	free(far);
	return count > 0;
}
