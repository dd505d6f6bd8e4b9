/* Fuzz target: snapshots of /proc/stat, through all stages. */
#include "pipeline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_log(SOURCE_PROC_STAT, data, size);
	return 0;
}
