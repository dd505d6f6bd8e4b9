/*
 * Explains what is no metric: numbers of the steady state, of the times of phases, of
 * units of work and of the whole run, and rules with their findings. Computes nothing.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "model/coverage.h"
#include "model/measure.h"
#include "render/doc.h"
#include "render/doc_findings.h"
#include "render/doc_run.h"
#include "render/explain.h"
#include "render/json.h"

double explain_round(double x)
{
	char text[32];

	if (!(fabs(x) < 1e9))
		return round(x);
	snprintf(text, sizeof text, "%.9g", x);
	return strtod(text, NULL);
}

void explain_number(struct strbuf *sb, double x, const char *unit)
{
	if (isnan(x))
		strbuf_adds(sb, "unknown");
	else
		strbuf_addf(sb, "%.15g%s%s", explain_round(x), *unit ? " " : "", unit);
}

void explain_place(struct strbuf *sb, const struct run *run, size_t file, uint64_t line)
{
	if (file >= run->file_count)
		strbuf_adds(sb, "an unknown line");
	else
		strbuf_addf(sb, "%s:%" PRIu64, run->file[file].path, line);
}

void explain_span(struct strbuf *sb, int64_t from_ns, int64_t to_ns)
{
	time_print(sb, from_ns);
	strbuf_adds(sb, " to ");
	time_print(sb, to_ns);
}

void explain_more(struct doc *doc, size_t count, size_t shown)
{
	if (count > shown)
		strbuf_addf(doc_field(doc, ""), "... and %zu more (--json has them)",
			count - shown);
}

#define LISTED	   20 /* calls, interruptions, stretches of a finding */
#define LISTED_FEW 5 /* inner calls, processes, stretches of the steady state */
#define VALUES_MOST \
	3 /* findings of which every value is shown, if not all was asked for */

/* What is said of a name. */
struct named_text {
	const char *name, *text; /* static */
};

#define TEXT_OF(table, name) text_of(table, sizeof(table) / sizeof *(table), name)

/* NULL: nothing. */
static const char *text_of(const struct named_text *of, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(of[i].name, name) == 0)
			return of[i].text;
	return NULL;
}

/* " at events.jsonl:3"; nothing where it is not known. */
static void add_at(struct strbuf *sb, const struct run *run, struct event_place place)
{
	if (!place.line || place.file >= run->file_count)
		return;
	strbuf_adds(sb, " at ");
	explain_place(sb, run, place.file, place.line);
}

static void add_time_at(
	struct strbuf *sb, const struct run *run, int64_t t_ns, struct event_place place)
{
	time_print(sb, t_ns);
	add_at(sb, run, place);
}

/* The words of a heading, with fields below. */
static struct strbuf *begin(struct doc *doc, const char *title)
{
	size_t heading = doc->count;

	doc_heading(doc, 2, title);
	doc_begin(doc, DOC_FIELDS)->follows = true;
	return &doc->block[heading].cell->words;
}

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
	const char *key = key_of(&value->part[PART_OF]);

	return key || value->part[PART_OF].kind != REFERENCE_WHILE
		? key
		: metric_get(rule->row[0].metric)->name;
}

/* "while.seconds / evidence.duration_s" */
static void add_formula(struct strbuf *sb, const struct rule_value *v)
{
	const struct reference *part = v->part;
	bool more = part[PART_TIMES].text || part[PART_OVER].text || v->scale != 1;
	bool group = more && (part[PART_OR].text || part[PART_MINUS].text);

	strbuf_addf(sb, "%s%s", group ? "(" : "", part[PART_OF].text);
	if (part[PART_OR].text)
		strbuf_addf(sb, " or %s", part[PART_OR].text);
	if (part[PART_MINUS].text)
		strbuf_addf(sb, " - %s", part[PART_MINUS].text);
	strbuf_adds(sb, group ? ")" : "");
	strbuf_adds(sb, v->absolute ? ", without its sign" : "");
	if (part[PART_TIMES].text)
		strbuf_addf(sb, " * %s", part[PART_TIMES].text);
	if (part[PART_OVER].text)
		strbuf_addf(sb, " / %s", part[PART_OVER].text);
	if (v->scale < 1 || v->scale > 1)
		strbuf_addf(sb, " * %.15g", v->scale);
	if (part[PART_UP_TO].text)
		strbuf_addf(sb, ", at most %s", part[PART_UP_TO].text);
	strbuf_adds(sb, v->steps ? ", rounded up to a step" : "");
}

/* Six digits: JSON has all. A ratio is printed as a percentage. */
static void add_number_short(struct strbuf *sb, double x, const char *unit)
{
	bool ratio = strcmp(unit, "ratio") == 0;

	if (isnan(x))
		strbuf_adds(sb, "unknown");
	else
		strbuf_addf(sb, "%.6g%s%s", ratio ? 100 * x : x, *unit ? " " : "",
			ratio ? "%" : unit);
}

/* " at least 10 %" */
static void add_bound(struct strbuf *sb, enum bound bound, double limit, const char *unit)
{
	size_t begin = sb->len;

	strbuf_addf(sb, " %s ", bound_name(bound));
	for (char *c = sb->text + begin; *c; c++)
		*c = *c == '_' ? ' ' : *c;
	add_number_short(sb, limit, unit);
}

/* Conditions on values: "share at least 10 % (is 29 %)". */
static void add_tests(struct doc *doc, const char *label, const struct rule *rule,
	const struct value_test *test, size_t count, const struct finding *finding)
{
	for (size_t i = 0; i < count; i++) {
		struct strbuf *sb = doc_field(doc, i ? "" : label);
		const struct rule_value *value = &rule->value[test[i].value];

		strbuf_adds(sb, value->name);
		add_bound(sb, test[i].bound, test[i].limit, rule_value_unit(value));
		if (!finding)
			continue;
		strbuf_adds(sb, " (is ");
		add_number_short(
			sb, finding->value[test[i].value], rule_value_unit(value));
		strbuf_addc(sb, ')');
	}
}

/* What the rows of a log must say. */
static void add_rows(struct doc *doc, const struct rule *rule)
{
	struct strbuf *sb;

	for (size_t i = 0; i < rule->row_count; i++) {
		const struct row_test *test = &rule->row[i];

		sb = doc_field(doc, i ? "" : "While");
		strbuf_addf(sb, "%s%s", test->unless ? "unless " : "",
			metric_get(test->metric)->name);
		if (row_test_over(test))
			strbuf_addf(sb, " / %s", row_test_over(test));
		if (test->has)
			strbuf_addf(sb, " has %s", test->has);
		else
			add_bound(sb, test->bound, test->limit,
				row_test_over(test) ? "ratio"
						    : metric_get(test->metric)->unit);
		strbuf_adds(sb, test->or_next ? ", or" : "");
	}
	if (rule->alone == ALONE_NOT_ASKED)
		return;
	sb = doc_field(doc, "");
	strbuf_adds(sb,
		rule->alone == ALONE_HOLDS ? "for it, and for at most half of the GPUs"
					   : "for all GPUs but it");
	if (rule->stretch_rows)
		strbuf_addf(sb, ", for at least %.15g s and %u rows", rule->stretch_s,
			rule->stretch_rows);
}

static void add_rule(
	struct doc *doc, const struct rule *rule, const struct finding *finding)
{
	for (size_t i = 0; i < rule->among_count; i++) {
		struct strbuf *sb = doc_field(doc, i ? "" : "Among");

		strbuf_adds(sb, rule->among[i].of.text);
		add_bound(sb, rule->among[i].bound, rule->among[i].limit, "");
	}
	add_rows(doc, rule);
	add_tests(doc, "Applies if", rule, rule->applies, rule->applies_count, finding);
	add_tests(doc, "Fires if", rule, rule->fires, rule->fires_count, finding);
	for (size_t i = 0; i < rule->doubt_count; i++)
		add_tests(doc, i ? "" : "In doubt if", rule, &rule->doubt[i].test, 1,
			finding);
}

static void add_values(
	struct doc *doc, const struct rule *rule, const struct finding *finding)
{
	for (size_t i = 0; i < rule->value_count; i++) {
		const struct rule_value *value = &rule->value[i];
		const char *key = value_key(rule, value);
		struct strbuf *sb = doc_field(doc, value->name);

		if (finding) {
			add_number_short(sb, finding->value[i], rule_value_unit(value));
			strbuf_adds(sb, " = ");
		}
		add_formula(sb, value);
		if (key)
			strbuf_addf(sb, "; explain %s", key);
	}
}

/* Those that are not shown are counted. */
static void add_stretches(struct doc *doc, const struct report *report,
	const struct finding *finding, size_t most)
{
	for (size_t i = 0; i < finding->stretch_listed && i < most; i++) {
		const struct finding_stretch *s = &finding->stretch[i];
		struct strbuf *sb = doc_field(doc, i ? "" : "Stretches");

		explain_span(sb, s->from_ns, s->to_ns);
		if (s->phase != SIZE_MAX)
			strbuf_addf(sb, ", in %s", report->path[s->phase].path);
		finding_say_lines(sb, report->run, s);
	}
	explain_more(doc, finding->stretch_listed, most);
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

/* "does not fire: tail is 4 s, not at least 30 s" */
static void add_silence(struct strbuf *sb, const struct finding *finding)
{
	const struct rule *rule = finding->rule;
	const struct value_test *applies =
		failing(rule->applies, rule->applies_count, finding);
	const struct value_test *test =
		applies ? applies : failing(rule->fires, rule->fires_count, finding);
	const char *unit;

	strbuf_addf(sb, "does not %s", applies ? "apply" : "fire");
	if (!test)
		return;
	unit = rule_value_unit(&rule->value[test->value]);
	strbuf_addf(sb, ": %s is ", rule->value[test->value].name);
	add_number_short(sb, finding->value[test->value], unit);
	strbuf_adds(sb, ", not");
	add_bound(sb, test->bound, test->limit, unit);
}

/* NULL: it was asked of nothing. */
static void add_outcome(
	struct strbuf *sb, const struct explain_input *in, const struct finding *finding)
{
	if (!finding && in->phases)
		strbuf_adds(sb, "not known for these phases");
	else if (!finding)
		strbuf_adds(sb, "does not apply: there is no GPU that it looks at");
	else if (finding->outcome == OUTCOME_FIRES)
		finding_sentence(sb, in->report, finding, strbuf_adds);
	else if (finding->outcome == OUTCOME_SILENT)
		add_silence(sb, finding);
	else
		strbuf_addf(sb, "not checked: %s", finding->why);
}

/* One of the rule; NULL: there is none. all: not its outcome and time alone. */
static void add_finding(struct doc *doc, const struct explain_input *in,
	const struct finding *finding, bool all, size_t stretches)
{
	struct strbuf *title = begin(doc, in->rule->id);

	if (finding && finding->device != FINDING_RUN)
		strbuf_addf(
			title, " of %s", in->report->run->device[finding->device].name);
	add_outcome(doc_field(doc, "Outcome"), in, finding);
	if (finding && finding->outcome == OUTCOME_CANNOT_TELL)
		finding = NULL; /* its values say nothing */
	if (all) {
		add_rule(doc, in->rule, finding);
		add_values(doc, in->rule, finding);
	}
	if (!finding)
		return;
	if (all && !isnan(finding->coverage))
		quantity_ratio(doc_field(doc, "Coverage"), finding->coverage);
	add_stretches(doc, in->report, finding, stretches);
}

/* The nth finding of the rule; NULL: there are fewer. */
static const struct finding *finding_of(const struct explain_input *in, size_t nth)
{
	for (size_t i = 0; i < in->report->finding_count; i++)
		if (in->report->finding[i].rule == in->rule && nth-- == 0)
			return &in->report->finding[i];
	return NULL;
}

/* Of many findings the first ones in full: the others differ in numbers alone. */
static void rule_text(struct doc *doc, const struct explain_input *in, bool verbose)
{
	size_t count = 0;

	while (finding_of(in, count))
		count++;
	for (size_t i = 0; !i || i < count; i++)
		add_finding(doc, in, finding_of(in, i),
			verbose || !i || count <= VALUES_MOST,
			verbose ? LISTED : LISTED_FEW);
}

static void put_test(
	struct json_writer *w, const struct rule *rule, const struct value_test *test)
{
	json_object(w, NULL);
	json_string(w, "value", rule->value[test->value].name);
	json_string(w, "bound", bound_name(test->bound));
	json_number(w, "limit", test->limit);
}

static void put_tests(struct json_writer *w, const char *key, const struct rule *rule,
	const struct value_test *test, size_t count)
{
	json_array(w, key);
	for (size_t i = 0; i < count; i++) {
		put_test(w, rule, &test[i]);
		json_close(w);
	}
	json_close(w);
}

static void put_rule(struct json_writer *w, const struct explain_input *in)
{
	const struct rule *rule = in->rule;
	const struct finding *finding;
	struct strbuf formula = strbuf_new();

	put_tests(w, "applies", rule, rule->applies, rule->applies_count);
	put_tests(w, "fires", rule, rule->fires, rule->fires_count);
	json_array(w, "doubts");
	for (size_t i = 0; i < rule->doubt_count; i++) {
		put_test(w, rule, &rule->doubt[i].test);
		json_bool(w, "always", rule->doubt[i].always);
		json_string(w, "why", rule->doubt[i].why);
		json_close(w);
	}
	json_close(w);
	json_array(w, "values");
	for (size_t i = 0; i < rule->value_count; i++) {
		strbuf_clear(&formula);
		add_formula(&formula, &rule->value[i]);
		json_object(w, NULL);
		json_string(w, "name", rule->value[i].name);
		json_string(w, "formula", formula.text);
		json_string(w, "explain", value_key(rule, &rule->value[i]));
		json_close(w);
	}
	strbuf_release(&formula);
	json_close(w);
	json_array(w, "findings");
	for (size_t i = 0; (finding = finding_of(in, i)); i++) {
		json_object(w, NULL);
		json_string(w, "outcome", outcome_name(finding->outcome));
		json_string(w, "why", finding->why);
		json_run_finding(w, in->report, finding);
		json_close(w);
	}
	json_close(w);
}

/*
 * Times of phases: their formula and lines, inner phases that are left out, and which
 * number to ask for instead.
 */

static const char *times_method(const char *key)
{
	static const struct named_text methods[] = {{"calls", "the number of calls"},
		{"non_empty_calls", "the number of calls with a row of any log in them"},
		{"start_s", "from the start of the run to the begin of the first call"},
		{"exclusive_energy_j",
			"the energy_j of the path minus that of the paths directly in "
			"it, at least 0 (explain energy_j has their rows)"},
		{"exclusive_s",
			"the sum of the calls' lengths; in each call, the time of calls "
			"directly in it is subtracted once"},
		{"duration_s", "the sum of the calls' lengths, from begin to end"}};
	const char *method = TEXT_OF(methods, key);

	return method ? method : "of the calls' lengths, from begin to end";
}

static double time_of(const struct phase_path *path, const char *key)
{
	struct named_number numbers[NUMBERS_MAX];
	const struct named_number *of =
		numbers_find(numbers, numbers_of_path(path, numbers), key);

	return of ? of->value : NAN;
}

/* "6 s of epoch/step, TIME at events.jsonl:3 to TIME at events.jsonl:4"; path or "" */
static void add_call(struct doc *doc, const struct report *report,
	const struct phase_call *call, const char *path)
{
	struct strbuf *sb = doc_field(doc, "");

	strbuf_addf(sb, "%.15g s%s%s, ", explain_round(call->seconds),
		*path ? " of " : "", path);
	add_time_at(sb, report->run, call->start_ns, call->at);
	strbuf_adds(sb, " to ");
	add_time_at(sb, report->run, call->end_ns, call->end_at);
	if (call->unfinished)
		strbuf_addf(
			sb, " (no end was logged: the %s's end)", report_span(report));
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
	size_t less = 0, count = 0;
	struct strbuf *sb;

	for (size_t i = 0; i < in->inner->count; i++)
		count += inner_phase(in, path, in->inner->call[i].phase) != NULL;
	sb = doc_field(doc, "Minus");
	if (!count) {
		strbuf_adds(sb, "nothing: there is no call in them");
		return;
	}
	strbuf_addf(sb, "%.15g s: %zu call%s directly in them",
		explain_round(path->duration_s - path->exclusive_s), count,
		count == 1 ? "" : "s");
	for (size_t i = 0; i < in->inner->count && less < LISTED_FEW; i++) {
		const struct inner_call *call = &in->inner->call[i];
		const struct inner_phase *inner = inner_phase(in, path, call->phase);

		if (!inner)
			continue;
		add_call(doc, in->report, &call->call, inner->path);
		less++;
	}
	explain_more(doc, count, LISTED_FEW);
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

		if (inner && inner->method && !text_equal(inner->method, method))
			return "the energy of a path in it has another method";
	}
	return "its calls, or calls in them, overlap, so that energy would count twice";
}

static void add_energy(
	struct doc *doc, const char *label, double energy_j, const char *path)
{
	struct strbuf *sb = doc_field(doc, label);

	explain_number(sb, energy_j, "J");
	strbuf_addf(sb, " of %s", path);
}

/* The energy of a path, and of those directly in it. */
static void add_energies(
	struct doc *doc, const struct explain_input *in, const struct phase_path *path)
{
	bool any = false;

	if (isnan(path->exclusive_energy_j) && !path->outside)
		strbuf_adds(doc_field(doc, "Unknown"), why_no_energy(in, path));
	add_energy(doc, "energy_j", path->summary[PHASE_energy_j].number, path->path);
	for (size_t i = 0; i < in->inner->phase_count; i++) {
		const struct inner_phase *inner = inner_phase(in, path, i);

		if (!inner)
			continue;
		add_energy(doc, any ? "" : "Minus", inner->energy_j, inner->path);
		any = true;
	}
}

static void add_times(
	struct doc *doc, const struct explain_input *in, const struct phase_path *path)
{
	const struct report *report = in->report;
	size_t shown = 0;
	struct strbuf *sb;

	strbuf_addf(begin(doc, in->times), " in %s", path->path);
	sb = doc_field(doc, in->times);
	explain_number(sb, time_of(path, in->times), "");
	strbuf_addf(
		sb, ": %s", path->outside ? "time in no call" : times_method(in->times));
	if (strcmp(in->times, "exclusive_energy_j") == 0) {
		add_energies(doc, in, path);
		return;
	}
	for (size_t i = path->first; i != SIZE_MAX && shown < LISTED;
		i = report->call[i].next, shown++)
		add_call(doc, report, &report->call[i], "");
	explain_more(doc, path->calls, shown);
	if (is_exclusive(in->times) && !path->outside)
		add_inner(doc, in, path);
}

static void put_call(
	struct json_writer *w, const struct report *report, const struct phase_call *call)
{
	json_object(w, NULL);
	json_number(w, "duration_s", call->seconds);
	json_time(w, "start_at", call->start_ns);
	json_time(w, "end_at", call->end_ns);
	json_bool(w, "unfinished", call->unfinished);
	json_place(w, "line", report->run, call->at);
	json_place(w, "end_line", report->run, call->end_at);
	json_close(w);
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
		for (size_t k = 0; k < in->inner->count; k++)
			if (in->inner->call[k].phase == i)
				put_call(w, in->report, &in->inner->call[k].call);
		json_close(w);
		json_close(w);
	}
	json_close(w);
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
		for (size_t k = path->first; k != SIZE_MAX; k = report->call[k].next)
			put_call(w, report, &report->call[k]);
		json_close(w);
		put_inner(w, in, path);
		json_close(w);
	}
	json_close(w);
}

static const char steady_method[] =
	"the level of the GPUs for most of the time, found by change points in "
	"utilization, or in power if utilization is not recorded. An interruption is "
	"time at another level, or without a record of a GPU";

static const char *steady_formula(const char *number)
{
	static const struct named_text formulas[] = {
		{"steady_from_s",
			"from the start of the run to when the level is first reached"},
		{"steady_to_s",
			"from the start of the run to when the level is left for good, "
			"or to the last sample"},
		{"steady_coverage", "the share of the GPUs' time in it that is recorded"},
		{"steady_warm_up_s",
			"from the first sample to when the level, or a higher one, is "
			"first reached"},
		{"steady_interruptions", "the number of interruptions"},
		{"steady_interrupted_s", "the sum of the interruptions"},
		{"steady_gpu_util_mean_pct",
			"the sum of the kept values / their number, for all GPUs "
			"together: a GPU with more samples weighs more"},
		{"steady_power_total_mean_w",
			"for each GPU, the sum of its kept values / their number; then "
			"the sum over the GPUs"}};
	const char *formula = TEXT_OF(formulas, number);

	return formula ? formula : "";
}

static struct named_number asked_number(const struct explain_input *in)
{
	struct named_number numbers[NUMBERS_MAX];

	return *numbers_find(
		numbers, numbers_of_steady(&in->report->steady, numbers), in->steady);
}

/* "TIME to TIME: lower level, mean 12.3 %, in train" */
static void add_interruptions(struct doc *doc, const struct report *report)
{
	const struct steady *s = &report->steady;

	for (size_t i = 0; i < s->interruption_listed && i < LISTED; i++) {
		const struct interruption *one = &s->interruption[i];
		size_t phase = interruption_phase(report, one);
		struct strbuf *sb = doc_field(doc, i ? "" : "Interrupted");

		explain_span(sb, one->from_ns, one->to_ns);
		strbuf_addf(sb, ": %s", interruption_why(one));
		if (gap_cause_name(one->cause))
			strbuf_addf(sb, " (%s)", gap_cause_name(one->cause));
		if (!isnan(one->mean))
			strbuf_addf(sb, ", mean %.15g %s", explain_round(one->mean),
				metric_get(s->metric)->unit);
		if (phase != SIZE_MAX)
			strbuf_addf(sb, ", in %s", report->path[phase].path);
	}
}

/* Bins of the course at the level, joined where they touch. */
static void add_kept(struct doc *doc, const struct steady *s)
{
	struct strbuf *sb = doc_field(doc, "Kept");

	for (size_t i = 0; i < s->kept_count && i < LISTED_FEW; i++) {
		strbuf_adds(sb, i ? "; " : "");
		explain_span(sb, s->kept[i].from_ns, s->kept[i].to_ns);
	}
	if (s->kept_count > LISTED_FEW)
		strbuf_addf(sb, "; and %zu more (--json has them)",
			s->kept_count - LISTED_FEW);
	strbuf_adds(sb, ": bins at the level, without their ends");
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
	struct strbuf *sb;

	for (size_t i = 0; i < s->kept_count; i++) {
		const struct asked_rows *rows = kept_rows(in, device, i);

		values += rows ? rows->rows : 0;
	}
	sb = doc_field(doc, run->device[device].name);
	strbuf_addf(sb, "%" PRIu64 " values of %s", values,
		metric_get(asked_of_kept(s, in->steady, device, 0).metric)->name);
	for (size_t i = 0; i < s->kept_count; i++) {
		const struct asked_rows *rows = kept_rows(in, device, i);

		if (!rows || stretches++ >= LISTED_FEW)
			continue;
		strbuf_adds(sb, stretches > 1 ? "; " : ": ");
		explain_place(sb, run, rows->first.file, rows->first.line);
		strbuf_adds(sb, " to ");
		explain_place(sb, run, rows->last.file, rows->last.line);
		strbuf_addf(sb, ", %" PRIu64, rows->rows);
	}
	if (stretches > LISTED_FEW)
		strbuf_addf(sb, "; and %zu more stretches (--json has them)",
			stretches - LISTED_FEW);
}

static bool counts(const struct report *report, uint32_t device)
{
	return report->run->device[device].kind == DEVICE_GPU &&
		report_counts_gpu(report, device);
}

static void steady_text(struct doc *doc, const struct explain_input *in)
{
	const struct steady *s = &in->report->steady;
	const struct named_number number = asked_number(in);
	struct strbuf *sb;

	doc_begin(doc, DOC_FIELDS);
	sb = doc_field(doc, in->steady);
	if (s->found) {
		explain_number(sb, number.value, number.unit);
		strbuf_adds(sb, ": from ");
		explain_span(sb, s->from_ns, s->to_ns);
		strbuf_addf(sb, ", by %s of %s", metric_get(s->metric)->name,
			doc_source(in->report->run, s->source));
	} else {
		strbuf_addf(sb, "not found: %s", s->why_not ? s->why_not : "unknown");
	}
	strbuf_adds(doc_field(doc, "How"), steady_method);
	strbuf_adds(doc_field(doc, "Formula"), steady_formula(in->steady));
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

static void put_steady(struct json_writer *w, const struct explain_input *in)
{
	const struct steady *s = &in->report->steady;

	json_string(w, "method", steady_method);
	json_string(w, "formula", steady_formula(in->steady));
	json_number(w, "value", asked_number(in).value);
	json_string(w, "why_not", s->found ? NULL : s->why_not);
	json_array(w, "kept");
	for (size_t i = 0; i < s->kept_count && s->found; i++)
		put_kept(w, in, i);
	json_close(w);
	json_run_steady(w, in->report);
}

/* Summary keys of the whole run: time, rows, numbers of GPUs and CPUs. */

/* How long it was, by what is known of it. */
static const char *duration_method(const char *source)
{
	static const struct named_text methods[] = {
		{"command", "from the start of the command to its end, from run.json"},
		{"samples", "from the first row to the last"},
		{"events", "from the first event to the last"},
		{"ticks", "the ticks of a log without times * the interval"},
		{"window", "the window that was asked for, as far as the run goes"}};
	const char *method = source ? TEXT_OF(methods, source) : NULL;

	return method ? method : "not recorded";
}

static const char *whole_method(const struct explain_input *in)
{
	const struct report *report = in->report;
	const struct run *run = report->run;

	if (in->key == SUMMARY_duration_s)
		return duration_method(report->duration_source);
	if (in->key == SUMMARY_samples)
		return report->cut || report->filter.device
			? "the rows of each device in each kind of log"
			: "the accepted rows of all files with samples";
	if (in->key == SUMMARY_gpu_count)
		return "the GPUs that have rows or are in run.json; if there are none, "
		       "those that only processes name";
	if (in->key == SUMMARY_framework_peak_mib)
		return "the largest of the events' peak_bytes_in_use and "
		       "max_memory_allocated, / 2^20, and jax_peak_bytes_mb";
	if (in->key == SUMMARY_cpu_count && run->cpu_count <= 0)
		return "the CPUs that have rows in a log, by number";
	return "from run.json";
}

/* ... "but phases go on 151.0 s behind the last: 33.0 % covered" */
static void add_method(struct strbuf *text, const struct explain_input *in)
{
	struct covered covered = covered_summary(in->report, in->key);

	strbuf_adds(text, whole_method(in));
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
	if (t_ns != TIME_NONE)
		add_time_at(
			doc_field(doc, label), in->report->run, t_ns, place_at(in, t_ns));
}

static void add_files(struct doc *doc, const struct explain_input *in)
{
	const struct run *run = in->report->run;

	for (size_t i = 0; i < run->file_count; i++) {
		const struct run_file *file = &run->file[i];
		uint64_t first, last;
		struct strbuf *sb;

		if (!source_has_samples(file->kind))
			continue;
		lines_of(in, i, &first, &last);
		sb = doc_field(doc, file->path);
		strbuf_addf(sb, "%" PRIu64 " rows accepted, %" PRIu64 " skipped",
			file->rows, file->refused);
		if (first)
			strbuf_addf(sb, "; values from line %" PRIu64 " to %" PRIu64,
				first, last);
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

		if (run->device[d->device].kind == kind)
			strbuf_addf(doc_field(doc, run->device[d->device].name),
				"%" PRIu64 " rows of %s", d->rows,
				doc_source(run, d->source));
	}
}

static void whole_text(struct doc *doc, const struct explain_input *in)
{
	const struct report *report = in->report;
	const struct summary_field *field = summary_field_get(in->key);
	struct strbuf *sb;

	doc_begin(doc, DOC_FIELDS);
	sb = doc_field(doc, field->name);
	explain_number(sb, report->summary[in->key].number, field->unit);
	strbuf_addf(sb, ": %s", field->title);
	add_method(doc_field(doc, "How"), in);
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

static void put_whole(struct json_writer *w, const struct explain_input *in)
{
	const struct report *report = in->report;
	const struct run *run = report->run;
	struct strbuf sb = strbuf_new();

	add_method(&sb, in);
	json_string(w, "method", sb.text);
	strbuf_release(&sb);
	json_number(w, "value", report->summary[in->key].number);
	json_place(w, "from_line", run, place_at(in, report->started_ns));
	json_place(w, "to_line", run, place_at(in, report->ended_ns));
	json_array(w, "files");
	for (size_t i = 0; i < run->file_count; i++) {
		const struct run_file *file = &run->file[i];
		uint64_t first, last;

		if (!source_has_samples(file->kind))
			continue;
		lines_of(in, i, &first, &last);
		json_object(w, NULL);
		json_string(w, "file", file->path);
		json_string(w, "kind", source_name(file->kind));
		json_count(w, "rows", file->rows);
		json_count(w, "skipped", file->refused);
		json_place(w, "first_line", run, (struct event_place){i, first});
		json_place(w, "last_line", run, (struct event_place){i, last});
		json_close(w);
	}
	json_close(w);
	json_run_devices(w, report);
}

/*
 * Units of work: how a number follows from others, the lines of the first and last
 * event, each process's part, or why it is unknown.
 */

/* How a number is computed; of one that is made of others by their names. */
static const char *work_formula(const struct work *work, const char *name)
{
	static const char as_phase[] =
		"as for a phase from the first event to the last one";
	static const struct named_text formulas[] = {
		{"events", "the events of this type and name"},
		{"processes", "those that log such events at one time"},
		{"units_least", "units of the process with the fewest"},
		{"units_most", "units of the process with the most"},
		{"first_s", "from the start of the run to the first event"},
		{"duration_s", "from the first event to the last"},
		{"units_per_s", "units_timed / duration_s"},
		{"gpu_s_per_unit", "duration_s * the GPUs in use / units_timed"},
		{"energy_j_per_unit", "energy_j / units_timed"},
		{"gpu_util_mean_pct", as_phase}, {"energy_j", as_phase},
		{"energy_coverage", as_phase}};
	const char *formula = TEXT_OF(formulas, name);
	bool timed = strcmp(name, "units_timed") == 0;

	if (work->n_is == WORK_RATE && strcmp(name, "units_per_s") == 0)
		return "what the last event says";
	if (formula)
		return formula;
	switch (work->n_is) {
	case WORK_NO_NUMBER:
		return timed ? "events - 1: those after the first one"
			     : "events; each is a unit";
	case WORK_COUNT:
		return timed ? "the sum of n, without the first event's"
			     : "the sum of n over the events";
	case WORK_TOTAL:
		return work->processes > 1
			? "what each process adds: its last n - its first, or - the n "
			  "that another one had reached, as each n counts once"
			: "n of the last event - n of the first";
	case WORK_RATE:
		return "the events say units_per_s, and no units";
	case WORK_UNCLEAR:
		break;
	}
	return "the meaning of n is unclear";
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

/* Why a number is unknown; NULL: it is known, or that is not. */
static const char *why_unknown(const struct report *report, const struct work *work,
	const struct work_told *told, const struct named_number *number)
{
	const char *name = number->name;
	bool of_units = strncmp(name, "units", 5) == 0 || strstr(name, "_per_unit");

	if (!isnan(number->value))
		return NULL;
	if (of_units && told->unclear)
		return told->unclear;
	if (strcmp(name, "units_least") == 0 || strcmp(name, "units_most") == 0)
		return "only one process logs them at a time";
	if (work->seconds <= 0)
		return "the first event and the last are at one time";
	if (!report_gpu_count(report))
		return "there is no GPU in use";
	if (isnan(work->energy_j) && strncmp(name, "energy", 6) == 0)
		return "the energy of a GPU is not known in that time";
	if (of_units && work->units_timed <= 0)
		return "nothing was done after the first event";
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

static void add_number(
	struct doc *doc, const struct work *work, const struct named_number *number)
{
	struct strbuf *sb = doc_field(doc, number->name);

	explain_number(sb, number->value, number->unit);
	strbuf_addf(sb, ": %s", work_formula(work, number->name));
}

/* "450: n 500 at events.jsonl:17 - n 50 at events.jsonl:1" */
static void print_total(
	struct strbuf *sb, const struct run *run, const struct work_piece *piece)
{
	strbuf_addf(sb, "%.15g: n %.15g", piece->adds, piece->last_n);
	add_at(sb, run, piece->last);
	if (piece->adds <= 0) {
		strbuf_adds(sb, " adds nothing to what others had reached");
		return;
	}
	strbuf_addf(sb, " - n %.15g", piece->from_n);
	add_at(sb, run, piece->from);
}

/* "320 units: 10 events by time, the first at events.jsonl:1 with n 32, the last ..." */
static void print_sum(
	struct strbuf *sb, const struct run *run, const struct work_piece *piece)
{
	if (!isnan(piece->units))
		strbuf_addf(sb, "%.15g units: ", piece->units);
	strbuf_addf(sb, "%" PRIu64 " events by time, the first", piece->events);
	add_at(sb, run, piece->first);
	if (!isnan(piece->first_n))
		strbuf_addf(sb, " with n %.15g", piece->first_n);
	strbuf_adds(sb, ", the last");
	add_at(sb, run, piece->last);
	if (!isnan(piece->last_n))
		strbuf_addf(sb, " with n %.15g", piece->last_n);
}

/* What each process says; of totals by their first n. */
static void add_pieces(struct doc *doc, const struct run *run, const struct work *work,
	const struct work_told *told)
{
	for (size_t i = 0; i < told->count && i < LISTED_FEW; i++) {
		struct strbuf *sb = doc_field(doc,
			i			  ? ""
				: told->count > 1 ? "Processes"
						  : "Events");

		if (work->n_is == WORK_TOTAL)
			print_total(sb, run, &told->piece[i]);
		else
			print_sum(sb, run, &told->piece[i]);
	}
	explain_more(doc, told->count, LISTED_FEW);
}

/* Those whose time and energy it is. */
static void add_gpus(
	struct doc *doc, const struct report *report, const struct work *work)
{
	const struct run *run = report->run;
	struct strbuf *sb = doc_field(doc, "GPUs");

	for (uint32_t i = 0; i < run->device_count; i++) {
		const struct metric_stats *s;

		if (!counts(report, i))
			continue;
		strbuf_addf(sb, "%s%s", sb->len ? ", " : "", run->device[i].name);
		s = metric_stats_energy(work->stats, work->stats_count, i);
		if (s)
			strbuf_addf(sb, " (%.15g J, %s of %s)",
				explain_round(s->energy_j),
				energy_method_name(energy_method(s)),
				doc_source(run, s->source));
	}
	if (!sb->len)
		strbuf_adds(sb, "none");
}

static void add_work(struct doc *doc, const struct explain_input *in,
	const struct work *work, const struct work_told *told)
{
	struct named_number numbers[NUMBERS_MAX];
	const struct named_number *number = number_of(work, in->work, numbers);
	const char *why = why_unknown(in->report, work, told, number);
	const struct run *run = in->report->run;
	struct strbuf *sb;

	strbuf_addf(begin(doc, in->work), " of %s",
		work->name ? work->name : work->type_name);
	add_number(doc, work, number);
	if (why) {
		sb = doc_field(doc, "Unknown");
		strbuf_adds(sb, why);
		if (why == told->unclear)
			add_at(sb, run, told->unclear_at);
	}
	for (size_t i = 0; i < numbers_of_work(work, numbers); i++)
		if (is_factor(work_formula(work, in->work), numbers[i].name) &&
			!isnan(numbers[i].value))
			add_number(doc, work, &numbers[i]);
	if (strncmp(in->work, "gpu_", 4) == 0 || strncmp(in->work, "energy", 6) == 0)
		add_gpus(doc, in->report, work);
	add_time_at(doc_field(doc, "First event"), run, work->first_ns,
		place_of(run, work, work->first_ns, false));
	add_time_at(doc_field(doc, "Last event"), run, work->last_ns,
		place_of(run, work, work->last_ns, true));
	add_pieces(doc, run, work, told);
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

static void put_work(struct json_writer *w, const struct explain_input *in, size_t nth)
{
	const struct report *report = in->report;
	const struct run *run = report->run;
	const struct work *work = &report->work[nth];
	const struct work_told *told = &in->told[nth];
	struct named_number numbers[NUMBERS_MAX];
	const struct named_number *number = number_of(work, in->work, numbers);
	const char *why = why_unknown(report, work, told, number);

	json_object(w, NULL);
	json_number(w, "value", number->value);
	json_string(w, "formula", work_formula(work, in->work));
	json_string(w, "unknown_because", why);
	json_place(w, "unclear_line", run,
		why && why == told->unclear ? told->unclear_at : (struct event_place){0});
	json_array(w, "gpus");
	for (uint32_t i = 0; i < run->device_count; i++)
		if (counts(report, i))
			json_string(w, NULL, run->device[i].name);
	json_close(w);
	json_place(w, "first_line", run, place_of(run, work, work->first_ns, false));
	json_place(w, "last_line", run, place_of(run, work, work->last_ns, true));
	put_pieces(w, run, work, told);
	json_object(w, "of");
	json_run_work(w, report, work);
	json_close(w);
	json_close(w);
}

void explain_subject_text(struct doc *doc, const struct explain_input *in, bool verbose)
{
	const struct report *report = in->report;

	if (in->whole)
		whole_text(doc, in);
	if (in->steady)
		steady_text(doc, in);
	for (size_t i = 0; in->work && i < report->work_count; i++)
		add_work(doc, in, &report->work[i], &in->told[i]);
	for (size_t i = 0; in->times && i < report->path_count; i++)
		add_times(doc, in, &report->path[i]);
	if (in->rule)
		rule_text(doc, in, verbose);
}

void explain_subject_json(struct json_writer *w, const struct explain_input *in)
{
	const struct {
		const char *asked, *kind;
	} kinds[] = {{in->whole ? summary_field_get(in->key)->name : NULL, "run"},
		{in->steady, "steady"}, {in->times, "times"}, {in->work, "work"},
		{in->rule ? in->rule->id : NULL, "rule"}};
	size_t nth = 0, count = sizeof kinds / sizeof *kinds;

	while (nth < count && !kinds[nth].asked)
		nth++;
	if (!json_object_if(w, "subject", nth < count))
		return;
	json_string(w, "asked", kinds[nth].asked);
	json_string(w, "kind", kinds[nth].kind);
	if (in->whole) {
		put_whole(w, in);
	} else if (in->steady) {
		put_steady(w, in);
	} else if (in->times) {
		put_times(w, in);
	} else if (in->work) {
		json_array(w, "work");
		for (size_t i = 0; i < in->report->work_count; i++)
			put_work(w, in, i);
		json_close(w);
	} else {
		put_rule(w, in);
	}
	json_close(w);
}
