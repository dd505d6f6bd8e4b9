/*
 * What was found out about a run: the struct between compute, store and render. All
 * numbers are doubles in the metric's unit, seconds or joules; unknown is NAN (value
 * statistics), TIME_NONE (instants). Filled by compute, printed by render.
 */
#ifndef MODEL_REPORT_H
#define MODEL_REPORT_H

#include "model/finding.h"
#include "model/phase_name.h"
#include "model/run_outcome.h"
#include "model/timeline.h"

struct steady;

/*
 * The evidence of a run: how its logs cover time (spans, intervals, coverage, gaps and
 * their causes). Filled by compute. Unknown is NAN (numbers) or TIME_NONE (instants).
 */

#define GAPS_LISTED 1000 /* at most; all are counted */

/* Why there are no rows; README.md, "Causes of gaps". */
enum gap_cause {
	GAP_UNKNOWN,
	GAP_SUSPEND, /* the machine slept */
	GAP_CLOCK_STEP, /* the wall clock was set forward */
	GAP_RESTART, /* the recorder was started again */
	GAP_REFUSED, /* rows stand there that could not be read */
	GAP_GPU_LOST, /* other GPUs of the log have rows then */
	GAP_LOG_SILENT, /* other logs have */
	GAP_ALL_SILENT /* no log of the run has */
};

/* "suspend" ...; NULL for GAP_UNKNOWN; static. */
const char *gap_cause_name(enum gap_cause cause);

struct gap {
	int64_t start_ns; /* of the row before it, that says something */
	double length_s;
	uint32_t device;
	enum source_kind source;
	size_t file; /* of the row behind it; SIZE_MAX: not known, as from the database */
	uint64_t line; /* 0: not known */
	bool restart; /* the recorder was started again behind it: a new session */
	bool unanswered; /* rows of the device lie in it, which say nothing of it */
	enum gap_cause cause;
};

/* What one device's rows in one source say about time. */
struct device_evidence {
	enum source_kind source;
	uint32_t device;
	uint64_t rows;
	int64_t first_ns, last_ns; /* that say something; TIME_NONE: no times */
	int64_t log_first_ns, log_last_ns; /* of its log: its rows, and those of the GPUs
					      that share one with it; TIME_NONE */
	double interval_s; /* h; NAN: not known */
	const char *interval_source; /* static: "recorded", "median", "option", "assumed"
					(another device of its log; a timed log beside
					it); NULL: not known */
	double gap_limit_s; /* NAN: no gap can be told */
	double covered_s;
	double coverage; /* 0 to 1; NAN: can't be told */
	uint64_t gaps;
	uint64_t restarts; /* gaps behind which the recorder was started again; 0 from the
			      database */
	uint64_t steps_back; /* segments begun by a step back beyond the limit */
	uint64_t sessions;
	uint64_t resets; /* counters that went back: fields clamped at 0 */
};

struct evidence {
	char grade; /* A B C F */
	double coverage; /* of the worst GPU, or of the CPU; NAN */
	const char *time_source; /* points into the run: zone's origin */
	uint64_t sessions;
	struct device_evidence *device; /* [device_count] by source, then by device */
	size_t device_count, device_cap;
	uint64_t gap_count; /* all of them */
	struct gap *gap; /* the longest 1,000, longest first */
	size_t gap_listed;
};

/* Of a device in a kind of log. NULL: that has no rows of it. */
const struct device_evidence *evidence_find(
	const struct evidence *evidence, enum source_kind source, uint32_t device);

/*
 * Of a device in each of its logs of which the gap limit is known: the next one behind e;
 * NULL: the first. NULL: there is none. A log of processes says nothing of a device that
 * has another, here and below.
 */
const struct device_evidence *evidence_next(const struct evidence *evidence,
	uint32_t device, const struct device_evidence *e);

/* Its gap limit, which is known, in ns. */
int64_t evidence_limit_ns(const struct device_evidence *e);

/*
 * Of a device that of the kind of log which counts where several have rows of it: the
 * first that covers COVERS_ALIKE of the most that one covers; where nothing is covered
 * the first. NULL: none has.
 */
const struct device_evidence *evidence_best(
	const struct evidence *evidence, uint32_t device);

/* Raised whenever a definition of a number changes; stored with every summary. */
#define DEFINITIONS_VERSION 38

#define INTERRUPTIONS_LISTED 100 /* at most; all are counted */

/* Where a metric of a GPU went in the steady state that was found in another. */
struct drift {
	uint32_t device; /* index into the run's */
	enum metric_id metric;
	double from, to; /* of the line through its course, at both ends of the state; of
			    a step the medians before it and behind */
	double change; /* (to - from) / from; 0: no more than noise, or than 5 % */
	int64_t at_ns; /* of a step, when; TIME_NONE: a line, or no change */
};

/* A part of the steady state that is not of it. */
struct interruption {
	int64_t from_ns, to_ns;
	double start_s, seconds; /* start_s: from the run's start */
	double mean; /* of the metric that the state was found by, plain, of the samples
			at other levels; NAN: there is none */
	bool higher; /* than at the state's level; else lower; if mean is known */
	bool silent; /* for a time the log says nothing of one of the GPUs */
	enum gap_cause
		cause; /* of the longest gap in it; GAP_UNKNOWN, too: none is listed
			*/
};

/* What it is: "lower level", "higher level", or "not recorded" in any part; static. */
const char *interruption_why(const struct interruption *interruption);

/* The clock of a GPU drifts in it, though the GPUs are used alike. */
bool steady_slows(const struct steady *steady);

/* Of time; to_ns is not in it. */
struct kept_stretch {
	int64_t from_ns, to_ns;
};

/*
 * The steady state of the GPUs, found as the level that they kept for half of the time or
 * longer; nobody marked it. Between from_ns and to_ns other levels may interrupt it, and
 * time of which the log says nothing of one of the GPUs: neither end lies in such. The
 * means are plain ones, of the samples at the level.
 */
struct steady {
	bool found;
	const char *why_not; /* static; NULL: found */
	enum metric_id metric; /* that it was found by; METRIC_none: there was none */
	enum source_kind source; /* that all of it is from */
	struct drift *drift; /* [drift_count] by metric and device, owned: all of which it
				can be told, drifting or not */
	size_t drift_count;
	struct kept_stretch *kept; /* [kept_count] whose samples the means are of, by
				      time; none from the database; owned */
	size_t kept_count;
	int64_t from_ns; /* where the level is first reached; TIME_NONE: not found */
	int64_t to_ns; /* where it is left for good: the first instant at another level,
			  or the last sample, but not behind the run's end */
	double from_s,
		to_s; /* the same from the run's start; NAN, as all below: not found */
	double warm_up_s; /* from the first sample in the run to where the level, or a
			     higher one, is first reached */
	double coverage; /* the share of the GPUs' time from from_ns to to_ns that the log
			    says something of, 0 to 1; NAN: can't be told */
	uint64_t interruptions; /* 0 if not found, too */
	double interrupted_s; /* all of them together */
	struct interruption *interruption; /* [interruption_listed] in the order of time:
					      the longest of them; owned */
	size_t interruption_listed;
	double gpu_util_mean_pct; /* over the GPUs; NAN: not recorded */
	double power_total_mean_w; /* sum over the GPUs; NAN: that of one is not known */
};

enum summary_value {
	VALUE_NUMBER,
	VALUE_COUNT,
	VALUE_TEXT
};

/* The tick in which all GPUs together held most: where it begins, and when that was. */
struct peak_tick {
	enum source_kind source; /* SOURCE_NONE: there is none, or it is not known, as
				    from the database, or of some of the GPUs */
	int32_t segment;
	int64_t from_ns, at_ns;
};

/* One key of summary. */
struct summary_item {
	enum summary_value kind;
	double number; /* NAN: unknown; of a COUNT a whole number */
	const char *text; /* static; NULL: unknown */
};

enum summary_key {
#define SUMMARY(key, ...) SUMMARY_##key,
#include "../schema/summary.def"
	SUMMARY_COUNT
};

struct summary_field {
	const char *name;
	const char *unit;
	int decimals;
	enum direction better;
	const char *title;
	enum metric_id metric; /* that it is of; METRIC_none */
};

const struct summary_field *summary_field_get(enum summary_key key);

/* Is it of that metric, as it may be of more than the field's one? */
bool summary_is_of(enum summary_key key, enum metric_id metric);

/* For the same work. */
enum direction summary_better(enum summary_key key);

/* The keys that the path of a phase has too. */
enum phase_key {
#define PHASE_KEY(key, ...) PHASE_##key,
#include "../schema/summary.def"
	PHASE_KEY_COUNT
};

enum summary_key phase_key_summary(enum phase_key key);

/* Its title in a table of phases; NULL: not shown there. */
const char *phase_key_column(enum phase_key key);

/* One call of a phase. */
struct phase_call {
	const char *name; /* borrowed from the run's event */
	const char *extras; /* borrowed; NULL */
	uint32_t path; /* index into the report's paths */
	size_t next; /* the next call of that path; SIZE_MAX: none */
	struct event_place at, end_at; /* of the lines that say it; end_at: not known
					  where one says both */
	int64_t start_ns, end_ns; /* without an end: the run's */
	double start_s; /* from the run's first instant */
	double seconds;
	bool unfinished, empty, too_short, overlapping;
	/* its own main numbers, as of a path; NAN: unknown, or not asked for */
	double gpu_util_mean_pct, power_total_mean_w, energy_j, energy_coverage;
	enum energy_method energy_method;
};

/* Paths of whose samples there are statistics at most: those that last longest. */
#define PHASE_PATHS_COUNTED 2000

/*
 * All calls of one path: of one name, in calls of one path. Unknown numbers are NAN. The
 * path of what is in no call has no calls.
 */
struct phase_path {
	char *path; /* "train/epoch/step", as phase_name.h has it; owned */
	const char *name; /* "step"; borrowed from the run's event, or static */
	uint64_t depth; /* from 0 */
	bool outside;
	uint64_t calls, non_empty_calls; /* in which a sample lies */
	size_t first; /* its first call; SIZE_MAX: none */
	double start_s; /* of the first call */
	double duration_s, min_s, mean_s, max_s; /* of the calls */
	double exclusive_s; /* of them in none of their inner calls */
	double exclusive_energy_j; /* of it too; NAN: unknown, or calls lie across others
				    */
	double union_s; /* time in any of them */
	struct summary_item summary[PHASE_KEY_COUNT];
	bool too_short; /* all of them are: shorter than two samples */
	bool unfinished, overlapping; /* one of them is */
	struct metric_stats *stats; /* by source, device, metric */
	size_t stats_count, stats_cap;
};

/* Kinds of events that are counted as units of work at most: each costs time per row. */
#define WORK_KINDS_MAX 20

/* What the number "n" of a kind of events is. */
enum work_number {
	WORK_NO_NUMBER, /* there is none: an event is a unit */
	WORK_COUNT, /* the units done since the event before */
	WORK_TOTAL, /* the units done so far */
	WORK_RATE, /* the events say units_per_s instead: units are NAN */
	WORK_UNCLEAR /* it can't be told which: units are NAN */
};

/* NULL for WORK_NO_NUMBER; static. */
const char *work_number_name(enum work_number n_is);

/*
 * What the events of one type and name count. Numbers from units_per_s on are of the time
 * from the first to the last event; NAN: unknown.
 */
struct work {
	const char *type_name, *name; /* borrowed from the run's event; one may be NULL */
	uint64_t events;
	enum work_number n_is;
	uint64_t processes; /* that log them at one time; 1: one, or one after another */
	double units; /* that the events report; NAN: of several processes, unless n tells
			 the units apart */
	double units_timed; /* of them those done from the first to the last event */
	double units_least, units_most; /* of one of several processes; else NAN */
	int64_t first_ns, last_ns;
	double first_s; /* from the run's first instant */
	double seconds; /* from the first to the last */
	double units_per_s;
	double rate_before,
		rate_after; /* medians, if the rate changes once and for good */
	int64_t rate_at_ns; /* when; TIME_NONE: it does not, or nobody knows */
	double gpu_util_mean_pct;
	double gpu_s_per_unit; /* seconds of all GPUs that count, busy or not */
	double energy_j, energy_coverage; /* as of a phase */
	enum energy_method energy_method;
	double energy_j_per_unit; /* of the time that is covered */
	struct metric_stats *stats; /* of GPUs in its time, as of a phase; owned */
	size_t stats_count;
};

/* What speaks for a device. */
enum weight {
	WEIGHT_ROWS = 1, /* rows of its own */
	WEIGHT_PROCESSES = 2, /* rows of processes on it */
	WEIGHT_COUNTS = 4 /* a GPU that is one of the run's */
};

void phase_path_release(struct phase_path *path);

/* By its path or its last name (phase_fits); NULL: all do. */
bool phase_path_matches(const struct phase_path *path, const char *pattern);

/*
 * What of a report is wanted, as globs of fnmatch(3); NULL: all. The window is for those
 * who ask what the report is of; its rows were chosen when it was made.
 */
struct report_filter {
	const char *metric; /* as of globs_match */
	const char *device, *phase; /* as of phase_path_matches */
	bool per_core; /* single CPUs, too, beside "cpu" */
	int64_t since_ns, until_ns; /* from the run's start; 0: from there, to its end */
};

struct report {
	const struct run *run; /* borrowed; outlives the report */
	struct report_filter filter; /* that was applied; borrowed */
	/*
	 * [process_type_count] by the run's index: of a process the type that its context
	 * has longest, as the log says it ("C", "G", "C+G"); NULL: unknown; owned.
	 */
	char **process_type;
	size_t process_type_count;
	double busiest_core_pct; /* mean cpu_busy_pct of the CPU with the largest; NAN:
				    single CPUs are not known */
	double *process_mib; /* [process_mib_count] by the run's index: of a GPU the most
				memory that its processes held at once, if its
				own log saw that moment; NAN; owned */
	size_t process_mib_count;
	uint8_t *weight; /* [run->device_count] of enum weight; NULL: not yet weighed */
	int64_t started_ns, ended_ns; /* TIME_NONE */
	int64_t origin_ns; /* whence seconds count: the run's start, of a window, too */
	double duration_s; /* NAN */
	const char *duration_source; /* "command", "samples", "events", "ticks",
					 "window"; NULL */
	bool cut; /* rows outside of it don't count */
	bool windowed; /* it was asked for */
	struct metric_stats *stats; /* by source, device, metric */
	size_t stats_count, stats_cap;
	struct evidence evidence;
	struct ending ending;
	struct summary_item summary[SUMMARY_COUNT];
	struct peak_tick peak_tick;
	struct steady steady;
	struct phase_call *call; /* by start, the outer first */
	size_t call_count;
	struct phase_path *path; /* depth first, in the order of their first calls */
	size_t path_count;
	struct work *work; /* [work_count] in the order of their first events */
	size_t work_count;
	size_t work_left_out; /* kinds beyond WORK_KINDS_MAX */
	struct foreign_object *foreign; /* what another tool prints of the run: of
					   foreign/; one block; NULL: nobody asked */
	struct finding *finding; /* [finding_count] the worst first; those that can't tell
				    last */
	size_t finding_count, finding_cap;
	size_t checks, checks_ran; /* the rules, and those of them that could be judged of
				      the run or of some GPU; 0: there were none */
	size_t findings_left_out; /* that fire, and of which nothing is known of the
				     phases that are asked for */
	char **kept; /* [kept_count] texts that the foreign object borrows, if not the
			run's */
	size_t kept_count, kept_cap;
	struct timeline *timeline; /* owned; NULL: not asked for, or nothing to draw */
	bool undrawn; /* it was asked for, but of other runs */
};

void report_init(struct report *report, const struct run *run);
void report_release(struct report *report);

/*
 * Of stats[count], the report's own or those of a phase, a call or units of work, that of
 * a metric of a device in the kind of log that counts in the run (metric_stats_best):
 * which one does is the same in all parts of a run. NULL: that has none there.
 */
const struct metric_stats *report_stats_best(const struct report *report,
	const struct metric_stats *stats, size_t count, uint32_t device,
	enum metric_id metric);

/*
 * Is it a device's part in numbers over devices: known, of the log that counts, and of no
 * single core or GPU that doesn't count? One of the report's own stats.
 */
bool report_stats_take_part(
	const struct report *report, const struct metric_stats *stats);

/* Seconds from the run's start, as --since counts them; NAN: one of both has no time. */
double report_second(const struct report *report, int64_t t_ns);

/* Not outside of the window that was asked for; what has no time never is. */
bool report_has_instant(const struct report *report, int64_t t_ns);

/* What it is of: "run", or "window" where only that time counts. Static. */
const char *report_span(const struct report *report);

/* Changes of the clock in its time: how many, and the sum of by_ns (may be NULL). */
size_t report_clock_changes(
	const struct report *report, enum clock_change_kind kind, int64_t *by_ns);

/* The rows of a device in all logs that it is in. */
struct device_rows {
	uint64_t rows;
	int64_t first_ns, last_ns; /* as in the evidence; TIME_NONE */
};

/* By the run's index of a device, [run->device_count]; the caller's to free. */
struct device_rows *report_device_rows(const struct report *report);

/* A copy of a text, valid as long as the report. */
const char *report_keep(struct report *report, const char *text);

/* Finds path->first and call->next anew. */
void report_link_calls(struct report *report);

/* The path of the call that lies deepest among those that an instant is in; SIZE_MAX. */
size_t report_phase_at(const struct report *report, int64_t t_ns);

/* ... of its middle: its ends are those of bins, which no phase keeps to. */
size_t interruption_phase(
	const struct report *report, const struct interruption *interruption);

/*
 * Does a GPU count as one of the run's? One that only processes name, in logs that say
 * its UUID and not its index, may be another one that has rows of its own; it counts
 * where no GPU has any. report_weigh_devices finds it out, once the evidence is there.
 * One that is not wanted does not count.
 */
void report_weigh_devices(struct report *report);
bool report_counts_gpu(const struct report *report, size_t device);
size_t report_gpu_count(const struct report *report);

/* The GPUs of a run that its logs have together only, as sums; 0: none. */
size_t report_gpus_together(const struct report *report);

/* Is a GPU that counts divided by MIG, so that no log says how busy it is? */
bool report_is_divided(const struct report *report, uint32_t device);

/* Has a device, or a process on it, a row? Weighed as above. */
bool report_has_rows(const struct report *report, size_t device);

/*
 * Keeps of a report what is wanted: statistics, evidence, phases and findings. A finding
 * of the run needs all devices of the kinds that its rule looks at; with a metric that is
 * asked for, the rule must look at it. Numbers over several devices are not worked out
 * anew: compute/inspect/selection.h.
 */
void report_select(struct report *report, const struct report_filter *filter);

bool report_wants_metric(const struct report *report, enum metric_id metric);
bool report_wants_key(const struct report *report, enum summary_key key);

bool report_wants_device(const struct report *report, size_t device);

/* All devices of a kind that have rows: what goes over them is still true. Where devices
 * were asked for, there must be such a one. */
bool report_wants_all(const struct report *report, enum device_kind kind);

/*
 * A run over time as it is drawn beside others: of each metric whose scale begins at 0
 * all devices together. It is small, and needs its report no more.
 */

struct outline_devices {
	char **name; /* [count] owned */
	size_t count;
};

struct outline_series {
	struct timeline_series all; /* without columns: there is none; owned */
	double mean; /* of all devices together; NAN */
	double whole; /* the largest value of the metric that is the whole of it; NAN */
	struct outline_devices lacking, partial; /* those without a value, and those with
						    gaps that not all have */
};

struct outline {
	struct timeline axis; /* where its columns stand; it has no series */
	bool more; /* it has metrics whose scale begins elsewhere */
	struct outline_series *series; /* one for each of timeline_metrics(); owned */
};

/* NULL: nothing of the report is drawn. */
struct outline *outline_make(const struct report *report);
void outline_free(struct outline *outline); /* NULL is fine */

/*
 * What a run's host was like for it, in a line for people: what the command was
 * allowed to have of it, and what disks, network and whoever waited did.
 */

/*
 * "memory 16,384 MiB, the time of 2.5 CPUs, CPUs 0-3 only": limits below what the host
 * has. False: none is known, and nothing is appended.
 */
bool host_use_limits(struct strbuf *sb, const struct run *run);

enum host_use {
#define HOST_USE(id, ...) HOST_USE_##id,
#include "../schema/host_use.def"
	HOST_USES
};

/* "received 1.2 MiB/s, sent 0.1 MiB/s", and the title of that line; NULL: nothing is
 * known of it, and nothing is appended. Static. matters: a number is large enough to be
 * printed without -v. */
const char *host_use(
	struct strbuf *sb, const struct report *report, enum host_use use, bool *matters);

/* CPU time of the command's processes; NAN: not known. */
double report_command_cpu_s(const struct report *report);

/* "one process had 1,234 MiB resident at a time": more than any sample saw of all. */
bool host_use_between(struct strbuf *sb, const struct report *report);

/*
 * What lies right in the phases that somebody asks for: paths, and their calls, noted
 * before all but those phases are left out of a report.
 */

struct inner_phase {
	char *outer, *path; /* that it lies in, and its own; owned */
	double union_s;
	double energy_j; /* of the GPUs where it is known; NAN: of none */
	const char *method; /* static; NULL: unknown */
};

struct inner_call {
	size_t phase; /* index of its inner_phase */
	struct phase_call call; /* its path is of the report as it was */
};

/* Zeroed is empty. */
struct inner_calls {
	struct inner_phase *phase; /* [phase_count] owned */
	size_t phase_count, phase_cap;
	struct inner_call *call; /* [count] by start; owned */
	size_t count, cap;
};

/*
 * What the events of a kind told of its units of work, process by process: which lines
 * a sum is made of, or why there is none. Filled by compute, laid out by render.
 */

/* Of one process, or of all where one goes on where another ended. n: NAN, it has none.
 */
struct work_piece {
	uint64_t events;
	struct event_place first, last; /* of them, by time */
	double first_n, last_n;
	double units; /* of it by itself; NAN: unknown */
	/* of a total: what it adds to that of all, from which n on, and who says that
	   one: another process, if that came further before */
	double adds, from_n;
	struct event_place from;
};

struct work_told {
	struct work_piece *piece; /* [count] owned */
	size_t count;
	const char *unclear; /* why units are unknown; static; NULL: they are not */
	struct event_place
		unclear_at; /* the event that shows it; of no line: none does */
};

/*
 * The members of the structs of a report: schema/report.def as a table, and what walks
 * it to print, keep or read all of them. Computes nothing.
 */

enum member_kind {
	MEMBER_NUMBER, /* double; NAN: unknown */
	MEMBER_COUNT, /* uint64_t */
	MEMBER_TIME, /* int64_t; TIME_NONE: unknown */
	MEMBER_FLAG, /* bool */
	MEMBER_TEXT /* const char *, not owned; NULL: unknown */
};

/* The struct that a member is of. */
enum member_of {
	OF_metric_stats,
	OF_phase_path,
	OF_phase_call,
	OF_device_evidence,
	OF_steady,
	OF_work,
	OF_NOTHING
};

struct member {
	enum member_of of;
	enum member_kind kind;
	enum stats_part part; /* of struct metric_stats; PART_ALL of the others */
	size_t offset;
	const char *key, *column, *unit; /* as in report.def */
	const char *name; /* where the struct is not told: the key, "steady_" before it */
	bool is_measure; /* compared between runs; the rest is of such */
	int decimals;
	enum direction better;
	bool total;
};

/* The first of a struct; the others follow, then those of another struct. */
const struct member *members_of(enum member_of of);

static inline void *member_at(const struct member *m, const void *of)
{
	return (char *)of + m->offset;
}

/* As a number: NAN of an instant, a text and what is unknown. */
double member_number(const struct member *m, const void *of);

#endif
