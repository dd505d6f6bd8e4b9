/*
 * One pass over the line. What it says goes right into the place of the next row,
 * which is none before its last byte is known.
 */
#include "read/fast_query.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/eight.h"
#include "read/columns.h"
#include "read/identity.h"
#include "read/lines.h"
#include "read/log.h"
#include "read/streams.h"

/* What the rows that went the general way tell of those behind them. */

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

/*
 * A cell of a step that the general way read, or that is skipped and no name: what was
 * found, unless the general way says something of every such cell.
 */
static void strict_learn_word(
	struct strict_step *step, struct span text, struct strict_value is)
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

#define DIGITS_MAX 15 /* their number times a hundred still is an int64 */

/* Does a cell end there? */
static bool ends(const char *at, const char *end)
{
	return at == end || *at == ',';
}

static struct span run_of(const struct strict_gpu *gpu, size_t run)
{
	size_t from = run ? gpu->end[run - 1] : 0;

	return (struct span){gpu->text + from, gpu->end[run] - from};
}

/* Do the ids that begin there end with that text, and begin with it? */
static bool holds(const char *at, const char *end, struct span text)
{
	return (size_t)(end - at) >= text.len && memcmp(at, text.at, text.len) == 0 &&
		ends(at + text.len, end);
}

/* Two GPUs that have the same ids before this run. */
static bool alike_before(
	const struct strict_gpu *a, const struct strict_gpu *b, size_t run)
{
	size_t len = run ? a->end[run - 1] : 0;

	return memcmp(a->end, b->end, run * sizeof *a->end) == 0 &&
		memcmp(a->text, b->text, len) == 0;
}

/*
 * The GPU of the ids up to this run, which begins there: the expected one, as a rule. Its
 * end; NULL: it is not known.
 */
static const char *find_gpu(
	struct strict *strict, size_t run, const char *at, const char *end)
{
	const struct strict_gpu *expected = &strict->gpu[strict->next];
	struct span ids = run_of(expected, run);

	if (holds(at, end, ids))
		return at + ids.len;
	for (size_t i = 0; i < strict->gpus; i++) {
		ids = run_of(&strict->gpu[i], run);
		if (!holds(at, end, ids) || !alike_before(&strict->gpu[i], expected, run))
			continue;
		strict->next = i;
		return at + ids.len;
	}
	return NULL;
}

/* Digits, perhaps with a point among them; how many are behind it: not STRICT_DECIMALS.
 */
struct decimal {
	uint64_t mantissa;
	size_t decimals;
	const char *behind; /* NULL: it is no such number, or too long */
};

/* Of any length. */
static struct decimal read_long(const char *at, const char *end)
{
	struct decimal number = {0};
	const char *first = at, *point = NULL;

	for (; at < end; at++) {
		unsigned digit = (unsigned char)*at - (unsigned)'0';

		if (*at == '.' && !point)
			point = at;
		else if (digit < 10)
			number.mantissa = number.mantissa * 10 + digit;
		else
			break;
	}
	if (point)
		number.decimals = (size_t)(at - point) - 1;
	/* of too many digits the mantissa is anything */
	if (at > first && at - first <= DIGITS_MAX && point != first &&
		(!point || number.decimals) && number.decimals < STRICT_DECIMALS)
		number.behind = at;
	return number;
}

/* Of fewer than eight characters, as nearly all are; word: the first eight. */
static struct decimal read_decimal(uint64_t word, const char *at, const char *end)
{
	uint64_t whole;
	unsigned digits = eight_digits(word), decimals = 0;

	if (!digits || digits == EIGHT)
		return digits ? read_long(at, end) : (struct decimal){0};
	if ((word >> 8 * digits & 0xff) == '.') {
		whole = eight_mask(digits);
		word = (word & whole) | (word >> 8 & ~whole);
		decimals = eight_digits(word) - digits;
		if (!decimals || digits + decimals == EIGHT - 1)
			return decimals ? read_long(at, end) : (struct decimal){0};
		digits += decimals;
	}
	return (struct decimal){
		eight_number(word, digits), decimals, at + digits + (decimals > 0)};
}

/* A short one is likely to come again, and what stands behind it belongs to it. */
static void remember_number(
	struct strict_step *step, uint64_t word, size_t len, int64_t value)
{
	if (len >= EIGHT)
		return;
	step->last_mask = eight_mask((unsigned)len + 1);
	step->last = word & step->last_mask;
	step->last_len = len;
	step->last_value = value;
}

/* A number with the usual unit or none. Its end; NULL: something else. */
static const char *read_number(
	struct strict_step *step, const char *at, const char *end, int64_t *value)
{
	const char *first = at;
	uint64_t word = eight_load(at, end);
	const int64_t *quanta = step->bare;
	struct decimal number;

	if ((word & step->last_mask) == step->last) {
		*value = step->last_value;
		return at + step->last_len;
	}
	number = read_decimal(word, at, end);
	at = number.behind;
	if (!at)
		return NULL;
	if (step->suffix_len &&
		(eight_load(at, end) & step->suffix_mask) == step->suffix) {
		at += step->suffix_len;
		quanta = step->with_unit;
	}
	if (!ends(at, end) || !quanta[number.decimals] ||
		__builtin_mul_overflow(
			(int64_t)number.mantissa, quanta[number.decimals], value) ||
		*value < step->low || *value > step->high)
		return NULL;
	remember_number(step, word, (size_t)(at - first), *value);
	return at;
}

static const char *read_word(const struct strict_step *step, const char *at,
	const char *end, struct strict_value *is)
{
	uint64_t begin = eight_load(at, end);

	for (size_t i = 0; i < step->words; i++) {
		const struct strict_word *word = &step->word[i];

		if ((begin & word->mask) != word->begin ||
			(size_t)(end - at) < word->len || !ends(at + word->len, end) ||
			(word->len > EIGHT && memcmp(at, word->text, word->len)))
			continue;
		*is = word->is;
		return at + word->len;
	}
	return NULL;
}

/* Up to the next comma. NULL: there is a quote. */
static const char *leave(struct span *text, const char *at, const char *end)
{
	const char *comma = memchr(at, ',', (size_t)(end - at));

	*text = (struct span){at, (size_t)((comma ? comma : end) - at)};
	if (memchr(at, '"', text->len))
		return NULL;
	*text = span_trim(*text);
	return comma ? comma : end;
}

/* As long as the one before, and in its minute, as a rule. */
static const char *read_time(struct strict_step *step, struct log *log, const char *at,
	const char *end, int64_t *t_ns)
{
	const char *stop = at + step->time_len;
	struct span text;

	if (step->time_len && (size_t)(end - at) >= step->time_len && ends(stop, end) &&
		log_time_goes_on(log, (struct span){at, step->time_len}, t_ns))
		return stop;
	stop = leave(&text, at, end);
	if (!stop || !log_time(log, text, t_ns))
		return NULL;
	step->time_len = text.len;
	return stop;
}

/* The same of a cell that is not known. NULL: the line may be a header, too. */
static const char *leave_unknown(struct span *text, const char *at, const char *end)
{
	const char *stop = leave(text, at, end);

	return stop && !query_is_name(*text) ? stop : NULL;
}

/* What neither a number nor a word that is known is. */
static const char *leave_cell(
	struct strict *strict, size_t step, const char *at, const char *end)
{
	struct strict_cell *left = &strict->left[strict->lefts++];

	left->step = step;
	return leave_unknown(&left->text, at, end);
}

static const char *skip_cell(struct strict_step *step, const char *at, const char *end)
{
	struct strict_value is = {PRESENCE_VALUE, 0};
	const char *stop = read_word(step, at, end, &is);
	struct span text;

	if (stop)
		return stop;
	stop = leave_unknown(&text, at, end);
	if (stop)
		strict_learn_word(step, text, is);
	return stop;
}

/* What a step reads, which begins there; where it ends, or NULL. */
static const char *read_step(struct strict *strict, size_t i, struct log *log, size_t row,
	const char *at, const char *end, int64_t *t_ns)
{
	struct strict_step *step = &strict->step[i];
	struct strict_value is;
	const char *stop = NULL;

	if (step->form == STRICT_NUMBER)
		stop = read_number(step, at, end, &step->value[row]);
	if (stop) {
		step->presence[row] = PRESENCE_VALUE;
		return stop;
	}
	switch (step->form) {
	case STRICT_NUMBER:
	case STRICT_WORD:
		stop = read_word(step, at, end, &is);
		break;
	case STRICT_IDS:
		return find_gpu(strict, step->run, at, end);
	case STRICT_TIME:
		return read_time(step, log, at, end, t_ns);
	case STRICT_SKIP:
		return skip_cell(step, at, end);
	}
	if (!stop)
		return leave_cell(strict, i, at, end);
	step->value[row] = is.value;
	step->presence[row] = is.presence;
	return stop;
}

/* Behind a comma, and the blank that may follow it. NULL: there is none. */
static const char *pass_comma(const char *at, const char *end)
{
	static const char usual[] = {',', ' '};

	if (end - at >= 2 && memcmp(at, usual, sizeof usual) == 0)
		return at + sizeof usual;
	return at < end && *at == ',' ? at + 1 : NULL;
}

/* All cells of the line, as many as there are columns. */
static bool read_row(struct strict *strict, struct log *log, size_t row, struct span line,
	int64_t *t_ns)
{
	const char *at = line.at, *end = at + line.len;

	strict->lefts = 0;
	for (size_t i = 0; i < strict->steps; i++) {
		if (i)
			at = pass_comma(at, end);
		if (at)
			at = read_step(strict, i, log, row, at, end, t_ns);
		if (!at)
			return false;
	}
	return at == end;
}

/* Behind the last comma: the row has no quotes. */
static struct span last_cell(struct span line)
{
	const char *end = line.at + line.len, *at = end;

	while (at > line.at && at[-1] != ',')
		at--;
	return span_trim((struct span){at, (size_t)(end - at)});
}

static void put_left(struct strict *strict, const struct columns *columns,
	struct log *log, struct sample_batch *batch, size_t row)
{
	for (size_t i = 0; i < strict->lefts; i++) {
		const struct strict_cell *left = &strict->left[i];
		struct strict_step *step = &strict->step[left->step];

		columns_put_cell(&columns->at[step->column], log, batch, row, left->text);
		strict_learn_word(step, left->text,
			(struct strict_value){step->presence[row], step->value[row]});
	}
}

/* Where the values of the batch are. */
static void place(struct strict *strict, const struct columns *columns,
	const struct sample_batch *batch)
{
	for (size_t i = 0; i < strict->steps; i++) {
		struct strict_step *step = &strict->step[i];
		const struct sample_column *to;

		if (step->form != STRICT_NUMBER && step->form != STRICT_WORD)
			continue;
		to = &batch->column[columns->at[step->column].batch_column];
		step->value = to->value;
		step->presence = to->presence;
	}
	strict->placed = true;
}

static void take_back(const struct strict *strict, size_t row)
{
	for (size_t i = 0; i < strict->steps; i++)
		if (strict->step[i].presence)
			strict->step[i].presence[row] = PRESENCE_ABSENT;
}

bool strict_put(struct strict *strict, struct columns *columns,
	const struct known_gpus *known, struct log *log, struct sample_batch *batch,
	struct span line)
{
	int64_t t_ns = 0, last_ns = log->last_ns;
	bool pending = false;
	size_t row = batch->rows;

	if (!strict->usable || strict->header || !strict->gpus ||
		strict->forgotten != known->forgotten || !columns->bound)
		return false;
	if (!strict->placed)
		place(strict, columns, batch);
	if (!read_row(strict, log, row, line, &t_ns)) {
		take_back(strict, row);
		log->last_ns = last_ns;
		return false;
	}
	columns_keep_last(columns, last_cell(line));
	if (log->asks)
		log->row_key[row] = strict->gpu[strict->next].key;
	columns_begin_row(
		columns, log, batch, t_ns, strict->gpu[strict->next].device, &pending);
	put_left(strict, columns, log, batch, row);
	strict->next = strict->next + 1 < strict->gpus ? strict->next + 1 : 0;
	return true;
}
