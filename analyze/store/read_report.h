/* Reads a stored report back. Private to store/. */
#ifndef STORE_READ_REPORT_H
#define STORE_READ_REPORT_H

#include "store/internal.h"
#include "store/store.h"

/* A run that is being put back. */
struct past {
	struct store *store;
	int64_t run_id;
	int64_t definitions;
	struct run run;
	struct report report;
	const struct history *history;
};

#endif
