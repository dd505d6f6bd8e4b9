/*
 * Sentences for people, pieces of JSON, random ids.
 */
#include "text.h"

#include <ctype.h>
#include <inttypes.h>
#include <regex.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/types.h>
#include <unistd.h>

#include "clock.h"

#define RANDOM_ID_MOST 16 /* bytes */

static void *checked(void *memory)
{
	if (memory == NULL) {
		say("out of memory");
		_exit(EXIT_COLLECT);
	}
	return memory;
}

void *memory_resize(void *old, size_t size)
{
	return checked(realloc(old, size));
}

FILE *memory_stream(char **text, size_t *size)
{
	*text = NULL;
	return checked(open_memstream(text, size));
}

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
 * forms, surrogates and what is above U+10FFFF are refused (Unicode 15, table 3-7).
 */
static size_t utf8_length(const unsigned char *text)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	uint32_t code = text[0];
	size_t length;

	if (code < 0x80)
		return 1;
	length = code < 0xc0  ? 0
		: code < 0xe0 ? 2
		: code < 0xf0 ? 3
		: code < 0xf8 ? 4
			      : 0;
	code &= 0x7fU >> length;
	for (size_t i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3f);
	}
	if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
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
	char text[32];
	int length = snprintf(text, sizeof text, "%s%" PRId64 ".%09" PRId64,
		ns < 0 ? "-" : "", imaxabs(ns / NS_PER_S), imaxabs(ns % NS_PER_S));

	while (text[length - 1] == '0')
		length--;
	if (text[length - 1] == '.')
		length--;
	(void)fwrite(text, 1, (size_t)length, out);
}

/* All readers keep so many digits. */
#define DIGITS_KEPT 15

bool json_is_number(const char *text)
{
	static const char grammar[] =
		"^-?(0|[1-9][0-9]*)"
		"(([eE][-+][0-9]{1,2})?|[.][0-9]+([eE][-+]?[0-9]{1,2})?)$";
	size_t digits = 0;
	regex_t number;
	bool is;

	if (regcomp(&number, grammar, REG_EXTENDED | REG_NOSUB) != 0)
		return false;
	is = regexec(&number, text, 0, NULL, 0) == 0;
	regfree(&number);
	for (; *text != '\0' && *text != 'e' && *text != 'E'; text++)
		digits += isdigit((unsigned char)*text) != 0;
	return is && digits <= DIGITS_KEPT;
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
