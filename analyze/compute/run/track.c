/* Steps between rows: a tally for the median and the cover; the longest are kept. */
#include "compute/run/track.h"

#include <stdlib.h>

#include "base/alloc.h"

int64_t gap_limit_ns(int64_t interval_ns)
{
	/* a clock that often jumps by centuries */
	int64_t thrice = interval_ns > INT64_MAX / 3 ? INT64_MAX : 3 * interval_ns;
	int64_t more = interval_ns + GAP_LIMIT_MIN_NS;

	return thrice > more ? thrice : more;
}

void track_init(struct track *track, bool wants_median)
{
	*track = (struct track){
		.wants_median = wants_median, .shortest_step_back_ns = INT64_MAX};
}

void track_release(struct track *track)
{
	tally_release(&track->far);
	tally_release(&track->restarts);
	tally_release(&track->steps);
	steps_release(&track->longest);
}

/* A step forward from one answer to the next, within a segment. */
static void add_step(
	struct track *track, const struct track_row *row, int64_t dt_ns, int64_t short_ns)
{
	if (dt_ns <= short_ns) {
		track->near_ns += dt_ns;
		return;
	}
	tally_add(&track->far, dt_ns, 1);
	if (row->restart)
		tally_add(&track->restarts, dt_ns, 1);
	steps_keep(&track->longest, track->keeps ? track->keeps : GAPS_LISTED,
		(struct step){track->answers.prev_ns, dt_ns, row->file, row->line,
			row->segment, row->restart, track->answers.unanswered});
}

/* Until then no row had answered, as is known now. */
static void forget_answers(struct track *track)
{
	track->answers.any = track->answers.silent = false;
	track->near_ns = 0;
	tally_release(&track->far);
	tally_release(&track->restarts);
	steps_release(&track->longest);
}

void track_expect(struct track *track, enum row_answer answer)
{
	enum row_answer best = answer == ROW_SAYS_UNASKED ? ROW_SAYS_VALUE : answer;

	if (best <= track->answers.best)
		return;
	if (track->answers.best == ROW_SAYS_NOTHING || track->answers.silent)
		forget_answers(track);
	track->answers.best = best;
}

static void add_answer(struct track *track, const struct track_row *row, int64_t short_ns)
{
	struct track_answers *answers = &track->answers;
	bool first = !answers->any;

	if (!first && row->segment == answers->prev_segment &&
		row->t_ns > answers->prev_ns)
		add_step(track, row, row->t_ns - answers->prev_ns, short_ns);
	if (first || row->t_ns < answers->first_ns)
		answers->first_ns = row->t_ns;
	if (first || row->t_ns > answers->last_ns)
		answers->last_ns = row->t_ns;
	answers->prev_ns = row->t_ns;
	answers->prev_segment = row->segment;
	answers->unanswered = false;
	answers->any = true;
	answers->silent |= row->answer < ROW_SAYS_UNASKED;
}

/*
 * The interval is that of a recorder: where two of other columns run beside one another,
 * the steps from one's row to the other's say nothing.
 */
static void add_own_step(struct track *track, const struct track_row *row)
{
	struct track_recorder *r = track->recorder;
	size_t i = 0;

	while (i < track->recorders && r[i].columns != row->columns)
		i++;
	if (i == TRACK_RECORDERS)
		i = 0;
	if (i < track->recorders && r[i].prev_segment == row->segment &&
		row->t_ns > r[i].prev_ns)
		tally_add(&track->steps, row->t_ns - r[i].prev_ns, 1);
	if (i == track->recorders)
		track->recorders++;
	r[i] = (struct track_recorder){row->columns, row->t_ns, row->segment};
}

void track_add(struct track *track, const struct track_row *row, int64_t short_ns)
{
	int64_t dt_ns = track->rows ? row->t_ns - track->prev_ns : 0;

	if (track->rows && row->segment != track->prev_segment) {
		track->segments_begun++;
		if (-dt_ns < track->shortest_step_back_ns)
			track->shortest_step_back_ns = -dt_ns;
	}
	track_expect(track, row->answer);
	if (row->answer >= (track->answers.best == ROW_SAYS_LIFE ? ROW_SAYS_UNASKED
							       : track->answers.best))
		add_answer(track, row, short_ns);
	else
		track->answers.unanswered = true;
	if (track->wants_median)
		add_own_step(track, row);
	if (!track->rows || row->t_ns < track->first_ns)
		track->first_ns = row->t_ns;
	if (!track->rows || row->t_ns > track->last_ns)
		track->last_ns = row->t_ns;
	track->rows++;
	track->prev_ns = row->t_ns;
	track->prev_segment = row->segment;
}

/* Without sorting in place: rows may still be added. */
static int64_t lower_median(const struct tally *tally)
{
	struct tally copy = {0};
	int64_t median;

	tally_join(&copy, tally);
	tally_sort(&copy);
	median = tally_at(&copy, (copy.total - 1) / 2);
	tally_release(&copy);
	return median;
}

int64_t track_interval_ns(struct track *track, int64_t recorded_ns)
{
	if (recorded_ns > 0)
		return recorded_ns;
	if (track->steps.total < 5)
		return -1;
	if (track->median_of != track->steps.total) {
		track->median_ns = lower_median(&track->steps);
		track->median_of = track->steps.total;
	}
	return track->median_ns;
}

uint64_t track_restarts(const struct track *track, int64_t limit_ns)
{
	struct tally_entry step;
	uint64_t gaps = 0;
	size_t at = 0;

	while (tally_next(&track->restarts, &at, &step))
		gaps += step.value > limit_ns ? step.count : 0;
	return gaps;
}

int128 track_covered_ns(const struct track *track, int64_t limit_ns, uint64_t *gaps)
{
	int128 covered_ns = track->near_ns;
	struct tally_entry step;
	size_t at = 0;

	*gaps = 0;
	while (tally_next(&track->far, &at, &step)) {
		if (step.value > limit_ns)
			*gaps += step.count;
		else
			covered_ns += (int128)step.value * (int64_t)step.count;
	}
	return covered_ns;
}
