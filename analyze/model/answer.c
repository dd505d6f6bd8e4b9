/* Cells of an SQL answer as text. Must not know which format prints them. */
#include "model/answer.h"

#include <math.h>
#include <string.h>

#include "base/number.h"

int answer_next(struct answer *answer, struct error *err)
{
	int rc = answer->next(answer, err);

	answer->rows += rc > 0;
	return rc;
}

void answer_free(struct answer *answer)
{
	if (answer)
		answer->free(answer);
}

static size_t digits(struct span s, size_t from)
{
	size_t n = 0;

	while (from + n < s.len && s.at[from + n] >= '0' && s.at[from + n] <= '9')
		n++;
	return n;
}

/* -12, 0.5: what JSON takes for a number, too. */
static bool is_decimal(struct span s)
{
	size_t at = s.len && s.at[0] == '-', whole = digits(s, at), part;

	if (!whole || (whole > 1 && s.at[at] == '0'))
		return false;
	at += whole;
	if (at == s.len)
		return true;
	part = s.at[at] == '.' ? digits(s, at + 1) : 0;
	return part && at + 1 + part == s.len;
}

bool answer_is_number(const struct answer_cell *cell)
{
	switch (cell->kind) {
	case ANSWER_INTEGER:
		return true;
	case ANSWER_REAL:
		return isfinite(cell->real);
	case ANSWER_BLOB:
		return is_decimal(cell->bytes);
	case ANSWER_NULL:
	case ANSWER_TEXT:
		return false;
	}
	return false;
}

static void print_text(struct strbuf *sb, struct span s)
{
	size_t at = 0;

	while (at < s.len) {
		const char *nul = memchr(s.at + at, 0, s.len - at);
		size_t end = nul ? (size_t)(nul - s.at) : s.len;

		strbuf_add(sb, s.at + at, end - at);
		if (nul)
			strbuf_adds(sb, "\xef\xbf\xbd");
		at = end + (nul ? 1 : 0);
	}
}

static void print_bytes(struct strbuf *sb, struct span s)
{
	strbuf_adds(sb, "x'");
	for (size_t i = 0; i < s.len; i++)
		strbuf_addf(sb, "%02x", (unsigned)(unsigned char)s.at[i]);
	strbuf_addc(sb, '\'');
}

void answer_print(struct strbuf *sb, const struct answer_cell *cell)
{
	switch (cell->kind) {
	case ANSWER_NULL:
		break;
	case ANSWER_INTEGER:
		strbuf_addf(sb, "%lld", (long long)cell->integer);
		break;
	case ANSWER_REAL:
		if (isfinite(cell->real))
			number_print(sb, cell->real);
		else
			strbuf_adds(sb, cell->real < 0 ? "-Inf" : "Inf");
		break;
	case ANSWER_TEXT:
		print_text(sb, cell->bytes);
		break;
	case ANSWER_BLOB:
		if (is_decimal(cell->bytes))
			print_text(sb, cell->bytes);
		else
			print_bytes(sb, cell->bytes);
		break;
	}
}

#define BRIEF_DIGITS 6

void answer_print_brief(struct strbuf *sb, const struct answer_cell *cell)
{
	double size = fabs(cell->real);
	char text[64];
	int decimals;

	if (cell->kind != ANSWER_REAL || !(size >= 1e-6 && size < 1e15)) {
		answer_print(sb, cell);
		return;
	}
	decimals = BRIEF_DIGITS - 1 - (int)floor(log10(size));
	snprintf(text, sizeof text, "%.*f", decimals > 0 ? decimals : 0, cell->real);
	if (decimals > 0) {
		size_t len = strlen(text);

		while (text[len - 1] == '0')
			len--;
		text[len - (text[len - 1] == '.')] = '\0';
	}
	strbuf_adds(sb, text);
}
