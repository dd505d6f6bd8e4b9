/* The steady state explained. Computes nothing. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/timestamp.h"
#include "model/measure.h"
#include "render/doc.h"
#include "render/explain.h"
#include "render/json_run.h"

static const char method[] =
	"the level that the GPUs were at for most of the time, found by change points on "
	"the courses of utilisation, or of power where there is none; an interruption is "
	"time at another level, or in which a log says nothing of a GPU";

static const char *formula(const char *number)
{
	static const struct {
		const char *number, *formula;
	} formulas[] = {
		{"steady_from_s",
			"from the run's start to where the level is first reached"},
		{"steady_to_s",
			"from the run's start to where the level is left for "
			"good, or to the last sample"},
		{"steady_coverage",
			"the share of the GPUs' time in it that the log says "
			"something of"},
		{"steady_warm_up_s",
			"from the first sample to where the level, or a "
			"higher one, is first reached"},
		{"steady_interruptions", "the number of the interruptions"},
		{"steady_interrupted_s", "the sum of the interruptions"},
		{"steady_gpu_util_mean_pct",
			"the sum of the values that are kept / their number, of all GPUs "
			"together"},
		{"steady_power_total_mean_w",
			"of each GPU the sum of its values that are kept / their number; "
			"and the sum of that over the GPUs"},
	};

	for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++)
		if (strcmp(formulas[i].number, number) == 0)
			return formulas[i].formula;
	return "";
}

static struct named_number asked_number(const struct explain_input *in)
{
	struct named_number numbers[NUMBERS_MAX];

	return *numbers_find(
		numbers, numbers_of_steady(&in->report->steady, numbers), in->steady);
}

#define INTERRUPTIONS_SHOWN 20
#define STRETCHES_SHOWN	    5

/* "TIME to TIME: lower level, mean 12.3 %, in train" */
static void add_interruptions(struct doc *doc, const struct report *report)
{
	const struct steady *s = &report->steady;

	for (size_t i = 0; i < s->interruption_listed && i < INTERRUPTIONS_SHOWN; i++) {
		const struct interruption *one = &s->interruption[i];
		size_t phase = interruption_phase(report, one);
		struct strbuf sb;

		strbuf_init(&sb);
		time_print(&sb, one->from_ns);
		strbuf_adds(&sb, " to ");
		time_print(&sb, one->to_ns);
		strbuf_addf(&sb, ": %s", interruption_why(one));
		if (gap_cause_name(one->cause))
			strbuf_addf(&sb, " (%s)", gap_cause_name(one->cause));
		if (!isnan(one->mean))
			strbuf_addf(&sb, ", mean %.15g %s", one->mean,
				metric_get(s->metric)->unit);
		if (phase != SIZE_MAX)
			strbuf_addf(&sb, ", in %s", report->path[phase].path);
		explain_field(doc, i ? "" : "Interrupted", &sb);
		strbuf_release(&sb);
	}
}

/* Bins of the course at the level, joined where they touch. */
static void add_kept(struct doc *doc, const struct steady *s)
{
	struct strbuf sb;

	strbuf_init(&sb);
	for (size_t i = 0; i < s->kept_count && i < STRETCHES_SHOWN; i++) {
		strbuf_adds(&sb, i ? "; " : "");
		time_print(&sb, s->kept[i].from_ns);
		strbuf_adds(&sb, " to ");
		time_print(&sb, s->kept[i].to_ns);
	}
	if (s->kept_count > STRETCHES_SHOWN)
		strbuf_addf(&sb, "; and %zu more (--json has them)",
			s->kept_count - STRETCHES_SHOWN);
	strbuf_adds(&sb, ": bins at the level, their ends not in them");
	explain_field(doc, "Kept", &sb);
	strbuf_release(&sb);
}

static const struct asked_rows *kept_rows(
	const struct explain_input *in, uint32_t device, size_t nth)
{
	struct asked_rows asked =
		asked_of_kept(&in->report->steady, in->steady, device, nth);

	return asked_list_find(in->rows, &asked);
}

/* "120 values of power_w: gpu.csv:63 to gpu.csv:121, 60; gpu.csv:130 to ..." */
static void add_gpu(struct doc *doc, const struct explain_input *in, uint32_t device)
{
	const struct run *run = in->report->run;
	const struct steady *s = &in->report->steady;
	size_t stretches = 0;
	uint64_t values = 0;
	struct strbuf lines, sb;

	strbuf_init(&lines);
	for (size_t i = 0; i < s->kept_count; i++) {
		const struct asked_rows *rows = kept_rows(in, device, i);

		if (!rows)
			continue;
		values += rows->rows;
		if (stretches++ >= STRETCHES_SHOWN)
			continue;
		strbuf_adds(&lines, stretches > 1 ? "; " : ": ");
		explain_place(&lines, run, rows->first.file, rows->first.line);
		strbuf_adds(&lines, " to ");
		explain_place(&lines, run, rows->last.file, rows->last.line);
		strbuf_addf(&lines, ", %" PRIu64, rows->rows);
	}
	strbuf_init(&sb);
	strbuf_addf(&sb, "%" PRIu64 " values of %s%s", values,
		metric_get(asked_of_kept(s, in->steady, device, 0).metric)->name,
		lines.text);
	if (stretches > STRETCHES_SHOWN)
		strbuf_addf(&sb, "; and %zu more stretches (--json has them)",
			stretches - STRETCHES_SHOWN);
	explain_field(doc, run->device[device].name, &sb);
	strbuf_release(&lines);
	strbuf_release(&sb);
}

static bool counts(const struct report *report, uint32_t device)
{
	return report->run->device[device].kind == DEVICE_GPU &&
		report_counts_gpu(report, device);
}

void explain_steady_text(struct doc *doc, const struct explain_input *in)
{
	const struct steady *s = &in->report->steady;
	const struct named_number number = asked_number(in);
	struct strbuf sb;

	strbuf_init(&sb);
	doc_begin(doc, DOC_FIELDS);
	if (s->found) {
		if (isnan(number.value))
			strbuf_adds(&sb, "unknown");
		else
			strbuf_addf(&sb, "%.15g", number.value);
		strbuf_addf(&sb, "%s%s: from ", *number.unit ? " " : "", number.unit);
		time_print(&sb, s->from_ns);
		strbuf_adds(&sb, " to ");
		time_print(&sb, s->to_ns);
		strbuf_addf(&sb, ", by %s of %s", metric_get(s->metric)->name,
			source_name(s->source));
	} else {
		strbuf_addf(&sb, "not found: %s", s->why_not ? s->why_not : "unknown");
	}
	explain_field(doc, in->steady, &sb);
	strbuf_clear(&sb);
	strbuf_adds(&sb, method);
	explain_field(doc, "How", &sb);
	strbuf_clear(&sb);
	strbuf_adds(&sb, formula(in->steady));
	explain_field(doc, "Formula", &sb);
	strbuf_release(&sb);
	if (!s->found)
		return;
	add_kept(doc, s);
	for (uint32_t i = 0; i < in->report->run->device_count; i++)
		if (counts(in->report, i))
			add_gpu(doc, in, i);
	add_interruptions(doc, in->report);
}

static void put_kept(struct json_writer *w, const struct explain_input *in, size_t nth)
{
	const struct run *run = in->report->run;
	const struct kept_stretch *kept = &in->report->steady.kept[nth];

	json_object(w, NULL);
	json_time(w, "from_at", kept->from_ns);
	json_time(w, "to_at", kept->to_ns);
	json_array(w, "gpus");
	for (uint32_t i = 0; i < run->device_count; i++) {
		const struct asked_rows *rows =
			counts(in->report, i) ? kept_rows(in, i, nth) : NULL;

		if (!rows)
			continue;
		json_object(w, NULL);
		json_string(w, "device", run->device[i].name);
		json_string(w, "metric", metric_get(rows->metric)->name);
		json_count(w, "values", rows->rows);
		json_place(w, "first_line", run,
			(struct event_place){rows->first.file, rows->first.line});
		json_place(w, "last_line", run,
			(struct event_place){rows->last.file, rows->last.line});
		json_close(w);
	}
	json_close(w);
	json_close(w);
}

void explain_steady_json(struct json_writer *w, const struct explain_input *in)
{
	const struct steady *s = &in->report->steady;

	json_string(w, "method", method);
	json_string(w, "formula", formula(in->steady));
	json_number(w, "value", asked_number(in).value);
	json_string(w, "why_not", s->found ? NULL : s->why_not);
	json_array(w, "kept");
	for (size_t i = 0; i < s->kept_count && s->found; i++)
		put_kept(w, in, i);
	json_close(w);
	json_run_steady(w, in->report);
}
