/* A place for each device, by the order of their first rows. */
#include "compute/run/rounds.h"

#include <stdlib.h>

#include "base/alloc.h"

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

static uint32_t place_of(struct rounds *rounds, const struct run *run, uint32_t device)
{
	int32_t parent = run->device[device].parent;
	size_t at = parent >= 0 ? (size_t)parent : device;

	know(rounds, at);
	if (!rounds->of[at].place)
		rounds->of[at].place = ++rounds->places;
	return rounds->of[at].place;
}

bool rounds_add(struct rounds *rounds, const struct run *run, uint32_t device, bool apart)
{
	uint32_t place = place_of(rounds, run, device);
	bool begins;

	know(rounds, device);
	begins = !rounds->count || apart || place < rounds->last ||
		rounds->of[device].round == rounds->count;
	rounds->count += begins;
	rounds->of[device].round = rounds->count;
	rounds->last = place;
	return begins;
}
