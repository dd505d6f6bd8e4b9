/* Look-up in the table. */
#include "model/damage.h"

#include <stddef.h>
#include <string.h>

static const struct damage table[] = {
#define DAMAGE(id, rank, cost) {id, DAMAGE_##rank, cost},
#include "../schema/damage.def"
};

const struct damage *damage_find(const char *id)
{
	size_t len = strcspn(id, ":");

	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		if (strlen(table[i].id) == len && strncmp(table[i].id, id, len) == 0)
			return &table[i];
	return NULL;
}

const char *damage_rank_name(enum damage_rank rank)
{
	static const char *const name[DAMAGE_RANK_COUNT] = {
		"file", "rows", "time", "values", "doubt", "remark"};

	return name[rank];
}
