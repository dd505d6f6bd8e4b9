/* Fuzz target: the manifest of a run, through all stages. */
#include "pipeline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_log(SOURCE_MANIFEST, data, size);
	return 0;
}
