/*
 * Numbers as Python prints them, for the formats of tools that are written in it. Knows
 * no format.
 */
#ifndef RENDER_PYTHON_H
#define RENDER_PYTHON_H

#include "base/text.h"

/* repr(x): the shortest digits that read back, "1.0", "1e+16", "2.5e-17"; "nan". */
void python_float(struct strbuf *sb, double x);

/* round(x, decimals): of the binary value, half to even; decimals up to 15. */
double python_round(double x, int decimals);

#endif
