/*
 * tegrastats, a line a sample, in the words of all generations of Jetson:
 *
 *   08-14-2025 15:00:57 RAM 12574/62841MB (lfb 4x4MB) SWAP 0/31420MB (cached 0MB)
 *   CPU [2%@1036,off] EMC_FREQ 3%@665 GR3D_FREQ 43%@[305,0] gpu@47.8C VDD_IN
 * 2797mW/2797mW
 *
 * A line is a row: "CPU0" is 2 %, "GR3D_FREQ" 43 % and "GR3D_FREQ.clock" 305 MHz,
 * "gpu.temp" 47.8 C, "RAM.used" and "RAM.total" a pair; of a rail the first number is the
 * instant's.
 */
#include <string.h>

#include "base/number.h"
#include "read/log.h"
#include "read/recast.h"

/* What stands before the sample: a time, or nothing. False: the line is none. */
static bool cut_time(struct span *line, struct span *time)
{
	struct span rest = *line, word;

	while ((word = span_word(&rest)).len)
		if (span_is(word, "RAM") && memchr(rest.at, '/', rest.len) &&
			span_has_nocase(rest, "CPU [")) {
			*time = span_trim(
				(struct span){line->at, (size_t)(word.at - line->at)});
			line->len -= (size_t)(word.at - line->at);
			line->at = word.at;
			return true;
		}
	return false;
}

static bool tegrastats_is(const struct probe *probe)
{
	for (size_t i = 0; i < probe->count; i++) {
		struct span line = probe->line[i], time;

		if (cut_time(&line, &time))
			return true;
	}
	return false;
}

static struct span until(struct span text, char mark)
{
	const char *at = memchr(text.at, mark, text.len);

	return at ? (struct span){text.at, (size_t)(at - text.at)} : text;
}

static struct span behind(struct span text, char mark)
{
	const char *at = memchr(text.at, mark, text.len);

	return at ? (struct span){at + 1, text.len - (size_t)(at + 1 - text.at)}
		  : SPAN_NONE;
}

/* Puts a number, with a unit if it has none: "153" of a rail is in mW. */
static void put_number(
	struct recast *recast, const char *name, struct span number, const char *unit)
{
	struct strbuf value = strbuf_new();

	strbuf_add(&value, number.at, number.len);
	if (number.len && is_digit(number.at[number.len - 1]))
		strbuf_adds(&value, unit);
	recast_put(recast, span_of(name), (struct span){value.text, value.len});
	strbuf_release(&value);
}

/* "896/7859MB" of RAM, "2797mW/2797mW" of a rail. */
static void put_pair(struct recast *recast, struct span name, struct span pair)
{
	bool memory = pair.at[pair.len - 1] == 'B';
	struct span unit = pair;
	struct strbuf text = strbuf_new();

	while (unit.len && (is_digit(*unit.at) || *unit.at == '/'))
		unit.at++, unit.len--;
	strbuf_add(&text, name.at, name.len);
	if (!memory) {
		put_number(recast, text.text, until(pair, '/'), "mW");
	} else {
		char suffix[8] = "";

		if (unit.len < sizeof suffix)
			memcpy(suffix, unit.at, unit.len);
		strbuf_adds(&text, ".used");
		put_number(recast, text.text, until(pair, '/'), suffix);
		strbuf_clear(&text);
		strbuf_add(&text, name.at, name.len);
		strbuf_adds(&text, ".total");
		recast_put(recast, span_of(text.text), behind(pair, '/'));
	}
	strbuf_release(&text);
}

/* "[2%@1036,off]": a cell a CPU, empty of one that is off. */
static void put_cpus(struct recast *recast, struct span list)
{
	struct span rest = until(behind(list, '['), ']');

	for (unsigned cpu = 0; rest.len; cpu++) {
		struct span item = until(rest, ',');
		struct strbuf name = strbuf_new();

		rest = behind(rest, ',');
		strbuf_addf(&name, "CPU%u", cpu);
		recast_put(recast, span_of(name.text),
			span_is(item, "off") ? SPAN_NONE : until(item, '@'));
		strbuf_release(&name);
	}
}

/* "43%@[305,0]", "43%@305", "43%": the share, and the clock of the first part. */
static void put_engine(struct recast *recast, struct span name, struct span value)
{
	struct span clock = behind(value, '@');
	struct strbuf text;

	recast_put(recast, name, until(value, '@'));
	if (span_begins(name, "GR3D"))
		recast_put(
			recast, span_of("GR3D.index"), span_of("0")); /* the only one */
	if (clock.len && *clock.at == '[')
		clock = until(until(behind(clock, '['), ']'), ',');
	if (!clock.len)
		return;
	strbuf_init(&text);
	strbuf_add(&text, name.at, name.len);
	strbuf_adds(&text, ".clock");
	put_number(recast, text.text, clock, "MHz");
	strbuf_release(&text);
}

/* "gpu@47.8C" */
static void put_temperature(struct recast *recast, struct span word)
{
	struct span name = until(word, '@');
	struct strbuf text = strbuf_new();

	strbuf_add(&text, name.at, name.len);
	strbuf_adds(&text, ".temp");
	recast_put(recast, span_of(text.text), behind(word, '@'));
	strbuf_release(&text);
}

static bool is_pair(struct span word)
{
	struct span second = behind(word, '/');

	return word.len && is_digit(*word.at) && second.len && is_digit(*second.at);
}

static void put_words(struct recast *recast, struct span line)
{
	struct span name = SPAN_NONE, word;

	while ((word = span_word(&line)).len) {
		if (*word.at == '[')
			put_cpus(recast, word);
		else if (is_pair(word) && name.len)
			put_pair(recast, name, word);
		else if (is_digit(*word.at) && memchr(word.at, '%', word.len))
			put_engine(recast, name, word);
		else if (!is_digit(*word.at) && *word.at != '(' &&
			memchr(word.at, '@', word.len))
			put_temperature(recast, word);
		name = word;
	}
}

static bool tegrastats_next(struct recast *recast)
{
	struct span line, time;

	while (recast_next_line(recast, &line)) {
		if (cut_time(&line, &time)) {
			if (time.len)
				recast_put(recast, span_of("time"), time);
			put_words(recast, line);
			recast_line_row(recast);
			return true;
		}
		recast_noise(recast, line);
	}
	return false;
}

const struct recast_shape recast_tegrastats = {
	.name = "tegrastats", .is = tegrastats_is, .next = tegrastats_next};
