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

void fast_release(struct fast_query *fast)
{
	free(fast->step);
	free(fast->left);
	free(fast->gpu);
	free(fast->column);
	*fast = (struct fast_query){0};
}

/* Rows of other columns come. */
static void forget(struct fast_query *fast)
{
	fast->steps = fast->runs = fast->gpus = fast->next = 0;
	fast->usable = fast->placed = false;
}

void fast_take_header(struct fast_query *fast, uint64_t names)
{
	if (names != fast->names)
		forget(fast);
	fast->names = names;
	fast->header = true;
	fast->placed = false;
}

/* Are cells of both read alike? Units, and the first row, may make a difference. */
static bool is_alike(const struct column *a, const struct column *b)
{
	return a->role == b->role && a->binding == b->binding && a->spare == b->spare &&
		a->kind == b->kind && a->bare == b->bare && a->low == b->low &&
		a->high == b->high;
}

static bool knows_columns(const struct fast_query *fast, const struct columns *columns)
{
	if (!fast->steps || fast->column_count != columns->count ||
		fast->has_id != columns->has_id)
		return false;
	for (size_t i = 0; i < columns->count; i++)
		if (!is_alike(&fast->column[i], &columns->at[i]))
			return false;
	return true;
}

/* Quanta of each decimal of a number in a unit of so many quanta. */
static void set_decimals(int64_t *decimal, int64_t quanta)
{
	int64_t ten = 1;

	for (size_t i = 0; i < FAST_DECIMALS; i++, ten *= 10)
		decimal[i] = quanta % ten ? 0 : quanta / ten;
}

static void learn_number(struct fast_step *step, const struct column *column)
{
	const struct metric *metric = metric_get(column->binding->metric);
	const char *suffix = cell_usual_suffix(column->binding->unit);

	step->form = FAST_NUMBER;
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
static bool learn_id(struct fast_query *fast, size_t column)
{
	struct fast_step *last = fast->steps ? &fast->step[fast->steps - 1] : NULL;

	if (last && last->form == FAST_IDS) {
		last->columns++;
		return true;
	}
	fast->step[fast->steps++] = (struct fast_step){
		.form = FAST_IDS, .column = column, .columns = 1, .run = fast->runs++};
	return fast->runs <= FAST_RUNS;
}

/* False: such a column is for the general way. */
static bool learn_metric(struct fast_step *step, const struct column *column)
{
	if (column->spare || is_state_id(column->binding->metric))
		return false;
	if (column->kind == KIND_STATE || column->kind == KIND_FLAGS)
		step->form = FAST_WORD;
	else
		learn_number(step, column);
	return step->suffix_len <= EIGHT;
}

/* Likewise. */
static bool learn_column(struct fast_query *fast, size_t i, const struct column *column)
{
	struct fast_step step = {.form = FAST_SKIP, .column = i, .columns = 1};
	bool usable = true;

	switch (column->role) {
	case ROLE_IGNORED:
	case ROLE_KNOWN:
		break;
	case ROLE_TIME:
		step.form = FAST_TIME;
		break;
	case ROLE_INDEX:
	case ROLE_GPU:
	case ROLE_UUID:
	case ROLE_BUS_ID:
	case ROLE_BUS:
	case ROLE_MODEL:
	case ROLE_HOST:
		return learn_id(fast, i);
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
	fast->step[fast->steps++] = step;
	return usable;
}

static void learn_columns(struct fast_query *fast, const struct columns *columns)
{
	bool usable = true;

	forget(fast);
	ALLOC_GROW(fast->step, columns->count, fast->step_cap);
	ALLOC_GROW(fast->left, columns->count, fast->left_cap);
	ALLOC_GROW(fast->column, columns->count, fast->column_cap);
	memcpy(fast->column, columns->at, columns->count * sizeof *fast->column);
	fast->column_count = columns->count;
	fast->has_id = columns->has_id;
	for (size_t i = 0; i < columns->count; i++)
		usable &= learn_column(fast, i, &columns->at[i]);
	fast->usable = usable;
}

/* Rows without ids are all of the same one. */
static bool is_same(
	const struct fast_query *fast, const struct fast_gpu *a, const struct fast_gpu *b)
{
	size_t len = fast->runs ? a->end[fast->runs - 1] : 0;

	return memcmp(a->end, b->end, fast->runs * sizeof *a->end) == 0 &&
		memcmp(a->text, b->text, len) == 0;
}

/* From the first id of a step to the end of the last. */
static struct span whole_run(const struct fast_step *step, const struct span *cell)
{
	const struct span *first = &cell[step->column];
	const struct span *last = first + step->columns - 1;

	return (struct span){first->at, (size_t)(last->at + last->len - first->at)};
}

static void learn_gpu(struct fast_query *fast, const struct span *cell, uint32_t device,
	const struct stream_key *key)
{
	struct fast_gpu gpu = {.device = device, .key = *key};
	size_t len = 0;

	for (size_t i = 0; i < fast->steps; i++) {
		const struct fast_step *step = &fast->step[i];
		struct span run;

		if (step->form != FAST_IDS)
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
	for (size_t i = 0; i < fast->gpus; i++)
		if (is_same(fast, &fast->gpu[i], &gpu))
			return;
	if (fast->gpus == KNOWN_GPUS)
		return;
	ALLOC_GROW(fast->gpu, fast->gpus + 1, fast->gpu_cap);
	fast->gpu[fast->gpus++] = gpu;
}

void fast_learn(struct fast_query *fast, const struct columns *columns,
	const struct known_gpus *known, const struct span *cell, uint32_t device,
	const struct stream_key *key)
{
	if (fast->header && !knows_columns(fast, columns))
		learn_columns(fast, columns);
	fast->header = false;
	if (fast->forgotten != known->forgotten) {
		/* this row may have added a GPU that the next one like it does not mean
		 */
		fast->gpus = fast->next = 0;
		fast->forgotten = known->forgotten;
		return;
	}
	if (fast->usable)
		learn_gpu(fast, cell, device, key);
}

/*
 * A cell of a step that the general way read, or that is skipped and no name: what was
 * found, unless the general way says something of every such cell.
 */
static void fast_learn_word(
	struct fast_step *step, struct span text, struct fast_value is)
{
	struct fast_word *word = &step->word[step->next_word];

	if (text.len > FAST_TEXT_BYTES)
		return;
	if (is.presence == PRESENCE_MISSING
			? !cell_is_missing(text) || cell_is_failure(text)
			: step->form == FAST_NUMBER)
		return;
	*word = (struct fast_word){.len = text.len,
		.begin = eight_load(text.at, text.at + text.len),
		.mask = eight_mask((unsigned)text.len),
		.is = is};
	memcpy(word->text, text.at, text.len);
	step->next_word = (step->next_word + 1) % FAST_TEXTS;
	step->words += step->words < FAST_TEXTS;
}

#define DIGITS_MAX 15 /* their number times a hundred still is an int64 */

/* Does a cell end there? */
static bool ends(const char *at, const char *end)
{
	return at == end || *at == ',';
}

static struct span run_of(const struct fast_gpu *gpu, size_t run)
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
static bool alike_before(const struct fast_gpu *a, const struct fast_gpu *b, size_t run)
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
	struct fast_query *fast, size_t run, const char *at, const char *end)
{
	const struct fast_gpu *expected = &fast->gpu[fast->next];
	struct span ids = run_of(expected, run);

	if (holds(at, end, ids))
		return at + ids.len;
	for (size_t i = 0; i < fast->gpus; i++) {
		ids = run_of(&fast->gpu[i], run);
		if (!holds(at, end, ids) || !alike_before(&fast->gpu[i], expected, run))
			continue;
		fast->next = i;
		return at + ids.len;
	}
	return NULL;
}

/* Digits, perhaps with a point among them; how many are behind it: not FAST_DECIMALS.
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
		(!point || number.decimals) && number.decimals < FAST_DECIMALS)
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
	struct fast_step *step, uint64_t word, size_t len, int64_t value)
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
	struct fast_step *step, const char *at, const char *end, int64_t *value)
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

static const char *read_word(const struct fast_step *step, const char *at,
	const char *end, struct fast_value *is)
{
	uint64_t begin = eight_load(at, end);

	for (size_t i = 0; i < step->words; i++) {
		const struct fast_word *word = &step->word[i];

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
static const char *read_time(struct fast_step *step, struct log *log, const char *at,
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
	struct fast_query *fast, size_t step, const char *at, const char *end)
{
	struct fast_cell *left = &fast->left[fast->lefts++];

	left->step = step;
	return leave_unknown(&left->text, at, end);
}

static const char *skip_cell(struct fast_step *step, const char *at, const char *end)
{
	struct fast_value is = {PRESENCE_VALUE, 0};
	const char *stop = read_word(step, at, end, &is);
	struct span text;

	if (stop)
		return stop;
	stop = leave_unknown(&text, at, end);
	if (stop)
		fast_learn_word(step, text, is);
	return stop;
}

/* What a step reads, which begins there; where it ends, or NULL. */
static const char *read_step(struct fast_query *fast, size_t i, struct log *log,
	size_t row, const char *at, const char *end, int64_t *t_ns)
{
	struct fast_step *step = &fast->step[i];
	struct fast_value is;
	const char *stop = NULL;

	if (step->form == FAST_NUMBER)
		stop = read_number(step, at, end, &step->value[row]);
	if (stop) {
		step->presence[row] = PRESENCE_VALUE;
		return stop;
	}
	switch (step->form) {
	case FAST_NUMBER:
	case FAST_WORD:
		stop = read_word(step, at, end, &is);
		break;
	case FAST_IDS:
		return find_gpu(fast, step->run, at, end);
	case FAST_TIME:
		return read_time(step, log, at, end, t_ns);
	case FAST_SKIP:
		return skip_cell(step, at, end);
	}
	if (!stop)
		return leave_cell(fast, i, at, end);
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
static bool read_row(struct fast_query *fast, struct log *log, size_t row,
	struct span line, int64_t *t_ns)
{
	const char *at = line.at, *end = at + line.len;

	fast->lefts = 0;
	for (size_t i = 0; i < fast->steps; i++) {
		if (i)
			at = pass_comma(at, end);
		if (at)
			at = read_step(fast, i, log, row, at, end, t_ns);
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

static void put_left(struct fast_query *fast, const struct columns *columns,
	struct log *log, struct sample_batch *batch, size_t row)
{
	for (size_t i = 0; i < fast->lefts; i++) {
		const struct fast_cell *left = &fast->left[i];
		struct fast_step *step = &fast->step[left->step];

		columns_put_cell(&columns->at[step->column], log, batch, row, left->text);
		fast_learn_word(step, left->text,
			(struct fast_value){step->presence[row], step->value[row]});
	}
}

/* Where the values of the batch are. */
static void place(struct fast_query *fast, const struct columns *columns,
	const struct sample_batch *batch)
{
	for (size_t i = 0; i < fast->steps; i++) {
		struct fast_step *step = &fast->step[i];
		const struct sample_column *to;

		if (step->form != FAST_NUMBER && step->form != FAST_WORD)
			continue;
		to = &batch->column[columns->at[step->column].batch_column];
		step->value = to->value;
		step->presence = to->presence;
	}
	fast->placed = true;
}

static void take_back(const struct fast_query *fast, size_t row)
{
	for (size_t i = 0; i < fast->steps; i++)
		if (fast->step[i].presence)
			fast->step[i].presence[row] = PRESENCE_ABSENT;
}

bool fast_put(struct fast_query *fast, struct columns *columns,
	const struct known_gpus *known, struct log *log, struct sample_batch *batch,
	struct span line)
{
	int64_t t_ns = 0, last_ns = log->last_ns;
	bool pending = false;
	size_t row = batch->rows;

	if (!fast->usable || fast->header || !fast->gpus ||
		fast->forgotten != known->forgotten || !columns->bound)
		return false;
	if (!fast->placed)
		place(fast, columns, batch);
	if (!read_row(fast, log, row, line, &t_ns)) {
		take_back(fast, row);
		log->last_ns = last_ns;
		return false;
	}
	columns_keep_last(columns, last_cell(line));
	if (log->asks)
		log->row_key[row] = fast->gpu[fast->next].key;
	columns_begin_row(
		columns, log, batch, t_ns, fast->gpu[fast->next].device, &pending);
	put_left(fast, columns, log, batch, row);
	fast->next = fast->next + 1 < fast->gpus ? fast->next + 1 : 0;
	return true;
}
