/*
 * Parses numbers as logs write them, prints numbers as reports show them.
 *
 * Logs hold decimals. A measured value is an int64 in quanta: the metric's unit
 * divided by its `per_unit` (power_w has 10^6 quanta a watt, memory 2^20 a MiB). A sum
 * of integers does not depend on the order of its terms. Splitting a log, reading it
 * again or using threads therefore changes no digit.
 */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include "base/text.h"

/* The one exception to "no typedefs": ISO C has no name for this type. */
__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

/*
 * Reads a whole span as a decimal number ("12", "-3.50", ".5", "1e3"), multiplies it
 * by mul and gives the nearest integer, halves away from zero.
 * False: not a finite decimal number, or the result does not fit into int64.
 */
bool number_scaled(struct span s, int64_t mul, int64_t *out);

/*
 * The usual case of number_scaled, with 64 bits: cuts "12" or "-3.50" from the front of
 * *rest. False, with *rest as it was: nothing of that form, too long for it, or no whole
 * number of quanta.
 */
bool number_cut(struct span *rest, int64_t mul, int64_t *out);

/* As number_cut, with any number of digits: "200.123456789 W". */
bool number_cut_rounded(struct span *rest, int64_t mul, int64_t *out);

/* Reads a whole span as an unsigned integer. False: not one, or beyond UINT64_MAX. */
bool number_unsigned(struct span s, uint64_t *out);
/* ... of at most that. */
bool number_up_to(struct span s, int64_t most, int64_t *out);

/* num / den as the double nearest to it, ties to even; den != 0. */
double number_ratio(int128 num, int128 den);

/* The integer nearest to x * per_unit: the inverse of number_ratio(q, per_unit). */
int64_t number_quanta(double x, int64_t per_unit);

/* Appends the shortest decimal text that reads back as the same double; x is finite. */
void number_print(struct strbuf *sb, double x);

#endif
