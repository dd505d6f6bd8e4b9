/*
 * Tables of single metrics: the GPUs side by side, and all there is for who asks. Names,
 * units and decimals come from schema/metrics.def. Must not compute.
 */
#include <math.h>

#include "render/doc_run.h"

enum statistic {
	STAT_N,
	STAT_MEAN,
	STAT_MIN,
	STAT_P50,
	STAT_P95,
	STAT_MAX,
	STAT_ENERGY
};

static double statistic_of(const struct metric_stats *s, enum statistic statistic)
{
	switch (statistic) {
	case STAT_N:
		return (double)s->n;
	case STAT_MEAN:
		return s->mean;
	case STAT_MIN:
		return s->min;
	case STAT_P50:
		return s->p50;
	case STAT_P95:
		return s->p95;
	case STAT_MAX:
		return s->max;
	case STAT_ENERGY:
		return s->has_energy ? s->energy_j : NAN;
	}
	return NAN;
}

/* Of the first source that measured it: the query log before dmon. */
static const struct metric_stats *find_stats(
	const struct report *report, size_t device, enum metric_id metric)
{
	for (size_t i = 0; i < report->stats_count; i++) {
		const struct metric_stats *s = &report->stats[i];

		if (s->device == device && s->metric == metric && s->n)
			return s;
	}
	return NULL;
}

void doc_gpus(struct doc *doc, const struct report *report)
{
	static const struct {
		const char *title;
		enum metric_id metric;
		enum statistic statistic;
	} layout[] = {
		{"util mean", METRIC_gpu_util_pct, STAT_MEAN},
		{"util p95", METRIC_gpu_util_pct, STAT_P95},
		{"memory max", METRIC_mem_used_mib, STAT_MAX},
		{"power mean", METRIC_power_w, STAT_MEAN},
		{"energy", METRIC_power_w, STAT_ENERGY},
		{"temp max", METRIC_temp_c, STAT_MAX},
	};
	enum {
		COLUMNS = sizeof layout / sizeof layout[0]
	};
	const struct run *run = report->run;
	struct doc_column columns[COLUMNS + 1] = {{"GPU", "", DOC_LEFT, false}};

	if (run_count_devices(run, DEVICE_GPU) < 2)
		return;
	for (size_t k = 0; k < COLUMNS; k++)
		columns[k + 1] = (struct doc_column){layout[k].title,
			layout[k].statistic == STAT_ENERGY
				? "J"
				: metric_get(layout[k].metric)->unit,
			DOC_RIGHT, false};
	doc_heading(doc, 2, "Each GPU");
	doc_table(doc, columns, COLUMNS + 1)->follows = true;
	for (size_t i = 0; i < run->device_count; i++) {
		if (run->device[i].kind != DEVICE_GPU)
			continue;
		doc_text(doc, run->device[i].name);
		for (size_t k = 0; k < COLUMNS; k++) {
			const struct metric_stats *s =
				find_stats(report, i, layout[k].metric);

			doc_number(doc, s ? statistic_of(s, layout[k].statistic) : NAN,
				layout[k].statistic == STAT_ENERGY
					? 0
					: metric_get(layout[k].metric)->decimals);
		}
	}
}

void doc_metrics(struct doc *doc, const struct report *report)
{
	static const struct doc_column columns[] = {
		{"metric", "", DOC_LEFT, true},
		{"n", "", DOC_RIGHT, false},
		{"mean", "", DOC_RIGHT, false},
		{"min", "", DOC_RIGHT, false},
		{"p50", "", DOC_RIGHT, false},
		{"p95", "", DOC_RIGHT, false},
		{"max", "", DOC_RIGHT, false},
		{"unit", "", DOC_LEFT, false},
	};
	const struct metric_stats *before = NULL;

	if (!report->stats_count)
		return;
	doc_heading(doc, 2, "All metrics");
	doc_table(doc, columns, sizeof columns / sizeof columns[0])->follows = true;
	for (size_t i = 0; i < report->stats_count; i++) {
		const struct metric_stats *s = &report->stats[i];
		const struct metric *metric = metric_get(s->metric);

		if (!before || before->device != s->device ||
			before->source != s->source) {
			struct strbuf title;

			strbuf_init(&title);
			strbuf_addf(&title, "%s (%s)",
				report->run->device[s->device].name,
				source_name(s->source));
			doc_row_title(doc, title.text);
			strbuf_release(&title);
		}
		before = s;
		doc_text(doc, metric->name);
		for (enum statistic k = STAT_N; k <= STAT_MAX; k++)
			doc_number(doc, statistic_of(s, k), k ? metric->decimals : 0);
		doc_text(doc, metric->unit);
	}
}
