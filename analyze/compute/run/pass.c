/*
 * Adds a batch: first row by row what depends on earlier rows, then device by device
 * and metric by metric what doesn't.
 */
#include "compute/run/pass.h"

#include <string.h>

#include "base/alloc.h"
#include "base/timestamp.h"
#include "compute/run/state.h"
#include "compute/series/series.h"

static inline void reply_note(struct reply *reply, enum metric_id metric, bool has_value)
{
	bool shows_life = metric_shows_life(metric);

	reply->asked = true;
	reply->any |= has_value;
	reply->asked_life |= shows_life;
	reply->life |= shows_life && has_value;
}

/* Replies: does a row have values, and which values can its log have? */

static enum row_answer reply_answer(
	const struct reply *reply, const struct device *device, bool unavailable)
{
	if (device->kind != DEVICE_GPU || reply->life)
		return ROW_SAYS_LIFE;
	if (unavailable)
		return ROW_SAYS_UNASKED;
	if (reply->asked && !reply->any)
		return ROW_SAYS_NOTHING;
	return reply->asked_life ? ROW_SAYS_VALUE : ROW_SAYS_UNASKED;
}

/* Rows of the processes on a GPU that are further apart are of two looks at it. */
#define LOOK_NS (NS_PER_S / 20)

enum metric_id peak_total_metric(void)
{
	return summary_field_get(SUMMARY_peak_vram_total_mib)->metric;
}

static void add_to_total(struct tick_total *total, int64_t t_ns, int64_t value)
{
	total->sum += value;
	if (!total->has_peak || total->sum > total->peak) {
		total->peak = total->sum;
		total->peak_ns = t_ns;
		total->peak_from_ns = total->from_ns;
		total->peak_segment = total->segment;
	}
	total->has_peak = true;
}

/*
 * The memory of a process, of all on its GPU in this tick: rows of one look at a GPU have
 * one time, give or take, and a process that takes another's place comes later.
 */
static void add_held(struct source_state *source, const struct device *process,
	int64_t t_ns, int64_t value)
{
	size_t gpu = (size_t)process->parent;
	struct process_sum *held;

	ALLOC_AT(source->held, gpu, source->held_count, source->held_cap);
	held = &source->held[gpu];
	if (held->tick != source->ticks.count || (int128)t_ns - held->prev_ns > LOOK_NS)
		held->total.sum = 0;
	held->tick = source->ticks.count;
	held->prev_ns = t_ns;
	add_to_total(&held->total, t_ns, value);
}

/* in, waits: their map is NULL if they are not asked. */
static void add_ticks(struct aggregate *agg, const struct sample_batch *batch, size_t row,
	struct device_state *device, const struct phase_row *in,
	const struct phase_row *waits)
{
	const struct source_state *source = &agg->source[batch->source];
	int64_t ticks[TICK_COUNT], t_ns = batch->t_ns[row];
	int64_t before_ns = source->snapshot_before_ns, prev_ns = device->track.prev_ns;
	bool matched;

	if (!batch->timed) {
		t_ns = (int64_t)source->ticks.count * UNTIMED_STEP_NS;
		before_ns = t_ns - UNTIMED_STEP_NS;
		prev_ns = device->shares ? device->shares->prev_ns : before_ns;
	}
	/* A CPU that the snapshot before did not have was unplugged in between. */
	matched = !device_is_core(&agg->run->device[batch->device[row]]) ||
		device->track.rows == 0 || prev_ns == t_ns || prev_ns == before_ns;

	if (!ticks_of_row(batch, row, ticks))
		return;
	if (!device->shares) {
		device->shares = xcalloc(1, sizeof *device->shares);
		shares_init(device->shares,
			batch->timed ? -1 : untimed_step_ns(agg, batch->source));
	}
	if (in->map)
		phase_ticks_take(&device->ticks_in_phases, in, ticks, device->shares);
	if (waits->map)
		phase_ticks_take(&device->ticks_in_waits, waits, ticks, device->shares);
	shares_add(device->shares, t_ns, batch->segment[row], ticks, matched);
}

/* The gap limit, where it does not depend on the rows; else -1. */
static int64_t known_limit(const struct aggregate *agg, enum source_kind kind)
{
	int64_t interval_ns = agg->options.times_by_interval
		? agg->options.interval_ns
		: run_interval_ns(agg->run, kind);

	return gap_limit_asked(agg, interval_ns > 0 ? gap_limit_ns(interval_ns) : -1);
}

/* Which columns a row has, as a number. */
static uint64_t with_column(uint64_t columns, enum metric_id metric)
{
	return columns ^ ((uint64_t)metric + 1) * 0x9e3779b97f4a7c15u;
}

static void hear(struct row_says *says, const struct sample_column *column, size_t row)
{
	says->columns = with_column(says->columns, column->metric);
	if (metric_get(column->metric)->kind == KIND_TICKS)
		says->ticks = true;
	else
		reply_note(&says->reply, column->metric,
			column->presence[row] == PRESENCE_VALUE);
}

static struct row_says row_says(const struct sample_batch *batch, size_t row)
{
	struct row_says says = {0};

	for (size_t c = 0; c < batch->column_count; c++)
		if (batch->column[c].presence[row] != PRESENCE_ABSENT)
			hear(&says, &batch->column[c], row);
	return says;
}

void reply_elsewhere(struct aggregate *agg, const struct sample_batch *batch, size_t row)
{
	struct source_state *source = &agg->source[batch->source];
	uint32_t index = batch->device[row];
	enum row_answer answer;
	struct row_says says;

	if (agg->run->device[index].kind != DEVICE_GPU)
		return;
	says = row_says(batch, row);
	answer = reply_answer(
		&says.reply, &agg->run->device[index], batch->unavailable[row]);
	ALLOC_AT(
		source->elsewhere, index, source->elsewhere_count, source->elsewhere_cap);
	if (answer > source->elsewhere[index])
		source->elsewhere[index] = answer;
	if (index < source->device_count && source->device[index])
		track_expect(&source->device[index]->track, answer);
}

static bool is_full(const struct sample_column *column, size_t rows)
{
	return column->presence[0] == PRESENCE_VALUE &&
		memcmp(column->presence, column->presence + 1, rows - 1) == 0;
}

static bool all_full(const struct sample_batch *batch)
{
	for (size_t c = 0; c < batch->column_count; c++)
		if (!is_full(&batch->column[c], batch->rows))
			return false;
	return batch->rows > 0;
}

/* Is its sum over devices wanted, as the rows come? */
static bool is_summed(const struct pass *pass, enum metric_id metric)
{
	return metric == pass->total || metric == METRIC_process_gpu_mem_mib;
}

static bool is_taken_at_once(const struct pass *pass, enum metric_id metric)
{
	return pass->at_once && series_takes_rows(metric_get(metric)->kind);
}

/* Values of a log with ticks follow each other row by row. */
static void list_columns(struct pass *pass, const struct sample_batch *batch)
{
	pass->deferred = batch->timed;
	for (size_t c = 0; c < batch->column_count; c++) {
		enum metric_id metric = batch->column[c].metric;

		if (metric_get(metric)->kind == KIND_TICKS) {
			pass->deferred = false;
			continue;
		}
		if (is_summed(pass, metric))
			pass->sum[pass->sums++] = c;
		if (!is_taken_at_once(pass, metric))
			pass->visit[pass->visits++] = c;
	}
}

struct pass pass_begin(struct aggregate *agg, const struct sample_batch *batch)
{
	int64_t limit_ns = batch->timed ? known_limit(agg, batch->source) : -1;
	struct pass pass = {.near_ns = limit_ns,
		.limit_known = limit_ns >= 0,
		.total = peak_total_metric(),
		.in_phases = batch->timed &&
			phase_map_tree(aggregate_phases(agg))->path_count > 0,
		.work = batch->timed ? aggregate_work(agg)->map : NULL};

	if (batch->timed && meanwhile_is_host_log(batch->source))
		pass.waits = aggregate_meanwhile(agg)->map;
	if (!pass.limit_known)
		pass.near_ns = batch->timed ? agg->short_ns : 0;
	pass.at_once = batch->timed && !pass.in_phases && !pass.work && !pass.waits;
	pass.full = all_full(batch);
	if (pass.full)
		pass.says = row_says(batch, 0);
	list_columns(&pass, batch);
	return pass;
}

static void add_to_whole(struct series *series, const struct instant *at,
	const int64_t *value, const struct slice *ended)
{
	const struct slice_piece whole =
		ended ? slice_whole(ended) : (struct slice_piece){0};

	if (ended)
		series_cover(series, at, ended, &whole, slice_area(ended));
	series_take(series, at, value);
}

static struct series *series_of(const struct aggregate *agg,
	const struct sample_batch *batch, struct device_state *device,
	enum metric_id metric)
{
	struct series **series = &device->series[metric];

	if (!*series) {
		*series = series_new(metric);
		if (batch->timed)
			series_keep_course(
				*series, metric, agg->source[batch->source].origin_ns);
	}
	return *series;
}

static bool has_any(const struct sample_column *column, const struct row_group *group)
{
	for (size_t i = 0; i < group->count; i++)
		if (column->presence[group->row[i]] != PRESENCE_ABSENT)
			return true;
	return false;
}

/* Without times rows stand a second apart until more is known. */
static int64_t time_of(
	const struct aggregate *agg, const struct sample_batch *batch, size_t row)
{
	return batch->timed
		? batch->t_ns[row]
		: (int64_t)agg->source[batch->source].ticks.count * UNTIMED_STEP_NS;
}

/* What is summed over devices as the rows come. */
static void take_sums(struct aggregate *agg, const struct pass *pass,
	const struct sample_batch *batch, size_t row)
{
	const struct device *of = &agg->run->device[batch->device[row]];
	struct source_state *source = &agg->source[batch->source];
	int64_t t_ns = time_of(agg, batch, row);

	for (size_t i = 0; i < pass->sums; i++) {
		const struct sample_column *column = &batch->column[pass->sum[i]];

		if (column->presence[row] != PRESENCE_VALUE)
			continue;
		if (column->metric == pass->total)
			add_to_total(&source->peak_total, t_ns, column->value[row]);
		if (column->metric == METRIC_process_gpu_mem_mib)
			add_held(source, of, t_ns, column->value[row]);
	}
}

/* The columns that are not taken at once. is_core: of a single CPU. */
static void take_values(struct aggregate *agg, const struct pass *pass,
	const struct sample_batch *batch, size_t row, struct device_state *device,
	bool is_core, bool ticks)
{
	struct instant at = {.t_ns = time_of(agg, batch, row),
		.segment = batch->segment[row],
		.short_ns = pass->near_ns,
		.limit_known = pass->limit_known};
	struct phase_row in = {.map = NULL}, call = {.map = NULL}, work = {.map = NULL};
	struct phase_row waits = {.map = NULL};
	bool divided;

	if (pass->in_phases && !is_core)
		in = phase_row_at(agg->phases, &at);
	divided = in.map && phase_map_divides(in.map);
	if (in.map && agg->calls)
		call = phase_row_at(agg->calls, &at);
	/* Of units of work the time between samples counts, not the samples. */
	if (pass->work)
		work = (struct phase_row){
			.map = pass->work, .at = at, .set = PATH_SET_NONE};
	if (pass->waits && !is_core)
		waits = phase_row_at(pass->waits, &at);
	for (size_t i = 0; i < pass->visits; i++) {
		const struct sample_column *column = &batch->column[pass->visit[i]];
		const int64_t *value = NULL;
		struct slice slice, *ended;
		struct series *series;

		if (column->presence[row] == PRESENCE_ABSENT)
			continue;
		if (column->presence[row] == PRESENCE_VALUE)
			value = &column->value[row];
		series = series_of(agg, batch, device, column->metric);
		if (value)
			series_keep(series, &at, *value);
		ended = series_follow(series, &at, value, &slice) ? &slice : NULL;
		if (!divided)
			add_to_whole(series, &at, value, ended);
		if (in.map)
			phase_cells_take(&device->in[IN_PHASES], &in, column->metric,
				value, ended, divided ? series : NULL);
		if (call.map && phase_is_main(column->metric))
			phase_cells_take(&device->in[IN_CALLS], &call, column->metric,
				value, ended, NULL);
		if (work.map && ended && phase_is_main(column->metric))
			phase_cells_take(&device->in[IN_WORK], &work, column->metric,
				NULL, ended, NULL);
		if (waits.map)
			phase_cells_take(&device->in[IN_WAITS], &waits, column->metric,
				value, ended, NULL);
	}
	if (!pass->at_once) {
		phase_cells_end(&device->in[IN_PHASES], &in);
		if (call.map)
			phase_cells_end(&device->in[IN_CALLS], &call);
		phase_cells_end(&device->in[IN_WORK], &work);
		phase_cells_end(&device->in[IN_WAITS], &waits);
	}
	if (ticks)
		add_ticks(agg, batch, row, device, &in, &waits);
}

void pass_row(struct aggregate *agg, const struct pass *pass,
	const struct sample_batch *batch, size_t row, struct device_state *device)
{
	const struct device *of = &agg->run->device[batch->device[row]];
	const struct row_says says = pass->full ? pass->says : row_says(batch, row);

	take_sums(agg, pass, batch, row);
	if (!pass->deferred && (pass->visits || says.ticks))
		take_values(
			agg, pass, batch, row, device, device_is_core(of), says.ticks);
	if (batch->timed)
		track_add(&device->track,
			&(struct track_row){batch->t_ns[row], batch->segment[row],
				batch->file, batch->line[row],
				session_explains(&agg->source[batch->source],
					device->track.answers.prev_ns, batch->t_ns[row]),
				says.columns,
				reply_answer(&says.reply, of, batch->unavailable[row]),
				batch->unavailable[row]},
			agg->short_ns);
	else
		device->track.rows++;
}

void pass_end(struct aggregate *agg, const struct batch_rest *rest)
{
	const struct sample_batch *batch = rest->in_range;
	const struct source_state *source = &agg->source[batch->source];
	const struct row_groups *groups = &rest->groups;
	const struct pass *pass = &rest->pass;

	for (size_t i = 0; pass->deferred && pass->visits && i < groups->rows; i++) {
		size_t row = groups->taken[i];
		uint32_t device = batch->device[row];

		take_values(agg, pass, batch, row, source->device[device],
			groups->group[groups->of[device] - 1].is_core, false);
	}
	for (size_t i = 0; i < groups->count; i++) {
		const struct row_group *group = &groups->group[i];
		struct device_state *device = source->device[group->device];

		for (size_t c = 0; c < batch->column_count; c++) {
			const struct sample_column *column = &batch->column[c];

			if (is_taken_at_once(pass, column->metric) &&
				has_any(column, group))
				series_take_rows(
					series_of(agg, batch, device, column->metric),
					batch, column, group, pass->near_ns,
					pass->limit_known);
		}
	}
}

/*
 * Times for logs without times. Ticks are counted as in the aggregate, from TIME_BEGIN
 * on.
 */

void tick_times_release(struct tick_times *times)
{
	rounds_release(&times->rounds);
}

bool tick_times_has_room(uint64_t ticks, int64_t step_ns)
{
	return ticks + SAMPLE_BATCH_ROWS <=
		(uint64_t)((TIME_DATED - TIME_BEGIN) / step_ns);
}

void tick_times_put(
	struct tick_times *times, const struct run *run, struct sample_batch *batch)
{
	struct rounds *rounds = &times->rounds;

	if (batch->timed || times->step_ns <= 0 ||
		!tick_times_has_room(rounds->count, times->step_ns))
		return;
	for (size_t row = 0; row < batch->rows; row++) {
		uint32_t device = batch->device[row];

		/* Single CPUs stand behind the row of all together. */
		if (!device_is_core(&run->device[device]))
			rounds_add(rounds, run, &(struct round_row){.device = device});
		batch->t_ns[row] = TIME_BEGIN;
		if (rounds->count)
			batch->t_ns[row] += (int64_t)(rounds->count - 1) * times->step_ns;
	}
	batch->timed = true;
}
