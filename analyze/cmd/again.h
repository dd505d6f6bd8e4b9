/* A run's logs read once more, by somebody who wants their lines. */
#ifndef CMD_AGAIN_H
#define CMD_AGAIN_H

#include "cmd/load.h"

/*
 * All rows of the logs that a run was loaded from go to the witness, without rules and
 * whatever window was asked for. *out: the run as it was read now; release it. False: the
 * logs can't be read again; nothing to release.
 */
bool load_again(struct loaded *out, const struct loaded *loaded, const char *const *path,
	size_t path_count, const struct options *opt, struct sample_witness *witness);

#endif
