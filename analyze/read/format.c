/* The list of the formats, and who wins a file. */
#include "read/format.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const struct format *format;
	bool sqlite; /* may be a database, too */
} formats[] = {
	{&format_manifest, false},
	{&format_mllog, false},
	{&format_runlog, false},
	{&format_proc_stat, false},
	{&format_meminfo, false},
	{&format_nvidia_dmon, false},
	{&format_nvidia_pmon, false},
	{&format_nvidia_apps, false},
	{&format_cpu_csv, false},
	{&format_gpu_tracker, true},
	{&format_gpu_tracker_sub, true},
	{&format_nvidia_query, false},
};

const struct format *format_of(const struct probe *probe, uint8_t bid[SOURCE_KIND_COUNT])
{
	const struct format *best = NULL;

	memset(bid, 0, SOURCE_KIND_COUNT);
	for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
		const struct format *format = formats[i].format;
		uint8_t bits = 0;

		if (!probe->sqlite || formats[i].sqlite)
			bits = (uint8_t)format->bid(probe);
		bid[format->kind] = bits;
		if (bits > (best ? bid[best->kind] : 0))
			best = format;
	}
	return best;
}

const struct format *format_get(enum source_kind kind)
{
	for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
		if (formats[i].format->kind == kind)
			return formats[i].format;
	return NULL;
}

void log_free(struct log *log)
{
	input_close(log->in);
	free(log);
}
