/* Follows power from row to row, beside utilization and temperature. */
#include "compute/run/sensor.h"

#include "base/number.h"
#include "base/timestamp.h"

/* Of fewer rows, or less time, a load that is steady may look like it. */
#define STUCK_ROWS 200
#define STUCK_NS   (30 * NS_PER_S)

/* A GPU so busy changes its power; whole watts, as of dmon, may stay the same. */
#define BUSY_PCT 20

/*
 * What changes meanwhile. Whole watts, as of dmon, stay the same more easily: while a GPU
 * cools down, or at its limit.
 */
#define UTIL_POINTS	  20
#define UTIL_POINTS_WHOLE 50
#define TEMP_DEGREES	  10

/* At rest, for so many rows before a spike and behind it. */
#define REST_PCT  5
#define REST_ROWS 10

/* A spike is so far above the row before it, and the rows behind it are not. */
#define SPIKE_TIMES 2
#define SPIKE_W	    50

static int64_t quanta(enum metric_id metric, int64_t value)
{
	return value * metric_get(metric)->per_unit;
}

struct sensor_columns sensor_columns(const struct sample_batch *batch)
{
	return (struct sensor_columns){sample_batch_find(batch, METRIC_power_w),
		sample_batch_find(batch, METRIC_gpu_util_pct),
		sample_batch_find(batch, METRIC_temp_c)};
}

static bool get(const struct sample_column *column, size_t row, int64_t *value)
{
	if (!sample_column_has(column, row))
		return false;
	*value = column->value[row];
	return true;
}

static void widen(int64_t *min, int64_t *max, int64_t value)
{
	*min = value < *min ? value : *min;
	*max = value > *max ? value : *max;
}

static bool shows_stuck(const struct same_power *same, bool timed)
{
	bool whole = same->power % quanta(METRIC_power_w, 1) == 0;
	int64_t points = whole ? UTIL_POINTS_WHOLE : UTIL_POINTS;

	if (same->rows < STUCK_ROWS || (timed && same->to_ns - same->from_ns < STUCK_NS))
		return false;
	if (same->util_max - same->util_min >= quanta(METRIC_gpu_util_pct, points))
		return true;
	if (whole)
		return false;
	return same->temp_max - same->temp_min >= quanta(METRIC_temp_c, TEMP_DEGREES) ||
		(same->util_min <= same->util_max &&
			same->util_min >= quanta(METRIC_gpu_util_pct, BUSY_PCT));
}

static void follow_same(struct sensor *sensor, const struct sample_batch *batch,
	const struct sensor_columns *columns, size_t row, int64_t power)
{
	struct same_power *now = &sensor->now;
	int64_t value;

	if (!now->rows || now->power != power)
		*now = (struct same_power){.power = power,
			.from_ns = batch->t_ns[row],
			.util_min = INT64_MAX / 2,
			.util_max = INT64_MIN / 2,
			.temp_min = INT64_MAX / 2,
			.temp_max = INT64_MIN / 2};
	now->rows++;
	now->to_ns = batch->t_ns[row];
	if (get(columns->util, row, &value))
		widen(&now->util_min, &now->util_max, value);
	if (get(columns->temp, row, &value))
		widen(&now->temp_min, &now->temp_max, value);
	if (now->rows > sensor->stuck.rows && shows_stuck(now, batch->timed))
		sensor->stuck = *now;
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

void sensor_row(struct sensor *sensor, const struct sample_batch *batch,
	const struct sensor_columns *columns, size_t row)
{
	int64_t power, util;

	if (!get(columns->power, row, &power))
		return;
	if (sensor->segment != batch->segment[row]) {
		sensor->segment = batch->segment[row];
		sensor->rest = sensor->since = sensor->now.rows = 0;
	}
	follow_same(sensor, batch, columns, row, power);
	follow_rest(sensor, power,
		get(columns->util, row, &util) &&
			util <= quanta(METRIC_gpu_util_pct, REST_PCT));
	sensor->before = power;
}
