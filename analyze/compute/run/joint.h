/*
 * Stretches of several GPUs at once: the time in which something is true of all that are
 * there. README.md, "Findings".
 */
#ifndef COMPUTE_JOINT_H
#define COMPUTE_JOINT_H

#include "compute/run/watch.h"

struct joint_stretch {
	struct stretch time;
	int128 gpu_ns; /* summed over the GPUs that are there, within it */
};

struct joint {
	struct joint_stretch *at; /* [count] ascending; owned */
	size_t count;
};

/* One GPU's stretches; where some overlap, an instant counts once. */
struct joint_part {
	const struct held_stretch *at;
	size_t count;
	struct stretch there; /* outside it nobody asks this GPU */
};

struct joint joint_of(const struct joint_part *part, size_t parts);

#endif
