/*
 * What fails a gate beside its rules. Only gate.c includes this; everybody else reads
 * gate->incident.
 */
#ifndef COMPUTE_GATE_INCIDENTS_H
#define COMPUTE_GATE_INCIDENTS_H

#include "model/gate.h"

/* Fills gate->incident; lost: new runs that could not be used. */
void gate_find_incidents(
	struct gate *gate, const struct lost_run *lost, size_t lost_count);

#endif
