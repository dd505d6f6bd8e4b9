/*
 * Offers how much of its time each number covers and the bounds that follow
 * (compute/README.md, "Numbers of a part of the time"), the grade, the time of phases
 * outside of the samples, and whether two recordings are the same.
 */
#ifndef MODEL_COVERAGE_H
#define MODEL_COVERAGE_H

#include "model/report.h"

/* A sum of less than this part of its time is a lower bound. */
#define COVERAGE_WHOLE 0.98

/* Which way the truth may lie; bits. */
enum doubt {
	DOUBT_NONE = 0,
	DOUBT_MORE = 1, /* it is a lower bound */
	DOUBT_LESS = 2,
	DOUBT_EITHER = 3 /* nothing can be said */
};

/* A number with the share of its time that it is of. */
struct covered {
	double coverage; /* 0 to 1; NAN: it is not of samples, or it can't be told */
	unsigned doubt; /* of enum doubt */
	unsigned doubt_fewer; /* ... if it leaves out GPUs that it should be of */
	size_t gpus, gpus_all; /* that it is of, and that count in the run; 0: it is not
				  of GPUs together */
	bool fewer; /* it leaves some out that it should be of: its coverage is 0 */
	bool left_out; /* there was a value, which is no part of its side */
};

struct covered covered_summary(const struct report *report, enum summary_key key);
struct covered covered_steady(const struct report *report);

/* The energy of a unit of work, and the utilization in its time. */
struct covered covered_work(
	const struct report *report, const struct work *work, bool energy);
struct covered covered_path(
	const struct report *report, const struct phase_path *path, enum summary_key key);

/*
 * Of one number of several runs, covered[count]: is in doubt, too, what leaves out GPUs
 * of its run while in another run it is of more GPUs. (Where none is of more, no run
 * knows better, and they are alike.)
 */
void covered_beside(struct covered *covered, size_t count);

/* Which way the truth may lie from it where it is beside no other: it should be of all.
 */
unsigned covered_alone(const struct covered *covered);

/* "61.0 % covered", "of 1 of 2 GPUs": what is in doubt, and why. */
void covered_say(struct strbuf *sb, const struct covered *covered);

/* Is less known to be covered of one than of another? */
bool covered_less(const struct covered *one, const struct covered *other);

/*
 * Each appends why a number may be wrong: "guessed", "stuck sensor (gpu2)". False:
 * nothing speaks against it, and nothing is appended. A column of its log was guessed, it
 * has values that can't be, or a rule that distrusts it fires.
 */

/* Of a metric of a device, in the run or a phase. */
bool doubt_of_stats(struct strbuf *why, const struct report *report,
	const struct metric_stats *stats);

/* ... also that it is known for a part of the recorded time only, in the run. */
bool doubt_of_entry(struct strbuf *why, const struct report *report,
	const struct metric_stats *stats);

/* Of a key of the run or a phase. */
bool doubt_of_values(
	struct strbuf *why, const struct report *report, enum summary_key key);

/* Of a key of the run: also that it is known for a part of the recorded time only. */
bool doubt_of_key(struct strbuf *why, const struct report *report, enum summary_key key);

/*
 * All doubts of a run: first of the keys of its summary (stats: NULL), then of metrics of
 * devices (key: SUMMARY_COUNT).
 */
typedef void doubt_take(void *to, enum summary_key key, const struct metric_stats *stats,
	const char *why);
void doubts_each(const struct report *report, doubt_take *take, void *to);

/*
 * Of a metric of a device, in the run or in a path (NULL: the run), for
 * covered_statistic; NAN: as above; COVERAGE_UNTOLD.
 */
double coverage_of_stats(const struct report *report, const struct phase_path *path,
	const struct metric_stats *stats);

/* ... one of its statistics; STATISTIC_COUNT: a state's share. */
struct covered covered_statistic(double coverage, enum statistic statistic);

/* The time in which any of a path's calls is, in seconds; NAN: no call is known. */
double coverage_union_s(const struct report *report, const struct phase_path *path);

/* ... as a share of the run's duration, without what of it lies before or after the run.
 */
double coverage_run_share(const struct report *report, const struct phase_path *path);

/* The grade of a recording and its reasons: compute/README.md, "Time". */

/* What keeps a recording from a better grade; the first that holds. */
enum grade_reason {
	GRADE_NO_REASON, /* grade A */
	GRADE_COVERAGE, /* too little of it is covered, or it can't be told how much */
	GRADE_WENT_BACK, /* the times of a log step back */
	GRADE_SHORT, /* the run is shorter than two sampling intervals */
	GRADE_SPARSE, /* minutes lie between two samples, and nobody knows what was then
		       */
	GRADE_UNREADABLE, /* a file could not be read */
	GRADE_LOG_ENDED, /* a log ended before the run did */
	GRADE_CLOCK_SET
};

/* Of a report whose evidence is there but for its grade. */
enum grade_reason grade_reason(const struct report *report);
char grade_of(const struct report *report);

/*
 * The first GPU whose coverage is that of the run, and how many further ones are like it:
 * of them, too, it is known (interval_known) or not how often they should have been seen.
 * NULL: there are not several GPUs, or all are alike.
 */
struct grade_worst {
	const struct device *gpu;
	size_t more;
	bool interval_known;
};

struct grade_worst grade_worst_gpu(const struct report *report);

/*
 * How far phases and other events lie before the first sample of a run or after its
 * last one. A duration taken from the samples lacks this time.
 */

/*
 * Appends ", but phases go on 151.0 s behind the last" to what speaks of the samples,
 * where it is more than a recorder takes to begin and end, or makes the duration a lower
 * bound.
 */
void overhang_say(struct strbuf *text, const struct report *report);

/*
 * Whether two recordings are the same: compares what their logs hold, whatever their
 * paths or compression. Files that no reader recognizes are ignored.
 */

/* By what a run is known again. */
struct run_identity {
	const char *key; /* borrowed */
	bool named; /* by its manifest; else the key is a place, which other recordings
		       may come to */
	/* Of the logs with rows, in whatever order, without the manifest, which may say
	 * something else of the same ones; 0: not known. */
	uint64_t content; /* what they hold */
	uint64_t bytes; /* as they are on disk */
};

struct run_identity run_identity(const struct run *run);

/* By their keys; what lies at one place one after the other is told by its content. */
bool run_identity_same(const struct run_identity *a, const struct run_identity *b);

/* The same logs, whatever their keys. */
bool run_identity_same_logs(const struct run_identity *a, const struct run_identity *b);

/* The same files as they were: names, sizes, times of change, bytes at both ends. */
bool run_is_unchanged(const struct run *now, const struct run *stored);

/*
 * The same logs in the same order, in a directory under the same names but for their
 * packing. What single logs are called is the operands' business.
 */
bool run_has_same_logs(const struct run *a, const struct run *b);

/* Of two with the same logs: are these packed alike, too? */
bool run_is_packed_alike(const struct run *a, const struct run *b);

/* Equal for runs with the same logs, once it is known what packed ones hold. */
uint64_t run_hash_logs(const struct run *run);

/* The log that holds most; NULL: there is none. */
const struct run_file *run_largest_log(const struct run *run);

/* Are the names of two files of a run, or of parts of files, the same unpacked? */
bool file_has_same_name(const struct run_file *a, const struct run_file *b);

/* Was time not recorded within a session of a log? */
bool evidence_has_gaps(const struct evidence *evidence);

/*
 * What "no problem found" needs and the recording lacks, as the end of a sentence; NULL:
 * nothing. Utilization alone does not do: it is 100 % in a hang. sessions_share: the part
 * of the run's time that the sessions of its logs are; NAN: all of it. Static.
 */
const char *clearance_lacks(const struct report *report, double sessions_share);

#endif
