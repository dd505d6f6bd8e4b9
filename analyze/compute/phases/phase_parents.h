/*
 * Which call a call lies in: the last one that begins before it and ends behind it, of
 * any process that does not differ from its own.
 */
#ifndef COMPUTE_PHASE_PARENTS_H
#define COMPUTE_PHASE_PARENTS_H

#include "compute/phases/phase_tree.h"

/* Sets the parent of each of the tree's calls, of which there is one; else PHASE_NONE. */
void phase_parents_find(struct phase_tree *tree);

#endif
