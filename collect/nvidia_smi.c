/*
 * Into a file or a pipe nvidia-smi prints in blocks of 4096 bytes: minutes late, and
 * a kill loses its buffer in the middle of a line. On a terminal it prints line by line,
 * so it gets a terminal, and whole lines are copied from there.
 *
 * A program that ends by itself is restarted, at first at once, then after growing
 * delays. One that is silent for long is first reported, then killed. If some GPUs don't
 * answer, nvidia-smi is restarted for the others until they do. Who answers, and how a
 * GPU is recorded, knows the script.
 */
#include "nvidia_smi.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

void smi_rows_begin(struct smi_rows *rows)
{
	rows->round = 1;
	for (size_t i = 0; i < rows->count; i++)
		rows->gpu[i].round = 0;
}

/* Of "2026/11/24 10:00:00.123, 1, GPU-...", "1795874677,1,..." or "card1,...": leaves the
 * rest of the row. NULL: this is no row, or there are too many GPUs. A lost GPU may have
 * lost its UUID, too. */
static struct smi_gpu *gpu_of(struct smi_rows *rows, const char *line, const char **rest)
{
	struct smi_gpu *gpu = rows->gpu, *end = gpu + rows->count;
	const char *cell = strstr(line, ", GPU-");
	char uuid[sizeof gpu->uuid] = "";
	long index;
	int used;

	if (sscanf(line, "%*[0-9/:. ],%ld%n", &index, &used) != 1 &&
		sscanf(line, "card%ld%n", &index, &used) != 1)
		return NULL;
	*rest = line + used;
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

/* How many cells are a number, perhaps with a unit? */
static unsigned numbers_of(const char *line)
{
	unsigned count = 0;
	char *end;

	while ((line = strchr(line, ',')) != NULL) {
		line++;
		(void)strtod(line, &end);
		count += end > line && strchr(", ", *end) != NULL;
	}
	return count;
}

int64_t smi_gpu_away_ns(const struct smi_gpu *gpu)
{
	return gpu->away_ns + (gpu->lost ? clock_mono_ns() - gpu->since_ns : 0);
}

static void set_lost(struct smi_gpu *gpu, bool lost)
{
	gpu->times += lost && !gpu->lost;
	gpu->away_ns = lost ? gpu->away_ns : smi_gpu_away_ns(gpu);
	gpu->since_ns = lost && gpu->since_ns != 0 ? gpu->since_ns : clock_mono_ns();
	gpu->lost = lost;
}

/* A GPU that is gone keeps few numbers: the driver knows its memory and its limits. */
void smi_rows_take(struct smi_rows *rows, const char *line)
{
	const char *rest;
	char *end;
	const int64_t second = strtoll(line, &end, 10);
	struct smi_gpu *gpu = gpu_of(rows, line, &rest);
	unsigned numbers;

	/* amd-smi may have several rows of a GPU in a round: the first tells. */
	if (gpu == NULL || (*end == ',' && second == gpu->second))
		return;
	gpu->second = second;
	/* A GPU with a row of this nvidia-smi, but none in the round that ends, is lost.
	 */
	if (gpu->round == rows->round) {
		for (size_t i = 0; i < rows->count; i++)
			if (rows->gpu[i].round != 0 && rows->gpu[i].round != rows->round)
				set_lost(&rows->gpu[i], true);
		rows->round++;
	}
	gpu->round = rows->round;
	numbers = numbers_of(rest);
	gpu->most = MAX(gpu->most, numbers);
	set_lost(gpu,
		strstr(line, "is lost") != NULL || 2 * numbers < gpu->most ||
			(numbers == 0 &&
				(strstr(line, "Unknown Error") != NULL ||
					strstr(line, "requires reset") != NULL)));
}

/* Of what happens again and again the first few are events, then those whose number is a
 * power of two. */
static bool is_event(unsigned times, unsigned first)
{
	return times <= first || (times & (times - 1)) == 0;
}

/* So many losses of a GPU are reported, with its return. */
#define LOSSES_REPORTED 3

const struct smi_gpu *smi_rows_news(struct smi_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		struct smi_gpu *gpu = &rows->gpu[i];

		if (gpu->lost == gpu->told ||
			(gpu->lost && !is_event(gpu->times, LOSSES_REPORTED)))
			continue;
		gpu->told = gpu->lost;
		return gpu;
	}
	return NULL;
}

/* Rows are missing after three intervals; after six the program is taken for hung. If the
 * driver is busy a round takes a second, a start as well: hence the least times. */
#define MISSING_INTERVALS 3
#define MISSING_LEAST_NS  (1 * NS_PER_S)
#define HANGS_INTERVALS	  6
#define HANGS_LEAST_NS	  (10 * NS_PER_S)

int64_t silence_begins_ns(const struct silence *silence)
{
	return silence->heard_ns +
		MAX(MISSING_LEAST_NS, MISSING_INTERVALS * silence->interval_ns);
}

int64_t silence_ends_ns(const struct silence *silence)
{
	return silence->heard_ns + (silence->spoke ? 0 : silence->patience_ns) +
		MAX(HANGS_LEAST_NS, HANGS_INTERVALS * silence->interval_ns);
}

/* Opens a terminal that passes every byte as it is: the program prints on ends[1].
 * Without terminals, as in a chroot without /dev/pts, a pipe. Returns 0, or -1. */
static int terminal_open(int ends[2])
{
	/* dmon omits the columns that the terminal is too narrow for. */
	const struct winsize wide = {.ws_row = 50, .ws_col = 1000};
	struct termios modes;

	if (openpty(&ends[0], &ends[1], NULL, NULL, &wide) == 0) {
		(void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
		(void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
		/* Raw, else the terminal turns each newline into CR LF. */
		(void)tcgetattr(ends[1], &modes);
		cfmakeraw(&modes);
		(void)tcsetattr(ends[1], TCSANOW, &modes);
	} else if (pipe2(ends, O_CLOEXEC) != 0) {
		return -1;
	}
	(void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
	return 0;
}

static const struct {
	const char *name;
	unsigned lines_to_ready; /* a header, of one line or two, and a row */
	bool quiet; /* a round may print nothing */
	bool leads; /* it has a row for each GPU: COMMAND begins with the first one */
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

static const struct smi_command *command_of(const struct smi *smi)
{
	return &smi->all->plan->smi_command[smi->kind];
}

static const char *program_of(const struct smi *smi)
{
	const char *path = command_of(smi)->argv[0], *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* Has it ended as it should? One that loops never does, nor one that printed no row. */
static bool is_done(const struct smi *smi)
{
	return smi->status == 0 && smi->fault == NULL &&
		(smi->silence.spoke || smi_logs[smi->kind].quiet) &&
		(smi_logs[smi->kind].once || command_of(smi)->each);
}

static size_t ids_count(const char *ids)
{
	size_t count = *ids != '\0';

	for (; *ids != '\0'; ids++)
		count += *ids == ',';
	return count;
}

/* Of a log that has no file yet. */
static void smi_init(struct smi *smi)
{
	const struct smi_command *command = command_of(smi);

	smi->state = command->argv[0] != NULL ? SMI_WAITS : SMI_OVER;
	smi->log.name = smi_logs[smi->kind].name;
	smi->log.state = smi->state == SMI_OVER ? command->state : NULL;
	smi->log.over = smi->log.state != NULL;
	if (smi->log.over) {
		(void)snprintf(smi->log.said, sizeof smi->log.said, "%s", command->said);
		if (strcmp(command->state, "failed") == 0)
			log_trouble(&smi->log, "not recorded: %s", command->said);
	}
	smi->log.fd = smi->errors_fd = smi->out_fd = smi->err_fd = -1;
	smi->silence.interval_ns = command->interval_ns;
	smi->silence.patience_ns = smi->all->plan->patience_ns;
}

void smis_init(struct smis *smis, struct plan *plan, int proc_fd)
{
	smis->plan = plan;
	smis->proc_fd = proc_fd;
	smis->answer_fd = -1;
	smis->gpus = ids_count(plan->uuids);
	smis->is_short =
		plan->lost != NULL || plan->smi_command[SMI_QUERY].argv[0] == NULL;
	for (enum smi_log kind = 0; kind < SMI_LOGS; kind++) {
		smis->smi[kind].kind = kind;
		smis->smi[kind].all = smis;
		smi_init(&smis->smi[kind]);
	}
}

/* How long a program may take to end, to die when killed, to take a last sample. */
#define END_NS	(1 * NS_PER_S)
#define KILL_NS (NS_PER_S / 2)
#define LAST_NS (2 * NS_PER_S)

/* A state, keys and values, as log_note takes them. */
#define note(smi, ...) \
	((void)((smi)->all->news = true, log_note(&(smi)->log, __VA_ARGS__, NULL)))

static void enter(struct smi *smi, enum smi_state state, int64_t for_ns)
{
	smi->state = state;
	smi->due_ns = clock_mono_ns() + for_ns;
}

/* Starts that command, for those GPUs that answer. Returns 0, or -1 with errno. */
static int smi_launch(struct smi *smi, const struct smi_command *command)
{
	const char *ids = smi->kind < SMI_AMD ? smi->all->ids : "";
	char *argv[SMI_WORDS + 3] = {NULL}, only[] = "-i";
	size_t words = 0;
	int out[2], err[2];
	pid_t pid;

	for (; command->argv[words] != NULL; words++)
		if (*ids == '\0' || strcmp(command->argv[words], only) != 0)
			argv[words] = command->argv[words];
		else
			break;
	if (*ids != '\0') {
		argv[words] = only;
		argv[words + 1] = (char *)ids;
	}
	if (terminal_open(out) != 0)
		return -1;
	if (pipe2(err, O_CLOEXEC) != 0)
		err[0] = err[1] = -1;
	(void)fcntl(err[0], F_SETFL, O_NONBLOCK);
	smi->out_fd = out[0];
	smi->err_fd = err[0];
	pid = child_start(argv, &smi->leash, -1, out[1], err[1]);
	fd_close(&out[1]);
	fd_close(&err[1]);
	if (pid < 0) {
		fd_close(&smi->out_fd);
		fd_close(&smi->err_fd);
		return -1;
	}
	smi->pid = smi->all->session[smi->kind] = pid;
	smi->state = SMI_RUNS;
	smi->gpus = *ids != '\0' ? smi->all->gpus : ids_count(smi->all->plan->uuids);
	smi->fault = NULL;
	smi->said[0] = '\0';
	smi->silence.heard_ns = clock_mono_ns();
	smi->silence.spoke = false;
	if (!command->each)
		smi_rows_begin(&smi->rows);
	return 0;
}

static void smi_over(struct smi *smi)
{
	smi->state = SMI_OVER;
	if (!smi->log.ready && smi->log.trouble[0] == '\0') {
		if (smi->log.said[0] != '\0')
			log_trouble(&smi->log, "no rows, but \"%s\"", smi->log.said);
		else if (!smi->silence.spoke)
			(void)strcpy(smi->log.said, "never answered");
	}
	if (smi->log.restarts > 0 && smi->log.trouble[0] != '\0')
		log_trouble(&smi->log, ", and was started again %u time%s%s",
			smi->log.restarts, smi->log.restarts == 1 ? "" : "s",
			smi->gpus < ids_count(smi->all->plan->uuids)
				? ", at last for the GPUs that answer"
				: "");
	log_over(&smi->log);
}

/* Is a start or an end of a program one that is reported? */
#define is_reported(smi) is_event((smi)->log.restarts, STARTS_REPORTED)

/* Of those that follow one another so many. */
#define STARTS_REPORTED 10

static void smi_start(struct smi *smi)
{
	const bool again = smi->all->session[smi->kind] != 0 && !is_done(smi);
	const time_t now = time(NULL);
	char restarts[16] = "", text[24];
	struct tm utc;

	if (!is_done(smi))
		smi->backoff.started_ns = clock_mono_ns();
	if (!smi->log.ready)
		smi->lines = 0; /* headers of two starts are no row */
	/* It prints no time of its sample. */
	if (command_of(smi)->each)
		(void)log_append(&smi->log, text,
			strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S\n",
				gmtime_r(&now, &utc)));
	if (smi_launch(smi, command_of(smi)) != 0) {
		log_trouble(&smi->log, "can't start %s: %s", program_of(smi),
			strerror(errno));
		smi_over(smi);
		return;
	}
	smi->log.restarts += again;
	if (smi->log.restarts > STARTS_REPORTED)
		(void)snprintf(restarts, sizeof restarts, "%u", smi->log.restarts);
	if (is_reported(smi) &&
		(again || (smi->log.trouble[0] != '\0' && !smi->log.ready)))
		note(smi, "started", "gpus", smi->all->ids, "restarts", restarts);
}

/* Kills it for a fault. One that hangs in the driver may die later. */
static void smi_fail(struct smi *smi, const char *state, const char *fault)
{
	smi->fault = fault;
	if (is_reported(smi))
		note(smi, state, "said", smi->said);
	leash_end(&smi->leash, smi->all->proc_fd, smi->pid);
	smi->state = SMI_KILLED;
	smi->due_ns = INT64_MAX;
}

/* A round of a tool that works has less than this: 128 GPUs, or hundreds of processes. */
#define ROUND_SIZE  (64 * 1024)
#define FLOOD_LEAST (8 * ROUND_SIZE)
#define FLOOD_PAUSE (600 * NS_PER_S)

static const char flooded[] = "printed without end";

/* Counts what it has printed: endless output would fill the disk. */
static void flood_check(struct smi *smi, size_t size)
{
	const int64_t interval_ns = smi->silence.interval_ns, now_ns = clock_mono_ns();
	const int64_t rounds = MAX(1, NS_PER_S / interval_ns);

	if (now_ns - smi->printed_ns > MAX(NS_PER_S, interval_ns)) {
		smi->printed_ns = now_ns;
		smi->printed = 0;
	}
	smi->printed += size;
	if (smi->state == SMI_RUNS &&
		smi->printed > (size_t)MAX(FLOOD_LEAST, rounds * ROUND_SIZE))
		smi_fail(smi, "floods", flooded);
}

/* Is it silent at that time, though it should print rows? Looks whether one that may
 * print none has used CPU time: it does in each round while it loops, and not if it
 * hangs. */
static bool silence_check(struct smi *smi, int64_t since_ns)
{
	const int64_t before_ns = smi->used_ns, now_ns = clock_mono_ns();

	if (now_ns < since_ns || !smi_logs[smi->kind].quiet || smi->pid == 0)
		return now_ns >= since_ns;
	smi->used_ns = clock_cpu_of_ns(smi->pid);
	if (smi->used_ns >= 0 && smi->used_ns == before_ns)
		return true;
	smi->silence.heard_ns = now_ns;
	return false;
}

/* Notes which GPUs are lost or back by this row. */
static void row_note(struct smi *smi, const char *row)
{
	const struct smi_gpu *gpu;
	char index[24], times[16] = "";

	smi_rows_take(&smi->rows, row);
	while ((gpu = smi_rows_news(&smi->rows)) != NULL) {
		(void)snprintf(index, sizeof index, "%ld", gpu->index);
		if (gpu->times > LOSSES_REPORTED)
			(void)snprintf(times, sizeof times, "%u", gpu->times);
		note(smi, gpu->lost ? "GPU lost" : "GPU back", "gpu", index, "times",
			times);
	}
}

static void smi_write(struct smi *smi, size_t size)
{
	if (size > 0 && !smi->log.over)
		(void)log_append(&smi->log, smi->text, size);
	smi->used -= size;
	memmove(smi->text, smi->text + size, smi->used);
}

/* "timestamp, index": its first cell is one small word. */
static bool is_header(const char *line)
{
	return islower((unsigned char)*line) && line[strcspn(line, " :,")] == ',';
}

/* dmon repeats its headers, which begin with '#', among the rows. */
static bool is_row(const char *line)
{
	line += strncmp(line, "card", 4) == 0 ? 4 : 0;
	return *line == '#' || *line == '"' || isdigit((unsigned char)*line);
}

/* Is the line, which ends there, text for people? */
static bool is_text(const char *line, const char *end)
{
	while (isprint((unsigned char)*line) || isspace((unsigned char)*line))
		line++;
	return line == end;
}

/* Complaints come among the rows, too; only rows show that it goes on, and one header
 * that it has begun. Tables of rocm-smi about processes have titles around them. */
static void line_take(struct smi *smi, const char *line, const char *end)
{
	line += strspn(line, " ");
	if (!is_row(line) && (smi->lines > 0 || !is_header(line))) {
		if (!is_text(line, end) && !isalpha((unsigned char)*line))
			(void)strcpy(smi->said, "(bytes that are no text)");
		else if (isalpha((unsigned char)*line) &&
			(smi->said[0] == '\0' || !is_header(line)))
			(void)snprintf(smi->said, sizeof smi->said, "%s", line);
		return;
	}
	if (is_header(smi->said))
		smi->said[0] = '\0'; /* its rows have come */
	smi->lines++;
	smi->silence.spoke = true;
	smi->silence.heard_ns = clock_mono_ns();
	if (smi->said[0] != '\0' && !smi->complained && smi->kind != SMI_AMD_PROCESS) {
		note(smi, "complains", "said", smi->said);
		smi->complained = true;
	}
	if (smi_logs[smi->kind].leads)
		row_note(smi, line);
}

/* Writes the whole lines. */
static void lines_write(struct smi *smi)
{
	char *line = smi->text, *after = line + smi->used, *end;

	while ((end = memchr(line, '\n', (size_t)(after - line))) != NULL) {
		*end = '\0';
		line_take(smi, line, end);
		*end = '\n';
		line = end + 1;
	}
	if (line == smi->text && smi->used == sizeof smi->text)
		line = after;
	smi_write(smi, (size_t)(line - smi->text));
	if (!smi->log.ready && !smi->log.over &&
		smi->lines >= smi_logs[smi->kind].lines_to_ready)
		smi->log.ready = smi->all->news = true;
}

static void hear_out(struct smi *smi)
{
	ssize_t got =
		read(smi->out_fd, smi->text + smi->used, sizeof smi->text - smi->used);

	if (got > 0) {
		flood_check(smi, (size_t)got);
		smi->used += (size_t)got;
		if (!smi->silence.spoke)
			leash_tie_below(&smi->leash, smi->all->proc_fd, smi->pid);
		lines_write(smi);
	} else if (got == 0 || errno != EAGAIN) {
		/* EIO of a terminal, 0 of a pipe: nobody holds the other end. */
		fd_close(&smi->out_fd);
		/* A line that its death cut short is a fact too, but one cut by us. */
		smi->used = smi->fault == flooded ? 0 : smi->used;
		smi_write(smi, smi->used);
	}
}

static void hear_err(struct smi *smi)
{
	char text[4096], name[64], *line, *rest = text;
	ssize_t got = read(smi->err_fd, text, sizeof text - 1);

	if (got > 0) {
		flood_check(smi, (size_t)got);
		(void)snprintf(name, sizeof name, "%.*s.err",
			(int)strcspn(smi->log.name, "."), smi->log.name);
		if (smi->errors_fd < 0)
			smi->errors_fd = file_create(smi->log.dir_fd, name);
		if (smi->errors_fd >= 0)
			(void)file_append(
				smi->errors_fd, smi->log.room, text, (size_t)got);
		text[got] = '\0';
		while ((line = strsep(&rest, "\n")) != NULL)
			if (*line != '\0')
				(void)snprintf(smi->said, sizeof smi->said, "%s", line);
	} else if (got == 0 || errno != EAGAIN) {
		fd_close(&smi->err_fd);
	}
}

size_t smis_poll(const struct smis *smis, struct pollfd fds[SMI_POLLS])
{
	size_t count = SMI_POLLS;

	for (size_t i = 0; i < SMI_LOGS; i++) {
		fds[2 * i] = (struct pollfd){smis->smi[i].out_fd, POLLIN, 0};
		fds[2 * i + 1] = (struct pollfd){smis->smi[i].err_fd, POLLIN, 0};
	}
	while (count > 0 && fds[count - 1].fd < 0)
		count--;
	return count;
}

void smis_hear(struct smis *smis, const struct pollfd fds[SMI_POLLS])
{
	for (size_t i = 0; i < SMI_LOGS; i++) {
		if (fds[2 * i].revents != 0)
			hear_out(&smis->smi[i]);
		if (fds[2 * i + 1].revents != 0)
			hear_err(&smis->smi[i]);
	}
}

/* The end is in events.jsonl, of many only some; the first one is in the trouble. */
static void end_note(struct smi *smi)
{
	const bool by_signal = WIFSIGNALED(smi->status);
	const int number = by_signal ? WTERMSIG(smi->status) : WEXITSTATUS(smi->status);
	char status[16], how[48];

	if (is_done(smi))
		return;
	(void)snprintf(status, sizeof status, "%d", by_signal ? 128 + number : number);
	if (is_reported(smi))
		note(smi, "ended", "status", status, "said", smi->said);
	if (smi->log.restarts > 0)
		return;
	(void)snprintf(how, sizeof how, "ended by itself with %s %d",
		by_signal ? "signal" : "status", number);
	log_trouble(&smi->log, "%s %s%s%s%s", program_of(smi),
		smi->fault != NULL ? smi->fault : how,
		smi->said[0] != '\0' ? " and said \"" : "", smi->said,
		smi->said[0] != '\0' ? "\"" : "");
}

/* Is the recording to end, and this log with it? */
static bool is_stopping(const struct smi *smi)
{
	return smi->all->stop_ns != 0 &&
		(smi_logs[smi->kind].leads || smi->log.ready ||
			smi->log.trouble[0] != '\0' ||
			clock_mono_ns() >= smi->all->stop_ns);
}

/* Do more GPUs answer than it was started for? */
static bool lacks_gpus(const struct smi *smi)
{
	return smi->kind < SMI_AMD && smi->all->gpus > smi->gpus;
}

/* nvidia-smi can't be asked for a sample between two ticks: a second one, when the first
 * has ended, takes the sample at the very end. Returns whether it was started. */
static bool last_begins(struct smi *smi)
{
	if (smi->pid > 0 || smi->is_last || smi->kind != SMI_QUERY || !smi->log.ready ||
		smi->log.over ||
		smi_launch(smi, &smi->all->plan->smi_command[SMI_LAST]) != 0)
		return false;
	smi->is_last = true;
	enter(smi, SMI_ENDS, LAST_NS);
	return true;
}

/* It has ended, and all it printed is written; or it is given up. */
static void smi_ended(struct smi *smi)
{
	leash_end(&smi->leash, smi->all->proc_fd, smi->pid);
	/* What it said last may still be in the pipe, which holds at most 64 KiB. */
	for (int i = 0; i < 16 && smi->err_fd >= 0; i++)
		hear_err(smi);
	fd_close(&smi->out_fd);
	fd_close(&smi->err_fd);
	if (smi_logs[smi->kind].quiet && is_done(smi)) {
		smi->log.ready = true;
		smi->said[0] = '\0'; /* titles */
	}
	if (smi->said[0] != '\0')
		(void)strcpy(smi->log.said, smi->said);
	/* It may still hold the driver, and a new one would hang as well. */
	if (smi->pid > 0)
		log_trouble(&smi->log, "%s can't be killed", program_of(smi));
	else if (smi->state == SMI_RUNS || smi->fault != NULL)
		end_note(smi);
	if (smi->pid > 0 || is_stopping(smi) || smi->log.over ||
		smi_logs[smi->kind].once) {
		if (!last_begins(smi))
			smi_over(smi);
	} else if (is_done(smi)) {
		enter(smi, SMI_WAITS, 0);
		smi->due_ns = (smi->due_ns / smi->silence.interval_ns + 1) *
			smi->silence.interval_ns;
	} else if (lacks_gpus(smi)) {
		smi_start(smi);
	} else {
		enter(smi, SMI_WAITS, smi->fault == flooded ? FLOOD_PAUSE : 0);
		smi->due_ns += backoff_pause(&smi->backoff, smi->due_ns, PAUSE_MOST_NS);
	}
}

static void smi_turn(struct smi *smi)
{
	const int64_t now_ns = clock_mono_ns();
	const bool due = now_ns >= smi->due_ns;
	const bool ended = smi->pid == 0 && smi->out_fd < 0;

	switch (smi->state) {
	case SMI_WAITS:
	case SMI_ASKS:
		if (is_stopping(smi))
			smi_over(smi);
		else if (!due || smi->state == SMI_ASKS)
			break;
		/* Only nvidia-smi can be told to leave out GPUs. */
		else if (smi->all->session[smi->kind] != 0 && smi->kind < SMI_AMD &&
			smi->all->plan->smi_command[SMI_ASK].argv[0] != NULL)
			smi->state = SMI_ASKS;
		else
			smi_start(smi);
		break;
	case SMI_RUNS:
		if (ended) {
			smi_ended(smi);
		} else if (is_stopping(smi) || smi->log.over || lacks_gpus(smi)) {
			if (smi->log.ready &&
				silence_check(smi, silence_begins_ns(&smi->silence)))
				log_trouble(&smi->log, "printed no rows at the end");
			leash_tie_below(&smi->leash, smi->all->proc_fd, smi->pid);
			if (smi->pid == 0)
				end_note(smi);
			else if (!command_of(smi)->each)
				(void)kill(smi->pid, SIGTERM);
			enter(smi, SMI_ENDS, END_NS);
		} else {
			/* Sites wrap nvidia-smi in scripts, and what these start may have
			 * a process group of its own, as below timeout(1). */
			if (!smi->silence.spoke || now_ns - smi->tied_ns >= NS_PER_S) {
				smi->tied_ns = now_ns;
				leash_tie_below(&smi->leash, smi->all->proc_fd, smi->pid);
			}
			if (silence_check(smi, silence_ends_ns(&smi->silence)))
				smi_fail(smi, "hangs", "hung");
		}
		break;
	case SMI_ENDS:
		if (ended) {
			smi_ended(smi);
		} else if (due) {
			leash_end(&smi->leash, smi->all->proc_fd, smi->pid);
			enter(smi, SMI_KILLED, KILL_NS);
		}
		break;
	case SMI_KILLED:
		if (ended || due)
			smi_ended(smi);
		break;
	case SMI_OVER:
		break;
	}
}

/* The longest pause while no GPU is recorded: there may be none for ever. */
#define AGAIN_NONE_NS (1024 * NS_PER_S)

static void ask_begin(struct smis *smis)
{
	const size_t planned = ids_count(smis->plan->uuids);
	char known[sizeof smis->ids + 32], **argv = smis->plan->smi_command[SMI_ASK].argv;
	char *const unknown = argv[2];
	int ends[2];

	(void)snprintf(known, sizeof known, "%zu,%s", planned, smis->plan->uuids);
	smis->again.started_ns = clock_mono_ns();
	smis->again_ns = smis->again.started_ns + NS_PER_S +
		backoff_pause(&smis->again, smis->again.started_ns,
			planned > 0 ? PAUSE_MOST_NS : AGAIN_NONE_NS);
	if (pipe2(ends, O_CLOEXEC) != 0)
		return;
	(void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
	smis->answer_fd = ends[0];
	argv[2] = known;
	/* When it is killed its probes end, and with them what they have started. */
	smis->asker = child_start(argv, NULL, -1, ends[1], -1);
	argv[2] = unknown;
	smis->session[SMI_LOGS] = smis->asker;
	fd_close(&ends[1]);
}

static void ask_end(struct smis *smis)
{
	struct leash leash = {.groups = 0};

	leash_end(&leash, smis->proc_fd, smis->asker);
	fd_close(&smis->answer_fd);
}

/* Takes command lines for more GPUs, and what run.json says of these. */
static void plan_take(struct smis *smis, const char *uuids, char *tools)
{
	char *recorded = tools;

	tools = strsep(&recorded, "\f");
	if (plan_commands(smis->plan, tools) != 0)
		return;
	smis->plan->uuids = uuids;
	smis->plan->recorded = recorded;
	for (size_t i = 0; i < SMI_AMD; i++)
		if (smis->smi[i].log.fd < 0)
			smi_init(&smis->smi[i]);
	if (smis->smi[SMI_QUERY].log.trouble[0] != '\0')
		log_trouble(&smis->smi[SMI_QUERY].log, "recorded later");
	smis->planned = smis->news = true;
}

/*
 * The answer, if it is whole: a line of UUIDs; a line of what nvidia-smi says of a GPU
 * that is lost, or SMI_HUNG; and a plan, if these are more than were planned. If all have
 * answered, or none, nothing is gained by leaving some out.
 */
static void answer_take(struct smis *smis, char *text)
{
	char *rest = text, *uuids = strsep(&rest, "\n"), *lost = strsep(&rest, "\n");
	const size_t answered = ids_count(uuids);
	struct smi_rows *rows = &smis->smi[SMI_QUERY].rows;

	smis->ids[0] = '\0';
	if (rest == NULL || answered == 0 || strlen(uuids) >= sizeof smis->ids)
		return;
	if (answered > ids_count(smis->plan->uuids))
		plan_take(smis, strdup(uuids), strdup(rest));
	smis->gpus = answered;
	if (strcmp(uuids, smis->plan->uuids) != 0)
		(void)strcpy(smis->ids, uuids);
	smis->is_short =
		(*lost != '\0' || smis->ids[0] != '\0') && strcmp(lost, SMI_HUNG) != 0;
	if (!smis->is_short)
		smis->again.pause_ns = 0;
	for (size_t i = 0; i < rows->count; i++)
		if (strstr(uuids, rows->gpu[i].uuid) == NULL)
			set_lost(&rows->gpu[i], true);
}

static void ask_turn(struct smis *smis)
{
	bool wanted = smis->is_short && clock_mono_ns() >= smis->again_ns;
	char text[65536]; /* as much as a pipe holds */
	ssize_t got;

	for (size_t i = 0; i < SMI_AMD; i++)
		wanted |= smis->smi[i].state == SMI_ASKS;
	if (wanted && smis->answer_fd < 0 && smis->asker <= 0 && smis->stop_ns == 0 &&
		smis->plan->smi_command[SMI_ASK].argv[0] != NULL)
		ask_begin(smis);
	if (smis->answer_fd < 0 || smis->asker > 0)
		return;
	got = read(smis->answer_fd, text, sizeof text - 1);
	text[MAX(0, got)] = '\0';
	ask_end(smis);
	answer_take(smis, text);
	for (size_t i = 0; i < SMI_AMD; i++)
		if (smis->smi[i].state == SMI_ASKS)
			smi_start(&smis->smi[i]);
}

void smis_turn(struct smis *smis)
{
	const int64_t now_ns = clock_mono_ns();
	const bool stopped = now_ns - smis->turned_ns >= MISSING_LEAST_NS;

	smis->turned_ns = now_ns;
	ask_turn(smis);
	for (size_t i = 0; i < SMI_LOGS; i++) {
		struct smi *smi = &smis->smi[i];

		/* Who stopped this process and all of its job has stopped them, too. */
		if (stopped)
			smi->silence.heard_ns = now_ns;
		if (smi->state != SMI_OVER)
			smi_turn(smi);
	}
}

void smis_child_ended(struct smis *smis, pid_t pid, int status, const struct rusage *used)
{
	for (size_t i = 0; i < SMI_LOGS; i++) {
		struct smi *smi = &smis->smi[i];

		if (smi->pid != pid)
			continue;
		smi->pid = 0;
		smi->status = status;
		smi->log.program_cpu_ns +=
			(used->ru_utime.tv_sec + used->ru_stime.tv_sec) * NS_PER_S +
			(used->ru_utime.tv_usec + used->ru_stime.tv_usec) * 1000;
		/* Not before its end: a shell would report its child's end in the log. */
		(void)kill(-pid, SIGTERM);
	}
	if (smis->asker == pid)
		smis->asker = 0;
}

bool smis_are_ready(const struct smis *smis)
{
	for (size_t i = 0; i < SMI_LOGS; i++) {
		const struct smi *smi = &smis->smi[i];

		if (smi_logs[i].leads && smi->state != SMI_OVER && !smi->log.ready &&
			smi->log.trouble[0] == '\0')
			return false;
	}
	return true;
}

const char *smis_failure(const struct smis *smis)
{
	const struct log *log = &smis->smi[SMI_QUERY].log;

	if (log->ready || log->trouble[0] == '\0')
		return NULL;
	return log->said[0] != '\0' ? log->said : log->trouble;
}

void smis_stop(struct smis *smis, int64_t latest_ns)
{
	smis->stop_ns = MAX(1, latest_ns);
	for (size_t i = 0; i < SMI_LOGS; i++)
		if (smis->smi[i].state == SMI_KILLED)
			enter(&smis->smi[i], SMI_KILLED, KILL_NS);
	ask_end(smis);
	smis_turn(smis);
}

bool smis_are_over(const struct smis *smis)
{
	for (size_t i = 0; i < SMI_LOGS; i++)
		if (smis->smi[i].state != SMI_OVER)
			return false;
	return true;
}
