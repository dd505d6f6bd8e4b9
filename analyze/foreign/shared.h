/*
 * What the files of this folder share: the object that a tool prints of a run, as Python
 * prints it; units; and JUmPER's levels. Private to foreign/, and to its tests.
 */
#ifndef FOREIGN_SHARED_H
#define FOREIGN_SHARED_H

#include <math.h>

#include "foreign/foreign.h"
#include "render/json_writer.h"

/* What a tool prints of a run: a JSON object as a list of items. */

enum item_kind {
	ITEM_NUMBER,
	ITEM_COUNT, /* a whole number */
	ITEM_TEXT,
	ITEM_OBJECT, /* the following items, until its ITEM_CLOSE */
	ITEM_ARRAY,
	ITEM_CLOSE
};

struct item {
	enum item_kind kind;
	const char *key; /* static, or the report's; NULL in arrays and of CLOSE */
	double number; /* of NUMBER and COUNT; not rounded; NAN: unknown */
	const char *text; /* of TEXT; static, the run's or the report's */
	bool omitted; /* it is not printed */
	bool unsaid; /* unknown of most runs: not worth a remark */
	bool absent; /* no log says it: the number stands for null */
};

/* One block of memory, which report->foreign owns. */
struct foreign_object {
	const char *refusal; /* why the tool refuses the run; borrowed; NULL */
	bool has_peaks; /* of processes' memory */
	uint64_t own_known, own_missing; /* samples of own memory on GPUs */
	size_t count, cap;
	struct item item[]; /* [count], and a CLOSE after them */
};

/* The report's, which there may be none of before. */
struct foreign_object *object_make(struct report *report);

/* A further item, valid until the next. key: borrowed, as a text. */
struct item *item_add(struct report *report, enum item_kind kind, const char *key);
void item_text(struct report *report, const char *key, const char *text);
void item_close(struct report *report);

const struct item *items_of(const struct report *report); /* ends with a CLOSE */
/* Is a GPU asked for? One without a UUID may be. */
bool tool_asks_gpu(const struct tool_options *options, const struct device *gpu);

const char *refusal_of(const struct report *report); /* NULL: the tool takes the run */
int refusal_check(const struct render_input *in, struct error *err); /* -1: of one */

/* What follows an item; of an object or array, what follows its end. */
const struct item *item_behind(const struct item *item);

/* Among an item and those behind it, up to the end of its object; NULL: none. */
const struct item *item_find(const struct item *first, const char *key);

/* NULL also if it is of another kind. */
const struct item *item_member(
	const struct item *first, const char *key, enum item_kind kind);

/* The object as JSON. decimals: that numbers are rounded to; -1: they are not. */
void item_json(struct json_writer *w, const struct report *report, int decimals);

/* As a format's write: the objects of all runs, a line each. name: the format's. */
int item_json_lines(const struct render_input *in, const char *name, int decimals,
	FILE *out, struct error *err);

/* Prints a text, without what workflow commands look like, and frees it. name: the
 * format's. */
int python_print(struct strbuf *sb, const char *name, FILE *out, struct error *err);

/*
 * Tables as pandas prints its frames: an index on the left, columns to the right of
 * their names, every cell right-justified.
 */

/* Cells, row by row; the first row is the header, the first column the index. */
struct table {
	char **cell; /* owned */
	size_t count, cap;
	size_t columns;
};

void table_add(struct table *table, struct strbuf *text); /* which is taken */
void table_add_text(struct table *table, const char *text);
void table_print(struct strbuf *sb, const struct table *table, const char *indent);
void table_release(struct table *table);

/* The blanks that bring a text to a width. */
void table_pad(struct strbuf *sb, const char *text, size_t width);

/* The keys of an object without depth. */

enum tool_statistic {
	STATISTIC_POOLED_MEAN, /* plain, over all rows of all devices */
	STATISTIC_MAX,
	STATISTIC_GROWTH, /* the last value less the first */
	/* Of the first process's memory, without such of the GPUs. */
	STATISTIC_SAMPLES,
	STATISTIC_SPAN,
	STATISTIC_EVENT_JAX_PEAK
};

/* What an absent source leaves. */
enum omission {
	OMIT_ZERO, /* 0.0 */
	OMIT_EMPTY, /* null */
	OMIT_OMIT, /* nothing, as every number that is not above 0 */
	OMIT_WITH, /* nothing, where the key before it was left out */
	OMIT_ABSENT /* nothing */
};

/* The logs that have the numbers of single GPUs, the best first. */
extern const enum source_kind gpu_sources[];

/* Of processes only the first one counts. */
struct tool_key {
	const char *key;
	enum tool_statistic statistic;
	enum metric_id metric;
	const enum source_kind
		*source; /* the first that has the metric; NONE ends them */
	enum omission omission;
};

/*
 * The larger of what the samples say of a process's peak memory, in MiB, and of what the
 * kernel says, which also knows what was between samples. who: "main", "descendants",
 * "combined". NAN: neither is known. The object is made before.
 */
double peak_of(const struct report *report, const char *who, double sampled_mib);

/* A mean, maximum or growth over the devices of a source; NAN: it is absent. */
double key_number(const struct report *report, const struct tool_key *key);

/* number: NAN, the run does not say it. In the order of the table. */
void key_add(struct report *report, const struct tool_key *key, double number);

/* -1, not given, is unknown. */
static inline double option_number(int32_t option)
{
	return option < 0 ? (double)NAN : (double)option;
}

static inline double first_known(double a, double b)
{
	return isnan(a) ? b : a;
}

/* Numbers as Python prints them. */

/* repr(x): the shortest digits that read back, "1.0", "1e+16", "2.5e-17"; "nan". */
void python_float(struct strbuf *sb, double x);

/* round(x, decimals): of the binary value, half to even; decimals up to 15. */
double python_round(double x, int decimals);

/* Units by name: "bytes" ... "terabytes", "seconds" ... "days"; of NONE NULL. */
const char *data_unit_name(enum data_unit unit);
const char *time_unit_name(enum time_unit unit);
enum data_unit data_unit_find(struct span name); /* NONE: no such name */
enum time_unit time_unit_find(struct span name);
int64_t data_unit_bytes(enum data_unit unit); /* of NONE 0 */
int64_t time_unit_seconds(enum time_unit unit);

/* What gpu_tracker.c has of tool_gpu_tracker, which is in gpu_tracker_output.c. */
#define TRACKER_OPTIONS 5
extern const struct tool_option tracker_options[TRACKER_OPTIONS];

/* As a format's write: the code blocks of all runs as one of its sub-tracking files. */
render_write tracker_write_sub;

int tracker_read_result(
	const char *path, struct run *run, struct report *report, struct error *err);

/*
 * Words of JUmPER: its levels, a range of cells, what a recording of it says of the
 * machine, the thresholds of its tags.
 */

/* What a session says of the machine and of itself: facts of the run. GB are 2^30 bytes.
 */
#define JUMPER_OFFSET_NS     "jumper_offset_ns" /* from its clock to time since 1970 */
#define JUMPER_CPUS	     "jumper_num_cpus" /* that the process may use */
#define JUMPER_SYSTEM_CPUS   "jumper_num_system_cpus"
#define JUMPER_GPUS	     "jumper_num_gpus"
#define JUMPER_GPU_NAME	     "jumper_gpu_name"
#define JUMPER_GPU_MEMORY_GB "jumper_gpu_memory" /* of the first GPU */
#define JUMPER_MONITORED_S   "jumper_monitored_s" /* how long it was monitored */
#define JUMPER_LIMIT_GB	     "jumper_memory_limit_%s" /* at a level */
#define JUMPER_THRESHOLD     "jumper_%s" /* of its name */

/* Whose processes are looked at. */
enum jumper_level {
	JUMPER_PROCESS, /* one, and its descendants */
	JUMPER_USER,
	JUMPER_SYSTEM,
	JUMPER_SLURM, /* of a job */
	JUMPER_LEVELS
};

/* "process" ...: also the name of the level's device; static. */
const char *jumper_level_name(enum jumper_level level);
/* JUMPER_LEVELS: no such one. */
enum jumper_level jumper_level_find(struct span name);

/* "5", "2:8", ":5", "3:", ":". -1: err says what was expected. */
int cell_range_parse(struct cell_range *range, struct span text, struct error *err);

enum jumper_threshold {
	THRESHOLD_MEMORY,
	THRESHOLD_CPU,
	THRESHOLD_GPU_UTIL,
	THRESHOLD_GPU_MEMORY,
	THRESHOLD_HELD_GB, /* a GPU that holds more than that is allocated, */
	THRESHOLD_IDLE, /* ... idle at no more utilization than that, 0 to 1, */
	THRESHOLD_HELD_SHARE, /* ... and not used in at least that share of the samples */
	THRESHOLDS
};

/* As its manifest names it, "gpu_util_ratio"; static. */
const char *jumper_threshold_name(enum jumper_threshold threshold);

/* JUMPER_OFFSET_NS; false: not known. */
bool jumper_offset_ns(const struct run *run, int64_t *offset_ns);

/* What is said, else JUmPER's own. */
double jumper_threshold(const struct run *run, enum jumper_threshold threshold);

/*
 * What the samples of a run say of a process, a user, the system and a job: plain sums
 * over the rows that count, all or those of a range of cells. A value at a moment is
 * JUmPER's: of CPUs their mean share, of GPUs the mean over them in one round of their
 * log. NUMBERS.md.
 */

enum level_value {
	LEVEL_CPU,
	LEVEL_MEMORY,
	LEVEL_GPU_UTIL,
	LEVEL_GPU_MEMORY,
	LEVEL_VALUES,
	LEVEL_OWN_MEMORY =
		LEVEL_VALUES, /* without what processes share; for LEVEL_MEMORY */
	LEVEL_IO_READ, /* from here on rates per second, from row to row */
	LEVEL_IO_WRITE,
	LEVEL_IO_READ_COUNT,
	LEVEL_IO_WRITE_COUNT,
	LEVEL_SUMS
};

struct level_sum {
	uint64_t n; /* 0: nothing was sampled, and the rest is void but for: */
	uint64_t missing; /* rows of which it is known that it is unknown */
	int128 sum, min, max; /* in 1/scale of the metric's unit */
	int64_t scale;
	enum metric_id metric;
	int64_t first_ns, last_ns; /* of rows with a value */
};

/* A value summed over the GPUs, of the rounds in which the most of them answered. */
struct round_sums {
	int64_t gpus; /* that answered in each */
	uint64_t n; /* rounds */
	int128 sum, squares, min, max; /* in quanta of the value's metric; void if !n */
};

/* What one kind of log says of a level. */
struct level_log {
	uint64_t rows; /* that count, be there a value or not */
	uint64_t all_rows; /* in any cell, or none */
	uint64_t held_idle; /* of `rows`: GPU memory is held, and the GPUs are idle */
	struct level_sum of[LEVEL_SUMS];
	int64_t first_ns, last_ns; /* of `rows` */

	/* the open round of a log of GPUs */
	uint64_t tick; /* 0: none */
	int64_t tick_ns;
	int128 tick_sum[LEVEL_VALUES];
	int64_t tick_count[LEVEL_VALUES];
	/* of each path by its number, then of all rows; NULL: no round, or not asked for
	 */
	struct round_sums (*together)[LEVEL_VALUES];

	/* where the share of CPU time begins that is told next */
	bool has_ticks;
	int64_t ticks_ns, busy, whole;

	/* ... and where the rate of a counter does; if has_count */
	bool has_count[LEVEL_SUMS];
	int64_t count_ns[LEVEL_SUMS], count[LEVEL_SUMS];
};

/* The first process alone, which no level of JUmPER is. */
#define LEVEL_MAIN    JUMPER_LEVELS
#define LEVELS_LOGGED (JUMPER_LEVELS + 1)

struct cell_span {
	int64_t start_ns, end_ns; /* both included */
	int64_t reach_ns; /* where the last of the spans up to this one ends */
	size_t number; /* from 0, among all cells of the run */
};

struct levels {
	const struct run *run; /* borrowed, as the following */
	const struct tool_options *asked;
	bool whole; /* no cells are asked for: all rows count, and paths are looked at */
	struct phase_map
		*phases; /* where the rounds of GPUs are looked up; NULL: nowhere */
	bool ready; /* the following is known */
	/* Ascending: those that were asked for, within the window. */
	struct cell_span *cell; /* [cell_count] */
	size_t cell_count;
	size_t cells; /* that the run has */
	bool missing; /* the run has no such cells */
	bool by_cells; /* only rows in them, or with the idle time between them, count */
	int128 cells_ns; /* the cells' durations together */
	double held_gb, idle_pct; /* thresholds */
	struct level_log log[LEVELS_LOGGED][SOURCE_KIND_COUNT];
};

/* As a foreign_pass has them. */
#define LEVELS_PASS .take = levels_take, .forget = levels_forget, .end = levels_end

void *levels_begin(const struct run *run, const struct tool_options *asked);
void levels_take(void *levels, struct aggregate *agg, const struct sample_batch *batch,
	size_t row);
void levels_forget(void *levels, enum source_kind kind);
void levels_end(void *levels);

/* Of the aggregate's pass: what is open is closed, and the cells are known. */
struct levels *levels_finish(struct aggregate *agg);

/* The log of a level that has the value, the best first; NULL: none has. Memory is that
 * which processes don't share, NULL if few samples have it; not so of LEVEL_MAIN. */
const struct level_sum *levels_value(
	const struct levels *levels, int level, enum level_value value);
/* The log that says most of a level; NULL: none says anything. */
const struct level_log *levels_log(const struct levels *levels, int level);
/* The log that has its GPUs' utilization beside their memory; NULL: none has. */
const struct level_log *levels_held_log(const struct levels *levels, int level);
/* Of the GPUs, of the best log that has some; path: PHASE_NONE for all rows. NULL: none.
 */
const struct round_sums *levels_together(
	const struct levels *levels, enum level_value value, uint32_t path);

#endif
