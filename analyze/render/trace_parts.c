/* Events and ids of a trace. */
#include "render/trace_parts.h"

#include <math.h>

#include "base/number.h"

/* Times stand first: readers that take an event apart by hand look for them. */
void trace_event(struct trace *t, const char *ph, uint32_t tid, int64_t t_ns)
{
	json_object(t->w, NULL);
	json_string(t->w, "ph", ph);
	json_count(t->w, "pid", t->pid);
	json_count(t->w, "tid", tid);
	json_number(t->w, "ts", number_ratio((int128)t_ns - t->zero_ns, 1000));
}

void trace_event_named(struct trace *t, const char *ph, uint32_t tid, int64_t t_ns,
	const char *category, const char *name)
{
	trace_event(t, ph, tid, t_ns);
	if (category)
		json_string(t->w, "cat", category);
	json_string(t->w, "name", name);
	json_object(t->w, "args");
}

void trace_name_id(struct trace *t, const char *what, uint32_t tid, const char *name)
{
	trace_event_named(t, "M", tid, t->zero_ns, NULL, what);
	json_string(t->w, "name", name);
	json_close(t->w);
	json_close(t->w);
}

void trace_sort_id(struct trace *t, const char *what, uint32_t tid, uint32_t place)
{
	trace_event_named(t, "M", tid, t->zero_ns, NULL, what);
	json_count(t->w, "sort_index", place);
	json_close(t->w);
	json_close(t->w);
}

uint32_t trace_track(struct trace *t, const char *name)
{
	uint32_t tid = ++t->last_id;

	trace_name_id(t, "thread_name", tid, name);
	trace_sort_id(t, "thread_sort_index", tid, tid);
	return tid;
}

void trace_number(struct trace *t, const char *key, double value)
{
	if (isfinite(value))
		json_number(t->w, key, value);
}

void trace_text(struct trace *t, const char *key, const char *value)
{
	if (value)
		json_string(t->w, key, value);
}

void trace_end_slice(struct trace *t, uint32_t tid, int64_t t_ns)
{
	trace_event(t, "E", tid, t_ns);
	json_close(t->w);
}

void trace_slice(struct trace *t, uint32_t tid, int64_t from_ns, int64_t to_ns,
	const char *category, const char *name)
{
	trace_event_named(t, "B", tid, from_ns, category, name);
	json_close(t->w);
	json_close(t->w);
	trace_end_slice(t, tid, to_ns);
}
