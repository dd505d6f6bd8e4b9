/*
 * Every condition of schema/checks.def at its exact boundary, one quantum beyond, and
 * with values missing; counters that go back, and those that only seem to.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <string.h>

#include "compute/run/soundness.h"

#define S 1000000000LL

enum {
	GPU0,
	GPU1,
	CPU,
	CORE
};

struct room {
	struct run run;
	struct sample_batch batch;
	struct soundness *soundness;
};

static void room_init(struct room *room, enum source_kind source)
{
	run_init(&room->run, "run");
	run_add_device(&room->run, DEVICE_GPU, 0);
	run_add_device(&room->run, DEVICE_GPU, 1);
	run_add_device(&room->run, DEVICE_CPU, -1);
	run_add_device(&room->run, DEVICE_CPU, 0);
	run_add_file(&room->run, "log");
	sample_batch_init(&room->batch);
	sample_batch_clear(&room->batch);
	room->batch.source = source;
	room->batch.timed = true;
	room->batch.file = 0;
	room->soundness = soundness_new();
}

static void room_release(struct room *room)
{
	soundness_free(room->soundness);
	sample_batch_release(&room->batch);
	run_release(&room->run);
}

static size_t add_row(struct room *room, int64_t t_ns, uint32_t device)
{
	size_t row = sample_batch_add(&room->batch, t_ns, device);

	room->batch.line[row] = 10 + row;
	return row;
}

static void put(struct room *room, size_t row, enum metric_id metric, int64_t value)
{
	if (metric != METRIC_none)
		sample_batch_put(&room->batch, row,
			sample_batch_column(&room->batch, metric), value);
}

static void miss(struct room *room, size_t row, enum metric_id metric)
{
	size_t column = sample_batch_column(&room->batch, metric);

	room->batch.column[column].presence[row] = PRESENCE_MISSING;
}

/* Hands the batch over and begins the next one; how many conditions did not hold so far.
 */
static uint64_t look(struct room *room)
{
	struct batch_observer *observer = soundness_observer(room->soundness);

	observer->add(observer, &room->run, &room->batch);
	sample_batch_clear(&room->batch);
	return soundness_count(room->soundness).failures;
}

static const struct diag *diag_of(const struct room *room, const char *id)
{
	for (size_t i = 0; i < room->run.diags.count; i++)
		if (strcmp(room->run.diags.at[i].id, id) == 0)
			return &room->run.diags.at[i];
	fail_msg("no %s", id);
	return NULL;
}

/* Up to four values in a row: how many conditions fail. */
static uint64_t failures_of(const enum metric_id metric[4], const int64_t value[4])
{
	struct room room;
	uint64_t failures;
	size_t row;

	room_init(&room, SOURCE_NVIDIA_QUERY);
	row = add_row(&room, S, GPU0);
	for (int i = 0; i < 4; i++)
		put(&room, row, metric[i], value[i]);
	failures = look(&room);
	assert_int_equal(room.run.diags.count, failures > 0);
	room_release(&room);
	return failures;
}

static void expect_failures(const char *name, const enum metric_id metric[4], int64_t a,
	int64_t b, int64_t c, int64_t d, uint64_t expected)
{
	uint64_t failures = failures_of(metric, (int64_t[]){a, b, c, d});

	if (failures != expected)
		fail_msg("%s: %llu failures of %lld %lld %lld %lld", name,
			(unsigned long long)failures, (long long)a, (long long)b,
			(long long)c, (long long)d);
}

static void check_range(enum metric_id metric, int64_t low, int64_t high)
{
	const enum metric_id row[4] = {metric, METRIC_none, METRIC_none, METRIC_none};
	const char *name = metric_get(metric)->name;
	int64_t unit = metric_get(metric)->per_unit;

	expect_failures(name, row, low * unit, 0, 0, 0, 0);
	expect_failures(name, row, high * unit, 0, 0, 0, 0);
	expect_failures(name, row, low * unit - 1, 0, 0, 0, 1);
	expect_failures(name, row, high * unit + 1, 0, 0, 0, 1);
	expect_failures(name, row, INT64_MAX, 0, 0, 0, 1);
	expect_failures(name, row, INT64_MIN, 0, 0, 0, 1);
}

static void ranges(void **state)
{
	(void)state;
#define RANGE(metric, low, high) check_range(METRIC_##metric, low, high);
#include "../schema/checks.def"
}

/* Quanta are compared, so both must be of one unit. */
static void check_order(enum metric_id small, enum metric_id large)
{
	const enum metric_id row[4] = {small, large, METRIC_none, METRIC_none};
	const enum metric_id alone[4] = {small, METRIC_none, METRIC_none, METRIC_none};
	const char *name = metric_get(small)->name;
	bool of_total = large == METRIC_mem_total_mib; /* of 0 or 5 MiB no GPU has any */
	int64_t unit = metric_get(small)->per_unit, same = (of_total ? 500 : 5) * unit;

	assert_int_equal(unit, metric_get(large)->per_unit);
	expect_failures(name, row, same, same, 0, 0, 0);
	expect_failures(name, row, 0, 0, 0, 0, of_total);
	expect_failures(name, row, same + 1, same, 0, 0, 1);
	expect_failures(name, alone, same + 1, 0, 0, 0, 0);
}

static void orders(void **state)
{
	(void)state;
#define ORDER(small, large) check_order(METRIC_##small, METRIC_##large);
#include "../schema/checks.def"
}

/* At 50 % it counts as at work: one quantum less and nothing is asked. */
static void check_busy(enum metric_id metric, int64_t least)
{
	const enum metric_id row[4] = {
		metric, METRIC_gpu_util_pct, METRIC_none, METRIC_none};
	const enum metric_id alone[4] = {metric, METRIC_none, METRIC_none, METRIC_none};
	const char *name = metric_get(metric)->name;
	int64_t unit = metric_get(metric)->per_unit;
	int64_t half = 50 * metric_get(METRIC_gpu_util_pct)->per_unit;

	expect_failures(name, row, least * unit, half, 0, 0, 0);
	expect_failures(name, row, least * unit - 1, half, 0, 0, 1);
	expect_failures(name, row, 0, half - 1, 0, 0, 0);
	expect_failures(name, alone, 0, 0, 0, 0, 0);
}

static void busy(void **state)
{
	(void)state;
#define BUSY(metric, least) check_busy(METRIC_##metric, least);
#include "../schema/checks.def"
}

/* Half of the total is a, the rest b, so that no other condition is touched. */
static void check_sum(enum metric_id total, enum metric_id a, enum metric_id b,
	enum metric_id c, int64_t tolerance)
{
	const enum metric_id row[4] = {total, a, b, c};
	const enum metric_id without[4] = {total, a, b, METRIC_none};
	const char *name = metric_get(total)->name;
	int64_t unit = metric_get(total)->per_unit, t = 1000 * unit;
	int64_t half = t / 2, most = tolerance * unit, part = c == METRIC_none ? 0 : unit;
	uint64_t too_little = c == METRIC_none;

	assert_int_equal(unit, metric_get(a)->per_unit);
	assert_int_equal(unit, metric_get(b)->per_unit);
	assert_true(c == METRIC_none || metric_get(c)->per_unit == unit);
	expect_failures(name, row, t, half, half - part, part, 0);
	expect_failures(name, row, t, half, half - part + most, part, 0);
	expect_failures(name, row, t, half, half - part - most, part, 0);
	expect_failures(name, row, t, half, half - part + most + 1, part, 1);
	expect_failures(name, row, t, half, half - part - most - 1, part, 1);
	expect_failures(name, without, t, half, half + most, 0, 0);
	expect_failures(name, without, t, half, half + most + 1, 0, 1);
	expect_failures(name, without, t, half, half - most - 1, 0, too_little);
}

static void sums(void **state)
{
	(void)state;
#define SUM(total, a, b, c, tolerance) \
	check_sum(METRIC_##total, METRIC_##a, METRIC_##b, METRIC_##c, tolerance);
#include "../schema/checks.def"
}

/* Whatever numbers a log holds: not even their sum leaves its type. */
static void huge_sums(void **state)
{
	struct room room;
	size_t row;

	(void)state;
	room_init(&room, SOURCE_NVIDIA_QUERY);
	row = add_row(&room, S, GPU0);
	put(&room, row, METRIC_mem_total_mib, INT64_MAX);
	put(&room, row, METRIC_mem_used_mib, INT64_MAX);
	put(&room, row, METRIC_mem_free_mib, INT64_MAX);
	put(&room, row, METRIC_mem_reserved_mib, INT64_MAX);
	look(&room);
	assert_int_equal(diag_of(&room, "sum:mem_total_mib")->count, 1);
	room_release(&room);
}

/* A value that is not there breaks no condition, and is not looked at. */
static void missing_values(void **state)
{
	struct room room;
	size_t row;

	(void)state;
	room_init(&room, SOURCE_NVIDIA_QUERY);
	row = add_row(&room, S, GPU0);
	miss(&room, row, METRIC_gpu_util_pct);
	miss(&room, row, METRIC_mem_used_mib);
	put(&room, row, METRIC_pcie_gen, 5);
	miss(&room, row, METRIC_pcie_gen_max);
	add_row(&room, 2 * S, GPU0);
	assert_int_equal(look(&room), 0);
	assert_int_equal(soundness_count(room.soundness).looks, 0);
	room_release(&room);
}

/* One entry for a condition: the first place and sentence, and how often. */
static void says_what_it_found(void **state)
{
	const struct diag *diag;
	struct room room;
	size_t row;

	(void)state;
	room_init(&room, SOURCE_NVIDIA_QUERY);
	add_row(&room, S, GPU0);
	for (int i = 0; i < 3; i++) {
		row = add_row(&room, S, GPU1);
		put(&room, row, METRIC_power_w, (5000 + i) * 1000000LL);
	}
	assert_int_equal(metric_get(METRIC_power_w)->per_unit, 1000000);
	assert_int_equal(look(&room), 3);
	diag = diag_of(&room, "range:power_w");
	assert_int_equal(diag->count, 3);
	assert_int_equal(diag->line, 11);
	assert_true(diag->damage);
	assert_string_equal(diag->file, "log");
	assert_string_equal(
		diag->text, "power_w of gpu1 is 5000 W; expected 0 to 3000 W");
	room_release(&room);
}

static void put_counter(struct room *room, int64_t t_ns, uint32_t device, int32_t segment,
	enum metric_id metric, int64_t value)
{
	size_t row = add_row(room, t_ns, device);

	room->batch.segment[row] = segment;
	put(room, row, metric, value);
}

static void counters(void **state)
{
	const enum metric_id replays = METRIC_pcie_replays;
	struct room room;

	(void)state;
	room_init(&room, SOURCE_NVIDIA_QUERY);
	put_counter(&room, 1 * S, GPU0, 0, replays, 7);
	put_counter(&room, 1 * S, GPU1, 0, replays, 3); /* another device */
	put_counter(&room, 2 * S, GPU0, 0, replays, 7); /* the same is not less */
	assert_int_equal(look(&room), 0);
	put_counter(&room, 3 * S, GPU0, 0, replays, 6); /* across batches */
	assert_int_equal(look(&room), 1);
	put_counter(&room, 4 * S, GPU0, 0, replays, 6); /* rising from there on */
	put_counter(&room, 5 * S, GPU0, 0, replays, 9);
	put_counter(&room, 3 * S, GPU0, 0, replays, 6); /* late: an earlier time's */
	put_counter(&room, 6 * S, GPU0, 0, replays, 9);
	put_counter(&room, 1 * S, GPU0, 1, replays, 0); /* behind a step back */
	assert_int_equal(look(&room), 1);
	room.batch.source = SOURCE_NVIDIA_DMON;
	put_counter(&room, 2 * S, GPU0, 1, replays, 0); /* another log counts anew */
	put_counter(&room, 2 * S, GPU1, 0, replays, 1);
	assert_int_equal(look(&room), 1);
	assert_string_equal(diag_of(&room, "counter-reset:pcie_replays")->text,
		"pcie_replays of gpu0 is 6, less than before, 7");
	room_release(&room);
}

/* Without times all rows are at 0, in the order of the log. */
static void counters_without_times(void **state)
{
	struct room room;

	(void)state;
	room_init(&room, SOURCE_NVIDIA_DMON);
	room.batch.timed = false;
	put_counter(&room, 0, GPU0, 0, METRIC_pcie_replays, 2);
	put_counter(&room, 0, GPU0, 0, METRIC_pcie_replays, 1);
	assert_int_equal(look(&room), 1);
	room_release(&room);
}

/* What the kernel may take back, and single CPUs, which fall with all together. */
static void ticks(void **state)
{
	struct room room;

	(void)state;
	room_init(&room, SOURCE_PROC_STAT);
#define MAY_FALL(metric)                                      \
	put_counter(&room, S, CPU, 0, METRIC_##metric, 1000); \
	put_counter(&room, 2 * S, CPU, 0, METRIC_##metric, 1);
#include "../schema/checks.def"
	put_counter(&room, S, CORE, 0, METRIC_cpu_user_ticks, 1000);
	put_counter(&room, 2 * S, CORE, 0, METRIC_cpu_user_ticks, 1);
	assert_int_equal(look(&room), 0);
	put_counter(&room, S, CPU, 0, METRIC_cpu_user_ticks, 1000);
	put_counter(&room, 2 * S, CPU, 0, METRIC_cpu_user_ticks, 999);
	assert_int_equal(look(&room), 1);
	room_release(&room);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges),
		cmocka_unit_test(orders),
		cmocka_unit_test(busy),
		cmocka_unit_test(sums),
		cmocka_unit_test(huge_sums),
		cmocka_unit_test(missing_values),
		cmocka_unit_test(says_what_it_found),
		cmocka_unit_test(counters),
		cmocka_unit_test(counters_without_times),
		cmocka_unit_test(ticks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
