/* Names of facts, and where their texts stand. */
#include "read/host_facts.h"

#include <string.h>

#include "base/number.h"

#define LIMIT_NAME_WIDTH 26 /* proc_pid_limits(5): names are padded to that */

void host_fact_limit(struct run *run, struct span line)
{
	static const struct {
		const char *name, *fact;
	} limits[] = {
		{"Max address space ", RUN_FACT_ADDRESS_SPACE},
		{"Max data size ", "rlimit_data"},
		{"Max resident set ", "rlimit_rss"},
		{"Max locked memory ", "rlimit_memlock"},
		{"Max cpu time ", "rlimit_cpu"},
		{"Max open files ", "rlimit_nofile"},
		{"Max processes ", "rlimit_nproc"},
	};

	for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
		struct span soft;

		if (!span_begins(line, limits[i].name) || line.len <= LIMIT_NAME_WIDTH)
			continue;
		line.at += LIMIT_NAME_WIDTH, line.len -= LIMIT_NAME_WIDTH;
		soft = span_word(&line);
		if (soft.len)
			run_add_fact(run, limits[i].fact, soft);
		return;
	}
}

/* "4:memory:/slurm/uid_1000/job_4711", "0::/user.slice" */
void host_fact_group(struct run *run, struct span line)
{
	const char *first = line.len ? memchr(line.at, ':', line.len) : NULL;
	const char *end = line.at + line.len, *second;
	struct span controllers, path;

	second = first ? memchr(first + 1, ':', (size_t)(end - first - 1)) : NULL;
	if (!second)
		return;
	controllers = (struct span){first + 1, (size_t)(second - first - 1)};
	path = (struct span){second + 1, (size_t)(end - second - 1)};
	if (span_is(controllers, "memory") || (!controllers.len && !span_is(path, "/")))
		run_add_fact(run, "cgroup", path);
}

void host_fact_boot(struct run *run, struct span line)
{
	run_add_fact(run, "boot_id", line);
}

void host_fact_cpus(struct run *run, struct span line)
{
	run_add_fact(run, "cpuset", line);
}

static void add_number(struct run *run, const char *name, int64_t value, int64_t per_unit)
{
	struct strbuf text;

	strbuf_init(&text);
	number_print(&text, number_ratio(value, per_unit));
	run_add_fact(run, name, (struct span){text.text, text.len});
	strbuf_release(&text);
}

void host_fact_groups(struct run *run, const struct host_groups *groups)
{
	const struct host_group *memory = host_groups_memory(groups);
	const struct host_group *cpu = host_groups_cpu(groups);
	int64_t limit;

	if (memory && host_group_value(memory, GROUP_MEM_LIMIT, &limit))
		add_number(run, RUN_FACT_MEMORY_LIMIT, limit, 1048576);
	if (cpu && host_group_cpus(cpu) >= 0)
		add_number(run, RUN_FACT_CPU_LIMIT, host_group_cpus(cpu), 1000000);
}
