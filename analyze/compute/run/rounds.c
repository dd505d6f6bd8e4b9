/* Where a round ends: by the times of the rows, and by their order where these don't
 * tell. */
#include "compute/run/rounds.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/timestamp.h"

void rounds_release(struct rounds *rounds)
{
	free(rounds->of);
	*rounds = (struct rounds){0};
}

static void know(struct rounds *rounds, size_t device)
{
	ALLOC_GROW(rounds->of, device + 1, rounds->cap);
	while (rounds->known <= device)
		rounds->of[rounds->known++] = (struct round_device){0};
}

/* A process has the place of its GPU. */
static uint32_t place_of(struct rounds *rounds, const struct run *run, uint32_t device)
{
	int32_t parent = run->device[device].parent;
	size_t at = parent >= 0 ? (size_t)parent : device;

	know(rounds, at);
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

	know(rounds, row->device);
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
