/* Lists of processors, and whose they are. */
#include "model/cpus_allowed.h"

#include <string.h>

#include "base/number.h"

int64_t cpus_allowed_count(const char *list)
{
	int64_t count = 0;

	if (!*list)
		return -1;
	while (*list) {
		size_t len = strcspn(list, ",");
		const char *dash = memchr(list, '-', len);
		uint64_t first, last;

		if (!number_unsigned(
			    (struct span){list, dash ? (size_t)(dash - list) : len},
			    &first))
			return -1;
		last = first;
		if (dash &&
			!number_unsigned(
				(struct span){dash + 1, (size_t)(list + len - dash - 1)},
				&last))
			return -1;
		if (last < first || last > INT32_MAX)
			return -1;
		count += (int64_t)(last - first) + 1;
		list += len + (list[len] == ',');
	}
	return count;
}

const char *cpus_allowed(const struct run *run)
{
	const char *list = run_fact(run, RUN_FACT_PROCESS_CPUS);

	/* of a process that ran already the manifest has the recorder's */
	if (!list && !run_fact(run, RUN_FACT_FOLLOWED))
		list = run_fact(run, RUN_FACT_CPUS_ALLOWED);
	return list && cpus_allowed_count(list) > 0 ? list : NULL;
}
