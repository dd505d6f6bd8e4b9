/* The weights of a ranking: a JSON object of numbers. Knows no run. */
#include "rules/weights.h"

#include <math.h>

#include "base/alloc.h"
#include "rules/rules.h"

static int take(struct score_weights *weights, const char *file, const char *json,
	const cJSON *member, struct error *err)
{
	size_t line = line_of_key(json, SIZE_MAX, member->string);

	if (!cJSON_IsNumber(member) || !isfinite(member->valuedouble) ||
		member->valuedouble <= 0)
		return error_set(err, "%s:%zu: %s: expected a number above 0", file, line,
			member->string);
	for (size_t i = 0; i < weights->count; i++)
		if (strcmp(weights->at[i].key, member->string) == 0)
			return error_set(err, "%s:%zu: %s has two weights", file, line,
				member->string);
	ALLOC_NEXT(weights->at, weights->count, weights->cap) =
		(struct score_weight){xstrdup(member->string), member->valuedouble};
	return 0;
}

int weights_parse(struct score_weights *weights, const char *file, const char *json,
	struct error *err)
{
	const char *end = NULL;
	cJSON *object = cJSON_ParseWithOpts(json, &end, true);
	const cJSON *member;
	int status = 0;

	if (!cJSON_IsObject(object) || !object->child)
		status = error_set(err,
			"%s:%zu: expected an object of weights, such as "
			"{\"duration_s\": 2, \"energy_j\": 1}",
			file, line_at(json, object || !end ? json : end));
	for (member = object ? object->child : NULL; member && status == 0;
		member = member->next)
		status = take(weights, file, json, member, err);
	cJSON_Delete(object);
	return status;
}
