/*
 * gpustat as it prints for people, once or in a loop: a line with host and time, then a
 * line a GPU, in which fan, power and processes are there if they were asked for:
 *
 *   node1       Mon Sep 14 03:31:09 2020  440.100
 *   [0] GeForce RTX 2080 Ti | 38'C,  27 %,  12 %,  90 / 250 W |  1024 / 11019 MB | me(9M)
 *
 * The columns are called as in gpustat --json.
 */
#include <string.h>

#include "base/number.h"
#include "read/clock_line.h"
#include "read/log.h"
#include "read/recast.h"

#define TIME_WORDS 5 /* "Mon Sep 14 03:31:09 2020" */

/* The text up to a mark, which is cut off *rest with it; all of it, if there is none. */
static struct span cut_at(struct span *rest, char mark)
{
	const char *at = rest->len ? memchr(rest->at, mark, rest->len) : NULL;
	struct span text = *rest;

	if (!at) {
		*rest = SPAN_NONE;
		return span_trim(text);
	}
	text.len = (size_t)(at - text.at);
	rest->len -= text.len + 1;
	rest->at = at + 1;
	return span_trim(text);
}

/* "[0] name | 38'C, ...": index, name, and what stands behind the first bar. */
static bool cut_gpu(
	struct span line, struct span *index, struct span *name, struct span *rest)
{
	uint64_t number;

	if (!span_begins(line, "["))
		return false;
	*rest = (struct span){line.at + 1, line.len - 1};
	*index = cut_at(rest, ']');
	*name = cut_at(rest, '|');
	return number_unsigned(*index, &number) && name->len &&
		span_has_nocase(*rest, "'C") && span_has_nocase(*rest, " MB");
}

/* The time behind the host's name; len 0: the line is another. */
static struct span time_of(struct span line)
{
	struct span host = span_word(&line), word = SPAN_NONE, rest, time;

	rest = time = span_trim(line);
	for (int i = 0; i < TIME_WORDS; i++)
		word = span_word(&rest);
	if (!host.len || !word.len)
		return SPAN_NONE;
	time.len = (size_t)(word.at + word.len - time.at);
	return clock_is_cell(time) ? time : SPAN_NONE;
}

static bool gpustat_is(const struct probe *probe)
{
	struct span index, name, rest;

	for (size_t i = 0; i < probe->count; i++)
		if (cut_gpu(probe->line[i], &index, &name, &rest))
			return true;
	return false;
}

static void put(struct recast *recast, const char *name, struct span value)
{
	recast_put(recast, span_of(name), value);
}

/* "90 / 250 W" as two cells with the unit. */
static void put_pair(struct recast *recast, struct span pair, const char *unit,
	const char *first, const char *second)
{
	const char *const names[] = {first, second};
	struct strbuf text = strbuf_new();

	for (size_t i = 0; i < 2; i++) {
		struct span half = cut_at(&pair, '/'), number = span_word(&half);

		strbuf_clear(&text);
		strbuf_addf(&text, "%.*s %s", (int)number.len, number.at, unit);
		put(recast, names[i], (struct span){text.text, text.len});
	}
	strbuf_release(&text);
}

static bool ends_with(struct span text, char last)
{
	return text.len && text.at[text.len - 1] == last;
}

/* Of two shares the first is the fan's. */
static void put_gpu(struct recast *recast, struct span rest)
{
	struct span use = cut_at(&rest, '|'), memory = cut_at(&rest, '|');
	struct span share = SPAN_NONE;

	while (use.len) {
		struct span part = cut_at(&use, ',');

		if (ends_with(part, 'C')) {
			put(recast, "temperature.gpu", cut_at(&part, '\''));
		} else if (ends_with(part, '%')) {
			if (share.len)
				put(recast, "fan.speed", share);
			share = part;
		} else if (ends_with(part, 'W')) {
			put_pair(recast, part, "W", "power.draw", "enforced.power.limit");
		}
	}
	put(recast, "utilization.gpu", share);
	put_pair(recast, memory, "MiB", "memory.used", "memory.total");
}

/* Of what was printed last. */
struct gpustat_state {
	struct strbuf time; /* of its first line */
};

static void gpustat_release(void *state)
{
	struct gpustat_state *own = state;

	strbuf_release(&own->time);
}

static bool gpustat_next(struct recast *recast)
{
	struct gpustat_state *state = recast_state(recast);
	struct span line, time, index, name, rest;

	while (recast_next_line(recast, &line)) {
		time = time_of(line);
		if (time.len) {
			strbuf_clear(&state->time);
			strbuf_add(&state->time, time.at, time.len);
		} else if (cut_gpu(line, &index, &name, &rest)) {
			put(recast, "query_time", strbuf_span(&state->time));
			put(recast, "index", index);
			put(recast, "name", name);
			put_gpu(recast, rest);
			recast_line_row(recast);
			return true;
		} else {
			recast_noise(recast, line);
		}
	}
	return false;
}

const struct recast_shape recast_gpustat = {.name = "gpustat",
	.is = gpustat_is,
	.next = gpustat_next,
	.state_size = sizeof(struct gpustat_state),
	.release = gpustat_release};
