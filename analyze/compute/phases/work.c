/*
 * Counts units of work: sorts events by kind and time, then counts each kind process
 * by process. Knows no sample.
 */
#include "compute/phases/work.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "compute/numbers/changes.h"

/*
 * Counting one kind: the meaning of its numbers is decided per process, then processes
 * are combined.
 */

/* Numbers that only rise are a total from so many on, however unevenly they do. */
#define RISING_EVENTS 10

/* How the numbers go on, from one event to the next. */
struct count_course {
	uint64_t events, numbers; /* all; those that have one */
	int64_t from_ns, to_ns; /* of the events */
	bool negative; /* one of the numbers is */
	double first, last, sum;
	uint64_t rates; /* those that say the rate itself */
	double rate; /* of the last of them */
	uint64_t rises, falls;
	double rise, least, most; /* the last rise; of those before it */
	struct event_place begins, ends; /* its events, by time */
	/* the first one without n, below 0, and that is not above the one before */
	struct event_place no_n, below, level;
	double adds, from; /* to a total of several, from that number on */
	struct event_place from_at;
};

static void take_place(struct event_place *first, const struct event *event)
{
	if (!first->line)
		*first = event->at;
}

static void take_number(struct count_course *c, const struct event *event, double n)
{
	double step = n - c->last;

	c->negative |= n < 0;
	if (n < 0)
		take_place(&c->below, event);
	if (c->numbers && step <= 0)
		take_place(&c->level, event);
	c->sum += n;
	if (!c->numbers++) {
		c->first = n;
	} else if (step > 0) {
		if (c->rises++) {
			c->least = fmin(c->least, c->rise);
			c->most = fmax(c->most, c->rise);
		}
		c->rise = step;
	} else {
		c->falls += step < 0;
	}
	c->last = n;
}

static void take_event(struct count_course *c, const struct event *event)
{
	double n;

	if (!c->events++)
		c->from_ns = event->t_ns;
	c->to_ns = event->t_ns;
	take_place(&c->begins, event);
	c->ends = event->at;
	if (event->extras && strstr(event->extras, "\"n\"") &&
		event_number(event, "n", &n))
		take_number(c, event, n);
	else
		take_place(&c->no_n, event);
	c->rates += event->extras && strstr(event->extras, "\"units_per_s\"") &&
		event_number(event, "units_per_s", &c->rate);
}

static enum work_number unclear(
	struct work_told *told, const char *why, struct event_place at)
{
	if (told) {
		told->unclear = why;
		told->unclear_at = at;
	}
	return WORK_UNCLEAR;
}

/* README.md has the rule. told: receives why the numbers are unclear, if they are; NULL:
 * nobody asks. */
static enum work_number number_of(const struct count_course *c, struct work_told *told)
{
	const struct event_place none = {0};

	if (c->rates == c->events)
		return WORK_RATE;
	if (!c->numbers)
		return WORK_NO_NUMBER;
	if (c->numbers < c->events)
		return unclear(told, "an event has no n, and others have one", c->no_n);
	if (c->negative)
		return unclear(told, "an n is below 0", c->below);
	if (!c->rises || c->rises < 2 * c->falls)
		return WORK_COUNT;
	if (c->rises + 1 < c->events)
		return unclear(told,
			"n rises from event to event as a total does, but one is not "
			"above "
			"that before it",
			c->level);
	if (c->rises < 2)
		return unclear(told,
			"two numbers, the second larger, may be two counts as well as a "
			"total",
			none);
	if (c->rises + 1 >= RISING_EVENTS || fmax(c->most, c->rise) <= 2 * c->least)
		return WORK_TOTAL;
	return unclear(told,
		"n only rises, but one rise is more than twice another, and fewer than "
		"ten "
		"events do not tell a total from counts",
		none);
}

/* Units of a course by itself, and those of them behind its first event. */
static double units_of(const struct count_course *c, enum work_number n_is, double *timed)
{
	switch (n_is) {
	case WORK_NO_NUMBER:
		*timed = (double)c->events - 1;
		return (double)c->events;
	case WORK_COUNT:
		*timed = c->sum - c->first;
		return c->sum;
	case WORK_TOTAL:
		*timed = c->last - c->first;
		return *timed;
	case WORK_RATE:
	case WORK_UNCLEAR:
		break;
	}
	*timed = NAN;
	return NAN;
}

/* Is it too short to say by itself what n is, and may it be a piece of a total? */
static bool may_be_total(const struct count_course *c)
{
	return c->events < 3 && c->numbers == c->events && !c->negative && !c->falls;
}

/* Of all of them, as far as they say the same. */
static enum work_number number_of_all(const struct count_course *c, size_t count)
{
	enum work_number n_is = WORK_UNCLEAR;
	bool any = false;

	for (size_t i = 0; i < count; i++)
		if (number_of(&c[i], NULL) == WORK_TOTAL)
			n_is = WORK_TOTAL;
	for (size_t i = 0; i < count; i++) {
		if (n_is == WORK_TOTAL && may_be_total(&c[i]))
			continue;
		if (any && number_of(&c[i], NULL) != n_is)
			return WORK_UNCLEAR;
		n_is = number_of(&c[i], NULL);
		any = true;
	}
	return n_is;
}

static int by_first(const void *a, const void *b)
{
	const struct count_course *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

/* The numbers behind the first of each process, each once. */
static double union_of(struct count_course *c, size_t count)
{
	double sum = 0;
	const struct count_course *furthest = NULL;

	SORT(c, count, by_first);
	for (size_t i = 0; i < count; i++) {
		bool anew = !furthest || c[i].first >= furthest->last;

		c[i].from = anew ? c[i].first : furthest->last;
		c[i].from_at = anew ? c[i].begins : furthest->ends;
		if (c[i].last <= c[i].from)
			continue;
		c[i].adds = c[i].last - c[i].from;
		sum += c[i].adds;
		furthest = &c[i];
	}
	return sum;
}

/* An event with the process that it is of. */
struct said {
	const struct event *event;
	uint64_t process;
	size_t place; /* in time */
};

static int by_process(const void *a, const void *b)
{
	const struct said *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

/* A course for each process, [*processes]; process NULL: one for all. The caller's. */
static struct count_course *courses_of(const struct event *const *event,
	const uint64_t *process, size_t count, size_t *processes)
{
	struct said *said = xcalloc(count + 1, sizeof *said);
	struct count_course *course = xcalloc(count + 1, sizeof *course);

	for (size_t i = 0; i < count; i++)
		said[i] = (struct said){event[i], process ? process[i] : 0, i};
	SORT(said, count, by_process);
	*processes = 0;
	for (size_t i = 0; i < count; i++) {
		if (!i || said[i].process != said[i - 1].process)
			course[(*processes)++] = (struct count_course){
				.least = INFINITY, .most = -INFINITY};
		take_event(&course[*processes - 1], said[i].event);
	}
	free(said);
	return course;
}

static int by_begin(const void *a, const void *b)
{
	const struct count_course *x = a, *y = b;

	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

/* Do two of them log at one time? Else one may go on where the other ended. */
static bool are_at_once(struct count_course *c, size_t count)
{
	const struct count_course *last = &c[0];

	SORT(c, count, by_begin);
	for (size_t i = 1; i < count; i++) {
		if (c[i].from_ns < last->to_ns || c[i].from_ns == last->from_ns)
			return true;
		last = c[i].to_ns > last->to_ns ? &c[i] : last;
	}
	return false;
}

static void tell_several(struct work_told *told, enum work_number n_is,
	const struct count_course *c, size_t count)
{
	told->unclear = n_is == WORK_UNCLEAR
		? "the numbers of its processes go on in different ways"
		: "several processes log them at one time, and nothing says which units "
		  "are the same";
	for (size_t i = 0; i < count && n_is == WORK_UNCLEAR; i++)
		if (number_of(&c[i], told) == WORK_UNCLEAR)
			return;
}

/* Only a number that goes on tells which units of several processes are the same. */
static void count_several(
	struct work *work, struct work_told *told, struct count_course *c, size_t count)
{
	double timed;

	work->n_is = number_of_all(c, count);
	work->units = work->units_timed = NAN;
	work->units_least = work->units_most = NAN;
	for (size_t i = 0; i < count; i++) {
		double units = units_of(&c[i], work->n_is, &timed);

		work->units_least = fmin(work->units_least, units);
		work->units_most = fmax(work->units_most, units);
	}
	if (work->n_is == WORK_TOTAL)
		work->units = work->units_timed = union_of(c, count);
	else
		tell_several(told, work->n_is, c, count);
}

static void add_pieces(struct work_told *told, enum work_number n_is,
	const struct count_course *c, size_t count)
{
	double timed;

	told->piece = xcalloc(count + 1, sizeof *told->piece);
	told->count = count;
	for (size_t i = 0; i < count; i++)
		told->piece[i] = (struct work_piece){.events = c[i].events,
			.first = c[i].begins,
			.last = c[i].ends,
			.first_n = c[i].numbers ? c[i].first : NAN,
			.last_n = c[i].numbers ? c[i].last : NAN,
			.units = units_of(&c[i], n_is, &timed),
			.adds = c[i].adds,
			.from_n = c[i].from,
			.from = c[i].from_at};
}

void work_count(struct work *work, struct work_told *told,
	const struct event *const *event, const uint64_t *process, size_t count)
{
	size_t processes;
	struct count_course *course = courses_of(event, process, count, &processes);

	if (are_at_once(course, processes)) {
		count_several(work, told, course, processes);
	} else {
		free(course);
		course = courses_of(event, NULL, count, &processes);
		work->n_is = number_of(course, told);
		work->units = units_of(course, work->n_is, &work->units_timed);
		work->units_least = work->units_most = NAN;
		if (work->n_is == WORK_TOTAL)
			union_of(course, 1);
		if (work->n_is == WORK_RATE)
			work->units_per_s = course->rate;
	}
	work->processes = processes;
	add_pieces(told, work->n_is, course, processes);
	free(course);
}

static int compare_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int same_kind(const struct event *a, const struct event *b)
{
	int order = compare_text(a->type_name, b->type_name);

	return order ? order : compare_text(a->name, b->name);
}

/* Events of one time stay in the order of the log. */
static int by_kind(const void *a, const void *b)
{
	const struct event *x = *(const struct event *const *)a;
	const struct event *y = *(const struct event *const *)b;
	int order = same_kind(x, y);

	if (order)
		return order;
	if (x->t_ns != y->t_ns)
		return x->t_ns < y->t_ns ? -1 : 1;
	return (x > y) - (x < y);
}

static bool is_unit(const struct event *event, const struct compute_window *window)
{
	if (event->type != EVENT_POINT || event->t_ns == TIME_NONE ||
		(!event->name && !event->type_name))
		return false;
	/* what collect says of its own recorders is no work, nor are totals */
	if (event->type_name &&
		(strcmp(event->type_name, "recorder") == 0 ||
			strcmp(event->type_name, EVENT_TOTALS) == 0))
		return false;
	return window_has(window, event->t_ns);
}

/* The rate of work is looked at in so many bins, of two events each on average; a level
 * lasts a quarter of the time and differs by three tenths. */
#define RATE_BINS   60
#define RATE_EVENTS 120
#define RATE_PART   4
#define RATE_LEAST  0.3
#define RATE_PAUSE  5

/* The units were done from one place to the other, both in bins. */
static void spread(double *rate, double from, double to, double units)
{
	for (size_t i = (size_t)from; to > from && i < RATE_BINS && (double)i < to; i++)
		rate[i] += units * (fmin(to, (double)i + 1) - fmax(from, (double)i)) /
			(to - from);
}

/* Does no work end for much longer than just before and after it, as while it is checked
 * or saved? */
static bool is_pause(const struct event *const *event, size_t i, size_t count)
{
	return i > 1 && i + 1 < count &&
		event[i]->t_ns - event[i - 1]->t_ns >
		RATE_PAUSE * (event[i - 1]->t_ns - event[i - 2]->t_ns) &&
		event[i]->t_ns - event[i - 1]->t_ns >
		RATE_PAUSE * (event[i + 1]->t_ns - event[i]->t_ns);
}

/* Where the rate changes once and for good. */
static void find_rates(struct work *work, const struct event *const *event, size_t count)
{
	double units[RATE_BINS] = {0}, bins[RATE_BINS] = {0}, total = 0, n = 1;
	double bin_ns = (double)(work->last_ns - work->first_ns) / RATE_BINS;
	size_t place[RATE_BINS], known = 0;
	struct shift shift;

	work->rate_at_ns = TIME_NONE;
	if (count < RATE_EVENTS || work->processes > 1 || work->n_is == WORK_UNCLEAR ||
		work->n_is == WORK_RATE)
		return;
	for (size_t i = 0; i < count; i++) {
		double to = (double)(event[i]->t_ns - work->first_ns) / bin_ns;
		double from =
			i ? (double)(event[i - 1]->t_ns - work->first_ns) / bin_ns : to;

		if (work->n_is != WORK_NO_NUMBER)
			event_number(event[i], "n", &n);
		if (!is_pause(event, i, count)) {
			spread(units, from, to, work->n_is == WORK_TOTAL ? n - total : n);
			spread(bins, from, to, to - from);
		}
		total = n;
	}
	for (size_t i = 0; i < RATE_BINS; i++)
		if (bins[i] > 0) {
			units[known] = units[i] / bins[i];
			place[known++] = i;
		}
	if (!shift_find(units, known, known / RATE_PART + 1, RATE_LEAST, &shift))
		return;
	work->rate_before = shift.before * NS_PER_S / bin_ns;
	work->rate_after = shift.behind * NS_PER_S / bin_ns;
	work->rate_at_ns = work->first_ns + (int64_t)((double)place[shift.at] * bin_ns);
}

/* Of events of one kind, by time; files: of the run's events. */
static struct work work_of(const struct event *const *event, size_t count,
	const struct run *run, const size_t *files, struct work_told *told)
{
	struct work work = {.type_name = event[0]->type_name,
		.name = event[0]->name,
		.events = count,
		.first_ns = event[0]->t_ns,
		.last_ns = event[count - 1]->t_ns};
	uint64_t *process = xcalloc(count, sizeof *process);

	for (size_t i = 0; i < count; i++)
		process[i] = event_process_hash(event[i], files[event[i] - run->event]);
	work_count(&work, told, event, process, count);
	find_rates(&work, event, count);
	free(process);
	return work;
}

/* A kind and the first of its events in the log. */
struct found {
	struct work work;
	struct work_told told;
	const struct event *first;
};

/* With a number before those without, more events before fewer. */
static int by_weight(const void *a, const void *b)
{
	const struct found *x = a, *y = b;
	bool n = x->work.n_is != WORK_NO_NUMBER, m = y->work.n_is != WORK_NO_NUMBER;

	if (n != m)
		return n ? -1 : 1;
	if (x->work.events != y->work.events)
		return x->work.events > y->work.events ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

static int work_by_first(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

static struct found *find_kinds(const struct event *const *event, size_t count,
	const struct run *run, size_t *found)
{
	struct found *list = NULL;
	size_t *files = writers_of_events(run);
	size_t cap = 0, end;

	*found = 0;
	for (size_t i = 0; i < count; i = end) {
		struct framework_peak peak[FRAMEWORK_PEAKS_MAX];
		struct found kind;

		for (end = i + 1; end < count && same_kind(event[i], event[end]) == 0;)
			end++;
		kind = (struct found){.first = event[i]};
		kind.work = work_of(&event[i], end - i, run, files, &kind.told);
		for (size_t k = i; k < end; k++)
			if (event[k] < kind.first)
				kind.first = event[k];
		/* a reading of memory is no work */
		if (kind.work.n_is == WORK_NO_NUMBER &&
			(kind.work.events < 2 || event_peaks(kind.first, peak) > 0)) {
			free(kind.told.piece);
			continue;
		}
		ALLOC_NEXT(list, *found, cap) = kind;
	}
	free(files);
	return list;
}

/* What has no length is no phase, but keeps its place. */
static void span_kinds(struct work_kinds *kinds)
{
	const struct phase_rules rules = {.single = true};
	bool any = false;

	run_init(&kinds->spans, "");
	for (size_t i = 0; i < kinds->count; i++) {
		struct event *span = run_add_event(&kinds->spans);

		span->t_ns = kinds->at[i].first_ns;
		if (kinds->at[i].last_ns == kinds->at[i].first_ns)
			continue;
		span->type = EVENT_PHASE;
		span->end_ns = kinds->at[i].last_ns;
		any = true;
	}
	if (any)
		kinds->map = phase_map_new(&kinds->spans, &rules);
}

void work_find(struct work_kinds *kinds, const struct run *run,
	const struct compute_window *window)
{
	const struct event **event = xcalloc(run->event_count + 1, sizeof *event);
	struct found *found;
	size_t units = 0, count;

	*kinds = (struct work_kinds){0};
	for (size_t i = 0; i < run->event_count; i++)
		if (is_unit(&run->event[i], window))
			event[units++] = &run->event[i];
	SORT(event, units, by_kind);
	found = find_kinds(event, units, run, &count);
	free(event);
	if (count > WORK_KINDS_MAX) {
		SORT(found, count, by_weight);
		kinds->left_out = count - WORK_KINDS_MAX;
		while (count > WORK_KINDS_MAX)
			free(found[--count].told.piece);
	}
	SORT(found, count, work_by_first);
	kinds->at = xcalloc(count + 1, sizeof *kinds->at);
	kinds->told = xcalloc(count + 1, sizeof *kinds->told);
	kinds->count = count;
	for (size_t i = 0; i < count; i++) {
		kinds->at[i] = found[i].work;
		kinds->told[i] = found[i].told;
	}
	free(found);
	span_kinds(kinds);
}

void work_release(struct work_kinds *kinds)
{
	phase_map_free(kinds->map);
	run_release(&kinds->spans);
	for (size_t i = 0; i < kinds->count; i++)
		free(kinds->told[i].piece);
	free(kinds->told);
	free(kinds->at);
	*kinds = (struct work_kinds){0};
}

size_t work_of_call(const struct work_kinds *kinds, size_t call)
{
	return (size_t)(phase_map_tree(kinds->map)->calls.at[call].event -
		kinds->spans.event);
}
