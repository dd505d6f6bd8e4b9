/* Messages, memory, JSON, ids, clocks, ticks, pauses. */
#include "base.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

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
	const int why = errno;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(line + prefix, (size_t)room, format, arguments);
	va_end(arguments);
	length = MAX(0, MIN(length, room - 1));
	/* A name may contain anything; the sentence is one line. */
	for (char *at = line + prefix; at < line + prefix + length; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '?';
	line[prefix + length] = '\n';
	(void)!write(STDERR_FILENO, line, (size_t)(prefix + length + 1));
	errno = why;
}

/* The length of the UTF-8 sequence that text begins with, 0 if it is not valid: overlong
 * forms, surrogates and what is above U+10FFFF are refused (Unicode 15, table 3-7). */
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
	unsigned char bits[16];

	text[0] = '\0';
	if (getrandom(bits, bytes, 0) != (ssize_t)bytes)
		return -1;
	for (size_t i = 0; i < bytes; i++)
		(void)snprintf(text + 2 * i, 3, "%02x", bits[i]);
	return 0;
}

static int64_t clock_ns(clockid_t id)
{
	struct timespec now = {0, 0};

	/* Cannot fail: these clocks are older than any kernel that runs this. */
	(void)clock_gettime(id, &now);
	return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

void instant_now(struct instant *now)
{
	now->real_ns = clock_ns(CLOCK_REALTIME);
	now->mono_ns = clock_ns(CLOCK_MONOTONIC);
	now->boot_ns = clock_ns(CLOCK_BOOTTIME);
}

int64_t clock_mono_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

int64_t clock_cpu_of_ns(pid_t pid)
{
	clockid_t id;

	return clock_getcpuclockid(pid, &id) == 0 ? clock_ns(id) : -1;
}

void clock_rfc3339(int64_t real_ns, char text[RFC3339_SIZE])
{
	time_t seconds = (time_t)(real_ns / NS_PER_S);
	int micros = (int)(real_ns % NS_PER_S / 1000);
	char day[24];
	struct tm utc;

	(void)strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", gmtime_r(&seconds, &utc));
	(void)snprintf(text, RFC3339_SIZE, "%s.%06dZ", day, micros);
}

void ticker_start(
	struct ticker *ticker, int64_t interval_ns, int64_t origin_ns, int64_t now_ns)
{
	int64_t passed = (now_ns - origin_ns) / interval_ns;

	*ticker = (struct ticker){.interval_ns = interval_ns,
		.first_ns = origin_ns + (passed + 1) * interval_ns};
	ticker->next_ns = ticker->first_ns;
}

void ticker_pass(struct ticker *ticker, int64_t now_ns)
{
	if (ticker->interval_ns > 0 && now_ns >= ticker->next_ns)
		ticker->next_ns +=
			((now_ns - ticker->next_ns) / ticker->interval_ns + 1) *
			ticker->interval_ns;
}

void ticker_sampled(struct ticker *ticker, int64_t began_ns)
{
	int64_t late_ns, bin;

	if (ticker->interval_ns == 0 || began_ns < ticker->next_ns)
		return;
	ticker_pass(ticker, began_ns);
	late_ns = began_ns - (ticker->next_ns - ticker->interval_ns);
	bin = late_ns / TICKER_BIN_NS;
	ticker->late[MIN(bin, TICKER_BINS - 1)]++;
	ticker->late_max_ns = MAX(late_ns, ticker->late_max_ns);
	ticker->ticks++;
}

uint64_t ticker_missed(const struct ticker *ticker)
{
	if (ticker->interval_ns == 0)
		return 0;
	return (uint64_t)((ticker->next_ns - ticker->first_ns) / ticker->interval_ns) -
		ticker->ticks;
}

int64_t ticker_late_p99_ns(const struct ticker *ticker)
{
	uint64_t wanted = (ticker->ticks * 99 + 99) / 100, seen = 0;

	for (int64_t bin = 0; wanted > 0 && bin < TICKER_BINS - 1; bin++) {
		int64_t late_ns = (bin + 1) * TICKER_BIN_NS;

		seen += ticker->late[bin];
		if (seen >= wanted)
			return MIN(late_ns, ticker->late_max_ns);
	}
	return ticker->late_max_ns;
}

#define PAUSE_FIRST_NS (1 * NS_PER_S)

int64_t backoff_pause(struct backoff *backoff, int64_t now_ns, int64_t most_ns)
{
	int64_t pause_ns;

	if (now_ns - backoff->started_ns > most_ns)
		backoff->pause_ns = 0;
	pause_ns = backoff->pause_ns;
	backoff->pause_ns = MIN(most_ns, MAX(PAUSE_FIRST_NS, 2 * pause_ns));
	return pause_ns;
}
