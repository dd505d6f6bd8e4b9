/*
 * A trend: one number over many runs, ordered by time or by a label, with its changes
 * and the run that began each. Filled by compute, printed by render; unknown is NAN.
 */
#ifndef MODEL_TREND_H
#define MODEL_TREND_H

#include "model/comparison.h"

struct trend_run {
	char *key; /* owned; no two are equal */
	char *path; /* owned; as it was loaded, without slashes at its end */
	int64_t started_ns;
	struct label_list labels;
	struct run_outcome outcome; /* owned; what was not WHOLE is in no test */
};

/* A run; or all runs of one value of the label that they are ordered by. */
struct trend_point {
	size_t first, count; /* runs, one behind the other */
};

/* The known values of a point's runs, as far as they count. */
struct trend_value {
	size_t n;
	double median, low, high; /* of them the smallest and the largest */
};

struct trend_change {
	size_t point; /* that began it */
	size_t from, to; /* the points [from, point) are before, [point, to) after */
	struct compared_side before, after; /* the values up to the changes beside it */
	double difference, ratio; /* of the medians; the ratio NAN beside 0 or less */
	enum change change; /* CHANGE_BETTER, CHANGE_WORSE, CHANGE_OTHER; that too where
			       the machine is another, which may be why, and runs that
			       are alike don't show it */
	double p; /* that chance makes a change as clear anywhere between its neighbors
		   */
	double p_ranks; /* of these two pieces alone (Mann and Whitney) */
};

/*
 * The newest values, which all lie beyond all others since the last change, and are too
 * few for that to be one yet.
 */
struct trend_open {
	size_t n; /* 0: there are none */
	size_t point; /* of the first of them */
	size_t from; /* the points [from, point) are the others */
	double before, after; /* medians */
	enum change change; /* as of a change, if it is one */
	size_t needed; /* more like them, for a change; 0: it can't be said */
};

/* One number of all runs. */
struct trend {
	struct measure measure; /* its strings are owned */
	double *run; /* [run_count] values; owned */
	struct covered *covered; /* [run_count] what of their time they are of; owned */
	struct trend_value *value; /* [point_count] owned */
	size_t known; /* values that count */
	bool tested; /* there are enough values, in two points or more */
	struct trend_change *change; /* [change_count] by point; owned */
	size_t change_count;
	struct trend_open open; /* none where it drifts */
	bool drifts; /* a straight line says it better than changes: there are none */
	double drift_from, drift_to; /* its ends, at the first and the last run */
	enum change drift; /* as of a change */
};

struct trends {
	char *by; /* the label; NULL: time; owned */
	struct trend_run *run; /* [run_count] in the order of their points; owned */
	size_t run_count, run_cap;
	struct trend_point *point; /* [point_count] in order; owned */
	size_t point_count;
	struct trend *at; /* [count] owned */
	size_t count, cap;
	struct difference *difference; /* [difference_count] what runs say differently of
					  their circumstances; its texts are of
					  [run_count] runs; owned */
	size_t difference_count;
	size_t runs_least; /* values below which none can be tested */
	struct trend_run *lost; /* [lost_count] of runs without a value those that started
				   later than all with one, by start; owned */
	size_t lost_count, lost_cap;
	char **remark; /* sentences: what was left out, and why; owned */
	size_t remark_count, remark_cap;
};

#define TRENDS_INIT ((struct trends){0})
void trends_release(struct trends *trends);
void trend_run_release(struct trend_run *run);
void trends_remark(struct trends *trends, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* What a point is called: the label's value, or the path of its run. */
const char *trend_point_name(const struct trends *trends, size_t point);

/* Do a run's numbers stand for its work? Others are shown, and count nowhere. */
bool trend_run_counts(const struct trend_run *run);

/* ... and is the run's value known, and of enough of its time? */
bool trend_counts(const struct trends *trends, const struct trend *trend, size_t run);

/*
 * Of the runs that count: do those of the points [from, at) say other things of a
 * circumstance than those of [at, to)? at == to: do they say several things? What a side
 * does not say is no difference.
 */
bool trend_differs(const struct trends *trends, const struct trend *trend,
	const struct difference *difference, size_t from, size_t at, size_t to);

/*
 * Of the points [from, at) and [at, to) the run is on one side: is nothing known to set
 * it apart from the other one, of the machine or, for a total, of the amount of work?
 */
bool trend_has_like(const struct trends *trends, const struct trend *trend, size_t run,
	size_t from, size_t at, size_t to);

/* Does a point say other things than the last one before it that says something? */
bool trend_begins_other(const struct trends *trends, const struct trend *trend,
	const struct difference *difference, size_t point);

/* "GPUs: 2 x A -> 1 x A; driver: ..."; what does not differ is not said. */
void trend_say_differs(struct strbuf *sb, const struct trends *trends,
	const struct trend *trend, size_t from, size_t at, size_t to);

/* The change that began at a point; NULL: none did. */
const struct trend_change *trend_begins(const struct trend *trend, size_t point);

#endif
