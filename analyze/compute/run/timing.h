/*
 * Time of one device in one source: intervals and order of its rows, whatever their
 * values; gaps between rows with an answer. README.md, "Time".
 */
#ifndef COMPUTE_RUN_TIMING_H
#define COMPUTE_RUN_TIMING_H

#include "base/number.h"
#include "compute/numbers/tally.h"
#include "compute/run/aggregate.h"
#include "compute/series/course.h"
#include "model/report.h"
#include "model/run.h"

/* Of a GPU; of so many it is known which stretches of time they cut. */
#define GAPS_KEPT 65536

/* How much of the device a row says, from the least on; README.md, "Time". */
enum row_answer {
	ROW_SAYS_NOTHING,
	ROW_SAYS_VALUE, /* but no sign of life, though it was asked: metric_shows_life */
	ROW_SAYS_UNASKED, /* ... nor was it asked, and so may well go without */
	ROW_SAYS_LIFE
};

/* What a track is told of a row. */
struct track_row {
	int64_t t_ns;
	int32_t segment;
	size_t file;
	uint64_t line;
	bool restart; /* a session begins with it, and explains the step before it */
	uint64_t columns; /* which it has, as a number: of one recorder they are the same
			   */
	enum row_answer answer;
	bool unavailable; /* what it has no value of */
};

/* Recorders of other columns at one time that are distinguished. */
#define TRACK_RECORDERS 4

/* The last row of one of them. */
struct track_recorder {
	uint64_t columns;
	int64_t prev_ns;
	int32_t prev_segment;
};

/*
 * The rows that say as much as any does: what a log never has of a device it has not
 * lost.
 */
struct track_answers {
	enum row_answer best; /* of any row; never ROW_SAYS_UNASKED */
	bool any; /* false: no row says so much, and what follows is not set */
	bool silent; /* one of them was asked for life and showed none */
	bool unanswered; /* rows behind the last of them said less */
	int64_t first_ns, last_ns; /* earliest and latest */
	int64_t prev_ns; /* of the last one */
	int32_t prev_segment;
};

struct track {
	uint64_t rows;
	bool timed;
	bool wants_median; /* no interval is recorded, so the median is needed */
	int64_t first_ns, last_ns; /* earliest and latest */
	int64_t prev_ns; /* of the row before; rows > 0 */
	int32_t prev_segment;
	struct track_answers answers;
	int64_t unavailable_ns; /* the latest row that said so; INT64_MIN: none */
	int128 near_ns; /* sum of the steps that can't be gaps, from answer to answer */
	struct tally far; /* the longer ones */
	struct tally restarts; /* ... of those, where a session begins */
	struct tally steps; /* all positive steps of each recorder; filled if wants_median
			     */
	int64_t median_ns; /* the lower median of the first median_of of them, as it was
			      asked for last; median_of 0: never */
	uint64_t median_of;
	struct track_recorder recorder[TRACK_RECORDERS]; /* [recorders] */
	size_t recorders;
	struct steps longest; /* of the far steps `keeps` at most */
	size_t keeps; /* 0: GAPS_LISTED */
	uint64_t segments_begun;
	int64_t shortest_step_back_ns; /* of those that began a segment; INT64_MAX: none
					*/
};

void track_init(struct track *track, bool wants_median);
void track_release(struct track *track);

/* The log has such a row at another time; it is none of the track's. */
void track_expect(struct track *track, enum row_answer answer);

/* A row; steps up to short_ns can't be gaps. */
void track_add(struct track *track, const struct track_row *row, int64_t short_ns);

/*
 * h: the recorded interval, else the lower median; -1: fewer than five steps. Asked again
 * before a step is added it costs nothing.
 */
int64_t track_interval_ns(struct track *track, int64_t recorded_ns);

/* How many of the gaps are explained by a session that begins behind them. */
uint64_t track_restarts(const struct track *track, int64_t limit_ns);

/* The sum of the steps up to limit_ns, and the number of longer ones. */
int128 track_covered_ns(const struct track *track, int64_t limit_ns, uint64_t *gaps);

/*
 * Rounds of a recorder over its devices, which are the ticks of a log. README.md,
 * "Ticks".
 */

/* Of a device of the run. */
struct round_device {
	uint32_t place; /* in a round: from 1, as first met; 0: not met yet */
	uint64_t round; /* of its last row */
	int64_t t_ns; /* ... and its time, if it has one */
};

/* Zeroed is empty. */
struct rounds {
	uint64_t count; /* the last one is open */
	uint32_t last; /* the place of the row before */
	uint32_t places;
	int64_t begin_ns, last_ns; /* of the first row of the round, of the row before */
	int64_t length_ns; /* from the begin of the round before to its own; 0: none */
	int64_t longest_ns; /* the longest step between two rows of the round ... */
	int64_t behind_ns; /* ... and the time of the row behind it */
	struct round_device *of; /* [known] by the run's index */
	size_t known, cap;
};

void rounds_release(struct rounds *rounds);

/* A row, but none of a single CPU. */
struct round_row {
	uint32_t device;
	bool apart; /* a round begins in any case */
	bool timed;
	int64_t t_ns; /* if timed; not before that of the last row, but where apart */
};

enum round_turn {
	ROUND_GOES_ON,
	ROUND_BEGINS, /* with the row */
	ROUND_BEGAN /* ... before, at the longest step: the log begins within a round */
};

enum round_turn rounds_add(
	struct rounds *rounds, const struct run *run, const struct round_row *row);

/*
 * Gives times to a log without times if its interval is known: from TIME_BEGIN on.
 * README.md, "Time".
 */

/* Of one kind of log, from its first batch to its last. */
struct tick_times {
	int64_t step_ns; /* from one tick to the next; 0: no row gets a time */
	struct rounds rounds;
};

void tick_times_release(struct tick_times *times);

/* So many ticks, and a batch more, that far apart, find room among the times that are no
 * wall clock's. */
bool tick_times_has_room(uint64_t ticks, int64_t step_ns);

/* Gives the rows of a batch without times theirs; one that has times stays as it is, as
 * does one that there is no room for. */
void tick_times_put(
	struct tick_times *times, const struct run *run, struct sample_batch *batch);

#endif
