/*
 * Who is who: how many GPUs a log without ids is about, and which device a row with ids
 * means.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/timestamp.h"
#include "read/identity.h"
#include "read/streams.h"

#define MS (NS_PER_S / 1000)

/* Times in ms. */
static struct blocks find(const int *t_ms, size_t count)
{
	int64_t *t_ns = xmalloc((count + 1) * sizeof *t_ns);
	struct blocks blocks;

	for (size_t i = 0; i < count; i++)
		t_ns[i] = t_ms[i] * MS;
	blocks = blocks_find(t_ns, count);
	free(t_ns);
	return blocks;
}

static const struct {
	const char *name;
	size_t size; /* of the blocks */
	size_t count;
	int t_ms[24];
} logs[] = {
	{"nothing", 1, 0, {0}},
	{"one row", 1, 1, {5}},
	{"two rows", 1, 2, {0, 1000}},
	{"one GPU", 1, 6, {0, 1000, 2000, 3000, 4000, 5000}},
	{"steps of 15 and 25 ms", 1, 10, {0, 15, 40, 55, 80, 95, 120, 135, 160, 175}},
	{"one GPU and a gap: two blocks prove nothing", 1, 6,
		{0, 100, 200, 9000, 9100, 9200}},
	{"two GPUs", 2, 8, {0, 7, 1000, 1008, 2000, 2006, 3000, 3007}},
	{"two GPUs far apart are one", 1, 8,
		{0, 300, 1000, 1300, 2000, 2300, 3000, 3300}},
	{"four GPUs of some ms each", 4, 16,
		{0, 5, 10, 15, 1000, 1005, 1010, 1015, 2000, 2023, 2028, 2033, 3000, 3005,
			3010, 3015}},
	{"four GPUs, 10 ms between ticks 100 ms apart", 4, 12,
		{0, 10, 20, 30, 100, 110, 120, 130, 200, 210, 220, 230}},
	{"four GPUs, one block in four too short: not nine of ten", 1, 15,
		{0, 5, 10, 15, 1000, 1005, 1010, 2000, 2005, 2010, 2015, 3000, 3005, 3010,
			3015}},
	{"equal times", 3, 9, {0, 0, 0, 1000, 1000, 1000, 2000, 2000, 2000}},
	{"equal times, two blocks", 2, 4, {0, 0, 1000, 1000}},
	{"equal times, once", 2, 2, {0, 0}},
	{"a tick in two halves", 2, 8, {0, 0, 1000, 1000, 2000, 2000, 3000, 3000}},
	{"back in time between blocks", 2, 8,
		{5000, 5005, 6000, 6005, 1000, 1005, 2000, 2005}},
};

static void blocks_known_answers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof logs / sizeof logs[0]; i++) {
		struct blocks blocks = find(logs[i].t_ms, logs[i].count);

		if (blocks.size != logs[i].size)
			fail_msg("%s: %zu", logs[i].name, blocks.size);
	}
}

/* The border cuts the log into its blocks: every step inside is shorter, others longer.
 */
static void borders(void **state)
{
	static const int t_ms[] = {
		0, 5, 10, 15, 1000, 1046, 1051, 1056, 2000, 2005, 2010, 2015};
	struct blocks blocks = find(t_ms, 12);

	(void)state;
	assert_int_equal(blocks.size, 4);
	assert_true(blocks.border_ns >= 46 * MS);
	assert_true(blocks.border_ns < 944 * MS);
}

/* Four GPUs, and one block in twenty lacks a row: the others still tell. */
static void short_blocks_among_many(void **state)
{
	int t_ms[400];
	size_t count = 0;

	(void)state;
	for (int tick = 0; tick < 60; tick++)
		for (int gpu = 0; gpu < (tick % 20 == 7 ? 3 : 4); gpu++)
			t_ms[count++] = tick * 500 + gpu * 6;
	assert_int_equal(count, 237);
	assert_int_equal(find(t_ms, count).size, 4);
}

/* Bursts of one GPU: irregular, never nine of ten of one size. */
static void bursts_of_one_gpu(void **state)
{
	static const int sizes[] = {3, 1, 5, 2, 4, 3, 1, 6, 2, 3};
	int t_ms[64];
	size_t count = 0;

	(void)state;
	for (int burst = 0; burst < 10; burst++)
		for (int i = 0; i < sizes[burst]; i++)
			t_ms[count++] = burst * 2000 + i * 20;
	assert_int_equal(find(t_ms, count).size, 1);
}

/* Steps of a log without ids, again and again: are they those of several GPUs? */
static void steps_in_turns(void **state)
{
	static const struct {
		int count, step_ms[4];
		bool several;
	} cycles[] = {
		{2, {4, 6}, true},
		{2, {12, 8}, true},
		{1, {10}, false},
		{2, {4, 5}, false}, /* 4.5 ms on a clock of milliseconds */
		{2, {19, 21}, false},
		{2, {400, 600}, true}, /* of a loop that calls nvidia-smi for each GPU */
		{2, {4000, 6000}, false},
		{4, {4, 6, 6, 4}, false},
		{3, {4, 6, 5}, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cycles / sizeof cycles[0]; i++) {
		int64_t t_ns[60] = {0};

		for (int k = 1; k < 60; k++)
			t_ns[k] =
				t_ns[k - 1] + cycles[i].step_ms[k % cycles[i].count] * MS;
		if (blocks_come_in_turns(t_ns, 60) != cycles[i].several)
			fail_msg("%zu", i);
		if (blocks_come_in_turns(t_ns, 12))
			fail_msg("%zu, too few to tell", i);
	}
}

static void as_many_as_there_can_be(void **state)
{
	int t_ms[3 * (BLOCKS_MAX + 1)];

	(void)state;
	for (int i = 0; i < 3 * BLOCKS_MAX; i++)
		t_ms[i] = i / BLOCKS_MAX * 5000 + i % BLOCKS_MAX;
	assert_int_equal(find(t_ms, 3 * BLOCKS_MAX).size, BLOCKS_MAX);
	for (int i = 0; i < 3 * BLOCKS_MAX; i++)
		t_ms[i] = i / BLOCKS_MAX * 5000;
	assert_int_equal(find(t_ms, 3 * BLOCKS_MAX).size, BLOCKS_MAX);
	for (int i = 0; i < 3 * (BLOCKS_MAX + 1); i++)
		t_ms[i] = i / (BLOCKS_MAX + 1) * 5000;
	assert_int_equal(find(t_ms, 3 * (BLOCKS_MAX + 1)).size, 1);
}

/* A row's ids; NULL and -1: it does not say. */
static uint32_t meet(
	struct run *run, const char *uuid, const char *bus, int index, int place)
{
	struct gpu_id id = {.uuid = uuid ? span_of(uuid) : (struct span){NULL, 0},
		.bus_id = bus ? span_of(bus) : (struct span){NULL, 0},
		.index = index,
		.place = place};

	return identity_gpu(run, &id);
}

static void by_uuid(void **state)
{
	struct run run;

	(void)state;
	run_init(&run, "");
	assert_int_equal(meet(&run, "GPU-a", NULL, -1, -1), 0);
	assert_int_equal(meet(&run, "GPU-b", NULL, -1, -1), 1);
	assert_int_equal(meet(&run, "gpu-A", NULL, -1, -1), 0);
	assert_string_equal(run.device[0].name, "gpu0");
	assert_string_equal(run.device[1].name, "gpu1");
	assert_string_equal(run.device[0].uuid, "GPU-a");
	run_release(&run);
}

/* Masked UUIDs are told apart by the index. */
static void masked_uuids(void **state)
{
	struct run run;

	(void)state;
	run_init(&run, "");
	for (int round = 0; round < 2; round++)
		for (int index = 0; index < 3; index++)
			assert_int_equal(
				meet(&run, "GPU-00000000", NULL, index, -1), index);
	assert_int_equal(run.device_count, 3);
	run_release(&run);
}

/* After a reboot the index is another one; UUID and bus id together are not. */
static void index_changes(void **state)
{
	struct run run;

	(void)state;
	run_init(&run, "");
	assert_int_equal(meet(&run, "GPU-a", "00000000:0C:00.0", 0, -1), 0);
	assert_int_equal(meet(&run, "GPU-b", "00000000:0D:00.0", 1, -1), 1);
	assert_int_equal(meet(&run, "GPU-a", "00000000:0C:00.0", 1, -1), 0);
	assert_int_equal(meet(&run, "GPU-a", NULL, 1, -1), 2); /* contradicts */
	run_release(&run);
}

/* Two GPUs whose UUIDs differ in one digit: one drops off, and the other moves up. */
static void index_taken_over(void **state)
{
	static const char a[] = "GPU-0a6d5c2e-1f3b-4c8d-9e7f-112233445566";
	static const char b[] = "GPU-1a6d5c2e-1f3b-4c8d-9e7f-112233445566";
	static const char *const masks[] = {"GPU-00000000-0000-0000-0000-000000000000",
		"GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx",
		"GPU-aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
		"GPU-12345678-1234-1234-1234-123456789012", "********",
		"MIG-1a6d5c2e-1f3b-4c8d-9e7f-112233445566"};
	struct run run;

	(void)state;
	run_init(&run, "");
	assert_int_equal(meet(&run, a, NULL, 0, -1), 0);
	assert_int_equal(meet(&run, b, NULL, 1, -1), 1);
	assert_int_equal(meet(&run, b, NULL, 0, -1), 1);
	assert_int_equal(meet(&run, a, NULL, 1, -1), 0);
	assert_int_equal(run.device[1].index, 1); /* as it came first */
	/* one that only its index is known of is none that the id says better */
	assert_int_equal(meet(&run, NULL, NULL, 2, -1), 2);
	assert_int_equal(meet(&run, b, NULL, 2, -1), 1);
	run_release(&run);

	run_init(&run, "");
	assert_int_equal(meet(&run, NULL, "00000000:0C:00.0", 0, -1), 0);
	assert_int_equal(meet(&run, NULL, "00000000:0D:00.0", 1, -1), 1);
	assert_int_equal(meet(&run, NULL, "00000000:0D:00.0", 0, -1), 1);
	assert_int_equal(meet(&run, NULL, "00000000:00:00.0", 7, -1), 2);
	assert_int_equal(meet(&run, NULL, "00000000:00:00.0", 8, -1), 3);
	/* another instance of the GPU at that bus */
	assert_int_equal(meet(&run, "MIG-a", "00000000:0E:00.0", 2, -1), 4);
	assert_int_equal(meet(&run, "MIG-b", "00000000:0E:00.0", 2, -1), 5);
	run_release(&run);

	for (size_t i = 0; i < sizeof masks / sizeof masks[0]; i++) {
		run_init(&run, "");
		assert_int_equal(meet(&run, masks[i], NULL, 0, -1), 0);
		assert_int_equal(meet(&run, masks[i], NULL, 1, -1), 1);
		run_release(&run);
	}
}

static uint32_t meet_again(
	struct known_gpus *known, struct run *run, const char *uuid, int index)
{
	struct gpu_id id = {.uuid = uuid ? span_of(uuid) : (struct span){NULL, 0},
		.index = index,
		.place = -1};

	return identity_gpu_again(known, run, &id);
}

/* A row whose UUID can't be read means the GPU that had its index last. */
static void index_of_whom(void **state)
{
	static const char a[] = "GPU-0a6d5c2e-1f3b-4c8d-9e7f-112233445566";
	static const char b[] = "GPU-1a6d5c2e-1f3b-4c8d-9e7f-112233445566";
	struct known_gpus known = {0};
	struct run run;

	(void)state;
	run_init(&run, "");
	for (int round = 0; round < 3; round++) {
		assert_int_equal(meet_again(&known, &run, a, 0), 0);
		assert_int_equal(meet_again(&known, &run, b, 1), 1);
		assert_int_equal(meet_again(&known, &run, NULL, 0), 0);
		assert_int_equal(meet_again(&known, &run, NULL, 1), 1);
		assert_int_equal(meet_again(&known, &run, b, 0), 1);
		assert_int_equal(meet_again(&known, &run, NULL, 0), 1);
	}
	assert_int_equal(run.device_count, 2);
	run_release(&run);
}

static void bus_ids(void **state)
{
	struct run run;

	(void)state;
	run_init(&run, "");
	assert_int_equal(meet(&run, NULL, "00000000:0C:00.0", -1, -1), 0);
	assert_int_equal(meet(&run, NULL, "0000:0c:00.0", -1, -1), 0);
	assert_int_equal(meet(&run, NULL, "00000001:0C:00.0", -1, -1), 1);
	/* completed by what a further log knows, and then met by it alone */
	assert_int_equal(meet(&run, "GPU-a", "0000:0C:00.0", 5, -1), 0);
	assert_int_equal(meet(&run, NULL, NULL, 5, -1), 0);
	assert_int_equal(meet(&run, "GPU-a", NULL, -1, -1), 0);
	run_release(&run);
}

/* dmon's gpu is the query's index; a log without ids has only places. */
static void places_and_indexes(void **state)
{
	struct run run;

	(void)state;
	run_init(&run, "");
	assert_int_equal(meet(&run, NULL, NULL, -1, 0), 0);
	assert_int_equal(meet(&run, NULL, NULL, -1, 1), 1);
	assert_int_equal(meet(&run, NULL, NULL, 1, -1), 1); /* joins the place */
	assert_int_equal(meet(&run, NULL, NULL, 0, -1), 0);
	assert_int_equal(meet(&run, NULL, NULL, 2, -1), 2);
	assert_int_equal(meet(&run, NULL, NULL, -1, 1), 1);
	assert_int_equal(run.device[1].index, 1);
	assert_string_equal(run.device[1].name, "gpu1");
	run_release(&run);

	/* the other way round: places among devices that have an index */
	run_init(&run, "");
	assert_int_equal(meet(&run, NULL, NULL, 1, -1), 0);
	assert_int_equal(meet(&run, NULL, NULL, 0, -1), 1);
	assert_int_equal(meet(&run, NULL, NULL, -1, 0), 1);
	assert_int_equal(meet(&run, NULL, NULL, -1, 1), 0);
	run_release(&run);
}

/* A place that no index is gets a GPU, once; whoever names that index later means it. */
static void place_without_index(void **state)
{
	struct run run;

	(void)state;
	run_init(&run, "");
	assert_int_equal(meet(&run, NULL, NULL, 1, -1), 0);
	assert_int_equal(meet(&run, NULL, NULL, 2, -1), 1);
	for (int round = 0; round < 3; round++) {
		assert_int_equal(meet(&run, NULL, NULL, -1, 0), 2);
		assert_int_equal(meet(&run, NULL, NULL, -1, 1), 0);
		assert_int_equal(meet(&run, NULL, NULL, -1, 2), 1);
		assert_int_equal(meet(&run, NULL, NULL, -1, 7), 3);
	}
	assert_string_equal(run.device[2].name, "gpu0");
	assert_int_equal(run.device[2].index, -1);
	assert_int_equal(meet(&run, NULL, NULL, 3, -1), 4); /* it is the run's fourth */
	assert_int_equal(meet(&run, "GPU-a", NULL, 7, -1), 3);
	assert_int_equal(meet(&run, NULL, NULL, 0, -1), 2);
	assert_int_equal(meet(&run, NULL, NULL, -1, 7), 3);
	assert_int_equal(meet(&run, NULL, NULL, -1, 0), 2);
	assert_int_equal(run.device_count, 5);
	run_release(&run);

	/* which place it has its UUID does not say */
	run_init(&run, "");
	assert_int_equal(meet(&run, "GPU-a", NULL, -1, -1), 0);
	for (int round = 0; round < 2; round++)
		for (int place = 0; place < 3; place++)
			assert_int_equal(meet(&run, NULL, NULL, -1, place), place + 1);
	run_release(&run);
}

/* Of rows that say nothing at all: the GPU of the least number, or a new one. */
static void the_first(void **state)
{
	struct gpu_id id = {.index = -1, .place = 0, .first = true};
	struct run run;

	(void)state;
	run_init(&run, "");
	assert_int_equal(identity_gpu(&run, &id), 0);
	assert_int_equal(identity_gpu(&run, &id), 0);
	assert_int_equal(meet(&run, NULL, NULL, 0, -1), 0);
	run_release(&run);

	run_init(&run, "");
	assert_int_equal(meet(&run, NULL, NULL, 5, -1), 0);
	assert_int_equal(identity_gpu(&run, &id), 0);
	assert_int_equal(meet(&run, NULL, NULL, 3, -1), 1);
	assert_int_equal(identity_gpu(&run, &id), 1);
	assert_int_equal(run.device_count, 2);
	run_release(&run);
}

static void names_are_unique(void **state)
{
	struct run run;

	(void)state;
	run_init(&run, "");
	meet(&run, "GPU-a", NULL, 0, -1);
	meet(&run, "GPU-b", NULL, 0, -1); /* another machine's first */
	meet(&run, "GPU-c", NULL, 1, -1);
	assert_int_equal(run.device_count, 3);
	assert_string_equal(run.device[0].name, "gpu0");
	assert_string_equal(run.device[1].name, "gpu1");
	assert_string_equal(run.device[2].name, "gpu2");
	run_release(&run);
}

static void cpus(void **state)
{
	struct run run;

	(void)state;
	run_init(&run, "");
	assert_int_equal(identity_cpu(&run, -1), 0);
	assert_int_equal(identity_cpu(&run, 12), 1);
	assert_int_equal(meet(&run, NULL, NULL, -1, 0), 2); /* places count GPUs only */
	assert_int_equal(identity_cpu(&run, 12), 1);
	assert_int_equal(identity_cpu(&run, -1), 0);
	assert_string_equal(run.device[0].name, "cpu");
	assert_string_equal(run.device[1].name, "cpu12");
	assert_string_equal(run.device[2].name, "gpu0");
	run_release(&run);
}

static uint32_t process(
	struct known_processes *known, struct run *run, enum process_context context)
{
	struct process_id id = {.gpu = 0, .pid = 17, .context = context};

	return identity_process(known, run, &id);
}

/* The contexts of one pid have the same names, whichever is met first. */
static void contexts(void **state)
{
	struct known_processes known = {0}, later = {0};
	struct run run;

	(void)state;
	for (int draws_first = 0; draws_first < 2; draws_first++) {
		uint32_t first = draws_first ? CONTEXT_DRAWS : CONTEXT_COMPUTES;
		uint32_t second = draws_first ? CONTEXT_COMPUTES : CONTEXT_DRAWS;

		run_init(&run, "");
		meet(&run, "GPU-a", NULL, 0, -1);
		assert_int_equal(process(&known, &run, first), 1);
		assert_string_equal(run.device[1].name, "gpu0/17");
		assert_int_equal(process(&later, &run, CONTEXT_ANY), 1);
		assert_int_equal(process(&known, &run, second), 2);
		assert_int_equal(process(&known, &run, first), 1);
		assert_string_equal(run.device[1 + draws_first].name, "gpu0/17");
		assert_string_equal(run.device[2 - draws_first].name, "gpu0/17/G");
		assert_int_equal(process(&later, &run, CONTEXT_ANY), 1 + draws_first);
		assert_int_equal(run.device_count, 3);
		known_processes_release(&known);
		known_processes_release(&later);
		run_release(&run);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_known_answers),
		cmocka_unit_test(borders),
		cmocka_unit_test(short_blocks_among_many),
		cmocka_unit_test(bursts_of_one_gpu),
		cmocka_unit_test(steps_in_turns),
		cmocka_unit_test(as_many_as_there_can_be),
		cmocka_unit_test(by_uuid),
		cmocka_unit_test(masked_uuids),
		cmocka_unit_test(index_changes),
		cmocka_unit_test(index_taken_over),
		cmocka_unit_test(index_of_whom),
		cmocka_unit_test(bus_ids),
		cmocka_unit_test(places_and_indexes),
		cmocka_unit_test(place_without_index),
		cmocka_unit_test(the_first),
		cmocka_unit_test(names_are_unique),
		cmocka_unit_test(cpus),
		cmocka_unit_test(contexts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
