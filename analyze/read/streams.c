/* Few streams, found by a walk. */
#include "read/streams.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "base/timestamp.h"
#include "model/words.h"

#define STREAMS_MAX 256 /* of a file */

void streams_release(struct streams *streams)
{
	for (size_t i = 0; i < streams->count; i++) {
		texts_release(&streams->at[i].models);
		free(streams->at[i].begin.t_ns);
		free(streams->at[i].begin.header);
	}
	free(streams->at);
	*streams = (struct streams){0};
}

size_t streams_find(const struct streams *streams, const struct stream_key *key)
{
	size_t alike = STREAMS_NONE;

	for (size_t i = 0; i < streams->count; i++) {
		if (streams->at[i].key.who != key->who)
			continue;
		if (streams->at[i].key.names == key->names)
			return i;
		if (alike == STREAMS_NONE)
			alike = i;
	}
	return alike;
}

size_t streams_add(struct streams *streams, const struct stream_key *key)
{
	size_t i = streams_find(streams, key);

	if (i != STREAMS_NONE && streams->at[i].key.names == key->names)
		return i;
	if (streams->count == STREAMS_MAX)
		return STREAMS_NONE;
	ALLOC_GROW(streams->at, streams->count + 1, streams->cap);
	streams->at[streams->count] = (struct stream){.key = *key, .blocks = {.size = 1}};
	return streams->count++;
}

size_t stream_gpus(const struct stream *stream)
{
	return stream->models.count ? stream->models.count : stream->blocks.size;
}

size_t streams_largest(const struct streams *streams)
{
	size_t largest = 1;

	for (size_t i = 0; i < streams->count; i++)
		if (streams->at[i].blocks.size > largest)
			largest = streams->at[i].blocks.size;
	return largest;
}

/*
 * With k GPUs one step in k is a long one. For each k the long steps' middle one gives
 * a threshold; the first k whose threshold cuts the log into blocks of k is the
 * answer. (A log of one GPU whose steps alternate, say 15 and 25 ms, has no step below
 * half of the long ones and stays one GPU.)
 */

/* One nvidia-smi asks its GPUs within milliseconds; 46 ms is the most that was seen. */
#define BLOCK_STEP_MAX_NS (NS_PER_S / 4)

static bool is_border(int64_t step_ns, int64_t border_ns)
{
	return step_ns > border_ns || step_ns < 0;
}

bool blocks_is_border(const struct blocks *blocks, int64_t step_ns)
{
	return is_border(step_ns, blocks->border_ns);
}

/*
 * At least nine of ten blocks have exactly `size` rows. Two blocks alone prove nothing:
 * they may be one GPU with a gap; so there must be three, or equal times.
 */
static bool fits(const int64_t *t_ns, size_t count, size_t size, int64_t border_ns,
	int64_t inside_ns)
{
	size_t blocks = 1, exact = 0, rows = 1;

	for (size_t i = 1; i < count; i++) {
		if (!is_border(t_ns[i] - t_ns[i - 1], border_ns)) {
			rows++;
			continue;
		}
		blocks++;
		exact += rows == size;
		rows = 1;
	}
	if (rows < size && blocks > 3)
		blocks--; /* the recorder was stopped in it */
	else
		exact += rows == size;
	return exact * 10 >= blocks * 9 && (blocks >= 3 || inside_ns == 0);
}

/*
 * The median of the steps, in ascending order, that are not longer than borders; -1: none
 * but steps back are.
 */
static int64_t inside_step(const int64_t *step, size_t count, int64_t border_ns)
{
	size_t inside = sorted_up_to(step, count, sizeof *step, 0, border_ns);

	return !inside || step[inside - 1] < 0 ? -1 : step[(inside - 1) / 2];
}

/* The largest number of successive rows at one time. */
static size_t largest_group(const int64_t *t_ns, size_t count)
{
	size_t largest = 1, rows = 1;

	for (size_t i = 1; i < count; i++) {
		rows = t_ns[i] == t_ns[i - 1] ? rows + 1 : 1;
		largest = rows > largest ? rows : largest;
	}
	return largest;
}

/* The steps between rows, in ascending order; owned by the caller. */
static int64_t *sorted_steps(const int64_t *t_ns, size_t count)
{
	int64_t *step = xmalloc(count * sizeof *step);

	for (size_t i = 1; i < count; i++)
		step[i - 1] = t_ns[i] - t_ns[i - 1];
	sort_int64(step, count - 1);
	return step;
}

/* Blocks within which the middle step is inside_max_ns at most. */
static struct blocks find_blocks(const int64_t *t_ns, size_t count, int64_t inside_max_ns)
{
	struct blocks blocks = {.size = 1};
	int64_t *step;

	if (count < 2)
		return blocks;
	step = sorted_steps(t_ns, count);
	for (size_t size = 2; size <= BLOCKS_MAX && size <= count; size++) {
		size_t borders = count / size;
		int64_t border_ns = step[count - 2 - (borders - 1) / 2] / 2;
		int64_t inside_ns = inside_step(step, count - 1, border_ns);

		if (inside_ns < 0 || inside_ns > inside_max_ns ||
			!fits(t_ns, count, size, border_ns, inside_ns))
			continue;
		blocks = (struct blocks){.size = size, .border_ns = border_ns};
		break;
	}
	free(step);
	return blocks;
}

struct blocks blocks_find(const int64_t *t_ns, size_t count)
{
	struct blocks blocks = find_blocks(t_ns, count, BLOCK_STEP_MAX_NS);

	if (blocks.size > 1 || count < 2)
		return blocks;
	/* Rows that share their time to the digit, however long the steps between. */
	blocks.size = largest_group(t_ns, count);
	if (blocks.size > BLOCKS_MAX || !fits(t_ns, count, blocks.size, 0, 0))
		blocks.size = 1;
	return blocks;
}

#define WIDE_STEP_MAX_NS (3 * NS_PER_S)

struct blocks blocks_find_wide(const int64_t *t_ns, size_t count)
{
	return find_blocks(t_ns, count, WIDE_STEP_MAX_NS);
}

#define CALL_STEP_MAX_NS (NS_PER_S / 20)

struct blocks blocks_find_few(
	const int64_t *t_ns, const uint8_t *header, size_t count, bool *certain)
{
	struct blocks blocks = {.size = 1};
	size_t size = 0, rows = 1, headers = 1, found = 0;

	*certain = false;
	if (count < 2 || count > BLOCKS_MAX)
		return blocks;
	for (size_t i = 1; i <= count; i++) {
		int64_t step_ns = i < count ? t_ns[i] - t_ns[i - 1] : -1;
		bool border =
			i == count || header[i] || is_border(step_ns, BLOCK_STEP_MAX_NS);

		if (!border && step_ns > CALL_STEP_MAX_NS)
			return blocks;
		if (!border) {
			rows++;
			continue;
		}
		if (found++ && rows != size)
			return blocks;
		size = rows;
		rows = 1;
		headers += i < count && header[i];
	}
	*certain = found > 1 && headers == found;
	if (size > 1)
		blocks = (struct blocks){.size = size, .border_ns = BLOCK_STEP_MAX_NS};
	return blocks;
}

#define TURNS_ROWS	  1024 /* that are looked at */
#define TURNS_MIN	  16 /* steps of a log in which they may come in turns */
#define TURNS_STEP_MAX_NS (3 * NS_PER_S) /* ... each */
#define TURNS_APART_NS	  (NS_PER_S / 500) /* a clock of milliseconds rounds to less */

/* The middle one of every other step from `first` on; room is for half of them. */
static int64_t median_of_turns(
	const int64_t *t_ns, size_t count, size_t first, int64_t *room)
{
	size_t steps = 0;

	for (size_t i = first; i + 1 < count; i += 2)
		room[steps++] = t_ns[i + 1] - t_ns[i];
	sort_int64(room, steps);
	return room[steps - 1 - steps / 2];
}

/*
 * Where the step between ticks is not far longer than the one between two GPUs, no block
 * can be told. At least nine of ten steps are as long as the middle one of theirs.
 */
bool blocks_come_in_turns(const int64_t *t_ns, size_t count)
{
	int64_t middle[2], apart_ns, *room;
	size_t alike = 0, steps;

	if (count <= TURNS_MIN)
		return false;
	count = count < TURNS_ROWS ? count : TURNS_ROWS;
	steps = count - 1;
	room = xmalloc(count * sizeof *room);
	for (size_t first = 0; first < 2; first++)
		middle[first] = median_of_turns(t_ns, count, first, room);
	free(room);
	if (middle[0] < 0 || middle[0] > TURNS_STEP_MAX_NS || middle[1] < 0 ||
		middle[1] > TURNS_STEP_MAX_NS)
		return false;
	apart_ns = middle[0] < middle[1] ? middle[1] - middle[0] : middle[0] - middle[1];
	if (apart_ns < TURNS_APART_NS || apart_ns * 6 < middle[0] + middle[1])
		return false;
	for (size_t i = 0; i < steps; i++) {
		int64_t off_ns = t_ns[i + 1] - t_ns[i] - middle[i % 2];

		alike += off_ns > -apart_ns / 3 && off_ns < apart_ns / 3;
	}
	return alike * 10 >= steps * 9;
}

/* Bursts, and then nothing for far longer than they took. */
bool blocks_look_like(const int64_t *t_ns, size_t count)
{
	size_t bursts = 0, together = 0, alone = 0;

	for (size_t i = 0, k; i < count; i = k) {
		for (k = i + 1; k < count && t_ns[k] >= t_ns[k - 1] &&
			t_ns[k] - t_ns[i] <= BLOCK_STEP_MAX_NS &&
			t_ns[k] - t_ns[k - 1] <= BLOCK_STEP_MAX_NS / 4;
			k++)
			;
		if (k < count && t_ns[k] - t_ns[k - 1] < 4 * (t_ns[k - 1] - t_ns[i]))
			return false;
		bursts += k - i > 1;
		together += k - i > 1 ? k - i : 0;
		alone += k - i == 1;
	}
	return bursts >= 3 && together > alone;
}

bool blocks_look_like_by_header(const uint8_t *header, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (!header[i])
			return true;
	return false;
}

/* A header is a border beyond doubt, so three of four blocks of one size are enough. */
struct blocks blocks_find_by_header(const uint8_t *header, size_t count)
{
	size_t of_size[BLOCKS_MAX + 1] = {0}, blocks = 0, rows = 0, best = 1;

	for (size_t i = 0; i <= count; i++) {
		if (i == count || header[i]) {
			blocks += rows > 0;
			of_size[rows <= BLOCKS_MAX ? rows : 0]++;
			rows = 0;
		}
		rows++;
	}
	for (size_t size = 2; size <= BLOCKS_MAX; size++)
		if (of_size[size] > of_size[best])
			best = size;
	if (best == 1 || blocks < 3 || of_size[best] * 4 < blocks * 3)
		return (struct blocks){.size = 1};
	return (struct blocks){.size = best, .by_header = true};
}

/*
 * Three steps of a value are compared: from a row to the next one in its group (near),
 * from a group's last row to the next group's first (across), and from a place to the
 * same place of the next group (along). Several GPUs have small steps along, or change
 * only across; of one GPU that is asked evenly near and across are alike, and along is
 * longer if the value has a course. Noise hides both: then the places' means are
 * compared with what is left beside the groups' and the places' means (a two-way
 * analysis of variance).
 */

#define PLAIN		 2 /* times as long: plainly longer */
#define COURSE		 1.5 /* times as long along as near: the value has a course */
#define PLACES_F	 12 /* of places that differ; by chance below once in a thousand */
#define ALTERNATING_ROWS 16 /* whose values tell something */
#define STEPS_MIN	 3 /* of a kind, that tell something */

struct steps {
	double sum;
	size_t count, changes;
};

static void add_step(struct steps *steps, int64_t from, int64_t to)
{
	if (from == PATTERN_NO_VALUE || to == PATTERN_NO_VALUE)
		return;
	steps->sum += fabs((double)to - (double)from);
	steps->count++;
	steps->changes += to != from;
}

static double mean_of(const struct steps *steps)
{
	return steps->count ? steps->sum / (double)steps->count : 0;
}

/* Means of groups and places are taken out; the variance of the latter against the rest.
 */
static bool places_differ(
	const int64_t *value, const size_t *row, size_t count, size_t size)
{
	double *place = xcalloc(size, sizeof *place);
	double between = 0, rest = 0;
	size_t groups = 0;

	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i + size <= count; i += size) {
			double mean = 0;
			bool whole = true;

			for (size_t k = 0; k < size; k++) {
				whole &= value[row[i + k]] != PATTERN_NO_VALUE;
				mean += (double)value[row[i + k]] / (double)size;
			}
			groups += whole && pass == 0;
			for (size_t k = 0; k < size && whole; k++) {
				double off = (double)value[row[i + k]] - mean;

				if (pass == 0)
					place[k] += off;
				else
					rest += (off - place[k]) * (off - place[k]);
			}
		}
		for (size_t k = 0; k < size && pass == 0 && groups; k++) {
			place[k] /= (double)groups;
			between += place[k] * place[k] * (double)groups;
		}
	}
	free(place);
	return groups >= PATTERN_GROUPS_MIN &&
		between * (double)(groups - 1) > PLACES_F * rest;
}

enum pattern pattern_find(
	const int64_t *value, const size_t *row, size_t count, size_t size)
{
	struct steps near = {0}, across = {0}, along = {0};

	for (size_t i = 1; i < count; i++) {
		add_step(i % size ? &near : &across, value[row[i - 1]], value[row[i]]);
		if (i >= size)
			add_step(&along, value[row[i - size]], value[row[i]]);
	}
	if (!near.changes && !across.changes)
		return PATTERN_CONSTANT;
	if (along.count < STEPS_MIN)
		return PATTERN_ALIKE;
	if (near.changes >= STEPS_MIN && mean_of(&near) > PLAIN * mean_of(&along))
		return PATTERN_SEVERAL;
	if (across.changes >= STEPS_MIN &&
		mean_of(&across) > PLAIN * PLAIN * mean_of(&near))
		return PATTERN_SEVERAL;
	if (near.changes >= STEPS_MIN && mean_of(&along) > COURSE * mean_of(&near) &&
		mean_of(&along) > COURSE * mean_of(&across) &&
		mean_of(&across) > mean_of(&near) / PLAIN &&
		mean_of(&across) < mean_of(&near) * PLAIN)
		return PATTERN_ONE;
	return places_differ(value, row, count, size) ? PATTERN_PLACES : PATTERN_ALIKE;
}

bool pattern_repeats(const int64_t *value, const size_t *row, size_t count, size_t size)
{
	struct steps near = {0}, along = {0};

	for (size_t i = 1; i < count; i++) {
		if (i % size)
			add_step(&near, value[row[i - 1]], value[row[i]]);
		if (i >= size)
			add_step(&along, value[row[i - size]], value[row[i]]);
	}
	return near.changes >= STEPS_MIN && along.count >= size * STEPS_MIN &&
		mean_of(&near) > PLAIN * PLAIN * mean_of(&along);
}

bool pattern_alternates(const int64_t *value, const size_t *row, size_t count)
{
	struct steps last = {0}, last_but_one = {0};

	for (size_t i = 2; i < count; i++) {
		if (value[row[i]] == PATTERN_NO_VALUE ||
			value[row[i - 1]] == PATTERN_NO_VALUE ||
			value[row[i - 2]] == PATTERN_NO_VALUE)
			continue;
		add_step(&last, value[row[i - 1]], value[row[i]]);
		add_step(&last_but_one, value[row[i - 2]], value[row[i]]);
	}
	return last.count >= ALTERNATING_ROWS && last.sum > PLAIN * last_but_one.sum;
}

enum pattern pattern_join(enum pattern a, enum pattern b)
{
	return a > b ? a : b;
}
