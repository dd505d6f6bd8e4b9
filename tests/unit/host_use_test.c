/* What the command was allowed to have of its host, as the text tells it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "model/report.h"
#include "model/run.h"

struct limits {
	const char *memory, *cpus, *allowed, *space; /* NULL: not said */
	int32_t cpu_count;
	const char *text; /* NULL: none is known */
};

static void keep(struct run *run, const char *name, const char *value)
{
	if (value)
		run_add_fact(run, name, span_of(value));
}

static void limits(void **state)
{
	static const struct limits cases[] = {
		{NULL, NULL, NULL, NULL, 16, NULL},
		{"4096", NULL, NULL, NULL, 16, "memory 4,096 MiB"},
		{NULL, "2.5", NULL, NULL, 16, "a quota of 2.5 CPUs"},
		{NULL, "1", NULL, NULL, 16, "a quota of 1 CPU"},
		{NULL, NULL, "0-3,8", NULL, 16, "CPUs 0-3,8 only"},
		{NULL, NULL, "5", NULL, 16, "CPU 5 only"},
		/* all there are are no limit; nor are those of which nobody knows how
		   many there are, nor what is no list */
		{NULL, NULL, "0-15", NULL, 16, NULL},
		{NULL, NULL, "0-3", NULL, -1, NULL},
		{NULL, NULL, "3-0", NULL, 16, NULL},
		{NULL, NULL, "all", NULL, 16, NULL},
		{NULL, NULL, NULL, "unlimited", 16, NULL},
		{"4096", "2", "0-3", "34359738368", 16,
			"memory 4,096 MiB, a quota of 2 CPUs, CPUs 0-3 only, address "
			"space 32,768 MiB"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct strbuf sb;
		struct run run;

		run_init(&run, "run");
		strbuf_init(&sb);
		run.cpu_count = cases[i].cpu_count;
		keep(&run, RUN_FACT_MEMORY_LIMIT, cases[i].memory);
		keep(&run, RUN_FACT_CPU_LIMIT, cases[i].cpus);
		keep(&run, RUN_FACT_CPUS_ALLOWED, cases[i].allowed);
		keep(&run, RUN_FACT_ADDRESS_SPACE, cases[i].space);
		assert_int_equal(host_use_limits(&sb, &run), cases[i].text != NULL);
		assert_string_equal(sb.text, cases[i].text ? cases[i].text : "");
		strbuf_release(&sb);
		run_release(&run);
	}
}

/* Those of the process, where they are known; those of who recorded it are not its own.
 */
static void whose_cpus(void **state)
{
	static const struct {
		const char *manifest, *process, *followed, *known; /* NULL: none */
	} cases[] = {
		{"0-3", NULL, NULL, "0-3"},
		{"0-3", "2", NULL, "2"},
		{NULL, "2", NULL, "2"},
		{"0-3", NULL, "4711", NULL},
		{"0-3", "2,4-5", "4711", "2,4-5"},
		{"", NULL, NULL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct run run;

		run_init(&run, "run");
		keep(&run, RUN_FACT_CPUS_ALLOWED, cases[i].manifest);
		keep(&run, RUN_FACT_PROCESS_CPUS, cases[i].process);
		keep(&run, RUN_FACT_FOLLOWED, cases[i].followed);
		if (cases[i].known)
			assert_string_equal(cpus_allowed(&run), cases[i].known);
		else
			assert_null(cpus_allowed(&run));
		run_release(&run);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits),
		cmocka_unit_test(whose_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
