/*
 * The table that --format csv prints of reports, row by row. Its columns are those of a
 * metric's statistics, and behind them those that say any other number or text.
 */
#ifndef RENDER_CSV_REPORT_H
#define RENDER_CSV_REPORT_H

#include "model/report.h"
#include "render/csv_line.h"

/* All rows of a report that are no metric's statistics. */
void csv_report_parts(FILE *out, const struct report *report, bool calls);

#endif
