/*
 * The static data of gpu_tracker's tracking files: a row of names and one of values
 * before the header of the columns, or a table. They become facts of the run and say the
 * units of the columns. What a broken line may have cut is not used, and units that are
 * lost are not guessed.
 */
#ifndef READ_GPU_TRACKER_STATIC_H
#define READ_GPU_TRACKER_STATIC_H

#include "model/dialect.h"
#include "read/records.h"

enum static_name {
	STATIC_RAM_UNIT,
	STATIC_GPU_RAM_UNIT,
	STATIC_TIME_UNIT,
	STATIC_RAM_CAPACITY,
	STATIC_GPU_RAM_CAPACITY,
	STATIC_CORES,
	STATIC_EXPECTED_CORES,
	STATIC_GPUS,
	STATIC_EXPECTED_GPUS,
	STATIC_COUNT
};

/* Cells that outlive their record. */
struct kept {
	struct strbuf text;
	struct span *cell; /* [count] */
	size_t count, cap;
};

struct static_data {
	struct log *log; /* borrowed */
	enum data_unit ram, gpu_ram; /* once settled; NONE: such values are not used */
	bool settled;

	struct kept names, values; /* until the header of the columns; count 0: none */
	uint64_t line; /* of the values */
	bool cut; /* a line is behind the values that is no header: they may be cut */
	bool spaced; /* blank lines are usual in this file */
	uint64_t holes; /* before the values */
	bool lost; /* lines that may have been static data were refused */
};

const char *static_data_name(enum static_name name);

void static_data_init(struct static_data *s, struct log *log);
void static_data_release(struct static_data *s);

/* A record of names, or the one of values behind it: kept. False: it is neither. */
bool static_data_take(struct static_data *s, const struct records *r);

/* A record was refused that may have been static data. */
void static_data_refuse(struct static_data *s, const struct records *r);

/* The header of the columns is there: what is kept is used, and the units are settled. */
void static_data_settle(struct static_data *s, const struct records *r);

/* A row was read: nothing before it can be static data of a later header. */
void static_data_end(struct static_data *s);

#endif
