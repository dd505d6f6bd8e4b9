/*
 * Records what a long-lived nvidia-smi prints, byte for byte.
 *
 * Into a file or a pipe nvidia-smi prints in blocks of 4096 bytes: minutes late, and
 * what is in its buffer when it is killed is lost in the middle of a line. On a
 * terminal it prints line by line, so it gets a terminal, and whole lines are copied
 * from there. (LD_PRELOAD as in stdbuf(1) would need a dynamic executable and
 * coreutils; a terminal always works.)
 *
 * An nvidia-smi that ends by itself is restarted, at first at once, then after growing
 * delays. One that is silent for long is first reported, then killed. One that has
 * nothing to print still sleeps between its rounds; that shows that it runs. If some
 * GPUs don't answer, it is restarted for the others, and those are asked now and then
 * until they answer.
 *
 * Must not know what the lines mean, nor of COMMAND.
 */
#include "nvidia_smi.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "gpu.h"
#include "recorder.h"
#include "run_dir.h"
#include "ticker.h"
#include "tree.h"

struct terminal {
	int our_fd; /* where to read, without blocking, what the program prints */
	int program_fd; /* what the program prints on */
};

/*
 * A silence is told after three intervals, and hangs after six. An nvidia-smi takes
 * hundreds of milliseconds for a round where the driver is busy, and to start as well:
 * hence the least times, and twice what it has needed itself.
 */

#define TOLD_INTERVALS	3
#define TOLD_LEAST_NS	(1 * NS_PER_S)
#define HANGS_INTERVALS 6
#define HANGS_LEAST_NS	(3 * NS_PER_S)
#define NEEDED_MOST_NS	(10 * NS_PER_S)

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* It was started just now. */
static void silence_begin(struct silence *silence)
{
	silence->heard_ns = clock_mono_ns();
	silence->longest_ns = 0;
	silence->spoke = silence->told = false;
}

/*
 * It says something, or is seen to go on. Returns whether a silence ends that was
 * told.
 */
static bool silence_break(struct silence *silence, bool spoke)
{
	int64_t now_ns = clock_mono_ns();
	bool told = silence->told;

	if (spoke)
		silence->longest_ns =
			most(silence->longest_ns, now_ns - silence->heard_ns);
	silence->spoke |= spoke;
	silence->told = false;
	silence->heard_ns = now_ns;
	return told;
}

int64_t silence_ends_ns(const struct silence *silence)
{
	int64_t told_ns = most(TOLD_LEAST_NS, TOLD_INTERVALS * silence->interval_ns);
	int64_t hangs_ns = most(HANGS_LEAST_NS, HANGS_INTERVALS * silence->interval_ns);
	int64_t end_ns = silence->heard_ns + (silence->spoke ? 0 : silence->patience_ns);

	if (silence->told)
		return end_ns +
			most(hangs_ns, least(2 * silence->longest_ns, NEEDED_MOST_NS));
	/* Of one that may be quiet two looks in a row have to tell. */
	return end_ns + (silence->quiet ? told_ns / 2 : told_ns);
}

/* A pseudo-terminal for a program that prints line by line only on one. */

static int slave_open(int master_fd)
{
	/* dmon leaves away the columns that the terminal is too narrow for. */
	const struct winsize wide = {.ws_row = 50, .ws_col = 1000};
	struct termios modes;
	char name[64];
	int fd;

	if (grantpt(master_fd) != 0 || unlockpt(master_fd) != 0 ||
		ptsname_r(master_fd, name, sizeof name) != 0)
		return -1;
	fd = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	/* Raw, else the terminal makes CR LF of every newline. */
	if (tcgetattr(fd, &modes) == 0) {
		cfmakeraw(&modes);
		if (tcsetattr(fd, TCSANOW, &modes) == 0 &&
			ioctl(fd, TIOCSWINSZ, &wide) == 0)
			return fd;
	}
	(void)close(fd);
	return -1;
}

/*
 * Opens one that passes every byte as it is; where there is none to be had (a chroot
 * without /dev/pts), a pipe. Both ends are closed on exec. Returns 0, or -1 with
 * errno.
 */
static int terminal_open(struct terminal *terminal)
{
	int ends[2], master_fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);

	if (master_fd >= 0) {
		terminal->our_fd = master_fd;
		terminal->program_fd = slave_open(master_fd);
		if (terminal->program_fd >= 0)
			return 0;
		(void)close(master_fd);
	}
	if (pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	(void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
	terminal->our_fd = ends[0];
	terminal->program_fd = ends[1];
	return 0;
}

/*
 * Rows of nvidia-smi's query, which begin with "timestamp, index". Columns that say
 * which GPU it is come first; those of values, behind them, are counted from the end,
 * as a name may hold commas.
 */

static const char header_begin[] = "timestamp, index";
static const char lost_word[] = "is lost";
static const char between[] = ", ";

static bool begins(const char *line, size_t size, const char *word)
{
	return size >= strlen(word) && memcmp(line, word, strlen(word)) == 0;
}

/* FNV-1a. */
static uint64_t hash_of(const char *line, size_t size)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ (unsigned char)line[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* Cuts the first cell off the line. Returns false behind the last one. */
static bool cell_next(const char **line, size_t *size, const char **cell, size_t *length)
{
	const char *end;

	if (*line == NULL)
		return false;
	end = memmem(*line, *size, between, sizeof between - 1);
	*cell = *line;
	*length = end != NULL ? (size_t)(end - *line) : *size;
	*size -= end != NULL ? *length + sizeof between - 1 : *size;
	*line = end != NULL ? end + sizeof between - 1 : NULL;
	return true;
}

static size_t cells_of(const char *line, size_t size)
{
	const char *cell;
	size_t length, count = 0;

	while (cell_next(&line, &size, &cell, &length))
		count++;
	return count;
}

/* "2026/11/24 10:00:00.123, 1, ...": 1; -1: it is no row. */
static long index_of(const char *line, size_t size)
{
	const char *cell = memmem(line, size, between, sizeof between - 1);
	size_t left, digits = 0;
	char text[8];

	if (cell == NULL || !isdigit((unsigned char)line[0]))
		return -1;
	left = size - (size_t)(cell + 2 - line);
	while (digits < left && digits + 1 < sizeof text &&
		isdigit((unsigned char)cell[2 + digits])) {
		text[digits] = cell[2 + digits];
		digits++;
	}
	text[digits] = '\0';
	return digits > 0 ? strtol(text, NULL, 10) : -1;
}

/* The hash of the cell that is one; 0: there is none. */
static uint64_t uuid_of(const char *line, size_t size)
{
	const char *cell;
	size_t length;

	while (cell_next(&line, &size, &cell, &length))
		if (begins(cell, length, "GPU-"))
			return hash_of(cell, length);
	return 0;
}

static bool is_identity(const char *name, size_t length)
{
	static const char *const names[] = {
		"timestamp", "index", "uuid", "pci.bus_id", "name"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (length == strlen(names[i]) && memcmp(name, names[i], length) == 0)
			return true;
	return false;
}

/* Memory is not: the driver knows that of a GPU that is gone. */
static bool is_sign(const char *name, size_t length)
{
	static const char *const names[] = {
		"utilization.gpu", "power.draw", "temperature.gpu", "clocks.sm"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (begins(name, length, names[i]))
			return true;
	return false;
}

static void header_take(struct smi_rows *rows, const char *line, size_t size)
{
	uint64_t hash = hash_of(line, size);
	size_t columns = cells_of(line, size), length;
	const char *name;

	if (rows->header != 0 && rows->header != hash)
		rows->news |= 1U << SMI_HEADER_CHANGED;
	rows->header = hash;
	rows->identities = 0;
	rows->signs = 0;
	for (size_t i = 0; cell_next(&line, &size, &name, &length); i++) {
		if (i == rows->identities && is_identity(name, length))
			rows->identities++;
		if (i < 64 && is_sign(name, length))
			rows->signs |= UINT64_C(1) << i;
	}
	/* One that is missing alone says nothing. */
	if ((rows->signs & (rows->signs - 1)) == 0)
		rows->signs = 0;
	rows->values = columns - rows->identities;
	for (size_t i = 0; i < rows->count; i++)
		rows->known[i].cells = 0;
}

/* What a row says: how many values, whether one begins with a digit, and one of a sign.
 */
struct answer {
	size_t cells, values;
	bool number, sign;
};

/* A name with commas in it makes more cells than columns. */
static struct answer answer_of(const struct smi_rows *rows, const char *line, size_t size)
{
	size_t cells = cells_of(line, size), first = rows->identities, length;
	struct answer answer = {.cells = cells};
	const char *cell;

	if (cells > rows->values && cells - rows->values > first)
		first = cells - rows->values;
	answer.values = cells > first ? cells - first : 0;
	for (size_t i = 0; cell_next(&line, &size, &cell, &length); i++) {
		size_t column = i - first + rows->identities;

		if (i < first || length == 0 || !isdigit((unsigned char)cell[0]))
			continue;
		answer.number = true;
		answer.sign |= column < 64 && (rows->signs >> column & 1) != 0;
	}
	return answer;
}

/* A lost GPU may have lost its UUID, too. NULL: there are too many. */
static struct smi_gpu *gpu_of(struct smi_rows *rows, long index, uint64_t uuid)
{
	struct smi_gpu *gpu = rows->known, *end = gpu + rows->count;

	while (gpu < end &&
		(uuid != 0 && gpu->uuid != 0 ? gpu->uuid != uuid : gpu->index != index))
		gpu++;
	if (gpu == rows->known + SMI_ROWS_GPUS)
		return NULL;
	rows->count += gpu == end;
	gpu->index = index;
	if (uuid != 0)
		gpu->uuid = uuid;
	return gpu;
}

/* Who was there in this nvidia-smi, and has no row in the round that ends, is lost. */
static void round_end(struct smi_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		struct smi_gpu *gpu = &rows->known[i];

		if (gpu->round != 0 && gpu->round != rows->round)
			gpu->lost = true;
		if (rows->round % SMI_ROWS_ROUNDS == 0 && gpu->tellings > 0)
			gpu->tellings--;
	}
	rows->round++;
	rows->place = 0;
}

/* The first round tells which GPU follows which; one that comes too late follows those
 * before it from then on. */
static void order_take(struct smi_rows *rows, struct smi_gpu *gpu)
{
	if (gpu->round == rows->round)
		round_end(rows);
	gpu->round = rows->round;
	if (gpu->place == 0 || gpu->place < rows->place) {
		if (rows->round > 1)
			rows->news |= 1U << SMI_ORDER_CHANGED;
		gpu->place = ++rows->places;
	}
	rows->place = gpu->place;
}

static void row_take(struct smi_rows *rows, long index, const char *line, size_t size)
{
	struct smi_gpu *gpu = gpu_of(rows, index, uuid_of(line, size));
	struct answer answer;

	if (gpu == NULL)
		return;
	order_take(rows, gpu);
	answer = answer_of(rows, line, size);
	if (memmem(line, size, lost_word, sizeof lost_word - 1) != NULL)
		gpu->lost = true;
	else if (answer.cells < gpu->cells ||
		answer.cells < rows->identities + rows->values)
		rows->news |= 1U << SMI_NO_ROW;
	else if (answer.values > 0)
		gpu->lost =
			(gpu->answered && !answer.number) || (gpu->alive && !answer.sign);
	if (gpu->cells == 0)
		gpu->cells = answer.cells;
	gpu->answered |= answer.number;
	gpu->alive |= answer.sign;
}

void smi_rows_begin(struct smi_rows *rows)
{
	bool had_rows = rows->places > 0;

	rows->header = rows->places = rows->place = 0;
	rows->round = 1;
	rows->news = rows->told = 0;
	for (size_t i = 0; i < rows->count; i++) {
		struct smi_gpu *gpu = &rows->known[i];

		/* Whom the last one left out was told as back by who asked for it. */
		if (had_rows && gpu->round == 0)
			gpu->lost = gpu->told = false;
		gpu->round = gpu->place = 0;
	}
}

void smi_rows_take(struct smi_rows *rows, const char *line, size_t size)
{
	long index = index_of(line, size);

	if (index >= 0)
		row_take(rows, index, line, size);
	else if (begins(line, size, header_begin))
		header_take(rows, line, size);
	else if (size > 0)
		rows->news |= 1U << SMI_NO_ROW;
}

enum smi_news smi_rows_news(struct smi_rows *rows)
{
	for (unsigned news = SMI_HEADER_CHANGED; news <= SMI_NO_ROW; news++)
		if ((rows->news & ~rows->told & 1U << news) != 0) {
			rows->told |= 1U << news;
			return (enum smi_news)news;
		}
	for (size_t i = 0; i < rows->count; i++) {
		struct smi_gpu *gpu = &rows->known[i];

		if (gpu->lost == gpu->told || gpu->tellings >= SMI_ROWS_TOLD)
			continue;
		gpu->told = gpu->lost;
		gpu->tellings++;
		rows->gpu = gpu->index;
		return gpu->told ? SMI_GPU_LOST : SMI_GPU_BACK;
	}
	return SMI_NOTHING_NEW;
}

/* Becomes an nvidia-smi whose output is recorded. */

/*
 * Of a process that was forked by `parent`: runs argv[0], in a process group of its
 * own, with these two for its output; it dies with its parent.
 */
static _Noreturn void smi_become(char *const argv[], int out_fd, int err_fd, pid_t parent)
{
	sigset_t none;

	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	/* It must heed it even where COMMAND is to ignore it. */
	(void)signal(SIGTERM, SIG_DFL);
	(void)setenv("TZ", "UTC", 1);
	/* What it may start is ended with it: sites wrap nvidia-smi in scripts. */
	(void)setpgid(0, 0);
	/* SIGKILL: an nvidia-smi that waits in the driver heeds nothing else. */
	if (dup2(out_fd, STDOUT_FILENO) >= 0 && dup2(err_fd, STDERR_FILENO) >= 0 &&
		lifeline_tie(parent, SIGKILL))
		(void)execv(argv[0], argv);
	_exit(127);
}

/*
 * What is new in the rows of an nvidia-smi, as lines of events.jsonl.
 *
 * Each news has its state.
 */

#define MESSAGE_SIZE 201

/*
 * Takes the next line of that log, without its end, and notes what is new by it.
 * dir_fd: of the run directory.
 */
static void rows_note(
	struct smi_rows *rows, int dir_fd, const char *log, const char *line, size_t size)
{
	static const char *const states[] = {
		[SMI_HEADER_CHANGED] = "header changed",
		[SMI_ORDER_CHANGED] = "order changed",
		[SMI_NO_ROW] = "no row",
		[SMI_GPU_LOST] = "GPU lost",
		[SMI_GPU_BACK] = "GPU back",
	};
	char message[MESSAGE_SIZE];
	enum smi_news news;

	smi_rows_take(rows, line, size);
	while ((news = smi_rows_news(rows)) != SMI_NOTHING_NEW) {
		if (news == SMI_NO_ROW) {
			(void)snprintf(message, sizeof message, "%.*s", (int)size, line);
			recorder_note_text(dir_fd, log, states[news], "message", message);
		} else if (news == SMI_GPU_LOST || news == SMI_GPU_BACK) {
			recorder_note_number(dir_fd, log, states[news], "gpu", rows->gpu);
		} else {
			recorder_note(dir_fd, log, states[news]);
		}
	}
}

/* How long it may take to end when told so, to die when killed, to take a last sample. */
#define END_NS	(1 * NS_PER_S)
#define KILL_NS (NS_PER_S / 2)
#define LAST_NS (2 * NS_PER_S)

/* How long the first line may take where the plan says nothing of it. */
#define PATIENCE_S 8

struct pump {
	struct smi_job *job;
	const struct recording *recording;
	struct raw_log errors;
	pid_t pid; /* of nvidia-smi; 0 when it has ended */
	pid_t group; /* its, with all that it started; 0: none yet */
	int status;
	int out_fd, err_fd; /* -1 at their ends */
	bool stopping; /* SIGTERM came */
	bool broken; /* the log can't be written */
	bool ready;
	struct silence silence;
	bool hung; /* and it was killed */
	unsigned long long sleeps; /* of sleeps_of(), when it was looked at last */
	unsigned restarts;
	char ids[GPU_IDS_SIZE]; /* of the GPUs that answer, where others don't; else "" */
	struct asker asker; /* of those that don't */
	unsigned lines;
	struct smi_rows rows;
	size_t used;
	char text[65536]; /* what has come of a line that has not ended */
};

/* With all that it has started. */
static void pump_kill(const struct pump *pump, int number)
{
	if (pump->group > 0)
		(void)kill(-pump->group, number);
}

static void note(const struct pump *pump, const char *state)
{
	recorder_note(pump->job->dir_fd, pump->job->name, state);
}

static void note_text(
	const struct pump *pump, const char *state, const char *key, const char *value)
{
	recorder_note_text(pump->job->dir_fd, pump->job->name, state, key, value);
}

static void note_number(
	const struct pump *pump, const char *state, const char *key, long long value)
{
	recorder_note_number(pump->job->dir_fd, pump->job->name, state, key, value);
}

static void note_started(const struct pump *pump)
{
	if (pump->ids[0] == '\0')
		note(pump, "started");
	else
		note_text(pump, "started", "gpus", pump->ids);
}

/* Does one that says nothing go on? */
static bool pump_goes_on(struct pump *pump)
{
	unsigned long long before = pump->sleeps;

	pump->sleeps = sleeps_of(pump->pid);
	return pump->sleeps == 0 || pump->sleeps != before;
}

static void pump_heard(struct pump *pump, bool spoke)
{
	if (silence_break(&pump->silence, spoke) && !pump->hung)
		note(pump, "speaks again");
}

/* Reports a silence; one that lasts ends it, which is dealt with like any other end. */
static void pump_listen(struct pump *pump)
{
	if (pump->hung || pump->pid == 0 ||
		clock_mono_ns() < silence_ends_ns(&pump->silence))
		return;
	if (pump->job->quiet && pump_goes_on(pump)) {
		pump_heard(pump, false);
		return;
	}
	if (!pump->silence.told) {
		pump->silence.told = true;
		note(pump, "silent");
		return;
	}
	pump->hung = true;
	note(pump, "hangs");
	pump_kill(pump, SIGKILL);
}

static void pump_close(struct pump *pump)
{
	if (pump->out_fd >= 0)
		(void)close(pump->out_fd);
	if (pump->err_fd >= 0)
		(void)close(pump->err_fd);
	pump->out_fd = pump->err_fd = -1;
}

/* Starts that command, for those GPUs that answer. Returns 0, or -1 with errno. */
static int pump_start(struct pump *pump, const struct smi_command *command)
{
	char *argv[SMI_WORDS], only[] = "-i";
	struct terminal terminal;
	int err[2], why;
	pid_t parent = getpid();

	(void)memcpy(argv, command->argv, sizeof argv);
	if (pump->ids[0] != '\0') {
		argv[command->words] = only;
		argv[command->words + 1] = pump->ids;
	}
	if (terminal_open(&terminal) != 0)
		return -1;
	if (pipe2(err, O_CLOEXEC) != 0) {
		why = errno;
		(void)close(terminal.our_fd);
		(void)close(terminal.program_fd);
		errno = why;
		return -1;
	}
	(void)fcntl(err[0], F_SETFL, O_NONBLOCK);
	pump->pid = fork();
	if (pump->pid == 0)
		smi_become(argv, terminal.program_fd, err[1], parent);
	why = errno;
	pump->group = pump->pid;
	if (pump->pid > 0)
		(void)setpgid(pump->pid, pump->pid);
	(void)close(terminal.program_fd);
	(void)close(err[1]);
	pump->out_fd = terminal.our_fd;
	pump->err_fd = err[0];
	silence_begin(&pump->silence);
	pump->hung = false;
	asker_begin(&pump->asker);
	smi_rows_begin(&pump->rows);
	if (pump->pid > 0)
		return 0;
	pump_close(pump);
	errno = why;
	return -1;
}

static void pump_write(struct pump *pump, size_t size)
{
	if (size == 0)
		return;
	if (!pump->broken && raw_log_append(&pump->job->log, pump->text, size) != 0) {
		pump->broken = true;
		recording_ends_early(pump->recording, raw_log_why(&pump->job->log, errno),
			regular_is_no_room(errno));
	}
	pump->used -= size;
	memmove(pump->text, pump->text + size, pump->used);
}

/* Writes on the whole lines that have come. */
static void pump_lines(struct pump *pump, size_t from)
{
	size_t whole = 0;

	for (size_t i = from; i < pump->used; i++) {
		if (pump->text[i] != '\n')
			continue;
		if (pump->job->rows)
			rows_note(&pump->rows, pump->job->dir_fd, pump->job->name,
				pump->text + whole, i - whole);
		whole = i + 1;
		pump->lines++;
	}
	if (whole == 0 && pump->used == sizeof pump->text)
		whole = pump->used;
	pump_write(pump, whole);
	if (!pump->ready && !pump->broken && pump->lines >= pump->job->lines_to_ready) {
		pump->ready = true;
		recording_ready(pump->recording);
	}
}

/* A terminal's end is EIO, a pipe's 0; both say that nvidia-smi holds it no more. */
static void pump_out(struct pump *pump)
{
	size_t from = pump->used;
	ssize_t got = read(pump->out_fd, pump->text + from, sizeof pump->text - from);

	if (got > 0) {
		pump->used += (size_t)got;
		pump_heard(pump, true);
		pump_lines(pump, from);
	} else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
		(void)close(pump->out_fd);
		pump->out_fd = -1;
		/* A line cut short by its death is a fact too. */
		pump_write(pump, pump->used);
	}
}

static void pump_err(struct pump *pump)
{
	char text[4096];
	ssize_t got = read(pump->err_fd, text, sizeof text);

	if (got > 0) {
		if (pump->errors.fd < 0 &&
			raw_log_resume(&pump->errors, pump->job->dir_fd,
				pump->job->errors_name) != 0)
			return;
		pump->errors.room = pump->job->log.room;
		(void)raw_log_append(&pump->errors, text, (size_t)got);
	} else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
		(void)close(pump->err_fd);
		pump->err_fd = -1;
	}
}

/* The signals of several that end at once may be one. */
static void pump_signals(struct pump *pump)
{
	struct signalfd_siginfo info;

	while (read(pump->recording->stop_fd, &info, sizeof info) == (ssize_t)sizeof info)
		if (info.ssi_signo == SIGTERM)
			pump->stopping = true;
	if (pump->pid > 0 && waitpid(pump->pid, &pump->status, WNOHANG) == pump->pid) {
		pump->pid = 0;
		/* a shell whose child were ended before it would say so in the log */
		pump_kill(pump, SIGTERM);
	}
	asker_reap(&pump->asker);
}

/* How long there is nothing to do but for what comes. */
static int pump_idle_ms(const struct pump *pump)
{
	int64_t next_ns = silence_ends_ns(&pump->silence);

	if (pump->hung)
		return (int)(KILL_NS / 1000000);
	if (pump->ids[0] != '\0' && pump->asker.pid <= 0 && pump->asker.next_ns < next_ns)
		next_ns = pump->asker.next_ns;
	return clock_left_ms(next_ns);
}

/*
 * Pumps until nvidia-smi has ended and all it printed is written, or until it must be
 * given up. Past the deadline (-1: none), when told to stop and when the log is broken,
 * it is told to end, by and by killed.
 */
static void pump_run(struct pump *pump, int64_t deadline_ns)
{
	int blows = 0;

	while (pump->pid > 0 || pump->out_fd >= 0) {
		struct pollfd any[3] = {
			{.fd = pump->recording->stop_fd, .events = POLLIN},
			{.fd = pump->out_fd, .events = POLLIN},
			{.fd = pump->err_fd, .events = POLLIN},
		};
		bool late = deadline_ns >= 0 && clock_mono_ns() >= deadline_ns;

		if (late ||
			(blows == 0 && deadline_ns < 0 &&
				(pump->stopping || pump->broken || pump->asker.more))) {
			if (blows == 2)
				break;
			if (blows > 0)
				pump_kill(pump, SIGKILL);
			else if (pump->pid > 0)
				(void)kill(pump->pid, SIGTERM);
			deadline_ns = clock_mono_ns() + (blows == 0 ? END_NS : KILL_NS);
			blows++;
		}
		if (deadline_ns < 0) {
			pump_listen(pump);
			asker_go_on(&pump->asker, pump->job->plan, pump->ids);
		}
		(void)poll(any, 3,
			deadline_ns >= 0 ? clock_left_ms(deadline_ns)
					 : pump_idle_ms(pump));
		if (any[0].revents != 0)
			pump_signals(pump);
		if (any[1].revents != 0)
			pump_out(pump);
		if (any[2].revents != 0)
			pump_err(pump);
	}
	pump_kill(pump, SIGKILL);
	/* What it said last may lie in the pipe yet; never more than 64 KiB do. */
	for (int i = 0; i < 16 && pump->err_fd >= 0; i++)
		pump_err(pump);
	pump_close(pump);
}

static int status_of(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* That it ended by itself is said once, and how often at the end. */
static void pump_ended(struct pump *pump)
{
	note_number(pump, "ended", "status", status_of(pump->status));
	if (pump->restarts > 0)
		return;
	if (pump->hung)
		recording_trouble(pump->recording, "%s hung", pump->job->program);
	else
		recording_trouble(pump->recording, "%s ended by itself with %s %d",
			pump->job->program,
			WIFSIGNALED(pump->status) ? "signal" : "status",
			WIFSIGNALED(pump->status) ? WTERMSIG(pump->status)
						  : WEXITSTATUS(pump->status));
}

/* Returns when the time has passed, or it is time to stop. */
static void pump_pause(struct pump *pump, int64_t ns)
{
	struct pollfd stop = {.fd = pump->recording->stop_fd, .events = POLLIN};
	int64_t deadline_ns = clock_mono_ns() + ns;

	while (!pump->stopping && clock_left_ms(deadline_ns) > 0)
		if (poll(&stop, 1, clock_left_ms(deadline_ns)) > 0)
			pump_signals(pump);
}

/* Those that answer by now are recorded from here on. */
static void pump_choose(struct pump *pump)
{
	asker_end(&pump->asker);
	if (!pump->stopping && pump->job->command->words > 0)
		pump->stopping = gpus_answering(pump->job->plan, pump->ids) < 0;
	pump->restarts += !pump->stopping;
}

/* Keeps one running until it is time to stop. Returns -1 with errno if none starts. */
static int pump_keep(struct pump *pump)
{
	struct backoff backoff = {0};

	while (!pump->stopping && !pump->broken) {
		backoff_starts(&backoff, clock_mono_ns());
		if (pump_start(pump, pump->job->command) != 0)
			return -1;
		if (pump->restarts > 0)
			note_started(pump);
		pump_run(pump, -1);
		if (pump->stopping || pump->broken)
			break;
		/* What can't be killed may still hold the driver: no other one helps. */
		if (pump->pid > 0) {
			recording_trouble(pump->recording, "%s can't be killed",
				pump->job->program);
			return 0;
		}
		backoff_ends(&backoff, clock_mono_ns());
		if (pump->asker.more) {
			note(pump, "GPU back");
		} else {
			pump_ended(pump);
			pump_pause(pump, backoff_pause(&backoff));
		}
		pump_choose(pump);
	}
	return 0;
}

static void pump_open(
	struct pump *pump, struct smi_job *job, const struct recording *recording)
{
	const char *patience = job->plan->patience;

	pump->job = job;
	pump->recording = recording;
	pump->errors.fd = -1;
	asker_open(&pump->asker);
	pump->silence.interval_ns = job->interval_ns;
	pump->silence.patience_ns =
		NS_PER_S * (patience != NULL ? strtol(patience, NULL, 10) : PATIENCE_S);
	pump->silence.quiet = job->quiet;
}

void record_smi(void *job, const struct recording *recording)
{
	struct pump *pump = calloc(1, sizeof *pump);

	if (pump == NULL) {
		recording_trouble(recording, "can't start %s: %s",
			((struct smi_job *)job)->program, strerror(errno));
		return;
	}
	pump_open(pump, job, recording);
	if (pump_keep(pump) != 0)
		recording_trouble(recording, "can't start %s: %s", pump->job->program,
			strerror(errno));
	asker_end(&pump->asker);
	if (pump->restarts > 0)
		recording_trouble(recording, ", and was started again %u time%s%s",
			pump->restarts, pump->restarts == 1 ? "" : "s",
			pump->ids[0] != '\0' ? ", at last for the GPUs that answer" : "");
	/*
	 * nvidia-smi can't be asked for a sample between two ticks: a second one, started
	 * when the first has ended, takes the sample at the very end.
	 */
	if (pump->stopping && pump->ready && !pump->broken && pump->pid == 0 &&
		pump->job->last != NULL && getppid() == recording->supervisor &&
		pump_start(pump, pump->job->last) == 0)
		pump_run(pump, clock_mono_ns() + LAST_NS);
	if (pump->errors.fd >= 0)
		raw_log_close(&pump->errors);
	free(pump);
}
