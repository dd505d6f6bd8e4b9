/*
 * What loggers write in place of JSON. Looks at no structure but strings: whether the
 * rest is JSON is for others to say.
 */
#include "read/json_mend.h"

#include <string.h>

#include "base/text.h"

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
