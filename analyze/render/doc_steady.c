/*
 * The steady state in a sentence: from when to when, what the GPUs did in it, how far to
 * trust that, and what was not steady. Chooses words; must not compute, lay out or
 * escape.
 */
#include <math.h>

#include "base/quantity.h"
#include "render/doc_run.h"
#include "render/short_name.h"

/* The longest of several; of equal ones the first. NULL: none is listed. */
static const struct interruption *longest_of(const struct steady *s)
{
	const struct interruption *longest = NULL;

	for (size_t i = 0; i < s->interruption_listed; i++)
		if (!longest || s->interruption[i].seconds > longest->seconds)
			longest = &s->interruption[i];
	return longest;
}

/* " after 2 min 30 s in train/checkpoint", " after 40.0 s (not recorded)" */
static void add_place(struct strbuf *text, const struct report *report,
	const struct interruption *interruption)
{
	size_t phase = interruption_phase(report, interruption);

	strbuf_adds(text, " after ");
	quantity_span(text, interruption->start_s);
	if (interruption->silent) {
		strbuf_addf(text, ", %s", interruption_why(interruption));
	} else if (phase != SIZE_MAX) {
		strbuf_adds(text, " in ");
		short_phase(text, report->path[phase].path);
	}
}

static void add_interruptions(
	struct strbuf *text, const struct report *report, const struct steady *s)
{
	const struct interruption *longest = longest_of(s);
	bool one = s->interruptions == 1;

	if (!s->interruptions)
		return;
	strbuf_adds(text, "; ");
	quantity_count(text, s->interruptions);
	strbuf_adds(text, one ? " interruption of " : " interruptions of ");
	quantity_span(text, s->interrupted_s);
	if (!one)
		strbuf_adds(text, " in all");
	if (!longest)
		return;
	if (!one) {
		strbuf_adds(text, ", the longest ");
		quantity_span(text, longest->seconds);
	}
	add_place(text, report, longest);
}

/* The GPU in which a metric drifts most; NULL: in none. gpus: in how many it does. */
static const struct drift *worst_of(
	const struct steady *s, enum metric_id metric, size_t *gpus)
{
	const struct drift *worst = NULL;

	*gpus = 0;
	for (size_t i = 0; i < s->drift_count; i++) {
		const struct drift *drift = &s->drift[i];

		if (drift->metric != metric || drift->change == 0)
			continue;
		++*gpus;
		if (!worst || fabs(drift->change) > fabs(worst->change))
			worst = drift;
	}
	return worst;
}

/* "; but over it power falls by 16.7 % (gpu0), SM clock by up to 17.6 % (4 GPUs)" */
static void add_drifts(struct strbuf *text, const struct report *report)
{
	const struct steady *s = &report->steady;
	bool any = false;

	for (size_t i = 0; i < s->drift_count; i++) {
		enum metric_id metric = s->drift[i].metric;
		const struct drift *worst;
		size_t gpus;

		if (i && s->drift[i - 1].metric == metric)
			continue;
		worst = worst_of(s, metric, &gpus);
		if (!worst)
			continue;
		strbuf_adds(text, any ? ", " : "; but over it ");
		any = true;
		strbuf_addf(text, "%s %s by %s", metric_get(metric)->title,
			worst->change < 0 ? "falls" : "rises", gpus > 1 ? "up to " : "");
		quantity_ratio(text, fabs(worst->change));
		if (gpus > 1)
			strbuf_addf(text, " (%zu GPUs)", gpus);
		else
			strbuf_addf(
				text, " (%s)", report->run->device[worst->device].name);
	}
}

/* Less than is printed is none. */
#define INSTANT_S 0.05

static void add_instant(struct strbuf *text, double seconds)
{
	if (fabs(seconds) < INSTANT_S)
		strbuf_adds(text, "the start");
	else
		quantity_span(text, seconds);
}

static void add_warm_up(struct strbuf *text, double seconds)
{
	if (seconds < INSTANT_S) {
		strbuf_adds(text, " (no warm-up");
		return;
	}
	strbuf_adds(text, " (warm-up ");
	quantity_span(text, seconds);
}

/* Runs of so many seconds are expected to have one. */
#define STEADY_EXPECTED_S 60

/* Where none was found nothing of a short run, unless somebody wants to know all. */
void doc_steady(struct doc *doc, const struct report *report, bool all)
{
	const struct steady *s = &report->steady;
	struct strbuf text;

	all |= report->duration_s >= STEADY_EXPECTED_S;
	if (!s->found && (!all || s->source == SOURCE_NONE))
		return;
	strbuf_init(&text);
	if (!s->found) {
		strbuf_addf(&text, "not found: %s", s->why_not);
	} else {
		strbuf_adds(
			&text, steady_slows(s) ? "in use only, from " : "found from ");
		add_instant(&text, s->from_s);
		strbuf_adds(&text, " to ");
		if (s->to_ns == report->ended_ns)
			strbuf_adds(&text, "the end");
		else
			quantity_span(&text, s->to_s);
		if (!isnan(s->gpu_util_mean_pct)) {
			strbuf_adds(&text, ": GPU utilisation ");
			quantity_number(&text, s->gpu_util_mean_pct, 1);
			strbuf_adds(&text, " %");
		}
		if (!isnan(s->power_total_mean_w)) {
			strbuf_adds(&text,
				isnan(s->gpu_util_mean_pct) ? ": power " : ", power ");
			quantity_number(&text, s->power_total_mean_w, 1);
			strbuf_adds(&text, " W");
		}
		add_warm_up(&text, s->warm_up_s);
		add_interruptions(&text, report, s);
		if (s->coverage < 0.9995) {
			strbuf_adds(&text, "; ");
			quantity_ratio(&text, s->coverage);
			strbuf_adds(&text, " of it recorded");
		}
		strbuf_addc(&text, ')');
		add_drifts(&text, report);
	}
	doc_text(doc, "Steady state");
	doc_text(doc, text.text);
	strbuf_release(&text);
}
