/* What push.c and push_rows.c share: the rows of runs on their way into PostgreSQL. */
#ifndef STORE_PUSH_H
#define STORE_PUSH_H

#include "store/internal.h"
#include "store/postgres.h"

/* A run that may be pushed. */
struct offer {
	int64_t run_id;
	char *run; /* its name there: UTF-8 */
	char month[32]; /* "2026-11-01", "-infinity" */
	bool has_id; /* by a recorder; else its name is a path */
	int64_t files, bytes, stamp; /* as the table pushed has them */
	int64_t files_on_disk; /* as earlier versions had files: of packed bytes */
	int64_t definitions;
	enum offer_verdict {
		UNDECIDED,
		TAKE,
		RENEW,
		KNOWN, /* it says the same, or more */
		REFUSE
	} verdict;
};

#endif
