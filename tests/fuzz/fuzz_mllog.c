/* Fuzz target: MLPerf logs between other text, through all stages. */
#include "pipeline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_log(SOURCE_MLLOG, data, size);
	return 0;
}
