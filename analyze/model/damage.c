/* Look-up in the table. */
#include "model/damage.h"

#include <stddef.h>
#include <string.h>

#define DAMAGE(id, severity, cost) {id, cost},

static const struct {
	const char *id, *cost;
} table[] = {
#include "../schema/damage.def"
};

const char *damage_cost(const char *id)
{
	size_t len = strcspn(id, ":");

	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		if (strlen(table[i].id) == len && strncmp(table[i].id, id, len) == 0)
			return table[i].cost;
	return NULL;
}
