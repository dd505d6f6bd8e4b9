/* Which metrics the conditions of a rule need, and which of them are missing. */
#include "compute/report/conditions.h"

#include <string.h>

#include "model/metric.h"

/* What one condition needs and no log has; METRIC_none in a place: nothing. */
struct lack {
	enum metric_id metric, over;
};

void conditions_name(struct strbuf *sb, const struct rule *rule)
{
	for (size_t i = 0; i < rule->row_count; i++) {
		const char *name = metric_get(rule->row[i].metric)->name;

		if (rule->row[i].unless || strstr(sb->text, name))
			continue;
		if (i)
			strbuf_adds(sb, rule->row[i - 1].or_next ? " or " : " with ");
		strbuf_adds(sb, name);
	}
}

static bool has_values(
	const struct report *report, uint32_t device, enum metric_id metric)
{
	if (device != FINDING_RUN)
		return metric_stats_speaks(metric_stats_best(
			report->stats, report->stats_count, device, metric));
	for (size_t i = 0; i < report->stats_count; i++)
		if (report->stats[i].metric == metric &&
			metric_stats_speaks(&report->stats[i]))
			return true;
	return false;
}

static struct lack lack_of(
	const struct row_test *test, const struct report *report, uint32_t device)
{
	struct lack lack = {METRIC_none, METRIC_none};

	if (!has_values(report, device, test->metric))
		lack.metric = test->metric;
	if (test->over != METRIC_none && !has_values(report, device, test->over))
		lack.over = test->over;
	return lack;
}

/* A log with what the other lacks still lacks what this one does. */
static bool is_lesser(const struct lack *lack, const struct lack *other)
{
	return other->metric == METRIC_none && other->over != METRIC_none &&
		lack->metric != METRIC_none && lack->over == other->over;
}

/* Once each; alternatives as "a or b", and not those that need more than another one. */
static void name_group(struct strbuf *sb, const struct lack *lack, size_t count)
{
	const char *between = !sb->len ? "" : count > 1 ? ", and " : " and ";

	for (size_t i = 0; i < count; i++) {
		enum metric_id metric =
			lack[i].metric != METRIC_none ? lack[i].metric : lack[i].over;
		bool listed = strstr(sb->text, metric_get(metric)->name) != NULL;

		for (size_t k = 0; k < count; k++)
			listed |= is_lesser(&lack[i], &lack[k]);
		if (listed)
			continue;
		strbuf_addf(sb, "%s%s", between, metric_get(metric)->name);
		between = " or ";
	}
}

void conditions_name_missing(struct strbuf *sb, const struct rule *rule,
	const struct report *report, uint32_t device)
{
	struct lack lack[RULE_PARTS_MAX];
	size_t count = 0;
	bool met = false;

	for (size_t i = 0; i < rule->row_count; i++) {
		if (!rule->row[i].unless) {
			lack[count] = lack_of(&rule->row[i], report, device);
			met |= lack[count].metric == METRIC_none &&
				lack[count].over == METRIC_none;
			count++;
		}
		if (rule->row[i].or_next)
			continue;
		if (!met)
			name_group(sb, lack, count);
		count = 0;
		met = false;
	}
	if (!sb->len)
		conditions_name(sb, rule);
}
