/* Time per value; a mask is taken apart into its bits only at the end. */
#include "compute/series/states.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "compute/series/gauge.h"

void states_init(struct states *states, enum metric_id metric)
{
	*states = (struct states){.metric = metric};
}

void states_release(struct states *states)
{
	for (size_t i = 0; i < states->count; i++)
		slices_release(&states->sum[i].far);
	free(states->sum);
}

/* The place of a value's sum. */
static size_t find(struct states *states, int64_t value)
{
	if (states->count && states->sum[states->at].value == value)
		return states->at;
	for (size_t i = 0; i < states->count; i++)
		if (states->sum[i].value == value)
			return i;
	if (states->count > STATES_MAX)
		return STATES_MAX;
	ALLOC_GROW(states->sum, states->count + 1, states->cap);
	states->sum[states->count] = (struct state_sum){
		.value = states->count == STATES_MAX ? STATES_OTHER : value};
	return states->count++;
}

void states_value(struct states *states, int64_t value)
{
	states->at = find(states, value);
	states->sum[states->at].n++;
	states->n++;
}

void states_cover(struct states *states, const struct slice *slice,
	const struct slice_piece *piece, int64_t short_ns)
{
	int64_t dt_ns = slice->to_ns - slice->from_ns;
	int64_t time_ns = piece->to_ns - piece->from_ns;
	struct state_sum *sum;
	struct slice_sum *far;

	states->at = find(states, slice->from);
	sum = &states->sum[states->at];
	if (dt_ns <= short_ns) {
		sum->near_ns += time_ns;
		return;
	}
	far = slices_far(&sum->far, dt_ns);
	far->count += piece->from_ns == slice->from_ns;
	far->time_ns += time_ns;
}

void states_join(struct states *states, const struct states *other)
{
	for (size_t i = 0; i < other->count; i++) {
		const struct state_sum *from = &other->sum[i];
		size_t at = find(states, from->value); /* may move them */
		struct state_sum *to = &states->sum[at];

		to->n += from->n;
		to->near_ns += from->near_ns;
		slices_join(&to->far, &from->far);
	}
	states->n += other->n;
	states->missing += other->missing;
}

bool states_follow(struct states *states, int64_t t_ns, int32_t segment,
	const int64_t *value, struct slice *ended)
{
	bool ends =
		states->open && segment == states->prev_segment && t_ns > states->prev_ns;

	if (ends)
		*ended = (struct slice){states->prev_ns, t_ns,
			states->sum[states->held].value, states->sum[states->held].value,
			0, 0};
	if (value)
		states->held = states->at = find(states, *value);
	states->open = value != NULL;
	states->prev_ns = t_ns;
	states->prev_segment = segment;
	return ends;
}

/* What is covered of a value's time. */
static int128 covered_ns(const struct state_sum *sum, int64_t limit_ns)
{
	return sum->near_ns + slices_within(&sum->far, limit_ns).time_ns;
}

/* One state as it is published, before its time is divided. */
struct entry {
	char name[STATE_NAME_MAX];
	uint64_t n;
	int128 ns;
};

struct entries {
	struct entry *at;
	size_t count, cap;
};

static struct entry *entry_of(struct entries *entries, const char *name)
{
	struct entry *entry;

	for (size_t i = 0; i < entries->count; i++)
		if (strcmp(entries->at[i].name, name) == 0)
			return &entries->at[i];
	ALLOC_GROW(entries->at, entries->count + 1, entries->cap);
	entry = &entries->at[entries->count++];
	*entry = (struct entry){.n = 0};
	memcpy(entry->name, name, strlen(name) + 1); /* a word, or one of ours */
	return entry;
}

static void add_entry(struct entries *entries, const char *name, uint64_t n, int128 ns)
{
	struct entry *entry = entry_of(entries, name);

	entry->n += n;
	entry->ns += ns;
}

/* A mask counts for each of its bits; one without bits is "none". */
static void add_flags(struct entries *entries, const struct state_sum *sum,
	enum metric_id metric, int128 ns)
{
	if (!sum->value)
		add_entry(entries, "none", sum->n, ns);
	for (unsigned bit = 0; bit < 63; bit++) {
		const char *name = metric_flag_name(metric, bit);
		struct strbuf number;

		if (!(sum->value >> bit & 1))
			continue;
		strbuf_init(&number);
		strbuf_addf(&number, "0x%llx", 1ULL << bit);
		add_entry(entries, name ? name : number.text, sum->n, ns);
		strbuf_release(&number);
	}
}

static int longest_first(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	return strcmp(x->name, y->name);
}

void states_finish(const struct states *states, int64_t limit_ns, int64_t step_ns,
	const struct texts *texts, struct metric_stats *stats)
{
	bool flags = !metric_is_text(states->metric);
	double scale = step_ns < 0 ? 1 : number_ratio(step_ns, UNTIMED_STEP_NS);
	int64_t limit = gauge_limit(limit_ns, step_ns);
	struct entries entries = {0};
	int128 all_ns = 0;

	for (size_t i = 0; i < states->count; i++) {
		const struct state_sum *sum = &states->sum[i];
		int128 ns = limit < 0 ? 0 : covered_ns(sum, limit);
		const char *word = flags ? NULL : texts_word(texts, sum->value);

		all_ns += ns;
		if (sum->value == STATES_OTHER)
			add_entry(&entries, "(others)", sum->n, ns);
		else if (flags)
			add_flags(&entries, sum, states->metric, ns);
		else
			add_entry(&entries, word ? word : "", sum->n, ns);
	}
	metric_stats_init(stats, states->metric);
	stats->n = states->n;
	stats->missing = states->missing;
	if (states->count)
		stats->covered_s =
			limit >= 0 ? number_ratio(all_ns, NS_PER_S) * scale : NAN;
	if (entries.count)
		qsort(entries.at, entries.count, sizeof *entries.at, longest_first);
	stats->state = xcalloc(entries.count + 1, sizeof *stats->state);
	stats->state_count = entries.count;
	for (size_t i = 0; i < entries.count; i++) {
		struct state_time *to = &stats->state[i];

		memcpy(to->name, entries.at[i].name, sizeof to->name);
		to->n = entries.at[i].n;
		to->seconds = limit >= 0
			? number_ratio(entries.at[i].ns, NS_PER_S) * scale
			: NAN;
		to->share = all_ns ? number_ratio(entries.at[i].ns, all_ns) : NAN;
	}
	free(entries.at);
}
