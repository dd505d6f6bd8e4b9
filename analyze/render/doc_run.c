/*
 * The document of a run: who and when, resources, phases, quality of the recording,
 * losses. Chooses and orders; must not compute, format or escape.
 */
#include "render/doc_run.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/name_match.h"
#include "base/quantity.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "model/coverage.h"
#include "model/report.h"
#include "render/doc.h"
#include "render/doc_findings.h"
#include "render/render.h"

/* The main sentence, and the grade with its reasons. Unknown values are left out. */

#define COMMAND_SHORT  24 /* bytes: on a terminal no line of its own */
#define FULLY_BUSY_PCT 99.95 /* that is printed as 100.0 */

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
		strbuf_adds(text, " (the rows have no timestamps");
	else if (!known)
		strbuf_adds(text, " (too few rows to know the interval");
	else
		return;
	strbuf_adds(text, known || !has_steps(e) ? ")" : "; add --interval TIME)");
}

/* "coverage 37.5 % for gpu3 and 4 more": of the worst, where that is why */
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
	strbuf_addf(text, " for %s", worst.gpu->name);
	if (worst.more)
		strbuf_addf(text, " and %zu more", worst.more);
	if (!worst.interval_known)
		strbuf_adds(text, " (sampling interval unknown)");
}

/* Appends "grade C: timestamps go backwards", with the coverage. */
static void doc_grade(struct strbuf *text, const struct report *report)
{
	static const char *const names[] = {[GRADE_NO_REASON] = NULL,
		[GRADE_COVERAGE] = NULL,
		[GRADE_WENT_BACK] = "timestamps go backwards",
		[GRADE_SHORT] = "shorter than two sampling intervals",
		[GRADE_SPARSE] = "few samples",
		[GRADE_UNREADABLE] = "a file could not be read",
		[GRADE_LOG_ENDED] = "a log ends before the run",
		[GRADE_CLOCK_SET] = "the clock was set"};
	enum grade_reason reason = grade_reason(report);

	strbuf_addf(text, "grade %c%s ", report->evidence.grade,
		reason == GRADE_NO_REASON ? "," : ":");
	if (names[reason])
		strbuf_addf(text, "%s, ", names[reason]);
	add_coverage(text, report, reason == GRADE_COVERAGE);
}

static enum summary_key key_of(const struct report *report)
{
	return report_gpu_count(report) ? SUMMARY_gpu_util_mean_pct
					: SUMMARY_cpu_busy_mean_pct;
}

/* Of the run's time the share that its mean utilization is of, where it has one. */
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

/*
 * Where a log was begun again, its coverage asks for nothing between its sessions:
 * what part of the run's time these are, of the utilization; NAN where the coverage
 * tells it.
 */
static double doc_sessions_share(const struct report *report)
{
	double share = time_share(report);

	return report->evidence.sessions > 1 && share > 0 && share < COVERAGE_WHOLE &&
			!(share >= covered_summary(report, key_of(report)).coverage)
		? share
		: NAN;
}

/* "2 GPUs 71.2 % busy", "CPUs 51.6 % busy"; false: nothing is known. */
static bool add_share(struct strbuf *text, const struct report *report)
{
	double gpu_pct = report->summary[SUMMARY_gpu_util_mean_pct].number;
	double cpu_pct = report->summary[SUMMARY_cpu_busy_mean_pct].number;
	size_t gpus = report_gpu_count(report);
	size_t known = covered_summary(report, SUMMARY_gpu_util_mean_pct).gpus;
	struct strbuf doubt;

	if (!gpus && !isnan(gpu_pct))
		gpus = known = report_gpus_together(report);
	if (gpus && !isnan(gpu_pct)) {
		if (known < gpus)
			strbuf_addf(text, "%zu of ", known);
		strbuf_addf(text, "%zu GPU%s ", gpus, gpus == 1 ? "" : "s");
		quantity_number(text, gpu_pct, 1);
		strbuf_adds(text, " % busy");
		strbuf_init(&doubt);
		if (doubt_of_values(&doubt, report, SUMMARY_gpu_util_mean_pct))
			strbuf_addf(text, " (%s)", doubt.text);
		strbuf_release(&doubt);
		return true;
	}
	if (gpus || isnan(cpu_pct))
		return false;
	strbuf_adds(text, "CPUs ");
	if (cpu_pct >= FULLY_BUSY_PCT) {
		strbuf_adds(text, "fully busy");
		return true;
	}
	quantity_number(text, cpu_pct, 1);
	strbuf_adds(text, " % busy");
	return true;
}

/*
 * "; the command used 0.3 s of CPU time": less than half of the time in which the CPUs,
 * of which the sentence speaks, were busy.
 */
static void add_command(struct strbuf *text, const struct report *report)
{
	double used_s = report_command_cpu_s(report);
	double busy_s = report->summary[SUMMARY_cpu_busy_mean_pct].number / 100 *
		report->summary[SUMMARY_cpu_count].number * report->duration_s;

	if (!(used_s < busy_s / 2))
		return;
	strbuf_adds(text, "; the command used ");
	quantity_span(text, used_s);
	strbuf_adds(text, " of CPU time");
}

/* "8 GPUs 71.2 % busy over 1 h 02 min (88.5 % of the time recorded)" */
static void add_busy(struct strbuf *text, const struct report *report)
{
	size_t gpus = report_gpu_count(report), sessions = report->evidence.sessions;
	struct covered covered = covered_summary(report, key_of(report));
	double in_sessions = doc_sessions_share(report);

	if (!add_share(text, report)) {
		if (isnan(report->duration_s))
			return;
		quantity_span(text, report->duration_s);
		strbuf_adds(text, " recorded");
		return;
	}
	if (isnan(report->duration_s)) {
		strbuf_adds(text, " (duration unknown)");
	} else {
		strbuf_adds(text, " over ");
		quantity_span(text, report->duration_s);
	}
	if (!isnan(report->duration_s) && !isnan(in_sessions)) {
		strbuf_addf(text, " (%zu sessions cover ", sessions);
		quantity_ratio(text, in_sessions);
		strbuf_adds(text, " of the time)");
	} else if (!isnan(report->duration_s) && covered.coverage < COVERAGE_WHOLE) {
		strbuf_adds(text, " (");
		quantity_ratio(text, covered.coverage);
		strbuf_adds(text, " of the time recorded)");
	}
	if (!gpus)
		add_command(text, report);
	if (gpus && covered.gpus < gpus)
		strbuf_addf(text, "; utilization of the other%s not recorded",
			gpus - covered.gpus > 1 ? "s" : "");
}

struct told_count {
	size_t bad, warn;
	const char *first; /* title of the worst; NULL */
};

static struct told_count count_told(const struct report *report)
{
	struct told_count told = {.first = NULL};
	struct problem problem = {0};

	while (problem_next(report, &problem)) {
		const struct rule *rule = report->finding[problem.from].rule;

		told.bad += rule->severity == SEVERITY_BAD;
		told.warn += rule->severity == SEVERITY_WARN;
		if (!told.first)
			told.first = rule->title;
	}
	return told;
}

bool doc_is_part(const struct report_filter *filter)
{
	return filter->metric || filter->device || filter->phase;
}

/* The title of a rule that gives no all-clear; NULL: none fires. */
static const char *unclear(const struct report *report)
{
	size_t fired = findings_fired(report);

	for (size_t i = 0; i < fired; i++)
		if (report->finding[i].rule->unclear && !finding_is_covered(report, i))
			return report->finding[i].rule->title;
	return NULL;
}

bool doc_unclear(struct strbuf *why, const struct report *report)
{
	const char *lack = clearance_lacks(report, doc_sessions_share(report));

	lack = lack ? lack : unclear(report);
	if (lack)
		strbuf_addf(why, "%c%s",
			lack[1] == ' ' ? tolower((unsigned char)*lack) : *lack, lack + 1);
	return lack;
}

static void add_all_clear(struct strbuf *text, const struct report *report)
{
	struct strbuf why = strbuf_new();
	bool lack = doc_unclear(&why, report);

	if (lack)
		strbuf_addf(text, "Not known whether all is well: %s", why.text);
	else if (evidence_has_gaps(&report->evidence))
		strbuf_adds(
			text, "No problem in what was recorded; the recording has gaps");
	else
		strbuf_adds(text, "No problem found");
	if (!lack && !(report->summary[SUMMARY_gpu_count].number > 0))
		strbuf_adds(text, "; no GPU was recorded");
	strbuf_addf(text, " (%zu of %zu checks ran)", report->checks_ran, report->checks);
	strbuf_release(&why);
}

static void add_told(
	struct strbuf *text, const struct report *report, const struct told_count *told)
{
	const char *begin = text->len ? ". " : "";

	if (told->bad)
		strbuf_addf(text, "%s%zu problem%s", begin, told->bad,
			told->bad == 1 ? "" : "s");
	if (told->warn)
		strbuf_addf(text, "%s%zu warning%s", told->bad ? " and " : begin,
			told->warn, told->warn == 1 ? "" : "s");
	if (told->first)
		strbuf_addf(text, "%s: %s", told->bad + told->warn > 1 ? ", first" : "",
			told->first);
	else if (!doc_is_part(&report->filter) &&
		report->checks) { /* else some are left out */
		strbuf_adds(text, begin);
		add_all_clear(text, report);
	}
}

/* "recorder ended at 2026-11-27 20:53:27" */
static void add_recorder_end(struct strbuf *text, const struct report *report)
{
	if (report->ended_ns == TIME_NONE) {
		strbuf_adds(text, "recorder ended before its first sample");
		return;
	}
	strbuf_adds(text,
		time_is_dated(report->ended_ns) ? "recorder ended at "
						: "recorder ended after ");
	quantity_when(text, report->ended_ns);
}

/* Fewer values of a log than one in so many rows are not worth the first line. */
#define VALUES_FEW 1000

static bool is_worth_naming(const struct run *run, const struct diag *diag)
{
	const struct damage *damage = damage_find(diag->id);

	/* That is the first word already. */
	if (!diag->damage || strcmp(diag->id, "no-end") == 0 ||
		(damage && damage->rank >= DAMAGE_GUESS))
		return false;
	for (size_t i = 0; i < run->file_count && damage && damage->rank == DAMAGE_VALUES;
		i++)
		if (strcmp(run->file[i].path, diag->file) == 0)
			return diag->count * VALUES_FEW >= run->file[i].rows;
	return true;
}

bool doc_is_damaged(const struct run *run)
{
	for (size_t i = 0; i < run->diags.count; i++)
		if (is_worth_naming(run, &run->diags.at[i]))
			return true;
	return false;
}

/* The run in a sentence: how busy, how reliable, how much is wrong. */
static void doc_verdict(struct doc *doc, const struct report *report)
{
	struct told_count told = count_told(report);
	enum doc_tone tone = told.bad ? TONE_BAD : told.warn ? TONE_WARN : TONE_PLAIN;
	const char *not_started = run_fact(report->run, RUN_FACT_NOT_STARTED);
	struct strbuf text = strbuf_new();

	if (not_started)
		strbuf_addf(&text, "The command did not start: %s. ", not_started);
	if (report->ending.sign[ENDING_NO_END]) {
		strbuf_adds(&text, "The ");
		add_recorder_end(&text, report);
		strbuf_adds(&text, ". ");
	}
	if (report->evidence.grade == 'F' && !is_of_events(report)) {
		strbuf_adds(&text, "The recording is not reliable: ");
		add_coverage(&text, report, true);
		tone = TONE_BAD;
	} else {
		add_busy(&text, report);
	}
	if (report->evidence.grade != 'F' || told.first)
		add_told(&text, report, &told);
	if (doc_is_damaged(report->run)) {
		strbuf_adds(&text,
			text.len ? ". Parts of the logs are damaged"
				 : "Parts of the logs are damaged");
		tone = tone == TONE_PLAIN ? TONE_WARN : tone;
	}
	if (text.len) {
		strbuf_addc(&text, '.');
		doc_begin(doc, DOC_LEAD)->follows = true;
		doc_text(doc, text.text)->tone = tone;
	}
	strbuf_release(&text);
}

/* Filters of a report or comparison, as a list. */

static void add_moment(struct strbuf *sb, const char *word, int64_t t_ns)
{
	if (t_ns <= 0)
		return;
	strbuf_addf(sb, "%s%s ", sb->len ? " " : "", word);
	quantity_given(sb, t_ns);
}

void doc_selection(struct strbuf *sb, const struct report_filter *filter)
{
	const char *const globs[] = {filter->device, filter->metric, filter->phase};
	struct strbuf window = strbuf_new();

	add_moment(&window, "from", filter->since_ns);
	add_moment(&window, "to", filter->until_ns);
	for (size_t i = 0; i < sizeof globs / sizeof *globs; i++)
		if (globs[i])
			strbuf_addf(sb, "%s%s", sb->len ? ", " : "", globs[i]);
	if (window.len)
		strbuf_addf(sb, "%s%s", sb->len ? ", " : "", window.text);
	strbuf_release(&window);
}

void doc_only(struct doc *doc, const struct report_filter *filter)
{
	doc_selection(doc_field(doc, "Only"), filter);
	doc_keep(doc);
}

/* How a run ended, if it was cut off: the signs, and what changed before. */

#define GPUS_NAMED 4

/* A change in a minute that is worth a word: of the unit, and of the larger value. */
#define CHANGE_MIN   1
#define CHANGE_RATIO 0.01

static void add_lost(struct strbuf *text, const struct report *report)
{
	const struct ending *e = &report->ending;
	size_t lost = 0;

	for (size_t i = 0; i < e->gpu_count; i++) {
		if (!e->gpu[i].lost || lost++ >= GPUS_NAMED)
			continue;
		strbuf_addf(text, "; %s lost after ",
			report->run->device[e->gpu[i].device].name);
		quantity_when(text, e->gpu[i].last_ns);
	}
	if (!lost)
		strbuf_adds(text, "; a GPU was lost, and the log does not say which");
	if (lost > GPUS_NAMED)
		strbuf_addf(text, "; %zu more GPUs lost", lost - GPUS_NAMED);
}

static void add_driver(struct strbuf *text, const struct ending *e)
{
	strbuf_addf(
		text, "; nvidia-smi no longer reached the driver (%s)", e->driver_file);
	if (e->driver_ns == TIME_NONE)
		return;
	strbuf_adds(text, " after ");
	quantity_when(text, e->driver_ns);
}

static bool is_worth_saying(const struct gpu_ending *gpu, size_t metric)
{
	double value = gpu->value[metric], rate = gpu->rate_per_min[metric];

	return gpu->is_trend[metric] && fabs(rate) >= CHANGE_MIN &&
		fabs(rate) >= CHANGE_RATIO * fmax(fabs(value), fabs(value - rate));
}

/* "gpu0: memory 1,200 MiB, +120 MiB/min"; false: there is nothing to say. */
static bool add_rates(
	struct strbuf *text, const struct run *run, const struct gpu_ending *gpu)
{
	/* as in ending_metric */
	static const char *const name[ENDING_METRICS] = {
		"utilization", "memory", "power", "temperature"};
	bool any = false;

	for (size_t i = 0; i < ENDING_METRICS; i++) {
		const struct metric *metric = metric_get(ending_metric[i]);

		if (!is_worth_saying(gpu, i))
			continue;
		if (!any)
			strbuf_addf(text, "; %s%s", run->device[gpu->device].name,
				gpu->lost ? ", until it was lost:" : ":");
		strbuf_addf(text, "%s %s ", any ? "," : "", name[i]);
		if (gpu->rate_per_min[i] > 0)
			strbuf_addc(text, '+');
		quantity_number(text, gpu->rate_per_min[i], metric->decimals);
		strbuf_addf(text, " %s/min", metric->unit);
		any = true;
	}
	return any;
}

static void add_last_minute(struct doc *doc, const struct report *report)
{
	const struct ending *e = &report->ending;
	struct strbuf text = strbuf_new(), rest = strbuf_new();
	size_t count = 0;

	for (size_t i = 0; i < e->gpu_count; i++)
		count += add_rates(
			count < GPUS_NAMED ? &text : &rest, report->run, &e->gpu[i]);
	if (count > GPUS_NAMED)
		strbuf_addf(&text, "; and %zu more GPUs", count - GPUS_NAMED);
	if (count) {
		doc_text(doc, "Last minute");
		doc_text(doc, text.text + 2);
	}
	strbuf_release(&text);
	strbuf_release(&rest);
}

/* Fields of what cut the run off; nothing if nothing did. all: also what findings say. */
static void doc_ending(struct doc *doc, const struct report *report, bool all)
{
	const struct ending *e = &report->ending;
	struct strbuf text;

	bool own = e->sign[ENDING_DRIVER_GONE] || e->sign[ENDING_TORN]; /* no finding's */

	if ((!e->abrupt && !e->sign[ENDING_GPU_LOST]) || (!all && !own))
		return;
	strbuf_init(&text);
	if (e->sign[ENDING_NO_END]) {
		strbuf_adds(&text, "; ");
		add_recorder_end(&text, report);
	}
	if (e->sign[ENDING_SIGNAL])
		strbuf_addf(&text, "; signal %" PRId32 "%s%s", e->signal,
			e->signal_name ? ", " : "", e->signal_name ? e->signal_name : "");
	if (e->sign[ENDING_GPU_LOST])
		add_lost(&text, report);
	if (e->sign[ENDING_DRIVER_GONE])
		add_driver(&text, e);
	if (e->sign[ENDING_TORN])
		strbuf_addf(&text, "; %s ends in the middle of a line", e->torn_file);
	doc_text(doc, "Ending");
	doc_textf(doc, "%s%s", e->abrupt && !e->sign[ENDING_NO_END] ? "abrupt: " : "",
		text.text + 2)
		->tone = TONE_BAD;
	strbuf_release(&text);
	if (all)
		add_last_minute(doc, report);
}

/* Damage and remarks, counted, the worst first. Readers decide what is damage. */

/* Most occurrences first; among equals in the order in which they were found. */
static int compare_diags(const void *a, const void *b)
{
	const struct diag *x = *(const struct diag *const *)a;
	const struct diag *y = *(const struct diag *const *)b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return x < y ? -1 : x > y;
}

static void add_diag(struct doc *doc, const struct diag *diag)
{
	enum doc_tone tone = diag->damage ? TONE_BAD : TONE_PLAIN;
	struct strbuf times = strbuf_new();

	if (diag->count > 1) {
		strbuf_adds(&times, " (");
		quantity_count(&times, diag->count);
		strbuf_adds(&times, " times)");
	}
	if (!*diag->file)
		doc_text(doc, NULL)->tone = tone;
	else if (diag->line)
		doc_textf(doc, "%s:%" PRIu64, diag->file, diag->line)->tone = tone;
	else
		doc_text(doc, diag->file)->tone = tone;
	doc_textf(doc, "%s%s", diag->text, times.text)->tone = tone;
	strbuf_release(&times);
}

/* Those of one sort, the worst first; how many is set. The caller frees it. */
static const struct diag **sort_diags(const struct run *run, bool damage, size_t *count)
{
	const struct diag **list = xcalloc(run->diags.count + 1, sizeof *list);

	*count = 0;
	for (size_t i = 0; i < run->diags.count; i++)
		if (run->diags.at[i].damage == damage)
			list[(*count)++] = &run->diags.at[i];
	qsort(list, *count, sizeof *list, compare_diags);
	return list;
}

/* Cut and counted at max; what lies beyond, for who asks. */
static void add_list(struct doc *doc, const struct run *run, bool damage, size_t max)
{
	size_t count;
	const struct diag **list = sort_diags(run, damage, &count);

	doc_begin(doc, DOC_NOTES)->follows = true;
	for (size_t i = 0; i < count; i++) {
		if (i == max && max)
			strbuf_addf(doc_note(doc), "... and %zu more%s", count - max,
				doc->folds ? "" : " (-v shows them)");
		if (i == max && !doc->folds)
			break;
		if (i == max) {
			struct doc_block *block = doc_begin(doc, DOC_NOTES);

			block->folded = max ? "All others" : "Which";
			block->follows = true;
		}
		add_diag(doc, list[i]);
	}
	free(list);
}

/* "13 of 44,779 rows skipped", where rows were. */
static void add_refused(struct doc *doc, const struct run *run)
{
	uint64_t rows = 0, refused = 0;
	struct strbuf *text;

	for (size_t i = 0; i < run->file_count; i++) {
		rows += run->file[i].rows;
		refused += run->file[i].refused;
	}
	if (!refused)
		return;
	text = doc_write(doc);
	doc_last(doc)->tone = TONE_BAD;
	quantity_count(text, refused);
	strbuf_adds(text, " of ");
	quantity_count(text, rows + refused);
	strbuf_adds(text, " rows skipped");
}

static void doc_damage(
	struct doc *doc, const struct run *run, const struct render_options *opt)
{
	size_t max = opt->verbose > 0 ? SIZE_MAX : DOC_LIST_MAX;
	size_t damages = 0, remarks;

	for (size_t i = 0; i < run->diags.count; i++)
		damages += run->diags.at[i].damage;
	remarks = run->diags.count - damages;
	if (damages) {
		doc_heading(doc, 2, "Damage");
		add_refused(doc, run);
		add_list(doc, run, true, max);
	}
	if (!remarks || opt->verbose < 0)
		return;
	if (opt->verbose > 0) {
		doc_heading(doc, 2, "Remarks");
		add_list(doc, run, false, max);
		return;
	}
	doc_begin(doc, DOC_NOTES);
	strbuf_addf(doc_note(doc), "%zu remark%s%s", remarks, remarks == 1 ? "" : "s",
		doc->folds	       ? ""
			: remarks == 1 ? " (-v shows it)"
				       : " (-v shows them)");
	if (doc->folds)
		add_list(doc, run, false, 0);
}

/* Events other than phases and work: how often and when; each one if asked for. */

#define EVENTS_LISTED 300

/* Of one type and name. */
struct event_kind {
	const struct event *first;
	size_t count;
	int64_t first_ns, last_ns; /* TIME_NONE: the log gave no time */
};

static bool is_work(const struct report *report, const struct event *event)
{
	for (size_t i = 0; i < report->work_count; i++)
		if (text_equal(report->work[i].type_name, event->type_name) &&
			text_equal(report->work[i].name, event->name))
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
		{"type", "", DOC_LEFT, true},
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
	doc_more(doc, count > most ? count - most : 0, "; these came first");
}

static void add_each(struct doc *doc, const struct report *report)
{
	static const struct doc_column columns[] = {
		{"event", "", DOC_LEFT, true},
		{"type", "", DOC_LEFT, true},
		{"at", "s", DOC_RIGHT, false},
		{"", "", DOC_LEFT, true},
	};
	const struct run *run = report->run;
	size_t listed = 0;

	doc_section(doc, "Each event", columns, sizeof columns / sizeof columns[0]);
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
	doc_more(doc, listed > EVENTS_LISTED ? listed - EVENTS_LISTED : 0,
		" (--json has them)");
}

static bool counts_events(const struct doc *doc, const struct report *report, bool all)
{
	return doc->brief && !all && has_samples(report);
}

static void doc_events(
	struct doc *doc, const struct report *report, const struct render_options *opt)
{
	const struct run *run = report->run;
	const struct event **event;
	struct event_kind *kind;
	size_t count = 0, kinds;
	bool all = opt->verbose > 0;

	if (counts_events(doc, report, all))
		return;
	event = xcalloc(run->event_count + 1, sizeof *event);
	for (size_t i = 0; i < run->event_count; i++)
		if (is_told(report, &run->event[i]))
			event[count++] = &run->event[i];
	qsort(event, count, sizeof *event, by_kind);
	kind = find_kinds(event, count, &kinds);
	if (kinds) {
		doc_heading(doc, 2, "Events");
		add_kinds(doc, report, kind, kinds, all ? EVENTS_LISTED : DOC_LIST_MAX);
	}
	if (kinds && all)
		add_each(doc, report);
	free(kind);
	free(event);
}

/* ", 3 events": for a terminal, which lists them with -v. */
static void add_events(struct strbuf *text, const struct report *report)
{
	const struct run *run = report->run;
	uint64_t events = 0;

	for (size_t i = 0; i < run->event_count; i++)
		events += is_told(report, &run->event[i]);
	if (!events)
		return;
	strbuf_adds(text, ", ");
	quantity_count(text, events);
	strbuf_adds(text, events == 1 ? " event" : " events");
}

#define UNUSED_NAMED 4 /* files that no reader knows */

/* "only gpu1, *_w"; "findings and phases: only epoch; other numbers: the whole run" */
static void add_selection(struct doc *doc, const struct report *report)
{
	const struct report_filter *filter = &report->filter;
	struct report_filter of_run = *filter;
	struct strbuf text = strbuf_new();

	of_run.phase = NULL;
	doc_selection(&text, &of_run);
	if (text.len)
		doc_textf(doc, "only %s", text.text);
	if (filter->phase)
		doc_textf(doc,
			"findings and phases: only %s; other numbers: the whole %s",
			filter->phase, report_span(report));
	strbuf_release(&text);
}

#define COLUMNS_NAMED 3

/*
 * "utilization.gpu [%] from GPU Load (%), ... and 3 more": the columns with numbers; and
 * those that look as if they had some.
 */
static void add_read_as(struct strbuf *text, const char *read_as)
{
	static const char *const plain[] = {"timestamp ", "index ", "name "};
	const char *unclear = strstr(read_as, "; unclear");
	struct name_list list;
	size_t len;

	name_list_init(&list, COLUMNS_NAMED);
	for (; *read_as && *read_as != ';';
		read_as += len + strspn(read_as + len, ", ")) {
		bool counts = true;

		len = strcspn(read_as, ";,");
		for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
			counts &= strncmp(read_as, plain[i], strlen(plain[i])) != 0;
		if (counts && name_list_next(&list))
			strbuf_add(&list.text, read_as, len);
	}
	name_list_end(&list);
	strbuf_adds(text, list.text.text);
	name_list_release(&list);
	if (unclear)
		strbuf_add(text, unclear, 1 + strcspn(unclear + 1, ";"));
}

/* The fields that a log without a header was read as, ready for --columns. */
static void add_fields(struct strbuf *text, const struct run *run)
{
	static const char before[] = " are read as ", behind[] = ", guessed from ";

	for (size_t i = 0; i < run->diags.count; i++) {
		const struct diag *diag = &run->diags.at[i];
		const char *from = strstr(diag->text, before), *to;

		to = from ? strstr(from, behind) : NULL;
		if (!to ||
			(strcmp(diag->id, "guessed-units") != 0 &&
				strcmp(diag->id, "doubtful-columns") != 0))
			continue;
		from += strlen(before);
		strbuf_addc(text, ' ');
		strbuf_add(text, from, (size_t)(to - from));
		if (memchr(from, '?', (size_t)(to - from)))
			strbuf_adds(text, " (? is not used: name it)");
		return;
	}
}

/* Every number of such a log rests on what its columns were taken for. */
static void add_columns(struct doc *doc, const struct run *run)
{
	bool guessed = run_guesses_columns(run);
	const char *read_as = doc_header_read_as(run, NULL);
	struct strbuf *text;

	if (!guessed && !read_as)
		return;
	doc_begin(doc, DOC_NOTES)->follows = true;
	text = doc_note(doc);
	strbuf_adds(text, guessed ? "columns guessed" : "columns: ");
	if (guessed)
		strbuf_adds(text, read_as ? ": " : " from the values (no header)");
	if (read_as)
		add_read_as(text, read_as);
	if (guessed) {
		strbuf_adds(text, "; override with --columns");
		if (!read_as)
			add_fields(text, run);
		doc_last(doc)->tone = TONE_WARN;
	}
}

/* No date of a log shows which number is the day. */
static bool guesses_day(const struct run *run)
{
	for (size_t i = 0; i < run->diags.count; i++)
		if (strcmp(run->diags.at[i].id, "date-order") == 0)
			return true;
	return false;
}

static void add_head(struct doc *doc, const struct report *report)
{
	const struct run *run = report->run;
	struct strbuf text = strbuf_new();
	bool repeats; /* the answer says the duration */

	doc_heading(doc, 1, run->path);
	doc->block[doc->count - 1].cell->path = true;
	doc_textf(doc, "grade %c", report->evidence.grade)->tone = doc_grade_tone(report);
	doc_verdict(doc, report);
	quantity_span(&text, report->duration_s);
	repeats = doc->brief && strstr(doc_last(doc)->words.text, text.text);
	strbuf_clear(&text);
	doc_begin(doc, DOC_FACTS)->follows = true;
	if (time_is_dated(report->started_ns)) {
		quantity_from_to(&text, report->started_ns, report->ended_ns);
		doc_textf(doc, "%s UTC%s", text.text,
			time_is_clock_alone(report->started_ns) ? " (date not recorded)"
				: guesses_day(run) ? " (month before day is a guess)"
						   : "");
		strbuf_clear(&text);
	}
	/* Samples of one instant show no duration. */
	quantity_span(&text, report->duration_s);
	if (isnan(report->duration_s))
		doc_textf(doc, "duration unknown");
	else if (report->duration_s > 0 && !repeats)
		doc_textf(doc, "%s", text.text);
	if (run->exit_status >= 0)
		doc_textf(doc, "exit status %" PRId32, run->exit_status)->tone =
			run->exit_status ? TONE_BAD : TONE_PLAIN;
	if (!run->command && run_fact(run, RUN_FACT_FOLLOWED))
		doc_textf(doc, "around process %s, which ran already",
			run_fact(run, RUN_FACT_FOLLOWED));
	add_selection(doc, report);
	if (run->labels.count)
		doc_begin(doc, DOC_FACTS)->follows = true;
	for (size_t i = 0; i < run->labels.count; i++)
		doc_textf(doc, "%s=%s", run->labels.at[i].key, run->labels.at[i].value);
	if (run->command && doc->brief && !run->labels.count &&
		strlen(run->command) <= COMMAND_SHORT) {
		doc_textf(doc, "$ %s", run->command);
	} else if (run->command) {
		doc_begin(doc, DOC_CODE)->follows = true;
		doc_text(doc, run->command);
	}
	add_columns(doc, run);
	strbuf_release(&text);
}

/* One pause of a log that both devices show: more than half of either lies in both. */
static bool is_same_pause(const struct gap *a, const struct gap *b)
{
	double later_s = (double)(b->start_ns - a->start_ns) / NS_PER_S;
	double common_s = fmin(a->length_s, later_s + b->length_s) - fmax(0, later_s);

	return a->source == b->source && a->device != b->device &&
		common_s > fmax(a->length_s, b->length_s) / 2;
}

/* The gaps of several devices at once count as one; those not listed count each. */
static uint64_t count_pauses(const struct evidence *e)
{
	uint64_t pauses = e->gap_count;

	for (size_t i = 1; i < e->gap_listed; i++)
		for (size_t k = 0; k < i; k++)
			if (is_same_pause(&e->gap[k], &e->gap[i])) {
				pauses--;
				break;
			}
	return pauses;
}

/* "gpu0", "gpu0 and 7 more" */
static void add_paused(struct strbuf *text, const struct report *report)
{
	const struct evidence *e = &report->evidence;
	size_t others = 0;

	for (size_t i = 1; i < e->gap_listed; i++)
		others += is_same_pause(&e->gap[0], &e->gap[i]);
	strbuf_adds(text, report->run->device[e->gap[0].device].name);
	if (others)
		strbuf_addf(text, " and %zu more", others);
}

static void add_gaps(struct doc *doc, const struct report *report)
{
	const struct evidence *e = &report->evidence;
	const struct gap *longest = e->gap;
	struct strbuf *text;

	if (!e->gap_count || !e->gap_listed)
		return;
	text = doc_field(doc, "Gaps");
	quantity_count(text, count_pauses(e));
	strbuf_adds(text, ", the longest of ");
	quantity_span(text, longest->length_s);
	strbuf_adds(text, " after ");
	quantity_when(text, longest->start_ns);
	if (time_is_dated(longest->start_ns))
		strbuf_adds(text, " UTC");
	strbuf_adds(text, " (");
	add_paused(text, report);
	strbuf_addf(text, ", %s)%s%s", doc_source(report->run, longest->source),
		longest->cause ? ": " : "",
		longest->cause ? gap_cause_name(longest->cause) : "");
}

/* Is the longest gap named above? */
static bool says_gaps(const struct report *report)
{
	size_t fired = findings_fired(report);

	for (size_t i = 0; i < fired; i++)
		if (strcmp(report->finding[i].rule->id, "recording-gaps") == 0)
			return true;
	return false;
}

/* Files that no reader knows: somebody may have counted on them. */
static void add_unused(struct doc *doc, const struct run *run)
{
	size_t unused = 0;
	struct strbuf *text = doc_field(doc, "Ignored files");

	for (size_t i = 0; i < run->file_count; i++)
		if (run->file[i].kind == SOURCE_NONE && !run_has_parts(run, i) &&
			unused++ < UNUSED_NAMED)
			strbuf_addf(
				text, "%s%s", text->len ? ", " : "", run->file[i].path);
	if (unused > UNUSED_NAMED)
		strbuf_addf(text, " and %zu more", unused - UNUSED_NAMED);
	doc_keep(doc);
}

/* A log of processes that names none answers a question, too. */
static void add_no_process(struct doc *doc, const struct run *run)
{
	size_t file = run_file_without_processes(run);

	if (file != SIZE_MAX)
		strbuf_addf(doc_field(doc, "Processes"), "none on the GPU (%s)",
			run->file[file].path);
}

static bool add_steps(
	struct strbuf *text, const struct report *report, enum clock_change_kind kind)
{
	int64_t by_ns;
	size_t set = report_clock_changes(report, kind, &by_ns);

	if (!set)
		return false;
	strbuf_addf(text, "%sthe clock was set ", text->len ? ", " : "");
	if (set > 1)
		strbuf_addf(text, "%zu times, ", set);
	strbuf_adds(text, by_ns < 0 ? "by -" : "by ");
	quantity_span(text, fabs((double)by_ns / NS_PER_S));
	strbuf_adds(text, set > 1 ? " in all" : "");
	return true;
}

/* ", the clock was set by -1.5 s, the machine slept 2 times, 7 min 10 s in all" */
static void add_clocks(struct strbuf *text, const struct report *report)
{
	int64_t by_ns;
	size_t slept;

	(void)add_steps(text, report, CLOCK_STEPPED);
	if (add_steps(text, report, CLOCK_CORRECTED))
		strbuf_adds(text, " (times shown are those of the clock at the start)");
	slept = report_clock_changes(report, CLOCK_SUSPENDED, &by_ns);
	if (slept) {
		strbuf_addf(text, "%sthe machine slept ", text->len ? ", " : "");
		if (slept > 1)
			strbuf_addf(text, "%zu times, ", slept);
		quantity_span(text, (double)by_ns / NS_PER_S);
		strbuf_adds(text, slept > 1 ? " in all" : "");
	}
}

static void say_cost(struct strbuf *text, const struct observer *o, double core_pct)
{
	strbuf_addf(text, "%.2f s of CPU time", (double)o->cpu_ns / NS_PER_S);
	if (!isnan(core_pct))
		strbuf_addf(text, " (%.2f %% of a core)", core_pct);
	if (o->bytes >= 0) {
		strbuf_adds(text, ", ");
		quantity_count(text, (uint64_t)o->bytes);
		strbuf_addf(text, " bytes in %" PRId64 " log%s", o->logs,
			o->logs == 1 ? "" : "s");
	}
	if (o->ticks >= 0) {
		strbuf_addf(text, ", %" PRId64 " of ", o->missed_ticks);
		quantity_count(text, (uint64_t)o->ticks + (uint64_t)o->missed_ticks);
		strbuf_adds(text, " ticks missed");
	}
	if (o->late_p99_ns >= 0)
		strbuf_addf(text, ", 99th-percentile delay %.1f ms",
			(double)o->late_p99_ns / 1e6);
}

/* What it cost to look, which is part of what was looked at. */
static void add_observer(struct doc *doc, const struct run *run, bool all)
{
	struct observer o;

	if (!observer_read(run, &o) || o.cpu_ns < 0)
		return;
	if (all || o.missed_ticks > 0)
		say_cost(doc_field(doc, "Recorder"), &o, observer_core_pct(run, &o));
	if (o.trouble) {
		observer_print_trouble(doc_field(doc, "Recorder error"), run);
		doc_last(doc)->tone = TONE_WARN;
	}
}

/* Kinds of log whose rows have no times, in a run that is timed by others. */
static void add_untimed(struct strbuf *text, const struct evidence *e)
{
	enum source_kind last = SOURCE_NONE;

	for (size_t i = 0; i < e->device_count; i++) {
		const struct device_evidence *d = &e->device[i];

		if (d->log_first_ns != TIME_NONE || d->source == last)
			continue;
		if (last == SOURCE_NONE)
			strbuf_addf(text, "%sno timeline for logs without times:",
				text->len ? "; " : "");
		strbuf_addf(text, "%s %s", last == SOURCE_NONE ? "" : ",",
			source_name(d->source));
		last = d->source;
	}
}

/* How the rows got their times, or why nothing of them is drawn over time. */
static void add_origin(struct strbuf *text, const struct report *report)
{
	const struct evidence *e = &report->evidence;

	if (time_is_dated(report->started_ns) && e->time_source &&
		strcmp(e->time_source, "log") == 0) {
		strbuf_adds(text, "in UTC, no zone assumed");
	} else if (time_is_dated(report->started_ns)) {
		if (*report->run->time_zone)
			strbuf_addf(text, "read as %s", report->run->time_zone);
		if (*report->run->time_zone && e->time_source)
			strbuf_addf(text, " (%s)", e->time_source);
	} else if (report->started_ns != TIME_NONE) {
		strbuf_adds(text, "counted from the start, without a date");
		if (e->device_count && e->device[0].interval_s > 0)
			strbuf_addf(
				text, "; a sample every %g s", e->device[0].interval_s);
	} else if (e->device_count) {
		strbuf_adds(
			text, "the rows have none; add --interval TIME for a timeline");
	}
}

/* all: also where nothing about the times is unusual; a terminal has only what is. */
static void add_times(struct doc *doc, const struct report *report, bool all)
{
	const char *source = report->evidence.time_source;
	struct strbuf *text = doc_field(doc, "Times"), beyond = strbuf_new();
	bool whole = all || !doc->brief;
	size_t told;

	all |= !time_is_dated(report->started_ns) ||
		(source && strcmp(source, "default") == 0);
	overhang_say(&beyond, report);
	if (all || whole || beyond.len)
		add_origin(text, report);
	if (report->duration_source &&
		(whole || beyond.len || !time_is_dated(report->started_ns))) {
		strbuf_addf(text, "%sduration from the %s", text->len ? ", " : "",
			report->duration_source);
		if (report->cut && !report->windowed)
			strbuf_adds(text, " (only samples within it count)");
	}
	told = text->len;
	strbuf_adds(text, beyond.text);
	add_clocks(text, report);
	if (time_is_dated(report->started_ns))
		add_untimed(text, &report->evidence);
	doc_last(doc)->tone = beyond.len ? TONE_WARN : TONE_PLAIN;
	if (!all && text->len == told)
		strbuf_clear(text);
	doc_keep(doc);
	strbuf_release(&beyond);
}

/* Seconds between the samples of the GPUs, else of the first device; 0: unknown. */
static double sampling_interval(const struct report *report)
{
	const struct evidence *e = &report->evidence;
	double first = 0;

	for (size_t i = 0; i < e->device_count; i++) {
		const struct device_evidence *d = &e->device[i];

		if (!d->interval_source)
			continue;
		if (report->run->device[d->device].kind == DEVICE_GPU)
			return d->interval_s;
		if (first == 0)
			first = d->interval_s;
	}
	return first;
}

static void add_evidence(struct doc *doc, const struct report *report, bool all)
{
	const struct evidence *e = &report->evidence;
	const struct summary_item *samples = &report->summary[SUMMARY_samples];
	double share = doc_sessions_share(report), interval_s = sampling_interval(report);
	double energy = covered_summary(report, SUMMARY_energy_partial_j).coverage;
	struct strbuf *text;

	doc_fields(doc);
	text = doc_field(doc, "Recording");
	doc_last(doc)->tone = doc_grade_tone(report);
	doc_grade(text, report);
	if (energy < COVERAGE_WHOLE && energy < report->evidence.coverage - 0.005) {
		strbuf_adds(text, " (energy ");
		quantity_ratio(text, energy);
		strbuf_addc(text, ')');
	}
	if (interval_s > 0) {
		strbuf_adds(text, ", a sample every ");
		if (interval_s < 0.95)
			strbuf_addf(text, "%.3g ms", 1000 * interval_s);
		else
			quantity_span(text, interval_s);
	}
	if (samples->number > 0 && (all || !(interval_s > 0))) {
		strbuf_adds(text, interval_s > 0 ? " (" : ", ");
		quantity_number(text, samples->number, 0);
		strbuf_addf(text, " sample%s%s", samples->number == 1 ? "" : "s",
			interval_s > 0 ? ")" : "");
	}
	if (e->sessions > 1)
		strbuf_addf(text, ", %s%" PRIu64 " sessions", isnan(share) ? "" : "of ",
			e->sessions);
	if (!isnan(share)) {
		strbuf_adds(text, ", which are ");
		quantity_ratio(text, share);
		strbuf_adds(text, " of the time");
	}
	if (counts_events(doc, report, all) && !doc_is_part(&report->filter))
		add_events(text, report);
	doc_steady(doc, report, all);
	if (all || !doc->brief || !says_gaps(report))
		add_gaps(doc, report);
	doc_ending(doc, report, all || !doc->brief);
	add_times(doc, report, all);
	add_observer(doc, report->run, all);
	add_no_process(doc, report->run);
	add_unused(doc, report->run);
}

static void add_sources(struct doc *doc, const struct run *run)
{
	static const struct doc_column columns[] = {
		{"file", "", DOC_LEFT, true},
		{"kind", "", DOC_LEFT, false},
		{"rows", "", DOC_RIGHT, false},
		{"skipped", "", DOC_RIGHT, false},
	};

	if (!run->file_count)
		return;
	doc_section(doc, "Sources", columns, sizeof columns / sizeof columns[0]);
	for (size_t i = 0; i < run->file_count; i++) {
		const struct run_file *file = &run->file[i];

		doc_text(doc, file->path)->path = true;
		doc_text(doc,
			doc_header_read_as(run, file->path) ? "table"
							    : source_name(file->kind));
		doc_number(doc, (double)file->rows, 0);
		doc_number(doc, (double)file->refused, 0)->tone =
			file->refused ? TONE_BAD : TONE_PLAIN;
	}
}

void doc_run_lead(
	struct doc *doc, const struct report *report, const struct render_options *opt)
{
	add_head(doc, report);
	doc_findings(doc, report, opt);
}

void doc_run_usage(
	struct doc *doc, const struct report *report, const struct render_options *opt)
{
	if (doc_has_findings(doc, report, opt))
		doc_heading(doc, 2, "Usage");
	doc_usage(doc, report, opt->verbose > 0);
	add_evidence(doc, report, opt->verbose > 0);
}

void doc_run_rest(
	struct doc *doc, const struct report *report, const struct render_options *opt)
{
	if (opt->verbose >= 0) {
		doc_gpus(doc, report, opt->verbose > 0);
		doc_cores(doc, report);
		doc_processes(doc, report, opt->verbose > 0);
		doc_phases(doc, report, opt);
		doc_work(doc, report);
		if (!doc_is_part(&report->filter))
			doc_events(doc, report, opt);
	}
	if (opt->verbose > 0) {
		doc_stats(doc, report, SHOWN_NUMBERS);
		doc_stats(doc, report, SHOWN_GROWTH);
		doc_stats(doc, report, SHOWN_COUNTERS);
	}
	/* no other table has a state that was asked for */
	if (opt->verbose > 0 || (opt->verbose == 0 && report->filter.metric))
		doc_stats(doc, report, SHOWN_STATES);
	if (opt->verbose > 0)
		add_sources(doc, report->run);
	doc_damage(doc, report->run, opt);
}

void doc_run(
	struct doc *doc, const struct report *report, const struct render_options *opt)
{
	doc_run_lead(doc, report, opt);
	doc_run_usage(doc, report, opt);
	doc_run_rest(doc, report, opt);
}

void doc_warnings(struct doc *doc, const struct render_input *in)
{
	if (!in->warning_count)
		return;
	doc_heading(doc, 1, "Not everything could be read");
	doc_begin(doc, DOC_NOTES)->follows = true;
	for (size_t i = 0; i < in->warning_count; i++) {
		doc_text(doc, NULL);
		doc_text(doc, in->warning[i])->tone = TONE_BAD;
	}
}
