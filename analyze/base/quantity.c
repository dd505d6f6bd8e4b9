/*
 * Formats numbers, durations and instants for people; names signals. Must not know
 * what was measured.
 */
#include "base/quantity.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/timestamp.h"

/* Copies a decimal number with a comma after every third digit before the point. */
static void add_grouped(struct strbuf *sb, const char *text)
{
	size_t digits;

	if (*text == '-')
		strbuf_addc(sb, *text++);
	digits = strspn(text, "0123456789");
	for (size_t i = 0; i < digits; i++) {
		if (i && (digits - i) % 3 == 0)
			strbuf_addc(sb, ',');
		strbuf_addc(sb, text[i]);
	}
	strbuf_adds(sb, text + digits);
}

void quantity_number(struct strbuf *sb, double x, int decimals)
{
	char text[64];

	if (!isfinite(x)) {
		strbuf_addc(sb, '-');
		return;
	}
	if (fabs(x) >= 1e15) {
		number_print(sb, x);
		return;
	}
	snprintf(text, sizeof text, "%.*f", decimals, x);
	/* What rounds to nought has no sign. */
	if (*text == '-' && !text[strspn(text, "-0.")])
		add_grouped(sb, text + 1);
	else
		add_grouped(sb, text);
}

void quantity_count(struct strbuf *sb, uint64_t n)
{
	char text[32];

	snprintf(text, sizeof text, "%" PRIu64, n);
	add_grouped(sb, text);
}

void quantity_span(struct strbuf *sb, double seconds)
{
	int64_t s;

	if (!isfinite(seconds) || fabs(seconds) >= 1e12 || seconds < 99.95) {
		quantity_number(sb, seconds, 1);
		if (isfinite(seconds))
			strbuf_adds(sb, " s");
		return;
	}
	s = llround(seconds);
	if (s < 3600)
		strbuf_addf(sb, "%d min %02d s", (int)(s / 60), (int)(s % 60));
	else if (s < 86400)
		strbuf_addf(sb, "%d h %02d min %02d s", (int)(s / 3600),
			(int)(s / 60 % 60), (int)(s % 60));
	else
		strbuf_addf(sb, "%" PRId64 " d %02d h %02d min", s / 86400,
			(int)(s / 3600 % 24), (int)(s / 60 % 60));
}

void quantity_given(struct strbuf *sb, int64_t ns)
{
	int64_t s = ns / NS_PER_S;
	char fraction[16];
	size_t digits = 9;

	snprintf(fraction, sizeof fraction, "%09d", (int)(ns % NS_PER_S));
	while (digits && fraction[digits - 1] == '0')
		digits--;
	if (s < 100 && !digits)
		digits = 1; /* as spans have it */
	fraction[digits] = '\0';
	if (s < 100)
		strbuf_addf(sb, "%d", (int)s);
	else
		quantity_span(sb, (double)s);
	if (s >= 86400 && !digits && s % 60 == 0)
		return;
	if (s >= 86400)
		strbuf_addf(sb, " %02d", (int)(s % 60));
	else if (s >= 100)
		sb->text[sb->len -= strlen(" s")] = '\0';
	strbuf_addf(sb, "%s%s s", digits ? "." : "", fraction);
}

void quantity_when(struct strbuf *sb, int64_t t_ns)
{
	size_t from = sb->len;
	struct strbuf clock;
	char *t;

	if (t_ns == TIME_NONE) {
		strbuf_addc(sb, '-');
		return;
	}
	if (!time_is_dated(t_ns)) {
		quantity_span(sb, (double)(t_ns - TIME_BEGIN) / NS_PER_S);
		return;
	}
	/* The second that has begun: fractions are cut, not rounded. */
	time_print(sb, t_ns - (t_ns % NS_PER_S + NS_PER_S) % NS_PER_S);
	sb->text[--sb->len] = '\0'; /* the Z */
	t = strchr(sb->text + from, 'T');
	*t = ' ';
	if (time_is_clock_alone(t_ns)) {
		strbuf_init(&clock);
		if (t_ns >= NS_PER_DAY)
			strbuf_addf(&clock, "day %d ", (int)(t_ns / NS_PER_DAY) + 1);
		strbuf_adds(&clock, t + 1);
		sb->text[sb->len = from] = '\0';
		strbuf_adds(sb, clock.text);
		strbuf_release(&clock);
	}
}

void quantity_from_to(struct strbuf *sb, int64_t from_ns, int64_t to_ns)
{
	size_t from = sb->len, day;
	struct strbuf to;

	quantity_when(sb, from_ns);
	if (to_ns == TIME_NONE)
		return;
	strbuf_init(&to);
	quantity_when(&to, to_ns);
	day = strchr(to.text, '-') ? strcspn(to.text, " ") + 1 : 0;
	strbuf_adds(sb, " to ");
	strbuf_adds(sb,
		strncmp(sb->text + from, to.text, day) == 0 ? to.text + day : to.text);
	strbuf_release(&to);
}

void quantity_energy(struct strbuf *sb, double joules)
{
	double wh = joules / 3600;
	bool kilo = wh >= 999.5;

	wh /= kilo ? 1000 : 1;
	quantity_number(sb, wh, wh >= 99.95 ? 0 : wh >= 9.995 ? 1 : wh >= 0.9995 ? 2 : 3);
	strbuf_addf(sb, " %sWh (", kilo ? "k" : "");
	quantity_number(sb, joules, joules < 1000);
	strbuf_adds(sb, " J)");
}

void quantity_ratio(struct strbuf *sb, double ratio)
{
	double percent = 100 * ratio;

	if (ratio < 1 && percent > 99.9)
		percent = 99.9;
	quantity_number(sb, percent, 1);
	if (isfinite(percent))
		strbuf_adds(sb, " %");
}

/*
 * Signals by number. The numbers are Linux's, because the log may come from another
 * machine.
 */

/* Of Linux on all but Alpha, MIPS, PA-RISC and SPARC; signal(7). */
static const char *const names[] = {NULL, "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL",
	"SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL", "SIGUSR1", "SIGSEGV",
	"SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM", "SIGSTKFLT", "SIGCHLD", "SIGCONT",
	"SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGURG", "SIGXCPU", "SIGXFSZ",
	"SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO", "SIGPWR", "SIGSYS"};

#define STATUS_BASE 128
#define SIGNAL_MOST 64

const char *signal_name(int32_t number)
{
	return number > 0 && (size_t)number < sizeof names / sizeof names[0]
		? names[number]
		: NULL;
}

int32_t signal_of_status(int32_t status)
{
	return status > STATUS_BASE && status <= STATUS_BASE + SIGNAL_MOST
		? status - STATUS_BASE
		: 0;
}

int32_t status_of_signal(int32_t signal)
{
	return STATUS_BASE + signal;
}
