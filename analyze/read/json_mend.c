/*
 * What loggers write in place of JSON. Looks at no structure but strings: whether the
 * rest is JSON is for others to say.
 */
#include "read/json_mend.h"

#include <string.h>

#include "base/utf8.h"

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

/*
 * Copies the escape that s begins with. U+0000, at which a C string would end, and half a
 * surrogate pair become U+FFFD.
 */
static size_t mend_escape(struct strbuf *sb, const char *s)
{
	long unit = escaped_unit(s), low;
	size_t n = unit >= 0 ? 6 : s[1] ? 2 : 1;

	if (unit >= 0xd800 && unit <= 0xdbff) {
		low = escaped_unit(s + 6);
		if (low >= 0xdc00 && low <= 0xdfff)
			n = 12;
	}
	if (unit == 0 || (unit >= 0xd800 && unit <= 0xdfff && n == 6))
		strbuf_adds(sb, "\\ufffd");
	else
		strbuf_add(sb, s, n);
	return n;
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

static void mend_words(struct strbuf *sb, const char *s)
{
	bool inside = false; /* a string */

	while (*s) {
		size_t n = inside ? 0 : no_number(s);

		if (n) {
			strbuf_adds(sb, "null");
		} else if (*s == '\\') {
			n = mend_escape(sb, s);
		} else {
			inside ^= *s == '"';
			n = 1;
			strbuf_addc(sb, *s);
		}
		s += n;
	}
}

bool json_needs_mending(struct span text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.at[i] >= 0x80 || text.at[i] == '\\' ||
			text.at[i] == 'N' || text.at[i] == 'I')
			return true;
	return false;
}

void json_mend(struct strbuf *sb, struct span text)
{
	struct strbuf raw, valid;

	strbuf_init(&raw);
	strbuf_init(&valid);
	strbuf_add(&raw, text.at, text.len);
	utf8_repair(&valid, raw.text);
	mend_words(sb, valid.text);
	strbuf_release(&raw);
	strbuf_release(&valid);
}
