/*
 * How many GPUs a stream is about. GPUs of different models are told apart by these,
 * if no model is that of several: the rows of each must not come in blocks. Else
 * blocks of rows tell, whatever their models.
 */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/sort.h"
#include "base/timestamp.h"
#include "model/sample.h"
#include "model/words.h"
#include "read/bad_gpu_id.h"
#include "read/formats.h"
#include "read/identity.h"
#include "read/log.h"
#include "read/reading.h"
#include "read/streams.h"

#define STREAM_BEGIN_ROWS 4096

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

/*
 * At least nine of ten blocks have exactly `size` rows. Two blocks alone prove nothing:
 * they may be one GPU with a gap; so there must be three, or equal times.
 */
static bool has_blocks(const int64_t *t_ns, size_t count, size_t size, int64_t border_ns,
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
			!has_blocks(t_ns, count, size, border_ns, inside_ns))
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
	if (blocks.size > BLOCKS_MAX || !has_blocks(t_ns, count, blocks.size, 0, 0))
		blocks.size = 1;
	return blocks;
}

/* Rows of a block may follow one another as slowly. */
#define WIDE_STEP_MAX_NS (3 * NS_PER_S)

#define CALL_STEP_MAX_NS (NS_PER_S / 20)

/*
 * Of a log of few rows, whose steps prove nothing: one block, or several of one size, in
 * which rows follow one another as fast as those of one call do. *certain: a header
 * stands before each of several, so that they are calls.
 */
static struct blocks blocks_find_few(
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

/*
 * Bursts of no constant size, and then nothing for far longer than they took: they may be
 * several GPUs all the same.
 */
static bool blocks_look_like(const int64_t *t_ns, size_t count)
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

static bool blocks_look_like_by_header(const uint8_t *header, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (!header[i])
			return true;
	return false;
}

/*
 * Of a log without times: header[i] stood before row i. A header is a border beyond
 * doubt, so three of four blocks of one size are enough.
 */
static struct blocks blocks_find_by_header(const uint8_t *header, size_t count)
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
 * Whether rows in groups of a constant size are as many GPUs or one, as their values
 * tell: those of a GPU stay with its place in the group, while those of one GPU that
 * is asked again and again go on from row to row. Knows nothing of times.
 */

enum pattern {
	PATTERN_CONSTANT, /* no value ever changes: nothing tells */
	PATTERN_ALIKE, /* they change, but no place differs from the others */
	PATTERN_PLACES, /* the places' means differ */
	PATTERN_ONE, /* they go on from row to row, also from group to group */
	PATTERN_SEVERAL /* each stays with its place, or changes with the group */
};

#define PATTERN_GROUPS_MIN 8 /* below that only plain differences count */
#define GPUS_LIKELY	   16 /* that a machine has, at most */
#define PATTERN_NO_VALUE   INT64_MIN

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

/*
 * Of one metric: value[row[i]] for i < count, which are whole groups of `size` rows; size
 * is 2 at least.
 */
static enum pattern pattern_find(
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

/*
 * Whether a value differs from row to row in a group far more than from group to group:
 * by a factor of four.
 */
static bool pattern_repeats(
	const int64_t *value, const size_t *row, size_t count, size_t size)
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

/*
 * Whether the values of rows lie further from those of the row before than from the last
 * but one, as of two GPUs in turns; of one GPU they are nearer, or as near.
 */
static bool pattern_alternates(const int64_t *value, const size_t *row, size_t count)
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

#define LOOK_VALUES 4096 /* rows whose values are kept */

/*
 * What the first rows of a file tell before it is read: its first time, and where rows
 * have no id how many GPUs they are about.
 */

struct look_row {
	int64_t t_ns;
	uint32_t device; /* one for each model */
	uint8_t header; /* a header stood before it */
	size_t stream; /* of the file's; STREAMS_NONE: it says which GPU it is about */
};

struct look_values {
	enum metric_id metric;
	int64_t *at; /* [count], up to LOOK_VALUES; or PATTERN_NO_VALUE */
	size_t count;
};

struct look {
	int64_t first_ns; /* TIME_NONE: no row has a time */
	struct look_row *row; /* [count] */
	size_t count, cap;
	struct look_values *values; /* [column_count] of the batch's columns */
	size_t column_count, column_cap;
	bool exact; /* the clock is finer than a second */
};

struct rows {
	const struct look *look;
	bool timed; /* their times tell blocks apart */
	size_t *first; /* [streams + 1] where those of each begin in: */
	size_t *all; /* the rows of all streams, one stream after the other */
	size_t *at; /* [count] in the look */
	int64_t *t_ns;
	uint8_t *header; /* a header stood before it, or a row of another stream */
	size_t count;
	size_t *in_block; /* [blocked] of those in the blocks that are tried */
	size_t blocked;
};

#define COMES_BACK 8 /* times, at least */

/* Room for those of any stream. The look and the file are borrowed. */
static struct rows rows_new(const struct look *look, const struct reading_file *file)
{
	size_t streams = file->facts.streams.count, *next;
	struct rows rows = {.look = look,
		/* of lines between rows, only that they came is certain */
		.timed = look->first_ns != TIME_NONE && !file->facts.clocked,
		.first = xcalloc(streams + 2, sizeof(size_t)),
		.all = xmalloc((look->count + 1) * sizeof(size_t)),
		.at = xmalloc((look->count + 1) * sizeof(size_t)),
		.t_ns = xmalloc((look->count + 1) * sizeof(int64_t)),
		.in_block = xmalloc((look->count + 1) * sizeof(size_t)),
		.header = xmalloc(look->count + 1)};

	next = rows.first + 1;
	for (size_t i = 0; i < look->count; i++)
		if (look->row[i].stream != STREAMS_NONE)
			next[look->row[i].stream + 1]++;
	for (size_t i = 1; i <= streams; i++)
		next[i] += next[i - 1];
	/* next[i] is where the next row of stream i goes, and in the end begins i + 1 */
	for (size_t i = 0; i < look->count; i++)
		if (look->row[i].stream != STREAMS_NONE)
			rows.all[next[look->row[i].stream]++] = i;
	return rows;
}

static void rows_release(struct rows *rows)
{
	free(rows->first);
	free(rows->all);
	free(rows->at);
	free(rows->t_ns);
	free(rows->header);
	free(rows->in_block);
}

/* Fills in those of a stream, and of a device alone unless it is IDENTITY_NONE. */
static void rows_fill(struct rows *rows, size_t stream, uint32_t device)
{
	size_t last = SIZE_MAX - 1;

	rows->count = 0;
	for (size_t i = rows->first[stream]; i < rows->first[stream + 1]; i++) {
		const struct look_row *row = &rows->look->row[rows->all[i]];

		if (device != IDENTITY_NONE && row->device != device)
			continue;
		rows->at[rows->count] = rows->all[i];
		rows->t_ns[rows->count] = row->t_ns;
		rows->header[rows->count++] = row->header || rows->all[i] != last + 1;
		last = rows->all[i];
	}
}

/* Finds those in blocks of the right size, as far as there are values. */
static void find_in_blocks(struct rows *rows, const struct blocks *blocks)
{
	rows->blocked = 0;
	for (size_t i = 0, k; i < rows->count; i = k) {
		for (k = i + 1; k < rows->count &&
			!blocks_is_border(blocks, rows->t_ns[k] - rows->t_ns[k - 1]);
			k++)
			;
		if (k - i != blocks->size || rows->at[k - 1] >= LOOK_VALUES)
			continue;
		for (size_t n = i; n < k; n++)
			rows->in_block[rows->blocked++] = rows->at[n];
	}
}

/* A column that came late, or never again, may have no value of a row. */
static bool has_values(const struct look_values *values, const size_t *row, size_t count)
{
	return count && row[count - 1] < values->count;
}

/* What the values say of rows in such blocks. */
static enum pattern rows_pattern(struct rows *rows, const struct blocks *blocks)
{
	const struct look *look = rows->look;
	enum pattern pattern = PATTERN_CONSTANT;

	find_in_blocks(rows, blocks);
	for (size_t c = 0; c < look->column_count; c++) {
		enum pattern one = PATTERN_CONSTANT;

		if (has_values(&look->values[c], rows->in_block, rows->blocked))
			one = pattern_find(look->values[c].at, rows->in_block,
				rows->blocked, blocks->size);
		pattern = one > pattern ? one : pattern; /* the plainer of both */
	}
	return pattern;
}

/* A value of theirs comes back in each block, and is another for each place. */
static bool rows_repeat(const struct rows *rows, size_t size)
{
	const struct look_values *values = rows->look->values;

	for (size_t c = 0; c < rows->look->column_count; c++)
		if (has_values(&values[c], rows->in_block, rows->blocked) &&
			pattern_repeats(
				values[c].at, rows->in_block, rows->blocked, size))
			return true;
	return false;
}

/* Those of which there are values. */
static size_t count_valued(const struct rows *rows)
{
	size_t count = 0;

	while (count < rows->count && rows->at[count] < LOOK_VALUES)
		count++;
	return count;
}

/* What a GPU holds, while its load may come and go in a rhythm of its own. */
static bool is_steady(enum metric_id metric)
{
	static const enum metric_id steady[] = {METRIC_mem_used_mib, METRIC_mem_total_mib,
		METRIC_mem_free_mib, METRIC_mem_reserved_mib, METRIC_bar1_used_mib,
		METRIC_temperature_c, METRIC_mem_temperature_c, METRIC_power_limit_w,
		METRIC_power_enforced_limit_w};

	for (size_t i = 0; i < sizeof steady / sizeof steady[0]; i++)
		if (steady[i] == metric)
			return true;
	return false;
}

/* ... in blocks of any size, and one that a load does not change as it comes and goes. */
static bool rows_come_back(const struct rows *rows)
{
	size_t count = count_valued(rows);

	for (size_t c = 0; c < rows->look->column_count; c++) {
		const struct look_values *values = &rows->look->values[c];

		if (!is_steady(values->metric) || !has_values(values, rows->at, count))
			continue;
		for (size_t size = 2; size <= GPUS_LIKELY && size * COMES_BACK <= count;
			size++)
			if (pattern_repeats(values->at, rows->at, count, size))
				return true;
	}
	return false;
}

/* A row is like the last but one, and not like the last. */
static bool rows_alternate(const struct rows *rows)
{
	size_t count = count_valued(rows);

	for (size_t c = 0; c < rows->look->column_count; c++) {
		const struct look_values *values = &rows->look->values[c];

		if (has_values(values, rows->at, count) &&
			pattern_alternates(values->at, rows->at, count))
			return true;
	}
	return false;
}

#define PAUSE_UNITS 3 /* of a coarse clock, between blocks */
#define MODEL_ROWS  3 /* of a name that is a model, and no damage to one */

/* Whether they are of one GPU, as far as they tell. */
static bool is_single(const struct rows *rows)
{
	bool certain;

	return rows->timed ? blocks_find(rows->t_ns, rows->count).size == 1 &&
			blocks_find_few(rows->t_ns, rows->header, rows->count, &certain)
					.size == 1 &&
			!blocks_look_like(rows->t_ns, rows->count)
			   : blocks_find_by_header(rows->header, rows->count).size == 1;
}

/* Times of whole seconds, as nvidia-smi does not write them. */
static bool is_coarse(const struct rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->look->exact || rows->t_ns[i] % NS_PER_S != 0)
			return false;
	return true;
}

/*
 * The clock stands still for a while between the blocks, as it would not were it only
 * coarse: one GPU asked so often would have rows in between.
 */
static bool have_pauses(const struct rows *rows)
{
	int64_t unit_ns = 60 * NS_PER_S;

	for (size_t i = 0; i < rows->count; i++)
		if (rows->t_ns[i] % unit_ns != 0)
			unit_ns = NS_PER_S;
	for (size_t i = 1; i < rows->count; i++) {
		int64_t step_ns = rows->t_ns[i] - rows->t_ns[i - 1];

		if (step_ns != 0 && step_ns < PAUSE_UNITS * unit_ns)
			return false;
	}
	return true;
}

/* A header stands before each block, and none in it: each is a call. */
static bool have_headers(const struct rows *rows)
{
	for (size_t i = 1; i < rows->count; i++)
		if (!rows->header[i] != (rows->t_ns[i] == rows->t_ns[i - 1]))
			return false;
	return true;
}

/*
 * Equal times on a clock of whole seconds are of several GPUs, or of one that was asked
 * more than once a second. Where no value tells, several are as the definition has it.
 */
static void tell_by_values(struct rows *rows, struct stream *stream)
{
	struct blocks *blocks = &stream->blocks;
	enum pattern pattern;

	if (blocks->size == 1 || !is_coarse(rows) || have_headers(rows) ||
		have_pauses(rows))
		return;
	pattern = rows_pattern(rows, blocks);
	if (pattern < PATTERN_PLACES)
		stream->doubt = "have equal times in whole seconds";
	if (pattern == PATTERN_ONE ||
		(pattern == PATTERN_ALIKE &&
			rows->blocked >= PATTERN_GROUPS_MIN * blocks->size) ||
		(stream->doubt && blocks->size > GPUS_LIKELY))
		*blocks = (struct blocks){.size = 1};
}

/* How many models the rows of the first block have. */
static size_t count_models(const struct rows *rows, size_t size)
{
	const struct look_row *row = rows->look->row;
	size_t models = 0;

	for (size_t i = 0; i < size; i++) {
		size_t k = 0;

		while (k < i && row[rows->at[k]].device != row[rows->at[i]].device)
			k++;
		models += k == i;
	}
	return models;
}

/*
 * Few rows in what could be calls: whether they are. Without times one header may stand
 * before the rows of a loop as well as before those of a call.
 */
static void tell_few(struct rows *rows, struct stream *stream)
{
	bool certain;
	size_t size, models;

	stream->blocks = blocks_find_few(rows->t_ns, rows->header, rows->count, &certain);
	size = stream->blocks.size;
	if (size > GPUS_LIKELY)
		stream->blocks = (struct blocks){.size = size = 1};
	stream->blocks.by_header = !rows->timed && size > 1;
	if (size == 1 || certain)
		return;
	models = count_models(rows, size);
	if (models == size || (rows->timed && models > 1))
		return;
	stream->few = rows->timed ? rows_pattern(rows, &stream->blocks) < PATTERN_SEVERAL
				  : rows->look->first_ns == TIME_NONE;
	stream->doubt = stream->few ? "are too few" : NULL;
	if (!rows->timed)
		stream->blocks = (struct blocks){.size = 1};
}

static void keep_begin(const struct rows *rows, struct stream_begin *begin)
{
	size_t count = rows->count < STREAM_BEGIN_ROWS ? rows->count : STREAM_BEGIN_ROWS;

	*begin = (struct stream_begin){.t_ns = xmalloc((count + 1) * sizeof(int64_t)),
		.header = xmalloc(count + 1),
		.count = count,
		.timed = rows->timed};
	memcpy(begin->t_ns, rows->t_ns, count * sizeof *begin->t_ns);
	memcpy(begin->header, rows->header, count);
}

/*
 * Blocks within which GPUs follow one another so slowly that one GPU in unequal steps may
 * look like it: there values that change without respect to the place tell that it is
 * one.
 */
static void tell_wide(struct rows *rows, struct stream *stream)
{
	struct blocks blocks = find_blocks(rows->t_ns, rows->count, WIDE_STEP_MAX_NS);
	enum pattern pattern;

	if (blocks.size == 1)
		return;
	pattern = rows_pattern(rows, &blocks);
	if (rows_repeat(rows, blocks.size)) {
		stream->blocks = blocks;
		stream->doubt = "come in blocks that are far apart";
	} else if (rows->blocked < PATTERN_GROUPS_MIN * blocks.size ||
		(pattern != PATTERN_ONE && pattern != PATTERN_ALIKE)) {
		stream->bursts = true;
	}
}

static void tell_by_blocks(struct rows *rows, struct stream *stream)
{
	stream->blocks = rows->timed ? blocks_find(rows->t_ns, rows->count)
				     : blocks_find_by_header(rows->header, rows->count);
	if (rows->timed)
		tell_by_values(rows, stream);
	if (stream->blocks.size == 1 && !stream->doubt)
		tell_few(rows, stream);
	if (rows->timed && stream->blocks.size == 1 && !stream->doubt)
		tell_wide(rows, stream);
	if (stream->doubt || stream->blocks.size > 1)
		return;
	if (rows->timed)
		stream->bursts |= blocks_look_like(rows->t_ns, rows->count);
	else if (rows->look->first_ns != TIME_NONE)
		stream->bursts |= blocks_look_like_by_header(rows->header, rows->count);
	stream->bursts |= rows_alternate(rows) &&
		(!rows->timed || blocks_come_in_turns(rows->t_ns, rows->count));
	stream->bursts |= rows_come_back(rows);
}

/* The models of several GPUs, if each is that of one; none else. models: how many. */
static struct texts find_models(
	struct rows *rows, size_t stream, const struct run *run, size_t *models)
{
	const struct device_list *gpus = &run->of_kind[DEVICE_GPU];
	struct texts found = {0};
	bool single = true;

	for (size_t i = 0; i < gpus->count && gpus->count > 1; i++) {
		const char *model = run->device[gpus->at[i]].model;

		if (!model)
			continue;
		rows_fill(rows, stream, gpus->at[i]);
		if (rows->count < MODEL_ROWS)
			continue; /* a name that was damaged */
		(void)texts_number(&found, span_of(model));
		single = single && is_single(rows);
	}
	*models = found.count;
	if (found.count < 2 || !single)
		texts_release(&found);
	return found;
}

/* Tells how many GPUs each stream of a file is about; the run's GPUs are the rows'. */
static void look_tell_gpus(
	const struct look *look, struct reading_file *file, const struct run *run)
{
	struct rows rows = rows_new(look, file);

	for (size_t i = 0; i < file->facts.streams.count; i++) {
		struct stream *stream = &file->facts.streams.at[i];
		size_t models;

		stream->models = find_models(&rows, i, run, &models);
		if (stream->models.count)
			continue;
		rows_fill(&rows, i, IDENTITY_NONE);
		tell_by_blocks(&rows, stream);
		stream->bursts |= models > 1 && stream->blocks.size == 1;
		keep_begin(&rows, &stream->begin);
	}
	rows_release(&rows);
}

static void look_release(struct look *look)
{
	free(look->row);
	for (size_t c = 0; c < look->column_count; c++)
		free(look->values[c].at);
	free(look->values);
}

/* Rows that lack the column, before it came too, have no value there. */
static void keep_values(struct look_values *values, const struct sample_column *column,
	const struct sample_batch *batch, size_t first)
{
	if (!values->at)
		values->at = xmalloc(LOOK_VALUES * sizeof *values->at);
	while (values->count < first && values->count < LOOK_VALUES)
		values->at[values->count++] = PATTERN_NO_VALUE;
	for (size_t i = 0; i < batch->rows && values->count < LOOK_VALUES; i++)
		values->at[values->count++] = column->presence[i] == PRESENCE_VALUE
			? column->value[i]
			: PATTERN_NO_VALUE;
}

/* Of three rows the one in the middle: that of a wrong time is not. */
static int64_t begin_of(const struct sample_batch *batch)
{
	const int64_t *t_ns = batch->t_ns;
	int64_t low, high;

	if (batch->rows < 3)
		return t_ns[0];
	low = time_earlier(t_ns[0], t_ns[1]);
	high = time_later(t_ns[0], t_ns[1]);
	return time_later(low, time_earlier(high, t_ns[2]));
}

/*
 * Rows of a file that was read from its begin, without blocks; key[i]: the stream that
 * row i is in, which is added.
 */
static void look_at_batch(struct look *look, const struct sample_batch *batch,
	const struct stream_key *key, struct streams *streams)
{
	if (batch->timed && look->first_ns == TIME_NONE)
		look->first_ns = begin_of(batch);
	ALLOC_GROW(look->values, batch->column_count, look->column_cap);
	while (look->column_count < batch->column_count) {
		enum metric_id metric = batch->column[look->column_count].metric;

		look->values[look->column_count++] =
			(struct look_values){metric, NULL, 0};
	}
	for (size_t c = 0; c < batch->column_count; c++)
		keep_values(&look->values[c], &batch->column[c], batch, look->count);
	ALLOC_GROW(look->row, look->count + batch->rows, look->cap);
	for (size_t i = 0; i < batch->rows; i++)
		look->row[look->count++] = (struct look_row){batch->t_ns[i],
			batch->device[i], batch->header[i],
			key[i].named ? STREAMS_NONE : streams_add(streams, &key[i])};
}

/*
 * What must be known of a file before its samples are read, by a look at its first
 * rows: when it begins, and how many GPUs it is about if it has no ids.
 */

/* The rows whose times decide how many GPUs an anonymous log is about. */
#define ANONYMOUS_ROWS 65536

/* ... and which GPUs a log with ids names. */
#define NAMED_ROWS 16384

#define COMMA_ROWS 3 /* that end with a comma: as a rule, and no damage */

/* Which of its GPUs are none. */
static void judge_ids(
	struct bad_gpu_ids *ids, struct run *run, const struct sample_batch *batch)
{
	uint32_t instead;
	size_t row = 0;

	if (run->device[batch->device[0]].kind != DEVICE_GPU)
		return;
	while ((row = bad_gpu_ids_take_turns(ids, batch, row)) < batch->rows)
		(void)bad_gpu_id(ids, run, NULL, batch, row++, &instead);
	bad_gpu_ids_end(ids, batch);
}

void reading_prepare(struct reading *reading, size_t file)
{
	struct reading_file *own = &reading->file[file];
	const struct format *format = reading->opt.formats[reading->run->file[file].kind];
	struct look look = {.first_ns = TIME_NONE};
	size_t rows = 0;
	struct run_file scratch = {0};
	struct bad_gpu_ids ids = {.known = 0};
	struct sample_source *source;
	struct sample_batch batch;
	struct error err;
	struct first_rows *seen;
	struct run run;
	struct log *log;

	if (own->prepared)
		return;
	own->prepared = true;
	run_init(&run, "");
	run_set_string(&run.query, reading->run->query);
	log = reading_open(reading, file, &run, &scratch, &run.diags, &err);
	if (!log) {
		reading_lose(reading, file, &err);
		run_release(&run);
		return;
	}
	sample_batch_init(&batch);
	log->look = seen = xcalloc(1, sizeof *seen);
	for (size_t i = 0; i < SAMPLE_BATCH_ROWS; i++)
		seen->key[i].named = true; /* as those of all kinds but queries are */
	source = clock_steps_filter(format_open(format, log), log);
	while (rows < (seen->anonymous ? ANONYMOUS_ROWS : NAMED_ROWS) &&
		sample_source_next(source, &batch, &err) > 0) {
		if (seen->anonymous || !rows)
			look_at_batch(&look, &batch, seen->key, &own->facts.streams);
		if (reading->census)
			judge_ids(&ids, &run, &batch);
		rows += batch.rows;
		if (!seen->anonymous && !reading->census)
			break;
	}
	own->first_ns = look.first_ns;
	own->facts.clocked = log->facts.clocked;
	own->facts.commas_behind =
		seen->and_comma >= COMMA_ROWS && seen->and_comma > seen->as_named;
	look.exact = seen->exact;
	if (seen->anonymous)
		look_tell_gpus(&look, own, &run);
	if (reading->census)
		gpu_ids_add(
			reading->census, &run, streams_largest(&own->facts.streams) == 1);
	bad_gpu_ids_release(&ids);
	sample_source_free(source);
	sample_batch_release(&batch);
	run_release(&run);
	look_release(&look);
	free(seen);
}

static bool comes_before(const struct reading *reading, size_t a, size_t b)
{
	int64_t x = reading->file[a].first_ns, y = reading->file[b].first_ns;

	if ((x == TIME_NONE) != (y == TIME_NONE))
		return y == TIME_NONE;
	return x != y ? x < y : a < b;
}

size_t reading_order(struct reading *reading, enum source_kind kind, size_t *file)
{
	size_t count = 0;

	for (size_t i = 0; i < reading->file_count; i++) {
		size_t at = count;

		if (reading->run->file[i].kind != kind)
			continue;
		reading_prepare(reading, i);
		for (; at > 0 && comes_before(reading, i, file[at - 1]); at--)
			file[at] = file[at - 1];
		file[at] = i;
		count++;
	}
	return count;
}

/*
 * A log in several files, as one snapshot in each, or cut in two: the rows of one file
 * may be too few to tell how many GPUs they are of. Those of all, one after the other,
 * tell.
 */

/* The streams of one key, in the order of the files, and their rows. */
struct joint {
	struct stream **stream; /* [streams] */
	size_t streams;
	int64_t *t_ns; /* [rows] */
	uint8_t *header;
	size_t rows, cap, header_cap;
};

/* False: its rows don't stand behind those before. */
static bool join_stream(struct joint *joint, struct stream *stream)
{
	const struct stream_begin *begin = &stream->begin;
	size_t rows = joint->rows + begin->count;

	if (!begin->count || stream->models.count)
		return true;
	if (joint->streams &&
		(begin->timed != joint->stream[0]->begin.timed ||
			(begin->timed && begin->t_ns[0] < joint->t_ns[joint->rows - 1])))
		return false;
	ALLOC_GROW(joint->t_ns, rows, joint->cap);
	ALLOC_GROW(joint->header, rows, joint->header_cap);
	memcpy(joint->t_ns + joint->rows, begin->t_ns, begin->count * sizeof(int64_t));
	memcpy(joint->header + joint->rows, begin->header, begin->count);
	joint->rows = rows;
	joint->stream[joint->streams++] = stream;
	return true;
}

/*
 * Its own rows could be such blocks: all have the size, but for one that was cut at
 * either end.
 */
static bool begin_fits(const struct stream_begin *begin, const struct blocks *blocks)
{
	size_t rows = 0, found = 0;

	for (size_t i = 0; i <= begin->count; i++) {
		bool border = i == begin->count ||
			(blocks->by_header ? begin->header[i] != 0
					   : i > 0 &&
						blocks_is_border(blocks,
							begin->t_ns[i] -
								begin->t_ns[i - 1]));

		if (border && rows > 0 &&
			(rows > blocks->size ||
				(rows < blocks->size && found > 0 && i < begin->count)))
			return false;
		found += border && rows > 0;
		rows = border ? 1 : rows + 1;
	}
	return true;
}

static struct blocks joint_blocks(const struct joint *joint)
{
	struct blocks blocks;
	bool certain;

	if (!joint->stream[0]->begin.timed)
		return blocks_find_by_header(joint->header, joint->rows);
	blocks = blocks_find(joint->t_ns, joint->rows);
	if (blocks.size > 1)
		return blocks;
	blocks = blocks_find_few(joint->t_ns, joint->header, joint->rows, &certain);
	return certain ? blocks : (struct blocks){.size = 1};
}

/* What the few rows of a file may be, those of all are or are not. */
static void settle(struct stream *stream, const struct blocks *blocks, bool single)
{
	if (stream->blocks.size > 1 && !stream->few)
		return;
	if (stream->doubt && !stream->few)
		return;
	if (blocks->size > 1 ? !begin_fits(&stream->begin, blocks) : !single)
		return;
	stream->blocks = *blocks;
	stream->doubt = NULL;
	stream->few = stream->bursts = false;
}

static void settle_blocks(const struct joint *joint)
{
	struct blocks blocks;
	bool single = false; /* some file has enough rows to tell that they are of one */

	if (joint->streams < 2)
		return;
	blocks = joint_blocks(joint);
	for (size_t i = 0; i < joint->streams; i++)
		single |= joint->stream[i]->blocks.size == 1 &&
			joint->stream[i]->begin.count > BLOCKS_MAX;
	for (size_t i = 0; i < joint->streams; i++)
		settle(joint->stream[i], &blocks, single);
}

/* The streams of that key in all files from the first on; each is looked at once. */
static void join_key(struct reading *reading, const size_t *file, size_t count,
	const struct stream_key *key)
{
	struct joint joint = {.stream = xmalloc(count * sizeof *joint.stream)};
	bool good = true;

	for (size_t i = 0; i < count && good; i++) {
		struct streams *streams = &reading->file[file[i]].facts.streams;
		size_t k = streams_find(streams, key);

		if (k == STREAMS_NONE || streams->at[k].key.names != key->names)
			continue;
		streams->at[k].joined = true;
		good = join_stream(&joint, &streams->at[k]);
	}
	if (good)
		settle_blocks(&joint);
	free(joint.stream);
	free(joint.t_ns);
	free(joint.header);
}

void reading_join_streams(struct reading *reading)
{
	size_t *file = xmalloc((reading->file_count + 1) * sizeof *file);
	size_t count = reading_order(reading, SOURCE_NVIDIA_QUERY, file);

	for (size_t i = 0; i < count; i++) {
		struct streams *streams = &reading->file[file[i]].facts.streams;

		for (size_t k = 0; k < streams->count; k++)
			if (!streams->at[k].joined)
				join_key(reading, file + i, count - i,
					&streams->at[k].key);
	}
	free(file);
}
