/*
 * Explains rules, findings and units of work: conditions, values and their parts,
 * results and lines. Computes nothing.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/quantity.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "model/measure.h"
#include "render/doc.h"
#include "render/doc_findings.h"
#include "render/explain.h"
#include "render/json.h"

#define STRETCHES_SHOWN 20

/* What to ask `explain` for; NULL: no log has it as such. */
static const char *key_of(const struct reference *r)
{
	switch (r->kind) {
	case REFERENCE_STATISTIC:
	case REFERENCE_LAST:
	case REFERENCE_COURSE:
	case REFERENCE_WHILE:
	case REFERENCE_DRIFT:
		return reference_metric(r);
	case REFERENCE_HANG:
		return r->item == HANG_LOW || r->item == HANG_BUSY ? reference_metric(r)
								   : "gpu_util_pct";
	case REFERENCE_SUMMARY:
		return summary_field_get((enum summary_key)r->item)->name;
	case REFERENCE_EVIDENCE:
		return r->item == EVIDENCE_WARM_UP_S	   ? "steady_warm_up_s"
			: r->item == EVIDENCE_BUSIEST_CORE ? "cpu_busy_pct"
							   : NULL;
	case REFERENCE_VALUE:
	case REFERENCE_NONE:
		break;
	}
	return NULL;
}

/* Of time in which conditions held the conditions say it. */
static const char *value_key(const struct rule *rule, const struct rule_value *value)
{
	const char *key = key_of(&value->of);

	return key || value->of.kind != REFERENCE_WHILE
		? key
		: metric_get(rule->row[0].metric)->name;
}

/* "while.seconds / evidence.duration_s" */
static void add_formula(struct strbuf *sb, const struct rule_value *v)
{
	bool group = v->minus.text && (v->times.text || v->over.text || v->scale != 1);

	strbuf_addf(sb, "%s%s", group ? "(" : "", v->of.text);
	if (v->minus.text)
		strbuf_addf(sb, " - %s", v->minus.text);
	strbuf_adds(sb, group ? ")" : "");
	strbuf_adds(sb, v->absolute ? ", without its sign" : "");
	if (v->times.text)
		strbuf_addf(sb, " * %s", v->times.text);
	if (v->over.text)
		strbuf_addf(sb, " / %s", v->over.text);
	if (v->scale < 1 || v->scale > 1)
		strbuf_addf(sb, " * %.15g", v->scale);
	if (v->up_to.text)
		strbuf_addf(sb, ", at most %s", v->up_to.text);
	strbuf_adds(sb, v->steps ? ", rounded up to a step" : "");
}

/* "share at_least 0.1", and what it is */
static void add_test(struct doc *doc, const char *label, const struct rule *rule,
	const struct value_test *test, const struct finding *finding)
{
	struct strbuf sb;

	strbuf_init(&sb);
	strbuf_addf(&sb, "%s %s %.15g", rule->value[test->value].name,
		bound_name(test->bound), test->limit);
	if (finding && !isnan(finding->value[test->value]))
		strbuf_addf(&sb, ": it is %.15g", finding->value[test->value]);
	explain_field(doc, label, &sb);
	strbuf_release(&sb);
}

static void add_rows(struct doc *doc, const struct rule *rule)
{
	for (size_t i = 0; i < rule->row_count; i++) {
		const struct row_test *test = &rule->row[i];
		struct strbuf sb;

		strbuf_init(&sb);
		strbuf_adds(&sb, test->unless ? "unless " : "");
		strbuf_adds(&sb, metric_get(test->metric)->name);
		if (row_test_over(test))
			strbuf_addf(&sb, " / %s", row_test_over(test));
		if (test->has)
			strbuf_addf(&sb, " has %s", test->has);
		else
			strbuf_addf(
				&sb, " %s %.15g", bound_name(test->bound), test->limit);
		strbuf_adds(&sb, test->or_next ? ", or" : "");
		explain_field(doc, i ? "" : "While", &sb);
		strbuf_release(&sb);
	}
}

/* Which of that time counts; NULL: all. */
static const char *alone_of(const struct rule *rule)
{
	switch (rule->alone) {
	case ALONE_HOLDS:
		return "of it, and of at most half of the GPUs";
	case ALONE_HOLDS_NOT:
		return "of all GPUs but it";
	case ALONE_NOT_ASKED:
		break;
	}
	return NULL;
}

/* "of all GPUs but it, for 1.9 s and 2 rows at least" */
static void add_alone(struct doc *doc, const struct rule *rule)
{
	struct strbuf sb;

	if (!alone_of(rule))
		return;
	strbuf_init(&sb);
	strbuf_adds(&sb, alone_of(rule));
	if (rule->stretch_rows)
		strbuf_addf(&sb, ", for %.15g s and %u rows at least", rule->stretch_s,
			rule->stretch_rows);
	explain_field(doc, "", &sb);
	strbuf_release(&sb);
}

static void add_rule(
	struct doc *doc, const struct rule *rule, const struct finding *finding)
{
	for (size_t i = 0; i < rule->among_count; i++) {
		struct strbuf sb;

		strbuf_init(&sb);
		strbuf_addf(&sb, "%s %s %.15g", rule->among[i].of.text,
			bound_name(rule->among[i].bound), rule->among[i].limit);
		explain_field(doc, i ? "" : "Among", &sb);
		strbuf_release(&sb);
	}
	add_rows(doc, rule);
	add_alone(doc, rule);
	for (size_t i = 0; i < rule->applies_count; i++)
		add_test(doc, i ? "" : "Applies if", rule, &rule->applies[i], finding);
	for (size_t i = 0; i < rule->fires_count; i++)
		add_test(doc, i ? "" : "Fires if", rule, &rule->fires[i], finding);
	for (size_t i = 0; i < rule->doubt_count; i++)
		add_test(
			doc, i ? "" : "In doubt if", rule, &rule->doubt[i].test, finding);
}

static void add_values(
	struct doc *doc, const struct rule *rule, const struct finding *finding)
{
	for (size_t i = 0; i < rule->value_count; i++) {
		const struct rule_value *value = &rule->value[i];
		const char *key = value_key(rule, value);
		struct strbuf sb;

		strbuf_init(&sb);
		if (finding && !isnan(finding->value[i]))
			strbuf_addf(&sb, "%.15g%s%s = ", finding->value[i],
				*rule_value_unit(value) ? " " : "",
				rule_value_unit(value));
		add_formula(&sb, value);
		if (key)
			strbuf_addf(&sb, "; explain %s", key);
		explain_field(doc, value->name, &sb);
		strbuf_release(&sb);
	}
}

static void add_stretches(
	struct doc *doc, const struct report *report, const struct finding *finding)
{
	for (size_t i = 0; i < finding->stretch_listed && i < STRETCHES_SHOWN; i++) {
		const struct finding_stretch *s = &finding->stretch[i];
		struct strbuf sb;

		strbuf_init(&sb);
		time_print(&sb, s->from_ns);
		strbuf_adds(&sb, " to ");
		time_print(&sb, s->to_ns);
		if (s->phase != SIZE_MAX)
			strbuf_addf(&sb, ", in %s", report->path[s->phase].path);
		finding_say_lines(&sb, report->run, s);
		explain_field(doc, i ? "" : "Stretches", &sb);
		strbuf_release(&sb);
	}
}

/* The first of the tests that does not hold; NULL: all do. */
static const struct value_test *failing(
	const struct value_test *test, size_t count, const struct finding *finding)
{
	for (size_t i = 0; i < count; i++) {
		double x = finding->value[test[i].value];

		if (isnan(x) || !bound_holds(test[i].bound, x, test[i].limit))
			return &test[i];
	}
	return NULL;
}

/* "does not fire: tail is 4, not at_least 30" */
static void add_silence(struct strbuf *sb, const struct finding *finding)
{
	const struct rule *rule = finding->rule;
	const struct value_test *applies =
		failing(rule->applies, rule->applies_count, finding);
	const struct value_test *test =
		applies ? applies : failing(rule->fires, rule->fires_count, finding);

	strbuf_addf(sb, "does not %s", applies ? "apply" : "fire");
	if (!test)
		return;
	strbuf_addf(sb, ": %s is ", rule->value[test->value].name);
	if (isnan(finding->value[test->value]))
		strbuf_adds(sb, "unknown");
	else
		strbuf_addf(sb, "%.15g", finding->value[test->value]);
	strbuf_addf(sb, ", not %s %.15g", bound_name(test->bound), test->limit);
}

/* NULL: it was asked of nothing. */
static void add_outcome(
	struct strbuf *sb, const struct explain_input *in, const struct finding *finding)
{
	if (!finding && in->phases)
		strbuf_adds(sb, "nothing of it is known of these phases");
	else if (!finding)
		strbuf_adds(sb, "does not apply: there is no GPU that it looks at");
	else if (finding->outcome == OUTCOME_FIRES)
		finding_sentence(sb, in->report, finding, strbuf_adds);
	else if (finding->outcome == OUTCOME_SILENT)
		add_silence(sb, finding);
	else
		strbuf_addf(sb, "not checked: %s", finding->why);
}

/* One of the rule; NULL: there is none. */
static void add_finding(
	struct doc *doc, const struct explain_input *in, const struct finding *finding)
{
	const struct rule *rule = in->rule;
	struct strbuf sb;

	strbuf_init(&sb);
	strbuf_addf(&sb, "%s%s%s", rule->id,
		finding && finding->device != FINDING_RUN ? " of " : "",
		finding && finding->device != FINDING_RUN
			? in->report->run->device[finding->device].name
			: "");
	doc_heading(doc, 2, sb.text);
	doc_begin(doc, DOC_FIELDS)->follows = true;
	strbuf_clear(&sb);
	add_outcome(&sb, in, finding);
	explain_field(doc, "Outcome", &sb);
	if (finding && finding->outcome == OUTCOME_CANNOT_TELL)
		finding = NULL; /* its values say nothing */
	add_rule(doc, rule, finding);
	add_values(doc, rule, finding);
	if (finding && !isnan(finding->coverage)) {
		strbuf_clear(&sb);
		quantity_ratio(&sb, finding->coverage);
		explain_field(doc, "Coverage", &sb);
	}
	if (finding)
		add_stretches(doc, in->report, finding);
	strbuf_release(&sb);
}

/* The nth finding of the rule; NULL: there are fewer. */
static const struct finding *finding_of(const struct explain_input *in, size_t nth)
{
	for (size_t i = 0; i < in->report->finding_count; i++)
		if (in->report->finding[i].rule == in->rule && nth-- == 0)
			return &in->report->finding[i];
	return NULL;
}

void explain_rule_text(struct doc *doc, const struct explain_input *in)
{
	for (size_t i = 0; !i || finding_of(in, i); i++)
		add_finding(doc, in, finding_of(in, i));
}

static void put_tests(struct json_writer *w, const char *key, const struct rule *rule,
	const struct value_test *test, size_t count)
{
	json_array(w, key);
	for (size_t i = 0; i < count; i++) {
		json_object(w, NULL);
		json_string(w, "value", rule->value[test[i].value].name);
		json_string(w, "bound", bound_name(test[i].bound));
		json_number(w, "limit", test[i].limit);
		json_close(w);
	}
	json_close(w);
}

static void put_doubts(struct json_writer *w, const struct rule *rule)
{
	json_array(w, "doubts");
	for (size_t i = 0; i < rule->doubt_count; i++) {
		const struct value_test *test = &rule->doubt[i].test;

		json_object(w, NULL);
		json_string(w, "value", rule->value[test->value].name);
		json_string(w, "bound", bound_name(test->bound));
		json_number(w, "limit", test->limit);
		json_bool(w, "always", rule->doubt[i].always);
		json_string(w, "why", rule->doubt[i].why);
		json_close(w);
	}
	json_close(w);
}

void explain_rule_json(struct json_writer *w, const struct explain_input *in)
{
	const struct rule *rule = in->rule;

	put_tests(w, "applies", rule, rule->applies, rule->applies_count);
	put_tests(w, "fires", rule, rule->fires, rule->fires_count);
	put_doubts(w, rule);
	json_array(w, "values");
	for (size_t i = 0; i < rule->value_count; i++) {
		struct strbuf formula;

		strbuf_init(&formula);
		add_formula(&formula, &rule->value[i]);
		json_object(w, NULL);
		json_string(w, "name", rule->value[i].name);
		json_string(w, "formula", formula.text);
		json_string(w, "explain", value_key(rule, &rule->value[i]));
		json_close(w);
		strbuf_release(&formula);
	}
	json_close(w);
	json_array(w, "findings");
	for (size_t i = 0; finding_of(in, i); i++) {
		const struct finding *finding = finding_of(in, i);

		json_object(w, NULL);
		json_string(w, "outcome", outcome_name(finding->outcome));
		json_string(w, "why", finding->why);
		json_run_finding(w, in->report, finding);
		json_close(w);
	}
	json_close(w);
}

/*
 * Units of work: how a number follows from others, the lines of the first and last
 * event, each process's part, or why it is unknown.
 */

#define PIECES_SHOWN 5

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
		{"first_s", "from the start of the run to the first event"},
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
		return work->processes > 1
			? "what each process adds: its last n - its first, or - the n "
			  "that another one had reached, as each n counts once"
			: "n of the last event - n of the first";
	case WORK_UNCLEAR:
		break;
	}
	return "it can't be told what n is";
}

/* The line of the first of its events, or of the last. */
static struct event_place place_of(
	const struct run *run, const struct work *work, int64_t t_ns, bool last)
{
	struct event_place place = {0};

	for (size_t i = 0; i < run->event_count; i++) {
		const struct event *event = &run->event[i];

		if (event->t_ns != t_ns || (place.line && !last) ||
			!text_equal(event->type_name, work->type_name) ||
			!text_equal(event->name, work->name))
			continue;
		place = event->at;
	}
	return place;
}

/* Why a number is unknown; NULL: it is not said. */
static const char *why_unknown(const struct report *report, const struct work *work,
	const struct work_told *told, const char *name)
{
	bool of_units = strncmp(name, "units", 5) == 0 || strstr(name, "_per_unit");

	if (of_units && told->unclear)
		return told->unclear;
	if (strcmp(name, "units_least") == 0 || strcmp(name, "units_most") == 0)
		return "one process logs them at a time";
	if (work->seconds <= 0)
		return "the first event and the last are at one time";
	if (!report_gpu_count(report))
		return "no GPU counts";
	if (isnan(work->energy_j) && strncmp(name, "energy", 6) == 0)
		return "the energy of a GPU is not known in that time";
	if (of_units && work->units_timed <= 0)
		return "nothing was done behind the first event";
	return NULL;
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

static void add_unknown(struct doc *doc, const struct report *report,
	const struct work *work, const struct work_told *told, const char *name)
{
	const char *why = why_unknown(report, work, told, name);
	struct strbuf sb;

	if (!why)
		return;
	strbuf_init(&sb);
	strbuf_adds(&sb, why);
	if (why == told->unclear)
		explain_at(&sb, report->run, told->unclear_at);
	explain_field(doc, "Unknown", &sb);
	strbuf_release(&sb);
}

/* "450: n 500 at events.jsonl:17 - n 50 at events.jsonl:1" */
static void print_total(
	struct strbuf *sb, const struct run *run, const struct work_piece *piece)
{
	strbuf_addf(sb, "%.15g: n %.15g", piece->adds, piece->last_n);
	explain_at(sb, run, piece->last);
	if (piece->adds <= 0) {
		strbuf_adds(sb, " adds nothing to what others had reached");
		return;
	}
	strbuf_addf(sb, " - n %.15g", piece->from_n);
	explain_at(sb, run, piece->from);
}

/* "320 units: 10 events by time, the first at events.jsonl:1 with n 32, the last at ..."
 */
static void print_sum(
	struct strbuf *sb, const struct run *run, const struct work_piece *piece)
{
	if (!isnan(piece->units))
		strbuf_addf(sb, "%.15g units: ", piece->units);
	strbuf_addf(sb, "%" PRIu64 " events by time, the first", piece->events);
	explain_at(sb, run, piece->first);
	if (!isnan(piece->first_n))
		strbuf_addf(sb, " with n %.15g", piece->first_n);
	strbuf_adds(sb, ", the last");
	explain_at(sb, run, piece->last);
	if (!isnan(piece->last_n))
		strbuf_addf(sb, " with n %.15g", piece->last_n);
}

/* What each process says; of totals by their first n. */
static void add_pieces(struct doc *doc, const struct explain_input *in,
	const struct work *work, const struct work_told *told)
{
	for (size_t i = 0; i < told->count && i < PIECES_SHOWN; i++) {
		struct strbuf sb;

		strbuf_init(&sb);
		if (work->n_is == WORK_TOTAL)
			print_total(&sb, in->report->run, &told->piece[i]);
		else
			print_sum(&sb, in->report->run, &told->piece[i]);
		explain_field(doc,
			i			  ? ""
				: told->count > 1 ? "Processes"
						  : "Events",
			&sb);
		strbuf_release(&sb);
	}
	if (told->count > PIECES_SHOWN) {
		doc_text(doc, "");
		doc_textf(doc, "... and %zu more (--json has them)",
			told->count - PIECES_SHOWN);
	}
}

/* Those whose time and energy it is. */
static void add_gpus(
	struct doc *doc, const struct report *report, const struct work *work)
{
	const struct run *run = report->run;
	size_t gpus = 0;
	struct strbuf sb;

	strbuf_init(&sb);
	for (uint32_t i = 0; i < run->device_count; i++) {
		const struct metric_stats *s;

		if (run->device[i].kind != DEVICE_GPU || !report_counts_gpu(report, i))
			continue;
		strbuf_addf(&sb, "%s%s", gpus++ ? ", " : ": ", run->device[i].name);
		s = metric_stats_energy(work->stats, work->stats_count, i);
		if (s)
			strbuf_addf(&sb, " (%.15g J, %s of %s)", s->energy_j,
				energy_method_name(energy_method(s)),
				source_name(s->source));
	}
	doc_text(doc, "GPUs");
	doc_textf(doc, "%zu count%s", gpus, sb.text);
	strbuf_release(&sb);
}

static bool is_of_gpus(const char *name)
{
	return strncmp(name, "gpu_", 4) == 0 || strncmp(name, "energy", 6) == 0;
}

static void add_work(struct doc *doc, const struct explain_input *in,
	const struct work *work, const struct work_told *told)
{
	struct named_number numbers[NUMBERS_MAX];
	const struct named_number *number = number_of(work, in->work, numbers);
	struct strbuf sb;

	strbuf_init(&sb);
	strbuf_addf(&sb, "%s of %s", in->work, work->name ? work->name : work->type_name);
	doc_heading(doc, 2, sb.text);
	doc_begin(doc, DOC_FIELDS)->follows = true;
	strbuf_clear(&sb);
	explain_number(&sb, number->value, number->unit);
	strbuf_addf(&sb, ": %s", formula(work, in->work));
	explain_field(doc, in->work, &sb);
	strbuf_release(&sb);
	if (isnan(number->value))
		add_unknown(doc, in->report, work, told, in->work);
	add_factors(doc, work, in->work);
	if (is_of_gpus(in->work))
		add_gpus(doc, in->report, work);
	add_event(doc, "First event", in->report->run, work, false);
	add_event(doc, "Last event", in->report->run, work, true);
	add_pieces(doc, in, work, told);
}

void explain_work_text(struct doc *doc, const struct explain_input *in)
{
	for (size_t i = 0; i < in->report->work_count; i++)
		add_work(doc, in, &in->report->work[i], &in->told[i]);
}

static void put_pieces(struct json_writer *w, const struct run *run,
	const struct work *work, const struct work_told *told)
{
	json_array(w, "processes");
	for (size_t i = 0; i < told->count; i++) {
		const struct work_piece *piece = &told->piece[i];
		bool adds = work->n_is == WORK_TOTAL && piece->adds > 0;

		json_object(w, NULL);
		json_count(w, "events", piece->events);
		json_place(w, "first_line", run, piece->first);
		json_place(w, "last_line", run, piece->last);
		json_number(w, "first_n", piece->first_n);
		json_number(w, "last_n", piece->last_n);
		json_number(w, "units", piece->units);
		json_number(w, "adds", work->n_is == WORK_TOTAL ? piece->adds : NAN);
		json_number(w, "from_n", adds ? piece->from_n : NAN);
		json_place(w, "from_line", run,
			adds ? piece->from : (struct event_place){0});
		json_close(w);
	}
	json_close(w);
}

static void put_unknown(struct json_writer *w, const struct report *report,
	const struct work_told *told, const char *why)
{
	bool unclear = why && why == told->unclear;

	json_string(w, "unknown_because", why);
	json_place(w, "unclear_line", report->run,
		unclear ? told->unclear_at : (struct event_place){0});
}

static void put_gpus(struct json_writer *w, const struct report *report)
{
	const struct run *run = report->run;

	json_array(w, "gpus");
	for (size_t i = 0; i < run->device_count; i++)
		if (run->device[i].kind == DEVICE_GPU && report_counts_gpu(report, i))
			json_string(w, NULL, run->device[i].name);
	json_close(w);
}

void explain_work_json(struct json_writer *w, const struct explain_input *in)
{
	const struct report *report = in->report;
	const struct run *run = report->run;

	json_array(w, "work");
	for (size_t i = 0; i < report->work_count; i++) {
		const struct work *work = &report->work[i];
		const struct work_told *told = &in->told[i];
		struct named_number numbers[NUMBERS_MAX];
		double value = number_of(work, in->work, numbers)->value;

		json_object(w, NULL);
		json_number(w, "value", value);
		json_string(w, "formula", formula(work, in->work));
		put_unknown(w, report, told,
			isnan(value) ? why_unknown(report, work, told, in->work) : NULL);
		put_gpus(w, report);
		json_place(
			w, "first_line", run, place_of(run, work, work->first_ns, false));
		json_place(w, "last_line", run, place_of(run, work, work->last_ns, true));
		put_pieces(w, run, work, told);
		json_object(w, "of");
		json_run_work(w, work);
		json_close(w);
		json_close(w);
	}
	json_close(w);
}
