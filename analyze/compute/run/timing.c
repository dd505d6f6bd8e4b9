/*
 * Interval and gap limit of a device in a source; steps between rows, rounds,
 * sessions. README.md, "Time".
 */
#include "compute/run/timing.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/timestamp.h"
#include "compute/run/state.h"

/* Steps between rows: a tally for median and coverage; the longest steps are kept. */

void track_init(struct track *track, bool wants_median)
{
	*track = (struct track){.wants_median = wants_median,
		.unavailable_ns = INT64_MIN,
		.shortest_step_back_ns = INT64_MAX};
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
 * The interval is that of a recorder: where two of other columns run at one time,
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
	if (row->unavailable)
		track->unavailable_ns = time_later(track->unavailable_ns, row->t_ns);
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

#define STEPS_MIN 5 /* that tell an interval */

#define DOUBT_DIVISOR 5 /* a fifth of a run is more than a late begin, and a late end */

/* The interval of a timed log; -1: none. */
static int64_t timed_interval_ns(const struct aggregate *agg, enum source_kind kind)
{
	const struct source_state *source = &agg->source[kind];

	for (size_t i = 0; source->timed && i < source->device_count; i++) {
		int64_t h_ns = -1;

		if (source->device[i])
			h_ns = track_interval_ns(&source->device[i]->track,
				run_interval_ns(agg->run, kind));
		if (h_ns > 0)
			return h_ns;
	}
	return -1;
}

/* Of the first other device of its log that tells one; -1: none does. */
static int64_t shared_interval_ns(
	const struct aggregate *agg, enum source_kind kind, uint32_t device)
{
	const struct source_state *source = &agg->source[kind];

	for (uint32_t i = 0; i < source->device_count; i++) {
		int64_t h_ns = source->device[i]
			? track_interval_ns(&source->device[i]->track, -1)
			: -1;

		if (h_ns > 0 && run_shares_log(agg->run, kind, device, i))
			return h_ns;
	}
	return -1;
}

/* Where its own rows are too few. */
static void assume_from_log(struct aggregate *agg, enum source_kind kind)
{
	const struct source_state *source = &agg->source[kind];
	bool told = timed_interval_ns(agg, kind) > 0;

	for (uint32_t i = 0; i < source->device_count; i++) {
		struct device_state *device = source->device[i];

		if (device)
			device->assumed_ns =
				told && track_interval_ns(&device->track, -1) <= 0
				? shared_interval_ns(agg, kind, i)
				: -1;
	}
}

/* From the first to the last row of a timed log. */
static int64_t timed_length_ns(const struct source_state *source)
{
	int64_t from_ns = INT64_MAX, to_ns = INT64_MIN;

	for (size_t i = 0; i < source->device_count; i++) {
		const struct device_state *device = source->device[i];

		if (device && device->track.first_ns < from_ns)
			from_ns = device->track.first_ns;
		if (device && device->track.last_ns > to_ns)
			to_ns = device->track.last_ns;
	}
	return to_ns - from_ns;
}

/* One that ran as long as the other has as many ticks of the interval. */
static bool fits(const struct assumption *a)
{
	int64_t apart_ns = a->ticks_ns > a->length_ns ? a->ticks_ns - a->length_ns
						      : a->length_ns - a->ticks_ns;

	return apart_ns <= a->interval_ns || apart_ns <= a->length_ns / DOUBT_DIVISOR;
}

bool aggregate_assumption(
	const struct aggregate *agg, enum source_kind kind, struct assumption *out)
{
	const struct source_state *source = &agg->source[kind];
	bool found = false;

	if (!source->seen || source->timed)
		return false;
	for (enum source_kind from = 0; from < SOURCE_KIND_COUNT; from++) {
		int64_t h_ns = timed_interval_ns(agg, from);
		struct assumption a = {.from = from, .interval_ns = h_ns};

		if (h_ns <= 0 || source->ticks.count > (uint64_t)(TIME_END_NS / h_ns))
			continue;
		a.ticks_ns = (int64_t)source->ticks.count * h_ns;
		a.length_ns = timed_length_ns(&agg->source[from]) + h_ns;
		a.fits = fits(&a);
		if (!found || (a.fits && !out->fits))
			*out = a;
		found = true;
	}
	return found;
}

/* The interval of the first timed log, for windows of rows that are still to come. */
static int64_t first_interval_ns(const struct aggregate *agg)
{
	int64_t h_ns = -1;

	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT && h_ns < 0; kind++)
		h_ns = timed_interval_ns(agg, kind);
	return h_ns;
}

void assume_intervals(struct aggregate *agg)
{
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		struct assumption a;

		agg->assumed_ns[kind] = -1;
		if (aggregate_assumption(agg, kind, &a) && a.fits)
			agg->assumed_ns[kind] = a.interval_ns;
		assume_from_log(agg, kind);
	}
}

int64_t untimed_step_ns(const struct aggregate *agg, enum source_kind kind)
{
	int64_t step_ns = agg->options.interval_ns;

	if (step_ns <= 0)
		step_ns = run_interval_ns(agg->run, kind);
	if (step_ns <= 0)
		step_ns = first_interval_ns(agg);
	return step_ns > 0 ? step_ns : 0;
}

int64_t untimed_interval_ns(
	const struct aggregate *agg, enum source_kind kind, const char **from)
{
	*from = "option";
	if (agg->options.interval_ns > 0)
		return agg->options.interval_ns;
	*from = "recorded";
	if (run_interval_ns(agg->run, kind) > 0)
		return run_interval_ns(agg->run, kind);
	*from = "assumed";
	return agg->assumed_ns[kind];
}

/* h of a log with times, and where it is from. */
static int64_t find_interval(const struct aggregate *agg, enum source_kind kind,
	struct device_state *device, const char **from)
{
	int64_t recorded_ns = run_interval_ns(agg->run, kind);
	int64_t own_ns = track_interval_ns(&device->track, recorded_ns);

	*from = "option";
	if (agg->options.times_by_interval)
		return agg->options.interval_ns;
	if (own_ns > 0) {
		*from = recorded_ns > 0 ? "recorded" : "median";
		return own_ns;
	}
	if (device->assumed_ns > 0) {
		*from = "assumed";
		return device->assumed_ns;
	}
	return agg->options.interval_ns;
}

struct timing device_timing(
	const struct aggregate *agg, enum source_kind kind, struct device_state *device)
{
	struct timing timing = {.step_ns = -1};

	if (device->track.timed) {
		timing.interval_ns =
			find_interval(agg, kind, device, &timing.interval_source);
	} else {
		timing.interval_ns =
			untimed_interval_ns(agg, kind, &timing.interval_source);
		timing.step_ns = timing.interval_ns > 0 ? timing.interval_ns : 0;
	}
	if (timing.interval_ns <= 0)
		timing.interval_source = NULL;
	timing.limit_ns = gap_limit_asked(
		agg, timing.interval_ns > 0 ? gap_limit_ns(timing.interval_ns) : -1);
	return timing;
}

/* A metric that most rows do not even ask for, though it was there when it was asked for.
 */
static bool is_of_other_rows(const struct device_state *device, const struct gauge *gauge)
{
	return gauge->n > STEPS_MIN && gauge->missing * 10 <= gauge->n &&
		(gauge->n + gauge->missing) * 2 <= device->track.rows;
}

int64_t metric_limit_ns(const struct device_state *device, const struct timing *timing,
	enum metric_id metric)
{
	const struct series *series = device->series[metric];
	int64_t h_ns;

	if (!series || series->kind != KIND_GAUGE || timing->limit_ns < 0 ||
		!timing->interval_source ||
		strcmp(timing->interval_source, "median") != 0 ||
		!is_of_other_rows(device, &series->gauge) || series->gauge.limit_known)
		return timing->limit_ns;
	h_ns = slices_far_median(&series->gauge.slices);
	return h_ns > timing->limit_ns ? gap_limit_ns(h_ns) : timing->limit_ns;
}

/* Rounds: a round ends by the times of the rows, else by their order. */

void rounds_release(struct rounds *rounds)
{
	free(rounds->of);
	*rounds = (struct rounds){0};
}

/* A process has the place of its GPU. */
static uint32_t place_of(struct rounds *rounds, const struct run *run, uint32_t device)
{
	int32_t parent = run->device[device].parent;
	size_t at = parent >= 0 ? (size_t)parent : device;

	ALLOC_AT(rounds->of, at, rounds->known, rounds->cap);
	if (!rounds->of[at].place)
		rounds->of[at].place = ++rounds->places;
	return rounds->of[at].place;
}

/* From row to row of a device, or from round to round, if that is less; 0: not known. */
static int64_t period_ns(const struct rounds *rounds, const struct round_row *row)
{
	const struct round_device *own = &rounds->of[row->device];
	int64_t own_ns = own->round ? row->t_ns - own->t_ns : 0;

	if (!own->round || (rounds->length_ns && rounds->length_ns < own_ns))
		return rounds->length_ns;
	return own_ns;
}

static bool is_whole_second(int64_t t_ns)
{
	return t_ns % NS_PER_S == 0;
}

/* Of times cut to seconds a step of one may be of no time. */
static bool may_be_none(
	const struct rounds *rounds, const struct round_row *row, int64_t step_ns)
{
	return step_ns == NS_PER_S && is_whole_second(row->t_ns) &&
		is_whole_second(rounds->last_ns);
}

/* Of a device that the round has no row of. */
static bool is_of_next(
	const struct rounds *rounds, const struct round_row *row, uint32_t place)
{
	int64_t step_ns = row->t_ns - rounds->last_ns, period;
	bool turns = place < rounds->last;

	if (!row->timed)
		return turns;
	period = period_ns(rounds, row);
	if (period <= 0 || (period <= 2 * NS_PER_S && may_be_none(rounds, row, step_ns)))
		return turns;
	return step_ns > period / 2;
}

/* Does the device come again so soon that the first round has ended at its longest step?
 */
static bool has_begun(
	const struct rounds *rounds, const struct run *run, const struct round_row *row)
{
	return row->timed && rounds->count == 1 && run->device[row->device].parent < 0 &&
		rounds->longest_ns > 0 &&
		row->t_ns - rounds->last_ns <= rounds->longest_ns / 2;
}

/* Places are those of the rows behind it, from 1 on. */
static void begin_behind_step(struct rounds *rounds)
{
	uint32_t before = 0;

	for (size_t i = 0; i < rounds->known; i++)
		before += rounds->of[i].place && rounds->of[i].t_ns < rounds->behind_ns;
	for (size_t i = 0; i < rounds->known; i++) {
		struct round_device *device = &rounds->of[i];

		if (device->place <= before) {
			device->place = 0;
		} else {
			device->place -= before;
			device->round = rounds->count + 1;
		}
	}
	rounds->places -= before;
	rounds->length_ns = rounds->behind_ns - rounds->begin_ns;
	rounds->begin_ns = rounds->behind_ns;
	rounds->longest_ns = 0;
	rounds->count++;
}

static void begin(struct rounds *rounds, const struct round_row *row)
{
	if (row->timed && rounds->count && !row->apart)
		rounds->length_ns = row->t_ns - rounds->begin_ns;
	rounds->begin_ns = row->t_ns;
	rounds->longest_ns = 0;
	rounds->count++;
}

static void note_step(struct rounds *rounds, const struct round_row *row)
{
	int64_t step_ns = row->t_ns - rounds->last_ns;

	if (!row->timed || step_ns <= rounds->longest_ns)
		return;
	rounds->longest_ns = step_ns;
	rounds->behind_ns = row->t_ns;
}

enum round_turn rounds_add(
	struct rounds *rounds, const struct run *run, const struct round_row *row)
{
	enum round_turn turn = ROUND_GOES_ON;
	uint32_t place;
	bool again;

	ALLOC_AT(rounds->of, row->device, rounds->known, rounds->cap);
	again = rounds->of[row->device].round == rounds->count;
	if (!rounds->count || row->apart) {
		turn = ROUND_BEGINS;
	} else if (again) {
		turn = has_begun(rounds, run, row) ? ROUND_BEGAN : ROUND_BEGINS;
	}
	if (turn == ROUND_BEGAN)
		begin_behind_step(rounds);
	place = place_of(rounds, run, row->device);
	if (turn == ROUND_GOES_ON && is_of_next(rounds, row, place))
		turn = ROUND_BEGINS;
	if (turn == ROUND_BEGINS)
		begin(rounds, row);
	else
		note_step(rounds, row);
	rounds->of[row->device].round = rounds->count;
	rounds->of[row->device].t_ns = row->t_ns;
	rounds->last = place;
	rounds->last_ns = row->t_ns;
	return turn;
}

/*
 * Times for logs without times. Ticks are counted as in the aggregate, from TIME_BEGIN
 * on.
 */

void tick_times_release(struct tick_times *times)
{
	rounds_release(&times->rounds);
}

bool tick_times_has_room(uint64_t ticks, int64_t step_ns)
{
	return ticks + SAMPLE_BATCH_ROWS <=
		(uint64_t)((TIME_DATED - TIME_BEGIN) / step_ns);
}

void tick_times_put(
	struct tick_times *times, const struct run *run, struct sample_batch *batch)
{
	struct rounds *rounds = &times->rounds;

	if (batch->timed || times->step_ns <= 0 ||
		!tick_times_has_room(rounds->count, times->step_ns))
		return;
	for (size_t row = 0; row < batch->rows; row++) {
		uint32_t device = batch->device[row];

		/* Single CPUs stand behind the row of all together. */
		if (!device_is_core(&run->device[device]))
			rounds_add(rounds, run, &(struct round_row){.device = device});
		batch->t_ns[row] = TIME_BEGIN;
		if (rounds->count)
			batch->t_ns[row] += (int64_t)(rounds->count - 1) * times->step_ns;
	}
	batch->timed = true;
}

/* Order, sessions, ticks and snapshots of a source. */

/* Rows of a source are ordered by segment, time, ordinal and device. */
static void check_order(
	struct source_state *source, const struct sample_batch *batch, size_t row)
{
	int64_t t_ns = batch->t_ns[row];
	int32_t segment = batch->segment[row];
	bool back;

	if (segment != source->last_segment)
		back = segment < source->last_segment;
	else if (t_ns != source->last_ns)
		back = t_ns < source->last_ns;
	else if (batch->ordinal[row] != source->last_ordinal)
		back = batch->ordinal[row] < source->last_ordinal;
	else
		back = batch->device[row] <= source->last_device;
	source->broken |= back;
}

/* A log that more follow a header in was not written by a call of nvidia-smi each. */
#define ROUNDS_OF_A_LOOP 2

/* So many headers in succession, no more rounds apart, are those of a loop. */
#define HEADERS_OF_A_LOOP 3

/*
 * Whoever calls nvidia-smi in a loop has a header in each round; one that comes after
 * more of them is that of another recorder. Logs of other kinds repeat theirs.
 */
static bool is_restart(
	const struct source_state *source, const struct sample_batch *batch, size_t row)
{
	return batch->source == SOURCE_NVIDIA_QUERY && batch->header[row] &&
		source->ticks.count - source->header_tick > ROUNDS_OF_A_LOOP;
}

static void note_session(struct source_state *source, const struct sample_batch *batch,
	size_t row, int64_t short_ns)
{
	bool stepped_back = batch->segment[row] != source->last_segment;
	bool restarted = is_restart(source, batch, row);
	struct session_start *start;
	bool is_loop;

	if (!batch->header[row])
		return;
	if (source->ticks.count - source->header_tick > ROUNDS_OF_A_LOOP)
		source->loop_headers = 0;
	is_loop = ++source->loop_headers >= HEADERS_OF_A_LOOP;
	source->header_tick = source->ticks.count;
	/* the header of a loop comes in each round: a hole before it is no new start */
	if (!stepped_back && !restarted &&
		(is_loop || batch->t_ns[row] - source->last_ns <= short_ns))
		return;
	start = &ALLOC_NEXT(source->session, source->session_count, source->session_cap);
	*start = (struct session_start){
		source->last_ns, batch->t_ns[row], stepped_back, restarted, source->open};
	source->open = (struct stretch){batch->t_ns[row], batch->t_ns[row]};
}

/* What was added up as one tick are two: the longest step in it divides them. */
static void divide(struct tick_total *total, int64_t begin_ns, int64_t last_ns)
{
	total->sum -= total->before;
	if (total->sum > total->before) {
		total->peak = total->sum;
		total->peak_ns = last_ns;
		total->peak_from_ns = begin_ns;
	} else {
		total->peak = total->before;
		total->peak_ns = total->before_ns;
	}
	total->from_ns = begin_ns;
	total->before = 0;
}

/* A tick also ends at a step that may be a gap, and at a new segment. */
static void find_tick(const struct run *run, struct source_state *source,
	const struct sample_batch *batch, size_t row)
{
	bool apart = source->seen &&
		(batch->segment[row] != source->last_segment ||
			(batch->timed &&
				batch->t_ns[row] - source->last_ns > GAP_LIMIT_MIN_NS));
	int64_t longest_ns = source->ticks.longest_ns;
	struct tick_total *total = &source->peak_total;

	switch (rounds_add(&source->ticks, run,
		&(struct round_row){
			batch->device[row], apart, batch->timed, batch->t_ns[row]})) {
	case ROUND_GOES_ON:
		if (source->ticks.longest_ns > longest_ns) {
			total->before = total->sum;
			total->before_ns = source->last_ns;
		}
		break;
	case ROUND_BEGINS:
		total->sum = total->before = 0;
		total->from_ns = batch->t_ns[row];
		total->segment = batch->segment[row];
		break;
	case ROUND_BEGAN:
		divide(total, source->ticks.begin_ns, source->last_ns);
		break;
	}
}

void source_note_row(const struct run *run, struct source_state *source,
	struct device_state *device, const struct sample_batch *batch, size_t row,
	int64_t short_ns)
{
	int64_t t_ns = batch->t_ns[row];

	find_tick(run, source, batch, row);
	if (source->seen) {
		check_order(source, batch, row);
		if (batch->timed)
			note_session(source, batch, row, short_ns);
	} else {
		source->origin_ns = t_ns;
		source->open = (struct stretch){t_ns, t_ns};
		source->snapshot_ns = source->snapshot_before_ns = t_ns;
		source->header_tick = source->ticks.count;
		source->loop_headers = 1;
	}
	source->open.from_ns = t_ns < source->open.from_ns ? t_ns : source->open.from_ns;
	source->open.to_ns = t_ns > source->open.to_ns ? t_ns : source->open.to_ns;
	source->seen = true;
	source->timed = batch->timed;
	if (batch->timed)
		track_add(&source->rows,
			&(struct track_row){t_ns, batch->segment[row], batch->file,
				batch->line[row], false, 0, ROW_SAYS_LIFE, false},
			short_ns);
	if (t_ns != source->snapshot_ns) {
		source->snapshot_before_ns = source->snapshot_ns;
		source->snapshot_ns = t_ns;
	}
	source->last_segment = batch->segment[row];
	source->last_ns = t_ns;
	source->last_ordinal = batch->ordinal[row];
	source->last_device = batch->device[row];
	device->session = source->session_count;
}

/*
 * Sessions: stretches between headers that came again after a gap. README.md, "Time".
 */

bool session_explains(const struct source_state *source, int64_t from_ns, int64_t to_ns)
{
	const struct session_start *start;

	if (!source->session_count)
		return false;
	start = &source->session[source->session_count - 1];
	return start->before_ns >= from_ns && start->after_ns <= to_ns &&
		(int128)(to_ns - start->after_ns) + (start->before_ns - from_ns) <=
		GAP_LIMIT_MIN_NS;
}
