/*
 * The table that --format csv prints of reports, row by row. Its columns are those of a
 * metric's statistics, and behind them those that say any other number or text.
 */
#ifndef RENDER_CSV_REPORT_H
#define RENDER_CSV_REPORT_H

#include "model/report.h"
#include "render/csv_line.h"

/* What a row is of that has one number, or one text. Zeroed but for what is known. */
struct csv_item {
	const char *part; /* "summary", "phase" ...; static */
	const char *phase, *source, *device; /* NULL: of none */
	const char *item; /* the events, the rule, the file, ... it is of; NULL */
	size_t nth; /* which call, stretch or line, from 1; 0: there is but one */
	int64_t at_ns; /* when it began, or was; 0, TIME_NONE: not known */
};

/* Columns of a metric's statistics, before the others. */
#define CSV_STATISTICS 30

/* Both write a row, and nothing of what is unknown: NAN, NULL, "". */
void csv_item_number(FILE *out, const struct run *run, const struct csv_item *item,
	const char *name, const char *unit, double value);
void csv_item_text(FILE *out, const struct run *run, const struct csv_item *item,
	const char *name, const char *text);

/* All rows of a report that are no metric's statistics. */
void csv_report_parts(FILE *out, const struct report *report, bool calls);

#endif
