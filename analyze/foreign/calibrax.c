/*
 * calibrax's object (its ResourceSummary's to_dict() as Python's json.dumps prints it),
 * one line a run: plain means over all rows, and what an absent source leaves. Such an
 * object, also within the result of a benchmark, is read as totals of a run.
 *
 * Its Run is a suite: points of one name and tags, with metrics that say their unit and
 * direction. It is read, and written.
 */
#include <stdlib.h>

#include <cjson/cJSON.h>

#include "base/alloc.h"
#include "foreign/records.h"
#include "foreign/shared.h"
#include "model/measure.h"

static const enum source_kind memory[] = {
	SOURCE_PROCESS_TREE, SOURCE_GPU_TRACKER, SOURCE_HOST_TABLE, SOURCE_NONE};
static const enum source_kind none[] = {SOURCE_NONE};

static const struct tool_key keys[] = {
	{"peak_rss_mb", STATISTIC_MAX, METRIC_rss_mib, memory, OMIT_ZERO},
	{"mean_rss_mb", STATISTIC_POOLED_MEAN, METRIC_rss_mib, memory, OMIT_ZERO},
	{"peak_gpu_mem_mb", STATISTIC_MAX, METRIC_mem_used_mib, gpu_sources, OMIT_EMPTY},
	{"mean_gpu_util", STATISTIC_POOLED_MEAN, METRIC_gpu_util_pct, gpu_sources,
		OMIT_EMPTY},
	{"memory_growth_mb", STATISTIC_GROWTH, METRIC_rss_mib, memory, OMIT_ZERO},
	{"num_samples", STATISTIC_SAMPLES, METRIC_none, none, OMIT_ZERO},
	{"duration_sec", STATISTIC_SPAN, METRIC_none, none, OMIT_ZERO},
	{"mean_gpu_clock_mhz", STATISTIC_POOLED_MEAN, METRIC_sm_clock_mhz, gpu_sources,
		OMIT_ABSENT},
	{"mean_gpu_power_w", STATISTIC_POOLED_MEAN, METRIC_power_w, gpu_sources,
		OMIT_ABSENT},
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

	static const char *const run[] = {
		"timestamp", "metric_defs", "points", "scenario", "metrics", NULL};

	if (!probe->count || probe->sqlite || !span_begins(probe->line[0], "{"))
		return 0;
	return probe_has_members(probe, summary) || probe_has_members(probe, result) ||
			probe_has_members(probe, run)
		? 75
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

/* A Run: each metric of a point that says a rate is work, each time a phase. */

/* Of the point that a written run has for itself: its numbers are totals. */
#define OUR_SCENARIO "hwsummarize"

struct suite {
	struct log *log;
	const cJSON *defs; /* of metrics, by their names */
	int64_t from_ns; /* where the next phase begins */
	struct strbuf totals, unused; /* JSON members; names of metrics, separated */
};

static const char *text_of(const cJSON *object, const char *key)
{
	const char *text =
		cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));

	return text ? text : "";
}

/* "matmul framework=jax throughput" */
static char *name_metric(const cJSON *point, const char *metric)
{
	struct strbuf sb = strbuf_new();
	const cJSON *tag;

	strbuf_adds(&sb, text_of(point, "name"));
	cJSON_ArrayForEach(tag,
		cJSON_GetObjectItemCaseSensitive(point, "tags")) if (cJSON_IsString(tag))
		strbuf_addf(&sb, " %s=%s", tag->string, tag->valuestring);
	strbuf_addf(&sb, " %s", metric);
	return strbuf_detach(&sb);
}

/* Nanoseconds in a unit of time; 0: it is none. */
static double ns_of_unit(const char *unit)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"s", 1e9}, {"sec", 1e9}, {"seconds", 1e9}, {"ms", 1e6}, {"us", 1e3},
		{"ns", 1}, {"min", 60e9}, {"h", 3600e9}};

	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (strcmp(unit, units[i].name) == 0)
			return units[i].ns;
	return 0;
}

static bool ends_in(const char *text, const char *end)
{
	size_t len = strlen(text), tail = strlen(end);

	return len >= tail && strcmp(text + len - tail, end) == 0;
}

static struct event *add_metric(struct suite *s, const cJSON *point, const char *metric)
{
	struct event *event = run_add_event(s->log->run);
	char *name = name_metric(point, metric);

	event->at = log_place(s->log);
	event->type_name = run_keep(s->log->run, "benchmark");
	event->name = run_keep(s->log->run, name);
	s->log->file->rows++;
	free(name);
	return event;
}

/* Of calibrax's names and ours; NULL: no total of a run is called so. */
static const char *total_of(const char *metric)
{
	enum summary_key key = summary_key_find(span_of(metric));

	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
		if (strcmp(metric, keys[i].key) == 0)
			return total_key[i][0];
	return key == SUMMARY_COUNT ? NULL : summary_field_get(key)->name;
}

/* single: what the point says is of the whole run. */
static void take_metric(
	struct suite *s, const cJSON *point, const cJSON *metric, bool single)
{
	bool ours = strcmp(text_of(point, "scenario"), OUR_SCENARIO) == 0;
	const cJSON *def = cJSON_GetObjectItemCaseSensitive(s->defs, metric->string);
	const cJSON *value = cJSON_GetObjectItemCaseSensitive(metric, "value");
	const char *unit = text_of(def, "unit"), *better = text_of(def, "direction");
	const char *total = single || ours ? total_of(metric->string) : NULL;
	double ns = ns_of_unit(unit), number = cJSON_GetNumberValue(value);
	struct strbuf text = strbuf_new(), extras = strbuf_new();
	struct event *event;

	python_float(&text, number);
	if (!isfinite(number)) {
		log_note(s->log, true, "bad-value", span_of(metric->string),
			"metric '%s' has no numeric value (ignored)",
			log_quote(span_of(metric->string)).text);
	} else if (ours && !total) {
		; /* as of the steady state */
	} else if (total) {
		strbuf_addf(&s->totals, "%s\"%s\": %s", s->totals.len ? ", " : "{", total,
			text.text);
	} else if ((ends_in(unit, "/s") ||
			   (!*unit && ends_in(metric->string, "throughput"))) &&
		strcmp(better, "lower") != 0) {
		event = add_metric(s, point, metric->string);
		event->type = EVENT_POINT;
		event->t_ns = s->from_ns;
		strbuf_addf(&extras, "{\"units_per_s\": %s}", text.text);
		event->extras = run_keep(s->log->run, extras.text);
	} else if (ns > 0 && number >= 0 && number * ns < 1e15 &&
		strcmp(better, "higher") != 0) {
		event = add_metric(s, point, metric->string);
		event->type = EVENT_PHASE;
		event->t_ns = s->from_ns;
		event->end_ns = s->from_ns += llround(number * ns);
	} else {
		strbuf_addf(&s->unused, "%s%s", s->unused.len ? ", " : "",
			log_quote(span_of(metric->string)).text);
	}
	strbuf_release(&text);
	strbuf_release(&extras);
}

static void label(struct log *log, const char *key, const char *value)
{
	if (*value && label_is_key(span_of(key)) && label_is_value(span_of(value)))
		label_set(&log->run->labels, span_of(key), span_of(value), false);
}

static void take_points(struct suite *s, const cJSON *points)
{
	bool single = cJSON_GetArraySize(points) == 1;
	const cJSON *point, *metric, *tag;

	cJSON_ArrayForEach(point, points)
	{
		cJSON_ArrayForEach(metric,
			cJSON_GetObjectItemCaseSensitive(point, "metrics")) take_metric(s,
			point, metric,
			single || strcmp(text_of(point, "scenario"), OUR_SCENARIO) == 0);
		cJSON_ArrayForEach(tag,
			cJSON_GetObjectItemCaseSensitive(point, "tags")) if (single &&
			cJSON_IsString(tag)) label(s->log, tag->string, tag->valuestring);
	}
}

static void take_run(struct log *log, const cJSON *json)
{
	struct suite s = {.log = log,
		.defs = cJSON_GetObjectItemCaseSensitive(json, "metric_defs"),
		.totals = strbuf_new(),
		.unused = strbuf_new()};
	const char *at = text_of(json, "timestamp");
	struct event *event;

	if (!log_time(log, span_of(at), &s.from_ns) || s.from_ns < 0) {
		log_note(log, false, "no-date", SPAN_NONE,
			"the run has no time of the day; 1970-01-01 is used");
		s.from_ns = 0;
	}
	label(log, "commit", text_of(json, "commit"));
	label(log, "branch", text_of(json, "branch"));
	take_points(&s, cJSON_GetObjectItemCaseSensitive(json, "points"));
	event = run_add_event(log->run);
	event->at = log_place(log);
	event->type = EVENT_POINT;
	event->t_ns = s.from_ns;
	event->type_name = run_keep(log->run, EVENT_TOTALS);
	strbuf_adds(&s.totals, s.totals.len ? "}" : "{}");
	event->extras = run_keep_and_free(log->run, strbuf_detach(&s.totals));
	log->file->rows++;
	if (s.unused.len)
		log_note(log, false, "unknown-column", SPAN_NONE,
			"metrics without a rate, a time or a number of the summary are "
			"not read: %s",
			s.unused.text);
	strbuf_release(&s.unused);
}

static void survey(struct log *log)
{
	struct json_line json = {0};
	struct strbuf text = strbuf_new();

	if (run_totals(log->run))
		log_refuse(log, "other-run",
			"another result of calibrax was read before (file ignored)");
	else if (json_document(log, &json, &text, "the result of calibrax")) {
		bool suite = json_line_find(&json, "points").len > 0;
		cJSON *run = suite ? cJSON_Parse(text.text) : NULL;

		if (run)
			take_run(log, run);
		else if (suite)
			log_refuse(log, "bad-json",
				"the run of calibrax is not valid JSON (file ignored)");
		else
			take_result(log, &json);
		cJSON_Delete(run);
	}
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

	for (size_t i = 0; gpu_sources[i] != SOURCE_NONE && !n; i++) {
		const struct level_log *log = &levels->log[JUMPER_SYSTEM][gpu_sources[i]];

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

/* The Run of a report: a point for the run, one for each phase and kind of work. */

struct writing {
	struct json_writer w;
	const struct report *report;
	bool defining; /* the definitions of metrics, else the points */
	bool open; /* a point is, of these: */
	enum measure_part part;
	const char *phase, *work;
	const char **key; /* [count] that are defined; owned */
	size_t count, cap;
};

/* A key has one meaning in a Run. Numbers of single devices are left to other formats. */
static bool is_written(const struct measure *m, double value)
{
	return isfinite(value) && m->part != MEASURE_METRIC &&
		!(m->part == MEASURE_WORK && !m->outcome);
}

static void write_key(char key[64], const struct measure *m)
{
	snprintf(key, 64, "%s%s", m->part == MEASURE_STEADY ? "steady_" : "", m->key);
}

static bool is_defined(const struct writing *to, const struct measure *m)
{
	for (size_t i = 0; m->part != MEASURE_STEADY && i < to->count; i++)
		if (strcmp(to->key[i], m->key) == 0)
			return true;
	return false;
}

static void define(struct writing *to, const struct measure *m, const char *key)
{
	static const char *const direction[] = {[BETTER_HIGHER] = "higher",
		[BETTER_LOWER] = "lower",
		[BETTER_NEITHER] = "info"};
	struct strbuf title = strbuf_new();

	if (m->part != MEASURE_STEADY)
		ALLOC_NEXT(to->key, to->count, to->cap) = m->key;
	measure_title(&title, m);
	json_object(&to->w, key);
	json_string(&to->w, "name", key);
	json_string(&to->w, "unit", m->unit);
	json_string(&to->w, "direction", direction[m->better]);
	json_string(&to->w, "group", measure_part_name(m->part));
	json_string(&to->w, "priority", m->outcome ? "primary" : "secondary");
	json_string(&to->w, "description", title.text);
	json_close(&to->w);
	strbuf_release(&title);
}

static void end_point(struct writing *to)
{
	for (int i = 0; to->open && i < 2; i++)
		json_close(&to->w);
	to->open = false;
}

static void begin_point(struct writing *to, const struct measure *m)
{
	const struct run *run = to->report->run;
	const char *name = m->phase ? m->phase : m->work ? m->work : "run";

	end_point(to);
	to->open = true;
	to->part = m->part == MEASURE_STEADY ? MEASURE_SUMMARY : m->part;
	to->phase = m->phase;
	to->work = m->work;
	json_object(&to->w, NULL);
	json_string(&to->w, "name", name);
	json_string(&to->w, "scenario",
		m->phase || m->work ? measure_part_name(m->part) : OUR_SCENARIO);
	json_object(&to->w, "tags");
	/* The peer compares points of the same name and tags. */
	for (size_t i = 0; i < run->labels.count; i++)
		if (strcmp(run->labels.at[i].key, "commit") != 0 &&
			strcmp(run->labels.at[i].key, "branch") != 0)
			json_string(
				&to->w, run->labels.at[i].key, run->labels.at[i].value);
	json_close(&to->w);
	json_object(&to->w, "metrics");
}

static void write_measure(void *context, const struct measure *m, double value,
	const struct covered *covered)
{
	struct writing *to = context;
	enum measure_part part = m->part == MEASURE_STEADY ? MEASURE_SUMMARY : m->part;
	char key[64];

	(void)covered;
	if (!is_written(m, value))
		return;
	write_key(key, m);
	if (to->defining) {
		if (!is_defined(to, m))
			define(to, m, key);
		return;
	}
	if (!to->open || to->part != part || to->phase != m->phase || to->work != m->work)
		begin_point(to, m);
	json_object(&to->w, key);
	json_number(&to->w, "value", value);
	json_close(&to->w);
}

static void write_report(struct writing *to)
{
	const struct run *run = to->report->run;
	const struct label *commit = label_find(&run->labels, "commit");
	const struct label *branch = label_find(&run->labels, "branch");
	int64_t t_ns = to->report->started_ns;
	char id[32];

	/* It is the name of a file there. */
	snprintf(id, sizeof id, "%016llx",
		(unsigned long long)span_hash(span_of(run->key), SPAN_HASH));
	json_object(&to->w, NULL);
	json_string(&to->w, "id", run->run_id ? run->run_id : id);
	json_time(&to->w, "timestamp", t_ns == TIME_NONE ? 0 : t_ns); /* no null there */
	json_string(&to->w, "commit", commit ? commit->value : NULL);
	json_string(&to->w, "branch", branch ? branch->value : NULL);
	json_object(&to->w, "environment");
	json_string(&to->w, "hostname", run->host);
	json_close(&to->w);
	json_object(&to->w, "metadata");
	json_string(&to->w, "path", run->path);
	json_close(&to->w);
	json_object(&to->w, "metric_defs");
	to->defining = true;
	measures_of(to->report, write_measure, to);
	json_close(&to->w);
	json_array(&to->w, "points");
	to->defining = false;
	measures_of(to->report, write_measure, to);
	end_point(to);
	json_close(&to->w);
	json_close(&to->w);
	to->count = 0;
}

static int write_run(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err)
{
	struct writing to = {.key = NULL};
	size_t taken = 0;

	(void)opt;
	json_init(&to.w, out, JSON_SPACED);
	while ((to.report = render_take(in, &taken)))
		write_report(&to);
	json_finish(&to.w);
	free(to.key);
	return render_check(out, "calibrax-run", err);
}

static const struct render_format formats[] = {
	{.name = "calibrax",
		.help = "calibrax's own object, one per line",
		.write = write_json,
		.tool = &tool_calibrax},
	{.name = "calibrax-run",
		.help = "a run as calibrax's Run, one per line",
		.write = write_run,
		.omits = true,
		.tool = &tool_calibrax},
};

const struct tool tool_calibrax = {.format = formats,
	.format_count = sizeof formats / sizeof formats[0],
	.pass = {.begin = levels_begin, LEVELS_PASS},
	.report = make_object};
