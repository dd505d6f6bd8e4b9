/*
 * Joins the stages for one run: reader, aggregate, database; loading.h has what the ways
 * to do so share.
 */
#ifndef CMD_LOAD_H
#define CMD_LOAD_H

#include "cmd/options.h"
#include "compute/run/batch_observer.h"
#include "model/report.h"
#include "model/sample.h"
#include "store/store.h"

/* A run with its report; release both with loaded_release. */
struct loaded {
	struct run run;
	struct report report;
	bool is_new; /* read from its logs, and put into the database */
	bool is_unkept; /* it, or labels that it is given, are not in the database, which
			   can't be written */
	struct store *samples; /* its own store, where its samples are asked for and no
				  other keeps them; NULL: none */
};

/*
 * Loads the run that these operands are and computes its report. store: where it is kept,
 * or what is already there is taken from if its files have not changed; what one that
 * refuses has not is computed all the same. NULL: no database. -1: the run is unreadable,
 * or holds not one usable sample or event; nothing is stored.
 */
int load_run(struct loaded *out, const char *const *path, size_t path_count,
	const struct options *opt, struct store *store, struct error *err);
/*
 * The same without a database, from the logs themselves; every batch goes to the witness
 * too, in the order of the log. It may be told of a second reading.
 */
int load_watched(struct loaded *out, const char *const *path, size_t path_count,
	const struct options *opt, struct sample_witness *witness, struct error *err);
void loaded_drop_report(struct loaded *loaded); /* what the run was stays */
void loaded_release(struct loaded *loaded);
void loaded_move(struct loaded *to, const struct loaded *from); /* which is gone then */

#endif
