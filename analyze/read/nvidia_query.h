/* The reader of tables with a row a GPU, for other kinds of tables. */
#ifndef READ_NVIDIA_QUERY_H
#define READ_NVIDIA_QUERY_H

#include "model/metric.h"
#include "model/sample.h"
#include "read/log.h"

/* SOURCE_NVIDIA_QUERY: its rows; SOURCE_HOST_TABLE: what they say about the host. */
struct sample_source *query_open_as(struct log *log, enum source_kind kind);

#endif
