/* The list of the formats, and who wins a file. */
#include "read/format.h"

#include <stdlib.h>
#include <string.h>

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

const struct format *format_of(const struct probe *probe, uint8_t bid[SOURCE_KIND_COUNT])
{
	const struct format *best = NULL;

	memset(bid, 0, SOURCE_KIND_COUNT);
	for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
		uint8_t bits = (uint8_t)formats[i]->bid(probe);

		bid[formats[i]->kind] = bits;
		if (bits > (best ? bid[best->kind] : 0))
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
