/*
 * Resources of a run as tables: summary, devices, metrics and states, the steady
 * state. The layouts say which number goes where; names, units and decimals come from
 * schema/summary.def and schema/metrics.def. Must not compute; a bar draws two numbers
 * next to it.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/quantity.h"
#include "model/coverage.h"
#include "model/metric.h"
#include "model/report.h"
#include "render/doc_run.h"
#include "render/run_names.h"
#include "render/timeline_axis.h"

/* A line of the summary: up to three numbers of one unit. */
struct usage_row {
	const char *label, *label_of_many; /* the latter where there are several GPUs */
	enum summary_key mean, max, of; /* SUMMARY_COUNT: no such number */
	enum {
		SHOW_ALWAYS, /* if it is not known, among what was not recorded */
		SHOW_KNOWN,
		SHOW_MANY /* if there are several GPUs */
	} show;
	enum {
		FIRST_ALWAYS,
		FIRST_SINGLE, /* of several GPUs, another table has the number of each */
		FIRST_LARGER, /* not below five percent */
		FIRST_SOME, /* not what is printed as 0 */
		FIRST_ROOM /* not on a terminal */
	} first; /* without -v */
};

#define NO	  SUMMARY_COUNT
#define KEY(name) SUMMARY_##name

/*
 * Groups end with a row without label. A group of which nothing is known is left out,
 * but for the first: where there are GPUs, what of it is missing is named.
 */
static const struct usage_row usage_rows[] = {
	{"GPU utilization", NULL, KEY(gpu_util_mean_pct), KEY(gpu_util_max_pct), NO,
		SHOW_ALWAYS, FIRST_ALWAYS},
	{"GPU utilization, own", "GPU util., own sum", KEY(own_gpu_util_mean_pct), NO, NO,
		SHOW_KNOWN, FIRST_ALWAYS},
	{"Memory controller", NULL, KEY(mem_util_mean_pct), KEY(mem_util_max_pct), NO,
		SHOW_KNOWN, FIRST_ROOM},
	{"GPU memory", "GPU memory, all", NO, KEY(peak_vram_total_mib),
		KEY(vram_capacity_mib), SHOW_ALWAYS, FIRST_ALWAYS},
	{"GPU memory, one", NULL, NO, KEY(peak_vram_mib), NO, SHOW_MANY, FIRST_SINGLE},
	{"GPU memory, own", NULL, NO, KEY(own_vram_peak_mib), NO, SHOW_KNOWN,
		FIRST_ALWAYS},
	{"Framework memory", NULL, NO, KEY(framework_peak_mib), NO, SHOW_KNOWN,
		FIRST_ALWAYS},
	{"GPU power, all", NULL, KEY(power_total_mean_w), NO, NO, SHOW_MANY,
		FIRST_ALWAYS},
	{"GPU power", "GPU power, one", KEY(power_mean_w), KEY(power_max_w), NO,
		SHOW_ALWAYS, FIRST_SINGLE},
	{"GPU temperature", NULL, NO, KEY(temperature_max_c), NO, SHOW_ALWAYS,
		FIRST_SINGLE},
	{"SM clock", NULL, KEY(sm_clock_mean_mhz), NO, NO, SHOW_KNOWN, FIRST_ROOM},
	{0},
	{"CPU busy", NULL, KEY(cpu_busy_mean_pct), NO, NO, SHOW_ALWAYS, FIRST_ALWAYS},
	{"CPU user", NULL, KEY(cpu_usr_mean_pct), NO, NO, SHOW_KNOWN, FIRST_ROOM},
	{"CPU system", NULL, KEY(cpu_sys_mean_pct), NO, NO, SHOW_ALWAYS, FIRST_LARGER},
	{"CPU waiting for I/O", NULL, KEY(cpu_iowait_mean_pct), NO, NO, SHOW_ALWAYS,
		FIRST_LARGER},
	{0},
	{"Host memory", NULL, NO, KEY(ram_peak_mib), KEY(ram_capacity_mib), SHOW_ALWAYS,
		FIRST_ALWAYS},
	{0},
	{"Resident memory", NULL, KEY(rss_mean_mib), KEY(rss_peak_mib), NO, SHOW_ALWAYS,
		FIRST_ALWAYS},
	{"Resident, shared once", NULL, NO, KEY(pss_peak_mib), NO, SHOW_KNOWN,
		FIRST_SOME},
	{"Resident, growth", NULL, NO, KEY(rss_growth_mib), NO, SHOW_KNOWN, FIRST_ROOM},
	{"Threads", NULL, NO, KEY(threads_max), NO, SHOW_KNOWN, FIRST_ROOM},
	{0},
	{"Read (syscalls)", NULL, NO, KEY(io_read_mib), NO, SHOW_ALWAYS, FIRST_SOME},
	{"Written (syscalls)", NULL, NO, KEY(io_write_mib), NO, SHOW_ALWAYS, FIRST_SOME},
	{0},
};

#define ROWS (sizeof usage_rows / sizeof usage_rows[0])

static double known(const struct report *report, enum summary_key key)
{
	return key == NO ? NAN : report->summary[key].number;
}

static bool wants(const struct report *report, enum summary_key key)
{
	return key != NO && report_wants_key(report, key);
}

static bool wants_row(const struct report *report, const struct usage_row *row)
{
	return wants(report, row->mean) || wants(report, row->max) ||
		wants(report, row->of);
}

static bool row_known(const struct report *report, const struct usage_row *row)
{
	return !isnan(known(report, row->mean)) || !isnan(known(report, row->max)) ||
		!isnan(known(report, row->of));
}

/* For whom the table is. */
struct usage_view {
	bool many; /* GPUs */
	bool all; /* -v */
	bool brief; /* a terminal */
};

/* Is a row left to -v? */
static bool row_can_wait(const struct report *report, const struct usage_row *row,
	const struct usage_view *view)
{
	if (view->all)
		return false;
	switch (row->first) {
	case FIRST_SINGLE:
		return view->many;
	case FIRST_LARGER:
		return known(report, row->mean) < 5;
	case FIRST_SOME:
		return fabs(known(report, row->max)) < 0.5;
	case FIRST_ROOM:
		return view->brief && !report->filter.metric;
	case FIRST_ALWAYS:
		break;
	}
	return false;
}

static bool group_known(const struct report *report, const struct usage_row *row)
{
	for (; row->label; row++)
		if (row_known(report, row))
			return true;
	return false;
}

static void add_number(struct doc *doc, const struct report *report, enum summary_key key)
{
	if (key == NO || isnan(known(report, key)))
		doc_blank(doc);
	else
		doc_number(doc, known(report, key), summary_field_get(key)->decimals);
}

/* ", counter"; where that differs: ", counter of gpu0 gpu2, integrated of gpu1" */
static void add_method(struct strbuf *text, const struct report *report)
{
	static const enum energy_method methods[] = {ENERGY_COUNTER, ENERGY_INTEGRATED};
	const struct device_list *gpus = &report->run->of_kind[DEVICE_GPU];

	for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++) {
		const char *before = " of ";

		strbuf_addf(text, ", %s", energy_method_name(methods[k]));
		for (size_t i = 0; i < gpus->count; i++) {
			const struct metric_stats *s = metric_stats_energy(
				report->stats, report->stats_count, gpus->at[i]);

			if (!s || energy_method(s) != methods[k] ||
				!report_counts_gpu(report, gpus->at[i]))
				continue;
			strbuf_addf(text, "%s%s", before,
				report->run->device[gpus->at[i]].name);
			before = " ";
		}
	}
}

static size_t count_known(const struct report *report)
{
	const struct device_list *gpus = &report->run->of_kind[DEVICE_GPU];
	size_t known = 0;

	for (size_t i = 0; i < gpus->count; i++) {
		const struct metric_stats *s = metric_stats_energy(
			report->stats, report->stats_count, gpus->at[i]);

		known += s && !isnan(s->energy_j) &&
			report_counts_gpu(report, gpus->at[i]);
	}
	return known;
}

static void add_energy(struct doc *doc, const struct report *report)
{
	const char *method = report->summary[KEY(energy_method)].text;
	bool is_mixed = method && strcmp(method, energy_method_name(ENERGY_MIXED)) == 0;
	const struct summary_item *s = report->summary;
	double energy_j = s[KEY(energy_j)].number;
	double coverage = s[KEY(energy_coverage)].number;
	size_t gpus = report_gpu_count(report), known = count_known(report);
	enum summary_key key = KEY(energy_j);
	struct strbuf *text, doubt;

	if (isnan(energy_j)) {
		key = KEY(energy_partial_j);
		energy_j = s[key].number;
	}
	if (isnan(energy_j))
		return;
	text = doc_field(doc, summary_field_get(KEY(energy_j))->title);
	quantity_energy(text, energy_j);
	if (key != KEY(energy_j))
		strbuf_addf(text, " of %zu GPU%s, unknown of %zu", known,
			known == 1 ? "" : "s", gpus - known);
	if (is_mixed)
		add_method(text, report);
	else if (method)
		strbuf_addf(text, ", %s", method);
	if (coverage < 1) {
		strbuf_adds(text, is_mixed ? ", over " : " over ");
		quantity_ratio(text, coverage);
		strbuf_adds(text,
			key == KEY(energy_j) ? " of the time" : " of the GPUs' time");
	}
	strbuf_init(&doubt);
	if (doubt_of_key(&doubt, report, key))
		strbuf_addf(text, "; in doubt: %s", doubt.text);
	doc_last(doc)->tone = doubt.len ? TONE_WARN : TONE_PLAIN;
	strbuf_release(&doubt);
}

/* " (no rows of gpu1 gpu3)": they count, but have no part in any number. */
static void add_silent(struct strbuf *text, const struct report *report)
{
	const struct device_list *gpus = &report->run->of_kind[DEVICE_GPU];
	const char *before = " (no rows of ";

	for (size_t i = 0; i < gpus->count; i++) {
		if (!report_counts_gpu(report, gpus->at[i]) ||
			report_has_rows(report, gpus->at[i]))
			continue;
		strbuf_addf(text, "%s%s", before, report->run->device[gpus->at[i]].name);
		before = " ";
	}
	if (before[1] == '\0')
		strbuf_adds(text, report->windowed ? " in the window)" : ")");
}

/* "2 x NVIDIA H200", and so on for each model in the order of its first GPU. */
static void add_models(struct doc *doc, const struct report *report)
{
	const struct run *run = report->run;
	const struct device_list *gpus = &run->of_kind[DEVICE_GPU];
	struct strbuf *text = doc_field(doc, "GPUs");

	for (size_t i = 0; i < gpus->count; i++) {
		const char *model = run->device[gpus->at[i]].model;
		size_t same = 0, before = 0;

		if (!report_counts_gpu(report, gpus->at[i]))
			continue;
		for (size_t k = 0; k < gpus->count; k++) {
			const char *other = run->device[gpus->at[k]].model;

			if (!report_counts_gpu(report, gpus->at[k]) || !model != !other ||
				(model && strcmp(model, other) != 0))
				continue;
			same++;
			before += k < i;
		}
		if (before)
			continue;
		strbuf_addf(text, "%s%zu x ", text->len ? ", " : "", same);
		short_name(text, model ? model : "unknown model");
	}
	add_silent(text, report);
	doc_keep(doc);
}

static void add_host(struct doc *doc, const struct report *report)
{
	bool cpus = report_wants_all(report, DEVICE_CPU);
	const char *name = report->run->host;
	const char *model = cpus ? report->run->cpu_model : NULL;
	double count = report->summary[KEY(cpu_count)].number;
	struct strbuf *text = doc_field(doc, "Host");

	if (name)
		short_name(text, name);
	if (!isnan(count))
		strbuf_addf(text, "%s%.0f CPU%s", text->len ? ", " : "", count,
			count == 1 ? "" : "s");
	if (model) {
		strbuf_adds(text, text->len ? ", " : "");
		short_name(text, model);
	}
	doc_keep(doc);
	text = doc_field(doc, "Limits");
	if (!cpus || !host_use_limits(text, report->run))
		strbuf_clear(text);
	doc_keep(doc);
}

static void add_host_use(struct doc *doc, const struct report *report, bool all)
{
	struct strbuf text = strbuf_new();

	for (enum host_use use = 0; use < HOST_USES; use++) {
		bool matters;
		const char *title = host_use(&text, report, use, &matters);

		if (title && (all || matters)) {
			doc_text(doc, title);
			doc_text(doc, text.text);
		}
		strbuf_clear(&text);
	}
	strbuf_release(&text);
}

/* Why there is no utilization of GPUs that are divided into instances. */
static void add_divided(struct doc *doc, const struct report *report)
{
	const struct device_list *gpus = &report->run->of_kind[DEVICE_GPU];
	struct strbuf *text = doc_field(doc, "MIG");

	for (size_t i = 0; i < gpus->count; i++)
		if (report_is_divided(report, gpus->at[i]) &&
			wants(report, KEY(gpu_util_mean_pct)))
			strbuf_addf(text, "%s%s", text->len ? " " : "of ",
				report->run->device[gpus->at[i]].name);
	if (text->len)
		strbuf_adds(text,
			" is enabled: nvidia-smi does not say how busy such a GPU is");
	doc_keep(doc);
}

static bool add_doubt(
	struct strbuf *why, const struct report *report, const struct usage_row *row)
{
	return doubt_of_key(why, report, row->mean != NO ? row->mean : row->max);
}

/* Of any row that the table has? */
static bool has_doubt(const struct report *report, const struct usage_view *view)
{
	struct strbuf why = strbuf_new();
	bool found = false;

	for (size_t i = 0; i < ROWS && !found; i++)
		found = usage_rows[i].label && wants_row(report, &usage_rows[i]) &&
			row_known(report, &usage_rows[i]) &&
			(usage_rows[i].show != SHOW_MANY || view->many) &&
			!row_can_wait(report, &usage_rows[i], view) &&
			add_doubt(&why, report, &usage_rows[i]);
	strbuf_release(&why);
	return found;
}

static void add_row(struct doc *doc, const struct report *report,
	const struct usage_row *row, bool many)
{
	enum summary_key first = row->mean != NO ? row->mean : row->max;
	const char *unit = summary_field_get(first)->unit;
	double whole = strcmp(unit, "%") == 0 ? 100 : known(report, row->of);

	doc_text(doc, many && row->label_of_many ? row->label_of_many : row->label);
	add_number(doc, report, row->mean);
	add_number(doc, report, row->max);
	add_number(doc, report, row->of);
	doc_text(doc, unit);
	add_doubt(doc_write(doc), report, row);
	doc_last(doc)->tone = TONE_WARN;
	doc_or_blank(doc);
	if (isnan(whole))
		doc_blank(doc);
	else if (row->mean == NO)
		doc_bar(doc, 0, known(report, row->max) / whole, NAN);
	else
		doc_bar(doc, 0, known(report, row->mean) / whole,
			known(report, row->max) / whole);
}

void doc_usage(struct doc *doc, const struct report *report, bool all)
{
	static const struct doc_column columns[] = {{"", "", DOC_LEFT, false},
		{"mean", "", DOC_RIGHT, false}, {"max", "", DOC_RIGHT, false},
		{"capacity", "", DOC_RIGHT, false}, {"", "", DOC_LEFT, false},
		{"", "", DOC_LEFT, false}, /* why they may be wrong, if any is */
		{"", "", DOC_BAR, false}};
	struct usage_view view = {report_gpu_count(report) > 1, all, doc->brief};
	const bool shown[] = {
		true, true, true, true, true, has_doubt(report, &view), true};
	bool group = false, table = false;
	struct strbuf missing = strbuf_new();

	doc_fields(doc);
	add_host(doc, report);
	add_models(doc, report);
	add_divided(doc, report);
	add_energy(doc, report);
	if (report_gpu_count(report) && wants(report, KEY(energy_j)) &&
		isnan(known(report, KEY(energy_j))) &&
		isnan(known(report, KEY(energy_partial_j))))
		strbuf_adds(&missing, summary_field_get(KEY(energy_j))->title);
	for (size_t i = 0; i < ROWS; i++) {
		const struct usage_row *row = &usage_rows[i];

		if (!row->label)
			continue;
		if (!i || !usage_rows[i - 1].label)
			group = group_known(report, row) ||
				(!i && report_gpu_count(report));
		if (!group || !wants_row(report, row) ||
			(row->show == SHOW_MANY && !view.many))
			continue;
		if (!row_known(report, row)) {
			if (row->show == SHOW_ALWAYS)
				strbuf_addf(&missing, "%s%s", missing.len ? ", " : "",
					row->label);
			continue;
		}
		if (row_can_wait(report, row, &view))
			continue;
		if (!table)
			doc_table_of(doc, columns, shown, sizeof shown)->follows = true;
		table = true;
		add_row(doc, report, row, view.many);
	}
	doc_fields(doc);
	if (report->summary[KEY(framework_peaks)].text && (all || !doc->brief))
		strbuf_adds(doc_field(doc, "Framework peaks"),
			report->summary[KEY(framework_peaks)].text);
	add_host_use(doc, report, all);
	if (missing.len) {
		doc_text(doc, "Not recorded");
		doc_text(doc, missing.text);
	}
	strbuf_release(&missing);
}

/* Devices of one kind in columns: GPUs, their processes, CPUs (schema/summary.def). */

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

/* What a table that sets GPUs side by side shows of them. */
struct gpu_table {
	struct doc_column column[COLUMNS_MAX + 2];
	const struct device_column *shown[COLUMNS_MAX];
	size_t count; /* shown; 0: there is nothing to set side by side */
	bool doubt; /* a last column says why numbers may be wrong */
};

/* "util, power: guessed; ..." why a row's numbers may be wrong; "guessed" of all. */
static bool say_doubts(struct strbuf *text, struct part part,
	const struct gpu_table *table, uint32_t device)
{
	const struct metric_stats *last = NULL;
	struct strbuf why = strbuf_new(), before = strbuf_new();
	bool all = true;

	for (size_t k = 0; k < table->count; k++) {
		const struct metric_stats *s = find_entry(part, device, table->shown[k]);
		const char *title = table->shown[k]->title;

		if (!s || s == last || isnan(value_in(s, table->shown[k])))
			continue;
		last = s;
		strbuf_clear(&why);
		doubt_of_entry(&why, part.report, s);
		all &= why.len && (!before.len || strcmp(before.text, why.text) == 0);
		if (!why.len)
			continue;
		if (before.len && strcmp(before.text, why.text) != 0)
			strbuf_addf(text, ": %s; ", before.text);
		else if (before.len)
			strbuf_adds(text, ", ");
		strbuf_add(text, title, strcspn(title, " "));
		strbuf_clear(&before);
		strbuf_adds(&before, why.text);
	}
	if (before.len && all)
		strbuf_clear(text);
	if (before.len)
		strbuf_addf(text, "%s%s", all ? "" : ": ", before.text);
	strbuf_release(&why);
	strbuf_release(&before);
	return text->len > 0;
}

static void add_gpus(struct doc *doc, const struct run *run, struct part part,
	const struct gpu_table *table)
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
		add_values(doc, part, device, table->shown, table->count);
		if (!table->doubt)
			continue;
		say_doubts(doc_write(doc), part, table, device);
		doc_or_blank(doc);
	}
}

static void gpu_table_init(
	struct gpu_table *table, const struct report *report, bool partial)
{
	table->column[0] = (struct doc_column){"GPU", "", DOC_LEFT, false};
	table->count = 0;
	if (report_gpu_count(report) > 1)
		table->count = choose_columns(report, gpu_columns,
			sizeof gpu_columns / sizeof gpu_columns[0], partial, table->shown,
			table->column + 1);
	table->doubt = false;
}

/* Adds the last column if a GPU of the part has a number in doubt. */
static void see_doubts(struct gpu_table *table, struct part part)
{
	const struct device_list *gpus = &part.report->run->of_kind[DEVICE_GPU];
	struct strbuf text = strbuf_new();

	for (size_t i = 0; i < gpus->count && table->count; i++)
		table->doubt |= say_doubts(&text, part, table, gpus->at[i]);
	table->column[table->count + 1] =
		(struct doc_column){"in doubt", "", DOC_LEFT, false};
	strbuf_release(&text);
}

/* Lines over time say the same of one or two GPUs. */
void doc_gpus(struct doc *doc, const struct report *report, bool all)
{
	struct gpu_table table;

	gpu_table_init(&table, report, has_energy(whole(report), true));
	if (!table.count)
		return;
	see_doubts(&table, whole(report));
	if (doc->brief && !all && !table.doubt && timeline_is_drawn(report) &&
		report_gpu_count(report) <= 2)
		return;
	doc_section(doc, "Each GPU", table.column, table.count + 1 + table.doubt);
	add_gpus(doc, report->run, whole(report), &table);
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
	doc_section(doc, "Each GPU in each phase", table.column, table.count + 1);
	for (size_t i = 0; i < report->path_count; i++) {
		struct part part = of_path(report, i);

		if (!shown[i] || !part.count)
			continue;
		strbuf_adds(doc_row_title(doc), report->path[i].path);
		add_gpus(doc, report->run, part, &table);
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
			doc_section(doc, "Each CPU", columns, count + 1);
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

static const char *const owner_words[OWNER_COUNT] = {[OWNER_UNKNOWN] = "not known",
	[OWNER_RUN] = "this run",
	[OWNER_OTHER] = "another",
	[OWNER_BOTH] = "both in turn"};

static bool knows_owner(const struct run *run)
{
	for (size_t i = 0; i < run->device_count; i++)
		if (run->device[i].owner != OWNER_UNKNOWN)
			return true;
	return false;
}

/* One process alone has what its GPU has. */
void doc_processes(struct doc *doc, const struct report *report, bool all)
{
	const struct run *run = report->run;
	struct doc_column columns[COLUMNS_MAX + 3] = {
		{"process", "", DOC_LEFT, false}, {"command", "", DOC_LEFT, true}};
	const struct device_column *shown[COLUMNS_MAX];
	size_t owner = knows_owner(run) ? 1 : 0;
	size_t count = choose_columns(report, process_columns,
		sizeof process_columns / sizeof process_columns[0], false, shown,
		columns + 2 + owner);
	size_t processes;
	struct ranked *ranked =
		rank_processes(report, count ? shown[0] : NULL, &processes);

	if (doc->brief && !all && processes == 1)
		processes = 0;
	if (processes) {
		doc_heading(doc, 2, "Processes on the GPUs");
		if (owner)
			columns[2] = (struct doc_column){"owner", "", DOC_LEFT, false};
		doc_table(doc, columns, count + 2 + owner)->follows = true;
	}
	for (size_t i = 0; i < processes && i < DOC_LIST_MAX; i++) {
		const struct device *device = &run->device[ranked[i].device];

		doc_text(doc, device->name);
		doc_text(doc, device->model)->path = true;
		if (owner)
			doc_text(doc, owner_words[device->owner]);
		add_values(doc, whole(report), ranked[i].device, shown, count);
	}
	doc_more(doc, processes > DOC_LIST_MAX ? processes - DOC_LIST_MAX : 0,
		" (--json has them)");
	free(ranked);
	if (processes && run_fact_is(run, RUN_FACT_HOST_PIDS, "false")) {
		doc_fields(doc);
		strbuf_adds(doc_field(doc, "Owners"),
			owner ? "by pid only: the run has pids of a container, and a "
				"process of the host may have the same pid"
			      : "not known: the run has pids of a container, which "
				"nvidia-smi may list by others");
	}
}

/* All metrics and states, if asked for (schema/metrics.def). */

static const enum statistic columns_of[] = {STATISTIC_n, STATISTIC_mean, STATISTIC_min,
	STATISTIC_p50, STATISTIC_p95, STATISTIC_max};

/* A slope of less time says nothing of an hour. */
#define HOURLY_LEAST_S 600

/* What was never available is in none of them. */
static bool metrics_is_shown(const struct metric_stats *s, enum doc_stats shown)
{
	bool counter = metric_get(s->metric)->kind == KIND_COUNTER;

	if (shown == SHOWN_GROWTH)
		return s->has_growth && !isnan(s->growth);
	if (metric_is_state(s->metric))
		return s->n && shown == SHOWN_STATES;
	return s->n && shown == (counter ? SHOWN_COUNTERS : SHOWN_NUMBERS);
}

/* The device and its log, where they are not those of the row before. */
static void title_device(struct doc *doc, const struct report *report,
	const struct metric_stats *before, const struct metric_stats *s)
{
	const struct device *device = &report->run->device[s->device];
	struct strbuf *title;

	if (before && before->device == s->device && before->source == s->source)
		return;
	title = doc_row_title(doc);
	strbuf_adds(title, device->name);
	if (device->kind == DEVICE_PROCESS && device->model)
		strbuf_addf(title, " %s", device->model);
	strbuf_addf(title, " (%s)", doc_source(report->run, s->source));
}

static void add_states(
	struct doc *doc, const struct report *report, const struct metric_stats *s)
{
	(void)report;
	for (size_t k = 0; k < s->state_count; k++) {
		const struct state_time *state = &s->state[k];

		doc_text(doc, k ? "" : metric_get(s->metric)->name);
		doc_text(doc, state->name);
		doc_number(doc, (double)state->n, 0);
		doc_number(doc, state->seconds, 1);
		doc_number(doc, 100 * state->share, 1);
		doc_bar(doc, 0, state->share, NAN);
	}
}

static void add_growth(
	struct doc *doc, const struct report *report, const struct metric_stats *s)
{
	const struct metric *metric = metric_get(s->metric);

	doc_text(doc, metric->name);
	doc_number(doc, s->growth, metric->decimals);
	if (report->duration_s < HOURLY_LEAST_S)
		doc_blank(doc);
	else
		doc_number(doc, s->slope_per_h, metric->decimals);
	doc_text(doc, metric->unit);
}

static void add_counter(
	struct doc *doc, const struct report *report, const struct metric_stats *s)
{
	(void)report;
	doc_text(doc, metric_get(s->metric)->name);
	doc_number(doc, (double)s->n, 0);
	doc_number(doc, s->increase, metric_get(s->metric)->decimals);
	doc_text(doc, metric_get(s->metric)->unit);
	doc_number(doc, s->rate_per_s, 2);
	doc_number(doc, (double)s->resets, 0);
}

static void add_metric(
	struct doc *doc, const struct report *report, const struct metric_stats *s)
{
	const struct metric *metric = metric_get(s->metric);

	(void)report;
	doc_text(doc, metric->name);
	for (size_t k = 0; k < sizeof columns_of / sizeof columns_of[0]; k++)
		doc_number(
			doc, statistic_get(s, columns_of[k]), k ? metric->decimals : 0);
	doc_text(doc, metric->unit);
}

#define STATS_COLUMNS 8

static const struct stats_table {
	const char *title;
	struct doc_column column[STATS_COLUMNS];
	size_t columns;
	void (*add)(struct doc *doc, const struct report *report,
		const struct metric_stats *s);
} stats_tables[] = {
	[SHOWN_NUMBERS] = {"All metrics",
		{{"metric", "", DOC_LEFT, false}, {"n", "", DOC_RIGHT, false},
			{"mean", "", DOC_RIGHT, false}, {"min", "", DOC_RIGHT, false},
			{"p50", "", DOC_RIGHT, false}, {"p95", "", DOC_RIGHT, false},
			{"max", "", DOC_RIGHT, false}, {"unit", "", DOC_LEFT, false}},
		8, add_metric},
	[SHOWN_GROWTH] = {"Growth",
		{{"metric", "", DOC_LEFT, false}, {"growth", "", DOC_RIGHT, false},
			{"an hour", "", DOC_RIGHT, false}, {"unit", "", DOC_LEFT, false}},
		4, add_growth},
	[SHOWN_COUNTERS] = {"Counters",
		{{"counter", "", DOC_LEFT, false}, {"n", "", DOC_RIGHT, false},
			{"rise", "", DOC_RIGHT, false}, {"unit", "", DOC_LEFT, false},
			{"a second", "", DOC_RIGHT, false},
			{"resets", "", DOC_RIGHT, false}},
		6, add_counter},
	[SHOWN_STATES] = {"States",
		{{"metric", "", DOC_LEFT, false}, {"state", "", DOC_LEFT, true},
			{"n", "", DOC_RIGHT, false}, {"time", "s", DOC_RIGHT, false},
			{"share", "%", DOC_RIGHT, false}, {"", "", DOC_BAR, false}},
		6, add_states},
};

void doc_stats(struct doc *doc, const struct report *report, enum doc_stats shown)
{
	const struct stats_table *table = &stats_tables[shown];
	const struct metric_stats *before = NULL;

	for (size_t i = 0; i < report->stats_count; i++) {
		const struct metric_stats *s = &report->stats[i];

		if (!metrics_is_shown(s, shown))
			continue;
		if (!before) {
			doc_heading(doc, 2, table->title);
			doc_table(doc, table->column, table->columns)->follows = true;
		}
		title_device(doc, report, before, s);
		before = s;
		table->add(doc, report, s);
	}
}

/*
 * The steady state in one sentence: from when to when, the GPUs in it, its quality and
 * drift.
 */

/* The longest of several; of equal ones the first. NULL: none is listed. */
static const struct interruption *longest_of(const struct steady *s)
{
	const struct interruption *longest = NULL;

	for (size_t i = 0; i < s->interruption_listed; i++)
		if (!longest || s->interruption[i].seconds > longest->seconds)
			longest = &s->interruption[i];
	return longest;
}

/* " after 2 min 30 s in train/checkpoint", " after 40.0 s (not recorded)" */
static void add_place(struct strbuf *text, const struct report *report,
	const struct interruption *interruption)
{
	size_t phase = interruption_phase(report, interruption);

	strbuf_adds(text, " after ");
	quantity_span(text, interruption->start_s);
	if (interruption->silent) {
		strbuf_addf(text, ", %s", interruption_why(interruption));
	} else if (phase != SIZE_MAX) {
		strbuf_adds(text, " in ");
		short_phase(text, report->path[phase].path);
	}
}

static void add_interruptions(
	struct strbuf *text, const struct report *report, const struct steady *s)
{
	const struct interruption *longest = longest_of(s);
	bool one = s->interruptions == 1;

	if (!s->interruptions)
		return;
	strbuf_adds(text, "; ");
	quantity_count(text, s->interruptions);
	strbuf_adds(text, one ? " interruption of " : " interruptions of ");
	quantity_span(text, s->interrupted_s);
	if (!longest)
		return;
	if (!one) {
		strbuf_adds(text, ", the longest ");
		quantity_span(text, longest->seconds);
	}
	add_place(text, report, longest);
}

/* The GPU in which a metric drifts most; NULL: in none. gpus: in how many it does. */
static const struct drift *worst_of(
	const struct steady *s, enum metric_id metric, size_t *gpus)
{
	const struct drift *worst = NULL;

	*gpus = 0;
	for (size_t i = 0; i < s->drift_count; i++) {
		const struct drift *drift = &s->drift[i];

		if (drift->metric != metric || drift->change == 0)
			continue;
		++*gpus;
		if (!worst || fabs(drift->change) > fabs(worst->change))
			worst = drift;
	}
	return worst;
}

/* "; but over it power falls by 16.7 % (gpu0), SM clock by up to 17.6 % (4 GPUs)" */
static void add_drifts(struct strbuf *text, const struct report *report)
{
	const struct steady *s = &report->steady;
	bool any = false;

	for (size_t i = 0; i < s->drift_count; i++) {
		enum metric_id metric = s->drift[i].metric;
		const struct drift *worst;
		size_t gpus;

		if (i && s->drift[i - 1].metric == metric)
			continue;
		worst = worst_of(s, metric, &gpus);
		if (!worst)
			continue;
		strbuf_adds(text, any ? ", " : "; but over it ");
		any = true;
		strbuf_addf(text, "%s %s by %s", metric_get(metric)->title,
			worst->change < 0 ? "falls" : "rises", gpus > 1 ? "up to " : "");
		quantity_ratio(text, fabs(worst->change));
		if (gpus > 1)
			strbuf_addf(text, " (%zu GPUs)", gpus);
		else
			strbuf_addf(
				text, " (%s)", report->run->device[worst->device].name);
	}
}

/* Less than is printed is none. */
#define INSTANT_S 0.05

static void add_instant(struct strbuf *text, double seconds)
{
	if (fabs(seconds) < INSTANT_S)
		strbuf_adds(text, "start");
	else
		quantity_span(text, seconds);
}

static void add_warm_up(struct strbuf *text, double seconds)
{
	if (seconds < INSTANT_S) {
		strbuf_adds(text, " (no warm-up");
		return;
	}
	strbuf_adds(text, " (warm-up ");
	quantity_span(text, seconds);
}

/* " (guessed)" */
static void add_doubt_of(
	struct strbuf *text, const struct report *report, enum summary_key key)
{
	struct strbuf why = strbuf_new();

	if (doubt_of_values(&why, report, key))
		strbuf_addf(text, " (%s)", why.text);
	strbuf_release(&why);
}

/* " (73.3 % recorded)" */
static void add_recorded(struct strbuf *text, const struct steady *s)
{
	if (!(s->coverage < 0.9995))
		return;
	strbuf_adds(text, " (");
	quantity_ratio(text, s->coverage);
	strbuf_adds(text, " recorded)");
}

/* " (warm-up 14.0 s; 1 interruption of 8.0 s)" */
static void add_quality(struct strbuf *text, const struct report *report)
{
	const struct steady *s = &report->steady;

	add_warm_up(text, s->warm_up_s);
	add_interruptions(text, report, s);
	strbuf_addc(text, ')');
}

/* Runs of so many seconds are expected to have one. */
#define STEADY_EXPECTED_S 60

/* Where none was found, nothing on a terminal or of a short run without -v. */
void doc_steady(struct doc *doc, const struct report *report, bool all)
{
	const struct steady *s = &report->steady;
	bool expected = all || (!doc->brief && report->duration_s >= STEADY_EXPECTED_S);
	struct strbuf *text;

	if (!s->found && (!expected || s->source == SOURCE_NONE))
		return;
	text = doc_field(doc, "Steady state");
	if (!s->found) {
		strbuf_addf(text, "not found: %s", s->why_not);
	} else {
		strbuf_adds(text, steady_slows(s) ? "in use only, " : "");
		add_instant(text, s->from_s);
		strbuf_adds(text, " to ");
		if (s->to_ns == report->ended_ns)
			strbuf_adds(text, "end");
		else
			quantity_span(text, s->to_s);
		add_recorded(text, s);
		if (!isnan(s->gpu_util_mean_pct)) {
			strbuf_adds(text, ": GPU ");
			quantity_number(text, s->gpu_util_mean_pct, 1);
			strbuf_adds(text, " % busy");
			add_doubt_of(text, report, KEY(gpu_util_mean_pct));
		}
		if (!isnan(s->power_total_mean_w)) {
			strbuf_adds(
				text, isnan(s->gpu_util_mean_pct) ? ": power " : ", ");
			quantity_number(text, s->power_total_mean_w, 1);
			strbuf_adds(text, " W");
			add_doubt_of(text, report, KEY(power_total_mean_w));
		}
		if (all)
			add_quality(text, report);
		add_drifts(text, report);
	}
}

/* What is all of it when it is printed to a tenth of a per cent. */
bool doc_energy_is_partial(double energy_j, double coverage)
{
	return !isnan(energy_j) && coverage < 0.9995;
}

void doc_energy_coverage(struct doc *doc, double energy_j, double coverage)
{
	if (isnan(energy_j))
		doc_blank(doc);
	else
		doc_number(doc, 100 * coverage, 1);
}

const char *doc_header_read_as(const struct run *run, const char *file)
{
	for (size_t i = 0; i < run->diags.count; i++) {
		const struct diag *diag = &run->diags.at[i];
		const char *colon = strstr(diag->text, ": ");

		if (colon && (!file || strcmp(file, diag->file) == 0) &&
			(strcmp(diag->id, "guessed-names") == 0 ||
				strcmp(diag->id, "named-header") == 0 ||
				strcmp(diag->id, "mapped-header") == 0))
			return colon + 2;
	}
	return NULL;
}

const char *doc_source(const struct run *run, enum source_kind source)
{
	bool tables = false, others = false;

	for (size_t i = 0; i < run->file_count; i++) {
		const struct run_file *file = &run->file[i];
		bool is = file->kind == source && file->rows;
		bool read = is && doc_header_read_as(run, file->path);

		tables |= read;
		others |= is && !read;
	}
	return tables && !others ? "table" : source_name(source);
}
