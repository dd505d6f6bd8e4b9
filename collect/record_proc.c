/*
 * Records files of the kernel, as they are, at equal distances of time: per sample a
 * marker line with the three clocks, then the kernel's own lines.
 * This room must not know what the numbers mean, nor of COMMAND.
 */
#include "record_proc.h"

#include "record.h"
#include "ticker.h"

#include <errno.h>
#include <fcntl.h>

static void append(struct record *record, const struct proc_job *proc, const char *path)
{
	const size_t before = record->size;
	size_t from;

	if (proc->named)
		record_printf(record, "> %s\n", path);
	from = record->size;
	if (record_file(record, AT_FDCWD, path) < 0)
		record->size = before;
	else if (proc->line != NULL)
		record_keep(record, from, proc->line);
}

static void append_all(
	struct record *record, const struct proc_job *proc, const char *const *file)
{
	for (; file != NULL && *file != NULL; file++)
		append(record, proc, *file);
}

static int take(struct record *record, struct proc_job *proc)
{
	struct instant now;

	instant_now(&now);
	record_begin(record, &now);
	record_printf(record, "\n");
	append_all(record, proc, proc->once);
	proc->once = NULL;
	append_all(record, proc, proc->file);
	if (!record->broken)
		return raw_log_append(&proc->log, record->text, record->size);
	errno = ENOMEM;
	return -1;
}

void record_proc(void *job, const struct recording *recording)
{
	struct proc_job *proc = job;
	struct record record = {0};
	struct ticker ticker;
	struct punctuality punctuality;
	int failed = ticker_open(&ticker, proc->interval_ns);

	if (failed == 0)
		failed = take(&record, proc);
	if (failed == 0)
		recording_ready(recording);
	while (failed == 0 && ticker_wait(&ticker, recording->stop_fd))
		failed = take(&record, proc);
	if (failed == 0)
		failed = take(&record, proc);
	if (failed != 0)
		recording_trouble(
			recording, "ends early: %s", raw_log_why(&proc->log, errno));
	punctuality = ticker_punctuality(&ticker);
	recording_punctual(recording, &punctuality);
	record_release(&record);
	ticker_close(&ticker);
}
