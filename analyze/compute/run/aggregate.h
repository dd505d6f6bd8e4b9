/*
 * One pass over the samples of a run: takes batches, gives statistics (README.md, "One
 * metric of one device", "Time"). Sums are integers, so the digits depend neither on
 * how the rows were cut into batches nor on where they came from. Pure arithmetic: no
 * I/O, no globals; memory grows with the distinct values, and, where no interval is
 * recorded, with the distinct steps in time.
 */
#ifndef COMPUTE_RUN_AGGREGATE_H
#define COMPUTE_RUN_AGGREGATE_H

#include "compute/series/series.h"
#include "model/report.h"
#include "model/rule.h"
#include "model/run.h"
#include "model/sample.h"

struct aggregate;
struct impossible_list;
struct phase_map;
struct phase_rules;
struct tool_options;

/*
 * A pass for the numbers of another tool, by its rules. All rows count then, those
 * outside of the run's command, too.
 */
struct foreign_pass {
	const struct phase_rules *phases; /* of any window; NULL: the usual ones */
	/*
	 * A state of its own, which takes each row that counts, once it was added; all
	 * values are in range. NULL, all four: there is none.
	 */
	void *(*begin)(const struct run *run, const struct tool_options *asked);
	void (*take)(void *state, struct aggregate *agg, const struct sample_batch *batch,
		size_t row);
	void (*forget)(void *state, enum source_kind kind); /* its rows come again */
	void (*end)(void *state);
};

/*
 * An observer of every batch of a log, next to the aggregate, for what needs file and
 * line. Embed it as the first member.
 */
struct batch_observer {
	/* May add to the run's diagnostics. The run's events are known by now. */
	void (*add)(struct batch_observer *observer, struct run *run,
		const struct sample_batch *batch);
	/*
	 * A kind of log is read again, because its rows were out of order, or because
	 * only a window counts (not set: all does): what was seen of it is void. NULL:
	 * seeing every row once is enough.
	 */
	void (*again)(struct batch_observer *observer, enum source_kind kind,
		const struct compute_window *window);
	bool sees_all; /* values outside of their metric's range, too; else MISSING */
};

struct compute_options {
	int64_t gap_ns; /* --gap; -1: by definition max(3h, h + 2 s) */
	int64_t interval_ns; /* --interval for logs without times; -1 */
	bool times_by_interval; /* these get times by it before they are added: struct
				   tick_times */
	bool calls; /* the main numbers of single calls of phases, too */
	bool per_core; /* evidence of every CPU, not only of all together */
	bool second_thread; /* may be used beside the caller's */
	const struct rule_set *rules; /* borrowed; NULL: no findings */
	bool silent; /* those that are silent leave findings, too */
	const struct foreign_pass *foreign; /* borrowed; NULL: a pass of our own */
	const struct tool_options *asked; /* of its state; borrowed */
	struct compute_window window;
};

/* What a pass over a source found out about its order. */
enum order {
	ORDER_KEPT, /* the statistics are right */
	ORDER_BROKEN /* rows came out of order: replay them from the database, with the
			segments that aggregate_step_limit says */
};

/* run: its devices may grow while batches are added; outlives the aggregate. */
struct aggregate *aggregate_new(
	const struct run *run, const struct compute_options *options);
void aggregate_free(struct aggregate *agg);

/* Forgets all that was added, as the run has other events by now. */
void aggregate_restart(struct aggregate *agg);

/* The same, as only a window counts. */
void aggregate_restrict(struct aggregate *agg, const struct compute_window *window);

/*
 * Is an interval given, and no time known of the run, neither of a sample nor of an event
 * or the command? Then it has none but those that its logs get by the interval: forgets
 * all that was added, as these are to be added once more, with such times.
 */
bool aggregate_use_interval(struct aggregate *agg);

/*
 * With a second thread a batch stays as it is, whoever has its memory, until the next one
 * is added or all is settled.
 */
void aggregate_add(struct aggregate *agg, const struct sample_batch *batch);

/* All that was added has been taken, as whatever else is asked presumes. */
void aggregate_settle(struct aggregate *agg);

/* Of one kind of log, once its last batch was added. */
enum order aggregate_order(const struct aggregate *agg, enum source_kind kind);

/* The first and the last sample so far; false: none has a time. */
bool aggregate_samples(const struct aggregate *agg, int64_t *from_ns, int64_t *to_ns);

/*
 * The time of the run's command, where both its ends are recorded and a log goes on
 * outside of it, before or behind, by more than its gap limit: a recorder of its own, of
 * which the run is a part. False: none does, or a log with times does not meet it, as its
 * clock is another; a window is asked for; the pass is foreign.
 */
bool aggregate_beyond_command(struct aggregate *agg, struct compute_window *command);

/* What was added and lies outside of the window. */
struct beyond {
	uint64_t rows; /* of samples */
	size_t calls; /* of phases */
};

struct beyond aggregate_beyond(const struct aggregate *agg);

/*
 * The gap limit in ns of a kind of log by the rows seen, whatever --gap says: a step back
 * beyond it begins a segment. What the reader needs to segment a log that it reads again.
 */
int64_t aggregate_step_limit(const struct aggregate *agg, enum source_kind kind);

/* Forgets what a kind of log has added, for a replay. */
void aggregate_reset(struct aggregate *agg, enum source_kind kind);

/*
 * Where the times that name no zone and the others, of samples or events, don't meet, or
 * begin and end as far apart, but would come together if the former were of a zone so far
 * east of the one that they were read in, which is one that some place has: that offset
 * in ns, *at_ns, the first of these times, and whether they meet; else 0.
 */
int64_t aggregate_zone_hint_ns(const struct aggregate *agg, int64_t *at_ns, bool *meet);
const struct impossible_list *aggregate_impossible(const struct aggregate *agg);

/*
 * The interval that a log without times is taken to have, from a timed log of the run:
 * the first by which its ticks last as long as that one, within a fifth or one interval;
 * else just the first, and it does not fit.
 */
struct assumption {
	enum source_kind from;
	int64_t interval_ns;
	int64_t ticks_ns, length_ns; /* how long the two logs would last, and did */
	bool fits;
};

/* False: the source has times, or there is no timed log. */
bool aggregate_assumption(
	const struct aggregate *agg, enum source_kind kind, struct assumption *out);

/* The calls of the run's phases; its events are known by now. */
struct phase_map *aggregate_phases(struct aggregate *agg);

/* The window that is asked for; NULL: none is. */
const struct compute_window *aggregate_window(const struct aggregate *agg);

/* How many rounds over its devices a kind of log has begun. */
uint64_t aggregate_rounds(const struct aggregate *agg, enum source_kind kind);

/* What options.foreign has begun; NULL: it keeps nothing. */
void *aggregate_foreign(const struct aggregate *agg);

/* The run's events that end a phase which nothing began; valid as long as agg. */
const size_t *aggregate_lost_ends(const struct aggregate *agg, size_t *count);

#endif
