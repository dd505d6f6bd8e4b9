/* Who asks is a process of its own: a question may hang. */
#include "asker.h"

#include "answering.h"
#include "clock.h"

#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>

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
