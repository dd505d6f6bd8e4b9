/*
 * A silence is told after three intervals, and hangs after six. An nvidia-smi takes
 * hundreds of milliseconds for a round where the driver is busy, and to start as well:
 * hence the least times, and twice what it has needed itself.
 */
#include "silence.h"

#include "clock.h"

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

void silence_begin(struct silence *silence)
{
	silence->heard_ns = clock_mono_ns();
	silence->longest_ns = 0;
	silence->spoke = silence->told = false;
}

bool silence_break(struct silence *silence, bool spoke)
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
