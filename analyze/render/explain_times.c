/*
 * The times of phases explained: how each came about, of which lines, what lies right in
 * them and is left out, and which other number to ask for. Computes nothing.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/timestamp.h"
#include "model/measure.h"
#include "render/doc_run.h"
#include "render/explain.h"
#include "render/json_run.h"

#define CALLS_SHOWN 20
#define INNER_SHOWN 5

/* How a key of the times of phases comes about. */
static const char *times_method(const char *key)
{
	if (strcmp(key, "calls") == 0)
		return "the number of the calls";
	if (strcmp(key, "non_empty_calls") == 0)
		return "the number of the calls that a row of any log lies in";
	if (strcmp(key, "start_s") == 0)
		return "from the start of the run to the begin of the first call";
	if (strcmp(key, "exclusive_energy_j") == 0)
		return "the path's energy_j, less that of the paths directly in it, but "
		       "not below 0 (explain energy_j has their rows)";
	if (strcmp(key, "exclusive_s") == 0)
		return "the sum of the calls' lengths, less in each call the union of "
		       "those directly in it";
	if (strcmp(key, "total_s") == 0)
		return "the sum of the calls' lengths, from begin to end";
	return "of the calls' lengths, from begin to end";
}

static double time_of(const struct phase_path *path, const char *key)
{
	struct named_number numbers[NUMBERS_MAX];
	const struct named_number *of =
		numbers_find(numbers, numbers_of_path(path, numbers), key);

	return of ? of->value : NAN;
}

/* "6 s of epoch/step, TIME at events.jsonl:3 to TIME at events.jsonl:4"; path: may be ""
 */
static void add_call(struct doc *doc, const struct report *report,
	const struct phase_call *call, const char *path)
{
	struct strbuf sb;

	strbuf_init(&sb);
	strbuf_addf(&sb, "%.15g s%s%s, ", call->seconds, *path ? " of " : "", path);
	time_print(&sb, call->start_ns);
	explain_at(&sb, report->run, call->at);
	strbuf_adds(&sb, " to ");
	time_print(&sb, call->end_ns);
	explain_at(&sb, report->run, call->end_at);
	if (call->unfinished)
		strbuf_addf(&sb, ", the %s's end: it has none", report_span(report));
	explain_field(doc, "", &sb);
	strbuf_release(&sb);
}

static void add_more(struct doc *doc, uint64_t count)
{
	doc_text(doc, "");
	doc_textf(doc, "... and %" PRIu64 " more (--json has them)", count);
}

static bool is_exclusive(const char *key)
{
	return strncmp(key, "exclusive_", 10) == 0;
}

/* The phase that lies right in the path; NULL: it does not. */
static const struct inner_phase *inner_phase(
	const struct explain_input *in, const struct phase_path *path, size_t nth)
{
	const struct inner_phase *inner = &in->inner->phase[nth];

	return strcmp(inner->outer, path->path) == 0 ? inner : NULL;
}

/* What is subtracted, and the first calls of it. */
static void add_inner(
	struct doc *doc, const struct explain_input *in, const struct phase_path *path)
{
	size_t count = 0;

	for (size_t i = 0; i < in->inner->count; i++)
		count += inner_phase(in, path, in->inner->call[i].phase) != NULL;
	doc_text(doc, "Less");
	if (!count) {
		doc_text(doc, "nothing: no call lies in them");
		return;
	}
	doc_textf(doc, "%.15g s: %zu call%s directly in them",
		path->total_s - path->exclusive_s, count, count == 1 ? "" : "s");
	for (size_t i = 0, shown = 0; i < in->inner->count && shown < INNER_SHOWN; i++) {
		const struct inner_call *call = &in->inner->call[i];
		const struct inner_phase *inner = inner_phase(in, path, call->phase);

		if (!inner)
			continue;
		add_call(doc, in->report, &call->call, inner->path);
		shown++;
	}
	if (count > INNER_SHOWN)
		add_more(doc, count - INNER_SHOWN);
}

/* Why no energy of its own is known. */
static const char *why_no_energy(
	const struct explain_input *in, const struct phase_path *path)
{
	const char *method = path->summary[PHASE_energy_method].text;

	if (isnan(path->summary[PHASE_energy_j].number))
		return "its energy_j is unknown";
	for (size_t i = 0; i < in->inner->phase_count; i++) {
		const struct inner_phase *inner = inner_phase(in, path, i);

		if (inner && inner->method &&
			(!method || strcmp(inner->method, method) != 0))
			return "the energy of a path in it is of another method";
	}
	return "its calls, or those in them, lie across one another, so that some of it "
	       "would count twice";
}

static void add_energy(
	struct doc *doc, const char *label, double energy_j, const char *path)
{
	struct strbuf sb;

	strbuf_init(&sb);
	explain_number(&sb, energy_j, "J");
	strbuf_addf(&sb, " of %s", path);
	explain_field(doc, label, &sb);
	strbuf_release(&sb);
}

/* The energy of a path, and of those directly in it. */
static void add_energies(
	struct doc *doc, const struct explain_input *in, const struct phase_path *path)
{
	bool any = false;

	if (isnan(path->exclusive_energy_j) && !path->outside) {
		doc_text(doc, "Unknown");
		doc_text(doc, why_no_energy(in, path));
	}
	add_energy(doc, "energy_j", path->summary[PHASE_energy_j].number, path->path);
	for (size_t i = 0; i < in->inner->phase_count; i++) {
		const struct inner_phase *inner = inner_phase(in, path, i);

		if (!inner)
			continue;
		add_energy(doc, any ? "" : "Less", inner->energy_j, inner->path);
		any = true;
	}
}

static void add_times(
	struct doc *doc, const struct explain_input *in, const struct phase_path *path)
{
	const struct report *report = in->report;
	size_t shown = 0;
	struct strbuf sb;

	strbuf_init(&sb);
	strbuf_addf(&sb, "%s in %s", in->times, path->path);
	doc_heading(doc, 2, sb.text);
	doc_begin(doc, DOC_FIELDS)->follows = true;
	strbuf_clear(&sb);
	explain_number(&sb, time_of(path, in->times), "");
	strbuf_addf(&sb, ": %s",
		path->outside ? "what is in no call" : times_method(in->times));
	explain_field(doc, in->times, &sb);
	strbuf_release(&sb);
	if (strcmp(in->times, "exclusive_energy_j") == 0) {
		add_energies(doc, in, path);
		return;
	}
	for (size_t i = path->first; i != SIZE_MAX && shown < CALLS_SHOWN;
		i = report->call[i].next, shown++)
		add_call(doc, report, &report->call[i], "");
	if (path->calls > shown)
		add_more(doc, path->calls - shown);
	if (is_exclusive(in->times) && !path->outside)
		add_inner(doc, in, path);
}

void explain_times_text(struct doc *doc, const struct explain_input *in)
{
	for (size_t i = 0; i < in->report->path_count; i++)
		add_times(doc, in, &in->report->path[i]);
}

static void put_call(
	struct json_writer *w, const struct report *report, const struct phase_call *call)
{
	json_number(w, "seconds", call->seconds);
	json_time(w, "started_at", call->start_ns);
	json_time(w, "ended_at", call->end_ns);
	json_bool(w, "unfinished", call->unfinished);
	json_place(w, "line", report->run, call->at);
	json_place(w, "end_line", report->run, call->end_at);
}

static void put_inner(struct json_writer *w, const struct explain_input *in,
	const struct phase_path *path)
{
	json_array(w, "less");
	for (size_t i = 0; i < in->inner->phase_count && is_exclusive(in->times); i++) {
		const struct inner_phase *inner = inner_phase(in, path, i);

		if (!inner)
			continue;
		json_object(w, NULL);
		json_string(w, "phase", inner->path);
		json_number(w, "energy_j", inner->energy_j);
		json_array(w, "calls");
		for (size_t k = 0; k < in->inner->count; k++) {
			if (in->inner->call[k].phase != i)
				continue;
			json_object(w, NULL);
			put_call(w, in->report, &in->inner->call[k].call);
			json_close(w);
		}
		json_close(w);
		json_close(w);
	}
	json_close(w);
}

void explain_times_json(struct json_writer *w, const struct explain_input *in)
{
	const struct report *report = in->report;

	json_string(w, "method", times_method(in->times));
	json_array(w, "phases");
	for (size_t i = 0; i < report->path_count; i++) {
		const struct phase_path *path = &report->path[i];

		json_object(w, NULL);
		json_string(w, "phase", path->path);
		json_number(w, "value", time_of(path, in->times));
		json_array(w, "calls");
		for (size_t k = path->first; k != SIZE_MAX; k = report->call[k].next) {
			json_object(w, NULL);
			put_call(w, report, &report->call[k]);
			json_close(w);
		}
		json_close(w);
		put_inner(w, in, path);
		json_close(w);
	}
	json_close(w);
}
