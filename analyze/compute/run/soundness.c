/*
 * Checks every row against the conditions of schema/checks.def and counts violations.
 */
#include "compute/run/soundness.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/timestamp.h"

enum condition_kind {
	CONDITION_RANGE,
	CONDITION_ORDER,
	CONDITION_BUSY,
	CONDITION_SUM
};

struct condition {
	enum condition_kind kind;
	enum metric_id a, b, c, d; /* METRIC_none */
	int64_t low, high; /* in the unit of a; of a SUM high is the tolerance, of BUSY it
			      is not set */
};

/* The columns of a batch by metric, so that a condition finds its own; NULL: none. */
struct condition_columns {
	const struct sample_column *column[METRIC_COUNT];
};

/* The GPU is at work from this share of its time on. */
#define CONDITION_BUSY_PCT 50

/* What was looked at. */
struct condition_found {
	bool looked; /* the row has the values */
	int64_t a, b; /* in quanta */
	int128 sum;
};

/* The conditions as a table, and the sentence for a violation. */

static const struct condition conditions[] = {
#define RANGE(metric, low, high)                                                       \
	{CONDITION_RANGE, METRIC_##metric, METRIC_none, METRIC_none, METRIC_none, low, \
		high},
#define ORDER(small, large) \
	{CONDITION_ORDER, METRIC_##small, METRIC_##large, METRIC_none, METRIC_none, 0, 0},
#define BUSY(metric, least)                                                              \
	{CONDITION_BUSY, METRIC_##metric, METRIC_gpu_util_pct, METRIC_none, METRIC_none, \
		least, 0},
#define SUM(total, x, y, z, tolerance) \
	{CONDITION_SUM, METRIC_##total, METRIC_##x, METRIC_##y, METRIC_##z, 0, tolerance},
#include "../schema/checks.def"
};

#define CONDITIONS (sizeof conditions / sizeof conditions[0])

static void condition_columns(
	struct condition_columns *columns, const struct sample_batch *batch)
{
	*columns = (struct condition_columns){{NULL}};
	for (size_t c = 0; c < batch->column_count; c++)
		columns->column[batch->column[c].metric] = &batch->column[c];
}

static bool get(const struct sample_column *column, size_t row, int64_t *value)
{
	if (!sample_column_has(column, row))
		return false;
	*value = column->value[row];
	return true;
}

/*
 * True also where a value is missing. Of a sum without its last part only too much can
 * be told. Sums are of any numbers that a log may hold.
 */
static bool condition_holds(const struct condition *c,
	const struct condition_columns *columns, size_t row, struct condition_found *f)
{
	int64_t per_unit = metric_get(c->a)->per_unit;
	int128 tolerance = (int128)c->high * per_unit;
	int64_t y = 0, z = 0;
	bool whole;

	f->looked = get(columns->column[c->a], row, &f->a) &&
		(c->kind == CONDITION_RANGE || get(columns->column[c->b], row, &f->b)) &&
		(c->kind != CONDITION_SUM || get(columns->column[c->c], row, &y));
	if (!f->looked)
		return true;
	switch (c->kind) {
	case CONDITION_RANGE:
		return f->a >= c->low * per_unit && f->a <= c->high * per_unit;
	case CONDITION_ORDER:
		return f->a <= f->b;
	case CONDITION_BUSY:
		return f->a >= c->low * per_unit ||
			f->b < CONDITION_BUSY_PCT * metric_get(c->b)->per_unit;
	case CONDITION_SUM:
		whole = c->d == METRIC_none || get(columns->column[c->d], row, &z);
		f->sum = (int128)f->b + y + z;
		return f->sum <= f->a + tolerance &&
			(!whole || f->sum >= f->a - tolerance);
	}
	return true;
}

/* Appends "5 MiB". value: in quanta. */
static void condition_say_amount(struct strbuf *sb, enum metric_id metric, int128 value)
{
	const struct metric *m = metric_get(metric);

	number_print(sb, number_ratio(value, m->per_unit));
	if (m->unit[0])
		strbuf_addf(sb, " %s", m->unit);
}

/* Appends "mem_used_mib of gpu0 is 5 MiB". value: in quanta. */
static void condition_say_value(struct strbuf *sb, const struct run *run,
	enum metric_id metric, uint32_t device, int64_t value)
{
	const struct metric *m = metric_get(metric);

	strbuf_addf(sb, "%s of %s is ", m->name, run->device[device].name);
	condition_say_amount(sb, metric, value);
}

static void say_range(struct strbuf *sb, const struct condition *c)
{
	const char *unit = metric_get(c->a)->unit;

	strbuf_addf(sb, "; expected %lld to %lld", (long long)c->low, (long long)c->high);
	if (unit[0])
		strbuf_addf(sb, " %s", unit);
}

/* Appends "mem_used_mib of gpu0 is 5 MiB", and what speaks against it. */
static void condition_say(struct strbuf *sb, const struct condition *c,
	const struct run *run, uint32_t device, const struct condition_found *f)
{
	condition_say_value(sb, run, c->a, device, f->a);
	switch (c->kind) {
	case CONDITION_RANGE:
		say_range(sb, c);
		break;
	case CONDITION_ORDER:
		strbuf_addf(sb, ", more than %s, ", metric_get(c->b)->name);
		condition_say_amount(sb, c->b, f->b);
		break;
	case CONDITION_BUSY:
		strbuf_addf(sb, " while %s is ", metric_get(c->b)->name);
		condition_say_amount(sb, c->b, f->b);
		break;
	case CONDITION_SUM:
		strbuf_adds(sb, ", but its parts sum to ");
		condition_say_amount(sb, c->a, f->sum);
		break;
	}
}

static bool may_fall(enum metric_id metric)
{
	static const enum metric_id metrics[] = {
#define MAY_FALL(metric) METRIC_##metric,
#include "../schema/checks.def"
	};

	for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; i++)
		if (metrics[i] == metric)
			return true;
	return false;
}

/* The last value of a counter of a device; counters only ever rise. */
struct counted {
	bool seen;
	int32_t segment;
	int64_t t_ns, value;
};

struct soundness {
	struct batch_observer observer;
	uint64_t looks, failures;
	enum source_kind source; /* the kind of log being read: one after the other */
	struct counted **counted; /* [device][METRIC_COUNT], NULL: none yet */
	size_t counted_count, counted_cap;
};

static void say(struct run *run, const struct sample_batch *batch, size_t row,
	const char *id, enum metric_id metric, const struct strbuf *text)
{
	const char *file =
		batch->file < run->file_count ? run->file[batch->file].path : "";

	diag_add(&run->diags, true, id, file, batch->line[row],
		span_of(metric_get(metric)->name), "%s", text->text);
}

static const char *const condition_id[] = {[CONDITION_RANGE] = "range",
	[CONDITION_ORDER] = "order",
	[CONDITION_BUSY] = "busy",
	[CONDITION_SUM] = "sum"};

static struct counted *counted_of(
	struct soundness *soundness, uint32_t device, enum metric_id metric)
{
	ALLOC_AT(soundness->counted, device, soundness->counted_count,
		soundness->counted_cap);
	if (!soundness->counted[device])
		soundness->counted[device] =
			xcalloc(METRIC_COUNT, sizeof(struct counted));
	return &soundness->counted[device][metric];
}

/*
 * Single CPUs are passed over: there are many, and they fall with all together. So is a
 * row that comes late: its counters are those of an earlier time.
 */
static void check_counter(struct soundness *soundness, struct run *run,
	const struct sample_batch *batch, size_t row, const struct sample_column *column)
{
	struct counted now = {
		true, batch->segment[row], batch->t_ns[row], column->value[row]};
	uint32_t device = batch->device[row];
	struct counted *before;
	struct strbuf text;

	if (column->presence[row] != PRESENCE_VALUE ||
		device_is_core(&run->device[device]))
		return;
	before = counted_of(soundness, device, column->metric);
	soundness->looks++;
	if (before->seen && before->segment == now.segment) {
		if (now.t_ns < before->t_ns)
			return;
		if (now.value < before->value && !may_fall(column->metric)) {
			strbuf_init(&text);
			condition_say_value(
				&text, run, column->metric, device, now.value);
			strbuf_adds(&text, ", less than before, ");
			condition_say_amount(&text, column->metric, before->value);
			say(run, batch, row, "counter-reset", column->metric, &text);
			strbuf_release(&text);
			soundness->failures++;
		}
	}
	*before = now;
}

static void check_condition(struct soundness *soundness, struct run *run,
	const struct sample_batch *batch, const struct condition_columns *columns,
	const struct condition *c)
{
	struct strbuf text;
	struct condition_found found = {0};

	strbuf_init(&text);
	for (size_t row = 0; row < batch->rows; row++) {
		bool holds = condition_holds(c, columns, row, &found);

		soundness->looks += found.looked;
		if (holds)
			continue;
		soundness->failures++;
		strbuf_clear(&text);
		condition_say(&text, c, run, batch->device[row], &found);
		say(run, batch, row, condition_id[c->kind], c->a, &text);
	}
	strbuf_release(&text);
}

/* Another kind of log begins. */
static void forget_counted(struct soundness *soundness)
{
	for (size_t i = 0; i < soundness->counted_count; i++)
		free(soundness->counted[i]);
	soundness->counted_count = 0;
}

static void add(struct batch_observer *observer, struct run *run,
	const struct sample_batch *batch)
{
	struct soundness *soundness = (struct soundness *)observer;
	struct condition_columns columns;

	if (soundness->source != batch->source)
		forget_counted(soundness);
	soundness->source = batch->source;
	condition_columns(&columns, batch);
	for (size_t c = 0; c < batch->column_count; c++) {
		const struct sample_column *column = &batch->column[c];
		enum metric_kind kind = metric_get(column->metric)->kind;

		if (kind != KIND_COUNTER && kind != KIND_TICKS)
			continue;
		for (size_t row = 0; row < batch->rows; row++)
			check_counter(soundness, run, batch, row, column);
	}
	for (size_t i = 0; i < CONDITIONS; i++)
		if (columns.column[conditions[i].a])
			check_condition(soundness, run, batch, &columns, &conditions[i]);
}

struct soundness *soundness_new(void)
{
	struct soundness *soundness = xcalloc(1, sizeof *soundness);

	soundness->observer.add = add;
	soundness->observer.sees_all = true;
	soundness->source = SOURCE_NONE;
	return soundness;
}

void soundness_free(struct soundness *soundness)
{
	if (!soundness)
		return;
	forget_counted(soundness);
	free(soundness->counted);
	free(soundness);
}

struct batch_observer *soundness_observer(struct soundness *soundness)
{
	return &soundness->observer;
}

struct soundness_count soundness_count(const struct soundness *soundness)
{
	return (struct soundness_count){
		CONDITIONS, soundness->looks, soundness->failures};
}

/* Implausible values: checks whole columns, as violations are rare. */

void impossible_release(struct impossible_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->at[i].text);
	free(list->at);
	masked_batch_release(&list->in_range);
	masked_batch_release(&list->sound);
}

void masked_batch_release(struct masked_batch *masked)
{
	free(masked->batch.column);
	free(masked->presence);
}

void impossible_forget(struct impossible_list *list, enum source_kind source)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++)
		if (list->at[i].source == source)
			free(list->at[i].text);
		else
			list->at[kept++] = list->at[i];
	list->count = kept;
}

/*
 * Which of its metrics a condition speaks against: of an order both, as either may be
 * wrong; not the utilization of a GPU that works at no power. A sum says only that one of
 * several is.
 */
static size_t accused(const struct condition *c, enum metric_id metric[2])
{
	metric[0] = c->a;
	metric[1] = c->b;
	switch (c->kind) {
	case CONDITION_RANGE:
	case CONDITION_BUSY:
		return 1;
	case CONDITION_ORDER:
		return 2;
	case CONDITION_SUM:
		break;
	}
	return 0;
}

static void find_ranges(const struct sample_batch *batch, struct column_range *range)
{
	for (size_t c = 0; c < batch->column_count; c++) {
		const struct sample_column *column = &batch->column[c];
		struct column_range r = {true, INT64_MAX, INT64_MIN};

		for (size_t row = 0; row < batch->rows; row++) {
			if (column->presence[row] != PRESENCE_VALUE) {
				r.full = false;
				continue;
			}
			r.low = column->value[row] < r.low ? column->value[row] : r.low;
			r.high =
				column->value[row] > r.high ? column->value[row] : r.high;
		}
		range[c] = r;
	}
}

/* Do all rows fulfil it? Missing values are of no use here, and are rare as well. */
static bool all_hold(const struct condition *c, const struct sample_batch *batch,
	const struct condition_columns *columns, const struct column_range *range)
{
	const struct sample_column *a = columns->column[c->a], *b;
	const struct column_range *of_a = &range[a - batch->column];
	int64_t per_unit = metric_get(c->a)->per_unit;

	if (of_a->low > of_a->high)
		return true;
	if (c->kind == CONDITION_RANGE || c->kind == CONDITION_BUSY)
		/* of BUSY what is low may still be right */
		return of_a->low >= c->low * per_unit &&
			(c->kind == CONDITION_BUSY || of_a->high <= c->high * per_unit);
	b = columns->column[c->b];
	if (of_a->high <= range[b - batch->column].low)
		return true;
	for (size_t i = 0; i < batch->rows; i++)
		if (sample_column_has(a, i) && sample_column_has(b, i) &&
			a->value[i] > b->value[i])
			return false;
	return true;
}

/* The batch with columns of its own, and presences that may be changed. */
static void begin_masked(struct masked_batch *masked, const struct sample_batch *batch)
{
	struct sample_column *column = masked->batch.column;
	size_t bytes = SAMPLE_BATCH_ROWS * sizeof *masked->presence;
	size_t cap = masked->batch.column_cap;

	if (cap < batch->column_count) {
		cap = batch->column_count;
		column = xrealloc(column, cap, sizeof *column);
		masked->presence = xrealloc(masked->presence, cap, bytes);
	}
	masked->batch = *batch;
	masked->batch.column = column;
	masked->batch.column_cap = cap;
	for (size_t c = 0; c < batch->column_count; c++) {
		column[c] = batch->column[c];
		column[c].presence = masked->presence + c * SAMPLE_BATCH_ROWS;
		memcpy(column[c].presence, batch->column[c].presence, batch->rows);
	}
}

static void leave_out(struct sample_batch *sound, enum metric_id metric, size_t row)
{
	for (size_t c = 0; c < sound->column_count; c++)
		if (sound->column[c].metric == metric)
			sound->column[c].presence[row] = PRESENCE_MISSING;
}

/* By the ranges, or by all other conditions. */
static const struct sample_batch *mask(struct masked_batch *masked,
	const struct sample_batch *batch, const struct column_range *range, bool ranges)
{
	const struct sample_batch *result = batch;
	struct condition_columns columns;

	condition_columns(&columns, batch);
	for (size_t i = 0; i < CONDITIONS; i++) {
		const struct condition *c = &conditions[i];
		bool is_range = c->kind == CONDITION_RANGE;
		enum metric_id metric[2];
		size_t count = accused(c, metric);
		struct condition_found found;

		if (is_range != ranges || !count || !columns.column[c->a] ||
			(!is_range && !columns.column[c->b]) ||
			all_hold(c, batch, &columns, range))
			continue;
		if (result == batch)
			begin_masked(masked, batch);
		result = &masked->batch;
		for (size_t row = 0; row < batch->rows; row++)
			for (size_t k = 0;
				!condition_holds(c, &columns, row, &found) && k < count;
				k++)
				leave_out(&masked->batch, metric[k], row);
	}
	return result;
}

const struct sample_batch *impossible_in_range(
	struct masked_batch *masked, const struct sample_batch *batch)
{
	const struct sample_batch *result;

	find_ranges(batch, masked->range);
	result = mask(masked, batch, masked->range, true);
	if (result != batch)
		find_ranges(result, masked->range);
	return result;
}

const struct sample_batch *impossible_leave_out(
	struct impossible_list *list, const struct sample_batch *in_range)
{
	const struct sample_batch *result =
		mask(&list->sound, in_range, list->in_range.range, false);

	list->sound_range = list->in_range.range;
	if (result != in_range) {
		find_ranges(result, list->sound.range);
		list->sound_range = list->sound.range;
	}
	return result;
}

/* The first condition on a metric that does not hold in a row. */
static char *what_is_wrong(const struct run *run, const struct sample_batch *batch,
	size_t row, enum metric_id of)
{
	struct condition_columns columns;
	struct condition_found found;
	struct strbuf text;

	strbuf_init(&text);
	condition_columns(&columns, batch);
	for (size_t i = 0; !text.len && i < CONDITIONS; i++) {
		const struct condition *c = &conditions[i];
		enum metric_id metric[2];
		size_t count = accused(c, metric);

		for (size_t k = 0; k < count; k++)
			if (metric[k] == of &&
				!condition_holds(c, &columns, row, &found)) {
				condition_say(&text, c, run, batch->device[row], &found);
				if (c->kind == CONDITION_RANGE)
					strbuf_adds(&text, "; it counts as missing");
				break;
			}
	}
	return strbuf_detach(&text);
}

static struct impossible *find(const struct impossible_list *list,
	enum source_kind source, uint32_t device, enum metric_id metric)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->at[i].source == source && list->at[i].device == device &&
			list->at[i].metric == metric)
			return &list->at[i];
	return NULL;
}

void impossible_count_row(struct impossible_list *list, const struct run *run,
	const struct sample_batch *batch, const struct sample_batch *in_range,
	const struct sample_batch *sound, size_t row)
{
	for (size_t c = 0; sound != batch && c < batch->column_count; c++) {
		enum metric_id metric = batch->column[c].metric;
		struct impossible *at;

		if (batch->column[c].presence[row] == sound->column[c].presence[row])
			continue;
		at = find(list, batch->source, batch->device[row], metric);
		if (!at) {
			at = &ALLOC_NEXT(list->at, list->count, list->cap);
			*at = (struct impossible){.source = batch->source,
				.device = batch->device[row],
				.metric = metric,
				.file = batch->file,
				.line = batch->line[row],
				.text = what_is_wrong(run, batch, row, metric)};
		}
		at->count++;
		at->missing += in_range->column[c].presence[row] == PRESENCE_MISSING;
	}
}

uint64_t impossible_count(const struct impossible_list *list, enum source_kind source,
	uint32_t device, enum metric_id metric)
{
	uint64_t count = 0;

	for (size_t i = 0; i < list->count; i++)
		if ((source == SOURCE_NONE || list->at[i].source == source) &&
			list->at[i].device == device && list->at[i].metric == metric)
			count += list->at[i].count;
	return count;
}

uint64_t impossible_missing(const struct impossible_list *list, enum source_kind source,
	uint32_t device, enum metric_id metric)
{
	const struct impossible *at = find(list, source, device, metric);

	return at ? at->missing : 0;
}

/* Sensors: follows power, utilization and temperature from row to row. */

/* Of fewer rows, or less time, a load that is steady may look like it. */
#define STUCK_ROWS 200
#define STUCK_NS   (30 * NS_PER_S)

/* ... of a slow recorder; a load that is steady to 10 mW is no load. */
#define STUCK_SLOW_ROWS 30
#define STUCK_SLOW_NS	(300 * NS_PER_S)

/* A GPU so busy changes its power; whole watts, as of dmon, may stay the same. */
#define BUSY_PCT 20

/*
 * What changes meanwhile. Whole watts, as of dmon, stay the same more easily: while a GPU
 * cools down, or at its limit.
 */
#define UTIL_POINTS	  20
#define UTIL_POINTS_WHOLE 50
#define TEMP_DEGREES	  10

/*
 * Utilization that stays the same, neither idle nor full, while power jumps by a tenth in
 * so many rows.
 */
#define UTIL_LEAST  5
#define UTIL_MOST   94
#define MOVE_PART   10
#define MOVES_LEAST 20

/* A temperature that stays while power, over a minute each, doubles and more. */
#define POWER_MEAN_NS	 (60 * NS_PER_S)
#define POWER_MEAN_TIMES 2
#define POWER_MEAN_W	 50

/* At rest, for so many rows before a spike and behind it. */
#define REST_PCT  5
#define REST_ROWS 10

/* A spike is so far above the row before it, and the rows behind it are not. */
#define SPIKE_TIMES 2
#define SPIKE_W	    50

/* Two GPUs, where both differ by so much; one GPU, where both differ by less. */
#define TURN_FAR_PCT	  30
#define TURN_FAR_DEGREES  10
#define TURN_NEAR_PCT	  15
#define TURN_NEAR_DEGREES 3

static int64_t quanta(enum metric_id metric, int64_t value)
{
	return value * metric_get(metric)->per_unit;
}

static const enum metric_id sensor_metrics[SENSOR_METRICS] = {
	[SENSOR_POWER] = METRIC_power_w,
	[SENSOR_UTIL] = METRIC_gpu_util_pct,
	[SENSOR_TEMP] = METRIC_temperature_c};

struct sensor_columns sensor_columns(const struct sample_batch *batch)
{
	struct sensor_columns columns;

	for (enum sensor_metric i = 0; i < SENSOR_METRICS; i++)
		columns.of[i] = sample_batch_find(batch, sensor_metrics[i]);
	return columns;
}

static void widen(int64_t *min, int64_t *max, int64_t value)
{
	*min = value < *min ? value : *min;
	*max = value > *max ? value : *max;
}

enum sensor_metric sensor_metric_of(enum metric_id metric)
{
	size_t i = 0;

	while (i < SENSOR_METRICS && sensor_metrics[i] != metric)
		i++;
	return (enum sensor_metric)i;
}

static bool is_long(const struct same_value *same, bool timed, bool slow)
{
	int64_t length_ns = same->to_ns - same->from_ns;

	if (slow && timed && same->rows >= STUCK_SLOW_ROWS && length_ns >= STUCK_SLOW_NS)
		return true;
	return same->rows >= STUCK_ROWS && (!timed || length_ns >= STUCK_NS);
}

static bool shows_stuck_power(const struct same_value *same, bool timed)
{
	/* 0 W is no load either: there is no sensor */
	bool whole = same->value && same->value % quanta(METRIC_power_w, 1) == 0;
	int64_t points = whole ? UTIL_POINTS_WHOLE : UTIL_POINTS;

	if (!is_long(same, timed, !whole))
		return false;
	if (same->util_max - same->util_min >= quanta(METRIC_gpu_util_pct, points))
		return true;
	if (whole)
		return false;
	return same->temp_max - same->temp_min >=
		quanta(METRIC_temperature_c, TEMP_DEGREES) ||
		(same->util_min <= same->util_max &&
			same->util_min >= quanta(METRIC_gpu_util_pct, BUSY_PCT));
}

static bool shows_stuck_util(const struct same_value *same, bool timed)
{
	return is_long(same, timed, true) && same->moves >= MOVES_LEAST &&
		same->value >= quanta(METRIC_gpu_util_pct, UTIL_LEAST) &&
		same->value <= quanta(METRIC_gpu_util_pct, UTIL_MOST);
}

static bool shows_stuck_temp(const struct same_value *same, bool timed)
{
	return timed && is_long(same, timed, true) &&
		same->power_max - same->power_min >=
		quanta(METRIC_power_w, POWER_MEAN_W) &&
		same->power_max >= POWER_MEAN_TIMES * same->power_min;
}

static bool shows_stuck(
	enum sensor_metric sensor, const struct same_value *same, bool timed)
{
	switch (sensor) {
	case SENSOR_POWER:
		return shows_stuck_power(same, timed);
	case SENSOR_UTIL:
		return shows_stuck_util(same, timed);
	case SENSOR_TEMP:
		return shows_stuck_temp(same, timed);
	case SENSOR_METRICS:
		break;
	}
	return false;
}

static void begin_same(struct same_value *same, int64_t value, int64_t t_ns)
{
	*same = (struct same_value){.value = value,
		.from_ns = t_ns,
		.span_ns = t_ns,
		.util_min = INT64_MAX / 2,
		.util_max = INT64_MIN / 2,
		.temp_min = INT64_MAX / 2,
		.temp_max = INT64_MIN / 2,
		.power_min = INT64_MAX / 2,
		.power_max = INT64_MIN / 2};
}

static void follow_power(
	struct same_value *same, int64_t power, int64_t before, int64_t t_ns)
{
	int64_t apart = power < before ? before - power : power - before;

	same->moves += same->rows > 1 && apart * MOVE_PART >= before;
	same->span_sum += power;
	same->span_rows++;
	if (t_ns - same->span_ns < POWER_MEAN_NS)
		return;
	widen(&same->power_min, &same->power_max, same->span_sum / same->span_rows);
	same->span_ns = t_ns;
	same->span_rows = same->span_sum = 0;
}

/* Rows of one segment that have power. */
struct sensor_rows {
	const struct sample_batch *batch;
	const struct sensor_columns *columns;
	size_t count;
	uint16_t row[SAMPLE_BATCH_ROWS];
	int64_t power[SAMPLE_BATCH_ROWS];
};

static void widen_by(
	int64_t *min, int64_t *max, const struct sample_column *column, size_t row)
{
	if (sample_column_has(column, row))
		widen(min, max, column->value[row]);
}

static void follow_same(struct sensor *sensor, enum sensor_metric metric,
	const struct sensor_rows *rows, size_t i)
{
	const struct sample_column *const *column = rows->columns->of;
	const struct sample_batch *batch = rows->batch;
	struct same_value *now = &sensor->now[metric];
	size_t row = rows->row[i];

	now->rows++;
	now->to_ns = batch->t_ns[row];
	widen_by(&now->util_min, &now->util_max, column[SENSOR_UTIL], row);
	widen_by(&now->temp_min, &now->temp_max, column[SENSOR_TEMP], row);
	follow_power(now, rows->power[i], i ? rows->power[i - 1] : sensor->before,
		batch->t_ns[row]);
	if (now->rows >= STUCK_SLOW_ROWS && now->rows > sensor->stuck[metric].rows &&
		shows_stuck(metric, now, batch->timed))
		sensor->stuck[metric] = *now;
}

/* Behind the last of the rows from `from` on that have that value, or none. */
static size_t same_until(const struct sensor_rows *rows,
	const struct sample_column *column, size_t from, int64_t value)
{
	while (from < rows->count &&
		(!sample_column_has(column, rows->row[from]) ||
			column->value[rows->row[from]] == value))
		from++;
	return from;
}

/* What begins and ends within the rows, and so soon, cannot be stuck: most values. */
static void follow_sensor(
	struct sensor *sensor, enum sensor_metric metric, const struct sensor_rows *rows)
{
	const struct sample_column *column = rows->columns->of[metric];
	struct same_value *now = &sensor->now[metric];
	bool follows = now->rows > 0;

	for (size_t from = 0, to; column && from < rows->count; from = to) {
		size_t row = rows->row[from];
		int64_t value;

		to = from + 1;
		if (!sample_column_has(column, row))
			continue;
		value = column->value[row];
		to = same_until(rows, column, to, value);
		follows = follows && now->value == value;
		if (!follows && to < rows->count && to - from < STUCK_SLOW_ROWS)
			continue;
		if (!follows)
			begin_same(now, value, rows->batch->t_ns[row]);
		for (size_t i = from; i < to; i++)
			if (sample_column_has(column, rows->row[i]))
				follow_same(sensor, metric, rows, i);
		follows = false;
	}
}

static bool is_far_above(int64_t power, int64_t around)
{
	return power >= SPIKE_TIMES * around &&
		power - around >= quanta(METRIC_power_w, SPIKE_W);
}

static void follow_rest(struct sensor *sensor, int64_t power, bool rests)
{
	if (sensor->since && (!rests || is_far_above(power, sensor->around)))
		sensor->since = sensor->rest = 0;
	else if (sensor->since && sensor->since++ == REST_ROWS) {
		sensor->since = 0;
		sensor->spikes++;
		if (sensor->candidate > sensor->spike) {
			sensor->spike = sensor->candidate;
			sensor->spike_around = sensor->around;
		}
	}
	if (rests && !sensor->since && sensor->rest >= REST_ROWS &&
		is_far_above(power, sensor->before)) {
		sensor->candidate = power;
		sensor->around = sensor->before;
		sensor->since = 1;
	}
	sensor->rest = rests ? sensor->rest + 1 : 0;
}

static bool are_apart(struct sensor_turn a, struct sensor_turn b, bool far)
{
	int64_t power = a.power > b.power ? a.power - b.power : b.power - a.power;
	int64_t temp = a.temp > b.temp ? a.temp - b.temp : b.temp - a.temp;
	int64_t most = a.power > b.power ? a.power : b.power;

	if (far)
		return 100 * power > TURN_FAR_PCT * most &&
			temp >= quanta(METRIC_temperature_c, TURN_FAR_DEGREES);
	return 100 * power > TURN_NEAR_PCT * most ||
		temp > quanta(METRIC_temperature_c, TURN_NEAR_DEGREES);
}

/* Rows of several GPUs, or hosts, under one name: they take turns. */
static void follow_turns(struct sensor *sensor, struct sensor_turn now)
{
	uint64_t seen = sensor->seen++;
	bool jumps =
		seen && are_apart(now, sensor->past[(seen - 1) % SENSOR_TURNS], true);

	for (size_t k = 2; jumps && k <= SENSOR_TURNS && k <= seen; k++)
		sensor->turns[k] +=
			!are_apart(now, sensor->past[(seen - k) % SENSOR_TURNS], false);
	sensor->past[seen % SENSOR_TURNS] = now;
}

static void follow_rows(struct sensor *sensor, struct sensor_rows *rows)
{
	const struct sample_column *util = rows->columns->of[SENSOR_UTIL];
	const struct sample_column *temp = rows->columns->of[SENSOR_TEMP];
	int64_t rest = quanta(METRIC_gpu_util_pct, REST_PCT);

	for (enum sensor_metric i = 0; i < SENSOR_METRICS; i++)
		follow_sensor(sensor, i, rows);
	for (size_t i = 0; i < rows->count; i++) {
		follow_rest(sensor, rows->power[i],
			sample_column_has(util, rows->row[i]) &&
				util->value[rows->row[i]] <= rest);
		if (sample_column_has(temp, rows->row[i]))
			follow_turns(sensor,
				(struct sensor_turn){
					rows->power[i], temp->value[rows->row[i]]});
		sensor->before = rows->power[i];
	}
	rows->count = 0;
}

void sensor_take(struct sensor *sensor, const struct sample_batch *batch,
	const struct sensor_columns *columns, const struct row_group *group)
{
	const struct sample_column *power = columns->of[SENSOR_POWER];
	struct sensor_rows rows; /* large: not zeroed */

	rows.batch = batch;
	rows.columns = columns;
	rows.count = 0;
	for (size_t i = 0; i < group->count; i++) {
		size_t row = group->row[i];

		if (!sample_column_has(power, row))
			continue;
		if (sensor->segment != batch->segment[row]) {
			follow_rows(sensor, &rows);
			sensor->segment = batch->segment[row];
			sensor->rest = sensor->since = sensor->seen = 0;
			memset(sensor->now, 0, sizeof sensor->now);
		}
		rows.row[rows.count] = (uint16_t)row;
		rows.power[rows.count++] = power->value[row];
	}
	follow_rows(sensor, &rows);
}
