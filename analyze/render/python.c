/* Digits by base/number.h, laid out anew. */
#include "render/python.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

void python_float(struct strbuf *sb, double x)
{
	struct strbuf text;

	if (!isfinite(x)) {
		strbuf_adds(sb, isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
		return;
	}
	strbuf_init(&text);
	number_print(&text, x);
	/* Python has no exponent from 1e-4 to below 1e16; there all digits fit. */
	if (strchr(text.text, 'e') && fabs(x) >= 1 && fabs(x) < 1e16) {
		strbuf_clear(&text);
		strbuf_addf(&text, "%.0f", x);
	}
	strbuf_add(sb, text.text, text.len);
	if (!strpbrk(text.text, ".e"))
		strbuf_adds(sb, ".0");
	strbuf_release(&text);
}

double python_round(double x, int decimals)
{
	char text[400];

	if (!isfinite(x) || fabs(x) >= 1e16)
		return x;
	snprintf(text, sizeof text, "%.*f", decimals, x);
	return strtod(text, NULL);
}
