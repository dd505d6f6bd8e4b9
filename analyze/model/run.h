/*
 * A run: everything that was recorded together. Devices, files, facts of the manifest,
 * events, labels, rejected rows and missing values. Filled by read or store, used by
 * all stages; computes nothing.
 */
#ifndef MODEL_RUN_H
#define MODEL_RUN_H

#include "base/lookup.h"
#include "base/timestamp.h"
#include "model/metric.h"

/*
 * Labels: key and text, such as commit=4f2a1c. They come from the recording or are
 * given when the run is loaded.
 */

#define LABEL_KEY_MAX	64 /* bytes, as below */
#define LABEL_VALUE_MAX 1024
#define LABELS_MAX	256 /* of a recording, or of a command line */

struct label {
	char *key; /* owned: letters, digits and _ . - */
	char *value; /* owned; may be empty */
	bool given; /* when the run was loaded; else by its recording */
};

struct label_list {
	struct label *at; /* [count] by key; no two are equal */
	size_t count, cap;
};

void label_list_release(struct label_list *list);

/* May this be a key? A value? */
bool label_is_key(struct span key);
bool label_is_value(struct span value);

/* Adds a label, or replaces that of the same key. Copies both. */
void label_set(struct label_list *list, struct span key, struct span value, bool given);

/* The same of all of these, as given. */
void label_set_all(struct label_list *list, const struct label_list *given);

/* As label_set of "KEY=VALUE"; -1: it is none, the key is there, or there are too many.
 */
int label_add(struct label_list *list, const char *text, struct error *err);

const struct label *label_find(const struct label_list *list, const char *key); /* NULL */

/* Has `list` all of these, with these values? */
bool label_matches(const struct label_list *list, const struct label_list *wanted);

/*
 * Rows of a file that could not be parsed, with the rows before and after them. A
 * missing value near such a row may have been written after all.
 */

/* Of a stretch of which nobody knows how many rows it had. */
#define LOST_ROWS_MANY UINT32_MAX

/* Kept of a file at most; what comes later is joined to the last. */
#define LOST_ROWS_KEPT 65536

struct lost_stretch {
	uint64_t line, last_line; /* of the first and the last, from 1 */
	int64_t after_ns, before_ns; /* the rows around them; INT64_MIN: none before,
					INT64_MAX: none behind */
	uint64_t rows;
};

/* Zeroed is empty. */
struct lost_rows {
	struct lost_stretch *at; /* [count]; owned */
	size_t count, cap;
	size_t closed; /* of those the row behind is known */
	int64_t last_ns; /* of the last row that was placed; if any was */
	bool any;
};

/* So many from a line on, none of which was placed. The rows around it are told later. */
void lost_rows_add(struct lost_rows *lost, uint64_t line, uint64_t rows);

/* Rows that were read, in the order of the file: their times and lines. */
void lost_rows_place(
	struct lost_rows *lost, const int64_t *t_ns, const uint64_t *line, size_t rows);

/* One whose rows around it are known, behind those that are kept. */
void lost_rows_keep(struct lost_rows *lost, const struct lost_stretch *stretch);

/*
 * How many may have been of a time between two instants, from > to being none. *line: of
 * the first such; unchanged if there are none.
 */
uint64_t lost_rows_within(
	const struct lost_rows *lost, int64_t from_ns, int64_t to_ns, uint64_t *line);

void lost_rows_release(struct lost_rows *lost);

/*
 * How often each metric of each device was missing, by the reason that the log gave.
 * Counted by read, stored by store, printed with the statistics.
 */

struct missing {
	enum source_kind source;
	uint32_t device; /* index into the run's devices */
	enum metric_id metric;
	uint32_t reason; /* number in the run's texts; 0: the cell was empty */
	uint64_t count;
};

struct missing_list {
	struct missing *at; /* [count] in the order of appearance */
	size_t count, cap;
	struct lookup places;
};

void missing_list_release(struct missing_list *list); /* zeroed is empty */

/* Adds missing->count to what is equal in all but the count. */
void missing_add(struct missing_list *list, const struct missing *missing);

/*
 * The same by source, device and metric; of equal ones in the order of appearance. Valid
 * while the list stays as it is.
 */
struct missing_index {
	const struct missing **at; /* [count] owned; what it points to is the list's */
	size_t count;
};

void missing_index_init(struct missing_index *index, const struct missing_list *list);
void missing_index_release(struct missing_index *index);

/* The place in index->at of the first of a metric of a device in a source, *count of
 * which follow one another; there may be none. */
size_t missing_index_find(const struct missing_index *index, enum source_kind source,
	uint32_t device, enum metric_id metric, size_t *count);

/* Whose a process on a GPU is, as bits: a pid may be used again. */
enum process_owner {
	OWNER_UNKNOWN,
	OWNER_RUN,
	OWNER_OTHER,
	OWNER_BOTH,
	OWNER_COUNT
};

/* One GPU, one CPU, all CPUs, the host, a process, or none. Strings are owned, NULL:
 * unknown. */
struct device {
	enum device_kind kind;
	int32_t index; /* as the tools count: GPU index, CPU id, pid; -1: unknown, or all
			  CPUs */
	int32_t parent; /* of a process its GPU, an index into the run's devices; -1 */
	int32_t place; /* of a GPU: in a tick of logs without ids; -1: its index, if it
			  has one; only a reader knows */
	bool draws; /* of a process: its context only draws */
	bool damaged; /* of a GPU: no row that names it is believed; likewise */
	enum process_owner owner; /* of a process */
	char name[32]; /* "gpu0", "cpu" (all), "cpu3", "gpu0/4711": unique in the run */
	char *uuid;
	char *bus_id;
	char *serial; /* of a GPU: of its board, or its PCI bus; only a reader knows */
	char *host; /* of a GPU in a log of several hosts; NULL: the log does not say */
	char *model; /* "NVIDIA H200"; of a process its command */
};

/* The devices of one kind, in the order in which they came: indexes into the run's. */
struct device_list {
	uint32_t *at; /* [count] */
	size_t count, cap;
};

/* A file of the run directory, or the log that was given as operand. */
struct run_file {
	char *path; /* relative to the run; as given for a single log */
	enum source_kind kind; /* SOURCE_NONE: no reader claims it */
	int64_t size; /* bytes on disk */
	int64_t mtime_ns;
	int64_t hash; /* of its first and last 64 KiB; equal for equal files */
	int64_t content_size; /* of what it holds, unpacked; of what is not packed, of
				 what was not looked at, or can't be unpacked, its own */
	int64_t content_hash;
	uint8_t bid[SOURCE_KIND_COUNT]; /* bits of evidence that it is of a kind; only
					   from the survey */
	uint64_t rows; /* accepted samples or events */
	uint64_t refused; /* rows that were lost; each is counted in a diagnostic too */
	struct lost_rows lost; /* ... and where */
	bool wall; /* some of its times name no zone; only a reader knows */
	bool *gpu; /* [gpu_count] by the run's index of a device: it has rows of that GPU
		    */
	size_t gpu_count;
};

enum event_type {
	EVENT_PHASE, /* a span that ended: [t_ns, end_ns) */
	EVENT_BEGIN, /* a phase began; pairing is the business of compute */
	EVENT_END,
	EVENT_POINT /* anything else at one instant */
};

/* A line of a log; from the database it is not known. */
struct event_place {
	size_t file; /* index into the run's files; if line */
	uint64_t line; /* from 1; 0: not known */
};

/* The type of an event whose extras are the run's own totals, by keys of the summary. */
#define EVENT_TOTALS "totals"

struct event {
	enum event_type type;
	struct event_place at, end_at; /* end_at: of an end that the reader paired */
	int64_t t_ns; /* of a PHASE its start; TIME_NONE: the log gave no time */
	int64_t end_ns; /* of a PHASE its end, else TIME_NONE */
	/* Of the run's words (run_keep); NULL: none. */
	const char *type_name; /* the log's own word: "phase", "begin", "memory" ... */
	const char *name;
	const char *extras; /* the remaining keys as a JSON object, as they were */
};

/* What a recording says of itself beside its rows: a name and a text, as it was. */
struct fact {
	char *name, *value;
};

/* Of a manifest: what stands there and is no exit status. */
#define RUN_FACT_EXIT_STATUS "exit_status"

/* What the command may have: MiB and processors of its control group, the processors by
 * number ("0-3,8"), and bytes of address space. */
#define RUN_FACT_MEMORY_LIMIT  "memory_limit_mib"
#define RUN_FACT_JOB_MEMORY    "job_memory_mib" /* that its batch job asked for */
#define RUN_FACT_CPU_LIMIT     "cpu_limit"
#define RUN_FACT_CPUS_ALLOWED  "cpus_allowed"
#define RUN_FACT_ADDRESS_SPACE "rlimit_as"

/* The processors that the first process could use when it was seen last. */
#define RUN_FACT_PROCESS_CPUS "process_cpus_allowed"

/* "true": the recorder counts processes as the host does, and not in a container. */
#define RUN_FACT_HOST_PIDS "host_pids"

/* The id of a process that was recorded around, and ran already. */
#define RUN_FACT_FOLLOWED "followed_pid"

/* "not found" or "not executable": why the command never began. */
#define RUN_FACT_NOT_STARTED "not_started"

/* What the recorder says of an nvidia-smi that is there and failed. */
#define RUN_FACT_SMI_FAILED "nvidia_smi_failed"
/* ... of an amd-smi. */
#define RUN_FACT_AMD_FAILED "amd_smi_failed"
/* ... and of GPUs that were lost: "lost at the end: GPU 0, GPU 1". */
#define RUN_FACT_GPUS_LOST "gpus_lost"

/* The first GPU of NVIDIA among the PCI devices: "0000:65:00.0 10DE:2330". */
#define RUN_FACT_PCI_GPU "pci_gpu"

/* Of GPUs that no log has one by one: how many, and the memory of all. */
#define RUN_FACT_GPU_COUNT  "gpu_count"
#define RUN_FACT_GPU_MEMORY "gpu_memory_mib"

/* What the clocks of a recorder did between two of its samples. */
enum clock_change_kind {
	CLOCK_SUSPENDED, /* the machine slept: the clock since boot went on alone */
	CLOCK_STEPPED, /* the wall clock was set */
	CLOCK_CORRECTED, /* ... and times behind are told as if it had not been */
	CLOCK_CHANGE_KINDS
};

struct clock_change {
	enum clock_change_kind kind;
	int64_t from_ns, to_ns; /* the samples around it, by the wall clock */
	int64_t by_ns; /* how long it slept; how far forward the clock was set */
};

/* Less is jitter: the clocks are read one after the other. */
#define CLOCK_CHANGE_NS (NS_PER_S / 2)

/* Of a run at most, so that a log with absurd clocks takes no more than another. */
#define CLOCK_CHANGES_MAX 1000

/* A recorder, and who marks what happens, begins before the command and ends behind it by
 * less. */
#define RUN_BESIDE_NS (60 * NS_PER_S)

struct run {
	char *key; /* the manifest's run id, else the absolute path */
	char *path; /* as given */
	bool is_directory;
	bool is_passing; /* standard input or a pipe: it can't be read again, nor stored
			  */

	/* from the manifest; NULL, -1 or TIME_NONE where it does not say */
	char *run_id;
	char *command; /* shell-quoted, for people */
	char *host;
	char *kernel;
	char *cpu_model;
	char *driver;
	char *query; /* field list of the query log, for logs without a header */
	char *zone; /* of a foreign manifest's wall clocks */
	int32_t cpu_count; /* -1 */
	int64_t mem_total_kib; /* -1 */
	int64_t interval_ns; /* recorded sampling interval; -1 */
	int64_t dmon_interval_ns; /* -1 */
	int64_t started_ns, ended_ns; /* of the command */
	struct event_place started_at, ended_at; /* where it says them */
	int32_t exit_status; /* -1: unknown */
	struct label_list labels; /* its own, and those given when it was loaded */

	char time_zone[64]; /* in which zoneless times were read */
	char time_source[48]; /* who said so: "option", "manifest", "default"; "log":
				 nobody had to, as each time names its own */

	struct device *device;
	size_t device_count, device_cap;
	struct device_list of_kind[DEVICE_KIND_COUNT];
	struct run_file *file;
	size_t file_count, file_cap;
	struct event *event;
	size_t event_count, event_cap;
	struct words words; /* of the events */
	struct fact *fact;
	size_t fact_count, fact_cap;
	struct clock_change *clock_change; /* [clock_change_count] as they were read */
	size_t clock_change_count, clock_change_cap;
	struct texts texts; /* the words of states and reasons */
	struct missing_list missing;
	struct diag_list diags;
};

void run_init(struct run *run, const char *path);
void run_release(struct run *run);

/* The path without slashes at its end: what the run is called. To be freed. */
char *run_name(const struct run *run);

/* Appends an element with all strings NULL, numbers unknown; valid until the next. */
struct device *run_add_device(struct run *run, enum device_kind kind, int32_t index);

/* Lists the devices by kind anew, where they were not added one by one. */
void run_list_devices(struct run *run);

/* Of damaged ones that have no processes the kind is NONE from now on. */
void run_leave_damaged(struct run *run);
struct run_file *run_add_file(struct run *run, const char *path);

/* A file has rows of a GPU; and has it? */
void run_file_add_gpu(struct run_file *file, uint32_t device);
bool run_file_has_gpu(const struct run_file *file, uint32_t device);

/* Of two GPUs: does a log of several hosts say that they are of one, or no log of hosts?
 */
bool device_is_one_host(const struct device *a, const struct device *b);

/* Do two GPUs share a log of that kind? Where no file says whose rows it has, as of what
 * is no GPU, all of a host do. */
bool run_shares_log(const struct run *run, enum source_kind kind, uint32_t a, uint32_t b);

/* The same line of the file of that path in another reading of the run; none: no line. */
struct event_place run_place_in(
	const struct run *run, const struct run *read, const struct event_place *place);

/* Is the file read as its parts, such as "capture.txt#idle :: dmon"? */
bool run_has_parts(const struct run *run, size_t file);
struct event *run_add_event(struct run *run);

/* A text of an event, as long as the run is there; of NULL NULL. */
const char *run_keep(struct run *run, const char *text);
const char *run_keep_and_free(struct run *run, char *text); /* the same, which is freed */

/* Forgets some events, by their indexes, ascending; those behind move up. */
void run_drop_events(struct run *run, const size_t *event, size_t count);

/* Keeps a fact, unless there is one of that name: the first one counts. */
void run_add_fact(struct run *run, const char *name, struct span value);
void run_add_number_fact(
	struct run *run, const char *name, double number); /* NAN: none */
const char *run_fact(const struct run *run, const char *name); /* NULL: not said */
double run_fact_number(const struct run *run, const char *name); /* NAN: no number */
bool run_fact_is(const struct run *run, const char *name, const char *value);

/* Is one of its logs of another host than others? */
bool run_mixes_hosts(const struct run *run);

/*
 * Were there GPUs, and none was recorded? The recorder says that nvidia-smi failed, or
 * names one among the PCI devices; or there is a log of GPUs without a row, or one that
 * nobody reads, as amd-smi's. why: appends how it is known; NULL: not wanted.
 */
bool run_gpus_unseen(const struct run *run, struct strbuf *why);

/* Keeps a change once, however many logs tell of it, unless there are too many. */
void run_add_clock_change(struct run *run, const struct clock_change *change);
const char *clock_change_name(enum clock_change_kind kind); /* "suspend", "clock step" */

/* The number under a key of an event's extras, or of the object "data" in them, be it
 * quoted. False: no such key, or not a number. */
bool event_number(const struct event *event, const char *key, double *value);

/* Peak memory that a framework reports of a device, and the key that has it. */
struct framework_peak {
	char device[32]; /* "": none is named */
	const char *of; /* static */
	double mib;
};

/* Most programs have a few devices; what is beyond counts for the last of these. */
#define FRAMEWORK_PEAKS_MAX 64

/* Those in an event's extras, also in objects and lists in them, whose device is that of
 * the innermost object that names one: how many, the largest of each device and key. */
size_t event_peaks(
	const struct event *event, struct framework_peak peak[FRAMEWORK_PEAKS_MAX]);

/* Joins one with count others: the new count. */
size_t framework_peak_add(struct framework_peak peak[FRAMEWORK_PEAKS_MAX], size_t count,
	const struct framework_peak *one);

/* The first event with the run's totals; NULL: there is none. */
const struct event *run_totals(const struct run *run);

/* Appends extras (NULL: none) with what others have more, as those of the end of a phase:
 * JSON objects. False: they have nothing more, and nothing is appended. */
bool event_join_extras(struct strbuf *sb, const char *extras, const char *more);

/*
 * What stands under each key of an event's extras, as a number that tells it from others;
 * 0: no such key, or neither a number from 0 on nor a text.
 */
void event_ids(
	const struct event *event, const char *const key[], size_t count, uint64_t id[]);

/* A file of the run could not be opened, or not be read to its end: the first; NULL. */
const struct diag *run_unreadable(const struct run *run);
bool run_is_unreadable(const struct run *run);

/* Cells of a log without a header were given a meaning by what they hold: a guess. */
bool run_guesses_columns(const struct run *run);

/* ... those of a metric in a kind of log. */
bool run_guesses_metric(
	const struct run *run, enum source_kind source, enum metric_id metric);

/*
 * A file of processes on GPUs in which none is: all of it was read, and the run's other
 * files name none either. SIZE_MAX: there is no such file.
 */
size_t run_file_without_processes(const struct run *run);

/* Some times of the rows name no zone; only known after all files were read. */
bool run_needs_zone(const struct run *run);

/* Something of it is lost or in doubt, as its diagnostics say. Remarks are no damage. */
bool run_is_damaged(const struct run *run);

/* Replaces an owned string; text may be NULL. */
void run_set_string(char **slot, const char *text);

/* From the first to the last instant of the events. False: none has a time. */
bool run_event_span(const struct run *run, int64_t *from_ns, int64_t *to_ns);

/* From the command's start to its end. False: they are not both known, or go back. */
bool run_command_span(const struct run *run, int64_t *from_ns, int64_t *to_ns);

/* The recorded interval of a kind of log in ns, or -1. */
int64_t run_interval_ns(const struct run *run, enum source_kind kind);

/* "gpu", "cpu", "host": in the database, and before the index in a device's name. */
const char *device_kind_name(enum device_kind kind);

/* "run", "other", "both"; NULL: unknown */
const char *process_owner_name(enum process_owner owner);

/* A single CPU, as against all together. */
bool device_is_core(const struct device *device);
size_t run_count_devices(const struct run *run, enum device_kind kind);

/*
 * Origins of a number: for each series of values (a metric of a device in a source, in
 * the run or a phase) the count, and the file and line of each value of interest.
 * Filled by compute, printed by render.
 */

/* A value as a row of a log has it. */
struct origin_value {
	size_t file; /* index into the run's files; SIZE_MAX: not known */
	uint64_t line; /* from 1; 0: not known */
	int64_t t_ns; /* 0 in a log without times */
	int64_t quanta;
};

/* What is known of the value at the edge of a phase. */
enum origin_edge_kind {
	EDGE_ROW, /* that of a row at that very time */
	EDGE_BETWEEN, /* worked out of the rows before and behind, as for the mean */
	EDGE_NO_ROW, /* nothing, for there is no row before it, or none behind */
	EDGE_GAP, /* nothing, for the step between them is a gap */
	EDGE_RESET /* nothing, for a counter went back between them */
};

const char *origin_edge_name(enum origin_edge_kind kind); /* "row" ...; static */

struct origin_edge {
	int64_t t_ns;
	enum origin_edge_kind kind;
	double quanta; /* of ROW and BETWEEN; of a state what the word stands for */
	struct origin_value before, behind; /* the rows around it; of ROW both are that
					       row; not of NO_ROW */
};

/* Time without interruption in calls of a phase, and the rows in it. */
struct origin_stretch {
	struct origin_edge from, to;
	uint64_t values;
	struct origin_value first, last; /* values > 0 */
};

/* From a line on the values stand in a certain cell. */
struct origin_cell {
	size_t file;
	uint64_t line;
	uint32_t place; /* of the cell in a line, from 1; 0: not known */
};

/* Of each the first so many rows are kept. */
#define ORDER_LISTED 5

/* Rows whose time is before that of the row before them in the log. */
struct origin_order {
	uint64_t late; /* sorted into place by their time */
	uint64_t back; /* with which a segment begins: all behind it is behind the rest */
	struct origin_value late_at[ORDER_LISTED], back_at[ORDER_LISTED];
};

/* The values that a percentile lies between, neighbors by size, or it itself, twice; of
 * equal values the first by time. */
struct origin_neighbors {
	struct origin_value below, above;
};

enum {
	ORIGIN_PERCENTILES = 4
}; /* p50, p90, p95, p99 */

struct origin {
	const char *phase; /* the report's path; borrowed; NULL: the run */
	enum source_kind source;
	uint32_t device;
	enum metric_id metric;
	bool timed;
	uint64_t values, missing;
	struct origin_value first, last, min, max; /* values > 0; min and max: the first
						      ones; of states nothing */
	bool ranked; /* the next are known: the logs were read again, and it has values */
	struct origin_neighbors percentile[ORIGIN_PERCENTILES];
	const struct origin_cell *cell; /* [cell_count] as the log goes, in the phase or
					   not; borrowed of the observer */
	size_t cell_count;
	const struct origin_order *order; /* the same */
	struct origin_stretch *stretch; /* [stretch_count] of a phase, by time; owned */
	size_t stretch_count, stretch_cap;
};

struct origins {
	struct origin *at; /* [count] owned */
	size_t count, cap;
};

/* Cost of a diagnostic: schema/damage.def as a table. */

/* The worst first. */
enum damage_rank {
	DAMAGE_FILE,
	DAMAGE_ROWS,
	DAMAGE_TIME,
	DAMAGE_VALUES,
	DAMAGE_DOUBT,
	DAMAGE_GUESS, /* from here on the first line of a summary leaves it out */
	DAMAGE_CELL,
	DAMAGE_REMARK,
	DAMAGE_RANK_COUNT
};

struct damage {
	const char *id; /* "bad-value" */
	enum damage_rank rank;
	const char *cost; /* "counted as not available" */
};

/* Of "bad-value" or "bad-value:pwr"; NULL: no such id. Static. */
const struct damage *damage_find(const char *id);

/* "file", "rows", "time", "values", "doubt", "guess", "cell", "remark" */
const char *damage_rank_name(enum damage_rank rank);

/*
 * CPU lists as the kernel writes them ("0-3,8"): the CPUs of the machine, and those
 * that the run's process may use.
 */

/* How many a list names; -1: it is none. */
int64_t cpus_allowed_count(const char *list);

/*
 * What the first process last had, else what the manifest says that its command began
 * with. NULL: not recorded, or no list. Borrowed from the run.
 */
const char *cpus_allowed(const struct run *run);

/*
 * What a recorder reports about itself: the cost of recording and how punctual it was.
 * Kept among the facts of a run.
 */

/* Of all logs together; -1: not said. */
struct observer {
	int64_t logs;
	int64_t cpu_ns; /* of the recorders and the programs that they ran */
	int64_t bytes; /* that they wrote */
	int64_t ticks, missed_ticks; /* of those that keep time themselves */
	int64_t late_p99_ns, late_max_ns; /* the worst of them */
	int64_t troubled; /* logs whose recorder had trouble */
	const char *trouble; /* of the first of these: "proc-stat.log ends early: ...";
				of observer_read borrowed from the run; NULL */
	const char *early; /* logs that ended early, with commas between;
			      likewise */
};

/* What the trouble of such a log begins with, as collect writes it. */
#define OBSERVER_EARLY "ends early"

void observer_keep(struct run *run, const struct observer *observer);

/* False: nothing is said. */
bool observer_read(const struct run *run, struct observer *observer);

/* How many logs had trouble; NAN: not said. */
double observer_troubled(const struct run *run);

/* "nvidia-smi.csv: nvidia-smi hung (and 2 more)", or nothing. */
void observer_print_trouble(struct strbuf *sb, const struct run *run);

/* The CPU time as a part of one core's in the run's time, in per cent; NaN: not known. */
double observer_core_pct(const struct run *run, const struct observer *observer);

#endif
