/* The steady state explained. Computes nothing. */
#include <math.h>

#include "base/timestamp.h"
#include "model/numbers.h"
#include "render/doc.h"
#include "render/explain.h"
#include "render/json_run.h"

static const char method[] =
	"the level that the GPUs were at for most of the time, found by change points on "
	"the courses of utilisation, or of power where there is none; means are plain "
	"ones of the samples at it, steady_warm_up_s is from the first sample to where "
	"it is first reached, an interruption is time at another level, or in which a "
	"log says nothing of a GPU";

static struct named_number asked_number(const struct explain_input *in)
{
	struct named_number numbers[NUMBERS_MAX];

	return *numbers_find(
		numbers, numbers_of_steady(&in->report->steady, numbers), in->steady);
}

#define INTERRUPTIONS_SHOWN 20

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
	strbuf_release(&sb);
	add_interruptions(doc, in->report);
}

void explain_steady_json(struct json_writer *w, const struct explain_input *in)
{
	const struct steady *s = &in->report->steady;

	json_string(w, "method", method);
	json_number(w, "value", asked_number(in).value);
	json_string(w, "why_not", s->found ? NULL : s->why_not);
	json_run_steady(w, in->report);
}
