/*
 * What happened at an instant and is neither a phase nor a unit of work: each kind of
 * event, how often and when, and for who asks each one. Must not judge.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/quantity.h"
#include "render/doc_run.h"

#define EVENTS_LISTED 300

/* Of one type and name. */
struct event_kind {
	const struct event *first;
	size_t count;
	int64_t first_ns, last_ns; /* TIME_NONE: the log gave no time */
};

static bool is_alike(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_work(const struct report *report, const struct event *event)
{
	for (size_t i = 0; i < report->work_count; i++)
		if (is_alike(report->work[i].type_name, event->type_name) &&
			is_alike(report->work[i].name, event->name))
			return true;
	return false;
}

static bool is_told(const struct report *report, const struct event *event)
{
	return event->type == EVENT_POINT && report_has_instant(report, event->t_ns) &&
		!is_work(report, event);
}

static int compare_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int by_kind(const void *a, const void *b)
{
	const struct event *x = *(const struct event *const *)a;
	const struct event *y = *(const struct event *const *)b;
	int order = compare_texts(x->type_name, y->type_name);

	order = order ? order : compare_texts(x->name, y->name);
	return order ? order : x < y ? -1 : x > y;
}

/* Without a time last. */
static int by_first(const void *a, const void *b)
{
	const struct event_kind *x = a, *y = b;

	if ((x->first_ns == TIME_NONE) != (y->first_ns == TIME_NONE))
		return x->first_ns == TIME_NONE ? 1 : -1;
	if (x->first_ns != y->first_ns)
		return x->first_ns < y->first_ns ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static void extend(struct event_kind *kind, int64_t t_ns)
{
	kind->count++;
	if (t_ns == TIME_NONE)
		return;
	if (kind->first_ns == TIME_NONE || t_ns < kind->first_ns)
		kind->first_ns = t_ns;
	if (kind->last_ns == TIME_NONE || t_ns > kind->last_ns)
		kind->last_ns = t_ns;
}

/* event[count] is sorted; the caller frees what comes back. */
static struct event_kind *find_kinds(
	const struct event *const *event, size_t count, size_t *kinds)
{
	struct event_kind *kind = xcalloc(count + 1, sizeof *kind);

	*kinds = 0;
	for (size_t i = 0; i < count; i++) {
		if (!i || compare_texts(event[i]->type_name, event[i - 1]->type_name) ||
			compare_texts(event[i]->name, event[i - 1]->name))
			kind[(*kinds)++] =
				(struct event_kind){event[i], 0, TIME_NONE, TIME_NONE};
		extend(&kind[*kinds - 1], event[i]->t_ns);
	}
	qsort(kind, *kinds, sizeof *kind, by_first);
	return kind;
}

static void add_name(struct doc *doc, const struct event *event)
{
	doc_text(doc, event->name ? event->name : event->type_name);
	if (event->name && event->type_name)
		doc_text(doc, event->type_name);
	else
		doc_blank(doc);
}

static void add_kinds(struct doc *doc, const struct report *report,
	const struct event_kind *kind, size_t count, size_t most)
{
	static const struct doc_column columns[] = {
		{"event", "", DOC_LEFT, true},
		{"of type", "", DOC_LEFT, true},
		{"times", "", DOC_RIGHT, false},
		{"first", "s", DOC_RIGHT, false},
		{"last", "s", DOC_RIGHT, false},
	};

	doc_table(doc, columns, sizeof columns / sizeof columns[0])->follows = true;
	for (size_t i = 0; i < count && i < most; i++) {
		add_name(doc, kind[i].first);
		doc_number(doc, (double)kind[i].count, 0);
		doc_number(doc, report_second(report, kind[i].first_ns), 1);
		doc_number(doc, report_second(report, kind[i].last_ns), 1);
	}
	if (count <= most)
		return;
	doc_begin(doc, DOC_NOTES)->follows = true;
	doc_text(doc, NULL);
	doc_textf(doc, "... and %zu more; these came first", count - most);
}

/* In the order of the log. */
static void add_each(struct doc *doc, const struct report *report)
{
	static const struct doc_column columns[] = {
		{"event", "", DOC_LEFT, true},
		{"of type", "", DOC_LEFT, true},
		{"at", "s", DOC_RIGHT, false},
		{"", "", DOC_LEFT, true},
	};
	const struct run *run = report->run;
	size_t listed = 0;

	doc_heading(doc, 2, "Each event");
	doc_table(doc, columns, sizeof columns / sizeof columns[0])->follows = true;
	for (size_t i = 0; i < run->event_count; i++) {
		const struct event *event = &run->event[i];

		if (!is_told(report, event) || listed++ >= EVENTS_LISTED)
			continue;
		add_name(doc, event);
		doc_number(doc, report_second(report, event->t_ns), 1);
		if (event->extras)
			doc_text(doc, event->extras);
		else
			doc_blank(doc);
	}
	if (listed <= EVENTS_LISTED)
		return;
	doc_begin(doc, DOC_NOTES)->follows = true;
	doc_text(doc, NULL);
	doc_textf(doc, "... and %zu more (--json has them)", listed - EVENTS_LISTED);
}

void doc_events(
	struct doc *doc, const struct report *report, const struct render_options *opt)
{
	const struct run *run = report->run;
	const struct event **event = xcalloc(run->event_count + 1, sizeof *event);
	struct event_kind *kind;
	size_t count = 0, kinds;

	for (size_t i = 0; i < run->event_count; i++)
		if (is_told(report, &run->event[i]))
			event[count++] = &run->event[i];
	qsort(event, count, sizeof *event, by_kind);
	kind = find_kinds(event, count, &kinds);
	if (kinds) {
		doc_heading(doc, 2, "Events");
		add_kinds(doc, report, kind, kinds,
			opt->verbose > 0 ? EVENTS_LISTED : DOC_LIST_MAX);
	}
	if (kinds && opt->verbose > 0)
		add_each(doc, report);
	free(kind);
	free(event);
}
