/* Members are sorted by their keys: an object may have many. */
#include "read/manifest_keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "base/timestamp.h"

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

bool manifest_tells(const cJSON *item)
{
	return item && !cJSON_IsNull(item);
}

static bool is_word(const cJSON *item)
{
	return cJSON_IsString(item) && item->valuestring[0];
}

static bool is_amount(const cJSON *item)
{
	return cJSON_IsNumber(item) && item->valuedouble >= 0;
}

static bool is_time(const cJSON *item)
{
	struct zone utc = ZONE_UTC;
	int64_t t_ns;

	return cJSON_IsString(item) &&
		time_parse(span_of(item->valuestring), &utc, &t_ns);
}

static bool is_list(const cJSON *item)
{
	return cJSON_IsArray(item) && item->child;
}

static bool is_object(const cJSON *item)
{
	return cJSON_IsObject(item) && item->child;
}

bool manifest_says_something(const cJSON *object)
{
	static const struct {
		const char *key;
		bool (*makes_sense)(const cJSON *item);
	} keys[] = {
		{"exit_status", manifest_tells},
		{"signal", is_amount},
		{"started_at", is_time},
		{"ended_at", is_time},
		{"command", is_list},
		{"host", is_word},
		{"kernel", is_word},
		{"cpu_model", is_word},
		{"driver_version", is_word},
		{"query", is_word},
		{"recorder_timezone", is_word},
		{"cpu_count", is_amount},
		{"mem_total_kib", is_amount},
		{"interval_s", is_amount},
		{"dmon_interval_s", is_amount},
		{"gpus", is_list},
		{"labels", is_object},
		{"recorders", is_list},
	};

	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
		if (keys[i].makes_sense(
			    cJSON_GetObjectItemCaseSensitive(object, keys[i].key)))
			return true;
	return false;
}

void manifest_say_missing(struct log *log, const cJSON *object)
{
	static const char *const keys[] = {
		"run_id", "format_version", "started_at", "ended_at", "exit_status"};
	const size_t naming = 2, count = sizeof keys / sizeof keys[0];
	struct strbuf missing;

	strbuf_init(&missing);
	for (size_t i = 0; i < count; i++) {
		if (cJSON_GetObjectItemCaseSensitive(object, keys[i]))
			continue;
		log->bare |= i < naming;
		strbuf_addf(&missing, "%s%s", missing.len ? ", " : "", keys[i]);
	}
	if (log->bare)
		log_note(log, false, "bare-manifest", (struct span){NULL, 0},
			"it lacks %s, which collect writes: what else it says counts, "
			"the rest is unknown",
			missing.text);
	strbuf_release(&missing);
}
