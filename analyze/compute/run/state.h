/*
 * The state of one pass over a run: one struct per kind of log, and in it one per
 * device. Private to compute/.
 */
#ifndef COMPUTE_RUN_STATE_H
#define COMPUTE_RUN_STATE_H

#include "compute/phases/phase_cells.h"
#include "compute/phases/work.h"
#include "compute/run/aggregate.h"
#include "compute/run/alone.h"
#include "compute/run/soundness.h"
#include "compute/run/timing.h"
#include "compute/run/watch.h"
#include "compute/series/counter.h"
#include "compute/series/series.h"

/* Parts of the time in which a device's samples are counted apart. */
enum part {
	IN_PHASES,
	IN_CALLS, /* each call of a phase for itself */
	IN_WORK, /* from the first to the last event of a kind */
	IN_WAITS, /* of a host: while GPUs waited */
	PARTS
};

struct device_state {
	struct track track;
	struct series *series[METRIC_COUNT]; /* NULL: the log has no such column */
	struct shares *shares; /* NULL: no tick counters */
	struct phase_cells in[PARTS];
	struct phase_ticks ticks_in_phases, ticks_in_waits;
	int32_t log_segment; /* of its last row in a window, as the log has it */
	size_t session; /* how many starts of one its source had at its last row */
	int64_t assumed_ns; /* h as another device of its log has it, once all rows are
			       there; -1 */
	struct sensor sensor; /* of a GPU: its power */
	struct watch *watch; /* [plans] of a GPU; NULL: none yet */
};

/* A header that came again: a new session, if the hole before it is a gap. */
struct session_start {
	int64_t before_ns; /* the last row before the header, of any device */
	int64_t after_ns;
	bool stepped_back; /* a segment began: a new session in any case */
	bool restarted; /* in the middle of a query log, whose recorder writes but one
			   header for all its rows: another one began, however soon */
	struct stretch ended; /* all rows since the start before this one */
};

/* The largest sum over devices within a tick. */
struct tick_total {
	int128 sum; /* of the open tick */
	int128 before; /* ... of its rows in front of its longest step */
	int64_t before_ns; /* ... and the time of the last of these */
	int64_t from_ns; /* of its first row */
	int32_t segment;
	bool has_peak;
	int128 peak;
	int64_t peak_ns; /* when it was reached first, in a tick that began then: */
	int64_t peak_from_ns;
	int32_t peak_segment;
};

/* What the processes on one GPU held together. */
struct process_sum {
	uint64_t tick;
	int64_t prev_ns; /* of its last row */
	struct tick_total total;
};

struct source_state {
	bool seen, timed;
	struct device_state *
		*device; /* [device_count] by the run's index; NULL: no row */
	size_t device_count, device_cap;
	enum row_answer *elsewhere; /* [elsewhere_count] by the run's index: the best of a
				   device's rows outside the window */
	size_t elsewhere_count, elsewhere_cap;

	struct rounds ticks;

	int64_t origin_ns; /* of its first row; once it was seen */

	/* order of the rows */
	bool broken;
	int32_t last_segment;
	int64_t last_ns;
	uint32_t last_ordinal, last_device;
	uint64_t header_tick; /* of the last row with a header before it */
	uint64_t loop_headers; /* in succession, each a round or two behind another */
	int64_t snapshot_ns,
		snapshot_before_ns; /* /proc/stat: this time and the one before */

	struct track rows; /* of any device but single CPUs */
	struct stretch open; /* all rows since the last start of a session */
	struct session_start *session;
	size_t session_count, session_cap;
	struct tick_total peak_total;
	struct process_sum *held; /* [held_count] by the run's index of a GPU */
	size_t held_count, held_cap;
};

/* What a row says about its device. README.md, "Time". */

/* What a row was asked of its device, and has said so far. */
struct reply {
	bool asked, any;
	bool asked_life, life; /* the same of what shows life */
};

/* What a row says by which values it has. */
struct row_says {
	uint64_t columns; /* which it has, as a number */
	struct reply reply;
	bool ticks; /* some are ticks */
};

/* What holds for all rows of a batch. */
struct pass {
	int64_t near_ns; /* a slice up to this is no gap */
	bool limit_known; /* ... and a longer one is */
	enum metric_id total; /* whose largest sum within a tick is wanted */
	bool in_phases; /* the run has phases */
	struct phase_map *work; /* the times of units of work; NULL: it has none */
	struct phase_map *waits; /* the times in which GPUs waited; NULL: nobody asks */
	bool at_once; /* the values of a device are taken at once, where they can be */
	bool full; /* all rows have a value of every column, and so: */
	struct row_says says; /* ... what each of them says */
	bool deferred; /* the others are taken once all rows of the batch were looked at
			*/
	size_t visits; /* these columns: */
	size_t visit[METRIC_COUNT];
	size_t sums; /* the columns that are summed over devices, as the rows come: */
	size_t sum[METRIC_COUNT];
};

/* A batch whose rows were looked at one by one: what is still to be taken from it. */
struct batch_rest {
	struct sample_batch seen; /* as window_batch gives it; borrowed */
	const struct sample_batch *in_range, *sound; /* as the impossible_list has them */
	struct row_groups groups; /* without rows outside of the window */
	struct pass pass;
	bool watched; /* the plans of the rules know the batch: watch_begin */
	struct phase_map *phases; /* for them; NULL: the run has none */
};

struct aggregate {
	const struct run *run;
	struct compute_options options;
	int64_t short_ns; /* a step up to this is no gap, whatever the interval */
	int64_t assumed_ns[SOURCE_KIND_COUNT]; /* of logs without times, once all rows are
						  there; -1 */
	struct phase_map *phases; /* NULL: not yet asked for */
	struct watch_list watches; /* of options.rules; empty without */
	struct phase_map *calls; /* each for itself; NULL: not wanted */
	struct meanwhile *meanwhile; /* NULL: not yet asked for */
	struct work_kinds *work; /* NULL: not yet asked for */
	void *foreign; /* the state of options.foreign; NULL: it has none */
	struct impossible_list impossible;
	uint64_t rows_outside; /* the window */
	struct batch_rest rest; /* of the last batch */
	struct rest_thread *second; /* that takes it; NULL: the one that adds does */
	uint64_t batches; /* so far */
	int32_t *segment; /* [SAMPLE_BATCH_ROWS] of a batch's rows in a window; NULL */
	struct source_state source[SOURCE_KIND_COUNT];
};

struct phase_rules aggregate_phase_rules(const struct aggregate *agg);

/* What hosts are asked about the GPUs' waiting: once the first log of theirs comes. */
struct meanwhile *aggregate_meanwhile(struct aggregate *agg);

/* What the run's events count. */
struct work_kinds *aggregate_work(struct aggregate *agg);

/* --gap, or else what the rows say is the limit. */
static inline int64_t gap_limit_asked(
	const struct aggregate *agg, int64_t by_definition_ns)
{
	return agg->options.gap_ns >= 0 ? agg->options.gap_ns : by_definition_ns;
}

/* The gap limit between any two rows of a kind of log. */
static inline int64_t source_gap_limit(const struct aggregate *agg, enum source_kind kind)
{
	return gap_limit_asked(agg, aggregate_step_limit(agg, kind));
}

/* How the time of one device in one source is to be read. */
struct timing {
	int64_t interval_ns; /* h; -1: not known */
	const char *interval_source; /* as in struct device_evidence */
	int64_t limit_ns; /* the gap limit; -1: no gap can be told */
	int64_t step_ns; /* what gauge_finish takes */
};

/*
 * Settles what is assumed: of a log without times the interval of a timed one,
 * where it fits; of a device with too few rows that of another one of its log.
 */
void assume_intervals(struct aggregate *agg);

/*
 * What UNTIMED_STEP_NS stands for in a log without times, as far as the rows that were
 * added tell; 0: not known.
 */
int64_t untimed_step_ns(const struct aggregate *agg, enum source_kind kind);

/* The interval of a log without times, and where it is from (interval_source); -1: not
 * known. agg->assumed_ns is known. */
int64_t untimed_interval_ns(
	const struct aggregate *agg, enum source_kind kind, const char **from);

/* What is assumed is settled. */
struct timing device_timing(
	const struct aggregate *agg, enum source_kind kind, struct device_state *device);

/*
 * The gap limit of one metric: that of the device, unless another recorder, whose rows
 * come more rarely, gave the metric: then by the median of its own steps.
 */
int64_t metric_limit_ns(const struct device_state *device, const struct timing *timing,
	enum metric_id metric);

/*
 * Whether the last session began in a device's step between two rows, which is but as
 * long as the hole before it: nobody recorded then, and no row is missing.
 */
bool session_explains(const struct source_state *source, int64_t from_ns, int64_t to_ns);

/* Order, sessions, ticks and snapshots: a row of the source, and of a device of it. */
void source_note_row(const struct run *run, struct source_state *source,
	struct device_state *device, const struct sample_batch *batch, size_t row,
	int64_t short_ns);

/* Where the log of a source ran: its sessions' union. */
struct sessions {
	uint64_t count;
	struct stretch ends;
	int64_t length_ns;
	bool ends_early; /* its recorder says that it did, before the run */
};

/*
 * Where the session that a row was in ended, which had so many starts before it; NULL: it
 * is the source's last. limit_ns: the gap limit.
 */
const struct session_start *session_end(
	const struct source_state *source, size_t starts, int64_t limit_ns);

/* What of them lies in a turn. report: its start and end are known. */
struct sessions sessions_of(const struct aggregate *agg, enum source_kind kind,
	const struct report *report, const struct stretch *turn);

/*
 * A batch's rows of GPUs for the conditions of the rules: first what the run says, for
 * the plans. False: it has no GPU.
 */
bool watch_begin(struct aggregate *agg, struct batch_rest *rest);
void aggregate_watch(struct aggregate *agg, const struct batch_rest *rest);

/* Statistics of a device in the paths of phases, and in single calls. */

/* A further entry of a path's statistics, of which only that is set; the path's. */
struct metric_stats *path_stats_add(
	struct phase_path *path, enum source_kind kind, uint32_t device);

/*
 * Those of all CPUs of one log, of its ticks in each path that counts: which
 * path[place[i]] shows; place NULL: in each, as it is.
 */
void path_stats_shares(struct aggregate *agg, enum source_kind kind, uint32_t index,
	struct phase_ticks *ticks, struct phase_path *path, const uint32_t *place);

/*
 * Statistics of single calls, one call at a time, to save memory. Private to compute/.
 */

/* A device in a log, and the next of its cells. */
struct single_device {
	enum source_kind kind;
	uint32_t index;
	const struct phase_cells *cells;
	size_t at;
	struct timing timing;
};

struct singles {
	struct aggregate *agg;
	struct single_device *device; /* [count] owned */
	size_t count;
};

/* part: of a `single` map. No row may follow. Release it. */
void singles_begin(struct singles *singles, struct aggregate *agg, enum part part);

/* Appends what is of the call of that number to the path; ascending numbers, each once.
 */
void singles_take(struct singles *singles, uint32_t number, struct phase_path *path);
void singles_release(struct singles *singles);

/* The metric of the summary that wants the largest sum within a tick. */
enum metric_id peak_total_metric(void);

#endif
