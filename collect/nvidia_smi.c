/*
 * nvidia-smi and its like: the inventory of GPUs, which GPUs answer, and the logs of
 * those that loop, byte for byte.
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
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "command.h"
#include "log.h"
#include "plan.h"
#include "text.h"
#include "tree.h"

/*
 * Copies a cell of the row that ends at end and moves behind the ", " after it. The last
 * cell is the rest: a name may hold commas, and nvidia-smi quotes nothing.
 */
static bool cell(const char **at, const char *end, bool last, char *value, size_t size)
{
	const char *stop = *at;

	if (last)
		stop = end;
	while (stop < end && *stop != ',')
		stop++;
	if (stop == end && !last)
		return false;
	(void)snprintf(value, size, "%.*s", (int)(stop - *at), *at);
	*at = stop + strspn(stop, ", ");
	return true;
}

static bool gpu_read(const char *row, const char *end, struct gpu *gpu)
{
	char index[16];

	if (!cell(&row, end, false, index, sizeof index) || !json_is_number(index) ||
		!cell(&row, end, false, gpu->uuid, sizeof gpu->uuid) ||
		!cell(&row, end, false, gpu->pci_bus_id, sizeof gpu->pci_bus_id) ||
		!cell(&row, end, false, gpu->memory_total_mib,
			sizeof gpu->memory_total_mib) ||
		!cell(&row, end, false, gpu->driver_version,
			sizeof gpu->driver_version) ||
		!cell(&row, end, true, gpu->name, sizeof gpu->name))
		return false;
	gpu->index = strtol(index, NULL, 10);
	if (!json_is_number(gpu->memory_total_mib))
		(void)snprintf(
			gpu->memory_total_mib, sizeof gpu->memory_total_mib, "null");
	return true;
}

bool gpu_next(const char **rows, struct gpu *gpu)
{
	while (*rows != NULL && **rows != '\0') {
		const char *row = *rows, *end = row + strcspn(row, "\n");
		bool is_windows = end > row && end[-1] == '\r';

		*rows = *end == '\n' ? end + 1 : end;
		if (gpu_read(row, end - is_windows, gpu))
			return true;
	}
	return false;
}

/*
 * Runs a program that may hang, with a limit of time. timeout(1) will not do: it waits
 * for the program that it has killed, and one that hangs in a driver does not die.
 * Here the program holds only our pipe, so we may leave it behind.
 */

/* More is no answer: a shell could not hand it on. */
#define ANSWER_MAX 65536

/*
 * Copies until the program has closed its end, or said too much. Returns -1 if the
 * deadline comes first.
 */
static int copy_until(int fd, int64_t deadline_ns)
{
	struct pollfd from = {.fd = fd, .events = POLLIN};
	char text[4096];

	for (size_t all = 0; all < ANSWER_MAX;) {
		int ready = poll(&from, 1, clock_left_ms(deadline_ns));
		ssize_t got, put = 0;

		if (ready < 0 && errno == EINTR)
			continue;
		if (ready <= 0)
			return -1;
		got = read(fd, text, sizeof text);
		if (got <= 0)
			return 0;
		all += (size_t)got;
		while (put < got) {
			ssize_t done =
				write(STDOUT_FILENO, text + put, (size_t)(got - put));

			if (done < 0 && errno != EINTR)
				return 0;
			if (done > 0)
				put += done;
		}
	}
	return 0;
}

/* Waits for the end of a program that has closed its streams. */
static int reap_until(pid_t pid, int64_t deadline_ns, int *status)
{
	const struct timespec moment = {.tv_nsec = 2000000};

	while (waitpid(pid, status, WNOHANG) != pid) {
		if (clock_left_ms(deadline_ns) == 0)
			return -1;
		(void)nanosleep(&moment, NULL);
	}
	return 0;
}

int probe_main(int argc, char **argv)
{
	pid_t pid, parent = getpid();
	int64_t deadline_ns;
	int ends[2], status;

	if (argc < 3) {
		say("usage: probe SECONDS PROGRAM [ARG...]");
		return EXIT_COLLECT;
	}
	deadline_ns = clock_mono_ns() + strtol(argv[1], NULL, 10) * NS_PER_S;
	(void)signal(SIGCHLD, SIG_DFL);
	if (pipe2(ends, O_CLOEXEC) != 0 || (pid = fork()) < 0) {
		say("can't start %s: %s", argv[2], strerror(errno));
		return EXIT_COLLECT;
	}
	if (pid == 0) {
		if (child_enter(parent, -1, ends[1], ends[1]) == 0)
			(void)execvp(argv[2], argv + 2);
		_exit(errno == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN);
	}
	(void)close(ends[1]);
	if (copy_until(ends[0], deadline_ns) != 0 || close(ends[0]) != 0 ||
		reap_until(pid, deadline_ns, &status) != 0) {
		(void)kill(-pid, SIGKILL);
		return EXIT_TIMEOUT;
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int count_of(const char *ids)
{
	int count = ids[0] != '\0';

	for (; *ids != '\0'; ids++)
		count += *ids == ',';
	return count;
}

/*
 * Once one has answered the others have as long again and this: they have the same
 * driver. The patience of the plan is for one that answers nobody yet.
 */
#define OTHERS_NS (1 * NS_PER_S)

#define ASK_FIRST_NS (1 * NS_PER_S)
#define ASK_MOST_NS  (64 * NS_PER_S)

static int64_t patience_ns(const struct plan *plan)
{
	return plan->patience != NULL ? strtol(plan->patience, NULL, 10) * NS_PER_S : 0;
}

/* What it prints goes nowhere; its exit status tells of the one GPU. */
static pid_t ask(const struct plan *plan, char *uuid)
{
	char one[] = "-i", format[] = "--format=csv",
	     query[] = "--query-gpu=utilization.gpu,memory.used";
	char *argv[] = {plan->smi, one, uuid, query, format, NULL};
	pid_t parent = getpid(), pid = fork();

	if (pid != 0)
		return pid > 0 ? pid : 0;
	if (child_enter(parent, -1, -1, -1) == 0)
		(void)execv(argv[0], argv);
	_exit(EXIT_CANNOT_RUN);
}

/* One that hangs in the driver still, and can't be killed, does not answer. */
void asker_begin(struct asker *asker)
{
	const char *rows = asker->plan->gpu_rows;
	struct gpu gpu;

	if (asker->asks)
		return;
	asker->asks = true;
	asker->answered = asker->count = 0;
	asker->began_ns = clock_mono_ns();
	asker->deadline_ns = asker->began_ns + patience_ns(asker->plan);
	while (asker->count < GPUS_MAX && gpu_next(&rows, &gpu)) {
		struct question *question = &asker->question[asker->count];

		question->answered = false;
		memcpy(question->uuid, gpu.uuid, sizeof question->uuid);
		if (question->pid == 0)
			question->pid = ask(asker->plan, question->uuid);
		asker->session[asker->count++] = question->pid;
	}
	if (asker->pause_ns < ASK_MOST_NS)
		asker->pause_ns =
			asker->pause_ns > 0 ? 2 * asker->pause_ns : ASK_FIRST_NS;
	asker->next_ns = asker->began_ns + asker->pause_ns;
}

void asker_reap(struct asker *asker)
{
	for (size_t i = 0; i < asker->count; i++) {
		struct question *question = &asker->question[i];
		int status;

		if (question->pid == 0 ||
			waitpid(question->pid, &status, WNOHANG) != question->pid)
			continue;
		question->pid = 0;
		question->answered = asker->asks && status == 0;
		if (question->answered && asker->answered++ == 0)
			asker->deadline_ns =
				2 * clock_mono_ns() - asker->began_ns + OTHERS_NS;
	}
}

static void list(struct asker *asker)
{
	size_t used = 0;

	for (size_t i = 0; i < asker->count; i++) {
		const char *uuid = asker->question[i].uuid;

		if (asker->question[i].answered &&
			used + strlen(uuid) + 1 < sizeof asker->ids)
			used += (size_t)snprintf(asker->ids + used,
				sizeof asker->ids - used, "%s%s", used > 0 ? "," : "",
				uuid);
	}
	asker->ids[asker->answered == asker->count ? 0 : used] = '\0';
}

void asker_end(struct asker *asker)
{
	for (size_t i = 0; i < asker->count; i++)
		if (asker->question[i].pid > 0)
			(void)kill(-asker->question[i].pid, SIGKILL);
	asker->asks = false;
}

bool asker_turn(struct asker *asker)
{
	bool open = false;

	for (size_t i = 0; i < asker->count; i++)
		open |= asker->question[i].pid > 0;
	if (!asker->asks || (open && clock_mono_ns() < asker->deadline_ns))
		return false;
	asker_end(asker);
	list(asker);
	return true;
}

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

struct terminal {
	int our_fd; /* where to read, without blocking, what the program prints */
	int program_fd; /* what the program prints on */
};

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

#define MESSAGE_SIZE 201

/* Takes the next line of that log, without its end, and notes what is new by it. */
static void rows_note(
	struct smi_rows *rows, const struct log *log, const char *line, size_t size)
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
			log_note_text(log, states[news], "message", message);
		} else if (news == SMI_GPU_LOST || news == SMI_GPU_BACK) {
			log_note_number(log, states[news], "gpu", rows->gpu);
		} else {
			log_note(log, states[news]);
		}
	}
}

static const struct {
	const char *name, *errors_name;
	const char *program; /* what people call it */
	unsigned lines_to_ready; /* a header, of one line or two, and a row */
	bool quiet; /* says nothing while there is nothing to say */
	bool leads;
} smi_logs[SMI_LOGS] = {
	[SMI_QUERY] = {"nvidia-smi.csv", "nvidia-smi.err", "nvidia-smi", 2, false, true},
	[SMI_DMON] = {"nvidia-smi-dmon.log", "nvidia-smi-dmon.err", "nvidia-smi", 3,
		false, false},
	[SMI_PMON] = {"nvidia-smi-pmon.log", "nvidia-smi-pmon.err", "nvidia-smi", 3,
		false, false},
	/* Without a process it prints its header and no row. */
	[SMI_APPS] = {"nvidia-smi-apps.csv", "nvidia-smi-apps.err", "nvidia-smi", 1, true,
		false},
	[SMI_AMD] = {"amd-smi.csv", "amd-smi.err", "amd-smi", 2, false, true},
};

bool smi_log_leads(enum smi_log log)
{
	return smi_logs[log].leads;
}

const char *smi_log_name(enum smi_log log)
{
	return smi_logs[log].name;
}

/* How long it may take to end when told so, to die when killed, to take a last sample. */
#define END_NS	(1 * NS_PER_S)
#define KILL_NS (NS_PER_S / 2)
#define LAST_NS (2 * NS_PER_S)

bool smi_open(struct smi *smi, enum smi_log kind, const struct plan *plan)
{
	const struct smi_command *command = &plan->smi_command[kind];

	smi->state = SMI_OVER;
	if (command->argv[0] == NULL)
		return false;
	smi->kind = kind;
	smi->plan = plan;
	smi->state = SMI_WAITS;
	smi->log.name = smi_logs[kind].name;
	smi->log.file.fd = smi->errors.fd = smi->out_fd = smi->err_fd = -1;
	smi->deadline_ns = -1;
	smi->silence.interval_ns = command->interval_ns;
	smi->silence.patience_ns = patience_ns(plan);
	smi->silence.quiet = smi_logs[kind].quiet;
	return true;
}

/* With all that it has started: sites wrap nvidia-smi in scripts. */
static void smi_kill(const struct smi *smi, int number)
{
	if (*smi->session > 0)
		(void)kill(-*smi->session, number);
}

static void streams_close(struct smi *smi)
{
	if (smi->out_fd >= 0)
		(void)close(smi->out_fd);
	if (smi->err_fd >= 0)
		(void)close(smi->err_fd);
	smi->out_fd = smi->err_fd = -1;
}

static _Noreturn void smi_become(char *const argv[], int out_fd, int err_fd, pid_t parent)
{
	/* It must heed it even where COMMAND is to ignore it. */
	(void)signal(SIGTERM, SIG_DFL);
	(void)setenv("TZ", "UTC", 1);
	if (child_enter(parent, -1, out_fd, err_fd) == 0) {
		/* A hang-up ends what a script has started, should collect be killed. */
		(void)ioctl(STDOUT_FILENO, TIOCSCTTY, 0);
		(void)execv(argv[0], argv);
	}
	_exit(EXIT_NOT_FOUND);
}

/* Starts that command, for those GPUs that answer. Returns 0, or -1 with errno. */
static int smi_launch(struct smi *smi, const struct smi_command *command)
{
	char *argv[SMI_WORDS], only[] = "-i";
	struct terminal terminal;
	int err[2] = {-1, -1}, why;
	pid_t parent = getpid();

	(void)memcpy(argv, command->argv, sizeof argv);
	if (smi->ids[0] != '\0') {
		argv[command->words] = only;
		argv[command->words + 1] = smi->ids;
	}
	if (terminal_open(&terminal) != 0)
		return -1;
	smi->pid = pipe2(err, O_CLOEXEC) == 0 ? fork() : -1;
	if (smi->pid == 0)
		smi_become(argv, terminal.program_fd, err[1], parent);
	why = errno;
	(void)close(terminal.program_fd);
	if (err[1] >= 0)
		(void)close(err[1]);
	smi->out_fd = terminal.our_fd;
	smi->err_fd = err[0];
	if (smi->pid < 0) {
		smi->pid = 0;
		streams_close(smi);
		errno = why;
		return -1;
	}
	(void)fcntl(smi->err_fd, F_SETFL, O_NONBLOCK);
	*smi->session = smi->pid;
	smi->state = SMI_RUNS;
	smi->deadline_ns = -1;
	smi->blows = 0;
	smi->hung = smi->more = false;
	silence_begin(&smi->silence);
	smi_rows_begin(&smi->rows);
	return 0;
}

/* How often is said once, at the end. */
static void smi_ends(struct smi *smi)
{
	smi->state = SMI_OVER;
	smi->log.over = true;
	if (smi->restarts > 0)
		log_trouble(&smi->log, ", and was started again %u time%s%s",
			smi->restarts, smi->restarts == 1 ? "" : "s",
			smi->ids[0] != '\0' ? ", at last for the GPUs that answer" : "");
	smi->restarts = 0;
}

static void smi_start(struct smi *smi, bool again)
{
	smi->backoff.started_ns = clock_mono_ns();
	if (smi_launch(smi, &smi->plan->smi_command[smi->kind]) != 0) {
		log_trouble(&smi->log, "can't start %s: %s", smi_logs[smi->kind].program,
			strerror(errno));
		smi_ends(smi);
		return;
	}
	if (!again)
		return;
	smi->restarts++;
	if (smi->ids[0] == '\0')
		log_note(&smi->log, "started");
	else
		log_note_text(&smi->log, "started", "gpus", smi->ids);
}

static void smi_heard(struct smi *smi, bool spoke)
{
	if (silence_break(&smi->silence, spoke) && !smi->hung)
		log_note(&smi->log, "speaks again");
}

/* Does one that says nothing go on? */
static bool smi_goes_on(struct smi *smi)
{
	unsigned long long before = smi->sleeps;

	smi->sleeps = sleeps_of(smi->pid);
	return smi->sleeps == 0 || smi->sleeps != before;
}

/* Reports a silence; one that lasts ends it, which is dealt with like any other end. */
static void smi_listen(struct smi *smi)
{
	if (smi->hung || smi->pid == 0 ||
		clock_mono_ns() < silence_ends_ns(&smi->silence))
		return;
	if (smi->silence.quiet && smi_goes_on(smi)) {
		smi_heard(smi, false);
		return;
	}
	if (!smi->silence.told) {
		smi->silence.told = true;
		log_note(&smi->log, "silent");
		return;
	}
	smi->hung = true;
	log_note(&smi->log, "hangs");
	smi_kill(smi, SIGKILL);
}

static void smi_write(struct smi *smi, size_t size)
{
	if (size == 0)
		return;
	if (!smi->log.over)
		(void)log_append(&smi->log, smi->text, size);
	smi->used -= size;
	memmove(smi->text, smi->text + size, smi->used);
}

/* Writes on the whole lines that have come. */
static void smi_lines(struct smi *smi, size_t from)
{
	size_t whole = 0;

	for (size_t i = from; i < smi->used; i++) {
		if (smi->text[i] != '\n')
			continue;
		if (smi->kind == SMI_QUERY)
			rows_note(&smi->rows, &smi->log, smi->text + whole, i - whole);
		whole = i + 1;
		smi->lines++;
	}
	if (whole == 0 && smi->used == sizeof smi->text)
		whole = smi->used;
	smi_write(smi, whole);
	if (!smi->log.over && smi->lines >= smi_logs[smi->kind].lines_to_ready)
		smi->log.ready = true;
}

/* A terminal's end is EIO, a pipe's 0; both say that nvidia-smi holds it no more. */
static void hear_out(struct smi *smi)
{
	size_t from = smi->used;
	ssize_t got = read(smi->out_fd, smi->text + from, sizeof smi->text - from);

	if (got > 0) {
		smi->used += (size_t)got;
		smi_heard(smi, true);
		smi_lines(smi, from);
	} else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
		(void)close(smi->out_fd);
		smi->out_fd = -1;
		/* A line cut short by its death is a fact too. */
		smi_write(smi, smi->used);
	}
}

static void hear_err(struct smi *smi)
{
	char text[4096];
	ssize_t got = read(smi->err_fd, text, sizeof text);

	if (got > 0) {
		if (smi->errors.fd < 0 &&
			raw_log_create(&smi->errors, smi->log.dir_fd,
				smi_logs[smi->kind].errors_name) != 0)
			return;
		smi->errors.room = smi->log.file.room;
		(void)raw_log_append(&smi->errors, text, (size_t)got);
	} else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
		(void)close(smi->err_fd);
		smi->err_fd = -1;
	}
}

void smi_hear(struct smi *smi, int fd)
{
	if (fd == smi->out_fd)
		hear_out(smi);
	else if (fd == smi->err_fd)
		hear_err(smi);
}

static int64_t time_ns(struct timeval time)
{
	return (int64_t)time.tv_sec * NS_PER_S + (int64_t)time.tv_usec * 1000;
}

void smi_reap(struct smi *smi)
{
	struct rusage used;

	if (smi->pid == 0 || wait4(smi->pid, &smi->status, WNOHANG, &used) != smi->pid)
		return;
	smi->pid = 0;
	smi->log.program_cpu_ns += time_ns(used.ru_utime) + time_ns(used.ru_stime);
	/* A shell whose child were ended before it would say so in the log. */
	smi_kill(smi, SIGTERM);
}

/* That it ended by itself is said once, and how often at the end. */
static void say_ended(struct smi *smi)
{
	const char *program = smi_logs[smi->kind].program;
	bool by_signal = WIFSIGNALED(smi->status);
	int number = by_signal ? WTERMSIG(smi->status) : WEXITSTATUS(smi->status);

	log_note_number(&smi->log, "ended", "status", by_signal ? 128 + number : number);
	if (smi->restarts > 0)
		return;
	if (smi->hung)
		log_trouble(&smi->log, "%s hung", program);
	else
		log_trouble(&smi->log, "%s ended by itself with %s %d", program,
			by_signal ? "signal" : "status", number);
}

/*
 * nvidia-smi can't be asked for a sample between two ticks: a second one, started
 * when the first has ended, takes the sample at the very end.
 */
static bool last_begins(struct smi *smi)
{
	if (smi->is_last || smi->kind != SMI_QUERY || smi->pid > 0 || !smi->log.ready ||
		smi->log.over || smi_launch(smi, &smi->plan->query_last) != 0)
		return false;
	smi->is_last = true;
	smi->deadline_ns = clock_mono_ns() + LAST_NS;
	return true;
}

/* It has ended, and all it printed is written; or it must be given up. */
static void smi_ended(struct smi *smi)
{
	smi_kill(smi, SIGKILL);
	/* What it said last may lie in the pipe yet; never more than 64 KiB do. */
	for (int i = 0; i < 16 && smi->err_fd >= 0; i++)
		hear_err(smi);
	streams_close(smi);
	if (smi->stopping || smi->log.over) {
		if (!last_begins(smi))
			smi_ends(smi);
		return;
	}
	/* What can't be killed may still hold the driver: no other one helps. */
	if (smi->pid > 0) {
		log_trouble(&smi->log, "%s can't be killed", smi_logs[smi->kind].program);
		smi_ends(smi);
		return;
	}
	if (smi->more) {
		log_note(&smi->log, "GPU back");
		memcpy(smi->ids, smi->asker->ids, sizeof smi->ids);
		smi_start(smi, true);
		return;
	}
	say_ended(smi);
	smi->state = SMI_WAITS;
	smi->start_ns = clock_mono_ns();
	smi->start_ns += backoff_pause(&smi->backoff, smi->start_ns);
}

/* First it is told to end, then killed, then given up. */
static void smi_strike(struct smi *smi)
{
	switch (smi->blows++) {
	case 0:
		if (smi->pid > 0)
			(void)kill(smi->pid, SIGTERM);
		smi->deadline_ns = clock_mono_ns() + END_NS;
		return;
	case 1:
		smi_kill(smi, SIGKILL);
		smi->deadline_ns = clock_mono_ns() + KILL_NS;
		return;
	}
	smi_ended(smi);
}

static void smi_run(struct smi *smi)
{
	bool told = smi->stopping || smi->log.over || smi->more;

	if (smi->pid == 0 && smi->out_fd < 0)
		smi_ended(smi);
	else if (smi->deadline_ns >= 0 ? clock_mono_ns() >= smi->deadline_ns : told)
		smi_strike(smi);
	else if (smi->deadline_ns < 0)
		smi_listen(smi);
}

void smi_turn(struct smi *smi)
{
	bool first = *smi->session == 0;

	switch (smi->state) {
	case SMI_WAITS:
		if (clock_mono_ns() < smi->start_ns)
			return;
		/* amd-smi is told of no GPU. */
		if (!first && smi->plan->smi_command[smi->kind].words > 0)
			smi->state = SMI_ASKS;
		else
			smi_start(smi, !first);
		return;
	case SMI_RUNS:
		smi_run(smi);
		return;
	case SMI_ASKS:
	case SMI_OVER:
		return;
	}
}

int64_t smi_next_ns(const struct smi *smi)
{
	switch (smi->state) {
	case SMI_WAITS:
		return smi->start_ns;
	case SMI_RUNS:
		if (smi->pid == 0 && smi->out_fd < 0)
			return 0;
		if (smi->deadline_ns >= 0)
			return smi->deadline_ns;
		if (smi->stopping || smi->log.over || smi->more)
			return 0;
		return smi->hung || smi->pid == 0 ? INT64_MAX
						  : silence_ends_ns(&smi->silence);
	case SMI_ASKS:
	case SMI_OVER:
		return INT64_MAX;
	}
	return INT64_MAX;
}

void smi_answer(struct smi *smi)
{
	if (smi->state == SMI_ASKS) {
		memcpy(smi->ids, smi->asker->ids, sizeof smi->ids);
		smi_start(smi, true);
	} else if (smi->state == SMI_RUNS && smi->ids[0] != '\0' &&
		(int)smi->asker->answered > count_of(smi->ids)) {
		smi->more = true;
	}
}

void smi_stop(struct smi *smi)
{
	if (smi->stopping)
		return;
	smi_reap(smi);
	/* It was over before it could be told so. */
	if (smi->state == SMI_RUNS && smi->pid == 0)
		say_ended(smi);
	smi->stopping = true;
	if (smi->state == SMI_WAITS || smi->state == SMI_ASKS)
		smi_ends(smi);
}
