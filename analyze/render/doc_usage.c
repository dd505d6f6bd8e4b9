/*
 * What a run used, as tables. The layouts below say which number stands where; names,
 * units and decimals come from schema/summary.def and schema/metrics.def. Must not
 * compute: a bar draws two numbers that stand beside it.
 */
#include <math.h>
#include <string.h>

#include "base/quantity.h"
#include "model/report.h"
#include "render/doc_run.h"
#include "render/short_name.h"

/* A line of the summary: up to three numbers of one unit. */
struct usage_row {
	const char *label, *label_of_many; /* the latter where there are several GPUs */
	enum summary_key mean, max, of; /* SUMMARY_COUNT: no such number */
	enum {
		SHOW_ALWAYS,
		SHOW_KNOWN,
		SHOW_MANY
	} show;
};

#define KNOWN_MIN 0.98 /* what grade A asks of coverage */
#define NO	  SUMMARY_COUNT
#define KEY(name) SUMMARY_##name

/* Groups end with a row without label; one in which nothing is known is left out. */
static const struct usage_row usage_rows[] = {
	{"GPU utilisation", NULL, KEY(gpu_util_mean_pct), KEY(gpu_util_max_pct), NO,
		SHOW_ALWAYS},
	{"Memory controller", NULL, KEY(mem_util_mean_pct), KEY(mem_util_max_pct), NO,
		SHOW_ALWAYS},
	{"GPU memory", "GPU memory, all", NO, KEY(peak_vram_total_mib),
		KEY(vram_capacity_mib), SHOW_ALWAYS},
	{"GPU memory, one", NULL, NO, KEY(peak_vram_mib), NO, SHOW_MANY},
	{"GPU memory, by JAX", NULL, NO, KEY(jax_peak_mib), NO, SHOW_KNOWN},
	{"GPU power, all", NULL, KEY(power_total_mean_w), NO, NO, SHOW_MANY},
	{"GPU power", "GPU power, one", KEY(power_mean_w), KEY(power_max_w), NO,
		SHOW_ALWAYS},
	{"GPU temperature", NULL, NO, KEY(gpu_temp_max_c), NO, SHOW_ALWAYS},
	{"SM clock", NULL, KEY(sm_clock_mean_mhz), NO, NO, SHOW_ALWAYS},
	{0},
	{"CPU user", NULL, KEY(cpu_usr_mean_pct), NO, NO, SHOW_ALWAYS},
	{"CPU system", NULL, KEY(cpu_sys_mean_pct), NO, NO, SHOW_ALWAYS},
	{"CPU waiting for I/O", NULL, KEY(cpu_iowait_mean_pct), NO, NO, SHOW_ALWAYS},
	{"CPU idle", NULL, KEY(cpu_idle_mean_pct), NO, NO, SHOW_ALWAYS},
	{0},
	{"Host memory", NULL, NO, KEY(ram_peak_mib), KEY(ram_capacity_mib), SHOW_ALWAYS},
	{0},
	{"Resident memory", NULL, KEY(rss_mean_mib), KEY(rss_peak_mib), NO, SHOW_ALWAYS},
	{"Resident, growth", NULL, NO, KEY(rss_growth_mib), NO, SHOW_KNOWN},
	{"Threads", NULL, NO, KEY(threads_max), NO, SHOW_ALWAYS},
	{0},
	{"Read", NULL, NO, KEY(io_read_mib), NO, SHOW_ALWAYS},
	{"Written", NULL, NO, KEY(io_write_mib), NO, SHOW_ALWAYS},
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

/* The group that begins at a row. */
static bool group_known(const struct report *report, const struct usage_row *row)
{
	for (; row->label; row++)
		if (row_known(report, row))
			return true;
	return false;
}

static void add_number(struct doc *doc, const struct report *report, enum summary_key key)
{
	if (key == NO)
		doc_blank(doc);
	else
		doc_number(doc, known(report, key), summary_field_get(key)->decimals);
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
	if (isnan(whole))
		doc_blank(doc);
	else if (row->mean == NO)
		doc_bar(doc, 0, known(report, row->max) / whole, NAN);
	else
		doc_bar(doc, 0, known(report, row->mean) / whole,
			known(report, row->max) / whole);
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

/* Of how many GPUs the energy is known. */
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
	struct strbuf text;

	if (isnan(energy_j)) {
		key = KEY(energy_partial_j);
		energy_j = s[key].number;
	}
	if (isnan(energy_j)) {
		if (gpus && wants(report, KEY(energy_j))) {
			doc_text(doc, summary_field_get(KEY(energy_j))->title);
			doc_text(doc, NULL);
		}
		return;
	}
	strbuf_init(&text);
	quantity_number(&text, energy_j, summary_field_get(key)->decimals);
	strbuf_addf(&text, " %s = ", summary_field_get(key)->unit);
	quantity_number(&text, energy_j / 3600, energy_j < 36000 ? 3 : 1);
	strbuf_adds(&text, " Wh");
	if (key != KEY(energy_j))
		strbuf_addf(&text, " of %zu GPU%s, unknown of %zu", known,
			known == 1 ? "" : "s", gpus - known);
	if (is_mixed)
		add_method(&text, report);
	else if (method)
		strbuf_addf(&text, ", %s", method);
	if (coverage < 1) {
		strbuf_adds(&text, is_mixed ? ", over " : " over ");
		quantity_ratio(&text, coverage);
		strbuf_adds(&text,
			key == KEY(energy_j) ? " of the time" : " of the GPUs' time");
	}
	doc_text(doc, summary_field_get(KEY(energy_j))->title);
	doc_text(doc, text.text);
	strbuf_release(&text);
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
	struct strbuf text;

	strbuf_init(&text);
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
		strbuf_addf(&text, "%s%zu x ", text.len ? ", " : "", same);
		short_name(&text, model ? model : "unknown model");
	}
	add_silent(&text, report);
	if (text.len) {
		doc_text(doc, "GPUs");
		doc_text(doc, text.text);
	}
	strbuf_release(&text);
}

static void add_host(struct doc *doc, const struct report *report)
{
	bool cpus = report_wants_all(report, DEVICE_CPU);
	const char *name = report->run->host;
	const char *model = cpus ? report->run->cpu_model : NULL;
	double count = report->summary[KEY(cpu_count)].number;
	struct strbuf text;

	strbuf_init(&text);
	if (name)
		short_name(&text, name);
	if (!isnan(count))
		strbuf_addf(&text, "%s%.0f CPU%s", text.len ? ", " : "", count,
			count == 1 ? "" : "s");
	if (model) {
		strbuf_adds(&text, text.len ? ", " : "");
		short_name(&text, model);
	}
	if (text.len) {
		doc_text(doc, "Host");
		doc_text(doc, text.text);
	}
	strbuf_clear(&text);
	if (cpus && host_use_limits(&text, report->run)) {
		doc_text(doc, "Limits");
		doc_text(doc, text.text);
	}
	strbuf_release(&text);
}

/* What host.log tells of it. */
static void add_host_use(struct doc *doc, const struct report *report)
{
	static const struct {
		const char *label;
		bool (*say)(struct strbuf *sb, const struct report *report);
	} lines[] = {{"Between samples", host_use_between}, {"Slurm job", host_use_job},
		{"All of its user", host_use_user}, {"Control group", host_use_group},
		{"Disks", host_use_disks}, {"Network", host_use_network},
		{"Threads stalled", host_use_stalls}};
	struct strbuf text;

	strbuf_init(&text);
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		strbuf_clear(&text);
		if (!lines[i].say(&text, report))
			continue;
		doc_text(doc, lines[i].label);
		doc_text(doc, text.text);
	}
	strbuf_release(&text);
}

/* Why there is no utilisation of GPUs that are divided into instances. */
static void add_divided(struct doc *doc, const struct report *report)
{
	const struct device_list *gpus = &report->run->of_kind[DEVICE_GPU];
	struct strbuf text;

	strbuf_init(&text);
	for (size_t i = 0; i < gpus->count; i++)
		if (report_is_divided(report, gpus->at[i]))
			strbuf_addf(&text, "%s%s", text.len ? " " : "of ",
				report->run->device[gpus->at[i]].name);
	if (text.len && wants(report, KEY(gpu_util_mean_pct))) {
		strbuf_adds(&text,
			" is enabled: nvidia-smi does not say how busy such a GPU is");
		doc_text(doc, "MIG");
		doc_text(doc, text.text);
	}
	strbuf_release(&text);
}

/* Numbers that are of less of the time than grade A asks for are said to be so. */
static void add_partly_known(struct strbuf *text, const struct report *report,
	const struct usage_row *row, bool many)
{
	enum summary_key key = row->mean != NO ? row->mean : row->max;
	double share = report_known_share(report, key);

	if (isnan(known(report, key)) || !(share < KNOWN_MIN))
		return;
	strbuf_addf(text, "%s%s for ", text->len ? ", " : "",
		many && row->label_of_many ? row->label_of_many : row->label);
	quantity_ratio(text, share);
}

void doc_usage(struct doc *doc, const struct report *report)
{
	static const struct doc_column columns[] = {
		{"", "", DOC_LEFT, false},
		{"mean", "", DOC_RIGHT, false},
		{"max", "", DOC_RIGHT, false},
		{"of", "", DOC_RIGHT, false},
		{"", "", DOC_LEFT, false},
		{"", "", DOC_BAR, false},
	};
	bool many = report_gpu_count(report) > 1;
	bool group = false, table = false;
	struct strbuf partly;

	strbuf_init(&partly);
	doc_begin(doc, DOC_FIELDS);
	add_host(doc, report);
	add_models(doc, report);
	add_divided(doc, report);
	add_energy(doc, report);
	for (size_t i = 0; i < ROWS; i++) {
		const struct usage_row *row = &usage_rows[i];

		if (!row->label)
			continue;
		if (!i || !usage_rows[i - 1].label)
			group = group_known(report, row);
		if (!group || !wants_row(report, row) ||
			(row->show == SHOW_MANY && !many) ||
			(row->show == SHOW_KNOWN && !row_known(report, row)))
			continue;
		if (!table)
			doc_table(doc, columns, sizeof columns / sizeof columns[0]);
		table = true;
		add_row(doc, report, row, many);
		add_partly_known(&partly, report, row, many);
	}
	doc_begin(doc, DOC_FIELDS);
	add_host_use(doc, report);
	if (partly.len) {
		strbuf_adds(&partly, " of the recorded time");
		doc_text(doc, "Partly known");
		doc_text(doc, partly.text);
	}
	strbuf_release(&partly);
}
