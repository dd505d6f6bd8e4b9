/*
 * A run in a sentence, and its grade with what it is for. Made of numbers that stand
 * below it; what is not known is not spoken of. Must not compute or judge.
 */
#include <math.h>

#include "base/quantity.h"
#include "model/coverage.h"
#include "render/doc_run.h"
#include "render/told.h"

/* Has any device an interval? Without one no gap can be told, and nothing is covered. */
static bool knows_interval(const struct evidence *e)
{
	for (size_t i = 0; i < e->device_count; i++)
		if (e->device[i].interval_source)
			return true;
	return false;
}

static bool has_samples(const struct report *report)
{
	return report->evidence.device_count > 0;
}

/* Of phases and other events only, which need none. */
static bool is_of_events(const struct report *report)
{
	return !has_samples(report) && report->run->event_count > 0;
}

enum doc_tone doc_grade_tone(const struct report *report)
{
	char grade = report->evidence.grade;

	if (grade == 'F')
		return is_of_events(report) ? TONE_PLAIN : TONE_BAD;
	return grade == 'C' ? TONE_WARN : TONE_PLAIN;
}

static bool has_times(const struct evidence *e)
{
	for (size_t i = 0; i < e->device_count; i++)
		if (e->device[i].first_ns != TIME_NONE)
			return true;
	return false;
}

/* Are there rows that an interval could lie between? */
static bool has_steps(const struct evidence *e)
{
	for (size_t i = 0; i < e->device_count; i++) {
		const struct device_evidence *d = &e->device[i];

		if (d->first_ns == TIME_NONE ? d->rows > 1 : d->last_ns > d->first_ns)
			return true;
	}
	return false;
}

/* Why it is not known, and what the reader can do about it. */
static void add_unknown(struct strbuf *text, const struct evidence *e)
{
	bool known = knows_interval(e);

	strbuf_adds(text, "unknown");
	if (!has_times(e))
		strbuf_adds(text, " (the rows have no times");
	else if (!known)
		strbuf_adds(text, " (too few rows to tell their interval");
	else
		return;
	strbuf_adds(text, known || !has_steps(e) ? ")" : "; give --interval)");
}

/* "coverage 37.5 % of gpu3 and 4 more": of the worst, where that is why */
static void add_coverage(struct strbuf *text, const struct report *report, bool why)
{
	const struct evidence *e = &report->evidence;
	struct grade_worst worst = {.gpu = NULL};

	if (!has_samples(report)) {
		strbuf_adds(text,
			is_of_events(report) ? "no samples, only events" : "no samples");
		return;
	}
	strbuf_adds(text, "coverage ");
	if (isnan(e->coverage))
		add_unknown(text, e);
	else
		quantity_ratio(text, e->coverage);
	if (!knows_interval(e) || !has_times(e))
		return;
	if (why)
		worst = grade_worst_gpu(report);
	if (!worst.gpu)
		return;
	strbuf_addf(text, " of %s", worst.gpu->name);
	if (worst.more)
		strbuf_addf(text, " and %zu more", worst.more);
	if (!worst.interval_known)
		strbuf_addf(text, ", whose sampling interval can't be told");
}

static const char *reason_name(enum grade_reason reason)
{
	switch (reason) {
	case GRADE_WENT_BACK:
		return "time went back";
	case GRADE_UNREADABLE:
		return "a file could not be read";
	case GRADE_LOG_ENDED:
		return "a log ended before the run";
	case GRADE_CLOCK_SET:
		return "the clock was set";
	case GRADE_COVERAGE:
	case GRADE_NO_REASON:
		break;
	}
	return NULL;
}

void doc_grade(struct strbuf *text, const struct report *report)
{
	enum grade_reason reason = grade_reason(report);
	const char *name = reason_name(reason);

	strbuf_addf(text, "grade %c%s ", report->evidence.grade,
		reason == GRADE_NO_REASON ? "," : ":");
	if (name)
		strbuf_addf(text, "%s, ", name);
	add_coverage(text, report, reason == GRADE_COVERAGE);
}

static enum summary_key key_of(const struct report *report)
{
	return report_gpu_count(report) ? SUMMARY_gpu_util_mean_pct
					: SUMMARY_cpu_idle_mean_pct;
}

/* Of the run's time the share that its mean utilisation is of, where it has one. */
static double time_share(const struct report *report)
{
	enum metric_id metric = summary_field_get(key_of(report))->metric;
	double share = NAN;

	for (size_t i = 0; i < report->stats_count; i++) {
		const struct metric_stats *s = &report->stats[i];

		if (s->metric == metric && report_stats_take_part(report, s))
			share = fmin(share, s->covered_s / report->duration_s);
	}
	return share;
}

double doc_sessions_share(const struct report *report)
{
	double share = time_share(report);

	return report->evidence.sessions > 1 && share > 0 && share < COVERAGE_WHOLE &&
			!(share >= covered_summary(report, key_of(report)).coverage)
		? share
		: NAN;
}

/* "8 GPUs were busy ", "7 of 8 GPUs were busy ": those of which it is known */
static void add_gpus(struct strbuf *text, const struct report *report, size_t gpus)
{
	size_t known = covered_summary(report, SUMMARY_gpu_util_mean_pct).gpus;

	if (known < gpus)
		strbuf_addf(text, "%zu of ", known);
	strbuf_addf(text, "%zu GPU%s %s busy ", gpus, gpus == 1 ? "" : "s",
		known == 1 ? "was" : "were");
}

static void add_others(struct strbuf *text, const struct report *report, size_t gpus)
{
	size_t known = covered_summary(report, SUMMARY_gpu_util_mean_pct).gpus;

	if (known < gpus)
		strbuf_addf(text, ", of the other%s nobody knows",
			known + 1 < gpus ? "s" : "");
}

/* "8 GPUs were busy 71.2 % of 1 h 02 min" */
static void add_busy(struct strbuf *text, const struct report *report)
{
	double busy_pct = report->summary[SUMMARY_gpu_util_mean_pct].number;
	double idle_pct = report->summary[SUMMARY_cpu_idle_mean_pct].number;
	size_t gpus = report_gpu_count(report);
	double known, in_sessions = doc_sessions_share(report);

	if (gpus && !isnan(busy_pct)) {
		add_gpus(text, report, gpus);
		quantity_number(text, busy_pct, 1);
	} else if (!gpus && !isnan(idle_pct)) {
		strbuf_adds(text, "The CPUs were idle ");
		quantity_number(text, idle_pct, 1);
	} else {
		if (!isnan(report->duration_s)) {
			quantity_span(text, report->duration_s);
			strbuf_adds(text, " were recorded");
		}
		return;
	}
	if (isnan(report->duration_s)) {
		strbuf_adds(text, " % of the time");
		add_others(text, report, gpus);
		return;
	}
	strbuf_adds(text, " % of ");
	known = covered_summary(report, key_of(report)).coverage;
	if (!isnan(in_sessions)) {
		strbuf_adds(text, "the ");
		quantity_ratio(text, in_sessions);
		strbuf_adds(text, " that its sessions recorded of ");
	} else if (known < COVERAGE_WHOLE) {
		strbuf_adds(text, "the ");
		quantity_ratio(text, known);
		strbuf_adds(text, " that is known of ");
	}
	quantity_span(text, report->duration_s);
	add_others(text, report, gpus);
}

struct told_count {
	size_t bad, warn;
	size_t untold; /* rules that can't be judged */
	const char *first; /* title of the worst; NULL */
};

static struct told_count count_told(const struct report *report)
{
	size_t fired = told_fired(report);
	struct told_count told = {.first = NULL};

	for (size_t i = 0; i < report->finding_count; i += told_alike(report, i)) {
		enum severity severity = report->finding[i].rule->severity;

		if (i >= fired) {
			told.untold++;
			continue;
		}
		if (severity == SEVERITY_INFO || told_already(report, i))
			continue;
		told.bad += severity == SEVERITY_BAD;
		told.warn += severity == SEVERITY_WARN;
		if (!told.first)
			told.first = report->finding[i].rule->title;
	}
	return told;
}

bool doc_is_part(const struct report_filter *filter)
{
	return filter->metric || filter->device || filter->phase;
}

static void add_told(
	struct strbuf *text, const struct report *report, const struct told_count *told)
{
	const char *begin = text->len ? "; " : "";

	if (told->bad)
		strbuf_addf(text, "%s%zu problem%s", begin, told->bad,
			told->bad == 1 ? "" : "s");
	if (told->warn)
		strbuf_addf(text, "%s%zu warning%s", told->bad ? " and " : begin,
			told->warn, told->warn == 1 ? "" : "s");
	if (told->first)
		strbuf_addf(text, "%s: %s", told->bad + told->warn > 1 ? ", first" : "",
			told->first);
	else if (!doc_is_part(&report->filter)) /* else rules were left out */
		strbuf_addf(text, "%snothing is wrong that the rules %s", begin,
			told->untold ? "can judge" : "look for");
}

void doc_verdict(struct doc *doc, const struct report *report)
{
	struct told_count told = count_told(report);
	enum doc_tone tone = told.bad ? TONE_BAD : told.warn ? TONE_WARN : TONE_PLAIN;
	struct strbuf text;

	strbuf_init(&text);
	if (report->evidence.grade == 'F' && !is_of_events(report)) {
		strbuf_adds(&text, "The recording can't be trusted: ");
		add_coverage(&text, report, true);
		tone = TONE_BAD;
	} else {
		add_busy(&text, report);
	}
	if (report->evidence.grade != 'F' || told.first)
		add_told(&text, report, &told);
	if (run_is_damaged(report->run)) {
		strbuf_adds(&text, text.len ? "; parts" : "Parts");
		strbuf_adds(&text, " of the logs are damaged");
		tone = tone == TONE_PLAIN ? TONE_WARN : tone;
	}
	if (text.len) {
		strbuf_addc(&text, '.');
		doc_begin(doc, DOC_LEAD)->follows = true;
		doc_text(doc, text.text)->tone = tone;
	}
	strbuf_release(&text);
}
