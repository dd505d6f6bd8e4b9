/* Logs of a run that name GPUs by ids of different sorts: which are the same GPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "log_fixture.h"

#define UUID_A "GPU-0a6d5c2e-1f3b-4c8d-9e7f-112233445566"
#define UUID_B "GPU-1a6d5c2e-1f3b-4c8d-9e7f-112233445566"

#define BY_UUID                                       \
	"timestamp, uuid, power.draw [W]\n"           \
	"2025/03/01 10:00:00.000, " UUID_B ", 10 W\n" \
	"2025/03/01 10:00:00.000, " UUID_A ", 20 W\n"
#define BY_INDEX                             \
	"timestamp, index, power.draw [W]\n" \
	"2025/03/01 10:00:10.000, 0, 11 W\n" \
	"2025/03/01 10:00:10.000, 1, 21 W\n"
#define BY_BUS                                              \
	"timestamp, pci.bus_id, power.draw [W]\n"           \
	"2025/03/01 10:00:20.000, 00000000:0C:00.0, 12 W\n" \
	"2025/03/01 10:00:20.000, 00000000:8A:00.0, 22 W\n"
#define BY_SERIAL                                 \
	"timestamp, serial, power.draw [W]\n"     \
	"2025/03/01 10:00:20.000, 165001, 12 W\n" \
	"2025/03/01 10:00:20.000, 165002, 22 W\n"
#define BY_NOTHING                        \
	"timestamp, power.draw [W]\n"     \
	"2025/03/01 10:00:30.000, 13 W\n" \
	"2025/03/01 10:00:30.000, 23 W\n" \
	"2025/03/01 10:00:31.000, 13 W\n" \
	"2025/03/01 10:00:31.000, 23 W\n"
#define DMON_HEADER \
	"#Date       Time        gpu   pwr\n#YYYYMMDD   HH:MM:SS    Idx     W\n"
#define BY_DMON     \
	DMON_HEADER \
	" 20250301   10:00:00      0    10\n 20250301   10:00:00      1    20\n"
#define BY_DMON_OF_3 BY_DMON " 20250301   10:00:00      2    30\n"
#define PMON                                                    \
	"#Date       Time        gpu  pid  type  sm  command\n" \
	" 20250301   10:00:00      0  77   C     5   python\n"  \
	" 20250301   10:00:00      1  -    -     -   -\n"
#define APPS                                                \
	"timestamp, gpu_uuid, pid, used_gpu_memory [MiB]\n" \
	"2025/03/01 10:00:00.000, " UUID_A ", 77, 5 MiB\n"

#define QUERY SOURCE_NVIDIA_QUERY
#define DMON  SOURCE_NVIDIA_DMON

/* What each pair of logs makes of the GPUs. */
static void two_logs(void **state)
{
	static const struct {
		enum source_kind kind[2];
		const char *text[2];
		size_t gpus;
		const char *said;
	} cases[] = {
		{{QUERY, DMON}, {BY_UUID, BY_DMON}, 2, "paired-ids"},
		{{QUERY, DMON}, {BY_BUS, BY_DMON}, 2, "paired-ids"},
		{{QUERY, QUERY}, {BY_UUID, BY_BUS}, 2, "paired-ids"},
		{{QUERY, QUERY}, {BY_UUID, BY_NOTHING}, 2, "paired-ids"},
		{{QUERY, QUERY}, {BY_INDEX, BY_NOTHING}, 2, NULL},
		{{QUERY, QUERY}, {BY_SERIAL, BY_NOTHING}, 2, "paired-ids"},
		{{QUERY, DMON}, {BY_SERIAL, BY_DMON}, 2, NULL},
		{{QUERY, DMON}, {BY_INDEX, BY_DMON_OF_3}, 3, NULL},
		{{QUERY, DMON}, {BY_UUID, BY_DMON_OF_3}, 5, "unpaired-ids"},
		{{QUERY, SOURCE_NVIDIA_PMON}, {BY_UUID, PMON}, 2, "paired-ids"},
		/* a GPU without processes is in no listing of them: which one is it? */
		{{QUERY, SOURCE_NVIDIA_APPS}, {BY_INDEX, APPS}, 3, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct log_fixture fx;

		log_init(&fx);
		log_read_files(&fx, 2, cases[i].kind, cases[i].text);
		if (run_count_devices(&fx.run, DEVICE_GPU) != cases[i].gpus)
			fail_msg("case %zu: %zu GPUs", i,
				run_count_devices(&fx.run, DEVICE_GPU));
		if (cases[i].said)
			log_expect_diags(&fx, cases[i].said, 0, 1, NULL);
		else
			log_expect_diags(&fx, NULL);
		log_release(&fx);
	}
}

/* Also where one recorder was started again with other columns; the first comes first. */
static void one_log(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, QUERY, BY_UUID BY_INDEX BY_BUS);
	log_expect_rows(&fx, 6, 0);
	log_expect_diags(&fx, "paired-ids", 0, 1, NULL);
	assert_int_equal(run_count_devices(&fx.run, DEVICE_GPU), 2);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(fx.row[i].device, i % 2);
	assert_string_equal(fx.run.device[1].uuid, UUID_A);
	assert_string_equal(fx.run.device[1].bus_id, "00000000:8A:00.0");
	assert_int_equal(fx.run.device[1].index, 1);
	log_release(&fx);

	/* one GPU without an id that has the index 3 afterwards */
	log_init(&fx);
	log_read(&fx, QUERY,
		"timestamp, power.draw [W]\n2025/03/01 10:00:00.000, 10 W\n"
		"2025/03/01 10:00:01.000, 10 W\n"
		"timestamp, index, power.draw [W]\n2025/03/01 10:00:02.000, 3, 10 W\n");
	log_expect_rows(&fx, 3, 0);
	log_expect_diags(&fx, "paired-ids", 0, 1, NULL);
	assert_int_equal(run_count_devices(&fx.run, DEVICE_GPU), 1);
	log_release(&fx);
}

#define ROWS_OF(id, ms)                                                              \
	"2025/03/01 10:00:00." ms id ", 10 W\n2025/03/01 10:00:01." ms id ", 10 W\n" \
	"2025/03/01 10:00:02." ms id ", 10 W\n"
#define INDEX "timestamp, index, power.draw [W]\n"
#define NO_ID "timestamp, power.draw [W]\n"

/* Two files at one time are in doubt only if a GPU is in both, or may be. */
static void files_at_one_time(void **state)
{
	static const enum source_kind kind[] = {QUERY, QUERY};
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read_files(&fx, 2, kind,
		(const char *const[]){
			INDEX ROWS_OF(", 0", "000"), INDEX ROWS_OF(", 1", "300")});
	log_expect_diags(&fx, NULL);
	assert_int_equal(run_count_devices(&fx.run, DEVICE_GPU), 2);
	log_release(&fx);

	log_init(&fx);
	log_read_files(&fx, 2, kind,
		(const char *const[]){INDEX ROWS_OF(", 0", "000") ROWS_OF(", 1", "000"),
			INDEX ROWS_OF(", 1", "300") ROWS_OF(", 0", "300")});
	assert_int_equal(log_diag(&fx, "overlap")->count, 1);
	assert_null(log_diag(&fx, "gpu-count"));
	log_release(&fx);

	log_init(&fx);
	log_read_files(&fx, 2, kind,
		(const char *const[]){
			NO_ID ROWS_OF("", "000"), NO_ID ROWS_OF("", "300")});
	assert_int_equal(log_diag(&fx, "overlap")->count, 1);
	assert_int_equal(log_diag(&fx, "gpu-count")->count, 1);
	log_release(&fx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_logs),
		cmocka_unit_test(one_log),
		cmocka_unit_test(files_at_one_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
