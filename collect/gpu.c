/*
 * Parses nvidia-smi's inventory of the GPUs, asks which GPUs answer, lists the logs of
 * GPU tools. Must not know how logs are recorded.
 */
#include "gpu.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "json.h"
#include "plan.h"
#include "recorder.h"
#include "say.h"
#include "signals.h"
#include "ticker.h"

enum {
	EXIT_TIMEOUT = 124
};

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

_Noreturn static void become(char *const argv[], int out_fd, pid_t parent)
{
	/* A group of its own, so that its children can be killed with it. */
	(void)setpgid(0, 0);
	if (streams_leave() == 0 && dup2(out_fd, STDOUT_FILENO) >= 0 &&
		dup2(out_fd, STDERR_FILENO) >= 0 && lifeline_tie(parent, SIGKILL))
		(void)execvp(argv[0], argv);
	_exit(errno == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN);
}

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
	if (pid == 0)
		become(argv + 2, ends[1], parent);
	(void)close(ends[1]);
	if (copy_until(ends[0], deadline_ns) != 0 || close(ends[0]) != 0 ||
		reap_until(pid, deadline_ns, &status) != 0) {
		(void)kill(-pid, SIGKILL);
		(void)kill(pid, SIGKILL);
		return EXIT_TIMEOUT;
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/*
 * Which GPUs still answer, when an nvidia-smi that was asked for several has died of
 * one: it gives up all of them then, or hangs for all. All are asked at once, each by
 * an nvidia-smi of its own, so that one that hangs holds up no other.
 */

#define GPUS_MAX 128

/*
 * Once one has answered the others have as long again and this: they have the same
 * driver. The patience of the plan is for one that answers nobody yet.
 */
#define OTHERS_NS (1 * NS_PER_S)

struct question {
	struct gpu gpu;
	pid_t pid; /* of who asks; 0: it is settled */
	bool answered;
};

struct round {
	struct question question[GPUS_MAX];
	size_t count, open, answered;
	int64_t began_ns;
	int64_t deadline_ns; /* -1: none yet, they end by themselves */
};

static bool stop_asked(void)
{
	sigset_t pending;

	return sigpending(&pending) == 0 && sigismember(&pending, SIGTERM) == 1;
}

/* What it prints goes nowhere; its exit status tells of the one GPU. */
_Noreturn static void ask(const struct plan *plan, char *uuid, pid_t parent)
{
	char word[] = "probe", one[] = "-i", format[] = "--format=csv",
	     query[] = "--query-gpu=utilization.gpu,memory.used";
	char *argv[] = {word, plan->patience, plan->smi, one, uuid, query, format, NULL};

	if (!lifeline_tie(parent, SIGKILL))
		_exit(EXIT_COLLECT);
	_exit(probe_main((int)(sizeof argv / sizeof *argv) - 1, argv));
}

static void begin(struct round *round, const struct plan *plan)
{
	const char *rows = plan->gpu_rows;
	const pid_t parent = getpid();
	struct gpu gpu;

	*round = (struct round){.began_ns = clock_mono_ns(), .deadline_ns = -1};
	while (round->count < GPUS_MAX && gpu_next(&rows, &gpu)) {
		struct question *question = &round->question[round->count++];

		*question = (struct question){.gpu = gpu, .pid = fork()};
		if (question->pid == 0)
			ask(plan, question->gpu.uuid, parent);
		if (question->pid > 0)
			round->open++;
		else
			question->pid = 0;
	}
}

static void settle(struct round *round, struct question *question, bool answered)
{
	int64_t took_ns = clock_mono_ns() - round->began_ns;

	question->pid = 0;
	question->answered = answered;
	round->open--;
	if (!answered)
		return;
	if (round->answered++ == 0)
		round->deadline_ns = round->began_ns + 2 * took_ns + OTHERS_NS;
}

static void collect_answers(struct round *round, bool over)
{
	for (size_t i = 0; i < round->count; i++) {
		struct question *question = &round->question[i];
		int status = -1;

		if (question->pid == 0)
			continue;
		if (over)
			(void)kill(question->pid, SIGKILL);
		if (waitpid(question->pid, &status, over ? 0 : WNOHANG) != 0)
			settle(round, question, !over && status == 0);
	}
}

static bool is_late(const struct round *round)
{
	return round->deadline_ns >= 0 && clock_left_ms(round->deadline_ns) == 0;
}

static void list(const struct round *round, char ids[GPU_IDS_SIZE])
{
	size_t used = 0;

	for (size_t i = 0; i < round->count; i++) {
		const char *uuid = round->question[i].gpu.uuid;

		if (round->question[i].answered && used + strlen(uuid) + 1 < GPU_IDS_SIZE)
			used += (size_t)snprintf(ids + used, GPU_IDS_SIZE - used, "%s%s",
				used > 0 ? "," : "", uuid);
	}
	ids[round->answered == round->count ? 0 : used] = '\0';
}

int gpus_answering(const struct plan *plan, char ids[GPU_IDS_SIZE])
{
	const struct timespec moment = {.tv_nsec = 20000000};
	struct round round;

	begin(&round, plan);
	while (round.open > 0 && !stop_asked() && !is_late(&round)) {
		(void)nanosleep(&moment, NULL);
		collect_answers(&round, false);
	}
	collect_answers(&round, true);
	list(&round, ids);
	return stop_asked() ? -1 : (int)round.answered;
}

static int count_of(const char *ids)
{
	int count = ids[0] != '\0';

	for (; *ids != '\0'; ids++)
		count += *ids == ',';
	return count;
}

/*
 * Asks once whether more GPUs answer than those of ids, without waiting: the process
 * that is returned exits with 0 if so, and ends on SIGTERM. Returns -1 with errno.
 */
static pid_t gpus_ask_for_more(const struct plan *plan, const char *ids)
{
	char now[GPU_IDS_SIZE];
	pid_t parent = getpid(), pid = fork();

	if (pid != 0)
		return pid;
	if (!lifeline_tie(parent, SIGTERM))
		_exit(EXIT_COLLECT);
	_exit(gpus_answering(plan, now) > count_of(ids) ? 0 : 1);
}

/* Who asks is a process of its own: a question may hang. */

#define PAUSE_NS      (1 * NS_PER_S)
#define PAUSE_MOST_NS (64 * NS_PER_S)

void asker_open(struct asker *asker)
{
	*asker = (struct asker){.pause_ns = PAUSE_NS};
}

void asker_begin(struct asker *asker)
{
	asker->more = false;
	asker->next_ns = clock_mono_ns() + asker->pause_ns;
}

void asker_go_on(struct asker *asker, const struct plan *plan, const char *ids)
{
	if (ids[0] == '\0' || asker->pid > 0 || clock_mono_ns() < asker->next_ns)
		return;
	asker->pid = gpus_ask_for_more(plan, ids);
	if (asker->pause_ns < PAUSE_MOST_NS)
		asker->pause_ns *= 2;
	asker->next_ns = clock_mono_ns() + asker->pause_ns;
}

void asker_reap(struct asker *asker)
{
	int status;

	if (asker->pid <= 0 || waitpid(asker->pid, &status, WNOHANG) != asker->pid)
		return;
	asker->pid = 0;
	asker->more = status == 0;
}

void asker_end(struct asker *asker)
{
	if (asker->pid > 0) {
		(void)kill(asker->pid, SIGKILL);
		(void)waitpid(asker->pid, NULL, 0);
	}
	asker->pid = 0;
}

/* Which logs of nvidia-smi and its like a recording has. */

static const struct {
	const char *name, *errors_name;
	unsigned lines_to_ready; /* a header, of one line or two, and a row */
	bool quiet; /* says nothing while there is nothing to say */
	bool leads;
} smi_logs[SMI_LOGS] = {
	[SMI_QUERY] = {"nvidia-smi.csv", "nvidia-smi.err", 2, false, true},
	[SMI_DMON] = {"nvidia-smi-dmon.log", "nvidia-smi-dmon.err", 3, false, false},
	[SMI_PMON] = {"nvidia-smi-pmon.log", "nvidia-smi-pmon.err", 3, false, false},
	/* Without a process it prints its header and no row. */
	[SMI_APPS] = {"nvidia-smi-apps.csv", "nvidia-smi-apps.err", 1, true, false},
	[SMI_AMD] = {"amd-smi.csv", "amd-smi.err", 2, false, true},
};

bool smi_log_leads(enum smi_log log)
{
	return smi_logs[log].leads;
}

bool smi_log_plan(
	enum smi_log log, struct smi_job *job, const struct plan *plan, int dir_fd)
{
	const struct smi_command *command = &plan->smi_command[log];

	if (command->argv[0] == NULL)
		return false;
	*job = (struct smi_job){
		.dir_fd = dir_fd,
		.name = smi_logs[log].name,
		.interval_ns = command->interval_ns,
		.errors_name = smi_logs[log].errors_name,
		.program = log == SMI_AMD ? "amd-smi" : "nvidia-smi",
		.plan = plan,
		.command = command,
		.last = log == SMI_QUERY ? &plan->query_last : NULL,
		.lines_to_ready = smi_logs[log].lines_to_ready,
		.rows = log == SMI_QUERY,
		.quiet = smi_logs[log].quiet,
	};
	return true;
}
