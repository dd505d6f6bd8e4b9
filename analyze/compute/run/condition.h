/*
 * What must hold in every row, whatever the log (schema/checks.def): ranges, orders,
 * what a GPU at work has, sums. Knows no run and counts nothing.
 */
#ifndef COMPUTE_CONDITION_H
#define COMPUTE_CONDITION_H

#include "base/number.h"
#include "base/text.h"
#include "model/run.h"
#include "model/sample.h"

enum condition_kind {
	CONDITION_RANGE,
	CONDITION_ORDER,
	CONDITION_BUSY,
	CONDITION_SUM
};

struct condition {
	enum condition_kind kind;
	enum metric_id a, b, c, d; /* METRIC_none */
	int64_t low, high; /* in the unit of a; of a SUM high is the tolerance, of BUSY it
			      is not set */
};

size_t condition_count(void);
const struct condition *condition_get(size_t i); /* i < condition_count() */

/* The columns of a batch by metric, so that a condition finds its own; NULL: none. */
struct condition_columns {
	const struct sample_column *column[METRIC_COUNT];
};

void condition_columns(
	struct condition_columns *columns, const struct sample_batch *batch);

/* The GPU is at work from this share of its time on. */
#define CONDITION_BUSY_PCT 50

/* What was looked at. */
struct condition_found {
	bool looked; /* the row has the values */
	int64_t a, b; /* in quanta */
	int128 sum;
};

/*
 * True also where a value is missing. Of a sum without its last part only too much can be
 * told. Sums are of any numbers that a log may hold.
 */
bool condition_holds(const struct condition *condition,
	const struct condition_columns *columns, size_t row,
	struct condition_found *found);

/* Appends "mem_used_mib of gpu0 is 5 MiB", and what speaks against it. */
void condition_say(struct strbuf *sb, const struct condition *condition,
	const struct run *run, uint32_t device, const struct condition_found *found);

/* Appends "mem_used_mib of gpu0 is 5 MiB". value: in quanta. */
void condition_say_value(struct strbuf *sb, const struct run *run, enum metric_id metric,
	uint32_t device, int64_t value);

/* Appends "5 MiB". value: in quanta. */
void condition_say_amount(struct strbuf *sb, enum metric_id metric, int128 value);

#endif
