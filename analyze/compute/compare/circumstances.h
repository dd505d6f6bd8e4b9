/*
 * The circumstances of a run, as text. Two runs with equal circumstances have equal
 * texts.
 */
#ifndef COMPUTE_CIRCUMSTANCES_H
#define COMPUTE_CIRCUMSTANCES_H

#include "model/comparison.h"

enum circumstance {
	OF_GPUS,
	OF_DEVICES,
	OF_DRIVER,
	OF_POWER_LIMIT,
	OF_CLOCKS,
	OF_MIG,
	OF_CPU,
	OF_CPUS,
	OF_KERNEL,
	OF_HOST,
	OF_INTERVAL,
	OF_ENERGY,
	OF_ZONE,
	OF_GRADE,
	OF_STATUS,
	OF_END,
	OF_WORK, /* no run says it by itself: struct amounts */
	CIRCUMSTANCES
};

/* What it is called, for so many runs of which none says anything yet. */
struct difference circumstance_of(enum circumstance circumstance, size_t runs);

/* What a run says of it: "2 x NVIDIA A100"; NULL: nothing. To be freed. */
char *circumstance_said(const struct report *report, enum circumstance circumstance);

/* "40 step", "unknown step": an amount of work. To be freed. */
char *circumstance_work(double units, const char *name);

/* Do two of the runs say different things? */
bool circumstance_differs(const struct difference *difference, size_t runs);

#endif
