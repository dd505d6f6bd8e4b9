/* Fuzz target: processes and their descendants, through all stages. */
#include "pipeline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_log(SOURCE_PROCESS_TREE, data, size);
	return 0;
}
