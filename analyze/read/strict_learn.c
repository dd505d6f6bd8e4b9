/* What the rows that went the general way tell of those behind them. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/eight.h"
#include "read/cell.h"
#include "read/query_header.h"
#include "read/strict.h"

void strict_release(struct strict *strict)
{
	free(strict->step);
	free(strict->left);
	free(strict->gpu);
	free(strict->column);
	*strict = (struct strict){0};
}

/* Rows of other columns come. */
static void forget(struct strict *strict)
{
	strict->steps = strict->runs = strict->gpus = strict->next = 0;
	strict->usable = strict->placed = false;
}

void strict_take_header(struct strict *strict, uint64_t names)
{
	if (names != strict->names)
		forget(strict);
	strict->names = names;
	strict->header = true;
	strict->placed = false;
}

/* Are cells of both read alike? Units, and the first row, may make a difference. */
static bool is_alike(const struct column *a, const struct column *b)
{
	return a->role == b->role && a->binding == b->binding && a->spare == b->spare &&
		a->kind == b->kind && a->bare == b->bare && a->low == b->low &&
		a->high == b->high;
}

static bool knows_columns(const struct strict *strict, const struct columns *columns)
{
	if (!strict->steps || strict->column_count != columns->count ||
		strict->has_id != columns->has_id)
		return false;
	for (size_t i = 0; i < columns->count; i++)
		if (!is_alike(&strict->column[i], &columns->at[i]))
			return false;
	return true;
}

/* Quanta of each decimal of a number in a unit of so many quanta. */
static void set_decimals(int64_t *decimal, int64_t quanta)
{
	int64_t ten = 1;

	for (size_t i = 0; i < STRICT_DECIMALS; i++, ten *= 10)
		decimal[i] = quanta % ten ? 0 : quanta / ten;
}

static void learn_number(struct strict_step *step, const struct column *column)
{
	const struct metric *metric = metric_get(column->binding->metric);
	const char *suffix = cell_usual_suffix(column->binding->unit);

	step->form = STRICT_NUMBER;
	step->suffix_len = strlen(suffix);
	step->suffix = eight_load(suffix, suffix + step->suffix_len);
	step->suffix_mask = eight_mask((unsigned)step->suffix_len);
	set_decimals(step->with_unit, metric->per_unit);
	set_decimals(step->bare, column->bare);
	step->low = column->low;
	step->high = column->high;
	step->last = 1; /* there is none yet: no word without its bytes is that */
}

/* Is the state an id of the board, or of the host? Then each row must be asked for it. */
static bool is_state_id(enum metric_id metric)
{
	return metric == METRIC_gpu_host_name || metric == METRIC_board_serial;
}

/* Behind the ids of the column before it, or as a run of its own. */
static bool learn_id(struct strict *strict, size_t column)
{
	struct strict_step *last =
		strict->steps ? &strict->step[strict->steps - 1] : NULL;

	if (last && last->form == STRICT_IDS) {
		last->columns++;
		return true;
	}
	strict->step[strict->steps++] = (struct strict_step){.form = STRICT_IDS,
		.column = column,
		.columns = 1,
		.run = strict->runs++};
	return strict->runs <= STRICT_RUNS;
}

/* False: such a column is for the general way. */
static bool learn_metric(struct strict_step *step, const struct column *column)
{
	if (column->spare || is_state_id(column->binding->metric))
		return false;
	if (column->kind == KIND_STATE || column->kind == KIND_FLAGS)
		step->form = STRICT_WORD;
	else
		learn_number(step, column);
	return step->suffix_len <= EIGHT;
}

/* Likewise. */
static bool learn_column(struct strict *strict, size_t i, const struct column *column)
{
	struct strict_step step = {.form = STRICT_SKIP, .column = i, .columns = 1};
	bool usable = true;

	switch (column->role) {
	case ROLE_IGNORED:
	case ROLE_KNOWN:
		break;
	case ROLE_TIME:
		step.form = STRICT_TIME;
		break;
	case ROLE_INDEX:
	case ROLE_GPU:
	case ROLE_UUID:
	case ROLE_BUS_ID:
	case ROLE_BUS:
	case ROLE_MODEL:
	case ROLE_HOST:
		return learn_id(strict, i);
	case ROLE_METRIC:
		usable = learn_metric(&step, column);
		break;
	case ROLE_EPOCH:
	case ROLE_DATE:
	case ROLE_CLOCK:
	case ROLE_SERIAL:
	case ROLE_PID:
	case ROLE_INSTANCE:
	case ROLE_COMMAND:
		return false;
	}
	strict->step[strict->steps++] = step;
	return usable;
}

static void learn_columns(struct strict *strict, const struct columns *columns)
{
	bool usable = true;

	forget(strict);
	ALLOC_GROW(strict->step, columns->count, strict->step_cap);
	ALLOC_GROW(strict->left, columns->count, strict->left_cap);
	ALLOC_GROW(strict->column, columns->count, strict->column_cap);
	memcpy(strict->column, columns->at, columns->count * sizeof *strict->column);
	strict->column_count = columns->count;
	strict->has_id = columns->has_id;
	for (size_t i = 0; i < columns->count; i++)
		usable &= learn_column(strict, i, &columns->at[i]);
	strict->usable = usable;
}

/* Rows without ids are all of the same one. */
static bool is_same(const struct strict *strict, const struct strict_gpu *a,
	const struct strict_gpu *b)
{
	size_t len = strict->runs ? a->end[strict->runs - 1] : 0;

	return memcmp(a->end, b->end, strict->runs * sizeof *a->end) == 0 &&
		memcmp(a->text, b->text, len) == 0;
}

/* From the first id of a step to the end of the last. */
static struct span whole_run(const struct strict_step *step, const struct span *cell)
{
	const struct span *first = &cell[step->column];
	const struct span *last = first + step->columns - 1;

	return (struct span){first->at, (size_t)(last->at + last->len - first->at)};
}

static void learn_gpu(struct strict *strict, const struct span *cell, uint32_t device,
	const struct stream_key *key)
{
	struct strict_gpu gpu = {.device = device, .key = *key};
	size_t len = 0;

	for (size_t i = 0; i < strict->steps; i++) {
		const struct strict_step *step = &strict->step[i];
		struct span run;

		if (step->form != STRICT_IDS)
			continue;
		for (size_t k = 0; k < step->columns; k++)
			if (query_is_name(cell[step->column + k]))
				return;
		run = whole_run(step, cell);
		if (run.len > sizeof gpu.text - len)
			return;
		memcpy(gpu.text + len, run.at, run.len);
		gpu.end[step->run] = len += run.len;
	}
	for (size_t i = 0; i < strict->gpus; i++)
		if (is_same(strict, &strict->gpu[i], &gpu))
			return;
	if (strict->gpus == KNOWN_GPUS)
		return;
	ALLOC_GROW(strict->gpu, strict->gpus + 1, strict->gpu_cap);
	strict->gpu[strict->gpus++] = gpu;
}

void strict_learn(struct strict *strict, const struct columns *columns,
	const struct known_gpus *known, const struct span *cell, uint32_t device,
	const struct stream_key *key)
{
	if (strict->header && !knows_columns(strict, columns))
		learn_columns(strict, columns);
	strict->header = false;
	if (strict->forgotten != known->forgotten) {
		/* this row may have added a GPU that the next one like it does not mean
		 */
		strict->gpus = strict->next = 0;
		strict->forgotten = known->forgotten;
		return;
	}
	if (strict->usable)
		learn_gpu(strict, cell, device, key);
}

void strict_learn_word(struct strict_step *step, struct span text, struct strict_value is)
{
	struct strict_word *word = &step->word[step->next_word];

	if (text.len > STRICT_TEXT_BYTES)
		return;
	if (is.presence == PRESENCE_MISSING
			? !cell_is_missing(text) || cell_is_failure(text)
			: step->form == STRICT_NUMBER)
		return;
	*word = (struct strict_word){.len = text.len,
		.begin = eight_load(text.at, text.at + text.len),
		.mask = eight_mask((unsigned)text.len),
		.is = is};
	memcpy(word->text, text.at, text.len);
	step->next_word = (step->next_word + 1) % STRICT_TEXTS;
	step->words += step->words < STRICT_TEXTS;
}
