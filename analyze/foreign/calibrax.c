/*
 * calibrax's object (its ResourceSummary's to_dict() as Python's json.dumps prints it),
 * one line a run: plain means over all rows, and what an absent source leaves. Such an
 * object, also within the result of a benchmark, is read as totals of a run.
 */
#include <stdlib.h>

#include "foreign/records.h"
#include "foreign/shared.h"

static const enum source_kind memory[] = {
	SOURCE_PROCESS_TREE, SOURCE_GPU_TRACKER, SOURCE_HOST_TABLE, SOURCE_NONE};
static const enum source_kind gpus[] = {
	SOURCE_NVIDIA_QUERY, SOURCE_NVIDIA_DMON, SOURCE_NONE};
static const enum source_kind none[] = {SOURCE_NONE};

static const struct tool_key keys[] = {
	{"peak_rss_mb", STATISTIC_MAX, METRIC_rss_mib, memory, OMIT_ZERO},
	{"mean_rss_mb", STATISTIC_POOLED_MEAN, METRIC_rss_mib, memory, OMIT_ZERO},
	{"peak_gpu_mem_mb", STATISTIC_MAX, METRIC_mem_used_mib, gpus, OMIT_EMPTY},
	{"mean_gpu_util", STATISTIC_POOLED_MEAN, METRIC_gpu_util_pct, gpus, OMIT_EMPTY},
	{"memory_growth_mb", STATISTIC_GROWTH, METRIC_rss_mib, memory, OMIT_ZERO},
	{"num_samples", STATISTIC_SAMPLES, METRIC_none, none, OMIT_ZERO},
	{"duration_sec", STATISTIC_SPAN, METRIC_none, none, OMIT_ZERO},
	{"mean_gpu_clock_mhz", STATISTIC_POOLED_MEAN, METRIC_sm_clock_mhz, gpus,
		OMIT_ABSENT},
	{"mean_gpu_power_w", STATISTIC_POOLED_MEAN, METRIC_power_w, gpus, OMIT_ABSENT},
};

/* As totals they have the names of our summary. Of one GPU alone, the peak is that of
 * all. */
static const char *const total_key[][2] = {{"rss_peak_mib"}, {"rss_mean_mib"},
	{"peak_vram_mib", "peak_vram_total_mib"}, {"gpu_util_mean_pct"},
	{"rss_growth_mib"}, {"num_samples"}, {"duration_sec"}, {"sm_clock_mean_mhz"},
	{"power_mean_w"}};

_Static_assert(sizeof total_key / sizeof total_key[0] == sizeof keys / sizeof keys[0],
	"each key has a name as a total");

/* Its results: a summary of resources, or the result of a benchmark that has one. */

static int bid(const struct probe *probe)
{
	static const char *const summary[] = {"peak_rss_mb", "mean_rss_mb",
		"memory_growth_mb", "num_samples", "duration_sec", NULL};
	static const char *const result[] = {
		"domain", "tags", "timing", "wall_clock_sec", "per_batch_times", NULL};

	if (!probe->count || probe->sqlite || !span_begins(probe->line[0], "{"))
		return 0;
	return probe_has_members(probe, summary) || probe_has_members(probe, result) ? 75
										     : 0;
}

/* False: it is missing or null, or that it is no such number was said. */
static bool take_number(struct log *log, const struct json_line *json, const char *path,
	bool signs, struct span *value)
{
	int64_t parts;

	*value = json_line_find(json, path);
	if (!value->len || span_is(*value, "null"))
		return false;
	if (number_scaled(*value, NS_PER_S, &parts) && (signs || parts >= 0))
		return true;
	log_note(log, true, "bad-value", span_of(path),
		"invalid value '%s' for %s, expected a number%s (ignored)",
		log_quote(*value).text, path, signs ? "" : " from 0 on");
	return false;
}

/* In ns; -1: the result doesn't say it. */
static int64_t time_of(struct log *log, const struct json_line *json, const char *path)
{
	struct span value;
	int64_t t_ns;

	return take_number(log, json, path, false, &value) &&
			number_scaled(value, NS_PER_S, &t_ns)
		? t_ns
		: -1;
}

/* The totals as a JSON object; a summary without a sample has only zeros, and no totals.
 */
static char *totals_of(struct log *log, const struct json_line *json, const char *within)
{
	struct strbuf sb = strbuf_new();
	char path[64];
	struct span value;

	snprintf(path, sizeof path, "%snum_samples", within);
	if (span_is(json_line_find(json, path), "0"))
		log_note(log, true, "bad-value", span_of(path),
			"%s is 0: the monitor had no samples (its numbers are unknown)",
			path);
	else
		for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
			snprintf(path, sizeof path, "%s%s", within, keys[i].key);
			if (!take_number(log, json, path,
				    keys[i].statistic == STATISTIC_GROWTH, &value))
				continue;
			for (int k = 0; k < 2 && total_key[i][k]; k++)
				strbuf_addf(&sb, "%s\"%s\": %.*s", sb.len ? ", " : "{",
					total_key[i][k], (int)value.len, value.at);
		}
	strbuf_adds(&sb, sb.len ? "}" : "{}");
	return strbuf_detach(&sb);
}

/* The time of a result is that of its end. */
static void take_result(struct log *log, const struct json_line *json)
{
	const char *within = json_line_find(json, "peak_rss_mb").len ? "" : "resources.";
	int64_t end_ns = time_of(log, json, "timestamp");
	int64_t length_ns =
		time_of(log, json, *within ? "resources.duration_sec" : "duration_sec");
	char *name = json_text(json_line_find(json, "name"));
	struct event *event;

	if (length_ns <= 0)
		length_ns = time_of(log, json, "timing.wall_clock_sec");
	if (length_ns <= 0)
		log_note(log, true, "bad-value", SPAN_NONE,
			"the result has no duration (the run's duration is unknown)");
	length_ns = length_ns < 0 ? 0 : length_ns;
	if (end_ns < length_ns) {
		log_note(log, false, "no-date", SPAN_NONE,
			"the result has no time of the day; 1970-01-01 is used");
		end_ns = length_ns;
	}
	event = run_add_event(log->run);
	event->at = log_place(log);
	event->type = EVENT_PHASE;
	event->t_ns = end_ns - length_ns;
	event->end_ns = end_ns;
	event->type_name = run_keep(log->run, EVENT_TOTALS);
	event->name = run_keep(log->run, name && *name ? name : "calibrax");
	event->extras = run_keep_and_free(log->run, totals_of(log, json, within));
	log->file->rows++;
	free(name);
}

static void survey(struct log *log)
{
	struct json_line json = {0};
	struct strbuf text = strbuf_new();

	if (run_totals(log->run))
		log_refuse(log, "other-run",
			"another result of calibrax was read before (file ignored)");
	else if (json_document(log, &json, &text, "the result of calibrax"))
		take_result(log, &json);
	json_line_release(&json);
	strbuf_release(&text);
}

const struct format format_calibrax = {
	.kind = SOURCE_CALIBRAX, .bid = bid, .survey = survey};

/* How many samples the tool would have taken, and how long it would have watched. */
static double watched(const struct levels *levels, enum tool_statistic statistic)
{
	const struct level_sum *rss = levels_value(levels, LEVEL_MAIN, LEVEL_MEMORY);
	const struct level_sum *table =
		&levels->log[JUMPER_PROCESS][SOURCE_HOST_TABLE].of[LEVEL_MEMORY];
	uint64_t n;
	int128 span_ns;

	rss = rss ? rss : table;
	n = rss->n;
	span_ns = (int128)rss->last_ns - rss->first_ns;

	for (size_t i = 0; gpus[i] != SOURCE_NONE && !n; i++) {
		const struct level_log *log = &levels->log[JUMPER_SYSTEM][gpus[i]];

		n = log->rows;
		span_ns = (int128)log->last_ns - log->first_ns;
	}
	if (statistic == STATISTIC_SAMPLES || !n)
		return (double)n;
	return number_ratio(span_ns, NS_PER_S);
}

static double number_of(const struct report *report, const struct levels *levels,
	const struct tool_key *key)
{
	switch (key->statistic) {
	case STATISTIC_SAMPLES:
	case STATISTIC_SPAN:
		return watched(levels, key->statistic);
	case STATISTIC_MAX:
		if (key->metric == METRIC_rss_mib)
			return peak_of(report, "main", key_number(report, key));
		break;
	case STATISTIC_POOLED_MEAN:
	case STATISTIC_GROWTH:
	case STATISTIC_EVENT_JAX_PEAK:
		break;
	}
	return key_number(report, key);
}

static void make_object(
	struct aggregate *agg, struct report *report, const struct tool_options *asked)
{
	const struct levels *levels = levels_finish(agg);
	const struct event *totals =
		report->windowed || watched(levels, STATISTIC_SAMPLES) > 0
		? NULL
		: run_totals(report->run);

	(void)asked;
	object_make(report);
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		double number = number_of(report, levels, &keys[i]);

		if (totals)
			(void)event_number(totals, total_key[i][0], &number);
		key_add(report, &keys[i], number);
	}
}

static int write_json(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err)
{
	(void)opt;
	return item_json_lines(in, "calibrax", -1, out, err);
}

static const struct render_format format = {.name = "calibrax",
	.help = "calibrax's own object, one per line",
	.write = write_json,
	.tool = &tool_calibrax};

const struct tool tool_calibrax = {.format = &format,
	.format_count = 1,
	.pass = {.begin = levels_begin, LEVELS_PASS},
	.report = make_object};
