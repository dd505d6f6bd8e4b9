/* The last row with a value of each GPU, and what was said since. */
#include "read/gpu_loss.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "model/run_outcome.h"
#include "read/cells.h"
#include "read/identity.h"

/* GPUs of a file that others outlive by less may just have had no row any more; ten, less
 * one to the end of the run. */
#define SILENT_NS (9 * NS_PER_S)

/* All GPUs are gone, however many the log had. */
#define NO_DEVICES "no devices were found"

/* Of those that are said before one batch of rows, the first. */
#define HEARD_MAX 1024

void gpu_loss_release(struct gpu_loss *loss)
{
	free(loss->gpu);
	free(loss->driver);
	free(loss->heard);
	*loss = (struct gpu_loss){0};
}

static struct gpu_loss_gpu *gpu_of(struct gpu_loss *loss, uint32_t device)
{
	ALLOC_AT(loss->gpu, device, loss->count, loss->cap);
	return &loss->gpu[device];
}

/* The driver answers again. */
static void forget_driver(struct gpu_loss *loss, size_t file, uint64_t line)
{
	for (size_t i = loss->driver_count; i-- > 0;)
		if (loss->driver[i].words.file == file &&
			loss->driver[i].words.line < line)
			loss->driver[i] = loss->driver[--loss->driver_count];
}

/* A value: what was said before it has passed. */
static void see_value(struct gpu_loss_gpu *gpu, size_t file, uint64_t line, int64_t t_ns)
{
	gpu->file = file;
	gpu->line = line;
	gpu->t_ns = t_ns;
	if (!gpu->said.line || (gpu->said.file == file && gpu->said.line >= line))
		return;
	if (!gpu->said.named)
		memcpy(gpu->passed, gpu->said.text, LOSS_WORDS);
	gpu->said = (struct gpu_loss_words){0};
}

/* That a GPU is gone, and which one, is worth more than what was said before. */
static void note_words(struct gpu_loss_gpu *gpu, const struct gpu_loss_words *words)
{
	const struct gpu_loss_words *said = &gpu->said;

	/* It never had a value, or goes on although each round says so: another is meant.
	 */
	if (!gpu->line || (!words->named && strcmp(gpu->passed, words->text) == 0))
		return;
	if (!said->line || (words->sure && !said->sure) ||
		(words->sure == said->sure && words->named && !said->named))
		gpu->said = *words;
}

static void keep_words(struct gpu_loss_words *words, struct span text)
{
	size_t len = text.len < LOSS_WORDS - 1 ? text.len : LOSS_WORDS - 1;

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text.at[i];

		words->text[i] = (char)(c < 0x20 || c >= 0x7f ? '?' : c);
	}
	words->text[len] = '\0';
}

/* "[GPU is lost]", "[GPU requires reset]"; "[Unknown Error]" may be anything. */
static bool is_sure(struct span cell)
{
	return span_has_nocase(cell, "gpu is lost") ||
		span_has_nocase(cell, "requires reset");
}

/* The columns of a batch that a GPU which is there answers; all, if it has none. */
struct asked {
	size_t column[METRIC_COUNT];
	size_t count;
};

static struct asked asked_of(const struct sample_batch *batch)
{
	struct asked asked = {.count = 0};

	for (size_t c = 0; c < batch->column_count; c++)
		if (metric_shows_life(batch->column[c].metric))
			asked.column[asked.count++] = c;
	for (size_t c = 0; c < batch->column_count && !asked.count; c++)
		asked.column[c] = c;
	if (!asked.count)
		asked.count = batch->column_count;
	return asked;
}

static bool has_value(
	const struct asked *asked, const struct sample_batch *batch, size_t row)
{
	for (size_t i = 0; i < asked->count; i++)
		if (batch->column[asked->column[i]].presence[row] == PRESENCE_VALUE)
			return true;
	return false;
}

/* The first cell of a row that tells of trouble, if one does. */
static void note_failure(struct gpu_loss *loss, const struct run *run,
	const struct asked *asked, const struct sample_batch *batch, size_t row)
{
	struct gpu_loss_words words = {
		.file = batch->file, .line = batch->line[row], .named = true};

	for (size_t i = 0; i < asked->count; i++) {
		const struct sample_column *column = &batch->column[asked->column[i]];
		const char *word = column->presence[row] == PRESENCE_MISSING
			? texts_word(&run->texts, column->value[row])
			: NULL;

		if (!word || !cell_is_failure(span_of(word)))
			continue;
		words.sure = is_sure(span_of(word));
		keep_words(&words, span_of(word));
		note_words(gpu_of(loss, batch->device[row]), &words);
		return;
	}
}

/* What stands up to ": ", or to the end; *rest goes behind it. */
static struct span cut_part(struct span *rest)
{
	struct span part = *rest;

	for (part.len = 0; part.len < rest->len; part.len++)
		if (part.at[part.len] == ':' &&
			(part.len + 1 == rest->len || part.at[part.len + 1] == ' '))
			break;
	rest->at += part.len;
	rest->len -= part.len;
	if (rest->len) {
		rest->at++;
		rest->len--;
	}
	*rest = span_trim(*rest);
	return span_trim(part);
}

/* "GPU 0000:3B:00.0: ...", "GPU0000:3B:00.0: ...", "GPU3: 0000:3B:00.0: ...", "GPU3: ..."
 */
static struct gpu_id id_in(struct span words)
{
	struct gpu_id id = {.index = -1, .place = -1};
	uint64_t number;

	while (words.len &&
		!(words.len >= 3 && span_is_nocase((struct span){words.at, 3}, "gpu")))
		words.at++, words.len--;
	if (words.len < 3)
		return id;
	words = span_trim((struct span){words.at + 3, words.len - 3});
	for (int i = 0; i < 2; i++) {
		struct span part = cut_part(&words);

		if (memchr(part.at, ':', part.len) && memchr(part.at, '.', part.len)) {
			id.bus_id = part;
			break;
		}
		if (i || !number_unsigned(part, &number) || number >= 4096)
			break;
		id.index = (int32_t)number;
	}
	return id;
}

/* "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. ..." */
static bool is_of_driver(struct span words)
{
	return span_has_nocase(words, "failed to initialize nvml") ||
		span_has_nocase(words, "nvidia-smi has failed");
}

bool gpu_loss_is_said(struct span words)
{
	if (is_of_driver(words))
		return true;
	return !span_has_nocase(words, "permission") &&
		(span_has_nocase(words, "unable to determine the device handle for") ||
			span_has_nocase(words, "gpu is lost") ||
			span_has_nocase(words, NO_DEVICES));
}

bool gpu_loss_is_blind(struct span words)
{
	static const char *const shells[] = {
		"not found", "couldn't", "no such file", "not recognized", "denied"};

	if (gpu_loss_is_said(words))
		return true;
	for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++)
		if (span_has_nocase(words, "nvidia-smi") &&
			span_has_nocase(words, shells[i]))
			return true;
	return false;
}

/* Rows of this file whose GPU may be meant. */
static bool may_be_meant(const struct gpu_loss *loss, uint32_t device, size_t file)
{
	return device < loss->count && loss->gpu[device].line &&
		loss->gpu[device].file == file;
}

/* The first such words behind the last value of a file that has one. */
static void note_driver(struct gpu_loss *loss, const struct gpu_loss_words *words)
{
	struct gpu_loss_driver driver = {.words = *words};

	for (size_t i = 0; i < loss->driver_count; i++)
		if (loss->driver[i].words.file == words->file)
			return;
	for (size_t i = 0; i < loss->count; i++)
		if (may_be_meant(loss, (uint32_t)i, words->file) &&
			loss->gpu[i].line > driver.line) {
			driver.line = loss->gpu[i].line;
			driver.t_ns = loss->gpu[i].t_ns;
		}
	if (!driver.line)
		return;
	ALLOC_NEXT(loss->driver, loss->driver_count, loss->driver_cap) = driver;
}

/* Whom the words mean: the driver, the GPU that they name, or all of the file. */
static void note_heard(
	struct gpu_loss *loss, const struct run *run, const struct gpu_loss_words *heard)
{
	const struct device_list *gpus = &run->of_kind[DEVICE_GPU];
	struct gpu_loss_words words = *heard;
	struct gpu_id id = id_in(span_of(words.text));
	uint32_t device;

	if (is_of_driver(span_of(words.text))) {
		note_driver(loss, &words);
		return;
	}
	words.named = span_has_nocase(span_of(words.text), NO_DEVICES);
	if (!words.named && identity_named_gpu(run, &id, &device)) {
		words.named = true;
		if (device != IDENTITY_NONE)
			note_words(gpu_of(loss, device), &words);
		return;
	}
	for (size_t i = 0; i < gpus->count; i++)
		if (may_be_meant(loss, gpus->at[i], words.file))
			note_words(&loss->gpu[gpus->at[i]], &words);
}

void gpu_loss_hear(struct gpu_loss *loss, size_t file, uint64_t line, struct span text)
{
	struct gpu_loss_words words = {.file = file, .line = line};

	words.sure =
		text.len && text.at[0] == '[' ? is_sure(text) : gpu_loss_is_said(text);
	if ((!words.sure && !cell_is_failure(text)) || loss->heard_count == HEARD_MAX)
		return;
	keep_words(&words, text);
	ALLOC_NEXT(loss->heard, loss->heard_count, loss->heard_cap) = words;
}

/* What was said up to a line; *from: how much of it is noted already. */
static void note_up_to(
	struct gpu_loss *loss, const struct run *run, size_t *from, uint64_t line)
{
	for (; *from < loss->heard_count && loss->heard[*from].line < line; ++*from)
		note_heard(loss, run, &loss->heard[*from]);
}

/* What is not noted yet was said behind the rows that were taken. */
static void keep_rest(struct gpu_loss *loss, size_t from)
{
	if (!from)
		return;
	loss->heard_count -= from;
	memmove(loss->heard, loss->heard + from, loss->heard_count * sizeof *loss->heard);
}

void gpu_loss_take(
	struct gpu_loss *loss, const struct run *run, const struct sample_batch *batch)
{
	struct asked asked = asked_of(batch);
	size_t noted = 0;

	while (noted < loss->heard_count && loss->heard[noted].file != batch->file)
		note_heard(loss, run, &loss->heard[noted++]);
	for (size_t row = 0; row < batch->rows; row++) {
		uint32_t device = batch->device[row];

		if (run->device[device].kind != DEVICE_GPU)
			continue;
		note_up_to(loss, run, &noted, batch->line[row]);
		if (!batch->unavailable[row] && !has_value(&asked, batch, row)) {
			note_failure(loss, run, &asked, batch, row);
			continue;
		}
		see_value(gpu_of(loss, device), batch->file, batch->line[row],
			batch->t_ns[row]);
		forget_driver(loss, batch->file, batch->line[row]);
	}
	keep_rest(loss, noted);
}

/* Of all GPUs of a file: when the last of them had a value; how many they are. */
static int64_t last_of(const struct gpu_loss *loss, size_t file, size_t *gpus)
{
	int64_t last_ns = INT64_MIN;

	*gpus = 0;
	for (size_t i = 0; i < loss->count; i++) {
		if (!may_be_meant(loss, (uint32_t)i, file))
			continue;
		++*gpus;
		if (loss->gpu[i].t_ns > last_ns)
			last_ns = loss->gpu[i].t_ns;
	}
	return last_ns;
}

/* Has another GPU of that file values behind what was said? */
static bool others_go_on(const struct gpu_loss *loss, const struct gpu_loss_gpu *gpu)
{
	for (size_t i = 0; i < loss->count; i++)
		if (may_be_meant(loss, (uint32_t)i, gpu->said.file) &&
			loss->gpu[i].line > gpu->said.line)
			return true;
	return false;
}

static void tell_of_gpu(
	struct run *run, uint32_t device, const struct gpu_loss_gpu *gpu, bool meant)
{
	const struct gpu_loss_words *words = &gpu->said;
	const char *name = run->device[device].name;
	bool said = words->line > 0;
	size_t file = words->file;

	if (meant)
		diag_add(&run->diags, true, "gpu-is-lost", run->file[file].path,
			words->line, span_of(name),
			"nvidia-smi said '%s'; the last values of %s are in line "
			"%" PRIu64 "%s%s",
			words->text, name, gpu->line, file == gpu->file ? "" : " of ",
			file == gpu->file ? "" : run->file[gpu->file].path);
	else
		diag_add(&run->diags, false, "gpu-falls-silent",
			run->file[gpu->file].path, gpu->line, span_of(name),
			"the last values of %s are in this line%s%s%s", name,
			said ? "; after that nvidia-smi said '" : "",
			said ? words->text : "", said ? "'" : "");
}

/* The words are of this GPU: they name it, or only it is silent from there on. */
static bool is_meant(const struct gpu_loss *loss, const struct gpu_loss_gpu *gpu)
{
	size_t gpus;

	last_of(loss, gpu->file, &gpus);
	return gpu->line && gpu->said.line && gpu->said.sure &&
		(gpu->said.named || gpus == 1 || others_go_on(loss, gpu));
}

static bool any_is_meant(const struct gpu_loss *loss, size_t file)
{
	for (size_t i = 0; i < loss->count; i++)
		if (loss->gpu[i].file == file && is_meant(loss, &loss->gpu[i]))
			return true;
	return false;
}

/* One of several GPUs, behind whose sentence no row stands. */
static void tell_of_any(struct run *run, const struct gpu_loss_gpu *gpu)
{
	diag_add(&run->diags, true, "gpu-is-lost", run->file[gpu->said.file].path,
		gpu->said.line, SPAN_NONE,
		"nvidia-smi said '%s' without naming a GPU, and no row follows",
		gpu->said.text);
}

/* Of all GPUs, in other files: a recorder that was started again had values since. */
static bool has_passed(const struct gpu_loss *loss, const struct gpu_loss_driver *driver)
{
	for (size_t i = 0; i < loss->count; i++)
		if (loss->gpu[i].line &&
			(int128)loss->gpu[i].t_ns - driver->t_ns >= SILENT_NS)
			return true;
	return false;
}

static void tell_of_driver(struct run *run, const struct gpu_loss_driver *driver)
{
	diag_add(&run->diags, true, "driver-gone", run->file[driver->words.file].path,
		driver->words.line, SPAN_NONE,
		"nvidia-smi said '%s'; the last values are in line %" PRIu64,
		driver->words.text, driver->line);
}

void gpu_loss_tell(struct gpu_loss *loss, struct run *run)
{
	size_t noted = 0;

	note_up_to(loss, run, &noted, UINT64_MAX);
	keep_rest(loss, noted);
	for (size_t i = 0; i < loss->driver_count; i++)
		if (!has_passed(loss, &loss->driver[i]))
			tell_of_driver(run, &loss->driver[i]);
	for (size_t i = 0; i < loss->count; i++) {
		const struct gpu_loss_gpu *gpu = &loss->gpu[i];
		bool meant = is_meant(loss, gpu);
		size_t gpus;

		if (!gpu->line)
			continue;
		if (meant ||
			(int128)last_of(loss, gpu->file, &gpus) - gpu->t_ns >= SILENT_NS)
			tell_of_gpu(run, (uint32_t)i, gpu, meant);
		else if (gpu->said.line && gpu->said.sure &&
			!any_is_meant(loss, gpu->file))
			tell_of_any(run, gpu);
	}
}
