/*
 * The members of a JSON object: known answers, and over many objects, most of them
 * broken, what cJSON makes of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <cjson/cJSON.h>
#include <ctype.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "read/json.h"

static void members_as_they_are(void **state)
{
	struct json_line line = {0};
	char *text;

	(void)state;
	assert_true(json_line_parse(&line,
		span_of(" {\"ts\" : 1740823200.123456789, "
			"\"k\\\"\": \"v\\\\\\\"\",\"o\":{\"a\":[1,"
			"{\"b\":\"}\"}]} , \"n\":null,\"n\":7 } ")));
	assert_int_equal(line.count, 4);
	assert_true(span_is(json_line_find(&line, "ts"), "1740823200.123456789"));
	assert_true(span_is(json_line_find(&line, "k\\\""), "\"v\\\\\\\"\""));
	assert_true(span_is(json_line_find(&line, "o"), "{\"a\":[1,{\"b\":\"}\"}]}"));
	assert_true(span_is(json_line_find(&line, "n"), "7")); /* the last one counts */
	assert_int_equal(json_line_find(&line, "a").len, 0);
	text = json_text(json_line_find(&line, "k\\\""));
	assert_string_equal(text, "v\\\"");
	free(text);
	assert_null(json_text(json_line_find(&line, "n")));
	assert_null(json_text(json_line_find(&line, "a")));
	assert_true(json_line_parse(&line, span_of("{}")));
	assert_int_equal(line.count, 0);
	json_line_release(&line);
}

/* What is no JSON or no text, and stands in logs: mended, never cut. */
static void mended_objects(void **state)
{
	static const struct {
		const char *text, *rest, *a; /* rest: all members as they are kept */
	} cases[] = {
		{"{\"a\":NaN,\"b\":[-Infinity,Infinity,\"NaN\"]}",
			"{\"a\": null, \"b\": [null,null,\"NaN\"]}", NULL},
		{"{\"a\":\"x\\u0000y\"}", "{\"a\": \"x\\ufffdy\"}", "x\xef\xbf\xbdy"},
		{"{\"a\":\"\\ud800\"}", "{\"a\": \"\\ufffd\"}", "\xef\xbf\xbd"},
		{"{\"a\":\"\\uDC00\\uD800z\"}", "{\"a\": \"\\ufffd\\ufffdz\"}",
			"\xef\xbf\xbd\xef\xbf\xbdz"},
		{"{\"a\":\"\\ud83d\\uDE00\"}", "{\"a\": \"\\ud83d\\uDE00\"}",
			"\xf0\x9f\x98\x80"},
		{"{\"a\":\"\\\\u0000 \\\"NaN\"}", "{\"a\": \"\\\\u0000 \\\"NaN\"}",
			"\\u0000 \"NaN"},
		{"{\"a\":\"\xff\xc3\xa9\xed\xa0\x80\"}",
			"{\"a\": \"\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef"
			"\xbf\xbd\"}",
			"\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"{\"\xff\":1}", "{\"\xef\xbf\xbd\": 1}", NULL},
		/* of equal keys the last, where it stands */
		{"{\"a\":\"1\",\"b\":2,\"a\":\"3\",\"b\":4,\"b\":5,\"ab\":6}",
			"{\"a\": \"3\", \"b\": 5, \"ab\": 6}", "3"},
	};
	struct json_line line = {0};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char *rest, *a;

		if (!json_line_parse(&line, span_of(cases[i].text)))
			fail_msg("%s", cases[i].text);
		rest = json_line_rest(&line, NULL, 0);
		a = json_text(json_line_find(&line, "a"));
		assert_string_equal(rest, cases[i].rest);
		if (cases[i].a)
			assert_string_equal(a, cases[i].a);
		else
			assert_null(a);
		free(rest);
		free(a);
	}
	json_line_release(&line);
}

static void nested_members(void **state)
{
	static const char *const used[] = {"a", NULL};
	struct json_line line = {0};
	char *rest;

	(void)state;
	assert_true(json_line_parse(&line,
		span_of("{\"a\":{\"b\": {\"c\":1 , \"c\":2}, "
			"\"d\":[{\"c\":3}]},\"b\":4}")));
	assert_true(span_is(json_line_find(&line, "a.b.c"), "2"));
	assert_true(span_is(json_line_find(&line, "b"), "4"));
	assert_int_equal(json_line_find(&line, "a.b.d").len, 0);
	assert_int_equal(json_line_find(&line, "a.d.c").len, 0);
	assert_int_equal(json_line_find(&line, "b.c").len, 0);
	assert_int_equal(json_line_find(&line, "x.y").len, 0);
	rest = json_line_rest(&line, used, 2);
	assert_string_equal(rest, "{\"b\": 4}");
	free(rest);
	assert_true(json_line_parse(&line, span_of("{\"a\":1}")));
	assert_null(json_line_rest(&line, used, 2));
	json_line_release(&line);
}

static void objects_in_text(void **state)
{
	struct span text = span_of("{\"a\":\"}\\\"\",\"b\":{}} and more"), object;

	(void)state;
	assert_true(json_cut_object(&text, &object));
	assert_true(span_is(object, "{\"a\":\"}\\\"\",\"b\":{}}"));
	assert_true(span_is(text, " and more"));
	assert_false(json_cut_object(&text, &object));
	assert_true(span_is(text, " and more"));
	text = span_of("{\"a\":{\"b}");
	assert_false(json_cut_object(&text, &object));
	assert_int_equal(text.len, 9);
}

/* As RFC 8259 spells it; cJSON has read it with strtod. */
static bool is_number(const char *s, size_t len)
{
	char *word = xstrndup(s, len);
	regex_t spelling;
	bool good;

	assert_int_equal(
		regcomp(&spelling, "^-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]+)?$",
			REG_EXTENDED | REG_NOSUB),
		0);
	good = regexec(&spelling, word, 0, NULL, 0) == 0;
	regfree(&spelling);
	free(word);
	return good;
}

/* What cJSON let pass: other numbers, and \u without four digits. */
static bool is_strict(const char *s)
{
	bool in_string = false;

	while (*s) {
		size_t len = strspn(s, "-0123456789+.eE");

		if (in_string && *s == '\\') {
			s++;
			for (int i = 1; *s == 'u' && i <= 4; i++)
				if (!isxdigit((unsigned char)s[i]))
					return false;
			s++;
		} else if (!in_string && (*s == '-' || isdigit((unsigned char)*s))) {
			if (!is_number(s, len))
				return false;
			s += len;
		} else {
			in_string ^= *s++ == '"';
		}
	}
	return true;
}

/* NULL: it is no object. */
static cJSON *read_with_cjson(const char *text, size_t len)
{
	struct strbuf raw, mended;
	const char *end = NULL;
	cJSON *json;

	strbuf_init(&raw);
	strbuf_init(&mended);
	strbuf_add(&raw, text, len);
	json_mend(&mended, raw.text);
	json = cJSON_ParseWithLengthOpts(mended.text, mended.len, &end, false);
	while (json && (unsigned char)(*end - 1) < ' ')
		end++;
	if (!cJSON_IsObject(json) || *end || memchr(text, '\0', len) ||
		!is_strict(mended.text)) {
		cJSON_Delete(json);
		json = NULL;
	}
	strbuf_release(&raw);
	strbuf_release(&mended);
	return json;
}

/* As text, of equal keys the last. */
static char *print_once(cJSON *object)
{
	cJSON *next;

	for (cJSON *child = object->child; child; child = next) {
		bool again = false;

		next = child->next;
		for (const cJSON *later = next; later; later = later->next)
			again |= strcmp(later->string, child->string) == 0;
		if (again)
			cJSON_Delete(cJSON_DetachItemViaPointer(object, child));
	}
	return cJSON_PrintUnformatted(object);
}

/* The text of a string, and of nothing else. */
static void check_text(struct span value)
{
	cJSON *json = cJSON_ParseWithLength(value.at, value.len);
	char *text = json_text(value);

	assert_non_null(json);
	assert_int_equal(!text, !cJSON_IsString(json));
	if (text)
		assert_string_equal(text, json->valuestring);
	free(text);
	cJSON_Delete(json);
}

static void check_members(const struct json_line *line, cJSON *json)
{
	char *rest = json_line_rest(line, NULL, 0), *got, *expected = print_once(json);
	cJSON *members = cJSON_Parse(rest ? rest : "{}");

	for (size_t i = 0; i < line->count; i++)
		check_text(line->member[i].value);
	assert_non_null(members);
	got = print_once(members);
	assert_string_equal(got, expected);
	cJSON_free(got);
	cJSON_free(expected);
	cJSON_Delete(members);
	free(rest);
}

/* True: it is an object. The text is given in memory that ends where it ends. */
static bool check_text_of(struct json_line *line, const char *text, size_t len)
{
	cJSON *json = read_with_cjson(text, len);
	char *alone = memcpy(xmalloc(len + !len), text, len);
	bool good = json_line_parse(line, (struct span){alone, len});

	if (good != (json != NULL))
		fail_msg("%s: %.*s", good ? "accepted" : "refused", (int)len, text);
	if (good)
		check_members(line, json);
	cJSON_Delete(json);
	free(alone);
	return good;
}

static void what_is_an_object(void **state)
{
	static const char *const good[] = {"{}", " {} ", "{\"\":0}", "{\"a\":0}",
		"{\"a\":-0.5e+10}", "{\"a\":1E5}", "{\"a\":1e999}", "{\"a\":-0}",
		"{\"a\":\"01 -.5\",\"b1.\":[10.25,-0]}", "{\"a\":[],\"b\":{}}",
		"{\"a\":[true,false,null]}", "{\"a\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"}",
		"{\"a\":NaN,\"b\":[Infinity,-Infinity]}",
		/* control characters: blanks, and in strings */
		"\1{\37\"a\"\v:\f1\2,\t\"b\":2\r}\3\n", "{\"a\":\"\1\t\n\177\"}"};
	static const char *const bad[] = {"", " ", "[1]", "[{}]", "7", "null", "\"a\"",
		"{", "{\"", "{\"a", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,",
		"{\"a\"}", "{\"a\":}", "{a:1}", "{'a':1}", "{1:1}", "{,}", "{\"a\":1,}",
		"{\"a\" 1}", "{\"a\"::1}", "{\"a\":1;\"b\":2}", "{\"a\":1 \"b\":2}",
		"{\"a\":1,,\"b\":2}", "{\"a\":[}", "{\"a\":[1,]}", "{\"a\":[1}}",
		"{\"a\":{]}", "{\"a\":[\"b\":1]}", "{\"a\":{1}}", "{\"a\":1}x",
		"{\"a\":1}}", "{\"a\":1} {\"b\":2}", "\177{}", "{}\240", "{\"a\":tru}",
		"{\"a\":truefalse}", "{\"a\":True}", "{\"a\":nul}", "{\"a\":nan}",
		"{\"a\":NaNs}", "{\"a\":+Infinity}", "{\"a\":-true}", "{\"a\":\"b}",
		"{\"a\":\"\\\"}", "{\"a\":\"\\", "{\"a\":\"\\q\"}", "{\"a\":\"\\'\"}",
		"{\"a\":\"\\U0041\"}", "{\"a\":\"\\u00g0\"}", "{\"a\":\"\\u12\"}",
		"{\"a\":\"\\u", "{\"a\":\"\\ud83d\\u00zz\"}", "{\"\\u1\":1}",
		"{\"a\":\\u0031}",
		/* what strtod would accept, and JSON does not */
		"{\"a\":01}", "{\"a\":00}", "{\"a\":1.}", "{\"a\":.5}", "{\"a\":-.5}",
		"{\"a\":[1, -01]}", "{\"a\":1.e5}", "{\"a\":1e}", "{\"a\":1e+}",
		"{\"a\":-}", "{\"a\":--1}", "{\"a\":+1}", "{\"a\":0x1}", "{\"a\":1.5.5}",
		"{\"a\":1-1}"};
	struct json_line line = {0};

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
		assert_true(check_text_of(&line, good[i], strlen(good[i])));
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (check_text_of(&line, bad[i], strlen(bad[i])))
			fail_msg("%s", bad[i]);
	assert_false(check_text_of(&line, "{}\0", 3));
	assert_false(check_text_of(&line, "{\"\0\":1}", 7));
	json_line_release(&line);
}

/* An object, and `lists` of these in one another, in it. */
static bool is_object_around(const char *open, const char *close, int lists)
{
	struct json_line line = {0};
	struct strbuf text;
	bool good;

	strbuf_init(&text);
	strbuf_adds(&text, "{\"a\":");
	for (int i = 1; i < lists; i++)
		strbuf_adds(&text, open);
	strbuf_adds(&text, "[]");
	for (int i = 1; i < lists; i++)
		strbuf_adds(&text, close);
	strbuf_adds(&text, "}");
	good = check_text_of(&line, text.text, text.len);
	strbuf_release(&text);
	json_line_release(&line);
	return good;
}

static void a_thousand_deep(void **state)
{
	(void)state;
	assert_true(is_object_around("[", "]", 999));
	assert_false(is_object_around("[", "]", 1000));
	assert_true(is_object_around("{\"b\":", "}", 999));
	assert_false(is_object_around("{\"b\":", "}", 1000));
}

static uint64_t below(uint64_t *seed, uint64_t end)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed % end;
}

#define TEXT_MAX 512

/* Writes a byte over one, puts it before one, cuts some bytes off, or copies some. */
static size_t mutate(char *text, size_t len, uint64_t *seed)
{
	static const char bytes[] =
		"{}[]:,\"\"\\/u0189aeEdDfnrtN+-. \t\1\177\200\303\251";
	char byte = bytes[below(seed, sizeof bytes)], piece[8];
	size_t at = below(seed, len), most = len - at < 8 ? len - at : 8;
	size_t n = 1 + below(seed, most), to = below(seed, len + 1);

	switch (below(seed, 4)) {
	case 0:
		text[at] = byte;
		return len;
	case 1:
		memmove(text + at + 1, text + at, len - at);
		text[at] = byte;
		return len + 1;
	case 2:
		memmove(text + at, text + at + n, len - at - n);
		return len - n;
	default:
		memcpy(piece, text + at, n);
		memmove(text + to + n, text + to, len - to);
		memcpy(text + to, piece, n);
		return len + n;
	}
}

/* No number becomes longer than the 63 characters that all versions of cJSON read. */
static void as_cjson_reads(void **state)
{
	static const char *const texts[] = {"{\"ts\":\"2026-11-01T00:00:00.860Z\","
					    "\"type\":\"phase\",\"seconds\":0.86}",
		" { \"a\" : [ 1 , -2.5e+3, 0.1E-7,{\"b\":{}, "
		"\"c\":[[],[true,false,null]]}]}",
		"{\"\\u0061\\n\":\"x\\u00e9\\ud83d\\ude00\\\"\\\\\",\"a\":NaN,\"b\":-"
		"Infinity}",
		"{\"\303\251\":\"\\u0000\\ud800\377\",\"\":\"\\/\\b\\f\\r\\t\",\"\":0}",
		"{\"a\":1,\"b\":2,\"a\":3,\"c\":4,\"d\":5,\"e\":6,\"b\":7,\"f\":8,\"g\":"
		"9,"
		"\"a\":10,\"h\":11}"};
	struct json_line line = {0};
	uint64_t seed = 2026;
	int good = 0, bad = 0;

	(void)state;
	for (int i = 0; i < 50000; i++) {
		char text[TEXT_MAX];
		size_t len = strlen(texts[i % 5]);

		memcpy(text, texts[i % 5], len);
		for (uint64_t n = below(&seed, 4); n > 0 && len > 0; n--)
			len = mutate(text, len, &seed);
		if (check_text_of(&line, text, len))
			good++;
		else
			bad++;
	}
	assert_true(good > 15000 && bad > 15000);
	json_line_release(&line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_as_they_are),
		cmocka_unit_test(mended_objects),
		cmocka_unit_test(nested_members),
		cmocka_unit_test(objects_in_text),
		cmocka_unit_test(what_is_an_object),
		cmocka_unit_test(a_thousand_deep),
		cmocka_unit_test(as_cjson_reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
