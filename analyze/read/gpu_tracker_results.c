/*
 * gpu_tracker's results as JSON, as it writes them and as its dialect prints them, packed
 * or not. Takes the object as it is; what is missing in it others will miss.
 */
#include <cjson/cJSON.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "read/bytes.h"
#include "read/json_mend.h"
#include "read/results.h"

#define RESULTS_MAX ((size_t)256 * 1024 * 1024)
#define CHUNK	    65536

/* A file, and not a device or a pipe, which can be read only once. */
static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool begins_object(const struct strbuf *sb)
{
	const char *c = sb->text;

	while (isspace((unsigned char)*c))
		c++;
	return *c == '{';
}

/* 1: the text of what may be JSON; 0: it is none; -1 */
static int read_text(const char *path, struct strbuf *sb, struct error *err)
{
	struct bytes *bytes;
	char chunk[CHUNK];
	size_t got;
	int more;

	if (bytes_open(&bytes, path, -1, err) < 0)
		return -1;
	while ((more = bytes_read(bytes, chunk, sizeof chunk, &got, err)) > 0) {
		strbuf_add(sb, chunk, got);
		if (!begins_object(sb) || sb->len > RESULTS_MAX)
			break;
	}
	bytes_close(bytes);
	return more < 0 ? -1 : !more && begins_object(sb);
}

/* Walks the tree beside the text: cJSON does not say how a number was written. */
struct walk {
	struct report *report;
	const char *at; /* in the text, before the next number */
};

/* Is the next number of the text a whole one, without a point or an exponent? */
static bool next_is_whole(struct walk *walk)
{
	const char *c = walk->at;
	bool whole = true;

	while (*c && *c != '-' && !isdigit((unsigned char)*c))
		if (*c++ == '"')
			for (; *c && *c++ != '"';)
				if (c[-1] == '\\' && *c)
					c++;
	for (; *c && strchr("+-.eE0123456789", *c); c++)
		whole &= !strchr(".eE", *c);
	walk->at = c;
	return whole;
}

static struct dialect_item *add(
	struct walk *walk, enum dialect_kind kind, const char *key, double number)
{
	struct report *report = walk->report;
	struct dialect_item *item;

	ALLOC_GROW(report->dialect, report->dialect_count + 1, report->dialect_cap);
	item = &report->dialect[report->dialect_count++];
	*item = (struct dialect_item){.kind = kind,
		.key = key ? report_keep(report, key) : NULL,
		.number = number};
	return item;
}

static void take_value(struct walk *walk, const cJSON *value, const char *key);

static void take_members(struct walk *walk, const cJSON *parent)
{
	const cJSON *child;

	cJSON_ArrayForEach(child, parent)
		take_value(walk, child, cJSON_IsObject(parent) ? child->string : NULL);
}

/* true and false are none of its values. */
static void take_value(struct walk *walk, const cJSON *value, const char *key)
{
	bool object = cJSON_IsObject(value);

	if (cJSON_IsNumber(value)) {
		bool whole = next_is_whole(walk) && fabs(value->valuedouble) < 1e15;

		add(walk, whole ? ITEM_COUNT : ITEM_NUMBER, key, value->valuedouble);
	} else if (cJSON_IsNull(value)) {
		add(walk, ITEM_NUMBER, key, NAN);
	} else if (cJSON_IsString(value)) {
		add(walk, ITEM_TEXT, key, 0)->text =
			report_keep(walk->report, value->valuestring);
	} else if (object || cJSON_IsArray(value)) {
		add(walk, object ? ITEM_OBJECT : ITEM_ARRAY, key, 0);
		take_members(walk, value);
		add(walk, ITEM_CLOSE, NULL, 0);
	}
}

static bool is_results(const cJSON *json)
{
	return cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(json, "overall")) &&
		cJSON_IsArray(
			cJSON_GetObjectItemCaseSensitive(json, "code_block_results"));
}

int read_results(
	const char *path, struct run *run, struct report *report, struct error *err)
{
	struct strbuf raw, text;
	cJSON *json = NULL;
	int found;

	if (!is_file(path))
		return 0;
	strbuf_init(&raw);
	strbuf_init(&text);
	found = read_text(path, &raw, err);
	if (found > 0) {
		json_mend(&text, raw.text);
		json = cJSON_ParseWithLength(text.text, text.len);
		found = is_results(json);
	}
	if (found > 0) {
		run_init(run, path);
		run_set_string(&run->key, path);
		run_add_file(run, path);
		report_init(report, run);
		take_members(&(struct walk){report, text.text}, json);
	}
	cJSON_Delete(json);
	strbuf_release(&text);
	strbuf_release(&raw);
	return found;
}
