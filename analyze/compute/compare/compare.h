/*
 * Runs beside one another: their reports' numbers in rows, what a row shows of its two
 * sides, what differs besides, and what the difference of time and energy is made of. The
 * run is the unit: nothing is computed from samples here. README.md, "Comparing runs".
 */
#ifndef COMPUTE_COMPARE_H
#define COMPUTE_COMPARE_H

#include "base/diag.h"
#include "model/comparison.h"

/* Is a number wanted? NULL: all headlines are, but for those of devices in phases. */
typedef bool compare_wanted(void *context, const struct measure *measure);

struct comparing; /* a comparison that runs are still added to */

/* For at most so many runs; *out is empty before. */
struct comparing *compare_begin(
	struct comparison *out, size_t runs_most, compare_wanted *wanted, void *context);

/*
 * From now on a run of the base, or of no side, that failed or was cut off is left out,
 * which is remarked.
 */
void compare_leave_undone(struct comparing *comparing);

/*
 * From now on the base is a sample of what is usual: of its numbers those in doubt, as
 * not enough of their time is covered, are left out, which is remarked.
 */
void compare_sample_base(struct comparing *comparing);

/*
 * Adds a run; the report is not needed afterwards. A run that is on the same side already
 * counts once, which is remarked; -1: it is on the other side too, or two runs have one
 * name.
 */
int compare_add(struct comparing *comparing, const char *name, enum side side,
	const struct report *report, struct error *err);

/*
 * Adds a run of plain numbers, which is told from others by its key alone; unknown ones
 * are NAN. Of its circumstances and phases nothing is known. As compare_add.
 */
int compare_add_numbers(struct comparing *comparing, const char *name, const char *key,
	enum side side, const struct measure *measure, const double *value, size_t count,
	struct error *err);

/* Works out all that needs every run, and releases what only that needed. */
void compare_end(struct comparing *comparing);

/*
 * What two samples show: fills a row from the numbers of its sides on. Neither is NAN
 * free: unknown ones are left out. Exposed for whoever has values and no reports.
 */
void contrast_row(
	struct comparison_row *row, const struct compared_run *run, size_t run_count);

/*
 * The smallest shift that a row's runs would show at this level with the power
 * RANK_POWER. INFINITY: none would; NAN: the row is not compared.
 */
double contrast_detectable(const struct comparison_row *row, double alpha);

/* One run against a history from this many on. */
#define CONTRAST_HISTORY 5
/* Its deviation is taken for this part of the mean at least. */
#define CONTRAST_LEAST_DEVIATION 0.005

#endif
