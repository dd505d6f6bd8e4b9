/* Fuzz target: nvidia-smi pmon, through all stages. */
#include "pipeline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_log(SOURCE_NVIDIA_PMON, data, size);
	return 0;
}
