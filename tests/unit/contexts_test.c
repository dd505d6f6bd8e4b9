/*
 * One pid that comes twice: contexts of two types on one GPU (pmon), and a process that
 * is listed twice (compute-apps, accounted-apps).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "log_fixture.h"

#define SMALL_HEADER "# gpu pid type sm mem command\n"

static const struct device *device_of(const struct log_fixture *fx, size_t row)
{
	return &fx->run.device[fx->row[row].device];
}

static void same(const char *got, const char *want)
{
	assert_non_null(got);
	assert_string_equal(got, want);
}

/* What draws and what computes are two contexts; a type with a C computes. */
static void pmon_contexts(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_PMON,
		SMALL_HEADER " 0 17 G 1 1 a\n 0 17 C 50 5 a\n 0 18 G 2 2 b\n"
			     " 0 17 C+G 51 6 a\n 0 17 - 52 6 a\n 0 17 G 3 3 a\n");
	log_expect_rows(&fx, 6, 0);
	log_expect_diags(&fx, NULL);
	same(device_of(&fx, 0)->name, "gpu0/17/G");
	same(device_of(&fx, 1)->name, "gpu0/17");
	same(device_of(&fx, 2)->name, "gpu0/18");
	assert_int_equal(fx.row[3].device, fx.row[1].device);
	assert_int_equal(fx.row[4].device, fx.row[1].device);
	assert_int_equal(fx.row[5].device, fx.row[0].device);
	assert_int_equal(device_of(&fx, 0)->index, 17);
	log_release(&fx);

	/* a log without types */
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_PMON,
		"# gpu pid sm mem command\n 0 17 50 5 a\n 0 17 51 5 a\n");
	log_expect_rows(&fx, 2, 0);
	assert_int_equal(fx.row[1].device, fx.row[0].device);
	log_release(&fx);
}

#define APPS_HEADER "timestamp, gpu_uuid, pid, used_gpu_memory [MiB]\n"

/* All rows of a listing have its time, so a pid that comes twice there is damage. */
static void apps_twice_at_one_time(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_APPS,
		APPS_HEADER "2025/03/01 10:00:00.000, GPU-a, 17, 5 MiB\n"
			    "2025/03/01 10:00:00.000, GPU-b, 17, 6 MiB\n"
			    "2025/03/01 10:00:00.000, GPU-a, 17, 7 MiB\n"
			    "2025/03/01 10:00:01.000, GPU-a, 17, 8 MiB\n");
	log_expect_rows(&fx, 4, 0);
	log_expect_diags(&fx, "same-process", 4, 1, NULL);
	assert_true(log_diag(&fx, "same-process")->damage);
	assert_int_equal(fx.row[2].device, fx.row[0].device);
	log_release(&fx);

	/* a header begins another listing; a clock of whole seconds tells none apart */
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_APPS,
		APPS_HEADER "2025/03/01 10:00:00.000, GPU-a, 17, 5 MiB\n" APPS_HEADER
			    "2025/03/01 10:00:00.000, GPU-a, 17, 7 MiB\n"
			    "2025/03/01 10:00:01, GPU-a, 17, 5 MiB\n"
			    "2025/03/01 10:00:01, GPU-a, 17, 7 MiB\n");
	log_expect_rows(&fx, 4, 0);
	assert_null(log_diag(&fx, "same-process"));
	log_release(&fx);

	/* two virtual GPUs of one process, and a third row that is no further one */
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_APPS,
		"timestamp, gpu_uuid, vgpu_instance, pid, max_memory_usage [MiB]\n"
		"2025/03/01 10:00:00.000, GPU-a, 3251634213, 17, 5 MiB\n"
		"2025/03/01 10:00:00.000, GPU-a, 3251634214, 17, 6 MiB\n"
		"2025/03/01 10:00:00.000, GPU-a, 3251634214, 17, 6 MiB\n");
	log_expect_rows(&fx, 3, 0);
	log_expect_diags(&fx, "same-process", 4, 1, NULL);
	log_release(&fx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pmon_contexts),
		cmocka_unit_test(apps_twice_at_one_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
