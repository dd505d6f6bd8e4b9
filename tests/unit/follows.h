/*
 * Does JSON follow its schema? Every object has the schema's keys, in the schema's order,
 * with the schema's types. A small validator of the few words that the schemas use; the
 * tests of the whole program use a real one. Included after cmocka.h; runs in the top
 * directory.
 */
#ifndef UNIT_FOLLOWS_H
#define UNIT_FOLLOWS_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/text.h"

static inline char *read_all(const char *path)
{
	FILE *in = fopen(path, "r");
	struct strbuf text;
	int c;

	if (!in)
		fail_msg("%s can't be read: run the test in the top directory", path);
	strbuf_init(&text);
	while ((c = getc(in)) != EOF)
		strbuf_addc(&text, (char)c);
	fclose(in);
	return strbuf_detach(&text);
}

static inline const char *type_of(const cJSON *json)
{
	if (cJSON_IsNull(json))
		return "null";
	if (cJSON_IsBool(json))
		return "boolean";
	if (cJSON_IsString(json))
		return "string";
	if (cJSON_IsArray(json))
		return "array";
	if (cJSON_IsObject(json))
		return "object";
	return json->valuedouble == floor(json->valuedouble) ? "integer" : "number";
}

static inline bool type_is(const cJSON *word, const char *type)
{
	return strcmp(word->valuestring, type) == 0 ||
		(strcmp(word->valuestring, "number") == 0 &&
			strcmp(type, "integer") == 0);
}

static inline bool type_fits(const cJSON *types, const char *type)
{
	const cJSON *one;

	if (!types)
		return true;
	if (cJSON_IsString(types))
		return type_is(types, type);
	cJSON_ArrayForEach(one, types) if (type_is(one, type)) return true;
	return false;
}

static inline const cJSON *get(const cJSON *json, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(json, key);
}

static inline bool is_required(const cJSON *schema, const char *key)
{
	const cJSON *one;

	cJSON_ArrayForEach(
		one, get(schema, "required")) if (strcmp(one->valuestring, key) ==
		0) return true;
	return false;
}

static inline void check(const cJSON *root, const cJSON *schema, const cJSON *json);

/* The schema's properties and the object's keys, side by side. */
static inline void check_object(const cJSON *root, const cJSON *schema, const cJSON *json)
{
	const cJSON *item = json->child, *property;

	if (!get(schema, "properties"))
		return; /* extras: anything */
	assert_true(cJSON_IsFalse(get(schema, "additionalProperties")));
	cJSON_ArrayForEach(property, get(schema, "properties"))
	{
		bool there = item && strcmp(item->string, property->string) == 0;

		if (!there && is_required(schema, property->string))
			fail_msg("key '%s' is not in its place", property->string);
		if (!there)
			continue;
		check(root, property, item);
		item = item->next;
	}
	if (item)
		fail_msg("key '%s' is not in the schema", item->string);
}

static inline void check(const cJSON *root, const cJSON *schema, const cJSON *json)
{
	const cJSON *ref = get(schema, "$ref"), *choice = get(schema, "oneOf"), *item;

	if (choice) {
		schema = cJSON_IsNull(json) ? choice->child : choice->child->next;
		check(root, schema, json);
		return;
	}
	if (ref) {
		schema = get(get(root, "$defs"), ref->valuestring + strlen("#/$defs/"));
		assert_non_null(schema);
	}
	if (!type_fits(get(schema, "type"), type_of(json)))
		fail_msg("'%s' is of type %s", json->string, type_of(json));
	if (cJSON_IsObject(json))
		check_object(root, schema, json);
	if (cJSON_IsArray(json))
		cJSON_ArrayForEach(item, json) check(root, get(schema, "items"), item);
}

/* Takes the text over. */
static inline void check_text_against(const char *schema_path, char *text)
{
	char *schema_text = read_all(schema_path);
	cJSON *schema = cJSON_Parse(schema_text), *json = cJSON_Parse(text);

	assert_non_null(schema);
	assert_non_null(json);
	check(schema, schema, json);
	cJSON_Delete(schema);
	cJSON_Delete(json);
	free(schema_text);
	free(text);
}

#endif
