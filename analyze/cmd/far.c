/* What is said of events that are far from the run, and that they are lost. */
#include "cmd/far.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "compute/far_events.h"

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

/* One that the reader made of a start and a stop has a line of each. */
static void refuse(struct run *run, const struct far_event *far)
{
	const struct event *event = &run->event[far->event];
	double days = number_ratio(llabs(far->away_ns), NS_PER_DAY);
	struct strbuf text;

	strbuf_init(&text);
	strbuf_adds(&text, event->type == EVENT_PHASE ? "a phase '" : "an event '");
	diag_quote(&text,
		span_of(event->name		   ? event->name
				: event->type_name ? event->type_name
						   : ""));
	strbuf_addf(&text, "' that %s at ",
		event->type != EVENT_PHASE	   ? "is"
			: far->t_ns == event->t_ns ? "begins"
						   : "ends");
	time_print(&text, far->t_ns);
	strbuf_addf(&text, ", %.0f days %s the run; the event is lost", days,
		far->away_ns < 0 ? "before" : "after");
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
