/*
 * pytyche's log of the CPUs, and its object (its to_dict() as Python's json.dumps prints
 * it), one line a run: plain means over all rows, and what an absent source leaves.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "foreign/records.h"
#include "foreign/shared.h"

/*
 * CPU shares as a CSV with a header "timestamp,usr_pct,idle_pct": each value is the
 * average of the interval before its time.
 */

struct cpu_source {
	struct sample_source source;
	struct log *log;
	struct csv_row row;
	struct columns columns;
	bool header_pending;
	uint32_t device;
};

static bool is_header(const struct span *cell, size_t count)
{
	bool time = false, metric = false;

	for (size_t i = 0; i < count; i++) {
		enum role role = column_role(SOURCE_CPU_CSV, cell[i]);

		time |= role == ROLE_TIME;
		metric |= role == ROLE_METRIC;
	}
	return time && metric;
}

static int bid(const struct probe *probe)
{
	return probe_has_row(probe, is_header) ? 60 : 0;
}

static void name_columns(struct cpu_source *c)
{
	columns_clear(&c->columns);
	for (size_t i = 0; i < c->row.count; i++)
		columns_add(&c->columns, c->log, SOURCE_CPU_CSV, c->row.cell[i]);
	c->header_pending = true;
}

static bool read_time(struct cpu_source *c, int64_t *t_ns)
{
	for (size_t i = 0; i < c->columns.count; i++) {
		struct span cell = c->row.cell[i];

		if (c->columns.at[i].role != ROLE_TIME)
			continue;
		return columns_time(c->log, cell, t_ns);
	}
	return false;
}

static void take_line(struct cpu_source *c, struct sample_batch *batch, struct span line)
{
	int64_t t_ns;

	csv_split(&c->row, line);
	if (is_header(c->row.cell, c->row.count)) {
		name_columns(c);
		return;
	}
	if (!columns_count_row(&c->columns, c->log, &c->row, line))
		return;
	if (!read_time(c, &t_ns))
		return;
	batch->timed = true;
	columns_put_row(&c->columns, c->log, batch, t_ns, c->device, &c->header_pending,
		c->row.cell);
}

static int cpu_next(
	struct sample_source *source, struct sample_batch *batch, struct error *err)
{
	struct cpu_source *c = (struct cpu_source *)source;
	struct span line;

	(void)err;
	sample_batch_clear(batch);
	batch->source = SOURCE_CPU_CSV;
	c->columns.bound = false;
	while (!sample_batch_full(batch)) {
		if (!log_line(c->log, &line))
			break;
		take_line(c, batch, line);
	}
	return batch->rows > 0;
}

static void cpu_free(struct sample_source *source)
{
	struct cpu_source *c = (struct cpu_source *)source;

	csv_row_release(&c->row);
	columns_release(&c->columns);
	log_free(c->log);
	free(c);
}

static struct sample_source *cpu_open(struct log *log)
{
	struct cpu_source *c = xcalloc(1, sizeof *c);

	c->source = (struct sample_source){cpu_next, cpu_free};
	c->log = log;
	c->device = identity_cpu(log->run, -1);
	csv_row_init(&c->row);
	return &c->source;
}

const struct format format_cpu_csv = {
	.kind = SOURCE_CPU_CSV, .bid = bid, .open = cpu_open};

/* The object. */

static const struct tool_key keys[] = {
	{"peak_vram_mb", STATISTIC_MAX, METRIC_mem_used_mib, SOURCE_NVIDIA_QUERY,
		SOURCE_NONE, OMIT_ZERO},
	{"gpu_util_mean_pct", STATISTIC_POOLED_MEAN, METRIC_gpu_util_pct,
		SOURCE_NVIDIA_QUERY, SOURCE_NONE, OMIT_ZERO},
	{"gpu_util_max_pct", STATISTIC_MAX, METRIC_gpu_util_pct, SOURCE_NVIDIA_QUERY,
		SOURCE_NONE, OMIT_ZERO},
	{"power_watts_mean", STATISTIC_POOLED_MEAN, METRIC_power_w, SOURCE_NVIDIA_QUERY,
		SOURCE_NONE, OMIT_ZERO},
	{"power_watts_max", STATISTIC_MAX, METRIC_power_w, SOURCE_NVIDIA_QUERY,
		SOURCE_NONE, OMIT_ZERO},
	{"cpu_usr_mean_pct", STATISTIC_POOLED_MEAN, METRIC_cpu_usr_pct, SOURCE_CPU_CSV,
		SOURCE_PROC_STAT, OMIT_ZERO},
	{"cpu_idle_mean_pct", STATISTIC_POOLED_MEAN, METRIC_cpu_idle_pct, SOURCE_CPU_CSV,
		SOURCE_PROC_STAT, OMIT_ZERO},
	{"mem_util_mean_pct", STATISTIC_POOLED_MEAN, METRIC_mem_util_pct,
		SOURCE_NVIDIA_DMON, SOURCE_NONE, OMIT_OMIT},
	{"mem_util_max_pct", STATISTIC_MAX, METRIC_mem_util_pct, SOURCE_NVIDIA_DMON,
		SOURCE_NONE, OMIT_WITH},
	{"jax_peak_bytes_mb", STATISTIC_EVENT_JAX_PEAK, METRIC_none, SOURCE_RUNLOG,
		SOURCE_NONE, OMIT_OMIT},
};

static void make_object(
	struct aggregate *agg, struct report *report, const struct tool_options *asked)
{
	(void)agg;
	(void)asked;
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
		key_add(report, &keys[i],
			keys[i].statistic == STATISTIC_EVENT_JAX_PEAK
				? report->summary[SUMMARY_framework_peak_mib].number
				: key_number(report, &keys[i]));
}

static int write_json(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err)
{
	(void)opt;
	return item_json_lines(in, "pytyche", 1, out, err);
}

static const struct render_format format = {.name = "pytyche",
	.help = "pytyche's own object, one per line",
	.write = write_json,
	.one_by_one = true,
	.tool = &tool_pytyche};

const struct tool tool_pytyche = {
	.format = &format, .format_count = 1, .report = make_object};
