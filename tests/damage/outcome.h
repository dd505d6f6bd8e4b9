/*
 * All that a reading of one file gave, as text that can be compared: a record for each
 * sample, each event, and each thing that the manifest, or a recording of itself, says.
 */
#ifndef DAMAGE_OUTCOME_H
#define DAMAGE_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "model/metric.h"

struct damage_outcome {
	bool readable; /* false: the file is refused as a whole, and that is said */
	enum source_kind kind;
	struct strbuf text; /* the records, each terminated by a NUL */
	size_t *record; /* [count] where they begin in text */
	size_t count, cap;
	size_t facts; /* records, the first ones, that say how the others are to be read
		       */
	uint64_t rows; /* of the file */
	uint64_t damage, remarks; /* diagnostics, with their counts */
	struct strbuf said; /* their sentences, for people */
};

void outcome_init(struct damage_outcome *outcome);
void outcome_release(struct damage_outcome *outcome);

/* Reads a file through the whole of read/; may be called again. */
void outcome_read(struct damage_outcome *outcome, const char *path);

const char *outcome_record(const struct damage_outcome *outcome, size_t i);

/* How a record differs from what it should be. */
struct difference {
	size_t lost; /* fields that are missing */
	size_t changed; /* fields that say something else */
	bool moved; /* it is about another time or device; not among those */
};

struct difference record_compare(const char *expected, const char *actual);

/* Both have the field, and the same in it. */
bool record_shares(const char *a, const char *b, const char *name);

/* A number of a record; INT64_MIN: it has none of that name. */
int64_t record_number(const char *record, const char *name);

#endif
