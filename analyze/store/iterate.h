/* A run's samples on their way out of the database. Not for other stages. */
#ifndef STORE_ITERATE_H
#define STORE_ITERATE_H

#include "store/chunk.h"
#include "store/internal.h"
#include "store/store.h"

/* The columns of a cursor that are not metrics. */
enum cursor_column {
	COLUMN_DEVICE,
	COLUMN_SEGMENT,
	COLUMN_TIME,
	COLUMN_ORDINAL,
	COLUMN_MARK,
	COLUMN_FIRST_METRIC
};

struct cursor {
	sqlite3_stmt *stmt; /* on a row */
	struct sample_key key;
	int64_t mark, device;
	bool opened; /* it was on a row before */
};

struct stored_source {
	struct sample_source base;
	struct store *store;
	enum source_kind kind;
	int64_t run_id, origin_ns;
	int64_t devices; /* of the run; larger numbers are damage */
	struct texts *texts; /* where the words of states get their numbers */
	bool reader; /* counted in the store's readers */
	struct sample_choice choice;
	struct layout *layout;
	size_t layout_count, layout_cap;
	enum metric_id metric[METRIC_COUNT]; /* of any layout, as in the cursors */
	size_t metric_count;
	struct cursor *cursor; /* a heap: the least is the first */
	size_t cursor_count, cursor_cap;
};

/* The order of a device's samples; all have that of their numbers. */
#define CURSOR_ORDER "h.segment, h.first_sample, a0.sample"

/*
 * SELECT of the rows of a run's source that are, besides, `where`, with the metrics of
 * any layout; h is their chunk, a0 the source's first table.
 */
void cursor_select(const struct stored_source *src, const char *where, const char *order,
	struct strbuf *text);
/* Its parameters behind run and source: 1: a cursor more; 0: it has no row; -1 */
int cursor_open(struct stored_source *src, const char *select, const int64_t *parameter,
	int count, struct error *err);

/*
 * excerpt.c: cursors for the rows of a device that the choice of time is of. 1: they are
 * open; 0: that takes all rows of it; -1.
 */
int excerpt_open(struct stored_source *src, int64_t device, struct error *err);

#endif
