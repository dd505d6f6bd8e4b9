/*
 * What a diagnostic costs: the C face of schema/damage.def.
 */
#ifndef MODEL_DAMAGE_H
#define MODEL_DAMAGE_H

/* "the row is lost", of "bad-value" or "bad-value:pwr"; NULL: no such id. Static. */
const char *damage_cost(const char *id);

#endif
