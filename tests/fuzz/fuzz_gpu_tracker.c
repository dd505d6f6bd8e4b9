/* Fuzz target: gpu_tracker's recordings as CSV, samples and code blocks, all stages. */
#include "pipeline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_log(SOURCE_GPU_TRACKER, data, size);
	fuzz_log(SOURCE_GPU_TRACKER_SUB, data, size);
	return 0;
}
