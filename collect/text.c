/*
 * Sentences for people, pieces of JSON, random ids.
 */
#include "text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <sys/random.h>
#include <sys/types.h>
#include <unistd.h>

#include "clock.h"

#define RANDOM_ID_MOST 16 /* bytes */

void say(const char *format, ...)
{
	char line[8192] = "collect: ";
	const int prefix = 9, room = (int)sizeof line - prefix - 1;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(line + prefix, (size_t)room, format, arguments);
	va_end(arguments);
	if (length < 0)
		return;
	if (length >= room)
		length = room - 1;
	/* A name may hold anything; the sentence is one line. */
	for (char *at = line + prefix; at < line + prefix + length; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '?';
	line[prefix + length] = '\n';
	if (write(STDERR_FILENO, line, (size_t)(prefix + length + 1)) < 0)
		return;
}

/*
 * The length of the UTF-8 sequence that text begins with, 0 if it is not valid: overlong
 * forms, surrogates and what lies above U+10FFFF are refused (Unicode 15, table 3-7).
 */
static size_t utf8_length(const unsigned char *text)
{
	unsigned char low = 0x80, high = 0xbf;
	size_t length;

	if (text[0] < 0x80)
		return 1;
	if (text[0] >= 0xc2 && text[0] <= 0xdf)
		length = 2;
	else if (text[0] >= 0xe0 && text[0] <= 0xef)
		length = 3;
	else if (text[0] >= 0xf0 && text[0] <= 0xf4)
		length = 4;
	else
		return 0;
	if (text[0] == 0xe0)
		low = 0xa0;
	else if (text[0] == 0xed)
		high = 0x9f;
	else if (text[0] == 0xf0)
		low = 0x90;
	else if (text[0] == 0xf4)
		high = 0x8f;
	if (text[1] < low || text[1] > high)
		return 0;
	for (size_t i = 2; i < length; i++)
		if (text[i] < 0x80 || text[i] > 0xbf)
			return 0;
	return length;
}

void json_string(FILE *out, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	if (text == NULL) {
		(void)fputs("null", out);
		return;
	}
	(void)fputc('"', out);
	while (*at != '\0') {
		size_t length = utf8_length(at);

		if (length == 0) {
			(void)fputs("\\ufffd", out);
			at++;
			continue;
		}
		if (*at == '"' || *at == '\\')
			(void)fprintf(out, "\\%c", *at);
		else if (*at < 0x20 || *at == 0x7f)
			(void)fprintf(out, "\\u%04x", *at);
		else
			(void)fwrite(at, 1, length, out);
		at += length;
	}
	(void)fputc('"', out);
}

void json_strings(FILE *out, char *const *texts)
{
	if (texts == NULL) {
		(void)fputs("null", out);
		return;
	}
	(void)fputc('[', out);
	for (size_t i = 0; texts[i] != NULL; i++) {
		if (i > 0)
			(void)fputs(", ", out);
		json_string(out, texts[i]);
	}
	(void)fputc(']', out);
}

void json_seconds(FILE *out, int64_t ns)
{
	int64_t fraction = ns % NS_PER_S;
	int digits = 9;

	if (ns < 0) {
		(void)fputc('-', out);
		json_seconds(out, -ns);
		return;
	}
	(void)fprintf(out, "%" PRId64, ns / NS_PER_S);
	if (fraction == 0)
		return;
	while (fraction % 10 == 0) {
		fraction /= 10;
		digits--;
	}
	(void)fprintf(out, ".%0*" PRId64, digits, fraction);
}

static const char *skip_digits(const char *at)
{
	return at + strspn(at, "0123456789");
}

/* So many digits any reader keeps, and so many of an exponent. */
#define DIGITS_KEPT	15
#define EXPONENT_DIGITS 2

bool json_is_number(const char *text)
{
	const char *whole = text + (*text == '-'), *at = skip_digits(whole), *part;
	size_t digits = (size_t)(at - whole);
	bool marked = *at == '.';

	if (digits == 0 || (*whole == '0' && digits > 1))
		return false;
	if (marked) {
		part = at + 1;
		at = skip_digits(part);
		if (at == part)
			return false;
		digits += (size_t)(at - part);
	}
	if (*at == 'e' || *at == 'E') {
		part = at + 1;
		marked |= *part == '+' || *part == '-';
		part += *part == '+' || *part == '-';
		at = skip_digits(part);
		if (!marked || at == part || at - part > EXPONENT_DIGITS)
			return false;
	}
	return *at == '\0' && digits <= DIGITS_KEPT;
}

int random_id(char *text, size_t bytes)
{
	unsigned char bits[RANDOM_ID_MOST];

	text[0] = '\0';
	if (getrandom(bits, bytes, 0) != (ssize_t)bytes)
		return -1;
	for (size_t i = 0; i < bytes; i++)
		(void)snprintf(text + 2 * i, 3, "%02x", bits[i]);
	return 0;
}
