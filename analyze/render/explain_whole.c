/*
 * Keys of the summary that are of the run as such explained: its time, its rows, how many
 * GPUs and CPUs there are. Computes nothing.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/timestamp.h"
#include "model/coverage.h"
#include "render/doc.h"
#include "render/explain.h"
#include "render/json_run.h"

/* How long it was, by what is known of it. */
static const char *duration_method(const char *source)
{
	static const struct {
		const char *source, *method;
	} methods[] = {
		{"command", "from the command's start to its end, as run.json has them"},
		{"samples", "from the first row to the last"},
		{"events", "from the first event to the last"},
		{"ticks", "the ticks of a log without times, by the interval"},
		{"window", "of the window that was asked for, as far as the run goes"},
	};

	for (size_t i = 0; source && i < sizeof methods / sizeof *methods; i++)
		if (strcmp(methods[i].source, source) == 0)
			return methods[i].method;
	return "nothing says it";
}

static const char *method(const struct explain_input *in)
{
	const struct report *report = in->report;
	const struct run *run = report->run;

	if (in->key == SUMMARY_duration_s)
		return duration_method(report->duration_source);
	if (in->key == SUMMARY_samples)
		return report->cut || report->filter.device
			? "the rows of each device in each kind of log"
			: "the rows that were accepted of all files with samples";
	if (in->key == SUMMARY_gpu_count)
		return "the GPUs with rows of their own, or that run.json names; those "
		       "that only processes name where there are no others";
	if (in->key == SUMMARY_jax_peak_mib)
		return "the largest peak_bytes_in_use of the events, / 2^20";
	if (in->key == SUMMARY_cpu_count && run->cpu_count <= 0)
		return "the CPUs that a log has rows of, by number";
	return "as run.json says";
}

/* ... "but phases go on 151.0 s behind the last: 33.0 % covered" */
static void add_method(struct strbuf *text, const struct explain_input *in)
{
	struct covered covered = covered_summary(in->report, in->key);

	strbuf_adds(text, method(in));
	if (in->key != SUMMARY_duration_s)
		return;
	overhang_say(text, in->report);
	if (covered.doubt == DOUBT_NONE)
		return;
	strbuf_adds(text, ": a lower bound, ");
	covered_say(text, &covered);
}

/* The lines of a file between which its values stand; 0: not known. */
static void lines_of(
	const struct explain_input *in, size_t file, uint64_t *first, uint64_t *last)
{
	*first = *last = 0;
	for (size_t i = 0; i < in->origins->count; i++) {
		const struct origin *o = &in->origins->at[i];

		if (!o->values || o->first.file != file || o->last.file != file)
			continue;
		if (!*first || o->first.line < *first)
			*first = o->first.line;
		if (o->last.line > *last)
			*last = o->last.line;
	}
}

/* Where run.json says that instant, else a value or an event of it; else of no line. */
static struct event_place place_at(const struct explain_input *in, int64_t t_ns)
{
	const struct run *run = in->report->run;

	if (t_ns != TIME_NONE && t_ns == run->started_ns)
		return run->started_at;
	if (t_ns != TIME_NONE && t_ns == run->ended_ns)
		return run->ended_at;
	for (size_t i = 0; i < in->origins->count; i++) {
		const struct origin *o = &in->origins->at[i];

		if (!o->values || !o->timed)
			continue;
		if (o->first.t_ns == t_ns)
			return (struct event_place){o->first.file, o->first.line};
		if (o->last.t_ns == t_ns)
			return (struct event_place){o->last.file, o->last.line};
	}
	for (size_t i = 0; i < run->event_count; i++)
		if (run->event[i].t_ns == t_ns)
			return run->event[i].at;
	return (struct event_place){0};
}

static void add_instant(
	struct doc *doc, const char *label, const struct explain_input *in, int64_t t_ns)
{
	struct strbuf sb;

	if (t_ns == TIME_NONE)
		return;
	strbuf_init(&sb);
	time_print(&sb, t_ns);
	explain_at(&sb, in->report->run, place_at(in, t_ns));
	explain_field(doc, label, &sb);
	strbuf_release(&sb);
}

static void add_files(struct doc *doc, const struct explain_input *in)
{
	const struct run *run = in->report->run;

	for (size_t i = 0; i < run->file_count; i++) {
		const struct run_file *file = &run->file[i];
		uint64_t first, last;
		struct strbuf sb;

		if (!source_has_samples(file->kind))
			continue;
		lines_of(in, i, &first, &last);
		strbuf_init(&sb);
		strbuf_addf(&sb, "%" PRIu64 " rows accepted, %" PRIu64 " refused",
			file->rows, file->refused);
		if (first)
			strbuf_addf(&sb, "; values from line %" PRIu64 " to %" PRIu64,
				first, last);
		explain_field(doc, file->path, &sb);
		strbuf_release(&sb);
	}
}

/* Rows of each device, by the evidence. */
static void add_devices(
	struct doc *doc, const struct explain_input *in, enum device_kind kind)
{
	const struct evidence *e = &in->report->evidence;
	const struct run *run = in->report->run;

	for (size_t i = 0; i < e->device_count; i++) {
		const struct device_evidence *d = &e->device[i];
		struct strbuf sb;

		if (run->device[d->device].kind != kind)
			continue;
		strbuf_init(&sb);
		strbuf_addf(
			&sb, "%" PRIu64 " rows of %s", d->rows, source_name(d->source));
		explain_field(doc, run->device[d->device].name, &sb);
		strbuf_release(&sb);
	}
}

void explain_whole_text(struct doc *doc, const struct explain_input *in)
{
	const struct report *report = in->report;
	const struct summary_field *field = summary_field_get(in->key);
	double value = report->summary[in->key].number;
	struct strbuf sb;

	strbuf_init(&sb);
	doc_begin(doc, DOC_FIELDS);
	if (isnan(value))
		strbuf_adds(&sb, "unknown");
	else
		strbuf_addf(
			&sb, "%.15g%s%s", value, *field->unit ? " " : "", field->unit);
	strbuf_addf(&sb, ": %s", field->title);
	explain_field(doc, field->name, &sb);
	strbuf_clear(&sb);
	add_method(&sb, in);
	explain_field(doc, "How", &sb);
	strbuf_release(&sb);
	if (in->key == SUMMARY_duration_s) {
		add_instant(doc, "From", in, report->started_ns);
		add_instant(doc, "To", in, report->ended_ns);
	} else if (in->key == SUMMARY_samples) {
		add_files(doc, in);
	} else if (in->key == SUMMARY_gpu_count) {
		add_devices(doc, in, DEVICE_GPU);
	} else if (in->key == SUMMARY_cpu_count) {
		add_devices(doc, in, DEVICE_CPU);
	}
}

static void put_files(struct json_writer *w, const struct explain_input *in)
{
	const struct run *run = in->report->run;

	json_array(w, "files");
	for (size_t i = 0; i < run->file_count; i++) {
		const struct run_file *file = &run->file[i];
		uint64_t first, last;

		if (!source_has_samples(file->kind))
			continue;
		lines_of(in, i, &first, &last);
		json_object(w, NULL);
		json_string(w, "path", file->path);
		json_string(w, "kind", source_name(file->kind));
		json_count(w, "rows", file->rows);
		json_count(w, "refused", file->refused);
		json_place(w, "first_line", run, (struct event_place){i, first});
		json_place(w, "last_line", run, (struct event_place){i, last});
		json_close(w);
	}
	json_close(w);
}

void explain_whole_json(struct json_writer *w, const struct explain_input *in)
{
	const struct report *report = in->report;
	struct strbuf sb;

	strbuf_init(&sb);
	add_method(&sb, in);
	json_string(w, "method", sb.text);
	strbuf_release(&sb);
	json_number(w, "value", report->summary[in->key].number);
	json_place(w, "from_line", report->run, place_at(in, report->started_ns));
	json_place(w, "to_line", report->run, place_at(in, report->ended_ns));
	put_files(w, in);
	json_run_devices(w, report);
}
