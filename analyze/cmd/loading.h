/*
 * One run on its way through the stages, and what the parts of load.c share. Usually one
 * pass: reader -> aggregate, and the same batches to where they are kept. Where the rows
 * turn out to be out of order, a temporary database sorts them, and they are replayed
 * from there: the same code, a second time.
 */
#ifndef CMD_LOADING_H
#define CMD_LOADING_H

#include "cmd/load.h"
#include "cmd/memory.h"
#include "cmd/progress.h"
#include "cmd/tape.h"
#include "compute/inspect/timeline.h"
#include "compute/run/aggregate.h"
#include "read/read_run.h"

struct loading {
	struct loaded *out;
	const struct options *opt;
	struct read_options read;
	struct reading *reading;
	struct aggregate *agg;
	struct store *store; /* NULL: none yet */
	struct tape *tape; /* where samples are kept instead; NULL: nowhere */
	struct sample_witness *witness; /* NULL: nobody asks */
	struct timeline_maker *maker; /* NULL: nothing is drawn */
	struct compute_window window; /* that is asked for, once it is known */
	bool lays; /* logs without times get them by --interval */
	bool temporary; /* the store is ours alone */
	bool begun; /* samples are kept: a run is open in the store, or there is a tape */
	struct memory memory; /* what the database may know already */
	struct progress_run waited; /* by whoever watches */
	bool held; /* it shows one state of the run that was found in it */
	struct error *err;
};

/* pump.c: from a source into the aggregate, to where samples are kept, or both. */
int loading_pump(
	struct loading *l, struct sample_source *source, bool aggregate, bool keep);
/* Forgets what was kept of a kind of log, which is going to be read again. */
int loading_drop_kept(struct loading *l, enum source_kind kind);
/* What is drawn of it begins anew. */
void loading_draw_again(struct loading *l, enum source_kind kind);
/* Opens a run in the store, which is a temporary one if there is none. */
int loading_begin_store(struct loading *l);

/* load_log.c: from the logs, to where samples are kept, and to the report. */
int loading_from_log(struct loading *l);
/* Once more; nothing of a run that is kept already is put there again. */
int loading_log_again(struct loading *l);
/* --interval says all that is known of the run's times: its rows are to be read once
 * more. */
bool loading_is_laid(struct loading *l);
/* A recorder that saw more than the command: its rows are to be read once more. */
bool loading_is_cut(struct loading *l);

/* load_stored.c. 1: the run is there, unchanged, and takes the place of the one in hand;
 * 0; -1. It is held then, until it is let go: no other program can load it anew. */
int loading_find_stored(struct loading *l);
/* The same, under the key that it has already. */
int loading_find_kept(struct loading *l);
void loading_let_go(struct loading *l);
/* All samples of the run that is stored. */
int loading_pump_stored(struct loading *l);
/* 1: it was there, and is now aggregated from the database; 0, -1 */
int loading_from_store(struct loading *l);

/* load.c */
struct read_options loading_read_options(
	const struct options *opt, const char *const *path, size_t path_count);
/* Of these operands, which are borrowed; *out is an empty run then. */
void loading_begin(struct loading *l, struct loaded *out, const char *const *path,
	size_t path_count, const struct options *opt, struct error *err);
/* Opens the logs. */
int loading_survey(struct loading *l);
/* with_calls: with the numbers of each call of a phase, whoever asks for them. */
void loading_new_aggregate(struct loading *l, bool with_calls);
/* All was added: what it says, and the dialect that is asked for, into the report. */
void loading_report(struct loading *l);
/* The report is made, and has all of it: what is stored takes its place in memory. */
void loading_end_aggregate(struct loading *l);
/* What l itself owns, not what it leads to: out, store and tape. */
void loading_end(struct loading *l);

#endif
