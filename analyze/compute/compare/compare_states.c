/* Of a run that has a metric, the states that it was never in. */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "compute/compare/comparing.h"

/* The rows of one metric's states, of which each run knows some or none. */
struct state_groups {
	struct lookup lookup;
	struct measure *of; /* [lookup.count] their measure, of no state in particular;
			       borrowed from the first of them */
	size_t of_cap;
	size_t *known; /* [lookup.count][runs] a row that the run knows, from 1 on; 0 */
	size_t known_cap, runs;
};

static struct measure without_state(const struct comparison_row *row)
{
	struct measure measure = row->measure;

	measure.state = "";
	return measure;
}

static size_t add_group(
	struct state_groups *groups, const struct measure *of, uint64_t hash)
{
	size_t group = lookup_add(&groups->lookup, hash);

	ALLOC_GROW(groups->of, group + 1, groups->of_cap);
	ALLOC_GROW(groups->known, (group + 1) * groups->runs, groups->known_cap);
	groups->of[group] = *of;
	for (size_t i = 0; i < groups->runs; i++)
		groups->known[group * groups->runs + i] = 0;
	return group;
}

/* What the runs know of the row's group; of a row that has a state. */
static size_t *known_of(struct state_groups *groups, const struct comparison_row *row)
{
	struct measure of = without_state(row);
	uint64_t hash = measure_hash(&of);
	size_t at = lookup_first(&groups->lookup, hash);

	while (at != LOOKUP_NONE && !measure_same(&groups->of[at], &of))
		at = lookup_next(&groups->lookup, at);
	if (at == LOOKUP_NONE)
		at = add_group(groups, &of, hash);
	return &groups->known[at * groups->runs];
}

/* Which is in as much doubt as they are. other: from 1 on; 0: the run has none. */
static void fill(struct comparison *out, size_t row, size_t run, size_t other)
{
	if (!other)
		return;
	out->row[row].value[run] = 0;
	out->row[row].covered[run] = out->row[other - 1].covered[run];
}

/* Of a run that has other states of the metric, a state that is not there is 0. */
void states_end(struct comparing *c)
{
	struct comparison *out = c->out;
	struct state_groups groups = {.runs = out->run_count};

	for (size_t i = 0; i < out->row_count; i++)
		for (size_t k = 0; k < out->run_count && out->row[i].measure.state; k++)
			if (!isnan(out->row[i].value[k]))
				known_of(&groups, &out->row[i])[k] = i + 1;
	for (size_t i = 0; i < out->row_count; i++)
		for (size_t k = 0; k < out->run_count && out->row[i].measure.state; k++)
			if (isnan(out->row[i].value[k]) &&
				!comparison_doubt(&out->row[i], k))
				fill(out, i, k, known_of(&groups, &out->row[i])[k]);
	lookup_release(&groups.lookup);
	free(groups.of);
	free(groups.known);
}
