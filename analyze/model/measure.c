/* A walk through the report. */
#include "model/measure.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

const char *measure_part_name(enum measure_part part)
{
	static const char *const name[MEASURE_PARTS] = {
		"summary", "steady", "work", "phase", "metric"};

	return name[part];
}

/* Who takes the numbers. */
struct taker {
	measure_take *take;
	void *context;
};

static void give(const struct taker *to, const struct measure *measure, double value,
	struct covered covered)
{
	to->take(to->context, measure, value, &covered);
}

/* A number that is of no samples. */
static const struct covered whole = {.coverage = NAN};

/* The keys of units of work; their values come in the same order. */
static const struct measure work_row[] = {
	{.key = "units", .unit = "", .better = BETTER_NEITHER},
	{.key = "duration_s",
		.unit = "s",
		.decimals = 1,
		.better = BETTER_NEITHER,
		.total = true},
	{.key = "units_per_s",
		.unit = "1/s",
		.decimals = 3,
		.better = BETTER_HIGHER,
		.outcome = true,
		.decides = DECIDES_TIME},
	{.key = "gpu_s_per_unit", .unit = "s", .decimals = 3, .better = BETTER_LOWER},
	{.key = "energy_j_per_unit",
		.unit = "J",
		.decimals = 1,
		.better = BETTER_LOWER,
		.outcome = true,
		.decides = DECIDES_ENERGY},
	{.key = "gpu_util_mean_pct", .unit = "%", .decimals = 1, .better = BETTER_HIGHER},
};

#define WORK_ENERGY 4 /* from this one on they are of samples */

#define SHARE_DECIMALS 3

#define ROWS(table) (sizeof(table) / sizeof *(table))

/* By the rules of summary.def: is that of a key one of these? */
static bool has_rule(enum summary_key key, const char *const *these, size_t count)
{
	static const char *const rule[SUMMARY_COUNT] = {
#define SUMMARY(key, rule, ...) [SUMMARY_##key] = #rule,
#include "../schema/summary.def"
	};

	for (size_t i = 0; i < count; i++)
		if (strcmp(rule[key], these[i]) == 0)
			return true;
	return false;
}

static bool is_total(enum summary_key key)
{
	static const char *const total[] = {"GPU_ENERGY", "GPU_ENERGY_PARTIAL",
		"HOST_ENERGY", "TREE_RISE", "DURATION"};

	return has_rule(key, total, ROWS(total));
}

static bool is_memory_peak(enum summary_key key)
{
	static const char *const peak[] = {"GPU_PEAK", "GPU_PEAK_TOTAL", "FRAMEWORK_PEAK",
		"HOST_PEAK", "TREE_PEAK", "TREE_MOST"};

	return strcmp(summary_field_get(key)->unit, "MiB") == 0 &&
		has_rule(key, peak, ROWS(peak));
}

/* ... of the GPUs, or of all; that of a part only explains it. */
static bool is_whole_energy(enum summary_key key)
{
	return key == SUMMARY_energy_j || key == SUMMARY_energy_host_j ||
		key == SUMMARY_energy_wall_j;
}

static struct measure field_measure(enum measure_part part, enum summary_key key)
{
	const struct summary_field *field = summary_field_get(key);
	enum decisive decides = part != MEASURE_SUMMARY ? DECIDES_NOTHING
		: key == SUMMARY_duration_s		? DECIDES_TIME
		: is_whole_energy(key)			? DECIDES_ENERGY
							: DECIDES_NOTHING;

	return (struct measure){.part = part,
		.key = field->name,
		.unit = field->unit,
		.decimals = field->decimals,
		.better = field->better,
		.total = is_total(key),
		.headline = true,
		.outcome = decides || (part == MEASURE_SUMMARY && is_memory_peak(key)),
		.decides = decides};
}

static struct measure member_measure(enum measure_part part, const struct member *m)
{
	return (struct measure){.part = part,
		.key = m->name,
		.unit = m->unit,
		.decimals = m->decimals,
		.better = m->better,
		.total = m->total};
}

static void give_summary(const struct taker *to, const struct report *report)
{
	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++) {
		struct measure measure = field_measure(MEASURE_SUMMARY, key);

		if (report->summary[key].kind != VALUE_TEXT)
			give(to, &measure, report->summary[key].number,
				covered_summary(report, key));
	}
}

static void give_steady(const struct taker *to, const struct report *report)
{
	for (const struct member *m = members_of(OF_steady); m->of == OF_steady; m++) {
		struct measure measure = member_measure(MEASURE_STEADY, m);

		measure.headline = true;
		if (m->is_measure)
			give(to, &measure, member_number(m, &report->steady),
				covered_steady(report));
	}
}

static void give_work(
	const struct taker *to, const struct report *report, const struct work *work)
{
	const double value[ROWS(work_row)] = {work->units, work->seconds,
		work->units_per_s, work->gpu_s_per_unit, work->energy_j_per_unit,
		work->gpu_util_mean_pct};
	const struct covered covered[] = {
		covered_work(report, work, true), covered_work(report, work, false)};

	for (size_t i = 0; i < ROWS(work_row); i++) {
		struct measure measure = work_row[i];

		measure.part = MEASURE_WORK;
		measure.work = work->name ? work->name : work->type_name;
		measure.headline = true;
		give(to, &measure, value[i],
			i < WORK_ENERGY ? whole : covered[i - WORK_ENERGY]);
	}
}

/* What of a metric people look at first. */
static bool is_headline(const struct metric_stats *stats, enum statistic statistic)
{
	switch (metric_get(stats->metric)->kind) {
	case KIND_GAUGE:
		return statistic == STATISTIC_mean || statistic == STATISTIC_max;
	case KIND_SHARE:
		return statistic == STATISTIC_mean;
	case KIND_COUNTER:
		return statistic == STATISTIC_increase;
	case KIND_TICKS:
	case KIND_STATE:
	case KIND_FLAGS:
		return false;
	}
	return false;
}

bool measure_statistic_counts(enum statistic statistic)
{
	return statistic != STATISTIC_n && statistic != STATISTIC_missing &&
		statistic != STATISTIC_covered_s && statistic != STATISTIC_resets &&
		statistic != STATISTIC_COUNT;
}

static void give_stats(const struct taker *to, const struct report *report,
	const struct metric_stats *stats, const struct phase_path *path)
{
	double coverage = coverage_of_stats(report, path, stats);
	const struct metric *metric = metric_get(stats->metric);
	struct measure measure = {.part = MEASURE_METRIC,
		.key = metric->name,
		.phase = path ? path->path : NULL,
		.device = report->run->device[stats->device].name,
		.source = source_name(stats->source)};

	for (enum statistic s = 0; s < STATISTIC_COUNT && !stats->state_count; s++) {
		if (!measure_statistic_counts(s))
			continue;
		measure.statistic = statistic_name(s);
		measure.unit = statistic_unit(s) ? statistic_unit(s) : metric->unit;
		measure.decimals = *measure.unit || !*metric->unit ? metric->decimals
								   : SHARE_DECIMALS;
		measure.better = s == STATISTIC_stddev ? BETTER_NEITHER : metric->better;
		measure.total = s == STATISTIC_energy_j || s == STATISTIC_increase;
		measure.headline = is_headline(stats, s);
		give(to, &measure, statistic_get(stats, s),
			covered_statistic(coverage, s));
	}
	for (size_t i = 0; i < stats->state_count; i++) {
		measure.total = false;
		measure.statistic = "share";
		measure.state = stats->state[i].name;
		measure.unit = "";
		measure.decimals = SHARE_DECIMALS;
		measure.better = metric_state_better(stats->metric, stats->state[i].name);
		measure.headline = metric_is_judged(stats->metric);
		give(to, &measure, stats->state[i].share,
			covered_statistic(coverage, STATISTIC_COUNT));
	}
}

static void give_path(const struct taker *to, const struct report *report,
	const struct phase_path *path)
{
	for (const struct member *m = members_of(OF_phase_path); m->of == OF_phase_path;
		m++) {
		struct measure measure = member_measure(MEASURE_PHASE, m);
		const void *at = member_at(m, path);

		measure.phase = path->path;
		measure.headline = at == &path->duration_s ||
			(at == &path->mean_s && path->calls > 1);
		if (m->is_measure)
			give(to, &measure,
				at == &path->calls && path->outside
					? (double)NAN
					: member_number(m, path),
				at == &path->exclusive_energy_j
					? covered_path(report, path, SUMMARY_energy_j)
					: whole);
	}
	for (enum phase_key key = 0; key < PHASE_KEY_COUNT; key++) {
		struct measure measure =
			field_measure(MEASURE_PHASE, phase_key_summary(key));

		measure.phase = path->path;
		measure.headline = phase_key_column(key) != NULL;
		if (path->summary[key].kind != VALUE_TEXT)
			give(to, &measure, path->summary[key].number,
				covered_path(report, path, phase_key_summary(key)));
	}
	for (size_t i = 0; i < path->stats_count; i++)
		give_stats(to, report, &path->stats[i], path);
}

void measures_of(const struct report *report, measure_take *take, void *context)
{
	const struct taker to = {take, context};

	give_summary(&to, report);
	give_steady(&to, report);
	for (size_t i = 0; i < report->work_count; i++)
		give_work(&to, report, &report->work[i]);
	for (size_t i = 0; i < report->path_count; i++)
		give_path(&to, report, &report->path[i]);
	for (size_t i = 0; i < report->stats_count; i++)
		give_stats(&to, report, &report->stats[i], NULL);
}

/* Of the keys of summary those that are numbers. */
static const char *summary_key(size_t nth)
{
	for (enum summary_key k = 0; k < SUMMARY_COUNT; k++)
		if (k != SUMMARY_energy_method && k != SUMMARY_framework_peaks &&
			nth-- == 0)
			return summary_field_get(k)->name;
	return NULL;
}

/* The nth measure of a struct; NULL: it has fewer, *nth of which are counted off. */
static const char *member_key(enum member_of of, size_t *nth)
{
	for (const struct member *m = members_of(of); m->of == of; m++)
		if (m->is_measure && (*nth)-- == 0)
			return m->name;
	return NULL;
}

static const char *phase_key(size_t nth)
{
	const char *key = member_key(OF_phase_path, &nth);

	if (key)
		return key;
	for (enum phase_key k = 0; k < PHASE_KEY_COUNT; k++)
		if (phase_key_summary(k) != SUMMARY_energy_method && nth-- == 0)
			return summary_field_get(phase_key_summary(k))->name;
	return NULL;
}

const char *measure_part_key(enum measure_part part, size_t nth)
{
	switch (part) {
	case MEASURE_SUMMARY:
		return summary_key(nth);
	case MEASURE_STEADY:
		return member_key(OF_steady, &nth);
	case MEASURE_WORK:
		return nth < ROWS(work_row) ? work_row[nth].key : NULL;
	case MEASURE_PHASE:
		return phase_key(nth);
	case MEASURE_METRIC:
		return nth < METRIC_COUNT ? metric_get((enum metric_id)nth)->name : NULL;
	case MEASURE_PARTS:
		break;
	}
	return NULL;
}

bool measure_part_has(enum measure_part part, const char *key)
{
	const char *known;

	for (size_t i = 0; (known = measure_part_key(part, i)); i++)
		if (strcmp(known, key) == 0)
			return true;
	return false;
}

#define NAMES 7

/* What tells one measure of a part from another; NULL: it has none of it. */
static void names_of(const struct measure *measure, const char *name[NAMES])
{
	name[0] = measure->key;
	name[1] = measure->statistic;
	name[2] = measure->state;
	name[3] = measure->phase;
	name[4] = measure->work;
	name[5] = measure->device;
	name[6] = measure->source;
}

bool measure_same(const struct measure *a, const struct measure *b)
{
	const char *x[NAMES], *y[NAMES];
	size_t i = 0;

	names_of(a, x);
	names_of(b, y);
	while (i < NAMES && (x[i] == y[i] || (x[i] && y[i] && strcmp(x[i], y[i]) == 0)))
		i++;
	return i == NAMES && a->part == b->part;
}

uint64_t measure_hash(const struct measure *measure)
{
	uint64_t hash = SPAN_HASH;
	const char *name[NAMES];

	names_of(measure, name);
	for (size_t i = 0; i < NAMES; i++)
		hash = span_hash(span_of(name[i] ? name[i] : ""), hash + i);
	return hash + measure->part;
}

struct measure measure_copy(const struct measure *measure)
{
	struct measure copy = *measure;

	copy.state = measure->state ? xstrdup(measure->state) : NULL;
	copy.phase = measure->phase ? xstrdup(measure->phase) : NULL;
	copy.work = measure->work ? xstrdup(measure->work) : NULL;
	copy.device = measure->device ? xstrdup(measure->device) : NULL;
	return copy;
}

void measure_release(struct measure *measure)
{
	free((char *)measure->state);
	free((char *)measure->phase);
	free((char *)measure->work);
	free((char *)measure->device);
}

void measure_name(struct strbuf *sb, const struct measure *measure)
{
	strbuf_adds(sb, measure->key);
	if (measure->statistic)
		strbuf_addf(sb, " %s", measure->statistic);
	if (measure->state)
		strbuf_addf(sb, " of %s", measure->state);
	if (measure->device)
		strbuf_addf(sb, ", %s", measure->device);
	if (measure->source &&
		strcmp(measure->source, source_name(SOURCE_NVIDIA_QUERY)) != 0)
		strbuf_addf(sb, " (%s)", measure->source);
	if (measure->work)
		strbuf_addf(sb, " of %s", measure->work);
	if (measure->phase) {
		strbuf_adds(sb, " in ");
		phase_path_show(sb, measure->phase);
	}
}

/* The members that have a unit. */
static size_t numbers_of(
	enum member_of struct_of, const void *of, struct named_number out[NUMBERS_MAX])
{
	size_t count = 0;

	for (const struct member *m = members_of(struct_of); m->of == struct_of; m++)
		if (m->unit)
			out[count++] = (struct named_number){
				m->name, m->unit, member_number(m, of)};
	return count;
}

size_t numbers_of_steady(const struct steady *s, struct named_number out[NUMBERS_MAX])
{
	size_t count = numbers_of(OF_steady, s, out);

	for (size_t i = 0; i < count && !s->found; i++)
		out[i].value = NAN;
	return count;
}

size_t numbers_of_path(const struct phase_path *p, struct named_number out[NUMBERS_MAX])
{
	size_t count = numbers_of(OF_phase_path, p, out);

	assert(count + PHASE_KEY_COUNT <= NUMBERS_MAX);
	for (enum phase_key key = 0; key < PHASE_KEY_COUNT; key++) {
		const struct summary_field *field =
			summary_field_get(phase_key_summary(key));

		if (p->summary[key].kind != VALUE_TEXT)
			out[count++] = (struct named_number){
				field->name, field->unit, p->summary[key].number};
	}
	return count;
}

/* By hand: CSV has the units before those of single processes, JSON behind them. */
size_t numbers_of_work(const struct work *w, struct named_number out[NUMBERS_MAX])
{
	const struct named_number numbers[] = {
		{"events", "", (double)w->events},
		{"processes", "", (double)w->processes},
		{"units", "", w->units},
		{"units_least", "", w->units_least},
		{"units_most", "", w->units_most},
		{"units_timed", "", w->units_timed},
		{"first_s", "s", w->first_s},
		{"duration_s", "s", w->seconds},
		{"units_per_s", "1/s", w->units_per_s},
		{"gpu_util_mean_pct", "%", w->gpu_util_mean_pct},
		{"gpu_s_per_unit", "s", w->gpu_s_per_unit},
		{"energy_j", "J", w->energy_j},
		{"energy_coverage", "", w->energy_coverage},
		{"energy_j_per_unit", "J", w->energy_j_per_unit},
	};

	memcpy(out, numbers, sizeof numbers);
	return ROWS(numbers);
}

const struct named_number *numbers_find(
	const struct named_number *numbers, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(numbers[i].name, name) == 0)
			return &numbers[i];
	return NULL;
}

enum summary_key summary_key_find(struct span name)
{
	enum summary_key key = 0;

	while (key < SUMMARY_COUNT && !span_is(name, summary_field_get(key)->name))
		key++;
	return key;
}
