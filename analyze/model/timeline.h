/*
 * A timeline: columns of equal time with the smallest and the largest value, for each
 * device and each metric marked TIMELINE in schema/metrics.def. Filled by compute,
 * drawn by render. Also the chronicle: single samples and states for formats that draw
 * them.
 */
#ifndef MODEL_TIMELINE_H
#define MODEL_TIMELINE_H

#include "model/metric.h"

enum timeline_base {
	BASE_ZERO,
	BASE_LEAST
};

struct timeline_metric {
	enum metric_id metric;
	enum metric_id whole; /* whose value is the top; METRIC_none: there is none */
	enum timeline_base base;
	enum metric_id instead; /* of devices without that one; METRIC_none: always */
	const char *word; /* after the name of a device; static */
	unsigned lines; /* on a terminal without -v: more devices have one together; 0:
			   none beside lines of GPUs */
};

/* In the order in which they are drawn; static. */
const struct timeline_metric *timeline_metrics(size_t *count);

/* Of a number of metrics the place of one; count: it is not drawn. */
size_t timeline_metric_at(enum metric_id metric);

/* What held the clocks of a GPU down. */
enum slowed {
	SLOWED_POWER, /* its power limit, as under full load */
	SLOWED_HEAT,
	SLOWED_HARDWARE,
	SLOWED_COUNT
};

const char *slowed_name(enum slowed why); /* "power limit" ...; static */

struct timeline_column {
	double min, max, mean; /* of the values in it; NAN: there is none */
	bool joined; /* no gap lies between its values and those of the column before it
			that has some */
	bool others; /* its mean is not of the devices, or not of the stretch without a
			gap, of that of the column before it; of several devices together
		      */
};

/* Time without a value, in columns as of timeline_place(). */
struct timeline_gap {
	double from, to;
};

/* One metric of one device, from the kind of log that counts. */
struct timeline_series {
	enum metric_id metric;
	enum source_kind source;
	uint32_t device; /* index into the run's */
	double min, max; /* of all columns: there is a value */
	struct timeline_column *column; /* [columns of the timeline] owned */
	bool gaps_known; /* else it can't be told what a gap is */
	double limit; /* how long a step may be that is none, in columns; of one device */
	bool starts_late, ends_early; /* the first, the last gap lies before the first
					 value, behind the last one */
	struct timeline_gap *gap; /* [gap_count] by time, owned */
	size_t gap_count, gap_cap;
	size_t edge_gaps; /* of them: before a device's first value, behind its last */
	struct timeline_gap *unrecorded; /* [unrecorded_count] by time, owned: where no
			 row tells of it, not even that there is no value */
	size_t unrecorded_count, unrecorded_cap;
};

void timeline_series_release(struct timeline_series *series); /* zeroed is empty */

/* The columns [from, to) in which a GPU was slowed down, in a sample or longer. */
struct timeline_mark {
	enum slowed why;
	uint32_t device;
	size_t from, to;
};

/* A reason that the log of a GPU tells of: for how long it held at all. */
struct timeline_held {
	enum slowed why;
	uint32_t device;
	int64_t from_ns; /* of the first time; TIME_NONE: it never held */
	double seconds; /* of all of them; NAN: it can't be told what a gap is */
	struct timeline_series known; /* without columns: its gaps; owned */
};

struct timeline {
	int64_t from_ns, to_ns; /* the run, and all values that are drawn */
	int64_t grid_ns; /* where the first column begins: not behind from_ns */
	int64_t step_ns; /* a column */
	size_t columns;
	struct timeline_series *series; /* [series_count] by metric, then by device */
	size_t series_count, series_cap;
	struct timeline_mark *mark; /* [mark_count] by device, reason and time */
	size_t mark_count, mark_cap;
	struct timeline_held *held; /* [held_count] by device and reason */
	size_t held_count, held_cap;
	bool tells_held[METRIC_COUNT]; /* metrics that such marks come from */
};

void timeline_free(struct timeline *timeline); /* NULL is fine */

/*
 * Fills `all` from one series or several of as many columns: of every so many columns of
 * all of them one, with what is least and largest in any. Where one has no sample in a
 * column that another has, its line passes there. Gaps are those of
 * timeline_common_gaps(). To be freed as one.
 */
void timeline_merge(struct timeline_series *all,
	const struct timeline_series *const *series, size_t count, size_t columns,
	size_t per_column);
size_t timeline_merged_columns(size_t columns, size_t per_column);

/* Fills in of one or several, whose columns are not looked at, the time in which none of
 * them has a value as gaps, if it is too long to be none. To be freed as one. */
void timeline_common_gaps(struct timeline_series *all,
	const struct timeline_series *const *series, size_t count);

/* Has one of several gaps that they do not have together, as merged in as many columns?
 */
bool timeline_lacks_alone(
	const struct timeline_series *one, const struct timeline_series *all);

/* Gaps between two values. */
size_t timeline_gaps_between(const struct timeline_series *series);

/* An instant in columns from the first one on, for the eye: of any instant of the run. */
double timeline_place(const struct timeline *timeline, int64_t t_ns);

/*
 * The chronicle: values, states and stretches without data, one by one in order of
 * time. Filled by compute, drawn by render.
 */

/* What a piece of it is of. */
struct chronicle_of {
	enum source_kind source;
	uint32_t device; /* index into the run's */
	enum metric_id metric; /* METRIC_none: of a silence, all that the log has of it */
	/*
	 * A number that the taker may keep there, at first 0: of a metric's values one,
	 * of its states, of its silences, and of its device's. That of states and
	 * silences, which never overlap, is 0 again where the log's time goes back.
	 */
	uint32_t *mark;
};

/* Times are those of the log in ns UTC, or from 0 where it has none. */
struct chronicle_taker {
	/* In the metric's unit; it holds from then to the next one. */
	void (*value)(struct chronicle_taker *taker, const struct chronicle_of *of,
		int64_t t_ns, double value);
	/* [from_ns, to_ns); word: valid during the call. */
	void (*state)(struct chronicle_taker *taker, const struct chronicle_of *of,
		int64_t from_ns, int64_t to_ns, const char *word);
	/* No value between two instants that are further apart than a gap must be; to the
	 * run's end where none comes behind. */
	void (*silence)(struct chronicle_taker *taker, const struct chronicle_of *of,
		int64_t from_ns, int64_t to_ns);
};

#endif
