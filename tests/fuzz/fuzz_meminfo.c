/* Fuzz target: /proc/meminfo, through all stages. */
#include "pipeline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_log(SOURCE_MEMINFO, data, size);
	return 0;
}
