/* Evaluates the conditions of rules row by row and sums the time in which they hold. */
#include "compute/run/watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "compute/phases/phase_map.h"
#include "compute/run/state.h"
#include "model/words.h"

/* Stretches that a watch remembers, one every few seconds for days; of more none is
 * known, so that no run needs more memory than many others. */
#define WATCH_STRETCHES_MAX ((size_t)1 << 16)

/* Of each row whether it fulfils conditions; UNKNOWN: a value is not there. */
struct verdicts {
	bool same; /* of all rows it is: */
	enum verdict all;
	uint8_t of[SAMPLE_BATCH_ROWS]; /* enum verdict; not set where all are the same */
};

static inline enum verdict verdict_of(const struct verdicts *verdicts, size_t row)
{
	return verdicts->same ? verdicts->all : (enum verdict)verdicts->of[row];
}

void watch_release(struct watch *watch)
{
	for (size_t i = 0; watch->course && i < WATCH_MEANS; i++)
		course_release(&watch->course[i]);
	free(watch->course);
	slices_release(&watch->known_time);
	slices_release(&watch->held_time);
	for (size_t i = 0; i < WATCH_MEANS; i++)
		slices_release(&watch->mean_time[i]);
	for (size_t i = 0; i < watch->in_phases; i++)
		slices_release(&watch->in_phase[i]);
	free(watch->in_phase);
	free(watch->held_at.at);
	free(watch->lacking.at);
}

void watched_release(struct watched *watched)
{
	free(watched->at.at);
	free(watched->gpu_ns);
	free(watched->away.at);
}

static void add(struct held_stretches *list, const struct held_stretch *stretch)
{
	if (stretch->time.to_ns <= stretch->time.from_ns)
		return;
	ALLOC_NEXT(list->at, list->count, list->cap) = *stretch;
}

/* What is open, of the rows up to the last one. */
static struct held_stretch open_stretch(
	const struct watch *watch, int64_t from_ns, int64_t to_ns)
{
	uint64_t rows = watch->held - watch->held_before;

	return (struct held_stretch){{from_ns, to_ns}, watch->prev_segment,
		rows < UINT32_MAX ? (uint32_t)rows : UINT32_MAX};
}

static void end_stretch(
	struct watch *watch, struct held_stretches *list, int64_t from_ns, int64_t to_ns)
{
	const struct held_stretch stretch = open_stretch(watch, from_ns, to_ns);

	if (list->count == WATCH_STRETCHES_MAX)
		watch->overflowed = true;
	else
		add(list, &stretch);
}

/* A value that held for so much of a step. */
static void add_time(struct slices *slices, int64_t dt_ns, int64_t short_ns,
	int64_t part_ns, int64_t value)
{
	struct slice_sum *sum = slices_at(slices, dt_ns, short_ns);

	sum->count++;
	sum->time_ns += part_ns;
	sum->area += (int128)2 * part_ns * value;
}

/* The values of the last row, in the phases that the time up to now lies in. */
static void pass_phases(struct watch *watch, const struct watch_plan *plan, int64_t t_ns,
	int64_t short_ns, struct phase_map *phases)
{
	size_t count;
	const struct phase_part *part =
		phase_map_parts(phases, watch->prev_ns, t_ns, &count);

	if (!watch->in_phase) {
		watch->in_phases = phase_map_paths(phases) * plan->means;
		watch->in_phase = xcalloc(watch->in_phases, sizeof *watch->in_phase);
	}
	for (size_t k = 0; k < count; k++)
		for (size_t i = 0; i < plan->means; i++)
			if (watch->has_mean[i])
				add_time(&watch->in_phase[part[k].path * plan->means + i],
					t_ns - watch->prev_ns, short_ns, part[k].time_ns,
					watch->mean[i]);
}

/* The time from the last row to this one belongs to what the last one said. */
static void pass_time(struct watch *watch, const struct watch_plan *plan, int64_t t_ns,
	int64_t short_ns, struct phase_map *phases)
{
	int64_t dt_ns = t_ns - watch->prev_ns;

	add_time(&watch->known_time, dt_ns, short_ns, dt_ns, 0);
	if (!watch->holds)
		return;
	add_time(&watch->held_time, dt_ns, short_ns, dt_ns, 0);
	for (size_t i = 0; i < plan->means; i++)
		if (watch->has_mean[i])
			add_time(&watch->mean_time[i], dt_ns, short_ns, dt_ns,
				watch->mean[i]);
	if (phases && plan->in_phases)
		pass_phases(watch, plan, t_ns, short_ns, phases);
}

/* Of a row that holds. */
static void keep_course(struct watch *watch, int64_t t_ns, size_t mean)
{
	if (!watch->course) {
		watch->course = xcalloc(WATCH_MEANS, sizeof *watch->course);
		for (size_t i = 0; i < WATCH_MEANS; i++)
			course_init(&watch->course[i], watch->origin_ns, COURSE_BINS);
	}
	course_add(&watch->course[mean], t_ns, watch->mean[mean]);
}

static void take_row(struct watch *watch, const struct watch_plan *plan,
	const struct sample_batch *batch, size_t row, enum verdict verdict,
	int64_t short_ns, struct phase_map *phases)
{
	int64_t t_ns = batch->t_ns[row];
	bool follows = batch->segment[row] == watch->prev_segment;
	bool held = watch->open && watch->holds, lacked = watch->known && !watch->open;
	int64_t until_ns = follows ? t_ns : watch->prev_ns;

	if (batch->timed && watch->open && follows && t_ns > watch->prev_ns)
		pass_time(watch, plan, t_ns, short_ns, phases);
	if (batch->timed && held && (verdict != VERDICT_YES || !follows))
		end_stretch(watch, &watch->held_at, watch->since_ns, until_ns);
	if (batch->timed && plan->lacking && lacked &&
		(verdict != VERDICT_UNKNOWN || !follows))
		end_stretch(watch, &watch->lacking, watch->silent_ns, until_ns);
	if (verdict == VERDICT_YES && (!held || !follows)) {
		watch->since_ns = t_ns;
		watch->held_before = watch->held;
	}
	if (verdict == VERDICT_UNKNOWN && (!lacked || !follows))
		watch->silent_ns = t_ns;
	watch->open = verdict != VERDICT_UNKNOWN;
	watch->holds = verdict == VERDICT_YES;
	if (verdict == VERDICT_NO) {
		if (watch->known == watch->held)
			watch->first_not_ns = t_ns;
		watch->last_not_ns = t_ns;
	}
	watch->known += watch->open;
	watch->held += watch->holds;
	watch->prev_ns = t_ns;
	watch->prev_segment = batch->segment[row];
	for (size_t i = 0; watch->holds && i < plan->means; i++) {
		watch->has_mean[i] = sample_column_has(plan->mean_at[i], row);
		if (!watch->has_mean[i])
			continue;
		watch->mean[i] = plan->mean_at[i]->value[row];
		if (plan->courses && batch->timed)
			keep_course(watch, t_ns, i);
	}
}

/* The value of a mean in the rows before and in those of the group from `from` to `to`:
 * each holds until the next one. */
static void hold_mean(struct watch *watch, const struct watch_plan *plan, size_t mean,
	const struct sample_batch *batch, const struct row_group *group, size_t from,
	size_t to)
{
	const struct sample_column *column = plan->mean_at[mean];
	struct slice_sum *near = &watch->mean_time[mean].near;
	int64_t prev_ns = watch->prev_ns, value = watch->mean[mean];
	bool has = watch->has_mean[mean];

	for (size_t i = from; i < to; i++) {
		size_t row = group->row[i];
		int64_t dt_ns = batch->t_ns[row] - prev_ns;

		if (has) {
			near->count++;
			near->time_ns += dt_ns;
			near->area += (int128)2 * dt_ns * value;
		}
		prev_ns = batch->t_ns[row];
		has = sample_column_has(column, row);
		if (!has)
			continue;
		value = column->value[row];
		if (!plan->courses)
			continue;
		watch->mean[mean] = value;
		keep_course(watch, prev_ns, mean);
	}
	watch->has_mean[mean] = has;
	watch->mean[mean] = value;
}

/*
 * Most rows say the same as the one before them: that the conditions hold, or that they
 * don't. Of such rows from a place on time and number are summed. Returns the next row
 * that is otherwise.
 */
static size_t take_alike(struct watch *watch, const struct watch_plan *plan,
	const struct sample_batch *batch, const struct row_group *group,
	const struct verdicts *verdicts, size_t from, int64_t short_ns)
{
	enum verdict alike = watch->holds ? VERDICT_YES : VERDICT_NO;
	struct slices *const sums[] = {&watch->known_time, &watch->held_time};
	int64_t prev_ns = watch->prev_ns;
	size_t to = from;

	while (to < group->count) {
		size_t row = group->row[to];
		int64_t t_ns = batch->t_ns[row];

		if (verdict_of(verdicts, row) != alike ||
			batch->segment[row] != watch->prev_segment || t_ns <= prev_ns ||
			t_ns - prev_ns > short_ns)
			break;
		/* So it is with all others, then. */
		if (verdicts->same && group->even)
			to = group->count - 1;
		prev_ns = batch->t_ns[group->row[to++]];
	}
	for (size_t i = 0; watch->holds && i < plan->means; i++)
		hold_mean(watch, plan, i, batch, group, from, to);
	for (size_t i = 0; i < 1 + (size_t)watch->holds; i++) {
		sums[i]->near.count += to - from;
		sums[i]->near.time_ns += prev_ns - watch->prev_ns;
	}
	watch->known += to - from;
	if (watch->holds)
		watch->held += to - from;
	else if (to > from)
		watch->last_not_ns = prev_ns;
	watch->prev_ns = prev_ns;
	return to;
}

/*
 * The rows of the watch's device; steps up to short_ns can't be gaps. phases: NULL:
 * none.
 */
static void watch_take(struct watch *watch, const struct watch_plan *plan,
	const struct sample_batch *batch, const struct row_group *group,
	const struct verdicts *verdicts, int64_t short_ns, struct phase_map *phases)
{
	for (size_t i = 0; i < group->count; i++) {
		size_t row;

		if (batch->timed && watch->open &&
			!(watch->holds && phases && plan->in_phases))
			i = take_alike(watch, plan, batch, group, verdicts, i, short_ns);
		if (i == group->count)
			break;
		row = group->row[i];
		take_row(watch, plan, batch, row, verdict_of(verdicts, row), short_ns,
			phases);
	}
}

static int by_start(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	if (x->segment != y->segment)
		return x->segment < y->segment ? -1 : 1;
	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

struct gaps {
	struct step *at; /* [count] owned */
	size_t count;
};

/* The gaps of a track, by segment, ascending; owned by the caller. False: some are not
 * known. */
static bool gaps_of(const struct track *track, int64_t limit_ns, struct gaps *gaps)
{
	uint64_t all;

	*gaps = (struct gaps){xcalloc(track->longest.count + 1, sizeof *gaps->at), 0};
	for (size_t i = 0; i < track->longest.count; i++)
		if (track->longest.at[i].dt_ns > limit_ns)
			gaps->at[gaps->count++] = track->longest.at[i];
	SORT(gaps->at, gaps->count, by_start);
	track_covered_ns(track, limit_ns, &all);
	return all == gaps->count;
}

/* The place of the first gap of that segment that begins at a time or later. */
static size_t first_gap(const struct gaps *gaps, int32_t segment, int64_t from_ns)
{
	const struct step wanted = {.segment = segment, .start_ns = from_ns};

	return sorted_before(&wanted, gaps->at, gaps->count, sizeof wanted, by_start);
}

/* Does a gap lie in a stretch? They begin and end with rows. */
static bool lies_in(const struct gaps *gaps, size_t gap, const struct held_stretch *whole)
{
	return gap < gaps->count && gaps->at[gap].segment == whole->segment &&
		gaps->at[gap].start_ns < whole->time.to_ns;
}

/* A stretch without the gaps in it; its last piece is returned. */
static struct stretch cut_gaps(
	struct watched *out, const struct held_stretch *whole, const struct gaps *gaps)
{
	struct held_stretch part = *whole;

	for (size_t i = first_gap(gaps, whole->segment, part.time.from_ns);
		lies_in(gaps, i, whole); i++) {
		part.time.to_ns = gaps->at[i].start_ns;
		add(&out->at, &part);
		part.time.from_ns = gaps->at[i].start_ns + gaps->at[i].dt_ns;
	}
	part.time.to_ns = whole->time.to_ns;
	add(&out->at, &part);
	return part.time;
}

static double seconds(int128 ns)
{
	return number_ratio(ns, NS_PER_S);
}

/* Mean and integral of a metric over time that held. */
static void finish_mean(struct watched *out, const struct watch_plan *plan, size_t i,
	const struct slices *slices, int64_t limit_ns)
{
	struct slice_sum sum = slices_within(slices, limit_ns);
	int64_t per_unit = metric_get(plan->mean[i])->per_unit;

	out->mean_s[i] = seconds(sum.time_ns);
	if (sum.time_ns <= 0)
		return;
	out->mean[i] = number_ratio(sum.area, 2 * sum.time_ns * per_unit);
	out->integral[i] = number_ratio(sum.area, (int128)2 * NS_PER_S * per_unit);
}

static void finish_times(struct watch *watch, const struct watch_plan *plan,
	int64_t limit_ns, struct watched *out)
{
	int128 known_ns = slices_within(&watch->known_time, limit_ns).time_ns;
	int128 held_ns = slices_within(&watch->held_time, limit_ns).time_ns;

	out->known_s = seconds(known_ns);
	out->seconds = out->gpu_seconds = seconds(held_ns);
	if (known_ns > 0)
		out->share = number_ratio(held_ns, known_ns);
	for (size_t i = 0; i < plan->means; i++)
		finish_mean(out, plan, i, &watch->mean_time[i], limit_ns);
}

static void list_away(struct watched *out, const struct watch *watch,
	const struct watch_plan *plan, const struct gaps *gaps)
{
	struct held_stretch last = open_stretch(watch, watch->silent_ns, watch->prev_ns);

	for (size_t i = 0; i < gaps->count; i++)
		add(&out->away,
			&(struct held_stretch){
				{gaps->at[i].start_ns,
					gaps->at[i].start_ns + gaps->at[i].dt_ns},
				gaps->at[i].segment, 0});
	for (size_t i = 0; i < watch->lacking.count; i++)
		add(&out->away, &watch->lacking.at[i]);
	if (plan->lacking && !watch->open)
		add(&out->away, &last);
}

static struct watched nothing_known(void)
{
	struct watched out = {.samples = NAN,
		.sample_share = NAN,
		.known_s = NAN,
		.seconds = NAN,
		.gpu_seconds = NAN,
		.possible_s = NAN,
		.share = NAN,
		.first_s = NAN,
		.last_s = NAN};

	for (size_t i = 0; i < WATCH_MEANS; i++)
		out.mean[i] = out.mean_s[i] = out.integral[i] = NAN;
	return out;
}

struct watched watch_in_phase(const struct watch *watch, const struct watch_plan *plan,
	int64_t limit_ns, uint32_t path, double held_s)
{
	struct watched out = nothing_known();

	out.seconds = held_s;
	for (size_t i = 0; watch->in_phase && i < plan->means; i++)
		finish_mean(&out, plan, i, &watch->in_phase[path * plan->means + i],
			limit_ns);
	return out;
}

/* Of the stretch that the log begins with, up to the first gap in it. */
static double first_seconds(const struct watch *watch, const struct track *track,
	const struct held_stretch *open, const struct gaps *gaps)
{
	const struct held_stretch *first =
		watch->held_at.count ? &watch->held_at.at[0] : open;
	size_t gap;

	if (!first || first->time.from_ns != track->first_ns)
		return 0;
	gap = first_gap(gaps, first->segment, first->time.from_ns);
	return seconds(
		(lies_in(gaps, gap, first) ? gaps->at[gap].start_ns : first->time.to_ns) -
		first->time.from_ns);
}

void watch_finish(struct watch *watch, const struct watch_plan *plan,
	const struct track *track, int64_t limit_ns, struct watched *out)
{
	struct held_stretch open = open_stretch(watch, watch->since_ns, watch->prev_ns);
	bool is_open = watch->open && watch->holds;
	struct stretch last = {0, 0};
	struct gaps gaps;

	*out = nothing_known();
	out->samples = (double)watch->held;
	if (watch->known)
		out->sample_share =
			number_ratio((int128)watch->held, (int128)watch->known);
	if (!track->timed || limit_ns < 0)
		return;
	finish_times(watch, plan, limit_ns, out);
	out->listed = gaps_of(track, limit_ns, &gaps) && !watch->overflowed;
	for (size_t i = 0; out->listed && i < watch->held_at.count; i++)
		cut_gaps(out, &watch->held_at.at[i], &gaps);
	if (out->listed && is_open)
		last = cut_gaps(out, &open, &gaps);
	if (out->listed) {
		out->last_s = seconds(last.to_ns - last.from_ns);
		out->first_s = first_seconds(watch, track, is_open ? &open : NULL, &gaps);
		/* all of the log is neither its begin nor its end */
		if (is_open && last.from_ns == track->first_ns)
			out->first_s = out->last_s = 0;
	}
	if (out->listed)
		list_away(out, watch, plan, &gaps);
	free(gaps.at);
}

/* Conditions over a batch: usually the smallest and largest value settle all rows. */

static enum verdict verdict_if(bool holds)
{
	return holds ? VERDICT_YES : VERDICT_NO;
}

static void set_all(struct verdicts *v, enum verdict all)
{
	v->same = true;
	v->all = all;
}

/* Each row has its own from now on. */
static void part(struct verdicts *v, size_t rows)
{
	if (v->same)
		memset(v->of, (int)v->all, rows);
	v->same = false;
}

static void judge_word(const struct row_test *test, const struct sample_column *column,
	int64_t word, size_t rows, struct verdicts *v)
{
	bool is_text = metric_is_text(test->metric);

	for (size_t row = 0; row < rows; row++) {
		int64_t value = column->value[row];

		v->of[row] = (uint8_t)verdict_if(
			word > 0 && (is_text ? value == word : (value & word) != 0));
	}
}

static bool holds(const struct watch_plan *plan, size_t i, int64_t value)
{
	return bound_holds(plan->rule->row[i].bound, (double)value, plan->limit[i]);
}

/* In the metric's unit. */
static double value_in(const struct sample_column *column, size_t row)
{
	return (double)column->value[row] / (double)metric_get(column->metric)->per_unit;
}

static void judge_ratio(const struct row_test *test, const struct sample_column *column,
	const struct sample_column *over, size_t rows, struct verdicts *v)
{
	for (size_t row = 0; row < rows; row++) {
		double below = 0;

		if (over->presence[row] == PRESENCE_VALUE)
			below = value_in(over, row);
		v->of[row] = VERDICT_UNKNOWN;
		if (below > 0 && column->presence[row] == PRESENCE_VALUE)
			v->of[row] = (uint8_t)verdict_if(bound_holds(
				test->bound, value_in(column, row) / below, test->limit));
	}
}

/* Whatever bound it is, between two values that fulfil it all do, or fail it. */
static void judge(const struct watch_plan *plan, size_t i,
	const struct sample_batch *batch, const struct column_range *ranges,
	struct verdicts *v)
{
	const struct row_test *test = &plan->rule->row[i];
	const struct sample_column *column = plan->at[i];
	const struct column_range *range = &ranges[column - batch->column];
	bool has_bound = !test->has && test->over == METRIC_none;

	v->same = false;
	if (range->low > range->high)
		set_all(v, VERDICT_UNKNOWN);
	else if (has_bound && holds(plan, i, range->low) == holds(plan, i, range->high))
		set_all(v, verdict_if(holds(plan, i, range->low)));
	else if (has_bound)
		for (size_t row = 0; row < batch->rows; row++)
			v->of[row] =
				(uint8_t)verdict_if(holds(plan, i, column->value[row]));
	else if (test->has)
		judge_word(test, column, plan->word[i], batch->rows, v);
	else
		judge_ratio(test, column, plan->over[i], batch->rows, v);
	if (range->full || (v->same && v->all == VERDICT_UNKNOWN))
		return;
	part(v, batch->rows);
	for (size_t row = 0; row < batch->rows; row++)
		if (column->presence[row] != PRESENCE_VALUE)
			v->of[row] = VERDICT_UNKNOWN;
}

/* The larger of both, or the smaller. */
static void join(struct verdicts *to, struct verdicts *other, size_t rows, bool larger)
{
	if (to->same && other->same) {
		if (larger ? other->all > to->all : other->all < to->all)
			to->all = other->all;
		return;
	}
	part(to, rows);
	part(other, rows);
	for (size_t row = 0; row < rows; row++)
		if (larger ? other->of[row] > to->of[row] : other->of[row] < to->of[row])
			to->of[row] = other->of[row];
}

/* What is not known excludes no row. */
static void turn(struct verdicts *v, size_t rows)
{
	v->all = verdict_if(v->all != VERDICT_YES);
	for (size_t row = 0; !v->same && row < rows; row++)
		v->of[row] = (uint8_t)verdict_if(v->of[row] != VERDICT_YES);
}

/*
 * range: [columns of the batch]; the plan knows the batch.
 *
 * Of all conditions; of alternatives it is enough that one is known, or holds.
 */
static void watch_judge(const struct watch_plan *plan, const struct sample_batch *batch,
	const struct column_range *range, struct verdicts *verdicts)
{
	struct verdicts either, one;
	bool begins = true;

	set_all(verdicts, VERDICT_YES);
	for (size_t i = 0; i < plan->rule->row_count; i++) {
		struct verdicts *v = begins ? &either : &one;

		if (!plan->at[i])
			set_all(v, VERDICT_UNKNOWN);
		else
			judge(plan, i, batch, range, v);
		if (!begins)
			join(&either, &one, batch->rows, true);
		begins = !plan->rule->row[i].or_next;
		if (!begins)
			continue;
		if (plan->rule->row[i].unless)
			turn(&either, batch->rows);
		join(verdicts, &either, batch->rows, false);
	}
}

/* The plan: each condition once, and the columns that it needs. */

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
	for (size_t i = 0; i < rule->value_count; i++)
		for (enum value_part p = 0; p < VALUE_PARTS; p++)
			want_mean(plan, &rule->value[i].part[p]);
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

/* Looks up the columns. */
static void watch_plan_batch(struct watch_plan *plan, const struct texts *texts,
	const struct sample_batch *batch)
{
	const struct rule *rule = plan->rule;
	bool any = false, all = rule->row_count > 0;

	for (size_t i = 0; i < rule->row_count; i++) {
		const struct row_test *test = &rule->row[i];

		plan->at[i] = sample_batch_find(batch, test->metric);
		plan->over[i] = sample_batch_find(batch, test->over);
		if (test->over != METRIC_none && !plan->over[i])
			plan->at[i] = NULL;
		plan->word[i] = word_of(texts, test);
		any |= plan->at[i] != NULL;
		if (test->or_next)
			continue;
		all &= any || test->unless;
		any = false;
	}
	for (size_t i = 0; i < plan->means; i++)
		plan->mean_at[i] = sample_batch_find(batch, plan->mean[i]);
	plan->judges = all;
}

/* Adds a batch: all GPUs, all rules. */

/* Of rows that can't be judged the first one ends what was open before, and that is all.
 */
static void watch_group(struct aggregate *agg, size_t at, const struct batch_rest *rest,
	const struct row_group *group, const struct verdicts *verdicts)
{
	const struct watch_plan *plan = &agg->watches.plan[at];
	struct source_state *source = &agg->source[rest->sound->source];
	struct device_state *device = source->device[group->device];
	struct row_group rows = *group;

	if (!group->is_gpu ||
		(!plan->judges && (!device->watch || !device->watch[at].open)))
		return;
	if (!device->watch) {
		device->watch = xcalloc(agg->watches.count, sizeof *device->watch);
		for (size_t i = 0; i < agg->watches.count; i++)
			device->watch[i].origin_ns = source->origin_ns;
	}
	if (!plan->judges)
		rows.count = 1;
	watch_take(&device->watch[at], plan, rest->sound, &rows, verdicts,
		rest->pass.near_ns, rest->phases);
}

bool watch_begin(struct aggregate *agg, struct batch_rest *rest)
{
	bool any = false;

	for (size_t i = 0; i < rest->groups.count; i++)
		any |= rest->groups.group[i].is_gpu;
	if (!any)
		return false;
	rest->phases = rest->sound->timed ? aggregate_phases(agg) : NULL;
	if (rest->phases && !phase_map_tree(rest->phases)->path_count)
		rest->phases = NULL;
	for (size_t i = 0; i < agg->watches.count; i++)
		watch_plan_batch(&agg->watches.plan[i], &agg->run->texts, rest->sound);
	return true;
}

void aggregate_watch(struct aggregate *agg, const struct batch_rest *rest)
{
	const struct column_range *range = agg->impossible.sound_range;
	struct verdicts verdicts;

	for (size_t i = 0; i < agg->watches.count; i++) {
		verdicts.same = true;
		verdicts.all = VERDICT_UNKNOWN;
		if (agg->watches.plan[i].judges)
			watch_judge(&agg->watches.plan[i], rest->sound, range, &verdicts);
		for (size_t k = 0; k < rest->groups.count; k++)
			watch_group(agg, i, rest, &rest->groups.group[k], &verdicts);
	}
}
