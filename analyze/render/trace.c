/*
 * A trace for Perfetto and chrome://tracing, which draw a run from its start to its end:
 * each run is a process, each metric of a device a counter of it, everything that lasts
 * a slice on a track. Walks reports and what comes of their samples; must not compute.
 */
#include <stdlib.h>

#include "base/timestamp.h"
#include "render/formats.h"
#include "render/json_document.h"
#include "render/trace_parts.h"

static void earlier(int64_t *zero_ns, int64_t t_ns)
{
	if (t_ns != TIME_NONE && (*zero_ns == TIME_NONE || t_ns < *zero_ns))
		*zero_ns = t_ns;
}

/*
 * What the times count from: the run's start, or what is drawn before it, as viewers drop
 * what is before 0. Of what is cut to a time nothing is.
 */
static int64_t zero_of(const struct report *report)
{
	const struct run *run = report->run;
	const struct evidence *e = &report->evidence;
	int64_t zero_ns = report->origin_ns;

	if (zero_ns != TIME_NONE && (report->cut || report->windowed))
		return zero_ns;
	for (size_t i = 0; i < e->device_count; i++) {
		earlier(&zero_ns, e->device[i].first_ns);
		earlier(&zero_ns, e->device[i].log_first_ns);
	}
	for (size_t i = 0; i < report->call_count; i++)
		earlier(&zero_ns, report->call[i].start_ns);
	for (size_t i = 0; i < run->event_count; i++)
		if (run->event[i].type == EVENT_POINT)
			earlier(&zero_ns, run->event[i].t_ns);
	for (size_t i = 0; i < run->clock_change_count; i++)
		earlier(&zero_ns, run->clock_change[i].from_ns);
	return zero_ns == TIME_NONE ? TIME_BEGIN : zero_ns;
}

static void write_facts(struct trace *t, struct json_writer *w)
{
	const struct report *report = t->report;
	const struct run *run = report->run;

	json_object(w, NULL);
	json_count(w, "pid", t->pid);
	json_string(w, "run", run->key);
	json_string(w, "path", run->path);
	json_string(w, "host", run->host);
	json_string(w, "command", run->command);
	json_time(w, "zero_at", t->zero_ns);
	json_time(w, "started_at", report->started_ns);
	json_time(w, "ended_at", report->ended_ns);
	json_number(w, "duration_s", report->duration_s);
	json_close(w);
}

/* From its start to its end, on the track that viewers take for the main one. */
static void write_run_slice(struct trace *t)
{
	const struct report *report = t->report;
	const struct run *run = report->run;
	const char grade[] = {report->evidence.grade, '\0'};

	trace_name_id(t, "thread_name", t->pid, "run");
	trace_sort_id(t, "thread_sort_index", t->pid, 0);
	if (report->started_ns == TIME_NONE)
		return;
	trace_event_named(t, "B", t->pid, report->started_ns, "run",
		run->command ? run->command : run->path);
	trace_text(t, "path", run->path);
	trace_text(t, "host", run->host);
	trace_text(t, "counts", report->windowed ? "window" : NULL);
	if (run->exit_status >= 0)
		json_integer(t->w, "exit_status", run->exit_status);
	json_string(t->w, "grade", grade);
	json_close(t->w);
	json_close(t->w);
	trace_event(t, "E", t->pid, report->ended_ns);
	json_close(t->w);
}

static int write_run(struct trace *t, const struct render_input *in,
	struct json_writer *facts, struct error *err)
{
	char *name = run_name(t->report->run);

	t->pid = ++t->last_id;
	t->zero_ns = zero_of(t->report);
	trace_name_id(t, "process_name", t->pid, name);
	trace_sort_id(t, "process_sort_index", t->pid, t->pid);
	free(name);
	write_run_slice(t);
	trace_phases(t);
	trace_instants(t);
	trace_findings(t);
	trace_steady(t);
	write_facts(t, facts);
	/* Nobody reads what can't be written, but all runs are to be loaded. */
	if (!in->samples || ferror(t->w->out))
		return 0;
	return in->samples(in->samples_context, t->report, &t->taker, err);
}

int trace_write(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err)
{
	struct json_writer w, facts;
	struct trace t = {.w = &w};
	size_t taken = 0;
	int written = 0;

	(void)opt;
	strbuf_init(&t.name);
	trace_take_samples(&t);
	json_init(&facts, NULL, JSON_COMPACT);
	json_array(&facts, NULL);
	json_init(&w, out, JSON_LINES);
	json_object(&w, NULL);
	json_string(&w, "displayTimeUnit", "ms");
	json_array(&w, "traceEvents");
	while (written == 0 && (t.report = render_take(in, &taken)))
		written = write_run(&t, in, &facts, err);
	json_close(&w);
	json_close(&facts);
	json_object(&w, "otherData");
	json_string(&w, "format_version", RENDER_FORMAT_VERSION);
	json_string(&w, "generator", "hwsummarize " VERSION);
	json_raw(&w, "runs", facts.text.text);
	json_texts(&w, "warnings", in->warning, in->warning_count);
	json_close(&w);
	json_close(&w);
	json_finish(&facts);
	json_finish(&w);
	strbuf_release(&t.name);
	return written < 0 ? -1 : render_check(out, "trace", err);
}
