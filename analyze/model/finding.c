/*
 * Sentences of findings: values put into the text of their rule, with units. Computes
 * nothing.
 */
#include "model/finding.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/quantity.h"
#include "model/coverage.h"

const char *outcome_name(enum outcome outcome)
{
	static const char *const names[] = {"fires", "cannot_tell", "silent"};

	return names[outcome];
}

const char *finding_device(const struct report *report, const struct finding *finding)
{
	return finding->device == FINDING_RUN ? NULL
					      : report->run->device[finding->device].name;
}

static void print_signal(struct strbuf *sb, double number)
{
	const char *name = signal_name((int32_t)number);

	if (name)
		strbuf_adds(sb, name);
	else
		strbuf_addf(sb, "signal %.0f", number);
}

/* Of a value in its unit, as a person would write it. */
static void print_value(struct strbuf *sb, double x, const char *unit)
{
	if (isnan(x)) {
		strbuf_adds(sb, "unknown");
	} else if (strcmp(unit, "s") == 0) {
		quantity_span(sb, x);
	} else if (strcmp(unit, "ratio") == 0) {
		quantity_ratio(sb, x);
	} else if (strcmp(unit, "signal") == 0) {
		print_signal(sb, x);
	} else {
		bool whole = x == floor(x) || strcmp(unit, "MiB") == 0 ||
			strcmp(unit, "MHz") == 0;

		quantity_number(sb, x, whole ? 0 : 1);
		strbuf_addf(sb, "%s%s", *unit ? " " : "", unit);
	}
}

void finding_print_value(struct strbuf *sb, const struct rule_value *value, double x)
{
	print_value(sb, x, rule_value_unit(value));
}

/* Does a value read as nought? What is below it is no cost, either. */
static bool is_nought(const struct rule_value *value, double x)
{
	struct strbuf text = strbuf_new();
	bool nought;

	finding_print_value(&text, value, x);
	nought = x < 0 || !strpbrk(text.text, "123456789");
	strbuf_release(&text);
	return nought;
}

/*
 * What was said of a GPU that was lost, or why the run's GPUs were not seen.
 * False: nothing.
 */
static bool print_said(
	struct strbuf *sb, const struct report *report, const struct finding *finding)
{
	for (size_t i = 0; i < report->ending.gpu_count; i++) {
		const struct gpu_ending *gpu = &report->ending.gpu[i];

		if (gpu->device != finding->device || !gpu->said)
			continue;
		strbuf_addf(sb, "%s:%" PRIu64 ": %s", gpu->said_file, gpu->said_line,
			gpu->said);
		return true;
	}
	return finding->device == FINDING_RUN && run_gpus_unseen(report->run, sb);
}

static bool is_said(const struct report *report, const struct finding *finding)
{
	struct strbuf text = strbuf_new();
	bool said;

	said = print_said(&text, report, finding);
	strbuf_release(&text);
	return said;
}

static void print_worst(
	struct strbuf *sb, const struct report *report, name_print *print_name)
{
	struct grade_worst worst = grade_worst_gpu(report);

	if (worst.gpu)
		print_name(sb, worst.gpu->name);
	if (worst.more)
		strbuf_addf(sb, " and %zu more", worst.more);
}

/* The place of the value that {name} or {+name} means; SIZE_MAX: {device}, {said},
 * {run}, {worst}. */
static size_t value_of(const struct rule *rule, struct span name)
{
	for (size_t i = 0; i < rule->value_count; i++)
		if (span_is(name, rule->value[i].name))
			return i;
	return SIZE_MAX;
}

/* What stands between braces; at: behind the left one. */
static struct span name_at(const char *at, bool *plus)
{
	*plus = *at == '+';
	at += *plus;
	return (struct span){at, strcspn(at, "}")};
}

static void print_named(struct strbuf *sb, const struct report *report,
	const struct finding *finding, const char *at, name_print *print_name)
{
	bool plus;
	struct span name = name_at(at, &plus);
	size_t i = value_of(finding->rule, name);

	if (span_is(name, "said"))
		(void)print_said(sb, report, finding);
	else if (span_is(name, "trouble"))
		observer_print_trouble(sb, report->run);
	else if (span_is(name, "worst"))
		print_worst(sb, report, print_name);
	else if (span_is(name, "run"))
		strbuf_adds(sb, report_span(report));
	else if (i != SIZE_MAX)
		finding_print_value(sb, &finding->rule->value[i], finding->value[i]);
	else if (finding->device == FINDING_RUN)
		strbuf_addf(sb, "the %s", report_span(report));
	else
		print_name(sb, report->run->device[finding->device].name);
}

/* The bracket that ends a part; parts may lie in it. */
static const char *end_of(const char *part)
{
	size_t depth = 0;

	for (; *part && (depth || *part != ']'); part++) {
		depth += *part == '[';
		depth -= *part == ']';
	}
	return part;
}

/*
 * Is every value in this part known, and those with a plus above nought? What lies in
 * parts of it does not matter.
 */
static bool is_told(
	const struct report *report, const struct finding *finding, const char *part)
{
	const struct rule *rule = finding->rule;
	const char *end = end_of(part);

	for (const char *at = part; at < end; at++) {
		bool plus;
		size_t i;

		at = *at == '[' ? end_of(at + 1) : at;
		i = *at == '{' ? value_of(rule, name_at(at + 1, &plus)) : SIZE_MAX;

		if (*at == '{' && span_is(name_at(at + 1, &plus), "said") &&
			!is_said(report, finding))
			return false;
		if (*at == '{' && span_is(name_at(at + 1, &plus), "trouble") &&
			!(observer_troubled(report->run) > 0))
			return false;
		if (*at == '{' && span_is(name_at(at + 1, &plus), "worst") &&
			!grade_worst_gpu(report).gpu)
			return false;
		if (i == SIZE_MAX)
			continue;
		if (isnan(finding->value[i]) ||
			(plus && is_nought(&rule->value[i], finding->value[i])))
			return false;
	}
	return true;
}

/* "At times no GPU is busy: epoch 16.0 s (4.0 s of it in no inner phase)" */
static void phases_sentence(struct strbuf *sb, const struct report *report,
	const struct finding *finding, name_print *print_name)
{
	struct strbuf path = strbuf_new();

	strbuf_adds(sb, finding->rule->title);
	if (finding->device != FINDING_RUN) {
		strbuf_adds(sb, " (");
		print_name(sb, report->run->device[finding->device].name);
		strbuf_addc(sb, ')');
	}
	for (size_t i = 0; i < finding->phase_count; i++) {
		const struct finding_phase *phase = &finding->phase[i];

		strbuf_adds(sb, i ? ", " : ": ");
		strbuf_clear(&path);
		phase_path_read(&path, report->path[phase->path].path);
		print_name(sb, path.text);
		strbuf_addc(sb, ' ');
		quantity_span(sb, phase->seconds);
		if (phase->own_s >= phase->seconds)
			continue;
		strbuf_adds(sb, " (");
		quantity_span(sb, phase->own_s);
		strbuf_adds(sb, " of it in no inner phase)");
	}
	strbuf_release(&path);
}

void finding_sentence(struct strbuf *sb, const struct report *report,
	const struct finding *finding, name_print *print_name)
{
	const char *at = finding->of_phases ? "" : finding->rule->sentence;

	if (finding->of_phases)
		phases_sentence(sb, report, finding, print_name);

	while (*at) {
		size_t len = strcspn(at, "{[]");

		strbuf_add(sb, at, len);
		at += len;
		if (*at == '{') {
			len = strcspn(at, "}");
			print_named(sb, report, finding, at + 1, print_name);
			at += len + (at[len] != '\0');
		} else if (*at) {
			at = *at == '[' && !is_told(report, finding, at + 1)
				? end_of(at + 1)
				: at + 1;
		}
	}
}

/*
 * Rates of host metrics during a finding: a counter of seconds rises by a share of the
 * time, others by an amount per second.
 */

#define SHARE_DECIMALS 1

static bool is_counter(enum metric_id metric)
{
	return metric_get(metric)->kind == KIND_COUNTER;
}

static bool is_share(enum metric_id metric)
{
	return is_counter(metric) && strcmp(metric_get(metric)->unit, "s") == 0;
}

struct meanwhile_name meanwhile_name(enum metric_id metric)
{
	const struct metric *m = metric_get(metric);
	struct meanwhile_name name = {.text = ""};

	(void)snprintf(name.text, sizeof name.text, "%s%s", m->name,
		is_counter(metric) ? ".rate_per_s" : "");
	if (!is_share(metric))
		(void)snprintf(name.unit, sizeof name.unit, "%s%s",
			is_counter(metric) && !*m->unit ? "1" : m->unit,
			is_counter(metric) ? "/s" : "");
	return name;
}

void meanwhile_print_value(struct strbuf *sb, enum metric_id metric, double value)
{
	struct meanwhile_name name = meanwhile_name(metric);

	if (is_share(metric)) {
		quantity_number(sb, 100 * value, SHARE_DECIMALS);
		strbuf_adds(sb, " %");
		return;
	}
	quantity_number(sb, value, metric_get(metric)->decimals);
	strbuf_addf(sb, "%s%s", *name.unit ? " " : "", name.unit);
}

void meanwhile_print(struct strbuf *sb, enum metric_id metric, double value)
{
	strbuf_addf(sb, "%s ", metric_get(metric)->title);
	meanwhile_print_value(sb, metric, value);
}

bool meanwhile_is_nought(enum metric_id metric, double value)
{
	int decimals =
		is_share(metric) ? SHARE_DECIMALS + 2 : metric_get(metric)->decimals;

	return is_counter(metric) && fabs(value) < 0.5 * pow(10, -decimals);
}
