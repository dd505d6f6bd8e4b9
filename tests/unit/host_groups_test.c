/*
 * What host.log says of control groups, of version 1 and 2, and of limits: which group it
 * is that counts, and what becomes a fact of the run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "host_fixture.h"

#define JOB  GROUPS "/slurm/uid_7/job_1/"
#define STEP GROUPS "/slurm/uid_7/job_1/step_0/"
#define USER GROUPS "/slurm/uid_7/"

/* Version 2: the job is limited to 2 GiB and 1.5 processors, its user to 8 GiB. */
static void groups(void **state)
{
	struct log_fixture fx;

	(void)state;
	read_log(&fx,
		T1 STEP "memory.max\nmax\n" JOB "memory.max\n2147483648\n" USER
			"memory.max\n8589934592\n" STEP "cpu.max\nmax 100000\n" JOB
			"cpu.max\n150000 100000\n" USER "cpu.max\nmax 100000\n" STEP
			"memory.current\n1048576\n" JOB "memory.current\n3145728\n" USER
			"memory.current\n5242880\n" JOB
			"memory.events\nlow 0\noom 4\noom_kill 2\n" STEP
			"cpu.stat\nusage_usec 1000000\nuser_usec 600000\n" JOB
			"cpu.stat\nusage_usec 2500000\nnr_periods 50\nnr_throttled 20\n"
			"throttled_usec 750000\n" USER
			"cpu.stat\nusage_usec 4000000\n" T2 STEP
			"memory.current\n2097152\n" JOB "memory.current\n4194304\n" USER
			"memory.current\n5242880\n");
	log_expect_rows(&fx, 1, 1); /* the last one lacks files */
	log_expect_diags(&fx, "torn-sample", 40, 1, NULL);
	/* what limits it: the job */
	expect_of(&fx, 0, "cgroup", METRIC_cgroup_mem_used_mib, 3);
	expect_of(&fx, 0, "cgroup", METRIC_cgroup_mem_limit_mib, 2048);
	expect_of(&fx, 0, "cgroup", METRIC_cgroup_oom_kills, 2);
	expect_of(&fx, 0, "cgroup", METRIC_cgroup_cpu_s, 2.5);
	expect_of(&fx, 0, "cgroup", METRIC_cgroup_cpu_limit, 1.5);
	expect_of(&fx, 0, "cgroup", METRIC_cgroup_periods, 50);
	expect_of(&fx, 0, "cgroup", METRIC_cgroup_throttled_periods, 20);
	expect_of(&fx, 0, "cgroup", METRIC_cgroup_throttled_s, 0.75);
	expect_of(&fx, 0, "job", METRIC_cgroup_mem_used_mib, 3);
	expect_of(&fx, 0, "user", METRIC_cgroup_mem_used_mib, 5);
	expect_of(&fx, 0, "user", METRIC_cgroup_mem_limit_mib, 8192);
	expect_of(&fx, 0, "user", METRIC_cgroup_cpu_s, 4);
	expect_of(&fx, 0, "user", METRIC_cgroup_periods, ABSENT);
	assert_string_equal(run_fact(&fx.run, RUN_FACT_MEMORY_LIMIT), "2048");
	assert_string_equal(run_fact(&fx.run, RUN_FACT_CPU_LIMIT), "1.5");
	log_release(&fx);
}

/* Where nothing limits it, it is the innermost, whichever comes first. */
static void groups_without_limits(void **state)
{
	struct log_fixture fx;

	(void)state;
	read_log(&fx,
		T1 GROUPS "/pids/pids.current\n5\n" GROUPS
			  "/memory/memory.limit_in_bytes\n9223372036854771712\n" GROUPS
			  "/memory/a/memory.limit_in_bytes\n9223372036854771712\n" GROUPS
			  "/cpu,cpuacct/a/cpu.cfs_quota_us\n-1\n" GROUPS
			  "/cpu,cpuacct/a/cpu.cfs_period_us\n100000\n" GROUPS
			  "/memory/memory.usage_in_bytes\n2097152\n" GROUPS
			  "/memory/a/memory.usage_in_bytes\n1048576\n" GROUPS
			  "/memory/a/memory.failcnt\n7\n" GROUPS
			  "/memory/a/memory.oom_control\noom_kill_disable 0\n"
			  "under_oom 0\noom_kill 3\n" GROUPS
			  "/cpu,cpuacct/cpuacct.usage\n9000000000\n" GROUPS
			  "/cpu,cpuacct/a/cpuacct.usage\n1500000000\n" GROUPS
			  "/cpu,cpuacct/a/cpu.stat\nnr_periods 4\nnr_throttled 1\n"
			  "throttled_time 250000000\n");
	log_expect_rows(&fx, 1, 0);
	log_expect_diags(&fx, NULL);
	expect_of(&fx, 0, "cgroup", METRIC_cgroup_mem_used_mib, 1);
	expect_of(&fx, 0, "cgroup", METRIC_cgroup_oom_kills, 3);
	expect_of(&fx, 0, "cgroup", METRIC_cgroup_mem_limit_mib, ABSENT);
	expect_of(&fx, 0, "cgroup", METRIC_cgroup_cpu_limit, ABSENT);
	expect_of(&fx, 0, "cgroup", METRIC_cgroup_cpu_s, 1.5);
	expect_of(&fx, 0, "cgroup", METRIC_cgroup_throttled_s, 0.25);
	assert_null(run_fact(&fx.run, RUN_FACT_MEMORY_LIMIT));
	assert_null(run_fact(&fx.run, RUN_FACT_CPU_LIMIT));
	log_release(&fx);
}

/* Limits are told once, and hold for the snapshots behind. */
static void limits_last(void **state)
{
	struct log_fixture fx;

	(void)state;
	read_log(&fx,
		T1 JOB "memory.max\n2147483648\n" JOB "memory.current\n1048576\n" T2 JOB
		       "memory.current\n2097152\n");
	log_expect_rows(&fx, 2, 0);
	expect_of(&fx, 1, "cgroup", METRIC_cgroup_mem_used_mib, 2);
	expect_of(&fx, 1, "cgroup", METRIC_cgroup_mem_limit_mib, 2048);
	log_release(&fx);
}

static void facts(void **state)
{
	struct log_fixture fx;

	(void)state;
	read_log(&fx,
		T1
		"> /proc/self/limits\n"
		"Limit                     Soft Limit           Hard Limit           "
		"Units     \n"
		"Max cpu time              unlimited            unlimited            "
		"seconds   \n"
		"Max address space         17179869184          unlimited            "
		"bytes     \n"
		"Max open files            1024                 4096                 "
		"files     \n"
		"Max realtime timeout      unlimited            unlimited            us "
		"       \n"
		"> /proc/self/cgroup\n"
		"4:cpu:/x\n"
		"3:memory:/slurm/job_1\n"
		"0::/\n"
		"> /proc/sys/kernel/random/boot_id\n"
		"1c0eccf6-dccd-4387-abf3-d9a4e3bdd286\n" GROUPS
		"/cpuset/x/cpuset.effective_cpus\n0-3,8\n" GROUPS
		"/cpuset/cpuset.effective_cpus\n0-15\n" LOAD);
	log_expect_rows(&fx, 1, 0);
	log_expect_diags(&fx, NULL);
	assert_string_equal(run_fact(&fx.run, RUN_FACT_ADDRESS_SPACE), "17179869184");
	assert_string_equal(run_fact(&fx.run, "rlimit_cpu"), "unlimited");
	assert_string_equal(run_fact(&fx.run, "rlimit_nofile"), "1024");
	assert_string_equal(run_fact(&fx.run, "cgroup"), "/slurm/job_1");
	assert_string_equal(
		run_fact(&fx.run, "boot_id"), "1c0eccf6-dccd-4387-abf3-d9a4e3bdd286");
	assert_string_equal(run_fact(&fx.run, "cpuset"), "0-3,8");
	log_release(&fx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups),
		cmocka_unit_test(groups_without_limits),
		cmocka_unit_test(limits_last),
		cmocka_unit_test(facts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
