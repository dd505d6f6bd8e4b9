/* Fuzz target: nvidia-smi --query-compute-apps, through all stages. */
#include "pipeline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_log(SOURCE_NVIDIA_APPS, data, size);
	return 0;
}
