/*
 * Tables about the host, or the columns about it of a table about GPUs: usage of CPUs and
 * memory, power. Each value is an instant's, but shares of CPU time, which are the
 * average of the interval before their time.
 */
#include "read/csv.h"
#include "read/formats.h"
#include "read/header_words.h"
#include "read/lines.h"
#include "read/nvidia_query.h"

#define NAMED_BITS 39 /* less than those of a query */

static int bid(const struct probe *probe)
{
	struct csv_row row = csv_row_new();
	int bits = 0;

	for (size_t i = 0; i < probe->count && !bits; i++)
		if (host_split_header(&row, probe->line[i]))
			bits = NAMED_BITS;
	csv_row_release(&row);
	return bits;
}

static struct sample_source *host_open(struct log *log)
{
	return query_open_as(log, SOURCE_HOST_TABLE);
}

const struct format format_host_table = {
	.kind = SOURCE_HOST_TABLE, .bid = bid, .open = host_open};
