/*
 * Questions about evidence that findings ask: which log a GPU is in, rejected rows, and
 * events of the recorder.
 *
 * The log of a GPU: the files of a kind that have its rows, and the GPUs of its host
 * with rows there. Only these can show that the GPU was lost; another file or host has
 * another recorder. README.md, "Time": its log.
 */
#ifndef COMPUTE_REPORT_EVIDENCE_H
#define COMPUTE_REPORT_EVIDENCE_H

#include "base/text.h"
#include "compute/run/state.h"
#include "model/run.h"

/*
 * The last of its rows in their order, as a clock that was set back goes on from there;
 * but of the session that the device's last row is in: whose recorder ended with it says
 * nothing of a GPU that another one behind it was not asked of. The device has rows
 * there.
 */
int64_t own_log_end(const struct aggregate *agg, enum source_kind kind, uint32_t device);

/*
 * Of a time in which a GPU has no row, that in which its log has others no further apart
 * than the gap limit: a pause of all, of which one row comes late, is no silence of the
 * others.
 */
int64_t own_log_covered_ns(const struct aggregate *agg, enum source_kind kind,
	const struct stretch *time, int64_t limit_ns);

/*
 * Is another GPU of the same index there in that time? A job that moved, or a container,
 * calls its only GPU 0 each time: none is lost.
 */
bool gpu_is_replaced(
	const struct aggregate *agg, uint32_t device, const struct stretch *time);

/*
 * Whether rejected rows may be the missing ones. A GPU or recorder is silent only if
 * no rejected row may have come from it. README.md, "Refused rows".
 */

struct refused {
	uint64_t rows; /* that may be of the time */
	const char *file; /* that has the first of them; borrowed from the run; NULL */
	uint64_t line;
};

/*
 * Those of the logs of a kind that a device is in, SOURCE_NONE: of all kinds of samples,
 * which may be of a time without rows. Were all of them the device's, evenly spread, its
 * steps were (rows + 1) times shorter than that time. True: no longer than limit_ns.
 */
bool refused_may_fill(const struct run *run, enum source_kind kind, uint32_t device,
	const struct stretch *time, int64_t limit_ns, struct refused *out);

/* Of a GPU that counts, if the log has values of it with times; NULL. */
const struct series *series_heard(const struct aggregate *agg,
	const struct report *report, enum source_kind kind, size_t device,
	enum metric_id metric);

/* A level that changes once and for good, while the GPU holds the same memory and no
 * phase begins. */
struct level_shift {
	double before, after; /* medians */
	double at_s; /* from the run's start */
};

/* Of the metric of these statistics, which are of a GPU. Without one the mean stands for
 * both levels, and at_s is NAN. */
struct level_shift level_shift_of(const struct aggregate *agg,
	const struct report *report, const struct metric_stats *stats);

/* The same of the units per second of the work with most events. Unknown: no work. */
struct level_shift work_shift_of(
	const struct aggregate *agg, const struct report *report);

/*
 * Problems that collect noticed while recording: events of type "recorder" in
 * events.jsonl (collect/README.md).
 */

/*
 * When a GPU was lost last, and has not come back. TIME_NONE: that is not said, or not of
 * which of several GPUs of one index.
 */
int64_t recorder_word_lost_ns(const struct run *run, uint32_t device);

/* The longest gap that is listed, of a device, or FINDING_RUN; 0: none. */
double evidence_longest_gap_s(const struct evidence *evidence, uint32_t device);

/*
 * The share of the rounds of its log in which a GPU (NULL: none) has no row, gaps apart,
 * by the GPU with the most rows in the same time. NAN: no other is there all the time.
 */
double evidence_lacking(const struct report *report, const struct device_evidence *e);

/* The most steps back of one device: those that begin a segment, or small ones. */
uint64_t evidence_steps_back(const struct report *report);

#endif
