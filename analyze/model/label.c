/* A list in the order of its keys. */
#include "model/label.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define SHOWN_MAX 100 /* bytes of what is no label */

void label_list_release(struct label_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->at[i].key);
		free(list->at[i].value);
	}
	free(list->at);
	*list = (struct label_list){0};
}

bool label_is_key(struct span key)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789_.-";

	for (size_t i = 0; i < key.len; i++)
		if (!memchr(plain, key.at[i], sizeof plain - 1))
			return false;
	return key.len > 0 && key.len <= LABEL_KEY_MAX;
}

bool label_is_value(struct span value)
{
	return value.len <= LABEL_VALUE_MAX;
}

static int compare_key(const char *key, struct span other)
{
	int order = strncmp(key, other.at, other.len);

	return order ? order : key[other.len] != '\0';
}

/* Where a key stands, or would stand. */
static size_t place_of(const struct label_list *list, struct span key, bool *there)
{
	size_t at = 0;

	while (at < list->count && compare_key(list->at[at].key, key) < 0)
		at++;
	*there = at < list->count && compare_key(list->at[at].key, key) == 0;
	return at;
}

void label_set(struct label_list *list, struct span key, struct span value, bool given)
{
	bool there;
	size_t at = place_of(list, key, &there);

	if (there) {
		free(list->at[at].value);
	} else {
		ALLOC_GROW(list->at, list->count + 1, list->cap);
		memmove(&list->at[at + 1], &list->at[at],
			(list->count++ - at) * sizeof *list->at);
		list->at[at].key = xstrndup(key.at, key.len);
	}
	list->at[at].value = xstrndup(value.at, value.len);
	list->at[at].given = given;
}

int label_add(struct label_list *list, const char *text, struct error *err)
{
	const char *equals = strchr(text, '=');
	struct span key = {text, equals ? (size_t)(equals - text) : strlen(text)};
	struct span value = span_of(equals ? equals + 1 : "");
	bool there;

	if (!equals || !label_is_key(key))
		return error_set(err,
			"%.*s: expected KEY=VALUE with a key of 1 to %d letters, "
			"digits, _, . and -",
			SHOWN_MAX, text, LABEL_KEY_MAX);
	if (!label_is_value(value))
		return error_set(err, "%.*s: its value is too long; expected %d bytes",
			(int)key.len, key.at, LABEL_VALUE_MAX);
	place_of(list, key, &there);
	if (there)
		return error_set(
			err, "%.*s stands twice; expected it once", (int)key.len, key.at);
	if (list->count == LABELS_MAX)
		return error_set(err, "%.*s is one too many; expected %d", (int)key.len,
			key.at, LABELS_MAX);
	label_set(list, key, value, true);
	return 0;
}

const struct label *label_find(const struct label_list *list, const char *key)
{
	bool there;
	size_t at = place_of(list, span_of(key), &there);

	return there ? &list->at[at] : NULL;
}

bool label_matches(const struct label_list *list, const struct label_list *wanted)
{
	for (size_t i = 0; i < wanted->count; i++) {
		const struct label *label = label_find(list, wanted->at[i].key);

		if (!label || strcmp(label->value, wanted->at[i].value) != 0)
			return false;
	}
	return true;
}

void label_set_all(struct label_list *list, const struct label_list *given)
{
	for (size_t i = 0; i < given->count; i++)
		label_set(list, span_of(given->at[i].key), span_of(given->at[i].value),
			true);
}
