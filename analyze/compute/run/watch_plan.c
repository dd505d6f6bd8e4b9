/* Conditions of rules, each once; and where a batch has what they ask for. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "compute/run/watch.h"
#include "model/words.h"

static void want_mean(struct watch_plan *plan, const struct reference *r)
{
	if (r->kind != REFERENCE_WHILE || r->metric == METRIC_none)
		return;
	plan->courses |= r->item == WHILE_COMMON || r->item == WHILE_COMMON_N;
	for (size_t i = 0; i < plan->means; i++)
		if (plan->mean[i] == r->metric)
			return;
	if (plan->means < WATCH_MEANS)
		plan->mean[plan->means++] = r->metric;
}

/* The metrics whose means the values of a rule ask for. */
static void want_means(struct watch_plan *plan, const struct rule *rule)
{
	for (size_t i = 0; i < rule->value_count; i++) {
		want_mean(plan, &rule->value[i].of);
		want_mean(plan, &rule->value[i].minus);
		want_mean(plan, &rule->value[i].times);
		want_mean(plan, &rule->value[i].over);
		want_mean(plan, &rule->value[i].up_to);
	}
}

static bool same_test(const struct row_test *a, const struct row_test *b)
{
	if (!a->has != !b->has || (a->has && strcmp(a->has, b->has) != 0))
		return false;
	return a->metric == b->metric && a->over == b->over && a->bound == b->bound &&
		!(a->limit < b->limit) && !(a->limit > b->limit) &&
		a->or_next == b->or_next && a->unless == b->unless;
}

static bool same_tests(const struct rule *a, const struct rule *b)
{
	if (a->row_count != b->row_count)
		return false;
	for (size_t i = 0; i < a->row_count; i++)
		if (!same_test(&a->row[i], &b->row[i]))
			return false;
	return true;
}

/* The plan that has a rule's conditions; it is added if there is none. */
static size_t plan_of(struct watch_list *list, const struct rule *rule)
{
	struct watch_plan *plan;
	size_t at = 0;

	while (at < list->count &&
		(!same_tests(list->plan[at].rule, rule) ||
			list->plan[at].means + RULE_MEANS_MAX > WATCH_MEANS))
		at++;
	if (at < list->count)
		return at;
	plan = &list->plan[list->count++];
	plan->rule = rule;
	for (size_t i = 0; i < rule->row_count; i++)
		plan->limit[i] = rule->row[i].limit *
			(double)metric_get(rule->row[i].metric)->per_unit;
	return at;
}

void watch_list_init(struct watch_list *list, const struct rule_set *rules)
{
	*list = (struct watch_list){.count = 0};
	list->plan = xcalloc(rules->count + 1, sizeof *list->plan);
	list->of_rule = xcalloc(rules->count + 1, sizeof *list->of_rule);
	for (size_t i = 0; i < rules->count; i++) {
		list->of_rule[i] = SIZE_MAX;
		if (!rules->rule[i].row_count)
			continue;
		list->of_rule[i] = plan_of(list, &rules->rule[i]);
		want_means(&list->plan[list->of_rule[i]], &rules->rule[i]);
		list->plan[list->of_rule[i]].in_phases |=
			rules->rule[i].in_phases_count > 0;
		list->plan[list->of_rule[i]].lacking |=
			rules->rule[i].alone != ALONE_NOT_ASKED;
	}
}

void watch_list_release(struct watch_list *list)
{
	free(list->plan);
	free(list->of_rule);
}

static size_t column_of(const struct sample_batch *batch, enum metric_id metric)
{
	for (size_t c = 0; c < batch->column_count; c++)
		if (batch->column[c].metric == metric)
			return c;
	return SIZE_MAX;
}

/* What a state's value is if it has that word; of flags the bit. */
static int64_t word_of(const struct texts *texts, const struct row_test *test)
{
	if (!test->has)
		return 0;
	if (metric_is_text(test->metric))
		return texts_find(texts, span_of(test->has));
	for (unsigned bit = 0; metric_flag_name(test->metric, bit); bit++)
		if (span_is(span_of(test->has), metric_flag_name(test->metric, bit)))
			return (int64_t)1 << bit;
	return 0;
}

bool watch_plan_batch(struct watch_plan *plan, const struct texts *texts,
	const struct sample_batch *batch)
{
	const struct rule *rule = plan->rule;
	bool any = false, all = rule->row_count > 0;

	for (size_t i = 0; i < rule->row_count; i++) {
		const struct row_test *test = &rule->row[i];

		plan->at[i] = column_of(batch, test->metric);
		plan->over[i] = column_of(batch, test->over);
		if (test->over != METRIC_none && plan->over[i] == SIZE_MAX)
			plan->at[i] = SIZE_MAX;
		plan->word[i] = word_of(texts, test);
		any |= plan->at[i] != SIZE_MAX;
		if (test->or_next)
			continue;
		all &= any || test->unless;
		any = false;
	}
	for (size_t i = 0; i < plan->means; i++)
		plan->mean_at[i] = column_of(batch, plan->mean[i]);
	return all;
}
