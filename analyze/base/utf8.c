/* UTF-8 without the locale, read strictly. */
#include "base/utf8.h"

size_t utf8_read(const char *s, int32_t *point)
{
	static const int32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char lead = (unsigned char)s[0];
	size_t len = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
	int32_t value = len == 1 ? lead : lead & (0x7f >> len);

	*point = UTF8_INVALID;
	if (len > 1 && (lead < 0xc2 || lead > 0xf4))
		return 1;
	for (size_t i = 1; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		/* A terminating NUL is no continuation either. */
		if ((c & 0xc0) != 0x80)
			return 1;
		value = value * 64 + (c & 0x3f);
	}
	if (value < smallest[len] || value > 0x10ffff ||
		(value >= 0xd800 && value <= 0xdfff))
		return 1;
	*point = value;
	return len;
}

bool utf8_is_valid(const char *s)
{
	int32_t point;

	while (*s) {
		s += utf8_read(s, &point);
		if (point == UTF8_INVALID)
			return false;
	}
	return true;
}

void utf8_repair(struct strbuf *sb, const char *s)
{
	int32_t point;

	while (*s) {
		size_t n = utf8_read(s, &point);

		if (point == UTF8_INVALID)
			strbuf_adds(sb, "\xef\xbf\xbd");
		else
			strbuf_add(sb, s, n);
		s += n;
	}
}
