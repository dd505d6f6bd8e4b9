/* Fuzz target: a table about the host, through all stages. */
#include "pipeline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_log(SOURCE_HOST_TABLE, data, size);
	return 0;
}
