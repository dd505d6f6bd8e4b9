/*
 * Into a file or a pipe nvidia-smi prints in blocks of 4096 bytes: minutes late, and
 * what is in its buffer when it is killed is lost in the middle of a line. On a
 * terminal it prints line by line, so it gets a terminal, and whole lines are copied
 * from there. (LD_PRELOAD as in stdbuf(1) would need a dynamic executable and
 * coreutils; a terminal always works.)
 *
 * An nvidia-smi that ends by itself is restarted, at first at once, then after growing
 * delays. One that is silent for long is first reported, then killed. One that has
 * nothing to print still uses CPU time in each round; that shows that it runs. If some
 * GPUs don't answer, it is restarted for the others, and those are asked now and then
 * until they answer.
 */
#include "nvidia_smi.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/param.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "commands.h"
#include "text.h"

/* A name may hold commas, and nvidia-smi quotes nothing: the name is the rest. */
static bool gpu_read(const char *row, struct gpu *gpu)
{
	int name = 0;

	*gpu = (struct gpu){0};
	if (!isdigit((unsigned char)row[0]) ||
		sscanf(row, "%ld, %95[^,], %31[^,], %23[^,], %63[^,],%n", &gpu->index,
			gpu->uuid, gpu->pci_bus_id, gpu->memory_total_mib,
			gpu->driver_version, &name) != 5 ||
		name == 0)
		return false;
	name += (int)strspn(row + name, " ");
	(void)snprintf(gpu->name, sizeof gpu->name, "%s", row + name);
	if (!json_is_number(gpu->memory_total_mib))
		(void)strcpy(gpu->memory_total_mib, "null");
	return true;
}

bool gpu_next(const char **rows, struct gpu *gpu)
{
	while (*rows != NULL && **rows != '\0') {
		size_t length = strcspn(*rows, "\n");
		char row[512];

		(void)snprintf(row, sizeof row, "%.*s", (int)length, *rows);
		row[strcspn(row, "\r")] = '\0';
		*rows += length + ((*rows)[length] == '\n');
		if (gpu_read(row, gpu))
			return true;
	}
	return false;
}

/* More is no answer: a shell could not hand it on. */
#define ANSWER_MAX 65536

/* Copies until the program has closed its end, or said too much. Returns false if the
 * deadline comes first. */
static bool copy_until(int fd, int64_t deadline_ns)
{
	struct pollfd from = {.fd = fd, .events = POLLIN};
	char text[4096];
	size_t all = 0;
	ssize_t got = 1;

	while (got > 0 && all < ANSWER_MAX) {
		int64_t left_ns = MAX(0, deadline_ns - clock_mono_ns());

		if (poll(&from, 1, (int)(left_ns / NS_PER_MS)) <= 0)
			return false;
		got = read(fd, text, sizeof text);
		if (got > 0 && write(STDOUT_FILENO, text, (size_t)got) == got)
			all += (size_t)got;
	}
	return true;
}

/*
 * timeout(1) will not do: it waits for the program that it has killed, and one that hangs
 * in a driver does not die. Here the program holds our pipe alone, so we may leave it
 * behind.
 */
int probe_main(int argc, char **argv)
{
	const struct timespec moment = {.tv_nsec = 2 * NS_PER_MS};
	pid_t pid, parent = getpid();
	int64_t deadline_ns;
	int ends[2], status;
	bool ended;

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
	ended = copy_until(ends[0], deadline_ns);
	(void)close(ends[0]);
	while (ended && waitpid(pid, &status, WNOHANG) != pid) {
		ended = clock_mono_ns() < deadline_ns;
		(void)nanosleep(&moment, NULL);
	}
	if (!ended) {
		(void)kill(-pid, SIGKILL);
		return EXIT_TIMEOUT;
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void smi_rows_begin(struct smi_rows *rows)
{
	rows->round = 1;
	for (size_t i = 0; i < rows->count; i++)
		rows->gpu[i].round = 0;
}

/* "2026/11/24 10:00:00.123, 1, GPU-...": NULL for what is no row, and where there are
 * too many GPUs. A lost GPU may have lost its UUID, too. */
static struct smi_gpu *gpu_of(struct smi_rows *rows, const char *line)
{
	struct smi_gpu *gpu = rows->gpu, *end = gpu + rows->count;
	const char *cell = strstr(line, ", GPU-");
	char uuid[sizeof gpu->uuid] = "";
	long index;

	if (sscanf(line, "%*[0-9/:. ], %ld", &index) != 1)
		return NULL;
	if (cell != NULL)
		(void)sscanf(cell, ", %63[^,]", uuid);
	while (gpu < end &&
		(uuid[0] != '\0' && gpu->uuid[0] != '\0' ? strcmp(gpu->uuid, uuid) != 0
							 : gpu->index != index))
		gpu++;
	if (gpu == rows->gpu + SMI_GPUS)
		return NULL;
	rows->count += gpu == end;
	gpu->index = index;
	if (uuid[0] != '\0')
		(void)strcpy(gpu->uuid, uuid);
	return gpu;
}

static bool has_number(const char *line, const char *unit)
{
	while ((line = strstr(line + 1, unit)) != NULL)
		if (isdigit((unsigned char)line[-1]))
			return true;
	return false;
}

/* Who had a row of this nvidia-smi, and has none in the round that ends, is lost. */
static void round_end(struct smi_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->gpu[i].round != 0 && rows->gpu[i].round != rows->round)
			rows->gpu[i].lost = true;
	rows->round++;
}

/* The driver knows how much memory a GPU has that is gone: that is no sign of life. */
void smi_rows_take(struct smi_rows *rows, const char *line)
{
	struct smi_gpu *gpu = gpu_of(rows, line);
	bool alive;

	if (gpu == NULL)
		return;
	if (gpu->round == rows->round)
		round_end(rows);
	gpu->round = rows->round;
	alive = has_number(line, " %") || has_number(line, " W");
	gpu->alive |= alive;
	gpu->lost = strstr(line, "is lost") != NULL || (gpu->alive && !alive);
}

const struct smi_gpu *smi_rows_news(struct smi_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->gpu[i].lost != rows->gpu[i].told) {
			rows->gpu[i].told = rows->gpu[i].lost;
			return &rows->gpu[i];
		}
	return NULL;
}

/*
 * A silence is noted after three intervals, and hangs after six. An nvidia-smi takes
 * hundreds of milliseconds for a round where the driver is busy, and to start as well:
 * hence the least times, and twice what it has needed itself.
 */

#define TOLD_INTERVALS	3
#define TOLD_LEAST_NS	(1 * NS_PER_S)
#define HANGS_INTERVALS 6
#define HANGS_LEAST_NS	(3 * NS_PER_S)
#define NEEDED_MOST_NS	(10 * NS_PER_S)

int64_t silence_ends_ns(const struct silence *silence)
{
	int64_t told_ns = MAX(TOLD_LEAST_NS, TOLD_INTERVALS * silence->interval_ns);
	int64_t hangs_ns = MAX(HANGS_LEAST_NS, HANGS_INTERVALS * silence->interval_ns);
	int64_t end_ns = silence->heard_ns + (silence->spoke ? 0 : silence->patience_ns);

	if (silence->told)
		return end_ns +
			MAX(hangs_ns, MIN(2 * silence->longest_ns, NEEDED_MOST_NS));
	/* Whether a quiet one goes on is seen by two looks. */
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

/*
 * Opens a terminal that passes every byte as it is: the program prints on ends[1]. Where
 * there is none to be had (a chroot without /dev/pts), a pipe. Both ends are closed on
 * exec. Returns 0, or -1 with errno.
 */
static int terminal_open(int ends[2])
{
	ends[0] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	if (ends[0] >= 0) {
		ends[1] = slave_open(ends[0]);
		if (ends[1] >= 0)
			return 0;
		(void)close(ends[0]);
	}
	if (pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	(void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
	return 0;
}

static const struct {
	const char *name;
	unsigned lines_to_ready; /* a header, of one line or two, and a row */
	bool quiet; /* a round may print nothing */
	bool leads; /* COMMAND begins with its first row */
	bool once; /* does not loop */
} smi_logs[SMI_LOGS] = {
	[SMI_QUERY] = {"nvidia-smi.csv", 2, .leads = true},
	[SMI_DMON] = {.name = "nvidia-smi-dmon.log", .lines_to_ready = 3},
	[SMI_PMON] = {.name = "nvidia-smi-pmon.log", .lines_to_ready = 3},
	/* Without a process these print their header and no row. */
	[SMI_APPS] = {"nvidia-smi-apps.csv", 1, .quiet = true},
	[SMI_AMD] = {"amd-smi.csv", 2, .leads = true},
	[SMI_AMD_PROCESS] = {"amd-smi-process.csv", 1, .quiet = true},
	[SMI_AMD_LIST] = {"amd-smi-list.csv", 2, .once = true},
	[SMI_AMD_STATIC] = {"amd-smi-static.csv", 2, .once = true},
};

/* What people call it. */
static const char *program_of(const struct smi *smi)
{
	return smi->kind >= SMI_AMD ? "amd-smi" : "nvidia-smi";
}

const char *smi_log_name(enum smi_log log)
{
	return smi_logs[log].name;
}

/* How long it may take to end when told so, to die when killed, to take a last sample. */
#define END_NS	(1 * NS_PER_S)
#define KILL_NS (NS_PER_S / 2)
#define LAST_NS (2 * NS_PER_S)

static int64_t patience_ns(const struct plan *plan)
{
	return plan->patience != NULL ? strtol(plan->patience, NULL, 10) * NS_PER_S : 0;
}

void smis_init(struct smis *smis, const struct plan *plan)
{
	smis->plan = plan;
	for (enum smi_log kind = 0; kind < SMI_LOGS; kind++) {
		const struct smi_command *command = &plan->smi_command[kind];
		struct smi *smi = &smis->smi[kind];

		smi->kind = kind;
		smi->all = smis;
		smi->state = command->argv[0] != NULL ? SMI_WAITS : SMI_OVER;
		smi->log.name = smi_logs[kind].name;
		smi->log.file.fd = smi->errors.fd = smi->out_fd = smi->err_fd = -1;
		smi->silence.interval_ns = command->interval_ns;
		smi->silence.patience_ns = patience_ns(plan);
		smi->silence.quiet = smi_logs[kind].quiet;
	}
}

/* With all that it has started: sites wrap nvidia-smi in scripts. */
static void smi_kill(const struct smi *smi, int number)
{
	pid_t session = smi->all->session[smi->kind];

	if (session > 0)
		(void)kill(-session, number);
}

static void end_close(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
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
	int out[2], err[2] = {-1, -1}, why;
	pid_t pid, parent = getpid();

	(void)memcpy(argv, command->argv, sizeof argv);
	if (smi->ids[0] != '\0') {
		argv[command->words] = only;
		argv[command->words + 1] = smi->ids;
	}
	if (terminal_open(out) != 0)
		return -1;
	pid = pipe2(err, O_CLOEXEC) == 0 ? fork() : -1;
	if (pid == 0)
		smi_become(argv, out[1], err[1], parent);
	why = errno;
	end_close(&out[1]);
	end_close(&err[1]);
	if (pid < 0) {
		end_close(&out[0]);
		end_close(&err[0]);
		errno = why;
		return -1;
	}
	(void)fcntl(err[0], F_SETFL, O_NONBLOCK);
	smi->out_fd = out[0];
	smi->err_fd = err[0];
	smi->pid = smi->all->session[smi->kind] = pid;
	smi->state = SMI_RUNS;
	smi->deadline_ns = -1;
	smi->blows = 0;
	smi->hung = smi->more = false;
	smi->silence.heard_ns = clock_mono_ns();
	smi->silence.longest_ns = 0;
	smi->silence.spoke = smi->silence.told = false;
	if (smi->kind == SMI_QUERY)
		smi_rows_begin(&smi->all->rows);
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
	if (smi_launch(smi, &smi->all->plan->smi_command[smi->kind]) != 0) {
		log_trouble(&smi->log, "can't start %s: %s", program_of(smi),
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

static void silence_break(struct smi *smi)
{
	if (smi->silence.told && !smi->hung)
		log_note(&smi->log, "speaks again");
	smi->silence.told = false;
	smi->silence.heard_ns = clock_mono_ns();
}

/* One that loops uses some CPU time in each round, one that hangs none. */
static bool goes_on(struct smi *smi)
{
	const int64_t before_ns = smi->used_ns;

	smi->used_ns = clock_cpu_of_ns(smi->pid);
	return smi->used_ns < 0 || smi->used_ns != before_ns;
}

/* Notes a silence; one that lasts ends it, which is dealt with like any other end. */
static void smi_listen(struct smi *smi)
{
	if (smi->hung || smi->pid == 0 ||
		clock_mono_ns() < silence_ends_ns(&smi->silence))
		return;
	if (smi->silence.quiet && goes_on(smi)) {
		silence_break(smi);
	} else if (!smi->silence.told) {
		smi->silence.told = true;
		log_note(&smi->log, "silent");
	} else {
		smi->hung = true;
		log_note(&smi->log, "hangs");
		smi_kill(smi, SIGKILL);
	}
}

static void rows_note(struct smi *smi, const char *line)
{
	const struct smi_gpu *gpu;

	smi_rows_take(&smi->all->rows, line);
	while ((gpu = smi_rows_news(&smi->all->rows)) != NULL)
		log_note_number(&smi->log, gpu->lost ? "GPU lost" : "GPU back", "gpu",
			gpu->index);
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
		if (smi->kind == SMI_QUERY) {
			smi->text[i] = '\0';
			rows_note(smi, smi->text + whole);
			smi->text[i] = '\n';
		}
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
static bool is_end(ssize_t got)
{
	return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

static void hear_out(struct smi *smi)
{
	size_t from = smi->used;
	ssize_t got = read(smi->out_fd, smi->text + from, sizeof smi->text - from);

	if (got > 0) {
		smi->used += (size_t)got;
		smi->silence.longest_ns = MAX(
			smi->silence.longest_ns, clock_mono_ns() - smi->silence.heard_ns);
		smi->silence.spoke = true;
		silence_break(smi);
		smi_lines(smi, from);
	} else if (is_end(got)) {
		end_close(&smi->out_fd);
		/* A line cut short by its death is a fact too. */
		smi_write(smi, smi->used);
	}
}

static void hear_err(struct smi *smi)
{
	char text[4096], name[64];
	ssize_t got = read(smi->err_fd, text, sizeof text);

	if (got > 0) {
		(void)snprintf(name, sizeof name, "%.*s.err",
			(int)strcspn(smi->log.name, "."), smi->log.name);
		if (smi->errors.fd < 0 &&
			raw_log_create(&smi->errors, smi->log.dir_fd, name) != 0)
			return;
		smi->errors.room = smi->log.file.room;
		(void)raw_log_append(&smi->errors, text, (size_t)got);
	} else if (is_end(got)) {
		end_close(&smi->err_fd);
	}
}

void smis_poll(const struct smis *smis, struct pollfd fds[2 * SMI_LOGS])
{
	for (size_t i = 0; i < SMI_LOGS; i++) {
		const struct smi *smi = &smis->smi[i];

		fds[2 * i] = (struct pollfd){.fd = smi->out_fd, .events = POLLIN};
		fds[2 * i + 1] = (struct pollfd){.fd = smi->err_fd, .events = POLLIN};
	}
}

void smis_hear(struct smis *smis, const struct pollfd fds[2 * SMI_LOGS])
{
	for (size_t i = 0; i < SMI_LOGS; i++) {
		struct smi *smi = &smis->smi[i];
		const bool out = smi->out_fd >= 0 && fds[2 * i].revents != 0;
		const bool err = smi->err_fd >= 0 && fds[2 * i + 1].revents != 0;
		int64_t began_ns;

		if (!out && !err)
			continue;
		began_ns = clock_cpu_ns();
		if (out)
			hear_out(smi);
		if (err)
			hear_err(smi);
		smi->log.cpu_ns += clock_cpu_ns() - began_ns;
	}
}

static int64_t time_ns(struct timeval time)
{
	return (int64_t)time.tv_sec * NS_PER_S + (int64_t)time.tv_usec * 1000;
}

static void smi_reap(struct smi *smi)
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
	const bool by_signal = WIFSIGNALED(smi->status);
	const int number = by_signal ? WTERMSIG(smi->status) : WEXITSTATUS(smi->status);

	if (smi_logs[smi->kind].once && smi->status == 0)
		return;
	log_note_number(&smi->log, "ended", "status", by_signal ? 128 + number : number);
	if (smi->restarts > 0)
		return;
	if (smi->hung)
		log_trouble(&smi->log, "%s hung", program_of(smi));
	else
		log_trouble(&smi->log, "%s ended by itself with %s %d", program_of(smi),
			by_signal ? "signal" : "status", number);
}

/*
 * nvidia-smi can't be asked for a sample between two ticks: a second one, started
 * when the first has ended, takes the sample at the very end.
 */
static bool last_begins(struct smi *smi)
{
	if (smi->is_last || smi->kind != SMI_QUERY || smi->pid > 0 || !smi->log.ready ||
		smi->log.over || smi_launch(smi, &smi->all->plan->query_last) != 0)
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
	end_close(&smi->out_fd);
	end_close(&smi->err_fd);
	if (smi->stopping || smi->log.over) {
		if (!last_begins(smi))
			smi_ends(smi);
	} else if (smi->pid > 0) {
		/* It may still hold the driver: no other one helps. */
		log_trouble(&smi->log, "%s can't be killed", program_of(smi));
		smi_ends(smi);
	} else if (smi->more) {
		log_note(&smi->log, "GPU back");
		memcpy(smi->ids, smi->all->ids, sizeof smi->ids);
		smi_start(smi, true);
	} else if (smi_logs[smi->kind].once) {
		say_ended(smi);
		smi_ends(smi);
	} else {
		say_ended(smi);
		smi->state = SMI_WAITS;
		smi->start_ns = clock_mono_ns();
		smi->start_ns += backoff_pause(&smi->backoff, smi->start_ns);
	}
}

static bool is_to_end(const struct smi *smi)
{
	return smi->stopping || smi->log.over || smi->more;
}

/* First it is told to end, then killed, then given up. */
static void smi_strike(struct smi *smi)
{
	const unsigned blow = smi->blows++;

	smi->deadline_ns = clock_mono_ns() + (blow == 0 ? END_NS : KILL_NS);
	if (blow > 1)
		smi_ended(smi);
	else if (blow == 1)
		smi_kill(smi, SIGKILL);
	else if (smi->pid > 0)
		(void)kill(smi->pid, SIGTERM);
}

static void smi_turn(struct smi *smi)
{
	const bool first = smi->all->session[smi->kind] == 0;

	if (smi->state == SMI_WAITS && clock_mono_ns() >= smi->start_ns) {
		/* amd-smi is told of no GPU. */
		if (!first && smi->all->plan->smi_command[smi->kind].words > 0)
			smi->state = SMI_ASKS;
		else
			smi_start(smi, !first);
	} else if (smi->state == SMI_RUNS) {
		if (smi->pid == 0 && smi->out_fd < 0)
			smi_ended(smi);
		else if (smi->deadline_ns < 0 ? is_to_end(smi)
					      : clock_mono_ns() >= smi->deadline_ns)
			smi_strike(smi);
		else if (smi->deadline_ns < 0)
			smi_listen(smi);
	}
}

static int64_t smi_next_ns(const struct smi *smi)
{
	if (smi->state == SMI_WAITS)
		return smi->start_ns;
	if (smi->state != SMI_RUNS)
		return INT64_MAX;
	if (smi->pid == 0 && smi->out_fd < 0)
		return 0;
	if (smi->deadline_ns >= 0)
		return smi->deadline_ns;
	if (is_to_end(smi))
		return 0;
	return smi->hung || smi->pid == 0 ? INT64_MAX : silence_ends_ns(&smi->silence);
}

static void smi_stop(struct smi *smi)
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

/*
 * Once one GPU has answered the others have as long again and this: they have the same
 * driver. The patience of the plan is for one that answers nobody yet.
 */
#define OTHERS_NS (1 * NS_PER_S)

#define AGAIN_FIRST_NS (1 * NS_PER_S)
#define AGAIN_MOST_NS  (64 * NS_PER_S)

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

/* An asker that hangs in the driver still, and can't be killed, does not answer. */
static void round_begin(struct smis *smis)
{
	const char *rows = smis->plan->gpu_rows;
	struct gpu gpu;

	smis->asks = true;
	smis->answered = smis->questions = 0;
	smis->began_ns = clock_mono_ns();
	smis->deadline_ns = smis->began_ns + patience_ns(smis->plan);
	while (smis->questions < GPUS_MAX && gpu_next(&rows, &gpu)) {
		struct question *question = &smis->question[smis->questions];

		question->answered = false;
		memcpy(question->uuid, gpu.uuid, sizeof question->uuid);
		if (question->pid == 0)
			question->pid = ask(smis->plan, question->uuid);
		smis->session[SMI_LOGS + smis->questions++] = question->pid;
	}
	smis->pause_ns = MAX(AGAIN_FIRST_NS, MIN(2 * smis->pause_ns, AGAIN_MOST_NS));
	smis->again_ns = smis->began_ns + smis->pause_ns;
}

static void question_reap(struct smis *smis, struct question *question)
{
	int status;

	if (question->pid == 0 ||
		waitpid(question->pid, &status, WNOHANG) != question->pid)
		return;
	question->pid = 0;
	question->answered = smis->asks && status == 0;
	if (question->answered && smis->answered++ == 0)
		smis->deadline_ns = 2 * clock_mono_ns() - smis->began_ns + OTHERS_NS;
}

/* Where all answered, or none, nothing is gained by leaving some out. */
static void answers_list(struct smis *smis)
{
	size_t used = 0;

	smis->ids[0] = '\0';
	for (size_t i = 0; smis->answered < smis->questions && i < smis->questions; i++) {
		const char *uuid = smis->question[i].uuid;

		if (smis->question[i].answered &&
			used + strlen(uuid) + 1 < sizeof smis->ids)
			used += (size_t)sprintf(
				smis->ids + used, "%s%s", used > 0 ? "," : "", uuid);
	}
}

static size_t count_of(const char *ids)
{
	size_t count = ids[0] != '\0';

	for (; *ids != '\0'; ids++)
		count += *ids == ',';
	return count;
}

static void smi_answer(struct smi *smi)
{
	if (smi->state == SMI_ASKS) {
		memcpy(smi->ids, smi->all->ids, sizeof smi->ids);
		smi_start(smi, true);
	} else if (smi->state == SMI_RUNS && smi->ids[0] != '\0' &&
		smi->all->answered > count_of(smi->ids)) {
		smi->more = true;
	}
}

void smis_ask_no_more(struct smis *smis)
{
	for (size_t i = 0; i < smis->questions; i++)
		if (smis->question[i].pid > 0)
			(void)kill(-smis->question[i].pid, SIGKILL);
	smis->asks = false;
}

static void round_turn(struct smis *smis)
{
	bool open = false;

	for (size_t i = 0; i < smis->questions; i++)
		open |= smis->question[i].pid > 0;
	if (open && clock_mono_ns() < smis->deadline_ns)
		return;
	smis_ask_no_more(smis);
	answers_list(smis);
	for (size_t i = 0; i < SMI_LOGS; i++)
		smi_answer(&smis->smi[i]);
}

/* Where some GPUs don't answer, who is recorded is chosen anew now and then. */
static int64_t round_next_ns(const struct smis *smis)
{
	int64_t next_ns = INT64_MAX;

	if (smis->asks)
		return smis->deadline_ns;
	for (size_t i = 0; i < SMI_LOGS; i++) {
		const struct smi *smi = &smis->smi[i];

		if (smi->state == SMI_ASKS)
			return 0;
		if (smi->state == SMI_RUNS && smi->ids[0] != '\0' && !smi->more)
			next_ns = smis->again_ns;
	}
	return next_ns;
}

void smis_turn(struct smis *smis)
{
	for (size_t i = 0; i < SMI_LOGS; i++)
		smi_turn(&smis->smi[i]);
	if (!smis->asks && clock_mono_ns() >= round_next_ns(smis))
		round_begin(smis);
	if (smis->asks)
		round_turn(smis);
}

int64_t smis_next_ns(const struct smis *smis)
{
	int64_t next_ns = round_next_ns(smis);

	for (size_t i = 0; i < SMI_LOGS; i++)
		next_ns = MIN(next_ns, smi_next_ns(&smis->smi[i]));
	return next_ns;
}

void smis_reap(struct smis *smis)
{
	for (size_t i = 0; i < SMI_LOGS; i++)
		smi_reap(&smis->smi[i]);
	for (size_t i = 0; i < smis->questions; i++)
		question_reap(smis, &smis->question[i]);
}

bool smis_have_child(const struct smis *smis, pid_t pid)
{
	bool found = false;

	for (size_t i = 0; i < SMI_LOGS; i++)
		found |= smis->smi[i].pid == pid;
	for (size_t i = 0; i < smis->questions; i++)
		found |= smis->question[i].pid == pid;
	return found;
}

bool smis_are_ready(const struct smis *smis, bool leading)
{
	for (size_t i = 0; i < SMI_LOGS; i++) {
		const struct smi *smi = &smis->smi[i];

		if (smi_logs[i].leads == leading && smi->state != SMI_OVER &&
			!smi->log.ready && smi->log.trouble[0] == '\0')
			return false;
	}
	return true;
}

void smis_stop(struct smis *smis, bool leading)
{
	for (size_t i = 0; i < SMI_LOGS; i++)
		if (smi_logs[i].leads == leading)
			smi_stop(&smis->smi[i]);
}

bool smis_are_over(const struct smis *smis)
{
	for (size_t i = 0; i < SMI_LOGS; i++)
		if (smis->smi[i].state != SMI_OVER)
			return false;
	return true;
}
