/* Reads an object, as RFC 8259 spells it, and notes its members. */
#include "read/json.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/text.h"

/*
 * What loggers write in place of JSON. Looks at no structure but strings: whether the
 * rest is JSON is for others to say.
 */

/* The 16 bits of "\uXXXX"; -1: it is no such escape. */
static long escaped_unit(const char *s)
{
	long unit = 0;

	if (s[0] != '\\' || s[1] != 'u')
		return -1;
	for (int i = 2; i < 6; i++) {
		static const char digits[] = "0123456789abcdef";
		char c = s[i] >= 'A' && s[i] <= 'F' ? (char)(s[i] - 'A' + 'a') : s[i];
		const char *digit = c ? strchr(digits, c) : NULL;

		if (!digit)
			return -1;
		unit = unit * 16 + (digit - digits);
	}
	return unit;
}

/* So many bytes of the text, and what is to stand for them; NULL: they stay. */
struct piece {
	size_t len;
	const char *with;
};

/* U+0000, at which a C string would end, and half a surrogate pair become U+FFFD. */
static struct piece escape_at(const char *s)
{
	long unit = escaped_unit(s), low;

	if (unit < 0)
		return (struct piece){s[1] ? 2 : 1, NULL};
	if (unit >= 0xd800 && unit <= 0xdbff) {
		low = escaped_unit(s + 6);
		if (low >= 0xdc00 && low <= 0xdfff)
			return (struct piece){12, NULL};
	}
	return (struct piece){
		6, unit == 0 || (unit >= 0xd800 && unit <= 0xdfff) ? "\\ufffd" : NULL};
}

/* The length of a number that Python and others write and JSON has not; else 0. */
static size_t no_number(const char *s)
{
	static const char *const words[] = {"NaN", "Infinity", "-Infinity"};

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strncmp(s, words[i], strlen(words[i])) == 0)
			return strlen(words[i]);
	return 0;
}

static struct piece piece_at(const char *s, bool in_string)
{
	int32_t point;
	size_t n;

	if (*s == '\\')
		return escape_at(s);
	if ((unsigned char)*s >= 0x80) {
		n = utf8_read(s, &point);
		return (struct piece){n, point == UTF8_INVALID ? "\xef\xbf\xbd" : NULL};
	}
	n = !in_string && strchr("NI-", *s) ? no_number(s) : 0;
	return n ? (struct piece){n, "null"} : (struct piece){1, NULL};
}

bool json_mend(struct strbuf *sb, const char *s)
{
	const char *from = s; /* not yet copied */
	bool in_string = false, any = false;

	while (*s) {
		struct piece piece = piece_at(s, in_string);

		in_string ^= *s == '"';
		if (piece.with) {
			strbuf_add(sb, from, (size_t)(s - from));
			strbuf_adds(sb, piece.with);
			from = s + piece.len;
			any = true;
		}
		s += piece.len;
	}
	strbuf_add(sb, from, (size_t)(s - from));
	return any;
}

#define DEPTH_MAX 1000 /* lists in lists */
#define FEW	  8 /* members that are compared each with each */

void json_line_release(struct json_line *line)
{
	free(line->member);
	free(line->order);
	strbuf_release(&line->raw);
	strbuf_release(&line->mended);
	*line = (struct json_line){0};
}

/* What is not read yet; a NUL, as in no JSON, is its end. */
struct reader {
	const char *at, *end;
	bool odd; /* a string has an escape, or a byte that is no ASCII */
};

static char peek(const struct reader *r)
{
	return r->at < r->end ? *r->at : '\0';
}

static bool take_char(struct reader *r, char c)
{
	if (peek(r) != c)
		return false;
	r->at++;
	return true;
}

/* Control characters are passed over as blanks. */
static void skip_blanks(struct reader *r)
{
	while (r->at < r->end && (unsigned char)*r->at <= ' ')
		r->at++;
}

static bool read_word(struct reader *r, const char *word)
{
	while (*word && take_char(r, *word))
		word++;
	return !*word;
}

static bool read_digits(struct reader *r)
{
	const char *first = r->at;

	while (r->at < r->end && *r->at >= '0' && *r->at <= '9')
		r->at++;
	return r->at > first;
}

static bool read_number(struct reader *r)
{
	take_char(r, '-');
	if (!take_char(r, '0') && !read_digits(r))
		return false;
	if (take_char(r, '.') && !read_digits(r))
		return false;
	if (!take_char(r, 'e') && !take_char(r, 'E'))
		return true;
	if (!take_char(r, '-'))
		take_char(r, '+');
	return read_digits(r);
}

/* Behind the backslash. */
static bool read_escape(struct reader *r)
{
	char c = peek(r);

	if (!c || !strchr("\"\\/bfnrtu", c))
		return false;
	r->at++;
	for (int digits = c == 'u' ? 4 : 0; digits; digits--, r->at++)
		if (!isxdigit((unsigned char)peek(r)))
			return false;
	return true;
}

/* What stands for itself in a string, and is ASCII. */
static void skip_plain(struct reader *r)
{
	const char *at = r->at;

	while (at < r->end && *at != '"' && *at != '\\' && !(*at & 0x80))
		at++;
	r->at = at;
}

static bool read_string(struct reader *r)
{
	if (!take_char(r, '"'))
		return false;
	for (skip_plain(r); !take_char(r, '"'); skip_plain(r)) {
		r->odd = true;
		if (r->at == r->end || (*r->at++ == '\\' && !read_escape(r)))
			return false;
	}
	return true;
}

static bool read_list(struct reader *r, struct json_line *line, int depth);

/* A value between blanks, at a depth of lists around it. */
static bool read_value(struct reader *r, struct span *value, int depth)
{
	char c;
	bool good;

	skip_blanks(r);
	value->at = r->at;
	c = peek(r);
	good = c == '"'		       ? read_string(r)
		: c == '{' || c == '[' ? read_list(r, NULL, depth)
		: c == 'n'	       ? read_word(r, "null")
		: c == 't'	       ? read_word(r, "true")
		: c == 'f'	       ? read_word(r, "false")
				       : read_number(r);
	value->len = (size_t)(r->at - value->at);
	skip_blanks(r);
	return good;
}

static bool read_member(struct reader *r, struct json_member *member, int depth)
{
	skip_blanks(r);
	member->key.at = r->at;
	if (!read_string(r))
		return false;
	member->key.at++;
	member->key.len = (size_t)(r->at - member->key.at) - 1;
	skip_blanks(r);
	return take_char(r, ':') && read_value(r, &member->value, depth);
}

/* An array, or an object, whose members become the line's unless that is NULL. */
static bool read_list(struct reader *r, struct json_line *line, int depth)
{
	bool object = take_char(r, '{');
	char close = object ? '}' : ']';
	struct json_member member;

	if (depth == DEPTH_MAX || !(object || take_char(r, '[')))
		return false;
	skip_blanks(r);
	if (take_char(r, close))
		return true;
	do {
		if (object ? !read_member(r, &member, depth + 1)
			   : !read_value(r, &member.value, depth + 1))
			return false;
		if (line) {
			ALLOC_NEXT(line->member, line->count, line->cap) = member;
		}
	} while (take_char(r, ','));
	return take_char(r, close);
}

/* *odd: it may need mending. */
static bool read_line(struct json_line *line, struct span text, bool *odd)
{
	struct reader r = {text.at, text.at + text.len, false};
	bool good;

	line->count = 0;
	skip_blanks(&r);
	good = peek(&r) == '{' && read_list(&r, line, 0);
	skip_blanks(&r);
	*odd = r.odd;
	return good && r.at == r.end;
}

/* False: nothing of the text needs it; else a copy is in line->mended. */
static bool mend(struct json_line *line, struct span text)
{
	if (!line->raw.text) {
		strbuf_init(&line->raw);
		strbuf_init(&line->mended);
	}
	strbuf_clear(&line->raw);
	strbuf_clear(&line->mended);
	strbuf_add(&line->raw, text.at, text.len);
	return json_mend(&line->mended, line->raw.text);
}

/* Equal keys lie together, in the order of the line. */
static int by_key(const void *a, const void *b)
{
	const struct json_member *x = *(struct json_member *const *)a,
				 *y = *(struct json_member *const *)b;
	size_t len = x->key.len < y->key.len ? x->key.len : y->key.len;
	int order = len ? memcmp(x->key.at, y->key.at, len) : 0;

	if (order)
		return order;
	if (x->key.len != y->key.len)
		return x->key.len < y->key.len ? -1 : 1;
	return x < y ? -1 : 1;
}

/* Of equal keys all but the last lose their value; a line of 1 MiB may have 200,000. */
static void strike_sorted(struct json_line *line)
{
	ALLOC_GROW(line->order, line->count, line->order_cap);
	for (size_t i = 0; i < line->count; i++)
		line->order[i] = &line->member[i];
	qsort(line->order, line->count, sizeof *line->order, by_key);
	for (size_t i = 1; i < line->count; i++)
		if (span_equal(line->order[i - 1]->key, line->order[i]->key))
			line->order[i - 1]->value.len = 0;
}

static void strike_few(struct json_line *line)
{
	for (size_t i = 0; i < line->count; i++)
		for (size_t k = i + 1; k < line->count; k++)
			if (span_equal(line->member[i].key, line->member[k].key))
				line->member[i].value.len = 0;
}

static void drop_repeated(struct json_line *line)
{
	size_t kept = 0;

	if (line->count > FEW)
		strike_sorted(line);
	else
		strike_few(line);
	for (size_t i = 0; i < line->count; i++)
		if (line->member[i].value.len)
			line->member[kept++] = line->member[i];
	line->count = kept;
}

bool json_line_parse(struct json_line *line, struct span text)
{
	bool odd, good;

	if (memchr(text.at, '\0', text.len))
		return false;
	good = read_line(line, text, &odd);
	if ((!good || odd) && mend(line, text))
		good = read_line(
			line, (struct span){line->mended.text, line->mended.len}, &odd);
	if (good)
		drop_repeated(line);
	return good;
}

/* How long a key is that a path begins with; 0: it is another one. */
static size_t key_length(struct span key, const char *path)
{
	size_t i = 0;

	while (i < key.len && path[i] == key.at[i])
		i++;
	return i == key.len && (!path[i] || path[i] == '.') ? i : 0;
}

/* Of the members of an object that is a value. */
static struct span find_within(struct span object, const char *path)
{
	struct span value = {NULL, 0};
	struct reader r = {object.at, object.at + object.len, false};
	struct json_member member;
	size_t length = 0, of;

	if (!take_char(&r, '{'))
		return value;
	while (read_member(&r, &member, 0)) {
		of = key_length(member.key, path);
		if (of) {
			value = member.value;
			length = of;
		}
		take_char(&r, ',');
	}
	return length && path[length] ? find_within(value, path + length + 1) : value;
}

struct span json_line_find(const struct json_line *line, const char *path)
{
	struct span value = {NULL, 0};
	size_t length = 0, of;

	for (size_t i = 0; i < line->count; i++) {
		of = key_length(line->member[i].key, path);
		if (!of)
			continue;
		value = line->member[i].value;
		length = of;
	}
	return length && path[length] ? find_within(value, path + length + 1) : value;
}

static bool is_among(struct span key, const char *const *keys, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (keys[i] && span_is(key, keys[i]))
			return true;
	return false;
}

char *json_line_rest(const struct json_line *line, const char *const *keys, size_t count)
{
	struct strbuf sb = strbuf_new();

	for (size_t i = 0; i < line->count; i++) {
		const struct json_member *m = &line->member[i];

		if (is_among(m->key, keys, count))
			continue;
		strbuf_adds(&sb, sb.len ? ", \"" : "{\"");
		strbuf_add(&sb, m->key.at, m->key.len);
		strbuf_adds(&sb, "\": ");
		strbuf_add(&sb, m->value.at, m->value.len);
	}
	if (!sb.len) {
		strbuf_release(&sb);
		return NULL;
	}
	strbuf_addc(&sb, '}');
	return strbuf_detach(&sb);
}

bool json_cut_object(struct span *text, struct span *object)
{
	bool string = false;
	size_t depth = 0, i = 0;

	if (!span_begins(*text, "{"))
		return false;
	do {
		char c = text->at[i++];

		string ^= c == '"';
		if (string)
			i += c == '\\';
		else
			depth += c == '{', depth -= c == '}';
	} while (depth && i < text->len);
	if (depth)
		return false;
	*object = (struct span){text->at, i};
	*text = (struct span){text->at + i, text->len - i};
	return true;
}

bool json_is_text(struct span value)
{
	return value.len >= 2 && value.at[0] == '"';
}

char *json_text(struct span value)
{
	cJSON *json;
	char *string;

	if (!json_is_text(value))
		return NULL;
	if (!memchr(value.at, '\\', value.len))
		return xstrndup(value.at + 1, value.len - 2);
	json = cJSON_ParseWithLength(value.at, value.len);
	string = cJSON_IsString(json) ? xstrdup(json->valuestring) : NULL;
	cJSON_Delete(json);
	return string;
}

/* The keys that loggers use for the time. */

#define SECOND	    "instant.epochSecond"
#define NANO_SECOND "instant.nanoOfSecond"

/* Where a line may have its time; the first that can be read as one counts. */
static const char *const time_paths[] = {"ts", "timestamp", "time",
	"@timestamp", /* RunLog, structlog, pino, zap, ECS */
	"asctime", "datetime", "created", "date", /* python-json-logger, logging */
	"time_ms", "time_us", "time_ns", "ts_ms", "ts_us", "ts_ns", "timestamp_ms",
	"timestamp_us", "timestamp_ns", "timeUnixNano", /* OpenTelemetry */
	"_timestamp", "wall_time", /* W&B, TensorBoard */
	"__REALTIME_TIMESTAMP", /* journalctl -o json */
	"record.time.timestamp", "record.time.repr", /* loguru */
	"t", "created_at", "@t", /* CLEF */
	"Timestamp", /* OpenTelemetry's logs in files */
	"timeMillis", SECOND}; /* log4j */

/* A string in ISO 8601, or a number of seconds or parts of them since 1970. */
static bool read_time(struct span value, const struct zone *zone, int64_t *t_ns)
{
	if (!json_is_text(value))
		return time_parse_epoch_any(value, t_ns);
	value.at++, value.len -= 2;
	return time_parse(value, zone, t_ns) || time_parse_epoch_any(value, t_ns);
}

/* log4j writes the parts of an instant beside one another. */
static void add_nanoseconds(const struct json_line *line, const char *path, int64_t *t_ns)
{
	uint64_t ns;

	if (strcmp(path, SECOND) == 0 &&
		number_unsigned(json_line_find(line, NANO_SECOND), &ns) && ns < NS_PER_S)
		*t_ns += (int64_t)ns;
}

const char *json_time_find(
	const struct json_line *line, const struct zone *zone, int64_t *t_ns)
{
	for (size_t i = 0; i < sizeof time_paths / sizeof time_paths[0]; i++) {
		struct span value = json_line_find(line, time_paths[i]);

		if (!value.len || !read_time(value, zone, t_ns))
			continue;
		add_nanoseconds(line, time_paths[i], t_ns);
		return time_paths[i];
	}
	return NULL;
}

void message_release(struct message *message)
{
	json_line_release(&message->object);
	strbuf_release(&message->text);
}

void message_take(struct message *message, const char *member)
{
	char *text = json_text(json_line_find(&message->object, member));

	strbuf_clear(&message->text);
	message->at = 0;
	if (text)
		strbuf_adds(&message->text, text);
	free(text);
}

bool message_read(struct message *message, struct span object, const char *member,
	const struct zone *zone)
{
	if (!message->text.text)
		strbuf_init(&message->text);
	strbuf_clear(&message->text);
	message->at = 0;
	if (!json_line_parse(&message->object, object))
		return false;
	message->timed = json_time_find(&message->object, zone, &message->t_ns) != NULL;
	message_take(message, member);
	return true;
}

bool message_line(struct message *message, struct span *line)
{
	struct span rest;
	const char *end;

	if (message->at >= message->text.len)
		return false;
	rest = (struct span){
		message->text.text + message->at, message->text.len - message->at};
	end = memchr(rest.at, '\n', rest.len);
	if (end)
		rest.len = (size_t)(end - rest.at);
	message->at += rest.len + 1;
	*line = span_trim(rest);
	return true;
}
