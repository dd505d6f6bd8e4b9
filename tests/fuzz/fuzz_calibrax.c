/* Fuzz target: calibrax's results, all stages. */
#include "pipeline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_log(SOURCE_CALIBRAX, data, size);
	return 0;
}
