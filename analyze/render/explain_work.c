/*
 * Numbers of units of work explained: of each kind of events how the number is made of
 * its others, and which lines say the first event and the last. Computes nothing.
 */
#include <math.h>
#include <string.h>

#include "base/timestamp.h"
#include "model/numbers.h"
#include "render/doc.h"
#include "render/explain.h"
#include "render/json_run.h"

/* How a number comes about; of one that is made of others by their names. */
static const char *formula(const struct work *work, const char *name)
{
	static const struct {
		const char *name, *formula;
	} formulas[] = {
		{"events", "the events of this type and name"},
		{"processes", "those that log such events at one time"},
		{"units_least", "units of the process with the fewest"},
		{"units_most", "units of the process with the most"},
		{"first_s", "from the start of the run, or window, to the first event"},
		{"seconds", "from the first event to the last"},
		{"units_per_s", "units_timed / seconds"},
		{"gpu_s_per_unit", "seconds * the GPUs that count / units_timed"},
		{"energy_j_per_unit", "energy_j / units_timed"},
		{"gpu_util_mean_pct",
			"as of a phase from the first event to the last one"},
		{"energy_j", "as of a phase from the first event to the last one"},
		{"energy_coverage", "as of a phase from the first event to the last one"},
	};
	bool timed = strcmp(name, "units_timed") == 0;

	for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++)
		if (strcmp(formulas[i].name, name) == 0)
			return formulas[i].formula;
	switch (work->n_is) {
	case WORK_NO_NUMBER:
		return timed ? "events - 1: those behind the first one"
			     : "events, each of which is a unit";
	case WORK_COUNT:
		return timed ? "the sum of n, without the first event's"
			     : "the sum of n over the events";
	case WORK_TOTAL:
		return "n of the last event - n of the first; of several processes each "
		       "n counts once";
	case WORK_UNCLEAR:
		break;
	}
	return "it can't be told what n is";
}

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* The line of the first of its events, or of the last. */
static struct event_place place_of(
	const struct run *run, const struct work *work, int64_t t_ns, bool last)
{
	struct event_place place = {0};

	for (size_t i = 0; i < run->event_count; i++) {
		const struct event *event = &run->event[i];

		if (event->t_ns != t_ns || (place.line && !last) ||
			!same(event->type_name, work->type_name) ||
			!same(event->name, work->name))
			continue;
		place = event->at;
	}
	return place;
}

static const struct named_number *number_of(const struct work *work, const char *name,
	struct named_number numbers[NUMBERS_MAX])
{
	return numbers_find(numbers, numbers_of_work(work, numbers), name);
}

/* Has the formula the name as one of its factors, and not as a part of another word? */
static bool is_factor(const char *formula, const char *name)
{
	size_t len = strlen(name);
	const char *at = strstr(formula, name);

	return at && strstr(formula, " / ") && (at == formula || at[-1] == ' ') &&
		(!at[len] || at[len] == ' ');
}

/* The others that the number is made of. */
static void add_factors(struct doc *doc, const struct work *work, const char *asked)
{
	struct named_number numbers[NUMBERS_MAX];
	size_t count = numbers_of_work(work, numbers);

	for (size_t i = 0; i < count; i++) {
		struct strbuf sb;

		if (!is_factor(formula(work, asked), numbers[i].name) ||
			isnan(numbers[i].value))
			continue;
		strbuf_init(&sb);
		strbuf_addf(&sb, "%.15g%s%s: %s", numbers[i].value,
			*numbers[i].unit ? " " : "", numbers[i].unit,
			formula(work, numbers[i].name));
		explain_field(doc, numbers[i].name, &sb);
		strbuf_release(&sb);
	}
}

static void add_event(struct doc *doc, const char *label, const struct run *run,
	const struct work *work, bool last)
{
	int64_t t_ns = last ? work->last_ns : work->first_ns;
	struct strbuf sb;

	strbuf_init(&sb);
	time_print(&sb, t_ns);
	explain_at(&sb, run, place_of(run, work, t_ns, last));
	explain_field(doc, label, &sb);
	strbuf_release(&sb);
}

static void add_work(
	struct doc *doc, const struct explain_input *in, const struct work *work)
{
	struct named_number numbers[NUMBERS_MAX];
	const struct named_number *number = number_of(work, in->work, numbers);
	struct strbuf sb;

	strbuf_init(&sb);
	strbuf_addf(&sb, "%s of %s", in->work, work->name ? work->name : work->type_name);
	doc_heading(doc, 2, sb.text);
	doc_begin(doc, DOC_FIELDS)->follows = true;
	strbuf_clear(&sb);
	if (isnan(number->value))
		strbuf_adds(&sb, "unknown");
	else
		strbuf_addf(&sb, "%.15g%s%s", number->value, *number->unit ? " " : "",
			number->unit);
	strbuf_addf(&sb, ": %s", formula(work, in->work));
	explain_field(doc, in->work, &sb);
	add_factors(doc, work, in->work);
	add_event(doc, "First event", in->report->run, work, false);
	add_event(doc, "Last event", in->report->run, work, true);
	strbuf_release(&sb);
}

void explain_work_text(struct doc *doc, const struct explain_input *in)
{
	for (size_t i = 0; i < in->report->work_count; i++)
		add_work(doc, in, &in->report->work[i]);
}

void explain_work_json(struct json_writer *w, const struct explain_input *in)
{
	const struct run *run = in->report->run;

	json_array(w, "work");
	for (size_t i = 0; i < in->report->work_count; i++) {
		const struct work *work = &in->report->work[i];
		struct named_number numbers[NUMBERS_MAX];

		json_object(w, NULL);
		json_number(w, "value", number_of(work, in->work, numbers)->value);
		json_string(w, "formula", formula(work, in->work));
		json_place(
			w, "first_line", run, place_of(run, work, work->first_ns, false));
		json_place(w, "last_line", run, place_of(run, work, work->last_ns, true));
		json_object(w, "of");
		json_run_work(w, work);
		json_close(w);
		json_close(w);
	}
	json_close(w);
}
