/*
 * CPUs that come and go. The kernel's line of all CPUs together may drop or jump by
 * the whole history of a CPU when that goes offline or returns (fs/proc/stat.c: idle
 * and iowait of an offline CPU are taken from another clock). The single CPUs show
 * what really passed; the difference is kept and taken out of all later snapshots, so
 * that the counters go on as if nothing had happened.
 *
 * Snapshots of /proc/stat: the kernel's own cpu lines, under a marker line with the
 * clocks ("# t=1763632800.123456789 mono=... boot=...") or one after the other. CPUs
 * are matched by id: offline ones are left out, ids have holes. 4, 7, 8, 9 or 10
 * numbers occur, by the age of the kernel (proc_stat(5)).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "read/formats.h"
#include "read/identity.h"
#include "read/log.h"

#define HOTPLUG_FIELDS 10 /* numbers of a cpu line */

struct hotplug_core {
	uint64_t snapshot; /* in which it was last seen; 0: never */
	int64_t ticks[HOTPLUG_FIELDS];
};

struct hotplug {
	struct hotplug_core *core; /* [core_count] by id */
	size_t core_count, core_cap;
	uint64_t snapshot; /* from 1 */
	size_t cores,
		matched; /* of the open snapshot; matched: the one before had them */
	size_t cores_before;
	int64_t total[HOTPLUG_FIELDS], before[HOTPLUG_FIELDS]; /* as the log has them */
	int64_t rise[HOTPLUG_FIELDS]; /* of the matched CPUs, together */
	int64_t most; /* ticks that passed on one of them */
	int64_t offset[HOTPLUG_FIELDS]; /* what is taken out */
};

/* What passed on the CPUs that both snapshots have, against what the total says. */

/* Lines of one snapshot are not read at one instant: so many ticks a CPU may differ. */
#define SLACK 5

/* A snapshot begins: the numbers of all CPUs together. */
static void hotplug_total(struct hotplug *h, const int64_t *ticks, int numbers)
{
	h->cores_before = h->cores;
	memcpy(h->before, h->total, sizeof h->before);
	memset(h->total, 0, sizeof h->total);
	memcpy(h->total, ticks, (size_t)numbers * sizeof *ticks);
	memset(h->rise, 0, sizeof h->rise);
	h->cores = h->matched = 0;
	h->most = 0;
	h->snapshot++;
}

static void hotplug_core(
	struct hotplug *h, int32_t cpu, const int64_t *ticks, int numbers)
{
	struct hotplug_core *core;
	int64_t passed = 0;
	bool matched;

	ALLOC_AT(h->core, cpu, h->core_count, h->core_cap);
	core = &h->core[cpu];
	matched = core->snapshot && core->snapshot + 1 == h->snapshot;
	h->cores++;
	h->matched += matched;
	for (int i = 0; i < numbers && matched; i++) {
		int64_t rise = ticks[i] - core->ticks[i];

		h->rise[i] += rise;
		passed += rise > 0 ? rise : 0;
	}
	h->most = passed > h->most ? passed : h->most;
	core->snapshot = h->snapshot;
	memset(core->ticks, 0, sizeof core->ticks);
	memcpy(core->ticks, ticks, (size_t)numbers * sizeof *ticks);
}

/*
 * The snapshot is complete. True: CPUs came or went, and a number of all together
 * jumped by more than they can account for; offset has changed.
 */
static bool hotplug_close(struct hotplug *h)
{
	/* a CPU on one side only may have passed as much as any other */
	int64_t others = (int64_t)(h->cores - h->matched + h->cores_before - h->matched);
	int64_t slack = SLACK * (int64_t)(h->cores + h->cores_before);
	bool changed = false;

	if (h->snapshot < 2 || !h->matched || !others)
		return false;
	for (int i = 0; i < HOTPLUG_FIELDS; i++) {
		int64_t rise = h->total[i] - h->before[i], excess = rise - h->rise[i];

		if (excess >= -slack && excess <= others * h->most + slack)
			continue;
		h->offset[i] -= excess;
		changed = true;
	}
	return changed;
}

#define TICKS_MIN 4
#define TICKS_MAX 10

/* A counter beyond that is damage: 65,536 CPUs take fifty years to get there. */
#define TICK_COUNTER_MAX INT64_C(10000000000000000)

struct stat_source {
	struct log *log;
	struct marker marker;
	bool counted; /* the open snapshot is counted as a row */
	bool has_total; /* the open snapshot has a line of all CPUs together */
	bool lost; /* ... or has been refused */
	int32_t last_cpu, before_cpu; /* the last two lines of the open snapshot */
	struct hotplug hotplug;
	bool has_row; /* the total of the open snapshot is in the batch: */
	size_t row; /* ... there */
	int numbers; /* ... with so many */
	int least; /* a kernel does not write fewer than it did */
	size_t column[TICKS_MAX]; /* of the batch */
	uint32_t *device; /* [id + 1] the run's device + 1; 0: not yet met */
	size_t device_count, device_cap;
};

/* "cpu" gives -1, "cpu12" 12. False: another line. */
static bool read_cpu_id(struct span word, int32_t *cpu)
{
	int64_t id;

	if (word.len < 3 || memcmp(word.at, "cpu", 3) != 0)
		return false;
	word.at += 3, word.len -= 3;
	*cpu = -1;
	if (!word.len)
		return true;
	if (!number_up_to(word, 65535, &id))
		return false;
	*cpu = (int32_t)id;
	return true;
}

/* proc_stat(5) */
static bool is_other_line(struct span word)
{
	static const char *const words[] = {"intr", "ctxt", "btime", "processes",
		"procs_running", "procs_blocked", "softirq", "page", "swap", "disk_io:"};

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (span_is(word, words[i]))
			return true;
	return false;
}

static enum claim claims(struct span line)
{
	struct span word = span_word(&line), first = span_word(&line);
	uint64_t number;
	int32_t cpu;

	return (read_cpu_id(word, &cpu) || is_other_line(word)) &&
			number_unsigned(first, &number)
		? CLAIM_LINE
		: CLAIM_NONE;
}

static int bid(const struct probe *probe)
{
	for (size_t i = 0; i < probe->count; i++) {
		struct span rest = probe->line[i];
		uint64_t ticks;
		int32_t cpu;
		int numbers = 0;

		if (!read_cpu_id(span_word(&rest), &cpu))
			continue;
		while (rest.len && number_unsigned(span_word(&rest), &ticks))
			numbers++;
		if (numbers >= TICKS_MIN && numbers <= TICKS_MAX)
			return i && marker_is(probe->line[i - 1]) ? 80 : 60;
	}
	return 0;
}

/* Takes a jump of the total out of its row, and of all that come after it. */
static void close_snapshot(struct stat_source *s, struct sample_batch *batch)
{
	int64_t *offset = s->hotplug.offset;

	if (!s->has_row)
		return;
	s->has_row = false;
	if (hotplug_close(&s->hotplug))
		log_note(s->log, false, "hotplug", SPAN_NONE,
			"CPUs were added or removed, and the total jumped by more than "
			"these CPUs explain (jump ignored)");
	for (int i = 0; i < s->numbers; i++) {
		int64_t *ticks = &batch->column[s->column[i]].value[s->row];

		*ticks = *ticks + offset[i] > 0 ? *ticks + offset[i] : 0;
	}
}

static void open_snapshot(struct stat_source *s)
{
	s->counted = s->has_total = s->lost = false;
	s->last_cpu = s->before_cpu = INT32_MIN;
}

static uint32_t device_of(struct stat_source *s, int32_t cpu)
{
	size_t at = (size_t)(cpu + 1);

	ALLOC_AT(s->device, at, s->device_count, s->device_cap);
	if (!s->device[at])
		s->device[at] = identity_cpu(s->log->run, cpu) + 1;
	return s->device[at] - 1;
}

static void refuse_headless(struct stat_source *s)
{
	log_refuse(s->log, "no-total",
		"snapshot without the cpu line that has the total (snapshot skipped)");
}

/* All CPUs together speak for the run; single ones alone are no snapshot. */
static bool is_headless(struct stat_source *s, int32_t cpu)
{
	if (cpu < 0 || s->has_total)
		return false;
	if (!s->lost)
		refuse_headless(s);
	s->lost = true;
	return true;
}

static void add_cpu(
	struct stat_source *s, struct sample_batch *batch, int32_t cpu, struct span rest)
{
	int64_t ticks[TICKS_MAX];
	int numbers = 0;
	size_t row;

	if (is_headless(s, cpu))
		return;
	s->lost |= cpu < 0;
	while (rest.len && numbers < TICKS_MAX) {
		struct span word = span_word(&rest);

		if (!number_up_to(word, TICK_COUNTER_MAX, &ticks[numbers])) {
			log_refuse(s->log, "bad-value",
				"invalid number of ticks '%s' (row skipped)",
				log_quote(word).text);
			return;
		}
		numbers++;
	}
	if (numbers < s->least) {
		log_refuse(s->log, "field-count",
			"cpu line with %d numbers, expected at least %d (row skipped)",
			numbers, s->least);
		return;
	}
	s->least = numbers;
	if (cpu < 0) {
		s->has_total = true;
		s->lost = false;
	}
	batch->timed = s->marker.seen;
	row = sample_batch_add(
		batch, s->marker.seen ? s->marker.t_ns : 0, device_of(s, cpu));
	batch->line[row] = input_line_number(s->log->in);
	for (int i = 0; i < numbers; i++)
		sample_batch_put(batch, row, s->column[i], ticks[i]);
	if (cpu >= 0) {
		hotplug_core(&s->hotplug, cpu, ticks, numbers);
	} else {
		hotplug_total(&s->hotplug, ticks, numbers);
		s->has_row = true;
		s->row = row;
		s->numbers = numbers;
	}
	if (!s->counted)
		s->log->file->rows++; /* a snapshot is one row */
	s->counted = true;
}

/*
 * The lines of a snapshot stand in the order of their ids, all CPUs together first: one
 * that does not begins another snapshot, whose head is lost. But if only one of another
 * id is between two that follow one another, that one's id is wrong.
 */
static bool is_out_of_order(struct stat_source *s, int32_t cpu)
{
	if (cpu > s->last_cpu || (cpu >= 1 && cpu == s->before_cpu + 2)) {
		s->before_cpu = cpu > s->last_cpu ? s->last_cpu : cpu - 1;
		s->last_cpu = cpu;
		return false;
	}
	if (s->marker.seen)
		log_refuse(s->log, "no-time",
			"snapshot without its time marker (snapshot skipped)");
	else
		refuse_headless(s);
	s->marker.lost = true;
	return true;
}

/* Behind a line of a CPU, whose numbers these are, the file ends, without a newline. */
static void refuse_last(struct stat_source *s, struct span rest)
{
	int numbers = 0;

	while (rest.len && span_word(&rest).len)
		numbers++;
	if (numbers < s->numbers)
		log_refuse(s->log, "torn-line",
			"file ends inside a line: found %d of %d numbers (row skipped)",
			numbers, s->numbers);
	else
		log_refuse(s->log, "no-newline",
			"file ends without a newline, so the last number may be "
			"truncated (row skipped)");
}

static void take_cpu_line(
	struct stat_source *s, struct sample_batch *batch, int32_t cpu, struct span rest)
{
	bool timed = s->log->line_ns != TIME_NONE;

	if (cpu < 0 && (timed || !s->marker.seen)) {
		close_snapshot(s, batch);
		open_snapshot(s);
		s->marker.lost = false;
		if (timed)
			s->marker.t_ns = s->log->line_ns;
		s->marker.seen = timed;
	}
	if (s->marker.lost)
		return;
	if (input_line_torn(s->log->in)) {
		refuse_last(s, rest);
		return;
	}
	if (!is_out_of_order(s, cpu))
		add_cpu(s, batch, cpu, rest);
}

/* A line with the time, as others print it before each snapshot. */
static bool close_before_clock(
	struct stat_source *s, struct sample_batch *batch, struct span line)
{
	struct marker marker = s->marker;

	if (!marker_read_clock(&marker, s->log, batch, line))
		return false;
	close_snapshot(s, batch);
	s->marker = marker;
	return true;
}

static void take_line(struct stat_source *s, struct sample_batch *batch, struct span line)
{
	struct span rest = line, word = span_word(&rest);
	int32_t cpu;

	if (marker_is(line)) {
		close_snapshot(s, batch);
		if (marker_read(&s->marker, s->log, batch, line))
			open_snapshot(s);
	} else if (read_cpu_id(word, &cpu)) {
		take_cpu_line(s, batch, cpu, rest);
	} else if (!input_line_torn(s->log->in) && close_before_clock(s, batch, line)) {
		open_snapshot(s);
	} else if (!is_other_line(word) && !span_begins(word, "#")) {
		log_refuse(s->log, input_line_torn(s->log->in) ? "torn-line" : "prose",
			"not a line of /proc/stat: '%s' (line skipped)",
			log_quote(line).text);
	}
}

static void stat_fill(void *state, struct sample_batch *batch)
{
	struct stat_source *s = state;
	struct span line;

	batch->snapshots = true;
	for (int i = 0; i < TICKS_MAX; i++)
		s->column[i] = sample_batch_column(
			batch, (enum metric_id)(METRIC_cpu_user_ticks + i));
	for (int i = 0; i < TICKS_MAX; i++)
		sample_column_move(&batch->column[s->column[i]],
			(struct sample_place){0, 0, (uint32_t)i + 2});
	/* A batch ends between snapshots where it can. */
	while (!sample_batch_full(batch) &&
		(s->has_row || batch->rows < SAMPLE_BATCH_ROWS / 2)) {
		if (!log_line(s->log, &line))
			break;
		take_line(s, batch, line);
	}
	close_snapshot(s, batch);
	s->marker.delivered |= batch->rows > 0;
}

static void stat_end(void *state)
{
	struct stat_source *s = state;

	free(s->device);
	free(s->hotplug.core);
	clocks_end(&s->marker.clocks, s->log->run);
}

static void stat_begin(void *state, enum source_kind kind)
{
	struct stat_source *s = state;

	(void)kind;
	s->least = TICKS_MIN;
	open_snapshot(s);
}

const struct format format_proc_stat = {.kind = SOURCE_PROC_STAT,
	.bid = bid,
	.claims = claims,
	.around = true,
	.state_size = sizeof(struct stat_source),
	.begin = stat_begin,
	.fill = stat_fill,
	.end = stat_end};
