/*
 * Builds trends: a table of runs and numbers, ordered, with the changes of each
 * number.
 */
#include "compute/compare/trend.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/sort.h"
#include "compute/compare/compare.h"
#include "compute/numbers/changes.h"
#include "compute/numbers/rank.h"
#include "compute/report/run_outcome.h"

/*
 * Changes of one number: its points, where it changed, and whether a line fits better.
 */

/* NAN: it is not known, or does not count. */
static double counted(const struct trends *trends, const struct trend *trend, size_t run)
{
	return trend_counts(trends, trend, run) ? trend->run[run] : NAN;
}

static struct trend_value value_of(const struct trends *trends, const struct trend *trend,
	const struct trend_point *point)
{
	struct trend_value value = {0, NAN, NAN, NAN};
	double *known = xcalloc(point->count + 1, sizeof *known);

	for (size_t i = 0; i < point->count; i++) {
		double x = counted(trends, trend, point->first + i);

		if (!isnan(x))
			known[value.n++] = x;
	}
	if (value.n) {
		sort_double(known, value.n);
		value.low = known[0];
		value.high = known[value.n - 1];
		value.median = value.n % 2
			? known[value.n / 2]
			: (known[value.n / 2 - 1] + known[value.n / 2]) / 2;
	}
	free(known);
	return value;
}

/* The known values of a trend, and where they are of. */
struct known {
	double *x; /* [count] owned, as all */
	size_t *run, *point;
	bool *border; /* is it the first of its point? */
	size_t count;
};

static struct known known_of(const struct trends *trends, const struct trend *trend)
{
	struct known known = {xcalloc(trends->run_count + 1, sizeof *known.x),
		xcalloc(trends->run_count + 1, sizeof *known.run),
		xcalloc(trends->run_count + 1, sizeof *known.point),
		xcalloc(trends->run_count + 1, sizeof *known.border), 0};

	for (size_t i = 0; i < trends->point_count; i++) {
		bool first = true;

		for (size_t k = 0; k < trends->point[i].count; k++) {
			size_t run = trends->point[i].first + k;
			double x = counted(trends, trend, run);

			if (isnan(x))
				continue;
			known.x[known.count] = x;
			known.run[known.count] = run;
			known.point[known.count] = i;
			known.border[known.count++] = first;
			first = false;
		}
	}
	return known;
}

static void known_release(struct known *known)
{
	free(known->x);
	free(known->run);
	free(known->point);
	free(known->border);
}

/* The point that the values from here on begin with. */
static size_t point_at(const struct trends *trends, const struct known *known, size_t at)
{
	return at < known->count ? known->point[at] : trends->point_count;
}

/* The values [from, to), those before `at` as the base: only of the marked runs; NULL: of
 * all. */
static struct comparison_row contrast(const struct trend *trend,
	const struct known *known, size_t from, size_t at, size_t to, const bool *marked)
{
	struct compared_run *run = xcalloc(to - from, sizeof *run);
	struct comparison_row row = {.measure = trend->measure,
		.value = xcalloc(to - from, sizeof *row.value)};

	for (size_t i = from; i < to; i++) {
		run[i - from].side = i < at ? SIDE_BASE : SIDE_NEW;
		row.value[i - from] = !marked || marked[i - from] ? known->x[i] : NAN;
	}
	contrast_row(&row, run, to - from);
	free(run);
	free(row.value);
	row.value = NULL;
	return row;
}

/*
 * Is it better or worse? Where the machine changed, or the amount of work, only if the
 * runs that have their like on the other side show so by themselves.
 */
static enum change judge(const struct trends *trends, const struct trend *trend,
	const struct known *known, size_t from, size_t at, size_t to, double difference)
{
	enum change change = measure_change(&trend->measure, difference);
	size_t first = known->point[from], middle = known->point[at];
	size_t end = point_at(trends, known, to), comparable = 0;
	bool *marked = xcalloc(to - from, sizeof *marked);

	for (size_t i = from; i < to; i++) {
		marked[i - from] =
			trend_has_like(trends, trend, known->run[i], first, middle, end);
		comparable += marked[i - from];
	}
	if (comparable < to - from &&
		contrast(trend, known, from, at, to, marked).change != change)
		change = CHANGE_OTHER;
	free(marked);
	return change;
}

/* The change between the pieces [from, at) and [at, to). */
static struct trend_change change_at(const struct trends *trends,
	const struct trend *trend, const struct known *known, size_t from, size_t at,
	size_t to, double p)
{
	const struct comparison_row row = contrast(trend, known, from, at, to, NULL);

	return (struct trend_change){.point = known->point[at],
		.from = known->point[from],
		.to = point_at(trends, known, to),
		.before = row.side[SIDE_BASE],
		.after = row.side[SIDE_NEW],
		.difference = row.difference,
		.ratio = row.ratio,
		.change = judge(trends, trend, known, from, at, to,
			row.difference != 0 ? row.difference : row.shift),
		.p = p,
		.p_ranks = row.p};
}

/* A straight line through all values, by least squares. */
struct line {
	double from, to; /* at the first value and the last */
	double squares; /* of the values' distances from it */
};

static struct line fit_line(const double *x, size_t count)
{
	double n = (double)count, middle = (n - 1) / 2, mean = 0, slope = 0, squares = 0;

	for (size_t i = 0; i < count; i++)
		mean += x[i] / n;
	for (size_t i = 0; i < count; i++)
		slope += ((double)i - middle) * (x[i] - mean);
	slope /= n * (n * n - 1) / 12;
	for (size_t i = 0; i < count; i++) {
		double far = x[i] - mean - slope * ((double)i - middle);

		squares += far * far;
	}
	return (struct line){mean - slope * middle, mean + slope * middle, squares};
}

/* The squares that are left where each piece has its mean. */
static double squares_of_steps(
	const struct known *known, const struct change_point *point, size_t count)
{
	double squares = 0;

	for (size_t i = 0; i <= count; i++) {
		size_t from = i ? point[i - 1].at : 0;
		size_t to = i < count ? point[i].at : known->count;
		double mean = 0;

		for (size_t k = from; k < to; k++)
			mean += known->x[k] / (double)(to - from);
		for (size_t k = from; k < to; k++)
			squares += (known->x[k] - mean) * (known->x[k] - mean);
	}
	return squares;
}

/*
 * Is a line the better account? By G. Schwarz's criterion (Ann. Stat. 6, 1978): a line
 * has two parameters, steps have a mean each and the places between them.
 */
static bool is_line(double line, double steps, size_t count, size_t changes)
{
	double n = (double)count, more = 2 * (double)changes - 1;

	return steps > 0 && n * log(line) < n * log(steps) + more * log(n);
}

static void find_changes(
	const struct trends *trends, struct trend *trend, const struct known *known)
{
	struct change_point *point = xcalloc(known->count + 1, sizeof *point);
	size_t count = change_points_find(known->x, known->count, known->border, point);
	struct line line = fit_line(known->x, known->count);

	if (count &&
		is_line(line.squares, squares_of_steps(known, point, count), known->count,
			count)) {
		trend->drifts = true;
		trend->drift_from = line.from;
		trend->drift_to = line.to;
		trend->drift = judge(trends, trend, known, 0, known->count / 2,
			known->count, line.to - line.from);
	} else {
		trend->change = xcalloc(count + 1, sizeof *trend->change);
		for (size_t i = 0; i < count; i++)
			trend->change[trend->change_count++] = change_at(trends, trend,
				known, i ? point[i - 1].at : 0, point[i].at,
				i + 1 < count ? point[i + 1].at : known->count,
				point[i].p);
	}
	free(point);
}

#define OPEN_AMONG 100 /* newest values, that they are looked for in */
#define OPEN_MORE  20 /* values at most that may be needed */

/* Do [at, to) lie beyond all of [from, at), and not only as far as one may by chance? */
static bool lie_beyond(const double *x, size_t from, size_t at, size_t to)
{
	double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, gap;

	for (size_t i = from; i < to; i++) {
		low[i >= at] = fmin(low[i >= at], x[i]);
		high[i >= at] = fmax(high[i >= at], x[i]);
	}
	gap = fmax(low[1] - high[0], low[0] - high[1]);
	return gap > 0 &&
		(gap > high[0] - low[0] ||
			rank_least_p(at - from, to - at) <= RANK_ALPHA);
}

/* How many more values, as [at, count) in turn, make these a change; 0: too many. */
static size_t needed_more(const struct known *known, size_t from, size_t at)
{
	size_t n = known->count - from, needed = 0;
	double *x = xcalloc(n + OPEN_MORE, sizeof *x);
	bool *border = xcalloc(n + OPEN_MORE, sizeof *border);
	struct change_point *point = xcalloc(n + OPEN_MORE, sizeof *point);

	for (size_t i = 0; i < n + OPEN_MORE; i++) {
		x[i] = i < n ? known->x[from + i]
			     : known->x[at + (i - n) % (known->count - at)];
		border[i] = i < n ? known->border[from + i] : true;
	}
	for (size_t more = 1; more <= OPEN_MORE && !needed; more++)
		if (change_points_find(x, n + more, border, point))
			needed = more;
	free(point);
	free(border);
	free(x);
	return needed;
}

/* The newest values of the last piece, as many as are beyond all others of it. */
static void find_open(
	const struct trends *trends, struct trend *trend, const struct known *known)
{
	size_t from = known->count > OPEN_AMONG ? known->count - OPEN_AMONG : 0;
	size_t last =
		trend->change_count ? trend->change[trend->change_count - 1].point : 0;
	struct trend_change change;

	while (known->point[from] < last)
		from++;
	for (size_t n = (known->count - from) / 2; n > 0; n--) {
		size_t at = known->count - n;

		if (!known->border[at] || !lie_beyond(known->x, from, at, known->count))
			continue;
		change = change_at(trends, trend, known, from, at, known->count, NAN);
		trend->open = (struct trend_open){n, change.point, change.from,
			change.before.median, change.after.median, change.change,
			needed_more(known, from, at)};
		return;
	}
}

/* Fills a trend from the values of its runs; the points are there. */
static void trend_work_out(const struct trends *trends, struct trend *trend)
{
	struct known known = known_of(trends, trend);

	trend->known = known.count;
	trend->value = xcalloc(trends->point_count + 1, sizeof *trend->value);
	for (size_t i = 0; i < trends->point_count; i++)
		trend->value[i] = value_of(trends, trend, &trends->point[i]);
	trend->drift_from = trend->drift_to = NAN;
	trend->tested = known.count >= trends->runs_least &&
		known.point[0] < known.point[known.count - 1];
	if (trend->tested)
		find_changes(trends, trend, &known);
	if (trend->tested && !trend->drifts)
		find_open(trends, trend, &known);
	known_release(&known);
}

/* A number of a run, before there is an order. */
struct found {
	size_t trend;
	size_t run; /* in the order in which they were added */
	double value;
	struct covered covered;
};

/* Circumstances that are known of a stored run without its metrics. */
static const enum circumstance stored[] = {
	OF_GPUS, OF_DRIVER, OF_CPU, OF_CPUS, OF_KERNEL, OF_HOST, OF_INTERVAL, OF_ENERGY};

#define STORED (sizeof stored / sizeof *stored)

struct said {
	char *text[STORED]; /* owned; NULL: it does not say */
};

struct trending {
	struct trends *out;
	trend_wanted *wanted;
	void *context;
	struct lookup lookup; /* of the trends by their measures */
	struct found *found;
	size_t found_count, found_cap;
	size_t of_run; /* how many of them the last run has */
	struct said *said; /* [out->run_count] in the order in which they were added */
	size_t said_cap;
	struct amounts amounts; /* in that order, too */
	size_t no_time, no_label, no_value; /* runs that are left out */
};

struct trending *trend_begin(
	struct trends *out, const char *by, trend_wanted *wanted, void *context)
{
	struct trending *t = xcalloc(1, sizeof *t);

	*t = (struct trending){.out = out, .wanted = wanted, .context = context};
	out->by = by ? xstrdup(by) : NULL;
	out->runs_least = CHANGE_POINTS_LEAST;
	return t;
}

static size_t find_trend(struct trending *t, const struct measure *measure)
{
	struct trends *out = t->out;
	uint64_t hash = measure_hash(measure);

	for (size_t at = lookup_first(&t->lookup, hash); at != LOOKUP_NONE;
		at = lookup_next(&t->lookup, at))
		if (measure_same(&out->at[at].measure, measure))
			return at;
	ALLOC_NEXT(out->at, out->count, out->cap) =
		(struct trend){.measure = measure_copy(measure)};
	return lookup_add(&t->lookup, hash);
}

/* The first of several numbers of one measure counts. */
static void take(void *context, const struct measure *measure, double value,
	const struct covered *covered)
{
	struct trending *t = context;
	size_t trend;

	if (!isfinite(value) || !t->wanted(t->context, measure))
		return;
	trend = find_trend(t, measure);
	for (size_t i = t->found_count - t->of_run; i < t->found_count; i++)
		if (t->found[i].trend == trend)
			return;
	ALLOC_NEXT(t->found, t->found_count, t->found_cap) =
		(struct found){trend, t->out->run_count, value, *covered};
	t->of_run++;
}

static void copy_labels(struct label_list *to, const struct label_list *from)
{
	for (size_t i = 0; i < from->count; i++)
		label_set(to, span_of(from->at[i].key), span_of(from->at[i].value),
			from->at[i].given);
}

void trend_add(struct trending *t, const struct report *report)
{
	struct trends *out = t->out;
	const struct run *run = report->run;
	struct trend_run *added;

	if (report->started_ns == TIME_NONE) {
		t->no_time++;
		return;
	}
	if (out->by && !label_find(&run->labels, out->by)) {
		t->no_label++;
		return;
	}
	t->of_run = 0;
	measures_of(report, take, t);
	if (t->of_run) {
		ALLOC_GROW(t->said, out->run_count + 1, t->said_cap);
		for (size_t i = 0; i < STORED; i++)
			t->said[out->run_count].text[i] =
				circumstance_said(report, stored[i]);
		amounts_add(&t->amounts, out->run_count, report);
		added = &ALLOC_NEXT(out->run, out->run_count, out->run_cap);
	} else {
		t->no_value++;
		added = &ALLOC_NEXT(out->lost, out->lost_count, out->lost_cap);
	}
	*added = (struct trend_run){.key = xstrdup(run->key),
		.path = run_name(run),
		.started_ns = report->started_ns,
		.outcome = run_outcome_of(run)};
	copy_labels(&added->labels, &run->labels);
}

/* A run on its way to its place. */
struct place_of_run {
	const struct trend_run *run;
	const char *value; /* of the label; NULL */
	uint64_t number; /* that it is, if all are; else 0 */
	int64_t point_ns; /* when the first run of the point started */
	size_t added;
};

static int by_start(const void *left, const void *right)
{
	const struct place_of_run *a = left, *b = right;

	if (a->run->started_ns != b->run->started_ns)
		return a->run->started_ns < b->run->started_ns ? -1 : 1;
	return strcmp(a->run->key, b->run->key);
}

static int by_value(const void *left, const void *right)
{
	const struct place_of_run *a = left, *b = right;
	int order = strcmp(a->value, b->value);

	return order ? order : by_start(left, right);
}

/* Points that began at one instant stand in the order of their values. */
static int by_point(const void *left, const void *right)
{
	const struct place_of_run *a = left, *b = right;

	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	if (a->point_ns != b->point_ns)
		return a->point_ns < b->point_ns ? -1 : 1;
	return by_value(left, right);
}

/* Numbers of builds have an order of their own, as those of commits have not. */
static void find_numbers(struct place_of_run *place, size_t count)
{
	bool numbers = true;

	for (size_t i = 0; i < count; i++)
		numbers = numbers &&
			number_unsigned(span_of(place[i].value), &place[i].number);
	for (size_t i = 0; i < count && !numbers; i++)
		place[i].number = 0;
}

/* The runs by their points; the first ones of equal values come first. */
static struct place_of_run *order_runs(const struct trends *out)
{
	struct place_of_run *place = xcalloc(out->run_count + 1, sizeof *place);

	for (size_t i = 0; i < out->run_count; i++) {
		const struct trend_run *run = &out->run[i];

		place[i] = (struct place_of_run){.run = run, .added = i};
		if (out->by)
			place[i].value = label_find(&run->labels, out->by)->value;
	}
	SORT(place, out->run_count, out->by ? by_value : by_start);
	if (!out->by)
		return place;
	for (size_t i = 0; i < out->run_count; i++)
		place[i].point_ns = i && strcmp(place[i].value, place[i - 1].value) == 0
			? place[i - 1].point_ns
			: place[i].run->started_ns;
	find_numbers(place, out->run_count);
	SORT(place, out->run_count, by_point);
	return place;
}

static bool begins_point(const struct trends *out, size_t run)
{
	if (run == 0 || !out->by)
		return true;
	return strcmp(label_find(&out->run[run].labels, out->by)->value,
		       label_find(&out->run[run - 1].labels, out->by)->value) != 0;
}

static int by_start_of_run(const void *left, const void *right)
{
	const struct place_of_run a = {.run = left}, b = {.run = right};

	return by_start(&a, &b);
}

/* Of the runs without a value those behind the last one that has one. */
static void keep_lost(struct trends *out)
{
	int64_t last_ns = TIME_NONE;
	size_t kept = 0;

	for (size_t i = 0; i < out->run_count; i++)
		if (i == 0 || out->run[i].started_ns > last_ns)
			last_ns = out->run[i].started_ns;
	for (size_t i = 0; i < out->lost_count; i++)
		if (out->run_count && out->lost[i].started_ns > last_ns)
			out->lost[kept++] = out->lost[i];
		else
			trend_run_release(&out->lost[i]);
	out->lost_count = kept;
	SORT(out->lost, kept, by_start_of_run);
}

/* The runs in order, and the points; place[count]: the new place of each. */
static size_t *put_in_order(struct trends *out)
{
	struct place_of_run *order = order_runs(out);
	struct trend_run *run = xcalloc(out->run_count + 1, sizeof *run);
	size_t *place = xcalloc(out->run_count + 1, sizeof *place);

	for (size_t i = 0; i < out->run_count; i++) {
		run[i] = *order[i].run;
		place[order[i].added] = i;
	}
	free(order);
	free(out->run);
	out->run = run;
	out->point = xcalloc(out->run_count + 1, sizeof *out->point);
	for (size_t i = 0; i < out->run_count; i++) {
		if (begins_point(out, i))
			out->point[out->point_count++].first = i;
		out->point[out->point_count - 1].count++;
	}
	return place;
}

/* Keeps what two runs say differently. */
static void set_difference(struct trends *out, struct difference difference)
{
	if (circumstance_differs(&difference, out->run_count)) {
		out->difference[out->difference_count++] = difference;
		return;
	}
	for (size_t k = 0; k < out->run_count; k++)
		free(difference.said[k]);
	free(difference.said);
}

/* An amount, and where in the order its run is. */
struct placed_amount {
	double units;
	size_t place;
};

static int by_units(const void *left, const void *right)
{
	const struct placed_amount *a = left, *b = right;

	return (a->units > b->units) - (a->units < b->units);
}

/*
 * Amounts that are the same have one text, of the smallest of them. Runs before the
 * first that tells it were not asked for it; behind it, it is unknown.
 */
static void set_work(struct trending *t, const size_t *place)
{
	struct trends *out = t->out;
	const struct amount_kind *kind =
		amounts_choose(&t->amounts, NULL, out->run_count);
	struct placed_amount *known = xcalloc(out->run_count + 1, sizeof *known);
	struct difference difference = circumstance_of(OF_WORK, out->run_count);
	size_t count = 0, first = out->run_count;
	double said = NAN;

	for (size_t k = 0; k < out->run_count; k++)
		if (!isnan(amount_of(kind, k)))
			known[count++] =
				(struct placed_amount){amount_of(kind, k), place[k]};
	SORT(known, count, by_units);
	for (size_t i = 0; i < count; i++) {
		if (amounts_apart(said, known[i].units))
			said = known[i].units;
		difference.said[known[i].place] = circumstance_work(said, kind->name);
		if (known[i].place < first)
			first = known[i].place;
	}
	for (size_t i = first; i < out->run_count; i++)
		if (!difference.said[i])
			difference.said[i] = circumstance_work(NAN, kind->name);
	free(known);
	set_difference(out, difference);
}

/* What differs, of the runs in their places. */
static void set_differences(struct trending *t, const size_t *place)
{
	struct trends *out = t->out;

	out->difference = xcalloc(STORED + 1, sizeof *out->difference);
	for (size_t i = 0; i < STORED; i++) {
		struct difference difference = circumstance_of(stored[i], out->run_count);

		for (size_t k = 0; k < out->run_count; k++)
			difference.said[place[k]] = t->said[k].text[i];
		set_difference(out, difference);
	}
	free(t->said);
	set_work(t, place);
	amounts_release(&t->amounts);
}

#define NAMES_MOST 6 /* in one sentence */

/* What a crash leaves undone looks fast and frugal. */
static void remark_undone(struct trends *out)
{
	struct name_list names;

	name_list_init(&names, NAMES_MOST);
	for (size_t i = 0; i < out->run_count; i++) {
		if (trend_run_counts(&out->run[i]) || !name_list_next(&names))
			continue;
		strbuf_addf(&names.text, "%s (", out->run[i].path);
		run_outcome_say(&names.text, &out->run[i].outcome);
		strbuf_addc(&names.text, ')');
	}
	name_list_end(&names);
	if (names.count)
		trends_remark(out, "failed or cut off, so not tested for changes: %s",
			names.text.text);
	name_list_release(&names);
}

/* Of a run's values that don't count for it what is least covered; NULL: all do. */
static const struct covered *least_covered(const struct trends *out, size_t run)
{
	const struct covered *least = NULL;

	for (size_t i = 0; i < out->count && trend_run_counts(&out->run[run]); i++) {
		const struct covered *covered = &out->at[i].covered[run];

		if (covered->doubt && (!least || covered_less(covered, least)))
			least = covered;
	}
	return least;
}

static void remark_uncovered(struct trends *out)
{
	struct name_list names;

	name_list_init(&names, NAMES_MOST);
	for (size_t i = 0; i < out->run_count; i++) {
		const struct covered *least = least_covered(out, i);

		if (!least || !name_list_next(&names))
			continue;
		strbuf_addf(&names.text, "%s (", out->run[i].path);
		covered_say(&names.text, least);
		strbuf_addc(&names.text, ')');
	}
	name_list_end(&names);
	if (names.count)
		trends_remark(out, "too little recorded, so not tested for changes: %s",
			names.text.text);
	name_list_release(&names);
}

static void remark_left_out(struct trending *t)
{
	struct trends *out = t->out;

	if (t->no_time)
		trends_remark(out, "%zu %s no time and can't be put in order", t->no_time,
			t->no_time == 1 ? "run has" : "runs have");
	if (t->no_label)
		trends_remark(out, "%zu %s no label %s", t->no_label,
			t->no_label == 1 ? "run has" : "runs have", out->by);
	if (t->no_value)
		trends_remark(out, "%zu %s no value of it", t->no_value,
			t->no_value == 1 ? "run has" : "runs have");
}

void trend_end(struct trending *t)
{
	struct trends *out = t->out;
	size_t *place = put_in_order(out);

	keep_lost(out);
	set_differences(t, place);
	for (size_t i = 0; i < out->count; i++) {
		struct trend *trend = &out->at[i];

		trend->run = xcalloc(out->run_count + 1, sizeof *trend->run);
		trend->covered = xcalloc(out->run_count + 1, sizeof *trend->covered);
		for (size_t k = 0; k < out->run_count; k++)
			trend->run[k] = trend->covered[k].coverage = NAN;
	}
	for (size_t i = 0; i < t->found_count; i++) {
		const struct found *found = &t->found[i];
		struct trend *trend = &out->at[found->trend];

		trend->run[place[found->run]] = found->value;
		trend->covered[place[found->run]] = found->covered;
	}
	for (size_t i = 0; i < out->count; i++) {
		covered_beside(out->at[i].covered, out->run_count);
		trend_work_out(out, &out->at[i]);
	}
	remark_left_out(t);
	remark_undone(out);
	remark_uncovered(out);
	lookup_release(&t->lookup);
	free(place);
	free(t->found);
	free(t);
}
