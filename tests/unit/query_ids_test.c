/* nvidia-smi --query-gpu: which GPU a row is about, by its ids or its model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "log_fixture.h"

#define UUID_A "GPU-0a6d5c2e-1f3b-4c8d-9e7f-112233445566"
#define UUID_B "GPU-1a6d5c2e-1f3b-4c8d-9e7f-112233445566"

/* The first GPU falls off the bus; the second one moves up, and stays what it was. */
static void index_changes(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY,
		"timestamp, index, uuid, power.draw [W]\n"
		"2025/03/01 10:00:00.000, 0, " UUID_A ", 10 W\n"
		"2025/03/01 10:00:00.001, 1, " UUID_B ", 20 W\n"
		"2025/03/01 10:00:01.000, 0, " UUID_B ", 21 W\n"
		"2025/03/01 10:00:02.000, 0, [Unknown Error], 22 W\n");
	log_expect_rows(&fx, 4, 0);
	log_expect_diags(&fx, "index-changed:gpu1", 4, 2, NULL);
	assert_false(log_diag(&fx, "index-changed:gpu1")->damage);
	assert_int_equal(run_count_devices(&fx.run, DEVICE_GPU), 2);
	assert_int_equal(fx.row[2].device, 1);
	assert_int_equal(fx.row[3].device, 1);
	log_release(&fx);
}

/* The rows of a tick: a name a GPU; without times where step_ms is 0. */
static void read_models(
	struct log_fixture *fx, const char *const *model, int ticks, int step_ms)
{
	struct strbuf sb;

	strbuf_init(&sb);
	strbuf_adds(
		&sb, step_ms ? "timestamp, name, power.draw\n" : "name, power.draw\n");
	for (int tick = 0; tick < ticks; tick++)
		for (int gpu = 0; model[gpu]; gpu++) {
			if (step_ms)
				strbuf_addf(&sb, "2025/03/01 10:00:%02d.%03d, ",
					tick * 10 % 60, gpu * step_ms);
			strbuf_addf(&sb, "%s, %d\n", model[gpu], 100 * gpu + tick);
		}
	log_init(fx);
	log_read(fx, SOURCE_NVIDIA_QUERY, sb.text);
	strbuf_release(&sb);
}

/* Without ids the models tell GPUs apart, without times, and far apart in time too. */
static void models_in_turns(void **state)
{
	static const char *const model[] = {"A100", "T4", "L40S", NULL};

	(void)state;
	for (int step_ms = 0; step_ms <= 300; step_ms += 300) {
		struct log_fixture fx;

		read_models(&fx, model, 4, step_ms);
		log_expect_rows(&fx, 12, 0);
		log_expect_diags(&fx, NULL);
		assert_int_equal(run_count_devices(&fx.run, DEVICE_GPU), 3);
		for (uint32_t row = 0; row < 12; row++)
			assert_int_equal(fx.row[row].device, row % 3);
		assert_string_equal(fx.run.device[2].name, "gpu2");
		assert_string_equal(fx.run.device[2].model, "L40S");
		log_release(&fx);
	}
}

/* Of two GPUs of one model, and one of another, the blocks tell; else they are doubted.
 */
static void models_of_several(void **state)
{
	static const char *const model[] = {"A100", "A100", "T4", NULL};
	struct log_fixture fx;

	(void)state;
	read_models(&fx, model, 6, 5);
	log_expect_rows(&fx, 18, 0);
	log_expect_diags(&fx, NULL);
	assert_int_equal(run_count_devices(&fx.run, DEVICE_GPU), 3);
	assert_int_equal(fx.row[4].device, 1);
	log_release(&fx);

	read_models(&fx, model, 6, 0);
	log_expect_rows(&fx, 18, 0);
	log_expect_diags(&fx, "bursts", 0, 1, NULL);
	assert_int_equal(run_count_devices(&fx.run, DEVICE_GPU), 1);
	log_release(&fx);
}

/* Steps in turns are two GPUs' if their values are; else of one whose recorder limps. */
static void steps_in_turns(void **state)
{
	(void)state;
	for (int several = 0; several < 2; several++) {
		struct log_fixture fx;
		struct strbuf sb;

		strbuf_init(&sb);
		strbuf_adds(&sb, "timestamp, power.draw\n");
		for (int i = 0; i < 40; i++)
			strbuf_addf(&sb, "2025/03/01 10:00:00.%03d, %d\n",
				i / 2 * 10 + i % 2 * 4,
				several ? 100 * (i % 2) + i / 2 : i / 2);
		log_init(&fx);
		log_read(&fx, SOURCE_NVIDIA_QUERY, sb.text);
		log_expect_rows(&fx, 40, 0);
		if (several)
			log_expect_diags(&fx, "bursts", 0, 1, NULL);
		else
			log_expect_diags(&fx, NULL);
		log_release(&fx);
		strbuf_release(&sb);
	}
}

/* A GPU that is lost takes no other with it; a damaged name is no GPU. */
static void models_and_damage(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY,
		"name, power.draw\n"
		"A100, 10\nT4, 20\nA100, 11\nT4, 21\nA100, 12\nT4, 22\n"
		"A100, 13\nA100, 14\n[GPU is lost], 3\nA1O0, 4\nA100, 15\n");
	log_expect_rows(&fx, 9, 2);
	log_expect_diags(&fx, "no-id", 10, 2, NULL);
	assert_int_equal(run_count_devices(&fx.run, DEVICE_GPU), 2);
	assert_int_equal(fx.row[7].device, 0);
	assert_double(fx.row[8].value[METRIC_power_w], 15);
	log_release(&fx);

	/* ... and where all are of one model it says nothing */
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY,
		"name, power.draw\nT4, 1\nT4, 2\nT4, 3\nT3, 4\nT4, 5\n");
	log_expect_rows(&fx, 5, 0);
	log_expect_diags(&fx, "gpu-count", 0, 1, NULL);
	assert_int_equal(run_count_devices(&fx.run, DEVICE_GPU), 1);
	log_release(&fx);
}

/* Four rows a second on a clock of whole seconds: what metric is 100 + value(i) of. */
static int of_noise(int i)
{
	return (i * 7919 % 101 + i * i * 31 % 17) % 10;
}

static int of_course(int i)
{
	return i / 3;
}

static int of_places(int i)
{
	return i % 4 * 20 + of_noise(i);
}

static int of_blocks(int i)
{
	return i / 4 * 3;
}

static int of_nothing(int i)
{
	(void)i;
	return 0;
}

static void coarse_clocks(void **state)
{
	static const struct {
		int (*value)(int i);
		const char *fraction;
		bool headers;
		size_t gpus;
		bool doubt;
	} cases[] = {
		{of_noise, "", false, 1, true},
		{of_course, "", false, 1, false},
		{of_places, "", false, 4, false},
		{of_blocks, "", false, 4, false},
		{of_nothing, "", false, 4, true},
		{of_nothing, "", true, 4, false},
		{of_nothing, ".000", false, 4, false},
		{of_course, ".000", false, 4, false},
	};

	(void)state;
	for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
		struct log_fixture fx;
		struct strbuf sb;

		strbuf_init(&sb);
		for (int i = 0; i < 80; i++) {
			if (i == 0 || (cases[c].headers && i % 4 == 0))
				strbuf_adds(&sb, "timestamp, power.draw\n");
			strbuf_addf(&sb, "2025/03/01 10:00:%02d%s, %d\n", i / 4,
				cases[c].fraction, 100 + cases[c].value(i));
		}
		log_init(&fx);
		log_read(&fx, SOURCE_NVIDIA_QUERY, sb.text);
		log_expect_rows(&fx, 80, 0);
		if (run_count_devices(&fx.run, DEVICE_GPU) != cases[c].gpus)
			fail_msg("case %zu: %zu GPUs", c,
				run_count_devices(&fx.run, DEVICE_GPU));
		if (!log_diag(&fx, "gpu-count") == cases[c].doubt)
			fail_msg("case %zu: in doubt, or not", c);
		log_release(&fx);
		strbuf_release(&sb);
	}
}

static int of_turns(int i)
{
	return i % 2 * 20;
}

static int of_memory(int i)
{
	return i % 4 * 20;
}

/* 48 rows whose steps, in ms, and values come in turns. */
static void far_apart(void **state)
{
	static const struct {
		int steps, step_ms[4];
		int (*value)(int i);
		size_t gpus;
		const char *said;
	} cases[] = {
		{4, {400, 400, 400, 3800}, of_places, 4, "gpu-count"},
		{4, {400, 400, 400, 3800}, of_course, 1, NULL},
		{4, {400, 400, 400, 3800}, of_noise, 1, NULL},
		{4, {400, 400, 400, 3800}, of_nothing, 1, "bursts"},
		/* no block can be told, but the values come back */
		{2, {400, 600}, of_turns, 1, "bursts"},
		{2, {400, 600}, of_noise, 1, NULL},
		{1, {250}, of_memory, 1, "bursts"},
		{1, {250}, of_places, 1, NULL}, /* a load in a rhythm */
		{1, {250}, of_course, 1, NULL},
		{1, {250}, of_noise, 1, NULL},
		{1, {250}, of_nothing, 1, NULL},
	};

	(void)state;
	for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
		struct log_fixture fx;
		struct strbuf sb;
		int ms = 0;

		strbuf_init(&sb);
		strbuf_adds(&sb, "timestamp, power.draw, memory.used\n");
		for (int i = 0; i < 48; i++) {
			strbuf_addf(&sb, "2025/03/01 10:%02d:%02d.%03d, %d, %d\n",
				ms / 60000, ms / 1000 % 60, ms % 1000,
				100 + 5 * cases[c].value(i),
				cases[c].value == of_memory ? of_memory(i) : 7);
			ms += cases[c].step_ms[i % cases[c].steps];
		}
		log_init(&fx);
		log_read(&fx, SOURCE_NVIDIA_QUERY, sb.text);
		log_expect_rows(&fx, 48, 0);
		if (run_count_devices(&fx.run, DEVICE_GPU) != cases[c].gpus)
			fail_msg("case %zu: %zu GPUs", c,
				run_count_devices(&fx.run, DEVICE_GPU));
		if (cases[c].said)
			log_expect_diags(&fx, cases[c].said, 0, 1, NULL);
		else
			log_expect_diags(&fx, NULL);
		log_release(&fx);
		strbuf_release(&sb);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(index_changes),
		cmocka_unit_test(models_in_turns),
		cmocka_unit_test(models_of_several),
		cmocka_unit_test(steps_in_turns),
		cmocka_unit_test(models_and_damage),
		cmocka_unit_test(coarse_clocks),
		cmocka_unit_test(far_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
