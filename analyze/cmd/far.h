/* Events that can't be of the run are lost, as rows that can't be read are. */
#ifndef CMD_FAR_H
#define CMD_FAR_H

#include "compute/run/aggregate.h"

/*
 * Refuses those events, which are no longer the run's then. agg: of all samples of it.
 * True: there were some, and agg, which knew them, has to be given the samples anew.
 */
bool far_refuse(struct run *run, struct aggregate *agg);

#endif
