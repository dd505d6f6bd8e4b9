/*
 * What documents of comparisons, gates and trends say alike: of which number an object
 * is, how the runs differ, what is to be remarked. Only json_*.c include this.
 */
#ifndef RENDER_JSON_MEASURE_H
#define RENDER_JSON_MEASURE_H

#include "model/gate.h"
#include "render/json_writer.h"

/* "part", "key" ... "better" */
void json_measure(struct json_writer *w, const struct measure *measure);

/*
 * "rule", "asks", "severity", and the measure of the number; where there is none (NULL),
 * null but for the key.
 */
void json_rule(struct json_writer *w, const struct gate_rule *rule,
	const struct comparison_row *row);

/* "limit", "limit_value": the name and the value of one of its limits, or nulls. */
void json_limit(
	struct json_writer *w, const struct gate_rule *rule, enum gate_limit limit);

/* An object: what of a number the runs of one side have together. */
void json_side(struct json_writer *w, const char *key, const struct compared_side *side);

/* An array: the names of the runs of one side; SIDES: of those on none. */
void json_side_runs(struct json_writer *w, const char *key,
	const struct comparison *comparison, enum side side);

/* "runs_needed": null where nobody knows (0). */
void json_runs_needed(struct json_writer *w, uint64_t runs);

/* "differs": what of the runs' circumstances differs, as each run says it. */
void json_differs(struct json_writer *w, const struct difference *difference,
	size_t count, size_t runs);

/* "failed", "cut_off": how a run did, or was; else null. */
void json_fate(struct json_writer *w, const struct fate *fate);

/* "remarks" */
void json_remarks(struct json_writer *w, const struct comparison *comparison);

#endif
