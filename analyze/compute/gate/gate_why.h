/*
 * Why a rule came out as it did, in a sentence. Only gate.c includes this; everybody else
 * reads result->why.
 */
#ifndef COMPUTE_GATE_WHY_H
#define COMPUTE_GATE_WHY_H

#include "model/gate.h"

/* Fills result->why, of a gate of which all else is known. */
void gate_say_why(const struct gate *gate, struct gate_result *result);

#endif
