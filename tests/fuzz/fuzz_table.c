/* Fuzz target: the table that nvidia-smi prints for people, through all stages. */
#include "pipeline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_log(SOURCE_NVIDIA_TABLE, data, size);
	return 0;
}
