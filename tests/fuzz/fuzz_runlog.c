/* Fuzz target: events and phases as JSON lines, through all stages. */
#include "pipeline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_log(SOURCE_RUNLOG, data, size);
	return 0;
}
