/* How long what ends again and again waits before it is started anew. */
#include "backoff.h"

#include "clock.h"

#define FIRST_NS (1 * NS_PER_S)
#define MOST_NS	 (64 * NS_PER_S)

void backoff_starts(struct backoff *backoff, int64_t at_ns)
{
	backoff->started_ns = at_ns;
}

void backoff_ends(struct backoff *backoff, int64_t at_ns)
{
	if (at_ns - backoff->started_ns > MOST_NS)
		backoff->pause_ns = 0;
}

int64_t backoff_pause(struct backoff *backoff)
{
	int64_t pause_ns = backoff->pause_ns;

	if (pause_ns == 0)
		backoff->pause_ns = FIRST_NS;
	else if (pause_ns < MOST_NS)
		backoff->pause_ns = 2 * pause_ns;
	return pause_ns;
}
