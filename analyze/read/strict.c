/* One pass over the line; nothing is changed before its last byte is known. */
#include "read/strict.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "read/cell.h"
#include "read/log_clock.h"

#define DIGITS_MAX 15 /* their number times a hundred still is an int64 */

void strict_release(struct strict *strict)
{
	free(strict->column);
	free(strict->cell);
	free(strict->gpu);
	*strict = (struct strict){0};
}

void strict_clear(struct strict *strict)
{
	strict->count = strict->ids = strict->gpus = strict->next = 0;
	strict->usable = false;
}

/* Quanta of each decimal of a number in a unit of so many quanta. */
static void set_decimals(int64_t *decimal, int64_t quanta)
{
	int64_t ten = 1;

	for (size_t i = 0; i < STRICT_DECIMALS; i++, ten *= 10)
		decimal[i] = quanta % ten ? 0 : quanta / ten;
}

static void learn_number(struct strict_column *to, const struct column *column)
{
	const struct metric *metric = metric_get(column->binding->metric);

	to->form = STRICT_NUMBER;
	to->suffix = cell_usual_suffix(column->binding->unit);
	to->suffix_len = strlen(to->suffix);
	set_decimals(to->with_unit, metric->per_unit);
	set_decimals(to->bare, column->bare);
	cell_range(column->kind == KIND_COUNTER, metric->per_unit, &to->low, &to->high);
}

/* Is the state an id of the board, or of the host? Then each row must be asked for it. */
static bool is_state_id(enum metric_id metric)
{
	return metric == METRIC_gpu_host_name || metric == METRIC_board_serial;
}

/* False: such a column is for the general way. */
static bool learn_column(
	struct strict *strict, struct strict_column *to, const struct column *column)
{
	*to = (struct strict_column){.form = STRICT_SKIP};
	switch (column->role) {
	case ROLE_IGNORED:
	case ROLE_KNOWN:
		return true;
	case ROLE_TIME:
		to->form = STRICT_TIME;
		return true;
	case ROLE_INDEX:
	case ROLE_GPU:
	case ROLE_UUID:
	case ROLE_BUS_ID:
	case ROLE_BUS:
	case ROLE_MODEL:
	case ROLE_HOST:
		to->form = STRICT_ID;
		to->id = strict->ids++;
		return strict->ids <= sizeof strict->gpu->end / sizeof *strict->gpu->end;
	case ROLE_METRIC:
		if (column->spare || is_state_id(column->binding->metric))
			return false;
		if (column->kind == KIND_STATE || column->kind == KIND_FLAGS)
			to->form = STRICT_WORD;
		else
			learn_number(to, column);
		return true;
	case ROLE_EPOCH:
	case ROLE_DATE:
	case ROLE_CLOCK:
	case ROLE_SERIAL:
	case ROLE_PID:
	case ROLE_INSTANCE:
	case ROLE_COMMAND:
		break;
	}
	return false;
}

static void learn_columns(struct strict *strict, const struct columns *columns)
{
	strict_clear(strict);
	ALLOC_GROW(strict->column, columns->count, strict->cap);
	ALLOC_GROW(strict->cell, columns->count, strict->cell_cap);
	strict->count = columns->count;
	strict->usable = true;
	for (size_t i = 0; i < columns->count; i++)
		strict->usable &=
			learn_column(strict, &strict->column[i], &columns->at[i]);
	strict->usable &= strict->ids > 0;
}

static struct span id_of(const struct strict_gpu *gpu, size_t id)
{
	size_t from = id ? gpu->end[id - 1] : 0;

	return (struct span){gpu->text + from, gpu->end[id] - from};
}

static void learn_gpu(struct strict *strict, const struct span *cell, uint32_t device,
	const struct stream_key *key)
{
	struct strict_gpu gpu = {.device = device, .key = *key};
	size_t len = 0;

	for (size_t i = 0; i < strict->count; i++) {
		if (strict->column[i].form != STRICT_ID)
			continue;
		if (cell[i].len > sizeof gpu.text - len)
			return;
		memcpy(gpu.text + len, cell[i].at, cell[i].len);
		gpu.end[strict->column[i].id] = len += cell[i].len;
	}
	for (size_t i = 0; i < strict->gpus; i++)
		if (strict->gpu[i].end[strict->ids - 1] == len &&
			memcmp(strict->gpu[i].text, gpu.text, len) == 0)
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
	if (!strict->count)
		learn_columns(strict, columns);
	if (strict->forgotten != known->forgotten)
		strict->gpus = strict->next = 0;
	strict->forgotten = known->forgotten;
	if (strict->usable)
		learn_gpu(strict, cell, device, key);
}

/* Does the cell that begins there hold that text and nothing else? */
static bool holds(const char *at, const char *end, struct span text)
{
	return (size_t)(end - at) >= text.len && memcmp(at, text.at, text.len) == 0 &&
		(at + text.len == end || at[text.len] == ',');
}

/* The GPU of the ids up to this one, which begins there; false: it is not known. */
static bool find_gpu(struct strict *strict, size_t id, const char *at, const char *end)
{
	const struct strict_gpu *before = &strict->gpu[strict->next];
	size_t len = id ? before->end[id - 1] : 0;

	for (size_t tried = 0; tried < strict->gpus; tried++) {
		size_t i = strict->next + tried;
		const struct strict_gpu *gpu;

		i -= i < strict->gpus ? 0 : strict->gpus;
		gpu = &strict->gpu[i];
		if (!holds(at, end, id_of(gpu, id)))
			continue;
		if (id && tried &&
			(gpu->end[id - 1] != len ||
				memcmp(gpu->text, before->text, len) != 0))
			continue;
		strict->next = i;
		return true;
	}
	return false;
}

static bool is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

/* Digits, perhaps with a point among them, and the usual unit or none. NULL: otherwise.
 */
static const char *read_number(const struct strict_column *column, const char *at,
	const char *end, int64_t *value)
{
	const int64_t *quanta = column->bare;
	const char *first = at, *point;
	uint64_t mantissa = 0; /* of too many digits it is anything */
	size_t decimals = 0;

	while (at < end && is_digit(*at))
		mantissa = mantissa * 10 + (unsigned)(*at++ - '0');
	if (at == first)
		return NULL;
	if (at < end && *at == '.') {
		for (point = at++; at < end && is_digit(*at); at++)
			mantissa = mantissa * 10 + (unsigned)(*at - '0');
		decimals = (size_t)(at - point) - 1;
		if (!decimals || decimals >= STRICT_DECIMALS)
			return NULL;
	}
	if (at - first > DIGITS_MAX)
		return NULL;
	if (at < end && *at == ' ' && column->suffix_len <= (size_t)(end - at) &&
		memcmp(at, column->suffix, column->suffix_len) == 0) {
		at += column->suffix_len;
		quanta = column->with_unit;
	}
	if ((at < end && *at != ',') || !quanta[decimals] ||
		__builtin_mul_overflow((int64_t)mantissa, quanta[decimals], value) ||
		*value < column->low || *value > column->high)
		return NULL;
	return at;
}

static const char *read_word(const struct strict_column *column, const char *at,
	const char *end, struct strict_value *is)
{
	for (size_t i = 0; i < column->words; i++)
		if (holds(at, end,
			    (struct span){column->word[i].text, column->word[i].len})) {
			*is = column->word[i].is;
			return at + column->word[i].len;
		}
	return NULL;
}

/* Up to the next comma; its text is kept. NULL: there is a quote. */
static const char *leave(struct strict_cell *cell, const char *at, const char *end)
{
	const char *comma = memchr(at, ',', (size_t)(end - at));

	cell->text = (struct span){at, (size_t)((comma ? comma : end) - at)};
	if (memchr(at, '"', cell->text.len))
		return NULL;
	cell->text = span_trim(cell->text);
	return comma ? comma : end;
}

/* A cell that begins there, a blank before it; where it ends, or NULL. */
static const char *read_cell(struct strict *strict, size_t i, struct log *log,
	const char *begin, const char *end, int64_t *t_ns)
{
	const struct strict_column *column = &strict->column[i];
	struct strict_cell *cell = &strict->cell[i];
	const char *at = begin + (i && begin < end && *begin == ' '), *stop = NULL;

	switch (column->form) {
	case STRICT_NUMBER:
		cell->is.presence = PRESENCE_VALUE;
		stop = read_number(column, at, end, &cell->is.value);
		if (!stop)
			stop = read_word(column, at, end, &cell->is);
		break;
	case STRICT_WORD:
		stop = read_word(column, at, end, &cell->is);
		break;
	case STRICT_ID:
		if (!find_gpu(strict, column->id, at, end))
			return NULL;
		return at + id_of(&strict->gpu[strict->next], column->id).len;
	case STRICT_TIME:
		stop = leave(cell, begin, end);
		return stop && log_time(log, cell->text, t_ns) ? stop : NULL;
	case STRICT_SKIP:
		return leave(cell, begin, end);
	}
	if (stop)
		return stop;
	cell->is.presence = PRESENCE_ABSENT;
	return leave(cell, begin, end);
}

/* All cells of the line, as many as there are columns. */
static bool read_cells(
	struct strict *strict, struct log *log, struct span line, int64_t *t_ns)
{
	const char *at = line.at, *end = at + line.len;

	for (size_t i = 0; i < strict->count; i++) {
		if (i && (at == end || *at++ != ','))
			return false;
		at = read_cell(strict, i, log, at, end, t_ns);
		if (!at)
			return false;
	}
	return at == end;
}

/* What the general way read, unless it says something of every such cell. */
static void learn_word(
	struct strict_column *column, struct span text, struct strict_value is)
{
	size_t i = column->next_word;

	if (text.len > STRICT_TEXT_BYTES)
		return;
	if (is.presence == PRESENCE_MISSING
			? !cell_is_missing(text) || cell_is_failure(text)
			: column->form != STRICT_WORD)
		return;
	memcpy(column->word[i].text, text.at, text.len);
	column->word[i].len = text.len;
	column->word[i].is = is;
	column->next_word = (i + 1) % STRICT_TEXTS;
	column->words += column->words < STRICT_TEXTS;
}

static void put_cell(struct strict *strict, size_t i, const struct column *column,
	struct log *log, struct sample_batch *batch, size_t row)
{
	const struct strict_cell *cell = &strict->cell[i];
	struct sample_column *to = &batch->column[column->batch_column];

	if (cell->is.presence != PRESENCE_ABSENT) {
		to->value[row] = cell->is.value;
		to->presence[row] = cell->is.presence;
		return;
	}
	columns_put_cell(column, log, batch, row, cell->text);
	learn_word(&strict->column[i], cell->text,
		(struct strict_value){to->presence[row], to->value[row]});
}

bool strict_put(struct strict *strict, struct columns *columns,
	const struct known_gpus *known, struct log *log, struct sample_batch *batch,
	struct span line)
{
	int64_t t_ns = 0, last_ns = log->last_ns;
	bool pending = false;
	size_t row;

	if (!strict->usable || !strict->gpus || strict->forgotten != known->forgotten)
		return false;
	if (!read_cells(strict, log, line, &t_ns)) {
		log->last_ns = last_ns;
		return false;
	}
	if (log->asks)
		log->row_key[batch->rows] = strict->gpu[strict->next].key;
	row = columns_begin_row(
		columns, log, batch, t_ns, strict->gpu[strict->next].device, &pending);
	for (size_t i = 0; i < strict->count; i++)
		if (columns->at[i].role == ROLE_METRIC)
			put_cell(strict, i, &columns->at[i], log, batch, row);
	strict->next = strict->next + 1 < strict->gpus ? strict->next + 1 : 0;
	return true;
}
