/*
 * nvidia-smi --query-gpu=... --format=csv, with or without header and units, with or
 * without a GPU id. The header prints canonical names, keeps its units under nounits,
 * and may come again in mid-file; timestamps are taken per row, so the GPUs of a tick
 * differ by some milliseconds.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "model/sample.h"
#include "read/bare_rows.h"
#include "read/columns.h"
#include "read/csv.h"
#include "read/formats.h"
#include "read/gpu_loss.h"
#include "read/header_words.h"
#include "read/headerless.h"
#include "read/host_rows.h"
#include "read/identity.h"
#include "read/lines.h"
#include "read/log.h"
#include "read/streams.h"

/*
 * The fast way for rows as nvidia-smi writes them: of the columns that an ordinary row
 * had, with the GPUs that ordinary rows named, or with the one that rows without ids
 * are about. Whatever is otherwise by a byte is left to the general way (csv.h,
 * columns.h), and both give the same: tests compare them. One pass over the line: what
 * it says goes right into the place of the next row, which is none before its last byte
 * is known.
 */

#define FAST_TEXTS	4 /* words of a column that are remembered */
#define FAST_TEXT_BYTES 32
#define FAST_DECIMALS	7
#define FAST_RUNS	8 /* of ids, that other columns part */
#define FAST_GPU_BYTES	256 /* of ids, and what stands between them */

enum fast_form {
	FAST_TIME,
	FAST_IDS, /* bytes that a GPU had before: of this column and those behind it */
	FAST_NUMBER, /* or a word */
	FAST_WORD, /* that was met before: a state, a mask, a value that is missing */
	FAST_SKIP /* likewise, so that it need not be looked at again */
};

struct fast_value {
	uint8_t presence;
	int64_t value;
};

struct fast_word {
	char text[FAST_TEXT_BYTES];
	size_t len;
	struct fast_value is;
};

/* What is read next of a row: a cell, or those of adjacent ids. */
struct fast_step {
	enum fast_form form;
	size_t column; /* of the row, the first one */
	size_t columns; /* how many: 1, but of IDS */
	size_t run; /* of IDS: which of them */
	size_t time_len; /* of a TIME: of the last one */
	/* where the values of a NUMBER or a WORD go, by row of the batch that is filled
	 */
	int64_t *value;
	uint8_t *presence;
	/* of a NUMBER: blank and unit behind it, as eight_bytes; 0: none is usual */
	uint64_t suffix, suffix_mask;
	size_t suffix_len;
	int64_t with_unit[FAST_DECIMALS]; /* quanta of the last decimal; 0: no whole one
					   */
	int64_t bare[FAST_DECIMALS];
	int64_t low, high; /* what it can be */
	struct fast_word word[FAST_TEXTS];
	size_t words, next_word; /* which is forgotten next */
};

struct fast_gpu {
	uint32_t device;
	struct stream_key key; /* of its rows, where somebody asks */
	char text[FAST_GPU_BYTES]; /* of each run what stands from its first id to the
					end of the last */
	size_t end[FAST_RUNS]; /* of each in text */
};

/* A cell that the general way has to read. */
struct fast_cell {
	struct fast_step *step;
	struct span text;
};

struct fast_query {
	bool usable; /* for the columns */
	bool header; /* one came, and no ordinary row yet */
	uint64_t names; /* hash of those of the last header */
	struct column *column; /* [column_count] that were learnt; owned */
	size_t column_count, column_cap;
	bool has_id; /* they had, says a row */
	bool placed; /* the steps know where the batch has its values */
	struct fast_step *step; /* [steps] owned */
	size_t steps, step_cap;
	size_t runs;
	struct fast_cell *left; /* [lefts] owned; of the row */
	size_t lefts, left_cap;
	struct fast_gpu *gpu; /* [gpus] owned */
	size_t gpus, gpu_cap;
	size_t next; /* the GPU that is likely to come */
	unsigned forgotten; /* known_gpus.forgotten, when the GPUs were learnt */
};

static void fast_release(struct fast_query *fast)
{
	free(fast->step);
	free(fast->left);
	free(fast->gpu);
	free(fast->column);
}

/* Rows of other columns come. */
static void forget(struct fast_query *fast)
{
	fast->steps = fast->runs = fast->gpus = fast->next = 0;
	fast->usable = fast->placed = false;
}

/*
 * A header; names: hash of those of its columns. What was learnt stays, if the first
 * ordinary row behind it has the same columns.
 */
static void fast_take_header(struct fast_query *fast, uint64_t names)
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

/* The next eight bytes as a number, the first one lowest; 0 behind the end. */
static inline uint64_t eight_bytes(const char *at, const char *end)
{
	unsigned char byte[8] = {0};

	if (end - at >= (ptrdiff_t)sizeof byte)
		memcpy(byte, at, sizeof byte);
	else
		memcpy(byte, at, (size_t)(end - at));
	return (uint64_t)byte[0] | (uint64_t)byte[1] << 8 | (uint64_t)byte[2] << 16 |
		(uint64_t)byte[3] << 24 | (uint64_t)byte[4] << 32 |
		(uint64_t)byte[5] << 40 | (uint64_t)byte[6] << 48 |
		(uint64_t)byte[7] << 56;
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
	struct span suffix = span_of(cell_usual_suffix(column->binding->unit));

	step->form = FAST_NUMBER;
	if (suffix.len && suffix.len <= sizeof step->suffix) {
		step->suffix = eight_bytes(suffix.at, suffix.at + suffix.len);
		step->suffix_mask = UINT64_MAX >> 8 * (sizeof step->suffix - suffix.len);
		step->suffix_len = suffix.len;
	}
	set_decimals(step->with_unit, metric->per_unit);
	set_decimals(step->bare, column->bare);
	step->low = column->low;
	step->high = column->high;
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
	return true;
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
	case ROLE_CPU:
	case ROLE_EPOCH:
	case ROLE_DATE:
	case ROLE_CLOCK:
	case ROLE_ELAPSED:
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

/* From the first id of a step to the end of the last. */
static struct span whole_run(const struct fast_step *step, const struct span *cell)
{
	const struct span *first = &cell[step->column];
	const struct span *last = first + step->columns - 1;

	return (struct span){first->at, (size_t)(last->at + last->len - first->at)};
}

/* Two GPUs that have the same ids before this run. */
static bool alike_before(const struct fast_gpu *a, const struct fast_gpu *b, size_t run)
{
	size_t len = run ? a->end[run - 1] : 0;

	return memcmp(a->end, b->end, run * sizeof *a->end) == 0 &&
		memcmp(a->text, b->text, len) == 0;
}

static void learn_gpu(struct fast_query *fast, const struct span *cell, uint32_t device,
	const struct stream_key *key)
{
	struct fast_gpu gpu = {.device = device};
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
		if (alike_before(&fast->gpu[i], &gpu, fast->runs))
			return;
	if (fast->gpus == KNOWN_GPUS)
		return;
	if (key)
		gpu.key = *key;
	ALLOC_NEXT(fast->gpu, fast->gpus, fast->gpu_cap) = gpu;
}

/*
 * After an ordinary row of a log with times, whose cells are those of the columns and
 * stand in one line without quotes, and whose ids, or their absence, say which GPU it is
 * about, wherever it stands: learns the columns, and the GPU. key: where somebody asks;
 * NULL.
 */
static void fast_learn(struct fast_query *fast, const struct columns *columns,
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
	*word = (struct fast_word){.len = text.len, .is = is};
	memcpy(word->text, text.at, text.len);
	step->next_word = (step->next_word + 1) % FAST_TEXTS;
	step->words += step->words < FAST_TEXTS;
}

#define DIGITS_MAX 15 /* their number times a hundred still is an int64 */

/* A cell ends there. */
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

/* Appends digits to a number; where they end. */
static inline const char *read_digits(const char *at, const char *end, uint64_t *number)
{
	uint64_t read = *number;

	for (; at < end; at++) {
		unsigned digit = (unsigned char)*at - (unsigned)'0';

		if (digit > 9)
			break;
		read = read * 10 + digit;
	}
	*number = read;
	return at;
}

/* A number with the usual unit or none. Its end; NULL: something else. */
static const char *read_number(
	struct fast_step *step, const char *at, const char *end, int64_t *value)
{
	const char *first = at, *point;
	const int64_t *quanta = step->bare;
	uint64_t mantissa = 0;
	size_t decimals = 0;

	at = point = read_digits(at, end, &mantissa);
	if (at < end && *at == '.') {
		at = read_digits(at + 1, end, &mantissa);
		decimals = (size_t)(at - point) - 1;
		if (!decimals || decimals >= FAST_DECIMALS)
			return NULL;
	}
	/* of too many digits the mantissa is anything */
	if (point == first || at - first > DIGITS_MAX)
		return NULL;
	if (step->suffix_mask &&
		(eight_bytes(at, end) & step->suffix_mask) == step->suffix) {
		at += step->suffix_len;
		quanta = step->with_unit;
	}
	if (!ends(at, end) || !quanta[decimals] ||
		__builtin_mul_overflow((int64_t)mantissa, quanta[decimals], value) ||
		*value < step->low || *value > step->high)
		return NULL;
	return at;
}

static const char *read_word(const struct fast_step *step, const char *at,
	const char *end, struct fast_value *is)
{
	for (size_t i = 0; i < step->words; i++) {
		const struct fast_word *word = &step->word[i];

		if ((size_t)(end - at) < word->len ||
			memcmp(at, word->text, word->len) != 0 ||
			!ends(at + word->len, end))
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

/* "10:00:00.000", "1709978405.25"; the dots of "31.12.2024 10:00" are others. */
static bool has_fraction(struct span cell)
{
	bool clock = memchr(cell.at, ':', cell.len) != NULL, last = false;
	size_t marks = 0;

	for (size_t i = 1; i < cell.len; i++) {
		char c = cell.at[i], before = cell.at[i - 1];

		if (c == ':')
			last = false;
		else if ((c == '.' || c == ',') && before >= '0' && before <= '9')
			last = true, marks++;
	}
	return last && (clock || marks == 1);
}

static void see_fraction(const struct log *log, struct span time)
{
	if (log->look && !log->look->exact)
		log->look->exact = has_fraction(time);
}

/* As long as the one before, and in its minute, as a rule. */
static const char *read_time(struct fast_step *step, struct log *log, const char *at,
	const char *end, int64_t *t_ns)
{
	const char *stop = at + step->time_len;
	struct span text;

	if (step->time_len && (size_t)(end - at) >= step->time_len && ends(stop, end) &&
		log_time_goes_on(log, (struct span){at, step->time_len}, t_ns)) {
		see_fraction(log, (struct span){at, step->time_len});
		return stop;
	}
	stop = leave(&text, at, end);
	if (!stop || !log_time(log, text, t_ns))
		return NULL;
	see_fraction(log, text);
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
	struct fast_query *fast, struct fast_step *step, const char *at, const char *end)
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
static const char *read_step(struct fast_query *fast, struct fast_step *step,
	struct log *log, size_t row, const char *at, const char *end, int64_t *t_ns)
{
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
		return leave_cell(fast, step, at, end);
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

static bool read_row(struct fast_query *fast, struct log *log, size_t row,
	struct span line, int64_t *t_ns)
{
	struct fast_step *step = fast->step, *behind = step + fast->steps;
	const char *at = line.at, *end = at + line.len;

	fast->lefts = 0;
	for (; at; at = pass_comma(at, end)) {
		at = read_step(fast, step, log, row, at, end, t_ns);
		if (!at || ++step == behind)
			break;
	}
	return at == end;
}

static void put_left(struct fast_query *fast, const struct columns *columns,
	struct log *log, struct sample_batch *batch, size_t row)
{
	for (size_t i = 0; i < fast->lefts; i++) {
		const struct fast_cell *left = &fast->left[i];
		struct fast_step *step = left->step;

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

static void undo_row(const struct fast_query *fast, size_t row)
{
	for (size_t i = 0; i < fast->steps; i++)
		if (fast->step[i].presence)
			fast->step[i].presence[row] = PRESENCE_ABSENT;
}

/*
 * Puts the row that the line is into the batch. False: it is not for the fast way, and
 * nothing has happened.
 */
static bool fast_put(struct fast_query *fast, struct columns *columns,
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
		undo_row(fast, row);
		log->last_ns = last_ns;
		return false;
	}
	columns_end_line(columns, line);
	if (log->look)
		log->look->key[row] = fast->gpu[fast->next].key;
	columns_begin_row(
		columns, log, batch, t_ns, fast->gpu[fast->next].device, &pending);
	put_left(fast, columns, log, batch, row);
	fast->next = fast->next + 1 < fast->gpus ? fast->next + 1 : 0;
	return true;
}

/*
 * Which GPU a row without an id of its own is about: that of its model, where a stream
 * (streams.h) has several, or that of its place in a block of the stream's rows, which
 * is taken back where it ends too early.
 */

/* The block that a stream is in. */
struct open_block {
	size_t place; /* of the next row; 0: none is open */
	size_t row[BLOCKS_MAX]; /* [rows] of the batch: those that can be taken back */
	size_t rows;
	int64_t last_ns; /* of the row before */
	uint64_t last_row; /* its number */
	uint64_t line; /* of the first row */
};

struct places {
	struct open_block *at; /* [count] of each stream; owned */
	size_t count, cap;
	size_t open; /* blocks */
	size_t largest; /* block of a stream */
	uint64_t rows; /* so far, of all streams */
};

struct query_source {
	struct log *log;
	enum source_kind kind; /* a query, or the columns of a table about the host */
	struct csv_row row;
	struct columns columns;
	struct known_gpus gpus;
	struct clock_line clock; /* of the lines around the rows */
	bool has_clock;
	int64_t clock_ns; /* the time that the last one said */
	bool has_columns;
	char *replaced; /* the header that --columns replaces; owned; NULL: none seen */
	bool first_row; /* of the header: whether "gpu" is a number, it decides */
	bool header_pending; /* a header, or a time, stood before the next row */
	bool no_row_yet; /* of the header; nor anything that should have been one */
	uint64_t names; /* hash of the header's */
	struct places places; /* of rows without ids */
	struct fast_query fast;
	struct host_rows host;
};

/* The rows behind it move up; so do those of open blocks. */
static void take_back(struct query_source *q, struct sample_batch *batch, size_t row)
{
	sample_batch_remove(batch, row, &q->header_pending);
	for (size_t i = 0; i < q->places.count; i++)
		for (size_t k = 0; k < q->places.at[i].rows; k++)
			q->places.at[i].row[k] -= q->places.at[i].row[k] > row;
}

static void end_block(struct query_source *q, size_t stream, struct sample_batch *batch)
{
	struct log *log = q->log;
	struct open_block *block = &q->places.at[stream];

	if (!block->place)
		return;
	for (size_t i = 0; i < block->rows; i++)
		diag_add(log->diags, true, "short-block", log->name, block->line,
			SPAN_NONE,
			"found %zu of %zu rows in a block without GPU ids (rows skipped)",
			block->place, log->facts.streams.at[stream].blocks.size);
	log->file->rows -= block->rows;
	log->file->refused += block->rows;
	log_lose(log, block->line, block->rows);
	while (block->rows)
		take_back(q, batch, block->row[--block->rows]);
	block->place = 0;
	q->places.open--;
}

/*
 * No further row belongs to the open blocks: those of one that ended too early can't
 * be told apart and are taken back.
 */
static void end_blocks(struct query_source *q, struct sample_batch *batch)
{
	for (size_t i = 0; i < q->places.count && q->places.open; i++)
		end_block(q, i, batch);
}

static bool is_border(const struct query_source *q, size_t stream, int64_t t_ns)
{
	const struct blocks *blocks = &q->log->facts.streams.at[stream].blocks;
	const struct open_block *block = &q->places.at[stream];

	if (blocks->by_header)
		return q->header_pending || block->last_row + 1 != q->places.rows;
	return blocks_is_border(blocks, t_ns - block->last_ns);
}

/* The place of a row in the block of its stream, which it may end or begin. */
static int32_t place_in_block(
	struct query_source *q, size_t stream, struct sample_batch *batch, int64_t t_ns)
{
	size_t size = q->log->facts.streams.at[stream].blocks.size, place;
	struct open_block *block;

	ALLOC_AT(q->places.at, stream, q->places.count, q->places.cap);
	block = &q->places.at[stream];
	q->places.rows++;
	if (is_border(q, stream, t_ns))
		end_block(q, stream, batch);
	place = block->place;
	if (!place) {
		block->line = log_line_number(q->log);
		block->rows = 0;
		q->places.open++;
	}
	block->row[block->rows++] = batch->rows;
	block->last_ns = t_ns;
	block->last_row = q->places.rows;
	block->place = (place + 1) % size;
	if (!block->place) {
		block->rows = 0;
		q->places.open--;
	}
	return (int32_t)place;
}

/* One that the log's first rows did not have often is no model, but damage. */
static bool is_model(const struct texts *models, struct span model)
{
	for (uint32_t i = 1; i <= models->count; i++)
		if (span_is(model, texts_word(models, i)))
			return true;
	return false;
}

static struct stream_key key_of(uint64_t names, const struct gpu_id *id)
{
	struct stream_key key = {.names = names, .named = identity_is_own(id)};

	if (id->host.len)
		key.who = span_hash(id->host, SPAN_HASH);
	if (id->uuid.len)
		key.who = span_hash(id->uuid, key.who + 1);
	if (id->serial.len)
		key.who = span_hash(id->serial, key.who + 2);
	return key;
}

/* By its model or its place in a block; a mask that several GPUs have is no id. */
static bool place_row(struct query_source *q, const struct stream_key *key,
	struct sample_batch *batch, int64_t t_ns, struct gpu_id *id)
{
	const struct streams *streams = &q->log->facts.streams;
	size_t i = streams_find(streams, key);
	const struct stream *stream;

	if (!key->who)
		id->place = 0;
	if (i == STREAMS_NONE)
		return true;
	stream = &streams->at[i];
	if (stream->models.count) {
		id->by_model = true;
		id->place = -1;
		return is_model(&stream->models, id->model);
	}
	id->places = stream->blocks.size;
	if (id->places > 1) {
		id->uuid.len = 0;
		id->place = place_in_block(q, i, batch, t_ns);
	}
	return true;
}

/*
 * Settles which GPU a row means that will be the next one of the batch: sets place,
 * places and by_model of an id, and ends or begins a block. False: its model is
 * none.
 */
static bool settle_gpu(struct query_source *q, struct sample_batch *batch, int64_t t_ns,
	struct gpu_id *id)
{
	const struct stream_key key = key_of(q->names, id);
	struct log *log = q->log;

	if (log->look)
		log->look->key[batch->rows] = key;
	if (key.named) {
		/* the header may have changed in mid-block */
		end_blocks(q, batch);
		return true;
	}
	if (!log->look)
		return place_row(q, &key, batch, t_ns, id);
	log->look->anonymous = true;
	id->by_model = true;
	return true;
}

/*
 * Whether a batch ends here: where no block is open, so that one can still be taken
 * back. Only where those of several streams never end together some rows can't.
 */
static bool batch_full(struct query_source *q, const struct sample_batch *batch)
{
	if (batch->rows < SAMPLE_BATCH_ROWS)
		return !q->places.open &&
			batch->rows + q->places.largest > SAMPLE_BATCH_ROWS;
	for (size_t i = 0; i < q->places.count; i++)
		q->places.at[i].rows = 0; /* they stay, be their block too short */
	return true;
}

static void name_columns(
	struct query_source *q, const struct csv_row *names, uint64_t hash)
{
	columns_clear(&q->columns);
	fast_take_header(&q->fast, hash);
	for (size_t i = 0; i < names->count; i++)
		columns_add(&q->columns, q->log, q->kind, names->cell[i]);
	if (q->kind == SOURCE_HOST_TABLE)
		host_rows_bind(&q->host, &q->columns);
	if (q->columns.in_parts && q->places.largest <= names->count)
		q->places.largest = names->count + 1; /* rows that a line may give */
	q->has_columns = true;
	q->first_row = true;
}

/* Units are no part of a name: a recorder may be started again without them. */
static uint64_t hash_names(const struct csv_row *names)
{
	uint64_t hash = SPAN_HASH;

	for (size_t i = 0; i < names->count; i++) {
		hash = span_hash(cell_strip_unit(names->cell[i]), hash);
		hash = span_hash(span_of(","), hash);
	}
	return hash;
}

/*
 * A header behind another one: where two recorders append to a file, the rows of the
 * first one come under the second one's names, and may fit them. Rows of another number
 * of cells would be refused.
 */
static void take_header(struct query_source *q, struct span line)
{
	uint64_t names;

	if (q->row.count > 1 && !q->row.cell[q->row.count - 1].len)
		q->row.count--;
	columns_cut_glued(q->log, q->kind, &q->row, line);
	names = hash_names(&q->row);
	if (q->no_row_yet && names != q->names && q->row.count == q->columns.count)
		log_note(q->log, true, "empty-header", SPAN_NONE,
			"consecutive headers with different columns: two recorders may "
			"have written to this file");
	name_columns(q, &q->row, names);
	q->names = names;
	q->header_pending = q->no_row_yet = true;
}

static void use_columns(struct query_source *q, const char *list)
{
	struct csv_row names;

	names = csv_row_of(span_of(list));
	name_columns(q, &names, q->names);
	csv_row_release(&names);
}

/* The header of a wrapper, whose words were understood. False: another line. */
static bool take_worded_header(struct query_source *q, struct span line)
{
	const struct file_facts *facts = &q->log->facts;

	if (!facts->worded_header || q->log->opt->columns ||
		!span_is(line, facts->worded_header))
		return false;
	q->row.separator = facts->map ? table_map_separator(facts->map, line)
				      : csv_separator_of_words(line);
	use_columns(q, facts->worded_fields);
	log_note_header(q->log, facts->map, facts->worded_guess, facts->worded_as);
	q->header_pending = q->no_row_yet = true;
	return true;
}

static bool guess_columns(struct query_source *q)
{
	const char *fields = headerless_fields(q->log, &q->row);

	if (fields)
		use_columns(q, fields);
	return fields;
}

/* The line is a time, or "[time] a title". */
static enum clock_result read_clock(struct query_source *q, struct span line)
{
	enum clock_result result = log_clock(q->log, &q->clock, line, &q->clock_ns);
	const char *end = memchr(line.at, ']', line.len);

	if (result != CLOCK_NOT || line.at[0] != '[' || !end || q->row.count > 1 ||
		line_is_complaint(line))
		return result;
	line.len = (size_t)(end + 1 - line.at);
	return log_clock(q->log, &q->clock, line, &q->clock_ns);
}

/* A wrapper's line with the time, which holds for the rows behind it. */
static bool take_clock(struct query_source *q, struct span line)
{
	enum clock_result result = read_clock(q, line);

	if (result == CLOCK_CONTRADICTS) {
		log_refuse_order(q->log, line);
		q->clock_ns = TIME_NONE;
	}
	if (result == CLOCK_TIME || result == CLOCK_CONTRADICTS) {
		q->has_clock = q->header_pending = true;
		q->log->facts.clocked |= q->columns.has_row && !q->columns.timed;
	}
	return result != CLOCK_NOT;
}

/*
 * Not where rows have times of their own: there it is a row that was cut. A line with as
 * many cells as a row is one, unless it holds a clock as others did before.
 */
static bool may_be_clock(const struct query_source *q, struct span line)
{
	if (q->row.count > 3 || log_line_torn(q->log))
		return false;
	if (!q->has_columns)
		return true;
	if (columns_have(&q->columns, ROLE_TIME))
		return false;
	return q->row.count != q->columns.count ||
		(q->has_clock && memchr(line.at, ':', line.len));
}

/* The names that a wrapper gave the columns which --columns names. */
static bool is_replaced_header(const struct query_source *q, struct span line)
{
	size_t names = 1;

	if (!q->log->opt->columns || !line_is_prose(&q->row, line))
		return false;
	for (const char *at = q->log->opt->columns; *at; at++)
		names += *at == ',';
	return q->row.count == names;
}

static void take_replaced_header(struct query_source *q, struct span line)
{
	log_note(q->log, false, "replaced-header", SPAN_NONE,
		"header replaced by --columns: '%s'", log_quote(line).text);
	free(q->replaced);
	q->replaced = xstrndup(line.at, line.len);
}

/* With a line of --columns to complete. */
static void refuse_unnamed(struct query_source *q, struct span line)
{
	struct strbuf names = strbuf_new();
	bool guessed;

	guessed = headerless_guess(&q->row, &names);
	log_refuse(q->log, "no-header",
		"row before any header: '%s'. Name its fields: --columns '%s' (row "
		"skipped)",
		log_quote(line).text, guessed ? names.text : "timestamp,?");
	strbuf_release(&names);
}

static bool refuse_headless(struct query_source *q, struct span line)
{
	if (is_replaced_header(q, line))
		take_replaced_header(q, line);
	else if (line_is_noise(&q->row, line) || gpu_loss_is_said(line) ||
		/* what a tool says above the header that a map or words found */
		(q->log->facts.worded_header && (line.at[0] < '0' || line.at[0] > '9')) ||
		(q->log->file->bid[SOURCE_NVIDIA_QUERY] >=
				SURE_BITS && /* it has a header */
			line_is_prose(&q->row, line)))
		log_note(q->log, false, "noise", SPAN_NONE,
			"not a row: '%s' (line skipped, and others like it)",
			log_quote(line).text);
	else if (q->log->opt->columns)
		log_refuse(q->log, "no-header",
			"row before any header: '%s'. Its %zu cells don't fit --columns "
			"(row skipped)",
			log_quote(line).text, q->row.count);
	else
		refuse_unnamed(q, line);
	return false;
}

/* A comma at the end of every row is no further cell; of a few it is damage. */
static void drop_trailing(struct query_source *q)
{
	struct log *log = q->log;
	size_t count = q->row.count, names = q->columns.count;
	bool empty = count > 1 && !q->row.cell[count - 1].len;

	if (log->look) {
		log->look->as_named += count == names;
		log->look->and_comma += count == names + 1 && empty;
	}
	if (empty && (log->look || log->facts.commas_behind))
		q->row.count -= log->facts.commas_behind || count > names;
}

/* The cells of a line that says what it should; false: it was a header, or is refused. */
static bool accept_cells(struct query_source *q, struct span line)
{
	if (take_worded_header(q, line) || table_map_skips(q->log->facts.map, line) ||
		(q->replaced && span_is(line, q->replaced)))
		return false;
	if (query_split_header(&q->row, line) ||
		(q->kind == SOURCE_HOST_TABLE && host_split_header(&q->row, line))) {
		take_header(q, line);
		return false;
	}
	if (may_be_clock(q, line) && take_clock(q, line))
		return false;
	q->no_row_yet = false;
	if (!q->has_columns && !guess_columns(q))
		return refuse_headless(q, line);
	drop_trailing(q);
	if (q->row.count > q->columns.count)
		columns_join(&q->columns, &q->row, ROLE_MODEL);
	return columns_count_row(&q->columns, q->log, &q->row, line);
}

/* "3", "GPU3", "gpu 3", "card3"; false: a wrapper's name for a GPU. */
static bool read_gpu(struct span cell, int32_t *index)
{
	if (span_has_nocase((struct span){cell.at, cell.len < 3 ? 0 : 3}, "gpu"))
		cell = span_trim((struct span){cell.at + 3, cell.len - 3});
	else if (span_begins(cell, "card"))
		cell = (struct span){cell.at + 4, cell.len - 4};
	return cell_read_index(cell, index);
}

static void refuse_nameless(struct query_source *q)
{
	log_refuse(q->log, "no-id", "row without a GPU id (row skipped)");
}

/*
 * nvidia-smi's own "hostname" and "serial" are states, too. That a board says no number
 * tells it from those that do.
 */
static void read_state_id(enum metric_id metric, struct span cell, struct gpu_id *id)
{
	if (metric == METRIC_gpu_host_name && !cell_is_missing(cell))
		id->host = cell;
	else if (metric == METRIC_board_serial && !id->serial.len)
		id->serial = cell;
}

/* Seconds since the log began; false: the row is refused. */
static bool read_elapsed(
	struct log *log, const struct column *column, struct span cell, int64_t *t_ns)
{
	if (!number_scaled(cell, column->bare, t_ns) || *t_ns < 0 ||
		*t_ns > TIME_DATED - TIME_BEGIN) {
		log_refuse(log, "bad-time", "invalid time '%s' (row skipped)",
			log_quote(cell).text);
		return false;
	}
	*t_ns += TIME_BEGIN;
	return true;
}

/* Time and ids of a row; false: refused. */
static bool read_ids(struct query_source *q, int64_t *t_ns, struct gpu_id *id)
{
	const struct columns *columns = &q->columns;
	const struct span *cell = q->row.cell;
	size_t time, elapsed, clock = columns_of(columns, ROLE_CLOCK);
	size_t bus = columns_of(columns, ROLE_BUS);
	struct span gpu = columns_cell(columns, cell, ROLE_GPU);
	bool is_index = false;

	*id = (struct gpu_id){.index = -1, .place = -1, .host = q->log->line_host};
	*t_ns = q->has_clock ? q->clock_ns : 0;
	if (q->first_row)
		epoch_settle(&q->columns, q->log, cell);
	if (!columns_line_time(&q->columns, q->log, t_ns))
		return false;
	time = columns_of(columns, ROLE_TIME);
	elapsed = columns_of(columns, ROLE_ELAPSED);
	if (time < columns->count) {
		see_fraction(q->log, cell[time]);
		if (!columns_time(q->log, cell[time], t_ns))
			return false;
	}
	if (elapsed < columns->count &&
		!read_elapsed(q->log, &columns->at[elapsed], cell[elapsed], t_ns))
		return false;
	if (bus < columns->count) /* goes before the board, which may have several */
		id->serial = cell[bus];
	for (size_t i = 0; i < columns->count; i++)
		if (columns->at[i].role == ROLE_METRIC)
			read_state_id(columns->at[i].binding->metric, cell[i], id);
	columns_read_gpu(columns, q->log, cell, id);
	/* a wrapper that looks at one GPU after the other knows best */
	if (gpu.len && read_gpu(gpu, &id->index))
		is_index = true;
	else if (gpu.len && !id->model.len)
		id->model = gpu;
	if (clock < columns->count && cell[clock].len &&
		!columns_join_time(&q->columns, q->log,
			columns_cell(columns, cell, ROLE_DATE), cell[clock], t_ns))
		return false;
	if (q->first_row)
		q->columns.has_id |= is_index;
	q->first_row = false;
	if (!columns->has_id || columns->in_parts || id->uuid.len || id->bus_id.len ||
		id->index >= 0 || id->host.len)
		return true;
	refuse_nameless(q);
	return false;
}

/* Its id said which GPU it is, so that only logs without ids are in doubt. */
static void note_index(struct query_source *q, uint32_t device, int32_t index)
{
	const struct device *gpu = &q->log->run->device[device];

	if (index < 0 || gpu->index == index)
		return;
	log_note(q->log, false, "index-changed", span_of(gpu->name),
		"%s has index %d here and had %d before; its UUID or bus id is the same",
		gpu->name, (int)index, (int)gpu->index);
}

/*
 * Rows that can go the fast way: with a time, of the GPU that they name, or by themselves
 * and not by the rows beside them; and as the rows before of which the general way had
 * nothing to say.
 */
static bool may_be_strict(const struct query_source *q, const struct gpu_id *id)
{
	const struct log *log = q->log;

	return q->columns.timed && columns_have(&q->columns, ROLE_TIME) &&
		!q->columns.in_parts && !q->has_clock && q->row.separator == ',' &&
		id->places < 2 && !log->opt->general && !log->facts.commas_behind &&
		!prefix_is_any(&log->facts.prefix);
}

static void learn_row(struct query_source *q, const struct sample_batch *batch,
	struct span line, const struct gpu_id *id, uint32_t device)
{
	const struct first_rows *look = q->log->look;
	int32_t index = q->log->run->device[device].index;

	if (!may_be_strict(q, id) || (id->index >= 0 && id->index != index) ||
		memchr(line.at, '"', line.len))
		return;
	fast_learn(&q->fast, &q->columns, &q->gpus, q->row.cell, device,
		look ? &look->key[batch->rows] : NULL);
}

static bool add_strict(
	struct query_source *q, struct sample_batch *batch, struct span line)
{
	struct log *log = q->log;

	if (q->header_pending || q->places.open || log_line_torn(log) ||
		!fast_put(&q->fast, &q->columns, &q->gpus, log, batch, line))
		return false;
	batch->timed = true;
	if (log->look)
		log->look->as_named++;
	return true;
}

/* A row, or its columns of one GPU, of the GPU that the id means. */
static void put_row(struct query_source *q, struct sample_batch *batch, struct span line,
	int64_t t_ns, struct gpu_id *id)
{
	uint32_t device;

	if (!settle_gpu(q, batch, t_ns, id)) {
		refuse_nameless(q);
		return;
	}
	device = identity_gpu_again(&q->gpus, q->log->run, id);
	if (device == IDENTITY_DAMAGED) {
		refuse_nameless(q);
		return;
	}
	if (device == IDENTITY_NONE) {
		log_refuse(q->log, "too-many", "more than %d GPUs in a run (row skipped)",
			IDENTITY_GPUS_MAX);
		return;
	}
	note_index(q, device, id->index);
	learn_row(q, batch, line, id, device);
	batch->timed = q->columns.timed;
	columns_put_row(&q->columns, q->log, batch, q->columns.timed ? t_ns : 0, device,
		&q->header_pending, q->row.cell);
}

static void put_host_row(struct query_source *q, struct sample_batch *batch, int64_t t_ns,
	const struct gpu_id *id)
{
	bool timed = q->columns.timed;

	if (q->log->facts.twin && !host_rows_begin_round(&q->host, id, timed, t_ns))
		return;
	batch->timed = timed;
	host_rows_put(&q->host, &q->columns, q->log, batch, timed ? t_ns : 0,
		&q->header_pending, q->row.cell);
}

static bool is_first_of_part(const struct columns *columns, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (columns->at[k].part == columns->at[i].part)
			return false;
	return true;
}

static void add_row(struct query_source *q, struct sample_batch *batch, struct span line)
{
	struct gpu_id id;
	int64_t t_ns;

	if (!read_ids(q, &t_ns, &id)) {
		if (line_is_failure(&q->row))
			log_hear(q->log, q->row.cell[0]);
		return;
	}
	if (q->log->facts.clocked && !q->has_clock && !q->columns.has_time) {
		log_refuse(q->log, "no-time",
			"row before the first line with a time (row skipped)");
		return;
	}
	if (t_ns == TIME_NONE) {
		log_refuse(q->log, "no-time",
			"the line with the time before the row is invalid (row skipped)");
		return;
	}
	if (q->has_clock && !q->columns.has_time)
		q->log->facts.clocked = q->columns.has_time = true;
	if (!columns_accept_row(&q->columns, q->log))
		return;
	if (q->kind == SOURCE_HOST_TABLE) {
		put_host_row(q, batch, t_ns, &id);
		return;
	}
	if (!q->columns.in_parts) {
		put_row(q, batch, line, t_ns, &id);
		return;
	}
	for (size_t i = 0; i < q->columns.count; i++) {
		int32_t part = q->columns.at[i].part;

		if (!part || !is_first_of_part(&q->columns, i))
			continue;
		q->columns.part = part;
		id = (struct gpu_id){.index = part - 1, .place = -1, .host = id.host};
		put_row(q, batch, line, t_ns, &id);
	}
}

static void query_fill(void *state, struct sample_batch *batch)
{
	struct query_source *q = state;
	struct span line;

	q->columns.bound = false;
	q->fast.placed = false; /* the batch's first row goes the general way */
	while (!batch_full(q, batch)) {
		if (!log_line(q->log, &line)) {
			end_blocks(q, batch);
			break;
		}
		if (!add_strict(q, batch, line) && accept_cells(q, line))
			add_row(q, batch, line);
	}
}

static void query_end(void *state)
{
	struct query_source *q = state;

	csv_row_release(&q->row);
	columns_release(&q->columns);
	free(q->places.at);
	free(q->replaced);
	fast_release(&q->fast);
	host_rows_release(&q->host);
}

static void query_begin(void *state, enum source_kind kind)
{
	struct query_source *q = state;

	q->kind = kind;
	q->places.largest = streams_largest(&q->log->facts.streams);
	q->row = csv_row_new();
}

static int query_bid(const struct probe *probe)
{
	struct csv_row row = csv_row_new();
	struct strbuf names = strbuf_new();
	int bits = 0;

	for (size_t i = 0; i < probe->count && bits >= 0 && bits < 40; i++) {
		int header;

		if (memchr(probe->line[i].at, '\0', probe->line[i].len) ||
			query_is_talk(probe->line[i]))
			continue;
		header = query_line_bits(&row, probe->line[i]);
		if (header < 0 || header > bits)
			bits = header;
		if (!bits && headerless_begins_with_time(&row))
			bits = 5; /* which fields, only the run's manifest may know */
	}
	if (bits >= 0 && bits < 20 && plausible_rows(probe, headerless_pytyche))
		bits = 20;
	if (bits >= 0 && bits < 15 &&
		(headerless_by_shape(probe, &names) || bare_rows_probe(probe, &names)) &&
		!worded_header_denies(probe, names.text))
		bits = 15;
	csv_row_release(&row);
	strbuf_release(&names);
	return bits;
}

static enum claim query_claims(struct span line)
{
	struct csv_row row = csv_row_new();
	bool header;

	header = query_split_header(&row, line);
	csv_row_release(&row);
	return header ? CLAIM_ON : CLAIM_NONE;
}

const struct format format_nvidia_query = {.kind = SOURCE_NVIDIA_QUERY,
	.bid = query_bid,
	.claims = query_claims,
	.around = true,
	.state_size = sizeof(struct query_source),
	.begin = query_begin,
	.fill = query_fill,
	.end = query_end};

/*
 * Tables about the host, or the columns about it of a table about GPUs: usage of CPUs and
 * memory, power. Each value is an instant's, but shares of CPU time, which are the
 * average of the interval before their time.
 */

#define HOST_NAMED_BITS 39 /* less than those of a query */

static int host_bid(const struct probe *probe)
{
	struct csv_row row = csv_row_new();
	int bits = 0;

	for (size_t i = 0; i < probe->count && !bits; i++)
		if (host_split_header(&row, probe->line[i]))
			bits = HOST_NAMED_BITS;
	csv_row_release(&row);
	return bits;
}

const struct format format_host_table = {.kind = SOURCE_HOST_TABLE,
	.bid = host_bid,
	.state_size = sizeof(struct query_source),
	.begin = query_begin,
	.fill = query_fill,
	.end = query_end};
