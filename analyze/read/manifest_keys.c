/* Members are sorted by their keys: an object may have many. */
#include "read/manifest_keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct member {
	cJSON *item;
	size_t place;
};

static int by_key(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	int order = strcmp(x->item->string, y->item->string);

	return order ? order : (x->place > y->place) - (x->place < y->place);
}

/* As they are spelt: in an object of many members each would be looked for in all. */
static bool is_equal(const cJSON *a, const cJSON *b)
{
	char *x = cJSON_PrintUnformatted(a), *y = cJSON_PrintUnformatted(b);
	bool equal = x && y && strcmp(x, y) == 0;

	cJSON_free(x);
	cJSON_free(y);
	return equal;
}

/* Members of one key: all are equal, and the first stays, or all go. */
static void strike(struct log *log, cJSON *object, const struct member *member,
	size_t count, bool top)
{
	const char *key = member[0].item->string;
	bool equal = true, status = top && strcmp(key, "exit_status") == 0;
	cJSON *all;

	for (size_t i = 1; i < count; i++)
		equal = equal && is_equal(member[0].item, member[i].item);
	if (!equal)
		log_note(log, true, "bad-manifest", span_of(key),
			"\"%s\" stands %zu times in one object, with values that differ; "
			"it counts as unknown",
			log_quote(span_of(key)).text, count);
	all = cJSON_CreateArray();
	for (size_t i = equal ? 1 : 0; all && i < count; i++)
		cJSON_AddItemToArray(
			all, cJSON_DetachItemViaPointer(object, member[i].item));
	if (all && !equal && status)
		cJSON_AddItemToObject(object, "exit_status", all);
	else
		cJSON_Delete(all);
}

static void strike_in(struct log *log, cJSON *list, bool top)
{
	size_t count = 0, first = 0;
	struct member *member;
	cJSON *item;

	cJSON_ArrayForEach(item, list)
	{
		if (item->child)
			strike_in(log, item, false);
		count++;
	}
	if (!cJSON_IsObject(list))
		return;
	member = xmalloc((count + 1) * sizeof *member);
	count = 0;
	cJSON_ArrayForEach(item, list)
	{
		member[count] = (struct member){item, count};
		count++;
	}
	qsort(member, count, sizeof *member, by_key);
	for (size_t i = 1; i <= count; i++) {
		if (i < count &&
			strcmp(member[i].item->string, member[first].item->string) == 0)
			continue;
		if (i - first > 1)
			strike(log, list, member + first, i - first, top);
		first = i;
	}
	free(member);
}

void manifest_strike_doubles(struct log *log, cJSON *object)
{
	strike_in(log, object, true);
}
