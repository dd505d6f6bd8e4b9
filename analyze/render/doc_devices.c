/*
 * Devices of one kind side by side: GPUs, the processes on them, CPUs, with the columns
 * that schema/summary.def names. Must not compute.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "render/doc_run.h"

struct device_column {
	const char *title;
	enum metric_id metric;
	size_t statistic; /* offset in struct metric_stats */
};

#define COLUMN(title, metric, statistic) \
	{title, METRIC_##metric, offsetof(struct metric_stats, statistic)},

static const struct device_column gpu_columns[] = {
#define GPU_COLUMN COLUMN
#include "../schema/summary.def"
};

static const struct device_column cpu_columns[] = {
#define CPU_COLUMN COLUMN
#include "../schema/summary.def"
};

static const struct device_column process_columns[] = {
#define PROCESS_COLUMN COLUMN
#include "../schema/summary.def"
};

#define COLUMNS_MAX 8

/* The statistics of a run, or of one of its phases; by source, device, metric. */
struct part {
	const struct report *report;
	const struct metric_stats *stats;
	size_t count;
};

static struct part whole(const struct report *report)
{
	return (struct part){report, report->stats, report->stats_count};
}

static struct part of_path(const struct report *report, size_t path)
{
	return (struct part){
		report, report->path[path].stats, report->path[path].stats_count};
}

static double value_in(const struct metric_stats *s, const struct device_column *column)
{
	double value = NAN;

	if (s)
		memcpy(&value, (const char *)s + column->statistic, sizeof value);
	return value;
}

/* Of a selection of metrics and devices only what was selected has statistics. */
static bool has_metric(const struct report *report, enum metric_id metric)
{
	for (size_t i = 0; i < report->stats_count; i++)
		if (report->stats[i].metric == metric && report->stats[i].n)
			return true;
	return false;
}

static bool has_device(struct part part, uint32_t device)
{
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		size_t i = metric_stats_find(part.stats, part.count, kind, device);

		if (i < part.count && part.stats[i].source == kind &&
			part.stats[i].device == device)
			return true;
	}
	return false;
}

static bool is_energy(const struct device_column *column)
{
	return column->statistic == offsetof(struct metric_stats, energy_j);
}

static bool is_coverage(const struct device_column *column)
{
	return column->statistic == offsetof(struct metric_stats, energy_coverage);
}

/* A GPU's energy is that of whatever it was found by. */
static const struct metric_stats *find_entry(
	struct part part, uint32_t device, const struct device_column *column)
{
	if (is_energy(column) || is_coverage(column))
		return metric_stats_energy(part.stats, part.count, device);
	return report_stats_best(
		part.report, part.stats, part.count, device, column->metric);
}

static bool has_energy(struct part part, bool partial)
{
	for (size_t i = 0; i < part.count; i++) {
		const struct metric_stats *s = &part.stats[i];

		if (s->energy_chosen &&
			(!partial ||
				doc_energy_is_partial(s->energy_j, s->energy_coverage)))
			return true;
	}
	return false;
}

/* partial: an energy does not cover all of its time. */
static bool is_shown(
	const struct report *report, const struct device_column *column, bool partial)
{
	if (is_coverage(column))
		return partial;
	return has_metric(report, column->metric) ||
		(is_energy(column) && has_energy(whole(report), false));
}

static const char *unit_of(const struct device_column *column)
{
	if (is_energy(column))
		return "J";
	return is_coverage(column) ? "%" : metric_get(column->metric)->unit;
}

/* Those of the columns that have a value at all; their number. */
static size_t choose_columns(const struct report *report,
	const struct device_column *from, size_t count, bool partial,
	const struct device_column **shown, struct doc_column *columns)
{
	size_t chosen = 0;

	for (size_t k = 0; k < count && chosen < COLUMNS_MAX; k++) {
		if (!is_shown(report, &from[k], partial))
			continue;
		shown[chosen] = &from[k];
		columns[chosen++] = (struct doc_column){
			from[k].title, unit_of(&from[k]), DOC_RIGHT, false};
	}
	return chosen;
}

static void add_values(struct doc *doc, struct part part, uint32_t device,
	const struct device_column *const *shown, size_t count)
{
	for (size_t k = 0; k < count; k++) {
		const struct metric_stats *s = find_entry(part, device, shown[k]);

		if (is_coverage(shown[k]))
			doc_energy_coverage(
				doc, s ? s->energy_j : NAN, s ? s->energy_coverage : NAN);
		else
			doc_number(doc, value_in(s, shown[k]),
				is_energy(shown[k])
					? 0
					: metric_get(shown[k]->metric)->decimals);
	}
}

static void add_gpus(struct doc *doc, const struct run *run, struct part part,
	const struct device_column *const *shown, size_t count)
{
	for (size_t i = 0; i < run->of_kind[DEVICE_GPU].count; i++) {
		uint32_t device = run->of_kind[DEVICE_GPU].at[i];

		if (!has_device(part, device))
			continue;
		if (run->device[device].host)
			doc_textf(doc, "%s (%s)", run->device[device].name,
				run->device[device].host);
		else
			doc_text(doc, run->device[device].name);
		add_values(doc, part, device, shown, count);
	}
}

/* What a table that sets GPUs side by side shows of them. */
struct gpu_table {
	struct doc_column column[COLUMNS_MAX + 1];
	const struct device_column *shown[COLUMNS_MAX];
	size_t count; /* shown; 0: there is nothing to set side by side */
};

static void gpu_table_init(
	struct gpu_table *table, const struct report *report, bool partial)
{
	table->column[0] = (struct doc_column){"GPU", "", DOC_LEFT, false};
	table->count = 0;
	if (report_gpu_count(report) > 1)
		table->count = choose_columns(report, gpu_columns,
			sizeof gpu_columns / sizeof gpu_columns[0], partial, table->shown,
			table->column + 1);
}

void doc_gpus(struct doc *doc, const struct report *report)
{
	struct gpu_table table;

	gpu_table_init(&table, report, has_energy(whole(report), true));
	if (!table.count)
		return;
	doc_heading(doc, 2, "Each GPU");
	doc_table(doc, table.column, table.count + 1)->follows = true;
	add_gpus(doc, report->run, whole(report), table.shown, table.count);
}

bool doc_gpus_in_phases(struct doc *doc, const struct report *report, const bool *shown)
{
	struct gpu_table table;
	bool partial = false;

	for (size_t i = 0; i < report->path_count; i++)
		partial |= shown[i] && has_energy(of_path(report, i), true);
	gpu_table_init(&table, report, partial);
	if (!table.count)
		return false;
	doc_heading(doc, 2, "Each GPU in each phase");
	doc_table(doc, table.column, table.count + 1)->follows = true;
	for (size_t i = 0; i < report->path_count; i++) {
		struct part part = of_path(report, i);

		if (!shown[i] || !part.count)
			continue;
		doc_row_title(doc, report->path[i].path);
		add_gpus(doc, report->run, part, table.shown, table.count);
	}
	return true;
}

void doc_cores(struct doc *doc, const struct report *report)
{
	struct doc_column columns[COLUMNS_MAX + 1] = {{"CPU", "", DOC_LEFT, false}};
	const struct device_column *shown[COLUMNS_MAX];
	const struct run *run = report->run;
	size_t count = choose_columns(report, cpu_columns,
		sizeof cpu_columns / sizeof cpu_columns[0], false, shown, columns + 1);
	bool begun = false;

	for (size_t i = 0; i < run->of_kind[DEVICE_CPU].count && count; i++) {
		uint32_t device = run->of_kind[DEVICE_CPU].at[i];

		if (!device_is_core(&run->device[device]) ||
			!has_device(whole(report), device))
			continue;
		if (!begun) {
			doc_heading(doc, 2, "Each CPU");
			doc_table(doc, columns, count + 1)->follows = true;
		}
		begun = true;
		doc_text(doc, run->device[device].name);
		add_values(doc, whole(report), device, shown, count);
	}
}

struct ranked {
	uint32_t device;
	bool known; /* it has statistics */
	double value; /* of the first column */
};

/* The largest first, what is unknown last, equal ones in the order of the log. */
static int largest_first(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (isnan(x->value) != isnan(y->value))
		return isnan(x->value) ? 1 : -1;
	if (x->value != y->value && !isnan(x->value))
		return x->value < y->value ? 1 : -1;
	return (x->device > y->device) - (x->device < y->device);
}

/*
 * The processes that have statistics, the largest by the column first (NULL: in the order
 * of the log). The array is the caller's; there may be very many.
 */
static struct ranked *rank_processes(
	const struct report *report, const struct device_column *column, size_t *count)
{
	const struct run *run = report->run;
	struct ranked *ranked = xcalloc(run->device_count + 1, sizeof *ranked);

	for (size_t i = 0; i < report->stats_count; i++)
		ranked[report->stats[i].device].known = true;
	*count = 0;
	for (size_t i = 0; i < run->device_count; i++) {
		if (run->device[i].kind != DEVICE_PROCESS || !ranked[i].known)
			continue;
		ranked[*count].device = (uint32_t)i;
		ranked[*count].value = NAN;
		if (column)
			ranked[*count].value = value_in(
				find_entry(whole(report), (uint32_t)i, column), column);
		++*count;
	}
	qsort(ranked, *count, sizeof *ranked, largest_first);
	return ranked;
}

static void more(struct doc *doc, size_t count)
{
	if (!count)
		return;
	doc_begin(doc, DOC_NOTES)->follows = true;
	doc_text(doc, NULL);
	doc_textf(doc, "... and %zu more (--json has them)", count);
}

void doc_processes(struct doc *doc, const struct report *report)
{
	const struct run *run = report->run;
	struct doc_column columns[COLUMNS_MAX + 2] = {
		{"process", "", DOC_LEFT, false}, {"command", "", DOC_LEFT, true}};
	const struct device_column *shown[COLUMNS_MAX];
	size_t count = choose_columns(report, process_columns,
		sizeof process_columns / sizeof process_columns[0], false, shown,
		columns + 2);
	size_t processes;
	struct ranked *ranked =
		rank_processes(report, count ? shown[0] : NULL, &processes);

	if (processes) {
		doc_heading(doc, 2, "Processes on the GPUs");
		doc_table(doc, columns, count + 2)->follows = true;
	}
	for (size_t i = 0; i < processes && i < DOC_LIST_MAX; i++) {
		const struct device *device = &run->device[ranked[i].device];

		doc_text(doc, device->name);
		doc_text(doc, device->model)->path = true;
		add_values(doc, whole(report), ranked[i].device, shown, count);
	}
	more(doc, processes > DOC_LIST_MAX ? processes - DOC_LIST_MAX : 0);
	free(ranked);
}
