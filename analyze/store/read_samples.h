/* Reads stored samples of a run. Private to store/. */
#ifndef STORE_READ_SAMPLES_H
#define STORE_READ_SAMPLES_H

#include "store/chunks.h"
#include "store/internal.h"
#include "store/store.h"

struct cursor {
	sqlite3_stmt *stmt; /* on a row */
	struct sample_key key;
	int64_t mark, device;
	bool opened; /* it was on a row before */
};

#endif
