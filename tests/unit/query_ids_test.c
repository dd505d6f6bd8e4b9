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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(index_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
