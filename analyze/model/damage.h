/*
 * What a diagnostic costs: the C face of schema/damage.def.
 */
#ifndef MODEL_DAMAGE_H
#define MODEL_DAMAGE_H

/* The worst first. */
enum damage_rank {
	DAMAGE_FILE,
	DAMAGE_ROWS,
	DAMAGE_TIME,
	DAMAGE_VALUES,
	DAMAGE_DOUBT,
	DAMAGE_REMARK,
	DAMAGE_RANK_COUNT
};

struct damage {
	const char *id; /* "bad-value" */
	enum damage_rank rank;
	const char *cost; /* "the value counts as not available" */
};

/* Of "bad-value" or "bad-value:pwr"; NULL: no such id. Static. */
const struct damage *damage_find(const char *id);

/* "file", "rows", "time", "values", "doubt", "remark" */
const char *damage_rank_name(enum damage_rank rank);

#endif
