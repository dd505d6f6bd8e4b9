/* Fuzz target: CPU shares as CSV, through all stages. */
#include "pipeline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_log(SOURCE_CPU_CSV, data, size);
	return 0;
}
