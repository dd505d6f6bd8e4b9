/*
 * Samples in a trace. A counter holds its last value until the next one, and no viewer
 * knows of one that ends: where nothing is known, a slice says so.
 */
#include <math.h>

#include "base/timestamp.h"
#include "render/trace_parts.h"

enum { /* of the mark of a counter */
	NAME_UNKNOWN,
	NAME_ALONE,
	NAME_WITH_SOURCE
};

/* Has another kind of log values of it, too? */
static bool has_other_source(const struct report *report, const struct chronicle_of *of)
{
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		const struct metric_stats *stats = kind == of->source
			? NULL
			: metric_stats_of(report->stats, report->stats_count, kind,
				  of->device, of->metric);

		if (stats && stats->n)
			return true;
	}
	return false;
}

/* "gpu0 power_w", and the kind of log where several have it. */
static const char *name_of(
	struct trace *t, const struct chronicle_of *of, bool with_source)
{
	strbuf_clear(&t->name);
	strbuf_adds(&t->name, t->report->run->device[of->device].name);
	if (of->metric < METRIC_COUNT)
		strbuf_addf(&t->name, " %s", metric_get(of->metric)->name);
	if (with_source)
		strbuf_addf(&t->name, " (%s)", source_name(of->source));
	return t->name.text;
}

static void take_value(struct chronicle_taker *taker, const struct chronicle_of *of,
	int64_t t_ns, double value)
{
	struct trace *t = (struct trace *)taker;
	const char *unit = metric_get(of->metric)->unit;

	if (*of->mark == NAME_UNKNOWN)
		*of->mark =
			has_other_source(t->report, of) ? NAME_WITH_SOURCE : NAME_ALONE;
	trace_event_named(t, "C", t->pid, t_ns, NULL,
		name_of(t, of, *of->mark == NAME_WITH_SOURCE));
	json_number(t->w, *unit ? unit : "value", value);
	json_close(t->w);
	json_close(t->w);
}

static void take_state(struct chronicle_taker *taker, const struct chronicle_of *of,
	int64_t from_ns, int64_t to_ns, const char *word)
{
	struct trace *t = (struct trace *)taker;

	if (!*of->mark)
		*of->mark =
			trace_track(t, name_of(t, of, has_other_source(t->report, of)));
	trace_slice(t, *of->mark, from_ns, to_ns, "state", word);
}

/* What the report knows of it; NULL: nothing. */
static const char *cause_of(
	const struct report *report, const struct chronicle_of *of, int64_t from_ns)
{
	const struct evidence *e = &report->evidence;

	for (size_t i = 0; i < e->gap_listed; i++)
		if (e->gap[i].start_ns == from_ns && e->gap[i].device == of->device &&
			e->gap[i].source == of->source)
			return gap_cause_name(e->gap[i].cause);
	return NULL;
}

static void take_silence(struct chronicle_taker *taker, const struct chronicle_of *of,
	int64_t from_ns, int64_t to_ns)
{
	struct trace *t = (struct trace *)taker;
	const char *what = of->metric < METRIC_COUNT ? "no value" : "not recorded";
	const char *cause = cause_of(t->report, of, from_ns);
	struct strbuf name;

	strbuf_init(&name);
	if (!*of->mark) {
		strbuf_addf(&name, "%s: %s", what, name_of(t, of, true));
		*of->mark = trace_track(t, name.text);
		strbuf_clear(&name);
	}
	strbuf_adds(&name, what);
	if (cause)
		strbuf_addf(&name, ": %s", cause);
	trace_slice(t, *of->mark, from_ns, to_ns, "silence", name.text);
	strbuf_release(&name);
}

void trace_take_samples(struct trace *t)
{
	t->taker = (struct chronicle_taker){take_value, take_state, take_silence};
}
