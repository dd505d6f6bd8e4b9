/*
 * What the kernel says of a process and its descendants, in snapshots: a marker line with
 * the clocks, the id of the first process and the ticks of a second ("# t=... mono=...
 * boot=... pid=4711 hz=100"), for each process "> PID/FILE" over the lines of that file,
 * and "# processes=N" at the end. One with pid=0 was taken before the first process was
 * there, and says that nothing was done until then. A snapshot with a line that is
 * damaged, or without its end, is lost as a whole: sums that lack a process would be
 * wrong. Where markers say level=user or level=slurm, sums are of all and of that level.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "model/dialect.h"
#include "read/format.h"
#include "read/identity.h"
#include "read/marker.h"
#include "read/process_files.h"
#include "read/tree_account.h"
#include "read/tree_moment.h"

#define HZ_MAX	      1000000
#define STAT_LINE_MAX 1024 /* a number has up to 20 bytes */
#define NAME_MAX_LEN  16 /* of a process, as the kernel keeps it */

/* Below that a tick is too coarse for a share. */
#define SHARE_LEAST_NS (NS_PER_S / 2)
enum process_file {
	FILE_OTHER,
	FILE_STAT,
	FILE_IO,
	FILE_STATUS,
	FILE_ROLLUP,
	FILE_USAGE
};

static const char *const device_names[TREE_MEMBERS] = {"main", "descendants", "combined"};
static const enum metric_id io_metrics[IO_COUNT] = {METRIC_io_read_mib,
	METRIC_io_write_mib, METRIC_io_read_calls, METRIC_io_write_calls,
	METRIC_disk_read_mib, METRIC_disk_write_mib};

struct process_source {
	struct sample_source source;
	struct log *log;
	struct marker marker;
	uint64_t line; /* of the marker */
	int64_t hz;
	int32_t main_pid;
	const char *level; /* that the log is of; NULL: the tree */
	bool open, broken, ended; /* the snapshot; its end was read */
	struct tree_snapshot snapshot;
	struct tree_account account;
	int32_t pid; /* of the file that is being read */
	enum process_file file;
	struct strbuf stat; /* of a line that the name of the process broke */
	struct strbuf cpus; /* that the first process may use, as it was seen last */
	/* Where the share of CPU time begins that is told next. */
	bool has_share;
	int64_t share_ns, share_us[TREE_MEMBERS];
};

static int bid(const struct probe *probe)
{
	struct span name;
	int32_t pid;

	for (size_t i = 0; i < probe->count; i++)
		if (process_file_cut(probe->line[i], &pid, &name) &&
			span_is(name, "stat"))
			return i && marker_is(probe->line[i - 1]) ? 85 : 65;
	return 0;
}

/* True: the snapshot was sound so far, and the caller says why it is not. */
static bool lose(struct process_source *s)
{
	bool was_sound = !s->broken;

	s->broken = true;
	return was_sound;
}

/* The line of stat, which goes on where the name of the process breaks it. */
static void take_stat_line(struct process_source *s, struct span line)
{
	struct tree_process *process = tree_snapshot_at(&s->snapshot, s->pid);

	if (s->stat.len)
		strbuf_addc(&s->stat, '\n');
	strbuf_add(&s->stat, line.at, line.len);
	if (process->has_stat && lose(s))
		log_refuse(
			s->log, "prose", "a process comes twice; the snapshot is lost");
	if (process_take_stat(process, (struct span){s->stat.text, s->stat.len}, s->hz)) {
		strbuf_clear(&s->stat);
		s->file = FILE_OTHER;
	} else if (s->stat.len > STAT_LINE_MAX) {
		if (lose(s))
			log_refuse(s->log, "bad-value",
				"what stands in stat is none of its lines; the snapshot "
				"is lost");
		s->file = FILE_OTHER;
	}
}

/* A level's first process is none of its own. */
static void take_cpus(struct process_source *s, struct span line)
{
	struct span key = span_word(&line);

	if (s->level || s->pid != s->main_pid || !span_is(key, "Cpus_allowed_list:"))
		return;
	line = span_trim(line);
	strbuf_clear(&s->cpus);
	strbuf_add(&s->cpus, line.at, line.len);
}

static void take_file_line(struct process_source *s, struct span line)
{
	struct tree_process *process = tree_snapshot_at(&s->snapshot, s->pid);
	bool sound = true;

	switch (s->file) {
	case FILE_STAT: /* taken before */
	case FILE_OTHER:
		break;
	case FILE_IO:
		sound = process_take_io(process, line);
		break;
	case FILE_STATUS:
		take_cpus(s, line);
		sound = process_take_status(process, line);
		break;
	case FILE_USAGE:
		sound = process_take_usage(process, line);
		break;
	case FILE_ROLLUP:
		sound = process_take_rollup(process, line);
		process->pss_ns = s->marker.t_ns;
		break;
	}
	if (!sound && lose(s))
		log_refuse(s->log, "bad-value",
			"a line of a process without its number; the snapshot is "
			"lost");
}

static void take_file(struct process_source *s, int32_t pid, struct span name)
{
	if (s->file == FILE_STAT && lose(s))
		log_refuse(
			s->log, "prose", "a stat without its line; the snapshot is lost");
	s->pid = pid;
	s->file = span_is(name, "stat")		? FILE_STAT
		: span_is(name, "io")		? FILE_IO
		: span_is(name, "status")	? FILE_STATUS
		: span_is(name, "smaps_rollup") ? FILE_ROLLUP
		: span_is(name, "rusage")	? FILE_USAGE
						: FILE_OTHER;
	strbuf_clear(&s->stat);
}

static void put(
	struct sample_batch *batch, size_t row, enum metric_id metric, int64_t quanta)
{
	sample_batch_put(batch, row, sample_batch_column(batch, metric), quanta);
}

static void put_missing(struct sample_batch *batch, size_t row, enum metric_id metric)
{
	struct sample_column *column = &batch->column[sample_batch_column(batch, metric)];

	column->presence[row] = PRESENCE_MISSING;
	column->value[row] = 0;
}

static void put_counts(const struct process_source *s, struct sample_batch *batch,
	size_t row, enum tree_member who, const struct tree_moment *sum)
{
	const struct tree_totals *total = &s->account.total[who];

	put(batch, row, METRIC_tree_cpu_s, total->cpu_us);
	put(batch, row, METRIC_tree_major_faults, total->major_faults);
	for (unsigned i = 0; i < IO_COUNT; i++) {
		if (sum->lacks_io & sum->has_io & 1u << i)
			put_missing(batch, row, io_metrics[i]);
		else if (sum->has_io & 1u << i)
			put(batch, row, io_metrics[i], total->io[i]);
	}
}

static void put_moment(
	struct sample_batch *batch, size_t row, const struct tree_moment *sum)
{
	const int64_t *kib = sum->memory_kib;

	put(batch, row, METRIC_processes, sum->processes);
	put(batch, row, METRIC_threads, sum->threads);
	if (sum->lacks_memory) {
		put_missing(batch, row, METRIC_rss_mib);
		put_missing(batch, row, METRIC_private_mib);
		put_missing(batch, row, METRIC_shared_mib);
	} else if (sum->has_memory) {
		put(batch, row, METRIC_rss_mib, (kib[0] + kib[1] + kib[2]) * 1024);
		put(batch, row, METRIC_private_mib, kib[0] * 1024);
		put(batch, row, METRIC_shared_mib, (kib[1] + kib[2]) * 1024);
	}
	if (sum->has_swap)
		put(batch, row, METRIC_tree_swap_mib, sum->swap_kib * 1024);
	if (sum->peak_kib >= 0)
		put(batch, row, METRIC_process_peak_mib, sum->peak_kib * 1024);
	if (sum->has_memory && !sum->lacks_memory && sum->has_pss && !sum->lacks_pss)
		put(batch, row, METRIC_pss_mib, sum->pss_kib * 1024);
}

/* 100 is one CPU busy: the average since the share was told last. */
static void put_share(struct process_source *s, struct sample_batch *batch, size_t row,
	enum tree_member who, int64_t dt_ns)
{
	int64_t us = s->account.total[who].cpu_us - s->share_us[who];

	put(batch, row, METRIC_tree_cpu_pct,
		(int64_t)((int128)us * 100 * NS_PER_S / dt_ns));
}

/* What was done since then is not known yet: shares begin anew. */
static void begin_share(struct process_source *s)
{
	s->has_share = true;
	s->share_ns = s->marker.t_ns;
	for (enum tree_member who = 0; who < TREE_MEMBERS; who++)
		s->share_us[who] = s->account.total[who].cpu_us;
}

/* A level has nothing but its sum. */
static bool is_wanted(const struct process_source *s, enum tree_member who)
{
	return !s->level || who == TREE_COMBINED;
}

static size_t add_row(
	struct process_source *s, struct sample_batch *batch, enum tree_member who)
{
	uint32_t device = identity_named(
		s->log->run, DEVICE_TREE, s->level ? s->level : device_names[who]);
	size_t row = sample_batch_add(batch, s->marker.t_ns, device);

	batch->timed = true;
	batch->line[row] = s->line;
	return row;
}

/* Before the first process was there nothing was done, and there is nothing to measure.
 */
static void put_before(struct process_source *s, struct sample_batch *batch)
{
	const struct tree_moment all = {.has_io = ~0u};

	for (enum tree_member who = 0; who < TREE_MEMBERS; who++)
		if (is_wanted(s, who))
			put_counts(s, batch, add_row(s, batch, who), who, &all);
	begin_share(s);
}

static void put_rows(struct process_source *s, struct sample_batch *batch,
	const struct tree_moment sum[TREE_MEMBERS])
{
	int64_t dt_ns = s->has_share ? s->marker.t_ns - s->share_ns : 0;
	bool share = dt_ns >= SHARE_LEAST_NS;

	for (enum tree_member who = 0; who < TREE_MEMBERS; who++) {
		size_t row;

		if (!is_wanted(s, who) || (who == TREE_MAIN && !sum[who].processes))
			continue;
		row = add_row(s, batch, who);
		put_moment(batch, row, &sum[who]);
		put_counts(s, batch, row, who, &sum[who]);
		if (share)
			put_share(s, batch, row, who, dt_ns);
	}
	if (share || !s->has_share || dt_ns < 0)
		begin_share(s);
}

static bool is_whole(struct process_source *s)
{
	if (!s->ended && lose(s))
		log_refuse(s->log, "torn-sample",
			"a snapshot without its end; the snapshot is lost");
	for (size_t i = 0; i < s->snapshot.count; i++)
		if (!s->snapshot.process[i].has_stat && lose(s))
			log_refuse(s->log, "torn-sample",
				"a process without its stat; the snapshot is "
				"lost");
	if (s->snapshot.count && !s->main_pid && lose(s))
		log_refuse(s->log, "bad-value",
			"processes before the first one was there; the snapshot is lost");
	return !s->broken;
}

/*
 * Of one that was buried the time is known better than in two ticks that are cut: many
 * short ones would have none. Of the first process it would be its children's, too.
 */
static void settle_usage(struct tree_process *process, int32_t main_pid)
{
	int64_t own_us = process->used_us - process->inherited_cpu_us;

	if (process->pid != main_pid && own_us > process->cpu_us)
		process->cpu_us = own_us;
}

static void close_snapshot(struct process_source *s, struct sample_batch *batch)
{
	struct tree_moment sum[TREE_MEMBERS];
	const struct tree_snapshot *now = &s->account.before;

	if (!s->open)
		return;
	s->open = false;
	if (!is_whole(s)) {
		tree_snapshot_clear(&s->snapshot);
		return;
	}
	for (size_t i = 0; i < s->snapshot.count; i++)
		settle_usage(&s->snapshot.process[i], s->main_pid);
	tree_moment_begin(sum);
	tree_account_add(&s->account, &s->snapshot, s->main_pid);
	for (size_t i = 0; i < now->count; i++)
		tree_moment_add(sum, &now->process[i], now->process[i].pid == s->main_pid,
			s->marker.t_ns);
	tree_moment_end(sum);
	if (s->main_pid)
		put_rows(s, batch, sum);
	else
		put_before(s, batch);
	s->log->file->rows++;
}

/* Of "pid=4711" among the marker's words "4711"; at NULL: there is no such word. */
static struct span marker_word(struct span words, const char *name)
{
	size_t len = strlen(name);

	while (words.len) {
		struct span word = span_word(&words);

		if (span_begins(word, name))
			return (struct span){word.at + len, word.len - len};
	}
	return (struct span){NULL, 0};
}

/* -1: it has none. */
static int64_t marker_number(struct span words, const char *name, int64_t most)
{
	struct span word = marker_word(words, name);
	int64_t value;

	return word.at && process_number(word, &value) && value <= most ? value : -1;
}

/* NULL: the log is of the tree. */
static const char *marker_level(struct span words)
{
	enum jumper_level level = jumper_level_find(marker_word(words, "level="));

	return level < JUMPER_LEVELS ? jumper_level_name(level) : NULL;
}

static void open_snapshot(
	struct process_source *s, struct sample_batch *batch, struct span line)
{
	int64_t pid = marker_number(line, "pid=", INT32_MAX);
	int64_t hz = marker_number(line, "hz=", HZ_MAX);

	close_snapshot(s, batch);
	marker_read(&s->marker, s->log, batch, line);
	s->open = !s->marker.lost;
	s->line = input_line_number(s->log->in);
	s->level = marker_level(line);
	s->broken = s->ended = false;
	s->file = FILE_OTHER;
	strbuf_clear(&s->stat);
	tree_snapshot_clear(&s->snapshot);
	if (!s->open)
		return;
	if ((pid < 0 || hz <= 0) && lose(s))
		log_refuse(s->log, "bad-value",
			"a marker without its pid= or hz=; the snapshot is lost");
	s->main_pid = (int32_t)pid;
	s->hz = hz > 0 ? hz : 100;
}

static void take_end(struct process_source *s, struct span line)
{
	int64_t count;

	if (!span_begins(line, "# processes="))
		return;
	line.at += 12, line.len -= 12;
	s->ended = process_number(line, &count) && (size_t)count == s->snapshot.count;
}

/* No name of a process is long enough to look like one, with what stands behind it. */
static bool is_own_marker(const struct process_source *s, struct span line)
{
	return marker_is(line) && line.len > NAME_MAX_LEN &&
		(s->file != FILE_STAT ||
			(marker_number(line, "pid=", INT32_MAX) >= 0 &&
				marker_number(line, "hz=", HZ_MAX) >= 0));
}

static void take_line(
	struct process_source *s, struct sample_batch *batch, struct span line)
{
	struct span name;
	int32_t pid;

	if (is_own_marker(s, line)) {
		open_snapshot(s, batch, line);
		return;
	}
	if (!s->open)
		return;
	if (s->file == FILE_STAT) {
		take_stat_line(s, line);
		return;
	}
	if (input_line_torn(s->log->in)) {
		if (lose(s))
			log_refuse(s->log, "torn-line",
				"the file ends without a newline; its last line may be "
				"cut; the snapshot is lost");
		return;
	}
	if (process_file_cut(line, &pid, &name))
		take_file(s, pid, name);
	else if (span_begins(line, "#"))
		take_end(s, line);
	else if (s->file != FILE_OTHER)
		take_file_line(s, line);
}

/* A line may close a snapshot, so rows of the batch are kept free for the end. */
static int process_next(
	struct sample_source *source, struct sample_batch *batch, struct error *err)
{
	struct process_source *s = (struct process_source *)source;
	struct span line;

	(void)err;
	sample_batch_clear(batch);
	batch->source = SOURCE_PROCESS_TREE;
	batch->snapshots = true;
	while (batch->rows + 2 * TREE_MEMBERS <= SAMPLE_BATCH_ROWS) {
		if (!log_line(s->log, &line)) {
			close_snapshot(s, batch);
			break;
		}
		take_line(s, batch, line);
	}
	s->marker.delivered |= batch->rows > 0;
	return batch->rows > 0;
}

static void process_free(struct sample_source *source)
{
	struct process_source *s = (struct process_source *)source;

	tree_snapshot_release(&s->snapshot);
	tree_account_release(&s->account);
	strbuf_release(&s->stat);
	if (s->cpus.len)
		run_add_fact(s->log->run, RUN_FACT_PROCESS_CPUS,
			(struct span){s->cpus.text, s->cpus.len});
	strbuf_release(&s->cpus);
	clocks_end(&s->marker.clocks, s->log->run);
	log_free(s->log);
	free(s);
}

static struct sample_source *process_open(struct log *log)
{
	struct process_source *s = xcalloc(1, sizeof *s);

	s->source = (struct sample_source){process_next, process_free};
	s->log = log;
	strbuf_init(&s->stat);
	strbuf_init(&s->cpus);
	return &s->source;
}

const struct format format_process_tree = {
	.kind = SOURCE_PROCESS_TREE, .bid = bid, .around = true, .open = process_open};
