/*
 * Which GPUs still answer, when an nvidia-smi that was asked for several has died of one:
 * it gives up all of them then, or hangs for all. All are asked at once, each by an
 * nvidia-smi of its own, so that one that hangs holds up no other.
 * This room knows nothing of what is recorded of them.
 */
#include "answering.h"

#include "clock.h"
#include "gpu.h"
#include "lifeline.h"
#include "probe.h"
#include "say.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

pid_t gpus_ask_for_more(const struct plan *plan, const char *ids)
{
	char now[GPU_IDS_SIZE];
	pid_t parent = getpid(), pid = fork();

	if (pid != 0)
		return pid;
	if (!lifeline_tie(parent, SIGTERM))
		_exit(EXIT_COLLECT);
	_exit(gpus_answering(plan, now) > count_of(ids) ? 0 : 1);
}
