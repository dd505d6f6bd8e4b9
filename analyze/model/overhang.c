/* Ends of calls and of work against those of the samples. */
#include "model/overhang.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/quantity.h"
#include "model/coverage.h"

/* How far an instant lies before another; 0: it does not. */
static double seconds_before(int64_t ns, int64_t other_ns)
{
	return ns < other_ns ? number_ratio((int128)other_ns - ns, NS_PER_S) : 0;
}

static void extend(struct overhang *over, const struct report *report, int64_t from_ns,
	int64_t to_ns, bool events)
{
	double before_s = seconds_before(from_ns, report->started_ns);
	double after_s = seconds_before(report->ended_ns, to_ns);

	if (before_s > over->before_s) {
		over->before_s = before_s;
		over->events_before = events;
	}
	if (after_s > over->after_s) {
		over->after_s = after_s;
		over->events_after = events;
	}
}

struct overhang overhang_of(const struct report *report)
{
	struct overhang over = {0};

	if (!report->duration_source || strcmp(report->duration_source, "samples") != 0)
		return over;
	for (size_t i = 0; i < report->call_count; i++)
		extend(&over, report, report->call[i].start_ns, report->call[i].end_ns,
			false);
	for (size_t i = 0; i < report->work_count; i++)
		extend(&over, report, report->work[i].first_ns, report->work[i].last_ns,
			true);
	return over;
}

/* What may lie beyond the samples of any recording. */
static double forgiven_s(const struct report *report)
{
	double most_s = 0;

	for (size_t i = 0; i < report->evidence.device_count; i++)
		most_s = fmax(most_s, report->evidence.device[i].interval_s);
	return most_s + EDGE_MOST_S;
}

void overhang_say(struct strbuf *text, const struct report *report)
{
	struct overhang over = overhang_of(report);
	bool doubt = covered_summary(report, SUMMARY_duration_s).doubt != DOUBT_NONE;
	double least_s = doubt ? 0 : forgiven_s(report);
	bool before = over.before_s > least_s, after = over.after_s > least_s;

	if (before || after)
		strbuf_adds(text, ", but ");
	if (before) {
		strbuf_addf(text, "%s begin ", over.events_before ? "events" : "phases");
		quantity_span(text, over.before_s);
		strbuf_adds(text, " before the first");
	}
	if (before && after)
		strbuf_adds(text, " and ");
	if (after) {
		if (!before || over.events_before != over.events_after)
			strbuf_addf(text, "%s ", over.events_after ? "events" : "phases");
		strbuf_adds(text, "go on ");
		quantity_span(text, over.after_s);
		strbuf_adds(text, " behind the last");
	}
}
