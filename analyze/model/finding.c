/* A finding in words. */
#include "model/finding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "model/report.h"

void finding_release(struct finding *finding)
{
	free(finding->why);
	free(finding->stretch);
	free(finding->phase);
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
	} else {
		bool whole = x == floor(x) || strcmp(unit, "MiB") == 0 ||
			strcmp(unit, "MHz") == 0;

		quantity_number(sb, x, whole ? 0 : 1);
		strbuf_addf(sb, "%s%s", *unit ? " " : "", unit);
	}
}

static void print_named(struct strbuf *sb, const struct report *report,
	const struct finding *finding, struct span name)
{
	const struct rule *rule = finding->rule;

	if (span_is(name, "device")) {
		strbuf_adds(sb,
			finding->device == FINDING_RUN
				? "the run"
				: report->run->device[finding->device].name);
		return;
	}
	for (size_t i = 0; i < rule->value_count; i++)
		if (span_is(name, rule->value[i].name))
			print_value(
				sb, finding->value[i], rule_value_unit(&rule->value[i]));
}

/* Is every value in this part, which ends at a bracket, known? */
static bool is_told(const struct finding *finding, const char *part)
{
	const struct rule *rule = finding->rule;
	size_t len = strcspn(part, "]");

	for (const char *at = part; at < part + len; at++) {
		struct span name = {at + 1, strcspn(at + 1, "}")};

		for (size_t i = 0; *at == '{' && i < rule->value_count; i++)
			if (span_is(name, rule->value[i].name) &&
				isnan(finding->value[i]))
				return false;
	}
	return true;
}

void finding_sentence(
	struct strbuf *sb, const struct report *report, const struct finding *finding)
{
	const char *at = finding->rule->sentence;

	while (*at) {
		size_t len = strcspn(at, "{[]");

		strbuf_add(sb, at, len);
		at += len;
		if (*at == '{') {
			len = strcspn(at, "}");
			print_named(sb, report, finding, (struct span){at + 1, len - 1});
			at += len + (at[len] != '\0');
		} else if (*at) {
			at += *at == '[' && !is_told(finding, at + 1) ? strcspn(at, "]")
								      : 1;
		}
	}
}
