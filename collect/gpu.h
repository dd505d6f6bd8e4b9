/*
 * The rows of the inventory that nvidia-smi gives of the GPUs, taken apart.
 * This room knows nothing of what they are for.
 */
#ifndef COLLECT_GPU_H
#define COLLECT_GPU_H

#include <stdbool.h>

struct gpu {
	long index;
	char uuid[96];
	char pci_bus_id[32];
	char memory_total_mib[24]; /* a number, or "null" */
	char driver_version[64];
	char name[160];
};

/*
 * Takes the next row of
 * --query-gpu=index,uuid,pci.bus_id,memory.total,driver_version,name
 * --format=csv,noheader,nounits and moves *rows behind it. Rows that are none (nvidia-smi
 * prints its complaints among them) are passed over. Returns false at the end; NULL has
 * none.
 */
bool gpu_next(const char **rows, struct gpu *gpu);

#endif
