/*
 * Looking into printed JSON, for the tests of render/. Included after cmocka.h.
 */
#ifndef RENDER_JSON_H
#define RENDER_JSON_H

#include <cjson/cJSON.h>

#include "render_fixture.h"

static inline cJSON *parse(const char *text)
{
	cJSON *json = cJSON_ParseWithOpts(text, NULL, true);

	assert_non_null(json);
	return json;
}

/* "runs.0.host" */
static inline const cJSON *at(const cJSON *json, const char *path)
{
	while (json && *path) {
		size_t n = strcspn(path, ".");
		char key[64];

		snprintf(key, sizeof key, "%.*s", (int)n, path);
		json = cJSON_IsArray(json) ? cJSON_GetArrayItem(json, atoi(key))
					   : cJSON_GetObjectItemCaseSensitive(json, key);
		path += n + (path[n] == '.');
	}
	assert_non_null(json);
	return json;
}

static inline void assert_text(const cJSON *json, const char *path, const char *expected)
{
	assert_string_equal(at(json, path)->valuestring, expected);
}

static inline void assert_same_bits(double a, double b)
{
	assert_memory_equal(&a, &b, sizeof a);
}

static inline void assert_number(const cJSON *json, const char *path, double expected)
{
	const cJSON *item = at(json, path);

	if (isnan(expected)) {
		assert_true(cJSON_IsNull(item));
		return;
	}
	assert_true(cJSON_IsNumber(item));
	assert_same_bits(item->valuedouble, expected);
}

/* A key of a metric, which lacks those that are unknown. */
static inline void assert_if_known(const cJSON *metric, const char *key, double expected)
{
	if (isnan(expected))
		assert_false(cJSON_HasObjectItem(metric, key));
	else
		assert_number(metric, key, expected);
}

#endif
