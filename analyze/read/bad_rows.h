/* Rows that can't be, for what stands around them. docs/logs.md, "Rows that contradict
 * all others". */
#ifndef READ_BAD_ROWS_H
#define READ_BAD_ROWS_H

#include "model/run.h"
#include "model/sample.h"
#include "read/log.h"
#include "read/one_batch_ahead.h"

/*
 * The rows of a file, without those whose time can't be ("stray-time"); each is refused
 * with its line. Takes rows over, is released as a sample_source. log: of these rows;
 * lives as long.
 */
struct sample_source *bad_rows_filter(struct sample_source *rows, struct log *log);

/*
 * Times that can't be: one digit of it was damaged, or the clock was wrong for a
 * moment. docs/logs.md, "Rows that contradict all others".
 */

#define BAD_STEPS 4
#define BAD_HOLES 16
#define BAD_NEAR  16

/* The rows of one device that were let through. */
struct time_course {
	bool seen;
	int64_t last_ns;
	int64_t step_ns[BAD_STEPS]; /* to it, and those before; 0: there was none */
	int64_t hole_ns[BAD_HOLES][2]; /* from, to: where a step was missing */
	int64_t off_ns; /* how far a row in the wrong order was off; 0: none was */
	uint8_t steps, holes; /* where the next one goes */
};

struct bad_times {
	bool seen;
	int64_t last_ns; /* of the last row that was let through */
	int64_t least_ns; /* of all */
	int64_t near_ns[BAD_NEAR]; /* of the last ones of different times */
	size_t near_count, near_next; /* where the next one goes */
	struct time_course *device; /* [device_count] owned */
	size_t device_count, device_cap;
};

/* Zeroed is empty. */
void bad_times_release(struct bad_times *times);

/* Of a row of a batch with times: can its time not be? from_ns: that of a row that speaks
 * against it; defined if so. */
bool bad_time(struct bad_times *times, const struct run *run, struct ahead *ahead,
	const struct sample_batch *batch, size_t row, int64_t *from_ns);

/* The row is let through. */
void bad_time_pass(struct bad_times *times, const struct sample_batch *batch, size_t row);

#endif
