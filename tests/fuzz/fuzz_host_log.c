/* Fuzz target: what the host and its control groups did, through all stages. */
#include "pipeline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_log(SOURCE_HOST_LOG, data, size);
	return 0;
}
