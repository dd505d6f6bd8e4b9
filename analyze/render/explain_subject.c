/*
 * The times of phases explained: how each came about, of which lines, and which other
 * number to ask for; and what else was asked for, by its file. Computes nothing.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/quantity.h"
#include "base/timestamp.h"
#include "model/numbers.h"
#include "render/doc_run.h"
#include "render/explain.h"
#include "render/json_run.h"

#define CALLS_SHOWN 20

/* How a key of the times of phases comes about. */
static const char *times_method(const char *key)
{
	if (strcmp(key, "calls") == 0)
		return "the number of the calls";
	if (strcmp(key, "non_empty_calls") == 0)
		return "the number of the calls that a row of any log lies in";
	if (strcmp(key, "start_s") == 0)
		return "from the start of the run, or window, to the begin of the first "
		       "call";
	if (strcmp(key, "exclusive_energy_j") == 0)
		return "the path's energy_j, less that of the paths directly in it "
		       "(--phase 'PATH*' lists them; explain energy_j has their rows)";
	if (strcmp(key, "exclusive_s") == 0)
		return "the sum of the calls' lengths, less the union of the calls "
		       "directly in them";
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

static void add_call(
	struct doc *doc, const struct report *report, const struct phase_call *call)
{
	struct strbuf sb;

	strbuf_init(&sb);
	strbuf_addf(&sb, "%.15g s, ", call->seconds);
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

/* The energy of a path, and of those directly in it. */
static void add_energies(struct doc *doc, const struct report *report, size_t nth)
{
	const struct phase_path *path = &report->path[nth];

	for (size_t i = nth; i < report->path_count; i++) {
		const struct phase_path *p = &report->path[i];
		struct strbuf sb;

		if (i > nth && p->depth <= path->depth)
			break;
		if (p->depth > path->depth + 1)
			continue;
		strbuf_init(&sb);
		strbuf_addf(
			&sb, "%.15g J of %s", p->summary[PHASE_energy_j].number, p->path);
		explain_field(doc, i > nth ? "" : "energy_j", &sb);
		strbuf_release(&sb);
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
	strbuf_addf(&sb, "%.15g: %s", time_of(path, in->times),
		path->outside ? "what is in no call" : times_method(in->times));
	explain_field(doc, in->times, &sb);
	if (strcmp(in->times, "exclusive_energy_j") == 0) {
		add_energies(doc, report, (size_t)(path - report->path));
		strbuf_release(&sb);
		return;
	}
	for (size_t i = path->first; i != SIZE_MAX && shown < CALLS_SHOWN;
		i = report->call[i].next, shown++)
		add_call(doc, report, &report->call[i]);
	if (path->calls > shown) {
		strbuf_clear(&sb);
		strbuf_addf(&sb, "... and %" PRIu64 " more (--json has them)",
			path->calls - shown);
		explain_field(doc, "", &sb);
	}
	strbuf_release(&sb);
}

void explain_subject_text(struct doc *doc, const struct explain_input *in)
{
	if (in->whole)
		explain_whole_text(doc, in);
	if (in->steady)
		explain_steady_text(doc, in);
	if (in->work)
		explain_work_text(doc, in);
	for (size_t i = 0; in->times && i < in->report->path_count; i++)
		add_times(doc, in, &in->report->path[i]);
	if (in->rule)
		explain_rule_text(doc, in);
}

static void put_times(struct json_writer *w, const struct explain_input *in)
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
			const struct phase_call *call = &report->call[k];

			json_object(w, NULL);
			json_number(w, "seconds", call->seconds);
			json_time(w, "started_at", call->start_ns);
			json_time(w, "ended_at", call->end_ns);
			json_bool(w, "unfinished", call->unfinished);
			json_place(w, "line", report->run, call->at);
			json_place(w, "end_line", report->run, call->end_at);
			json_close(w);
		}
		json_close(w);
		json_close(w);
	}
	json_close(w);
}

/* Its name and its kind; NULL: a metric, or a key that is of one, was asked for. */
static const char *kind_of(const struct explain_input *in, const char **asked)
{
	const struct {
		const char *asked, *kind;
	} kinds[] = {{in->whole ? summary_field_get(in->key)->name : NULL, "run"},
		{in->steady, "steady"}, {in->times, "times"}, {in->work, "work"},
		{in->rule ? in->rule->id : NULL, "rule"}};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i].asked) {
			*asked = kinds[i].asked;
			return kinds[i].kind;
		}
	return NULL;
}

void explain_subject_json(struct json_writer *w, const struct explain_input *in)
{
	const char *asked, *kind = kind_of(in, &asked);

	if (!kind) {
		json_null(w, "subject");
		return;
	}
	json_object(w, "subject");
	json_string(w, "asked", asked);
	json_string(w, "kind", kind);
	if (in->whole)
		explain_whole_json(w, in);
	else if (in->steady)
		explain_steady_json(w, in);
	else if (in->times)
		put_times(w, in);
	else if (in->work)
		explain_work_json(w, in);
	else
		explain_rule_json(w, in);
	json_close(w);
}
