/*
 * OpenMetrics 1.0: each summary number is a gauge of the run, the main numbers of each
 * GPU are gauges of the device, in base units. A family is one block for any number of
 * runs; unknown values have no sample. Computes nothing.
 */
#include "render/openmetrics.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "model/coverage.h"
#include "model/metric.h"
#include "render/formats.h"
#include "render/run_names.h"
#include "render/utf8.h"

static const struct base_unit units[] = {
	{"", "", "", 1, 1},
	{"%", "_pct", "ratio", 1, 100},
	{"MiB", "_mib", "bytes", 1048576, 1},
	{"MiB/s", "_mib_s", "bytes_per_second", 1048576, 1},
	{"s", "_s", "seconds", 1, 1},
	{"ms", "_ms", "seconds", 1, 1000},
	{"us", "_us", "seconds", 1, 1000000},
	{"J", "_j", "joules", 1, 1},
	{"W", "_w", "watts", 1, 1},
	{"W/s", "_w_s", "watts_per_second", 1, 1},
	{"V", "_v", "volts", 1, 1},
	{"C", "_c", "celsius", 1, 1},
	{"MHz", "_mhz", "hertz", 1000000, 1},
};

const struct base_unit *base_unit_find(const char *unit)
{
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (strcmp(units[i].unit, unit) == 0)
			return &units[i];
	return NULL;
}

void base_unit_add_stem(struct strbuf *sb, const struct base_unit *unit, const char *id)
{
	size_t n = strlen(id), tail = strlen(unit->suffix);

	if (tail < n && strcmp(id + n - tail, unit->suffix) == 0)
		n -= tail;
	strbuf_add(sb, id, n);
}

struct family {
	struct strbuf name;
	const struct base_unit *unit;
	bool begun; /* its metadata is written, once there is a sample */
};

static const struct device_number {
	enum metric_id metric;
	enum statistic statistic;
} device_numbers[] = {
#define GPU_COLUMN(title, metric, statistic) {METRIC_##metric, STATISTIC_##statistic},
#include "../schema/summary.def"
};

/* Of help and of labels: what stands in one line, between quotes. */
static void add_escaped(struct strbuf *sb, const char *text)
{
	for (; *text; text++)
		if (*text == '\\' || *text == '"')
			strbuf_addf(sb, "\\%c", *text);
		else
			strbuf_addc(sb, *text);
}

/* NULL: unknown, left out. The first label has no comma before it. */
static void add_label(struct strbuf *sb, const char *name, const char *value)
{
	struct strbuf clean;

	if (!value)
		return;
	strbuf_init(&clean);
	utf8_inert_whole(&clean, value); /* there is no escape for controls */
	strbuf_addf(sb, "%s%s=\"", sb->text[sb->len - 1] == '{' ? "" : ",", name);
	add_escaped(sb, clean.text);
	strbuf_addc(sb, '"');
	strbuf_release(&clean);
}

/* A gauge's name may not end as a counter's or a histogram's do: "gpus" for gpu_count. */
static void end_name(struct family *family)
{
	static const char count[] = "_count";
	struct strbuf *name = &family->name;
	size_t tail = sizeof count - 1;

	if (name->len > tail && strcmp(name->text + name->len - tail, count) == 0) {
		name->len -= tail;
		strbuf_addc(name, 's');
	}
	if (*family->unit->name)
		strbuf_addf(name, "_%s", family->unit->name);
}

static void begin_family(struct family *family, const char *prefix, const char *unit)
{
	strbuf_init(&family->name);
	strbuf_addf(&family->name, "hwsummarize_%s", prefix);
	family->unit = base_unit_find(unit);
	family->begun = false;
	assert(family->unit);
}

static void add_metadata(struct strbuf *sb, const char *name, const char *type,
	const char *unit, const char *help)
{
	strbuf_addf(sb, "# TYPE %s %s\n", name, type);
	if (*unit)
		strbuf_addf(sb, "# UNIT %s %s\n", name, unit);
	strbuf_addf(sb, "# HELP %s ", name);
	add_escaped(sb, help);
	strbuf_addc(sb, '\n');
}

static void begin_labels(
	struct strbuf *sb, const char *name, const char *run, const char *host)
{
	strbuf_addf(sb, "%s{", name);
	add_label(sb, "run", run);
	add_label(sb, "host", host);
}

/* A number of a run (gpu: NULL) or a GPU. */
static void add_sample(struct strbuf *sb, struct family *family, const char *help,
	const char *run, const char *host, const char *gpu, double number)
{
	const struct base_unit *unit = family->unit;

	if (!isfinite(number))
		return;
	if (!family->begun)
		add_metadata(sb, family->name.text, "gauge", unit->name, help);
	family->begun = true;
	begin_labels(sb, family->name.text, run, host);
	add_label(sb, "gpu", gpu);
	strbuf_adds(sb, "} ");
	number_print(sb, number * unit->times / unit->over);
	strbuf_addc(sb, '\n');
}

/* What is no number: texts of the summary, the grade, the run's id. */
static void add_info(struct strbuf *sb, const struct render_input *in, char *const *names)
{
	static const char family[] = "hwsummarize_run";

	if (in->report_count)
		add_metadata(sb, family, "info", "", "What a recording is");
	for (size_t i = 0; i < in->report_count; i++) {
		const struct report *report = &in->report[i];

		begin_labels(sb, "hwsummarize_run_info", names[i], report->run->host);
		add_label(sb, "run_id", report->run->run_id);
		add_label(sb, "grade", (const char[2]){report->evidence.grade, '\0'});
		for (enum summary_key key = 0; key < SUMMARY_COUNT; key++)
			if (report->summary[key].kind == VALUE_TEXT)
				add_label(sb, summary_field_get(key)->name,
					report->summary[key].text);
		strbuf_adds(sb, "} 1\n");
	}
}

/* Why numbers of the summary may be wrong. */
static void add_doubts(
	struct strbuf *sb, const struct render_input *in, char *const *names)
{
	static const char family[] = "hwsummarize_run_doubt";
	struct strbuf why = strbuf_new();
	bool begun = false;

	for (size_t i = 0; i < in->report_count; i++) {
		const struct report *report = &in->report[i];

		for (enum summary_key key = 0; key < SUMMARY_COUNT; key++) {
			strbuf_clear(&why);
			if (!doubt_of_key(&why, report, key))
				continue;
			if (!begun)
				add_metadata(sb, family, "info", "",
					"Why a number of a run may be wrong");
			begun = true;
			begin_labels(sb, "hwsummarize_run_doubt_info", names[i],
				report->run->host);
			add_label(sb, "number", summary_field_get(key)->name);
			add_label(sb, "why", why.text);
			strbuf_adds(sb, "} 1\n");
		}
	}
	strbuf_release(&why);
}

static void add_key(struct strbuf *sb, const struct render_input *in, char *const *names,
	enum summary_key key)
{
	const struct summary_field *field = summary_field_get(key);
	struct family family;

	begin_family(&family, "run_", field->unit);
	base_unit_add_stem(&family.name, family.unit, field->name);
	end_name(&family);
	for (size_t i = 0; i < in->report_count; i++) {
		const struct report *report = &in->report[i];

		if (report->summary[key].kind != VALUE_TEXT)
			add_sample(sb, &family, field->title, names[i], report->run->host,
				NULL, report->summary[key].number);
	}
	strbuf_release(&family.name);
}

/* A GPU's energy is that of whatever it was found by. */
static const struct metric_stats *stats_of(
	const struct report *report, uint32_t gpu, const struct device_number *number)
{
	if (number->statistic == STATISTIC_energy_j ||
		number->statistic == STATISTIC_energy_coverage)
		return metric_stats_energy(report->stats, report->stats_count, gpu);
	return metric_stats_best(report->stats, report->stats_count, gpu, number->metric);
}

static void add_gpus(struct strbuf *sb, struct family *family, const char *help,
	const struct report *report, const char *name, const struct device_number *number)
{
	const struct run *run = report->run;
	const struct device_list *gpus = &run->of_kind[DEVICE_GPU];

	for (size_t i = 0; i < gpus->count; i++) {
		const struct device *device = &run->device[gpus->at[i]];
		const struct metric_stats *stats = stats_of(report, gpus->at[i], number);

		if (stats)
			add_sample(sb, family, help, name,
				device->host ? device->host : run->host, device->name,
				statistic_get(stats, number->statistic));
	}
}

static void add_device_number(struct strbuf *sb, const struct render_input *in,
	char *const *names, const struct device_number *number)
{
	const struct metric *metric = metric_get(number->metric);
	const char *own = statistic_unit(number->statistic);
	const char *statistic = statistic_name(number->statistic);
	struct family family;
	struct strbuf help = strbuf_new();

	begin_family(&family, "device_", own ? own : metric->unit);
	base_unit_add_stem(&family.name, base_unit_find(metric->unit), metric->name);
	strbuf_addc(&family.name, '_');
	base_unit_add_stem(&family.name, family.unit, statistic);
	end_name(&family);
	strbuf_addf(&help, "%s of a GPU, %s", metric->title, statistic);
	for (size_t i = 0; i < in->report_count; i++)
		add_gpus(sb, &family, help.text, &in->report[i], names[i], number);
	strbuf_release(&help);
	strbuf_release(&family.name);
}

int openmetrics_write(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err)
{
	char **names = run_names_make(in, 0);
	struct strbuf sb = strbuf_new();

	(void)opt;
	add_info(&sb, in, names);
	add_doubts(&sb, in, names);
	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++)
		add_key(&sb, in, names, key);
	for (size_t i = 0; i < sizeof device_numbers / sizeof device_numbers[0]; i++)
		add_device_number(&sb, in, names, &device_numbers[i]);
	strbuf_adds(&sb, "# EOF\n");
	fwrite(sb.text, 1, sb.len, out);
	strbuf_release(&sb);
	run_names_free(names, in->report_count);
	return render_check(out, "openmetrics", err);
}
