/*
 * Records files of the kernel, as they are, at equal distances of time: per sample a
 * marker line with the three clocks, then the kernel's own lines.
 * This room must not know what the numbers mean, nor of COMMAND.
 */
#include "record_proc.h"

#include "record.h"
#include "regular.h"
#include "ticker.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

struct sampler {
	struct proc_job *proc;
	struct record record;
	int kept_fd; /* of a file that stays open; -1: it is not */
};

/* It is opened anew where that does not do any more. */
static ssize_t read_kept(struct sampler *s, const char *path)
{
	ssize_t size = -1;

	if (s->kept_fd >= 0)
		size = record_again(&s->record, s->kept_fd, RECORD_WHOLE);
	if (size >= 0)
		return size;
	if (s->kept_fd >= 0)
		(void)close(s->kept_fd);
	s->kept_fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	return s->kept_fd < 0 ? -1 : record_again(&s->record, s->kept_fd, RECORD_WHOLE);
}

static void append(struct sampler *s, const char *path)
{
	const struct proc_job *proc = s->proc;
	struct record *record = &s->record;
	const size_t before = record->size;
	size_t from;
	ssize_t size;

	if (proc->named) {
		record_printf(record, "> ");
		record_add(record, path, strlen(path));
		record_printf(record, "\n");
	}
	from = record->size;
	size = proc->whole ? read_kept(s, path)
			   : record_file(record, AT_FDCWD, path, RECORD_PIECES);
	if (size < 0)
		record->size = before;
	else if (proc->line != NULL)
		record_keep(record, from, proc->line);
}

static void append_all(struct sampler *s, const char *const *file)
{
	for (; file != NULL && *file != NULL; file++)
		append(s, *file);
}

static int take(void *context)
{
	struct sampler *s = context;
	struct proc_job *proc = s->proc;
	struct instant now;

	instant_now(&now);
	record_begin(&s->record, &now);
	record_printf(&s->record, "\n");
	append_all(s, proc->once);
	proc->once = NULL;
	append_all(s, proc->file);
	if (!s->record.broken)
		return raw_log_append(&proc->log, s->record.text, s->record.size);
	errno = ENOMEM;
	return -1;
}

void record_proc(void *job, const struct recording *recording)
{
	struct sampler s = {.proc = job, .kept_fd = -1};
	struct ticker ticker;
	int failed = ticker_open(&ticker, recording->punctuality, s.proc->interval_ns,
		recording->origin_ns);

	if (failed == 0)
		failed = ticker_sample(&ticker, take, &s);
	if (failed == 0) {
		recording_ready(recording);
		failed = ticker_keep(&ticker, recording->stop_fd, take, &s);
	}
	if (failed != 0)
		recording_ends_early(recording, raw_log_why(&s.proc->log, errno),
			regular_is_no_room(errno));
	record_release(&s.record);
	ticker_close(&ticker);
	if (s.kept_fd >= 0)
		(void)close(s.kept_fd);
}
