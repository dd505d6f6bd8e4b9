/*
 * The second sweep: all files of one kind as one stream, in the order of their first
 * times. Gives rows their segment and ordinal. What must be known of a file before it is
 * read, gpus_in_stream.c finds out.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "read/bad_rows.h"
#include "read/cells.h"
#include "read/formats.h"
#include "read/gpu_loss.h"
#include "read/identity.h"
#include "read/log.h"
#include "read/read_run.h"
#include "read/reading.h"

/* Where the rows of one device have come to. */
struct device_position {
	bool seen;
	bool disordered; /* a row came late: its times may come twice */
	bool begins; /* the next row is of another recorder, beside the one before */
	int64_t last_ns;
	int64_t end_ns; /* the latest so far */
	int64_t high_ns; /* the latest of the file */
	uint64_t small_steps; /* after which rows went on at times that had been */
	bool back; /* the last row was earlier than one before it */
	int64_t step_ns[2]; /* the last two between rows that rise */
	size_t file; /* of the last row */
	int32_t segment;
	uint32_t ordinal;
};

struct chain {
	struct sample_source source;
	struct reading *reading;
	enum source_kind kind;
	int64_t step_limit_ns;
	size_t *file; /* indexes of the files, in the order of their first times */
	size_t file_count, next_file;
	struct sample_source *open; /* the file being read; NULL: none */
	size_t open_file; /* its index */
	struct log *log; /* it is read from; owned by open */
	uint64_t taken; /* bytes of the files before it, as reading->taken counts */
	bool has_row, timed; /* the first row decides whether the source has times */
	bool file_begins; /* the next row is the first of a further file */
	bool had[METRIC_COUNT],
		has[METRIC_COUNT]; /* in files before it; in the open one */
	uint32_t rows; /* of the stream so far */
	struct device_position *place; /* [device] */
	size_t place_count, place_cap;
	int32_t total_segment; /* of the last row of all CPUs together */
	uint32_t total_ordinal;
	bool beside; /* the open file has no metric of those before */
	bool overlaps; /* the open file, and that was said */
	bool counts; /* this reading counts rows and damage */
	bool clashes; /* logs of two hosts are not to be told apart, as clash says */
	struct error clash;
	struct gpu_loss loss; /* of GPUs that fall silent */
	struct run_file scratch_file; /* ... or throws them away here */
	struct diag_list scratch_diags;
};

/* May its clock have no date, or no year? */
static bool has_bare_clock(const struct reading *reading, size_t file)
{
	enum source_kind kind = reading->run->file[file].kind;

	return kind == SOURCE_NVIDIA_DMON || kind == SOURCE_NVIDIA_PMON ||
		reading->file[file].facts.prefix.lacks;
}

/* An instant near the first row of such a log. */
static int64_t near_wall_ns(struct reading *reading)
{
	int64_t t_ns = reading->run->started_ns;

	for (size_t i = 0; i < reading->file_count && t_ns == TIME_NONE; i++) {
		if (!source_has_samples(reading->run->file[i].kind) ||
			has_bare_clock(reading, i))
			continue;
		reading_prepare(reading, i);
		t_ns = reading->file[i].first_ns;
	}
	return t_ns == TIME_NONE ? TIME_NONE : time_to_wall(t_ns, &reading->zone);
}

/* How many GPUs its rows without ids are of is not certain. */
static void note_doubts(struct log *log)
{
	for (size_t i = 0; i < log->facts.streams.count; i++) {
		const struct stream *stream = &log->facts.streams.at[i];

		if (stream->bursts)
			log_note(log, true, "bursts", SPAN_NONE,
				"rows without a GPU id come in bursts or alternate; they "
				"are read as one GPU, but may be several");
		if (stream->doubt)
			log_note(log, true, "gpu-count", SPAN_NONE,
				"rows without a GPU id %s; read as %zu GPUs, but the "
				"number is uncertain",
				stream->doubt, stream->blocks.size);
	}
}

/*
 * Opens the next file. 1; 0: there is none; -1: a file that was read before can't be
 * opened again.
 */
static int open_next(struct chain *chain, struct error *err)
{
	struct reading *reading = chain->reading;
	struct run *run = reading->run;

	while (chain->next_file < chain->file_count) {
		size_t file = chain->file[chain->next_file];
		struct error why;
		struct log *log;

		chain->file_begins = chain->next_file++ > 0;
		if (reading->file[file].lost)
			continue;
		log = reading_open(reading, file, run,
			chain->counts ? &run->file[file] : &chain->scratch_file,
			chain->counts ? &run->diags : &chain->scratch_diags, &why);
		if (!log && !chain->counts)
			return error_set(err,
				"%s (while reading it a second time to sort its rows)",
				why.message);
		if (!log) {
			reading_lose(reading, file, &why);
			continue;
		}
		log->loss = chain->counts ? &chain->loss : NULL;
		note_doubts(log);
		if (has_bare_clock(reading, file))
			log->near_ns = near_wall_ns(reading);
		chain->open_file = file;
		chain->log = log;
		chain->taken = reading->taken;
		chain->overlaps = false;
		chain->open = bad_rows_filter(
			clock_steps_filter(
				format_open(
					chain->reading->opt.formats[chain->kind], log),
				log),
			log);
		return 1;
	}
	return 0;
}

static struct device_position *place_of(struct chain *chain, uint32_t device)
{
	ALLOC_AT(chain->place, device, chain->place_count, chain->place_cap);
	return &chain->place[device];
}

/* A log without times can't be joined with one that has them. */
static bool can_join(struct chain *chain, const struct sample_batch *batch)
{
	struct run *run = chain->reading->run;
	struct run_file *file = &run->file[chain->open_file];

	if (!chain->has_row)
		chain->timed = batch->timed;
	chain->has_row = true;
	if (batch->timed == chain->timed)
		return true;
	if (!chain->counts)
		return false;
	file->rows -= batch->rows;
	if (chain->timed && chain->reading->file[chain->open_file].facts.map) {
		diag_add(&run->diags, false, "names-only", file->path, 0, SPAN_NONE,
			"the log has no times: only the names of its GPUs are used");
		return false;
	}
	file->refused += batch->rows;
	for (size_t row = 0; row < batch->rows; row++)
		diag_add(&run->diags, true, "no-time", file->path, 0, SPAN_NONE,
			"the log has no times, but another of the same format has (row "
			"skipped)");
	return false;
}

/*
 * A clock of whole seconds, or rows of several devices that are taken for one: nobody
 * but the user can tell.
 */
static void note_equal_times(struct chain *chain, uint32_t device)
{
	struct run *run = chain->reading->run;

	if (chain->counts)
		diag_add(&run->diags, false, "equal-times",
			run->file[chain->open_file].path, 0,
			span_of(run->device[device].name),
			"several rows of %s at the same time", run->device[device].name);
}

static void note_step_back(struct chain *chain, const struct sample_batch *batch,
	size_t row, int64_t back_ns)
{
	struct reading *reading = chain->reading;
	const char *name = reading->run->device[batch->device[row]].name;

	diag_add(&reading->step_back[chain->kind], true, "step-back",
		reading->run->file[batch->file].path, batch->line[row], span_of(name),
		"time of %s (%s) goes back by %.3f s", name, source_name(chain->kind),
		number_ratio(back_ns, NS_PER_S));
}

/* One small step back may be a late row: so many are a clock that is set. */
#define SMALL_STEPS 3

static uint64_t apart(int64_t a_ns, int64_t b_ns)
{
	return a_ns > b_ns ? (uint64_t)a_ns - (uint64_t)b_ns
			   : (uint64_t)b_ns - (uint64_t)a_ns;
}

/*
 * The row behind one that is earlier than those before goes on from it, and not from
 * them: the clock went back, and the row was not late.
 */
static void note_small_step(struct chain *chain, struct device_position *place,
	const struct sample_batch *batch, size_t row)
{
	struct run *run = chain->reading->run;
	const char *name = run->device[batch->device[row]].name;
	int64_t t_ns = batch->t_ns[row], step_ns = t_ns - place->last_ns;
	int64_t usual_ns = place->step_ns[0] < place->step_ns[1] ? place->step_ns[0]
								 : place->step_ns[1];
	bool goes_on = place->back && step_ns > 0 &&
		apart(step_ns, usual_ns) < apart(t_ns - place->high_ns, usual_ns);

	if (step_ns > 0 && !place->back) {
		place->step_ns[0] = place->step_ns[1];
		place->step_ns[1] = step_ns;
	}
	place->back = step_ns < 0;
	if (t_ns > place->high_ns)
		place->high_ns = t_ns;
	if (!goes_on || ++place->small_steps < SMALL_STEPS || !chain->counts)
		return;
	for (uint64_t i = place->small_steps == SMALL_STEPS ? SMALL_STEPS : 1; i > 0; i--)
		diag_add(&run->diags, true, "small-step-back",
			run->file[batch->file].path, batch->line[row], span_of(name),
			"time of %s goes back again and again", name);
}

uint64_t read_taken(const struct reading *reading)
{
	return reading->taken;
}

void read_note_steps_back(struct reading *reading)
{
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		diag_list_move(&reading->run->diags, &reading->step_back[kind]);
}

/*
 * Files of one kind are one log; where they overlap in a device, time comes twice. Those
 * without ids may be of a GPU each.
 */
static void note_overlap(struct chain *chain)
{
	struct run *run = chain->reading->run;
	const char *path = run->file[chain->open_file].path;

	if (chain->overlaps || !chain->counts)
		return;
	chain->overlaps = true;
	diag_add(&run->diags, true, "overlap", path, 0, SPAN_NONE,
		"begins before an earlier file of its format ends (may be counted "
		"twice)");
	if (chain->reading->file[chain->open_file].facts.streams.count)
		diag_add(&run->diags, true, "gpu-count", path, 0, SPAN_NONE,
			"rows without a GPU id have the times of an earlier file; they "
			"are read as the same GPU, but may be another one");
}

/* What the rows have values of, or asked for. */
static void see_metrics(const struct sample_batch *batch, bool *has)
{
	for (size_t c = 0; c < batch->column_count; c++)
		for (size_t i = 0; i < batch->rows && !has[batch->column[c].metric]; i++)
			has[batch->column[c].metric] =
				batch->column[c].presence[i] != PRESENCE_ABSENT;
}

/* Has it none of the metrics of the files before? */
static bool runs_beside(const struct chain *chain)
{
	for (size_t i = 0; i < METRIC_COUNT; i++)
		if (chain->had[i] && chain->has[i])
			return false;
	return true;
}

static void note_beside(struct chain *chain)
{
	struct run *run = chain->reading->run;

	if (chain->counts && !chain->overlaps)
		diag_add(&run->diags, false, "beside", run->file[chain->open_file].path,
			0, SPAN_NONE,
			"has the times of an earlier file, but other columns; both are "
			"read as one log");
	chain->overlaps = true;
}

/* The first lines of a log behind its header, all of which a copy of it has, too. */
#define COPIED_LINES 3

static bool is_copied(struct reading *reading, size_t from, size_t to)
{
	uint64_t line_hash[COPIED_LINES];
	size_t lines = 0, found = 0;
	struct span line;
	struct peek g;

	peek_begin(&g, reading, to);
	while (lines < COPIED_LINES && peek_on(&g, &line))
		if (g.lines > 1)
			line_hash[lines++] = span_hash(line, SPAN_HASH);
	peek_end(&g);
	peek_begin(&g, reading, from);
	while (found < lines && g.log && log_line(g.log, &line))
		if (span_hash(line, SPAN_HASH) == line_hash[found])
			found++;
	peek_end(&g);
	return found == lines;
}

/*
 * Two logs have rows of one GPU from one time, and by an index alone: of two hosts, as
 * likely as not, and nothing can be added up. Joined logs are so whatever the device.
 */
static bool is_of_two_hosts(const struct chain *chain,
	const struct device_position *place, uint32_t device, int64_t t_ns)
{
	struct reading *reading = chain->reading;
	const struct device *known = &reading->run->device[device];
	const struct reading_file *before = &reading->file[place->file],
				  *open = &reading->file[chain->open_file];

	return !known->uuid && !known->host &&
		place->end_ns - t_ns > chain->step_limit_ns &&
		before->whole != open->whole &&
		(before->operand != open->operand || known->kind == DEVICE_GPU) &&
		!is_copied(reading, place->file, chain->open_file);
}

static void refuse_two_hosts(
	struct chain *chain, const struct device_position *place, uint32_t device)
{
	const struct run *run = chain->reading->run;
	const char *one = run->file[place->file].path;
	const char *other = run->file[chain->open_file].path;
	/* Paths in a single folder are named from it. */
	bool folder = chain->reading->file[place->file].operand ==
			chain->reading->file[chain->open_file].operand &&
		run->path && !strchr(run->path, ' ');

	chain->clashes = true;
	error_set(&chain->clash,
		"%s and %s both have rows of %s at the same time, without a UUID or "
		"host. Read each log as a run of its own (hwsummarize %s%s%s), or add "
		"a column \"host\"",
		one, other, run->device[device].name, folder ? run->path : one,
		folder ? "/*" : " ", folder ? "" : other);
}

/*
 * The first row of a device in a file. One that overlaps those before, and has none of
 * their metrics, is of another recorder, which asked for other fields: its rows stand
 * among theirs.
 */
static void enter_file(
	struct chain *chain, struct device_position *place, uint32_t device, int64_t t_ns)
{
	if (place->seen && t_ns <= place->end_ns && chain->beside) {
		note_beside(chain);
		place->begins = true;
	} else if (place->seen && t_ns <= place->end_ns) {
		note_overlap(chain);
		if (!chain->clashes && is_of_two_hosts(chain, place, device, t_ns))
			refuse_two_hosts(chain, place, device);
	}
	place->file = chain->open_file;
	place->high_ns = t_ns;
	place->back = false;
}

/* The processes of two hosts have other pids: their GPUs are met, if not named. */
static void see_gpu_of(struct chain *chain, uint32_t process, int64_t t_ns)
{
	uint32_t gpu = (uint32_t)chain->reading->run->device[process].parent;
	struct device_position *place = place_of(chain, gpu);

	if (place->seen && place->file != chain->open_file && !chain->beside &&
		!chain->clashes && t_ns <= place->end_ns &&
		is_of_two_hosts(chain, place, gpu, t_ns))
		refuse_two_hosts(chain, place, gpu);
	if (!place->seen || t_ns > place->end_ns)
		place->end_ns = t_ns;
	place->seen = true;
	place->file = chain->open_file;
}

/* Segment and ordinal of a row, so that (segment, time, ordinal) is unique. */
static void place_row(struct chain *chain, struct sample_batch *batch, size_t row)
{
	const struct device *device = &chain->reading->run->device[batch->device[row]];
	int64_t t_ns = batch->t_ns[row];
	struct device_position *place;

	chain->rows++;
	if (!batch->timed) {
		batch->ordinal[row] = chain->rows;
		return;
	}
	if (device->kind == DEVICE_PROCESS && device->parent >= 0)
		see_gpu_of(chain, batch->device[row], t_ns);
	place = place_of(chain, batch->device[row]);
	if (device_is_core(device)) {
		/* A snapshot is one: its single CPUs stand where all together do. */
		batch->segment[row] = chain->total_segment;
		batch->ordinal[row] = chain->total_ordinal;
		return;
	}
	if (!place->seen || place->file != chain->open_file)
		enter_file(chain, place, batch->device[row], t_ns);
	if (place->begins) {
		place->begins = false;
		place->disordered = true;
	} else if (place->seen && t_ns < place->last_ns) {
		if (place->last_ns - t_ns > chain->step_limit_ns) {
			note_step_back(chain, batch, row, place->last_ns - t_ns);
			place->segment++;
			place->disordered = false;
		} else {
			place->disordered = true;
		}
		place->ordinal = 0;
	} else if (place->seen && t_ns == place->last_ns) {
		place->ordinal++;
		if (!batch->listed)
			note_equal_times(chain, batch->device[row]);
	} else {
		place->ordinal = 0;
	}
	if (place->disordered)
		place->ordinal = chain->rows;
	if (place->seen && !batch->listed)
		note_small_step(chain, place, batch, row);
	if (!place->seen || t_ns > place->end_ns)
		place->end_ns = t_ns;
	place->seen = true;
	place->last_ns = t_ns;
	batch->segment[row] = chain->total_segment = place->segment;
	batch->ordinal[row] = chain->total_ordinal = place->ordinal;
}

/*
 * Why values are missing is counted here: the rows are final, and come but once. What is
 * not available has not failed: a GPU of which nothing else is said is there.
 */
static void take_missing(const struct chain *chain, struct sample_batch *batch)
{
	struct run *run = chain->reading->run;
	uint8_t failed[SAMPLE_BATCH_ROWS] = {0};

	for (size_t c = 0; c < batch->column_count; c++) {
		const struct sample_column *column = &batch->column[c];
		const uint8_t *from = column->presence, *end = from + batch->rows;

		while ((from = memchr(from, PRESENCE_MISSING, (size_t)(end - from)))) {
			size_t row = (size_t)(from++ - column->presence);
			const char *word = texts_word(&run->texts, column->value[row]);

			if (chain->counts)
				missing_add(&run->missing,
					&(struct missing){batch->source,
						batch->device[row], column->metric,
						(uint32_t)column->value[row], 1});
			if (word && cell_is_unavailable(span_of(word)))
				batch->unavailable[row] = 1;
			else
				failed[row] = 1;
		}
	}
	for (size_t row = 0; row < batch->rows; row++)
		batch->unavailable[row] &= !failed[row];
}

/* Whose rows the file has. */
static void note_gpus(struct chain *chain, const struct sample_batch *batch)
{
	struct run *run = chain->reading->run;
	struct run_file *file = &run->file[chain->open_file];

	for (size_t row = 0; row < batch->rows; row++) {
		uint32_t device = batch->device[row];

		if ((device >= file->gpu_count || !file->gpu[device]) &&
			run->device[device].kind == DEVICE_GPU)
			run_file_add_gpu(file, device);
	}
}

/* All rows of a kind were read. */
static void end_process_use(struct reading *reading, enum source_kind kind)
{
	if (kind == SOURCE_PROCESS_TREE)
		process_use_name_owners(reading->process_use, reading->run);
	for (enum process_number n = 0; n < USE_NUMBERS; n++)
		if (reading->process_use[n].source == kind)
			process_use_end(&reading->process_use[n]);
}

static int chain_next(
	struct sample_source *source, struct sample_batch *batch, struct error *err)
{
	struct chain *chain = (struct chain *)source;

	for (;;) {
		int more = chain->open ? 1 : open_next(chain, err);

		if (more < 0)
			return more;
		if (!more) {
			if (chain->counts)
				gpu_loss_tell(&chain->loss, chain->reading->run);
			chain->reading->counted[chain->kind] = true;
			end_process_use(chain->reading, chain->kind);
			return 0;
		}
		more = sample_source_next(chain->open, batch, err);
		chain->reading->taken = chain->taken + input_taken(chain->log->in);
		if (more > 0) {
			if (can_join(chain, batch))
				break;
			continue;
		}
		sample_source_free(chain->open);
		chain->open = NULL;
	}
	for (size_t i = 0; chain->file_begins && i < METRIC_COUNT; i++) {
		chain->had[i] |= chain->has[i];
		chain->has[i] = false;
	}
	see_metrics(batch, chain->has);
	if (chain->file_begins) {
		chain->beside = runs_beside(chain);
		batch->header[0] = 1;
	}
	chain->file_begins = false;
	batch->file = chain->open_file;
	for (size_t row = 0; row < batch->rows; row++)
		place_row(chain, batch, row);
	if (chain->clashes) {
		*err = chain->clash;
		return -1;
	}
	take_missing(chain, batch);
	note_gpus(chain, batch);
	for (enum process_number n = 0; n < USE_NUMBERS; n++)
		if (chain->kind == chain->reading->process_use[n].source)
			process_use_take(&chain->reading->process_use[n], n,
				chain->reading->run, batch);
	if (chain->counts)
		gpu_loss_take(&chain->loss, chain->reading->run, batch);
	if (chain->counts && batch->timed)
		lost_rows_place(&chain->reading->run->file[chain->open_file].lost,
			batch->t_ns, batch->line, batch->rows);
	return 1;
}

static void chain_free(struct sample_source *source)
{
	struct chain *chain = (struct chain *)source;

	sample_source_free(chain->open);
	diag_list_release(&chain->scratch_diags);
	gpu_loss_release(&chain->loss);
	free(chain->file);
	free(chain->place);
	free(chain);
}

static bool has_file(const struct run *run, enum source_kind kind)
{
	bool has = false;

	for (size_t i = 0; i < run->file_count; i++)
		has |= run->file[i].kind == kind;
	return has;
}

/* Whoever wants the processes of a run wants to know what they do on GPUs. */
static void read_process_use(
	struct reading *reading, enum process_number number, int64_t step_limit_ns)
{
	struct process_use *use = &reading->process_use[number];
	enum source_kind kind = use->source;
	struct sample_source *listings;
	struct sample_batch batch;
	struct error err;

	if (use->taken && !use->any && kind == SOURCE_NVIDIA_APPS &&
		has_file(reading->run, SOURCE_NVIDIA_PMON)) {
		process_use_release(use); /* listings without amounts */
		use->gap_ns = step_limit_ns;
		use->source = kind = SOURCE_NVIDIA_PMON;
		use->chosen = true;
	}
	if (use->taken || kind == SOURCE_NONE)
		return;
	listings = read_samples(reading, kind, step_limit_ns);
	sample_batch_init(&batch);
	while (sample_source_next(listings, &batch, &err) > 0)
		;
	sample_batch_release(&batch);
	sample_source_free(listings);
	end_process_use(reading, kind);
	if (!use->any && kind == SOURCE_NVIDIA_APPS)
		read_process_use(reading, number, step_limit_ns);
}

/* None where no processes of a run could have a part in it, as it takes memory. */
static enum source_kind gpu_util_source(const struct run *run)
{
	if (!has_file(run, SOURCE_PROCESS_TREE) ||
		!(has_file(run, SOURCE_NVIDIA_APPS) || has_file(run, SOURCE_NVIDIA_PMON)))
		return SOURCE_NONE;
	return has_file(run, SOURCE_NVIDIA_QUERY) ? SOURCE_NVIDIA_QUERY
						  : SOURCE_NVIDIA_DMON;
}

/* Memory is in both logs of processes, their utilization in one. */
static void choose_process_use(struct reading *reading, int64_t step_limit_ns)
{
	const struct run *run = reading->run;
	const enum source_kind source[USE_NUMBERS] = {
		[PROCESS_MEMORY] = has_file(run, SOURCE_NVIDIA_APPS) ? SOURCE_NVIDIA_APPS
								     : SOURCE_NVIDIA_PMON,
		[PROCESS_SM] = SOURCE_NVIDIA_PMON,
		[GPU_UTIL] = gpu_util_source(run)};

	for (enum process_number n = 0; n < USE_NUMBERS; n++) {
		struct process_use *use = &reading->process_use[n];

		use->gap_ns = step_limit_ns;
		if (use->taken || use->chosen)
			continue;
		use->source = source[n];
	}
}

struct sample_source *read_samples(
	struct reading *reading, enum source_kind kind, int64_t step_limit_ns)
{
	struct chain *chain = xcalloc(1, sizeof *chain);

	if (!reading->surveyed)
		gpu_ids_take(reading);
	reading->surveyed = true;
	choose_process_use(reading, step_limit_ns);
	for (enum process_number n = 0; kind == SOURCE_PROCESS_TREE && n < USE_NUMBERS;
		n++)
		read_process_use(reading, n, step_limit_ns);
	chain->source = (struct sample_source){chain_next, chain_free};
	chain->reading = reading;
	chain->kind = kind;
	chain->step_limit_ns = step_limit_ns;
	chain->counts = !reading->counted[kind];
	diag_list_release(&reading->step_back[kind]);
	chain->file = xmalloc((reading->file_count + 1) * sizeof *chain->file);
	chain->file_count = reading_order(reading, kind, chain->file);
	return &chain->source;
}
