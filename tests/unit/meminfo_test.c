/*
 * /proc/meminfo of Linux 2.4, which puts a table in bytes before the lines that it has
 * today.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "log_fixture.h"

#define TABLE                                                                 \
	"        total:    used:    free:  shared: buffers:  cached:\n"       \
	"Mem:  1055760384 1041887232 13873152        0 100417536 711233536\n" \
	"Swap: 1077501952  8540160 1068961792\n"
#define LINES                                                    \
	"MemTotal:      1031016 kB\nMemFree:         13548 kB\n" \
	"MemShared:           0 kB\nBuffers:         98064 kB\n"

static void table_in_bytes(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_MEMINFO,
		"# t=1740823200 mono=1\n" TABLE LINES
		"# t=1740823201 mono=2\n" TABLE LINES);
	log_expect_rows(&fx, 2, 0);
	log_expect_diags(&fx, NULL);
	assert_int_equal(fx.row[1].t_ns, T0_NS + NS_PER_S);
	assert_double(fx.row[0].value[METRIC_ram_total_mib], 1031016 / 1024.0);
	/* the kernel does not say it; the table's "used" has the caches in it */
	assert_double(fx.row[0].value[METRIC_ram_used_mib], INFINITY);
	log_release(&fx);

	/* without times one snapshot behind the other */
	log_init(&fx);
	log_read(&fx, SOURCE_MEMINFO, TABLE LINES TABLE LINES);
	log_expect_rows(&fx, 2, 0);
	log_expect_diags(&fx, NULL);
	log_release(&fx);
}

/* What only looks like the table is still said. */
static void no_table(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_MEMINFO,
		LINES "Mem: 1 2\nMem: 1 2 x\nSwap: 1 2 3 kB\ntotal: 5\nFoo: 1 2 3\n");
	log_expect_rows(&fx, 1, 5);
	log_expect_diags(&fx, "prose", 5, 5, NULL);
	log_release(&fx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_in_bytes),
		cmocka_unit_test(no_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
