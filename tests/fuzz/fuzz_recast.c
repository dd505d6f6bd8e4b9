/*
 * Fuzz target: logs that are no tables of lines (JSON, XML, nvidia-smi -q, Prometheus),
 * through all stages: as what they bid for, which is never this kind.
 */
#include "pipeline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_log(SOURCE_MEMINFO, data, size);
	return 0;
}
