/* Numbers of the statistics, with a word each. */
#include "model/host_use.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/quantity.h"
#include "model/cpus_allowed.h"
#include "model/jumper.h"

/* Less is how the kernel counts: samples miss some pages of each thread. */
#define BETWEEN_LEAST 1.05

static const struct metric_stats *stats_of(
	const struct report *report, const char *device, enum metric_id metric)
{
	const struct device_list *list =
		&report->run->of_kind[metric_get(metric)->device];

	for (size_t i = 0; i < list->count; i++)
		if (strcmp(report->run->device[list->at[i]].name, device) == 0)
			return metric_stats_best(
				report->stats, report->stats_count, list->at[i], metric);
	return NULL;
}

static double rate_of(
	const struct report *report, const char *device, enum metric_id metric)
{
	const struct metric_stats *s = stats_of(report, device, metric);

	return s ? s->rate_per_s : (double)NAN;
}

static double increase_of(
	const struct report *report, const char *device, enum metric_id metric)
{
	const struct metric_stats *s = stats_of(report, device, metric);

	return s ? s->increase : (double)NAN;
}

/* ", read 12.3 MiB/s"; nothing, if it is not known. */
static void say(struct strbuf *sb, size_t from, const char *before, double x,
	int decimals, const char *behind)
{
	if (isnan(x))
		return;
	strbuf_addf(sb, "%s%s", sb->len > from ? ", " : "", before);
	quantity_number(sb, x, decimals);
	strbuf_adds(sb, behind);
}

static double fact_number(const struct run *run, const char *name)
{
	const char *text = run_fact(run, name);
	int64_t micro;

	if (!text || !number_scaled(span_of(text), 1000000, &micro))
		return NAN;
	return number_ratio(micro, 1000000);
}

bool host_use_limits(struct strbuf *sb, const struct run *run)
{
	const char *cpus = cpus_allowed(run);
	double quota = fact_number(run, RUN_FACT_CPU_LIMIT);
	double space = fact_number(run, RUN_FACT_ADDRESS_SPACE);
	size_t from = sb->len;

	say(sb, from, "memory ", fact_number(run, RUN_FACT_MEMORY_LIMIT), 0, " MiB");
	if (!isnan(quota)) {
		strbuf_adds(sb, sb->len > from ? ", the time of " : "the time of ");
		number_print(sb, quota);
		strbuf_adds(sb, quota == 1 ? " CPU" : " CPUs");
	}
	if (cpus && run->cpu_count > 0 && cpus_allowed_count(cpus) < run->cpu_count)
		strbuf_addf(sb, "%sCPU%s %s only", sb->len > from ? ", " : "",
			cpus_allowed_count(cpus) == 1 ? "" : "s", cpus);
	say(sb, from, "address space ", space / 1048576, 0, " MiB");
	return sb->len > from;
}

bool host_use_disks(struct strbuf *sb, const struct report *report)
{
	double wait_s = increase_of(report, "host", METRIC_host_disk_wait_s);
	double requests = increase_of(report, "host", METRIC_host_disk_requests);
	size_t from = sb->len;

	say(sb, from, "read ", rate_of(report, "host", METRIC_host_disk_read_mib), 1,
		" MiB/s");
	say(sb, from, "written ", rate_of(report, "host", METRIC_host_disk_write_mib), 1,
		" MiB/s");
	say(sb, from, "busy ", 100 * rate_of(report, "host", METRIC_host_disk_busy_s), 1,
		" % of one disk's time");
	if (requests > 0)
		say(sb, from, "", 1000 * wait_s / requests, 2, " ms a request");
	return sb->len > from;
}

bool host_use_network(struct strbuf *sb, const struct report *report)
{
	size_t from = sb->len;

	say(sb, from, "received ", rate_of(report, "host", METRIC_host_net_rx_mib), 1,
		" MiB/s");
	say(sb, from, "sent ", rate_of(report, "host", METRIC_host_net_tx_mib), 1,
		" MiB/s");
	return sb->len > from;
}

bool host_use_stalls(struct strbuf *sb, const struct report *report)
{
	size_t from = sb->len;

	say(sb, from, "for CPU ", 100 * rate_of(report, "host", METRIC_psi_cpu_some_s), 1,
		" %");
	say(sb, from, "for memory ", 100 * rate_of(report, "host", METRIC_psi_mem_some_s),
		1, " %");
	say(sb, from, "for I/O ", 100 * rate_of(report, "host", METRIC_psi_io_some_s), 1,
		" %");
	if (sb->len > from)
		strbuf_adds(sb, " of the time");
	return sb->len > from;
}

bool host_use_group(struct strbuf *sb, const struct report *report)
{
	const struct metric_stats *memory =
		stats_of(report, "cgroup", METRIC_cgroup_mem_used_mib);
	double periods = increase_of(report, "cgroup", METRIC_cgroup_periods);
	double throttled = increase_of(report, "cgroup", METRIC_cgroup_throttled_periods);
	size_t from = sb->len;

	say(sb, from, "used at most ", memory ? memory->max : (double)NAN, 0,
		" MiB of memory");
	say(sb, from, "the time of ", rate_of(report, "cgroup", METRIC_cgroup_cpu_s), 2,
		" CPUs");
	if (periods > 0)
		say(sb, from, "throttled in ", 100 * throttled / periods, 1,
			" % of the quota's periods");
	return sb->len > from;
}

/* Of the sum of several the peak may lie higher than of one: so much is certain. */
bool host_use_between(struct strbuf *sb, const struct report *report)
{
	const struct metric_stats *one =
		stats_of(report, "combined", METRIC_process_peak_mib);
	const struct metric_stats *all = stats_of(report, "combined", METRIC_rss_mib);
	size_t from = sb->len;

	if (one && !(all && one->max <= BETWEEN_LEAST * all->max))
		say(sb, from, "one process had ", one->max, 0, " MiB resident at a time");
	return sb->len > from;
}

static bool say_level(struct strbuf *sb, const struct report *report, const char *level)
{
	const struct metric_stats *memory = stats_of(report, level, METRIC_rss_mib);
	size_t from = sb->len;

	say(sb, from, "used at most ", memory ? memory->max : (double)NAN, 0,
		" MiB of memory");
	say(sb, from, "the time of ", rate_of(report, level, METRIC_tree_cpu_s), 2,
		" CPUs");
	return sb->len > from;
}

bool host_use_user(struct strbuf *sb, const struct report *report)
{
	return say_level(sb, report, jumper_level_name(JUMPER_USER));
}

bool host_use_job(struct strbuf *sb, const struct report *report)
{
	return say_level(sb, report, jumper_level_name(JUMPER_SLURM));
}
