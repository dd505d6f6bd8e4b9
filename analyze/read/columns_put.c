/* Cells of a row into the columns of a batch. */
#include "base/number.h"
#include "read/cell.h"
#include "read/columns.h"

#define WHOLE_DIGITS 9

/* Gives every metric its column in the batch. */
static void bind_batch(struct columns *columns, struct sample_batch *batch)
{
	for (size_t i = 0; i < columns->count; i++)
		if (columns->at[i].role == ROLE_METRIC)
			columns->at[i].batch_column = sample_batch_column(
				batch, columns->at[i].binding->metric);
	for (size_t i = 0; i < columns->count; i++)
		if (columns->at[i].role == ROLE_METRIC && !columns->at[i].spare)
			sample_column_move(&batch->column[columns->at[i].batch_column],
				(struct sample_place){batch->rows, 0, (uint32_t)i + 1});
}

/* A short whole number without a unit, as nearly all cells of dmon are. */
static bool read_whole(const struct column *column, struct span cell, int64_t *value)
{
	int64_t number = 0;

	if (!cell.len || cell.len > WHOLE_DIGITS || column->kind == KIND_STATE ||
		column->kind == KIND_FLAGS)
		return false;
	for (size_t i = 0; i < cell.len; i++) {
		unsigned digit = (unsigned char)cell.at[i] - (unsigned)'0';

		if (digit > 9)
			return false;
		number = number * 10 + digit;
	}
	return !__builtin_mul_overflow(number, column->bare, value) &&
		*value >= column->low && *value <= column->high;
}

/* The value of a cell, by what kind of metric its column is of. */
static enum cell_result read_cell(
	const struct column *column, struct log *log, struct span cell, int64_t *value)
{
	enum unit unit = column->binding->unit;
	int64_t per_unit = metric_get(column->binding->metric)->per_unit;

	switch (column->kind) {
	case KIND_GAUGE:
	case KIND_SHARE:
	case KIND_TICKS:
		return cell_read(cell, unit, per_unit, column->bare, value);
	case KIND_COUNTER:
		return cell_read_counter(cell, unit, per_unit, column->bare, value);
	case KIND_STATE:
		if (!cell_is_state(cell))
			return CELL_MISSING;
		*value = texts_number(&log->run->texts, cell);
		return *value ? CELL_VALUE : CELL_UNREADABLE;
	case KIND_FLAGS:
		if (cell_is_missing(cell))
			return CELL_MISSING;
		return cell_read_flags(cell, value) ? CELL_VALUE : CELL_UNREADABLE;
	}
	return CELL_UNREADABLE;
}

void columns_put_cell(const struct column *column, struct log *log,
	struct sample_batch *batch, size_t row, struct span cell)
{
	struct sample_column *to = &batch->column[column->batch_column];

	static const char unreadable[] = "(unreadable)";

	if (!log->general && read_whole(column, cell, &to->value[row])) {
		to->presence[row] = PRESENCE_VALUE;
		return;
	}
	switch (read_cell(column, log, cell, &to->value[row])) {
	case CELL_VALUE:
		to->presence[row] = PRESENCE_VALUE;
		return;
	case CELL_UNREADABLE:
		log_note(log, true, "bad-value", span_of(column->name),
			"'%s' is nothing that %s can be; counted as not available",
			log_quote(cell).text, column->name);
		cell = span_of(unreadable);
		break;
	case CELL_MISSING:
		if (cell_is_failure(cell))
			log_note(log, true, "gpu-error", cell,
				"the GPU answered '%s'; counted as not available",
				log_quote(cell).text);
		break;
	}
	to->presence[row] = PRESENCE_MISSING;
	to->value[row] = texts_number(&log->run->texts, cell);
}

/* An alias beside a name that this driver no longer answers. place: its cell's. */
static void put_spare(const struct column *column, struct log *log,
	struct sample_batch *batch, size_t row, struct span cell, uint32_t place)
{
	struct sample_column *to = &batch->column[column->batch_column];
	uint32_t usual = sample_column_cell(to, row);
	int64_t value;

	if (to->presence[row] == PRESENCE_VALUE ||
		read_cell(column, log, cell, &value) != CELL_VALUE)
		return;
	to->presence[row] = PRESENCE_VALUE;
	to->value[row] = value;
	sample_column_move(to, (struct sample_place){row, 0, place});
	sample_column_move(to, (struct sample_place){row + 1, 0, usual});
}

size_t columns_begin_row(struct columns *columns, struct log *log,
	struct sample_batch *batch, int64_t t_ns, uint32_t device, bool *header_pending)
{
	size_t row;

	if (!columns->bound)
		bind_batch(columns, batch);
	columns->bound = true;
	row = sample_batch_add(batch, t_ns, device);
	batch->header[row] = *header_pending;
	batch->line[row] = input_line_number(log->in);
	*header_pending = false;
	log->file->rows++;
	return row;
}

void columns_put_row(struct columns *columns, struct log *log, struct sample_batch *batch,
	int64_t t_ns, uint32_t device, bool *header_pending, const struct span *cell)
{
	size_t row = columns_begin_row(columns, log, batch, t_ns, device, header_pending);

	for (size_t i = 0; i < columns->count; i++) {
		const struct column *column = &columns->at[i];

		if (column->role != ROLE_METRIC)
			continue;
		if (column->spare)
			put_spare(column, log, batch, row, cell[i], (uint32_t)i + 1);
		else
			columns_put_cell(column, log, batch, row, cell[i]);
	}
}
