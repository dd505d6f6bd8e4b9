/*
 * Findings of a run, the worst first: sentence, worst stretch, advice; then the checks
 * that could not run. Findings of one rule on several GPUs are merged. Must not judge.
 */
#include "render/doc_findings.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/quantity.h"
#include "model/finding.h"
#include "render/doc_run.h"
#include "render/run_names.h"

/* Selects the findings to print; they are sorted by rule. */

#define SAID_COST 1.25 /* what costs so many times more is more than what says it */

size_t findings_fired(const struct report *report)
{
	size_t fired = 0;

	while (fired < report->finding_count &&
		report->finding[fired].outcome == OUTCOME_FIRES)
		fired++;
	return fired;
}

size_t findings_of_rule(const struct report *report, size_t from)
{
	const struct finding *first = &report->finding[from];
	size_t count = 1;

	while (from + count < report->finding_count &&
		report->finding[from + count].rule == first->rule &&
		report->finding[from + count].outcome == first->outcome)
		count++;
	return count;
}

/* Of the rule of a finding: what it costs, of several GPUs all of them if the run is
 * meant. */
static double cost_of(const struct report *report, const struct finding *finding,
	const struct finding *by)
{
	size_t first = (size_t)(by - report->finding);
	double cost = 0;

	if (finding->device != FINDING_RUN || by->device == FINDING_RUN)
		return by->cost_gpu_s;
	for (size_t i = 0; i < findings_of_rule(report, first); i++)
		cost += by[i].cost_gpu_s;
	return cost;
}

/* What fires and says the same, of the run or of this GPU; NULL: nothing. */
static const struct finding *says(
	const struct report *report, size_t fired, const struct finding *finding)
{
	const struct rule *rule = finding->rule;

	for (size_t i = 0; i < fired; i++)
		for (size_t k = 0; k < rule->said_by_count; k++)
			if (strcmp(report->finding[i].rule->id, rule->said_by[k]) == 0 &&
				(finding->device == FINDING_RUN ||
					report->finding[i].device == FINDING_RUN ||
					report->finding[i].device == finding->device))
				return &report->finding[i];
	return NULL;
}

/* Unless these cost more together, as far as it is known. */
bool finding_is_covered(const struct report *report, size_t from)
{
	size_t fired = findings_fired(report), count = findings_of_rule(report, from);
	double cost = 0, said_cost = 0;
	const struct finding *before = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct finding *by =
			says(report, fired, &report->finding[from + i]);

		if (!by)
			return false;
		cost += report->finding[from + i].cost_gpu_s;
		said_cost += by == before
			? 0
			: cost_of(report, &report->finding[from + i], by);
		before = by;
	}
	return !(cost > SAID_COST * said_cost);
}

bool problem_next(const struct report *report, struct problem *problem)
{
	size_t fired = findings_fired(report);

	for (size_t i = problem->from + problem->count; i < fired;
		i += findings_of_rule(report, i)) {
		if (report->finding[i].rule->severity == SEVERITY_INFO ||
			finding_is_covered(report, i))
			continue;
		*problem = (struct problem){
			problem->number + 1, i, findings_of_rule(report, i)};
		return true;
	}
	return false;
}

/* Of the findings of a rule from there on; 0: they have none. */
static size_t number_of(const struct doc *doc, const struct report *report, size_t from)
{
	struct problem problem = {0};

	while (doc->apart && problem_next(report, &problem))
		if (problem.from == from)
			return problem.number;
	return 0;
}

/* Is the sentence of two findings of a rule the same, but for the device? */
static bool says_same(
	const struct report *report, const struct finding *a, const struct finding *b)
{
	struct finding other = *b;
	struct strbuf x = strbuf_new(), y = strbuf_new();
	bool same;

	other.device = a->device;
	finding_sentence(&x, report, a, strbuf_adds);
	finding_sentence(&y, report, &other, strbuf_adds);
	same = strcmp(x.text, y.text) == 0;
	strbuf_release(&x);
	strbuf_release(&y);
	return same;
}

static bool has_same_numbers(const struct report *report, size_t from, size_t count)
{
	bool same = true;

	for (size_t i = 1; i < count && same; i++)
		same = says_same(
			report, &report->finding[from], &report->finding[from + i]);
	return same;
}

void finding_say_others(struct strbuf *text, const struct report *report, size_t from)
{
	size_t count = findings_of_rule(report, from);
	bool same = count < 2 || has_same_numbers(report, from, count);

	for (size_t i = 1; i < count; i++)
		strbuf_addf(text, "%s%s", i > 1 ? ", " : "also ",
			report->run->device[report->finding[from + i].device].name);
	strbuf_adds(text, same ? "" : ", with other numbers");
}

void finding_say_lines(
	struct strbuf *text, const struct run *run, const struct finding_stretch *stretch)
{
	const struct event_place *first = &stretch->first, *last = &stretch->last;

	if (!first->line || first->file >= run->file_count ||
		last->file >= run->file_count)
		return;
	strbuf_addf(text, " (%s:%" PRIu64, run->file[first->file].path, first->line);
	if (last->file != first->file)
		strbuf_addf(
			text, " to %s:%" PRIu64, run->file[last->file].path, last->line);
	else if (last->line != first->line)
		strbuf_addf(text, "-%" PRIu64, last->line);
	strbuf_addc(text, ')');
}

#define STRETCHES_SHOWN 3
#define PHASES_SHOWN	3
#define PHASE_SHOWN	0.01 /* a smaller share of the time is not listed */
#define STRETCHES_MORE	20 /* with -v, of all that are told alike */

static enum doc_tone tone_of(enum severity severity)
{
	static const enum doc_tone tone[SEVERITY_COUNT] = {[SEVERITY_INFO] = TONE_PLAIN,
		[SEVERITY_WARN] = TONE_WARN,
		[SEVERITY_BAD] = TONE_BAD};

	return tone[severity];
}

/* ": CPU busy 12.3 %, CPU waiting for I/O 0.4 %": what is known of the host. */
static void add_meanwhile(struct strbuf *text, const struct rule *rule,
	const struct finding_stretch *stretch)
{
	bool any = false;

	for (size_t i = 0; i < rule->meanwhile_count; i++) {
		enum metric_id metric = rule->meanwhile[i];

		if (isnan(stretch->meanwhile[i]) ||
			meanwhile_is_nought(metric, stretch->meanwhile[i]))
			continue;
		strbuf_adds(text, any ? ", " : ": ");
		meanwhile_print(text, metric, stretch->meanwhile[i]);
		any = true;
	}
}

/* Is more known of them than the sentence says? */
static bool has_stretches(const struct finding *finding)
{
	return finding->stretch_count > 1 || finding->rule->meanwhile_count ||
		finding->of_phases;
}

static void add_stretches(struct doc *doc, const struct report *report,
	const struct finding *finding, size_t most)
{
	struct strbuf *text;

	if (doc->apart || !has_stretches(finding))
		return;
	for (size_t i = 0; i < finding->stretch_listed && i < most; i++) {
		const struct finding_stretch *s = &finding->stretch[i];

		text = doc_note(doc);
		strbuf_adds(text, "  - at ");
		quantity_span(text, s->start_s);
		strbuf_adds(text, " for ");
		quantity_span(text, s->seconds);
		if (s->phase != SIZE_MAX) {
			strbuf_adds(text, ", in ");
			short_phase(text, report->path[s->phase].path);
		}
		finding_say_lines(text, report->run, s);
		add_meanwhile(text, finding->rule, s);
		if (i + 1 == most && finding->stretch_count > most)
			strbuf_addf(text, ", and %llu more",
				(unsigned long long)(finding->stretch_count - most));
	}
}

static double seconds_in_phases(
	const struct report *report, const struct finding *finding)
{
	double all_s = 0;

	for (size_t i = 0; i < finding->phase_count; i++)
		if (!report->path[finding->phase[i].path].depth)
			all_s += finding->phase[i].seconds;
	return all_s;
}

static bool shows_phase(const struct finding *finding, size_t at, double all_s)
{
	double s = finding->phase[at].own_s;

	return s >= 0.05 && s >= PHASE_SHOWN * all_s;
}

/* In how many phases it was true for longer; of equal ones, the first counts. */
static size_t phases_longer(const struct finding *finding, size_t at)
{
	double own_s = finding->phase[at].own_s;
	size_t longer = 0;

	for (size_t i = 0; i < finding->phase_count; i++)
		longer += finding->phase[i].own_s > own_s ||
			(i < at && finding->phase[i].own_s == own_s);
	return longer;
}

/*
 * By the order of the run, each without those in it: they sum to the whole. On a
 * terminal the longest of them, without -v.
 */
static void add_phases(struct doc *doc, const struct report *report,
	const struct finding *finding, int verbose)
{
	size_t most = verbose > 0 || !doc->brief ? SIZE_MAX : PHASES_SHOWN;
	double all_s = seconds_in_phases(report, finding), left_s = 0;
	struct strbuf *text;

	if (doc->apart || finding->of_phases)
		return; /* the sentence has told them */
	text = doc_note(doc);
	for (size_t i = 0; i < finding->phase_count; i++) {
		if (!shows_phase(finding, i, all_s))
			continue;
		if (phases_longer(finding, i) >= most) {
			left_s += finding->phase[i].own_s;
			continue;
		}
		strbuf_adds(text, text->len ? ", " : "  by phase: ");
		short_phase(text, report->path[finding->phase[i].path].path);
		strbuf_addc(text, ' ');
		quantity_span(text, finding->phase[i].own_s);
	}
	if (left_s > 0) {
		strbuf_adds(text, ", others ");
		quantity_span(text, left_s);
	}
	doc_keep(doc);
}

/* Of each path with those in it: "lost: train 164 MHz, train/step 300 MHz". */
static void add_phase_values(
	struct doc *doc, const struct report *report, const struct finding *finding)
{
	const struct rule *rule = finding->rule;

	for (size_t k = 0; k < rule->in_phases_count; k++) {
		const struct rule_value *value = &rule->value[rule->in_phases[k]];
		struct strbuf *text = doc_note(doc);

		for (size_t i = 0; i < finding->phase_count; i++) {
			const struct finding_phase *phase = &finding->phase[i];

			if (isnan(phase->value[k]))
				continue;
			if (text->len)
				strbuf_adds(text, ", ");
			else
				strbuf_addf(text, "  %s: ", value->name);
			short_phase(text, report->path[phase->path].path);
			strbuf_addc(text, ' ');
			finding_print_value(text, value, phase->value[k]);
		}
		doc_keep(doc);
	}
}

static void add_others(struct doc *doc, const struct report *report, size_t from)
{
	struct strbuf *text;

	if (findings_of_rule(report, from) < 2)
		return;
	text = doc_note(doc);
	strbuf_adds(text, "  ");
	finding_say_others(text, report, from);
}

static void add_sentence(struct doc *doc, const struct report *report,
	const struct finding *finding, size_t number)
{
	enum doc_tone tone = tone_of(finding->rule->severity);
	struct doc_cell *at = doc_text(doc, NULL);

	at->tone = tone;
	at->number = number;
	finding_sentence(doc_write(doc), report, finding, short_name);
	doc_last(doc)->tone = tone;
}

#define GROUPS_SHOWN 4 /* of GPUs of which a rule says the same */

/*
 * Something is broken on each of these GPUs: what is said of one of them is no answer for
 * another of which the rule says something else.
 */
static void add_groups(struct doc *doc, const struct report *report, size_t from)
{
	const struct finding *finding = &report->finding[from];
	size_t count = findings_of_rule(report, from), groups = 0, left = 0;
	bool *done = xcalloc(count + 1, sizeof *done);
	struct strbuf *text;

	for (size_t i = 0; i < count; i++) {
		if (done[i])
			continue;
		if (groups++ == GROUPS_SHOWN) {
			groups--;
			left++;
			continue;
		}
		add_sentence(doc, report, &finding[i], number_of(doc, report, from));
		add_stretches(doc, report, &finding[i], STRETCHES_SHOWN);
		add_phases(doc, report, &finding[i], 0);
		text = doc_note(doc);
		for (size_t k = i + 1; k < count; k++)
			if (!done[k] && says_same(report, &finding[i], &finding[k])) {
				done[k] = true;
				strbuf_addf(text, "%s%s", text->len ? ", " : "  also ",
					report->run->device[finding[k].device].name);
			}
		doc_keep(doc);
	}
	if (left)
		strbuf_addf(
			doc_note(doc), "  %zu more GPUs, with other numbers (-v)", left);
	free(done);
}

/* Of each of so many findings that are told alike. */
static size_t stretches_of(size_t told, int verbose)
{
	size_t share = STRETCHES_MORE / told;

	return verbose > 0 && share > STRETCHES_SHOWN ? share : STRETCHES_SHOWN;
}

static void add_finding(
	struct doc *doc, const struct report *report, size_t from, int verbose)
{
	const struct finding *finding = &report->finding[from];
	enum doc_tone tone = tone_of(finding->rule->severity);
	size_t told = verbose > 0 ? findings_of_rule(report, from) : 1;

	if (tone == TONE_BAD && verbose <= 0) {
		add_groups(doc, report, from);
		told = 0;
	}
	for (size_t i = 0; i < told; i++) {
		add_sentence(doc, report, &finding[i], number_of(doc, report, from));
		if (tone == TONE_PLAIN && verbose <= 0)
			continue;
		if (verbose > 0 || !doc->brief)
			add_stretches(
				doc, report, &finding[i], stretches_of(told, verbose));
		add_phases(doc, report, &finding[i], verbose);
		if (verbose > 0)
			add_phase_values(doc, report, &finding[i]);
	}
	if (verbose <= 0 && tone != TONE_BAD)
		add_others(doc, report, from);
	if (finding->rule->severity != SEVERITY_INFO || verbose > 0)
		strbuf_addf(doc_note(doc), "-> %s", finding->rule->remedy);
}

/* Which rules can't be judged, and why; and for which GPUs, if not for all. */
static void list_untold(struct doc *doc, const struct report *report, size_t from)
{
	for (size_t i = from, count; i < report->finding_count; i += count) {
		const struct finding *finding = &report->finding[i];
		struct strbuf *text = doc_note(doc);

		count = findings_of_rule(report, i);
		strbuf_adds(text, "not checked");
		if (finding->device != FINDING_RUN &&
			count < report->run->of_kind[DEVICE_GPU].count)
			for (size_t k = 0; k < count; k++)
				strbuf_addf(text, "%s%s", k ? ", " : " for ",
					report->run->device[finding[k].device].name);
		strbuf_addf(text, ": %s (%s)", finding->rule->title, finding->why);
	}
}

static size_t count_same(const struct report *report, size_t fired)
{
	size_t same = 0;

	for (size_t i = 0; i < fired; i += findings_of_rule(report, i))
		same += finding_is_covered(report, i) ? findings_of_rule(report, i) : 0;
	return same;
}

/* Why none of the rules from there on can be judged, if that is the same of all. NULL. */
static const char *one_reason(const struct report *report, size_t from)
{
	const char *why = from < report->finding_count ? report->finding[from].why : NULL;

	for (size_t i = from; i < report->finding_count; i++)
		if (strcmp(report->finding[i].why, why) != 0)
			return NULL;
	return why;
}

/* Does a finding wait for -v: what is only good to know, where something is broken? */
static bool note_waits(const struct doc *doc, const struct report *report, size_t from)
{
	struct problem worst = {0};

	return doc->brief && report->finding[from].rule->severity == SEVERITY_INFO &&
		problem_next(report, &worst) &&
		report->finding[worst.from].rule->severity == SEVERITY_BAD;
}

/* Of those that no other covers. */
static size_t count_waiting(
	const struct doc *doc, const struct report *report, size_t fired)
{
	size_t notes = 0;

	for (size_t i = 0; i < fired; i += findings_of_rule(report, i))
		notes += !finding_is_covered(report, i) && note_waits(doc, report, i);
	return notes;
}

/* "2 notes and 1 related finding hidden" */
static void add_hidden(struct strbuf *text, size_t notes, size_t same)
{
	if (notes)
		strbuf_addf(text, "%zu note%s", notes, notes == 1 ? "" : "s");
	if (same)
		strbuf_addf(text, "%s%zu related finding%s", notes ? " and " : "", same,
			same == 1 ? "" : "s");
	if (text->len)
		strbuf_adds(text, " hidden");
}

/*
 * In one line: how many findings are not shown, and how many checks could not run, or
 * why, if that is the same for all of them.
 */
static void add_untold(struct doc *doc, const struct report *report, size_t fired)
{
	const char *why = one_reason(report, fired), *before;
	size_t rules = 0;
	struct strbuf *text = doc_note(doc);

	for (size_t i = fired; i < report->finding_count;
		i += findings_of_rule(report, i))
		rules++;
	add_hidden(text, count_waiting(doc, report, fired), count_same(report, fired));
	before = text->len ? "; " : "";
	if (rules && !why)
		strbuf_addf(text, "%s%zu check%s could not run", before, rules,
			rules == 1 ? "" : "s");
	if (text->len && !doc->folds)
		strbuf_adds(text, " (-v shows more)");
	if (rules && why)
		strbuf_addf(text, "%snot checked: %s", before, why);
	doc_keep(doc);
}

static void fold_left_out(struct doc *doc, const struct report *report, size_t fired)
{
	struct doc_block *block = doc_begin(doc, DOC_NOTES);

	block->folded = "Related findings";
	block->follows = true;
	for (size_t i = 0; i < fired; i += findings_of_rule(report, i))
		if (finding_is_covered(report, i))
			add_finding(doc, report, i, 1);
	if (one_reason(report, fired))
		return;
	block = doc_begin(doc, DOC_NOTES);
	block->folded = "Checks that could not run";
	block->follows = true;
	list_untold(doc, report, fired);
}

/* Of phases they are not known: a report without --phase has them. */
static void add_left_out(struct doc *doc, const struct report *report)
{
	size_t n = report->findings_left_out;

	if (n)
		strbuf_addf(doc_note(doc),
			"%zu finding%s of the whole %s not shown for single phases", n,
			n == 1 ? "" : "s", report_span(report));
}

/* How many checks ran is in the first line: a terminal needs no section for that. */
bool doc_has_findings(const struct doc *doc, const struct report *report,
	const struct render_options *opt)
{
	if (!report->finding_count && !report->findings_left_out)
		return false;
	return !doc->brief || opt->verbose > 0 || findings_fired(report) ||
		report->findings_left_out || one_reason(report, 0);
}

void doc_findings(
	struct doc *doc, const struct report *report, const struct render_options *opt)
{
	size_t fired = findings_fired(report);

	if (!doc_has_findings(doc, report, opt))
		return;
	doc_heading(doc, 2, "Findings");
	doc_begin(doc, DOC_NOTES)->follows = true;
	for (size_t i = 0; i < fired; i += findings_of_rule(report, i))
		if (opt->verbose > 0 ||
			(!finding_is_covered(report, i) && !note_waits(doc, report, i)))
			add_finding(doc, report, i, opt->verbose);
	if (opt->verbose > 0)
		list_untold(doc, report, fired);
	else
		add_untold(doc, report, fired);
	add_left_out(doc, report);
	if (doc->folds && opt->verbose <= 0 && !doc->apart)
		fold_left_out(doc, report, fired);
}

/* The evidence of problems as tables: when, and what the host did meanwhile; in which
 * phases. */

/* Of the rule's meanwhile: is it known of one of the stretches that are shown? */
static bool has_meanwhile(const struct finding *finding, size_t at, size_t most)
{
	enum metric_id metric = finding->rule->meanwhile[at];

	for (size_t i = 0; i < finding->stretch_listed && i < most; i++)
		if (!isnan(finding->stretch[i].meanwhile[at]) &&
			!meanwhile_is_nought(metric, finding->stretch[i].meanwhile[at]))
			return true;
	return false;
}

static void add_phase_name(struct doc *doc, const struct report *report, size_t path)
{
	if (path == SIZE_MAX)
		doc_blank(doc);
	else
		short_phase(doc_write(doc), report->path[path].path);
}

/* Nothing where it reads as nought, "-" where it is not known. */
static void add_meanwhile_cell(struct doc *doc, enum metric_id metric, double value)
{
	if (isnan(value))
		doc_text(doc, NULL);
	else if (meanwhile_is_nought(metric, value))
		doc_blank(doc);
	else
		meanwhile_print_value(doc_write(doc), metric, value);
}

static void add_rows_cell(
	struct doc *doc, const struct run *run, const struct finding_stretch *stretch)
{
	struct strbuf text = strbuf_new();

	finding_say_lines(&text, run, stretch);
	if (text.len) /* without its brackets */
		strbuf_add(doc_write(doc), text.text + strlen(" ("),
			text.len - strlen(" ()"));
	else
		doc_blank(doc);
	doc_last(doc)->path = text.len > 0;
	strbuf_release(&text);
}

static void begin_stretches(struct doc *doc, const struct finding *finding, size_t most)
{
	struct doc_column column[RULE_MEANWHILE_MAX + 4] = {{"at", "", DOC_LEFT, false},
		{"for", "", DOC_RIGHT, false}, {"begins in", "", DOC_LEFT, true}};
	bool shown[RULE_MEANWHILE_MAX + 4] = {true, true}, rows = false;
	size_t count = 3;

	for (size_t i = 0; i < finding->stretch_listed && i < most; i++) {
		shown[2] |= finding->stretch[i].phase != SIZE_MAX;
		rows |= finding->stretch[i].first.line != 0;
	}
	for (size_t i = 0; i < finding->rule->meanwhile_count; i++) {
		shown[count] = has_meanwhile(finding, i, most);
		column[count++] = (struct doc_column){
			metric_get(finding->rule->meanwhile[i])->title, "", DOC_RIGHT,
			false};
	}
	shown[count] = rows;
	column[count++] = (struct doc_column){"rows", "", DOC_LEFT, true};
	doc_table_of(doc, column, shown, count)->follows = true;
}

static void table_stretches(struct doc *doc, const struct report *report,
	const struct finding *finding, size_t most)
{
	if (!finding->stretch_listed || !has_stretches(finding))
		return;
	begin_stretches(doc, finding, most);
	for (size_t i = 0; i < finding->stretch_listed && i < most; i++) {
		const struct finding_stretch *s = &finding->stretch[i];

		quantity_span(doc_write(doc), s->start_s);
		quantity_span(doc_write(doc), s->seconds);
		add_phase_name(doc, report, s->phase);
		for (size_t k = 0; k < finding->rule->meanwhile_count; k++)
			add_meanwhile_cell(
				doc, finding->rule->meanwhile[k], s->meanwhile[k]);
		add_rows_cell(doc, report->run, s);
	}
	if (finding->stretch_count <= most)
		return;
	doc_begin(doc, DOC_FACTS)->follows = true;
	doc_textf(doc, "and %llu more",
		(unsigned long long)(finding->stretch_count - most));
}

static void table_phases(
	struct doc *doc, const struct report *report, const struct finding *finding)
{
	static const struct doc_column columns[] = {{"phase", "", DOC_LEFT, true},
		{"time", "", DOC_RIGHT, false}, {"", "", DOC_BAR, false}};
	double all_s = seconds_in_phases(report, finding);
	bool any = false;

	for (size_t i = 0; i < finding->phase_count && !finding->of_phases; i++) {
		if (!shows_phase(finding, i, all_s))
			continue;
		if (!any)
			doc_table(doc, columns, sizeof columns / sizeof *columns)
				->follows = true;
		any = true;
		add_phase_name(doc, report, finding->phase[i].path);
		quantity_span(doc_write(doc), finding->phase[i].own_s);
		doc_bar(doc, NAN, finding->phase[i].own_s / all_s, NAN);
	}
}

static bool has_evidence(const struct report *report, const struct finding *finding)
{
	double all_s = seconds_in_phases(report, finding);

	if (finding->stretch_listed && has_stretches(finding))
		return true;
	for (size_t i = 0; i < finding->phase_count && !finding->of_phases; i++)
		if (shows_phase(finding, i, all_s))
			return true;
	return false;
}

static void add_tables(struct doc *doc, const struct report *report,
	const struct finding *finding, size_t number, size_t most)
{
	struct doc_cell *title;

	doc_heading(doc, 3, finding->rule->title);
	title = &doc->block[doc->count - 1].cell[0];
	title->number = number;
	title->tone = tone_of(finding->rule->severity);
	if (finding->device != FINDING_RUN)
		doc_text(doc, report->run->device[finding->device].name);
	table_stretches(doc, report, finding, most);
	table_phases(doc, report, finding);
}

/* Of the findings that have sentences of their own: of what is broken on several GPUs one
 * for each that differs. */
static void add_problem(struct doc *doc, const struct report *report,
	const struct problem *problem, int verbose)
{
	const struct finding *finding = &report->finding[problem->from];
	bool each = verbose > 0 || finding->rule->severity == SEVERITY_BAD;
	size_t told = each ? problem->count : 1, groups = 0;
	size_t most = stretches_of(verbose > 0 ? told : 1, verbose);

	for (size_t i = 0; i < told && (verbose > 0 || groups < GROUPS_SHOWN); i++) {
		bool same = false;

		for (size_t k = 0; k < i && verbose <= 0 && !same; k++)
			same = says_same(report, &finding[k], &finding[i]);
		groups += !same;
		if (!same && has_evidence(report, &finding[i]))
			add_tables(doc, report, &finding[i], problem->number, most);
	}
}

void doc_findings_evidence(
	struct doc *doc, const struct report *report, const struct render_options *opt)
{
	struct problem problem = {0};
	size_t heading = doc->count;

	while (problem_next(report, &problem)) {
		if (doc->count == heading)
			doc_heading(doc, 2, "Findings in detail");
		add_problem(doc, report, &problem, opt->verbose);
	}
	if (report->finding_count && opt->verbose <= 0)
		fold_left_out(doc, report, findings_fired(report));
}
