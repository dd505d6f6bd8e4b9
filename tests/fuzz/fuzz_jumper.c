/* Fuzz target: JUmPER's exports, a level's data, cells and a session, all stages. */
#include "pipeline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_log(SOURCE_JUMPER, data, size);
	fuzz_log(SOURCE_JUMPER_CELLS, data, size);
	fuzz_log(SOURCE_JUMPER_SESSION, data, size);
	return 0;
}
