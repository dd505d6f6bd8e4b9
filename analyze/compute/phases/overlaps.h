/*
 * Which calls overlap: two of which neither is in the other, and that are active at one
 * time, wherever in the tree they are. README.md, "Phases".
 */
#ifndef COMPUTE_OVERLAPS_H
#define COMPUTE_OVERLAPS_H

#include "compute/phases/phase_tree.h"

/* time[calls.count], with the ends of the calls; sets `overlaps` of each. Takes
 * O(n log n), however deep they nest and however many overlap. */
void overlaps_find(const struct phase_tree *tree, struct call_time *time);

#endif
