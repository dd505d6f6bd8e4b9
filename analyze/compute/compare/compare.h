/*
 * Compares reports of runs: builds a struct comparison (model/comparison.h). One run
 * is one observation; no sample is read. README.md, "Comparing runs".
 */
#ifndef COMPUTE_COMPARE_COMPARE_H
#define COMPUTE_COMPARE_COMPARE_H

#include "base/lookup.h"
#include "base/name_match.h"
#include "model/comparison.h"

struct comparing; /* a comparison that runs are still added to */

/* Is a number wanted? NULL: all headlines are, but for those of devices in phases. */
typedef bool compare_wanted(void *context, const struct measure *measure);

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
 * The score of each run, after compare_end(): of every number the best run has 1 and the
 * worst 0, and the weights say how much each counts. -1: no run has a number of that name
 * for the whole run, or neither direction of it is better.
 */
int compare_score(struct comparison *out, struct error *err);

/* Is more (by > 0) or less of it better or worse? Of 0 CHANGE_OTHER. */
enum change measure_change(const struct measure *measure, double by);

/* Known values. */
struct sample {
	double *x; /* [n] owned */
	size_t n;
	double mean, deviation; /* NAN: fewer than one, two */
};

/* Those of a row on a side; SIDES: of all runs. */
struct sample side_sample(const struct comparison_row *row,
	const struct compared_run *run, size_t run_count, enum side side);

/*
 * What two samples show: fills a row from the numbers of its sides on. Neither is NAN
 * free: unknown ones are left out. For callers that have values and no reports.
 */
void contrast_row(
	struct comparison_row *row, const struct compared_run *run, size_t run_count);

/*
 * The smallest shift that a row's runs would show at this level with the power
 * RANK_POWER. INFINITY: none would; NAN: the row is not compared.
 */
double contrast_detectable(const struct comparison_row *row, double alpha);

/*
 * The runs on each side, or the pairs, that a test as the row's needs to find a shift
 * above 0 where the deviation is this. 0: more than a million.
 */
size_t contrast_runs_needed(
	const struct comparison_row *row, double deviation, double shift, double alpha);

/* One run against a history from this many on. */
#define CONTRAST_HISTORY 5

/*
 * Amounts of work by kind of event: which kind is used to compare runs, and which
 * amounts are equal. README.md, "Comparing runs".
 */

/* A kind of events that a run has. */
struct amount_kind {
	char *name; /* owned */
	bool numbered; /* in every run that has it */
	double *units; /* [count] of the runs up to the last that knows it; owned */
	size_t count, cap;
};

/* Zeroed is empty. */
struct amounts {
	struct amount_kind *kind; /* [count] owned */
	size_t count, cap;
};

void amounts_release(struct amounts *amounts);

/* The units of a run; runs are added in their order, each once. */
void amounts_add(struct amounts *amounts, size_t run, const struct report *report);

/* NAN: the run does not say, or there is no kind (NULL). */
double amount_of(const struct amount_kind *kind, size_t run);

/* Are they other amounts? Unknown is no amount that is the same. */
bool amounts_apart(double a, double b);

/*
 * Rather a kind whose events have a number than one that happens; of those rather one of
 * which the runs did other amounts; the finest of them. run[run_count]: their sides;
 * NULL: there are none. NULL: no kind can tell the sides, or two runs, apart.
 */
const struct amount_kind *amounts_choose(
	const struct amounts *amounts, const struct compared_run *run, size_t run_count);

/*
 * Pairs of runs: each new run belongs to one of the base, as both ran under the same
 * conditions, such as one after the other. README.md, "Comparing runs".
 */

/* A run that is to have a partner, whether or not it can be compared in the end. */
struct paired_run {
	const char *name; /* borrowed */
	enum side side;
	int64_t started_ns; /* TIME_NONE: not known */
	char *label; /* its value; NULL: it has none; owned */
	size_t order; /* in which it was added */
};

/* Zeroed but for `by` is empty. */
struct pairing {
	const char *by; /* "order", "time", or the key of a label; NULL: no pairs */
	struct paired_run *run; /* [count] owned */
	size_t count, cap;
};

void pairing_release(struct pairing *pairing);

/* The next run of a side; its name outlives the pairing. NULL: it could not be read. */
void pairing_add(struct pairing *pairing, const char *name, enum side side,
	const struct report *report);

/*
 * Tells the runs of a comparison, which were added by these names, their pairs. -1: some
 * run has no partner, or not one alone. Before compare_end().
 */
int pairing_end(
	struct pairing *pairing, struct comparison *comparison, struct error *err);

/* Is any of these runs paired? */
bool pairing_has(const struct compared_run *run, size_t run_count);

/*
 * The logarithms of the ratios new / base of the pairs that know the row; or, if a value
 * or the median of the base is not above 0, the differences. The row has its sides. To be
 * freed.
 */
struct pair_changes {
	double *x; /* [n] */
	size_t n;
	bool relative; /* they are logarithms of ratios */
};
struct pair_changes pairing_changes(const struct comparison_row *row,
	const struct compared_run *run, size_t run_count);

/* The circumstances of a run, as text. Two runs with equal ones have equal texts. */

enum circumstance {
	OF_GPUS,
	OF_DEVICES,
	OF_DRIVER,
	OF_POWER_LIMIT,
	OF_CLOCKS,
	OF_MIG,
	OF_CPU,
	OF_CPUS,
	OF_KERNEL,
	OF_HOST,
	OF_INTERVAL,
	OF_ENERGY,
	OF_ZONE,
	OF_GRADE,
	OF_STATUS,
	OF_END,
	OF_WORK, /* no run says it by itself: struct amounts */
	CIRCUMSTANCES
};

/* What it is called, for so many runs of which none says anything yet. */
struct difference circumstance_of(enum circumstance circumstance, size_t runs);

/* What a run says of it: "2 x NVIDIA A100"; NULL: nothing. To be freed. */
char *circumstance_said(const struct report *report, enum circumstance circumstance);

/* "40 step", "unknown step": an amount of work. To be freed. */
char *circumstance_work(double units, const char *name);

/* Do two of the runs say different things? */
bool circumstance_differs(const struct difference *difference, size_t runs);

/* A comparison under construction. For the files of compute/compare only. */

#define LEFT_OUT_MOST 6 /* by name, in one sentence */

struct comparing {
	struct comparison *out;
	size_t runs_most;
	compare_wanted *wanted;
	void *context;
	struct lookup rows; /* of out->row */
	struct lookup steps[WATERFALLS]; /* of out->waterfall[].step */
	bool leaves_undone; /* but for new runs */
	bool base_is_sample;
	struct amounts amounts; /* of units of work */
	struct waterfall_part *part[WATERFALLS]; /* [part_count] owned */
	size_t part_count[WATERFALLS], part_cap[WATERFALLS];
	uint32_t *sources; /* [runs_most][METRIC_COUNT] a bit for each kind of log; NULL
			      before the first report; owned */
	struct compared_phase *phase; /* [phase_count] owned */
	size_t phase_count, phase_cap;
	struct lookup phases; /* of phase */
	struct run_identity *identity; /* [out->run_count] keys: theirs */
	size_t identity_cap;
};

/* What the last run says of its circumstances; drops what does not differ, but for
 * the exit statuses where a run failed, and the ends where one was cut off. */
void circumstances_add(struct comparing *comparing, const struct report *report);
void circumstances_end(struct comparing *comparing);

/*
 * The times and energies of the last run's phases, of which nothing is known without a
 * report (NULL); the differences of the means.
 */
void waterfall_add(struct comparing *comparing, const struct report *report);
void waterfall_end(struct comparing *comparing);

#endif
