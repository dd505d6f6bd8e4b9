/* Differences of clocks, from one marker to the next. One digit of a marker may be wrong:
 * then the next one agrees with that before it. */
#include "read/clocks.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/timestamp.h"

/* A clock that NTP slews gains or loses a second in so many at most (adjtimex(2)). */
#define SLEW_MOST 2000

/* "mono=2082.658161011" */
static bool read_clock(struct span word, const char *name, int64_t *ns)
{
	size_t len = span_of(name).len;

	if (!span_begins(word, name))
		return false;
	word.at += len, word.len -= len;
	return number_scaled(word, NS_PER_S, ns) && *ns >= 0;
}

struct clock_reading clock_reading_of(int64_t wall_ns, struct span words)
{
	struct clock_reading clocks = {.wall_ns = wall_ns, .boot_ns = -1};
	int64_t ns;

	while (words.len) {
		struct span word = span_word(&words);

		if (read_clock(word, "mono=", &ns)) {
			clocks.mono_ns = ns;
			clocks.known = true;
		} else if (read_clock(word, "boot=", &ns)) {
			clocks.boot_ns = ns;
		}
	}
	return clocks;
}

void clocks_release(struct clocks *clocks)
{
	free(clocks->step);
	*clocks = (struct clocks){.last.known = false};
}

/* What the clocks did between two markers; as if nothing, if they are of two boots. */
struct change {
	bool boots;
	int128 slept_ns, set_ns; /* 0: not more than jitter */
};

/*
 * Without the clock since boot a wall clock that went ahead may have been set, or the
 * machine slept: only one that fell behind was set for certain.
 */
static struct change compare(const struct clocks *clocks,
	const struct clock_reading *before, const struct clock_reading *now)
{
	bool boot = before->boot_ns >= 0 && now->boot_ns >= 0;
	int128 mono_ns = (int128)now->mono_ns - before->mono_ns, ran_ns = mono_ns,
	       slept_ns, set_ns, jitter_ns = CLOCK_STEP_NS;
	struct change change = {0};

	if (boot)
		ran_ns = (int128)now->boot_ns - before->boot_ns;
	change.boots = mono_ns < 0 || ran_ns < 0;
	if (change.boots)
		return change;
	if (!clocks->keeps_steps)
		jitter_ns = CLOCK_CHANGE_NS + ran_ns / SLEW_MOST;
	slept_ns = ran_ns - mono_ns;
	set_ns = (int128)now->wall_ns - before->wall_ns - ran_ns;
	if (slept_ns > CLOCK_CHANGE_NS)
		change.slept_ns = slept_ns;
	if (-set_ns > jitter_ns || (boot && set_ns > jitter_ns))
		change.set_ns = set_ns;
	return change;
}

static bool agree(const struct clocks *clocks, const struct clock_reading *now)
{
	struct change change = compare(clocks, &clocks->last, now);

	return !change.boots && !change.slept_ns && !change.set_ns;
}

static bool is_told(int128 by_ns)
{
	return by_ns && by_ns <= INT64_MAX && by_ns >= INT64_MIN;
}

static void tell(struct run *run, enum clock_change_kind kind,
	const struct clock_reading *before, const struct clock_reading *now, int128 by_ns)
{
	if (is_told(by_ns))
		run_add_clock_change(run,
			&(struct clock_change){
				kind, before->wall_ns, now->wall_ns, (int64_t)by_ns});
}

static void keep_step(struct clocks *clocks, const struct change *change)
{
	clocks->boots |= change->boots;
	if (!is_told(change->set_ns))
		return;
	ALLOC_GROW(clocks->step, clocks->step_count + 1, clocks->step_cap);
	clocks->step[clocks->step_count++] =
		(struct clock_step){clocks->last, clocks->held, (int64_t)change->set_ns};
}

void clocks_end(struct clocks *clocks, struct run *run)
{
	struct change change;

	if (!clocks->held.known)
		return;
	change = compare(clocks, &clocks->last, &clocks->held);
	tell(run, CLOCK_SUSPENDED, &clocks->last, &clocks->held, change.slept_ns);
	tell(run, CLOCK_STEPPED, &clocks->last, &clocks->held, change.set_ns);
	if (clocks->keeps_steps)
		keep_step(clocks, &change);
	clocks->last = clocks->held;
	clocks->held.known = false;
}

void clocks_take(struct clocks *clocks, struct run *run, const struct clock_reading *now)
{
	if (!now->known || !agree(clocks, now))
		clocks_end(clocks, run);
	if (clocks->last.known && now->known && !agree(clocks, now)) {
		clocks->held = *now;
	} else {
		clocks->last = *now;
		clocks->held.known = false;
	}
}
