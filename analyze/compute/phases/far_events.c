/*
 * The time of the run grows over the events that lie near it, until none is near; what it
 * has not reached then is far away. How near that is depends on what says the time.
 */
#include "compute/phases/far_events.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/sort.h"
#include "base/timestamp.h"

/* Jobs wait for days, and are begun again; no clock is off by as much. */
#define NEAR_NS (7 * NS_PER_DAY)

/* ... where one end of the run is not known, or no more than its events. */
#define NEAR_OPEN_NS (365 * NS_PER_DAY)

struct run_time {
	bool known;
	int64_t from_ns, to_ns;
	int64_t near_ns; /* at least */
	bool exact; /* ... and at most, but for the events of some files: */
	bool *apart; /* [file_count] a clock of another zone may have written it; owned */
};

static void widen(struct run_time *time, int64_t t_ns)
{
	if (t_ns == TIME_NONE)
		return;
	if (!time->known || t_ns < time->from_ns)
		time->from_ns = t_ns;
	if (!time->known || t_ns > time->to_ns)
		time->to_ns = t_ns;
	time->known = true;
}

/* A date that had to be guessed says nothing against one that did not. */
static bool has_guessed_dates(const struct run *run)
{
	for (size_t i = 0; i < run->diags.count; i++)
		if (strcmp(run->diags.at[i].id, "date-order") == 0 ||
			strcmp(run->diags.at[i].id, "no-date") == 0)
			return true;
	return false;
}

/* Of an event the instants that it has; returns how many. */
static size_t instants_of(const struct event *event, int64_t t_ns[2])
{
	size_t count = 0;

	if (event->t_ns != TIME_NONE)
		t_ns[count++] = event->t_ns;
	if (event->end_ns != TIME_NONE)
		t_ns[count++] = event->end_ns;
	return count;
}

/* The group of more than half of the instants, each of which has another one near. */
static void find_group(const struct run *run, struct run_time *time)
{
	int64_t *t_ns, from_ns, to_ns;
	size_t count = 0, first = 0;

	if (!run_event_span(run, &from_ns, &to_ns) || to_ns - from_ns <= NEAR_OPEN_NS)
		return;
	t_ns = xmalloc(2 * run->event_count * sizeof *t_ns);
	for (size_t i = 0; i < run->event_count; i++)
		count += instants_of(&run->event[i], t_ns + count);
	sort_int64(t_ns, count);
	for (size_t i = 1; i <= count; i++) {
		if (i < count && t_ns[i] - t_ns[i - 1] <= NEAR_OPEN_NS)
			continue;
		if (2 * (i - first) > count) {
			widen(time, t_ns[first]);
			widen(time, t_ns[i - 1]);
		}
		first = i;
	}
	free(t_ns);
}

/* Nothing that a command does is from before it began; what was recorded for a while may
 * have begun at any time before. */
static bool spans_a_command(const struct run *run)
{
	int64_t from_ns, to_ns;

	return run_command_span(run, &from_ns, &to_ns) &&
		(run->command || run->exit_status >= 0 ||
			run_fact(run, RUN_FACT_EXIT_STATUS));
}

static struct run_time time_of(const struct run *run, int64_t from_ns, int64_t to_ns)
{
	struct run_time time = {.near_ns = NEAR_OPEN_NS, .exact = spans_a_command(run)};
	bool sampled = from_ns != TIME_NONE && !has_guessed_dates(run);

	if (sampled) {
		widen(&time, from_ns);
		widen(&time, to_ns);
	}
	widen(&time, run->started_ns);
	widen(&time, run->ended_ns);
	if (sampled || (run->started_ns != TIME_NONE && run->ended_ns != TIME_NONE))
		time.near_ns = NEAR_NS;
	return time;
}

/* How far from the run; 0: within it, negative: before it. */
static int64_t away(const struct run_time *time, int64_t t_ns)
{
	if (t_ns < time->from_ns)
		return t_ns - time->from_ns;
	return t_ns > time->to_ns ? t_ns - time->to_ns : 0;
}

static bool is_apart(const struct run_time *time, const struct event *event)
{
	return time->apart && event->at.line && time->apart[event->at.file];
}

static bool is_near(const struct run_time *time, const struct event *event, int64_t t_ns)
{
	int64_t length_ns = time->to_ns - time->from_ns, near_ns = time->near_ns;

	if (time->exact && !is_apart(time, event))
		near_ns = RUN_BESIDE_NS;
	else if (length_ns > near_ns)
		near_ns = length_ns;
	return llabs(away(time, t_ns)) <= near_ns;
}

/* Of a log whose times name no zone none lies at the run: the zone is another one. */
static void find_apart(struct run_time *time, const struct run *run)
{
	bool *apart = xcalloc(run->file_count + 1, sizeof *apart);

	for (size_t i = 0; i < run->file_count; i++)
		apart[i] = run->file[i].wall;
	for (size_t i = 0; i < run->event_count; i++) {
		const struct event *event = &run->event[i];
		int64_t t_ns[2];
		size_t count = event->at.line ? instants_of(event, t_ns) : 0;

		for (size_t k = 0; k < count; k++)
			if (is_near(time, event, t_ns[k]))
				apart[event->at.file] = false;
	}
	time->apart = apart;
}

/* Whether it has grown. */
static bool grow(struct run_time *time, const struct run *run)
{
	struct run_time grown = *time;

	for (size_t i = 0; i < run->event_count; i++) {
		const struct event *event = &run->event[i];
		int64_t t_ns[2];
		size_t count = is_apart(time, event) ? 0 : instants_of(event, t_ns);

		for (size_t k = 0; k < count; k++)
			if (is_near(time, event, t_ns[k]))
				widen(&grown, t_ns[k]);
	}
	if (grown.from_ns == time->from_ns && grown.to_ns == time->to_ns)
		return false;
	*time = grown;
	return true;
}

/* Its instant that is furthest away, if one is not near. */
static bool is_far(
	const struct run_time *time, const struct event *event, struct far_event *far)
{
	int64_t t_ns[2];
	size_t count = instants_of(event, t_ns);
	bool found = false;

	for (size_t i = 0; i < count; i++) {
		int64_t away_ns = away(time, t_ns[i]);

		if (is_near(time, event, t_ns[i]) ||
			(found && llabs(away_ns) <= llabs(far->away_ns)))
			continue;
		far->t_ns = t_ns[i];
		far->away_ns = away_ns;
		found = true;
	}
	return found;
}

size_t far_events_find(
	const struct run *run, int64_t from_ns, int64_t to_ns, struct far_event **far)
{
	struct run_time time = time_of(run, from_ns, to_ns);
	size_t count = 0, cap = 0;

	*far = NULL;
	if (!time.known)
		find_group(run, &time);
	if (!time.known)
		return 0;
	if (time.exact)
		find_apart(&time, run);
	while (grow(&time, run))
		continue;
	for (size_t i = 0; i < run->event_count; i++) {
		struct far_event found = {.event = i};

		if (!is_far(&time, &run->event[i], &found))
			continue;
		ALLOC_GROW(*far, count + 1, cap);
		(*far)[count++] = found;
	}
	free(time.apart);
	return count;
}
