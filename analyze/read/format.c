/* The list of the formats, and who wins a file. */
#include "read/format.h"

#include <stdlib.h>

static const struct format *const formats[] = {
	&format_manifest,
	&format_mllog,
	&format_runlog,
	&format_proc_stat,
	&format_meminfo,
	&format_nvidia_dmon,
	&format_nvidia_pmon,
	&format_nvidia_apps,
	&format_cpu_csv,
	&format_nvidia_query,
};

const struct format *format_of(const struct probe *probe, int *bits)
{
	const struct format *best = NULL;

	*bits = 0;

	for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
		int bid = formats[i]->bid(probe);

		if (bid <= *bits)
			continue;
		*bits = bid;
		best = formats[i];
	}
	return best;
}

const struct format *format_get(enum source_kind kind)
{
	for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
		if (formats[i]->kind == kind)
			return formats[i];
	return NULL;
}

void log_free(struct log *log)
{
	input_close(log->in);
	free(log);
}
