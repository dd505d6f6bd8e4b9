/*
 * manifest.json of a session that JUmPER exported: what it knew of the machine and of
 * itself, which become facts of the run, and how far its clock is from the time since
 * 1970. Every key may be missing; what makes no sense is said and not used.
 */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "read/format.h"
#include "read/json_line.h"
#include "read/jumper_rows.h"
#include "read/manifest_keys.h"

#define FACT_DIGITS                                                        \
	1000000000LL /* a number of which a fact is made has so many parts \
		      */

static int bid(const struct probe *probe)
{
	static const char *const words[] = {"\"app\"", "\"JUmPER\"", "\"monitor\""};
	unsigned found = 0;

	if (!probe->count || probe->sqlite || !span_begins(probe->line[0], "{"))
		return 0;
	for (size_t i = 0; i < probe->count; i++)
		for (struct span s = probe->line[i]; s.len; s.at++, s.len--)
			for (unsigned w = 0; w < 3; w++)
				found |= span_begins(s, words[w]) ? 1u << w : 0;
	return found == 7 ? 75 : 0;
}

static void say_senseless(struct log *log, const char *path, const char *expected)
{
	log_note(log, true, "bad-manifest", span_of(path),
		"\"%s\" has a value that makes no sense; expected %s; it counts as "
		"unknown",
		path, expected);
}

/* A number from `least` on becomes a fact; null, or none, is nothing to say. */
static void take_number(struct log *log, const struct json_line *json, const char *path,
	enum jumper_fact fact, int64_t least)
{
	struct span value = json_line_find(json, path);
	int64_t parts;

	if (!value.len || span_is(value, "null"))
		return;
	if (number_scaled(value, FACT_DIGITS, &parts) && parts >= least * FACT_DIGITS)
		jumper_say(log->run, fact, value);
	else
		say_senseless(log, path, least ? "a number from 1 on" : "a number");
}

static void take_parts(struct log *log, const struct json_line *json)
{
	struct strbuf path;

	strbuf_init(&path);
	for (enum jumper_level level = 0; level < JUMPER_LEVELS; level++) {
		strbuf_clear(&path);
		strbuf_addf(&path, "monitor.memory_limits.%s", jumper_level_name(level));
		take_number(log, json, path.text, JUMPER_LIMIT_GB + level, 0);
	}
	for (enum jumper_threshold t = 0; t < THRESHOLDS; t++) {
		strbuf_clear(&path);
		strbuf_addf(&path, "reporter.thresholds.%s", jumper_threshold_name(t));
		take_number(log, json, path.text, JUMPER_THRESHOLD + t, 0);
	}
	strbuf_release(&path);
}

static void take_gpus(struct log *log, const struct json_line *json)
{
	char *name = json_text(json_line_find(json, "monitor.gpu_name"));
	double gpus;

	take_number(log, json, "monitor.num_gpus", JUMPER_GPUS, 0);
	gpus = jumper_said(log->run, JUMPER_GPUS);
	if (gpus > 0)
		take_number(log, json, "monitor.gpu_memory", JUMPER_GPU_MEMORY_GB, 0);
	if (name && name[0])
		run_add_fact(log->run, JUMPER_FACT_GPU_NAME, span_of(name));
	free(name);
}

/* Of a session that was exported while it ran the end is null. */
static void take_times(struct log *log, const struct json_line *json)
{
	struct span start = json_line_find(json, "monitor.start_time");
	struct span stop = json_line_find(json, "monitor.stop_time");
	struct span wall = json_line_find(json, "monitor.wallclock_start_time");
	struct span interval = json_line_find(json, "monitor.interval");
	int64_t from_ns, to_ns, interval_ns;
	struct strbuf text;

	(void)jumper_keep_offset(log->run, start, wall);
	if (number_scaled(interval, NS_PER_S, &interval_ns) && interval_ns > 0 &&
		interval_ns <= 100000000 * NS_PER_S) {
		if (log->run->interval_ns < 0)
			log->run->interval_ns = interval_ns;
	} else if (interval.len && !span_is(interval, "null")) {
		say_senseless(log, "monitor.interval", "seconds above 0");
	}
	if (!number_scaled(start, NS_PER_S, &from_ns) ||
		!number_scaled(stop, NS_PER_S, &to_ns) || to_ns < from_ns || from_ns < 0)
		return;
	strbuf_init(&text);
	strbuf_addf(&text, "%lld.%09lld", (long long)((to_ns - from_ns) / NS_PER_S),
		(long long)((to_ns - from_ns) % NS_PER_S));
	jumper_say(log->run, JUMPER_MONITORED_S, (struct span){text.text, text.len});
	strbuf_release(&text);
}

static void take_session(struct log *log, const struct json_line *json)
{
	double cpus;

	take_times(log, json);
	take_number(log, json, "monitor.num_cpus", JUMPER_CPUS, 1);
	take_number(log, json, "monitor.num_system_cpus", JUMPER_SYSTEM_CPUS, 1);
	take_gpus(log, json);
	take_parts(log, json);
	cpus = jumper_said(log->run, JUMPER_SYSTEM_CPUS);
	if (log->run->cpu_count < 0 && cpus >= 1 && cpus <= 65536)
		log->run->cpu_count = (int32_t)cpus;
}

static void session_survey(struct log *log)
{
	struct json_line json = {0};
	struct strbuf text;
	struct span line;

	strbuf_init(&text);
	while (text.len < MANIFEST_MAX && log_line(log, &line)) {
		strbuf_add(&text, line.at, line.len);
		strbuf_addc(&text, '\n');
	}
	if (json_line_parse(&json, (struct span){text.text, text.len})) {
		take_session(log, &json);
		log->file->rows++;
	} else {
		log_refuse(log, "bad-json",
			"the session's manifest is no JSON object: what it says is lost");
	}
	json_line_release(&json);
	strbuf_release(&text);
}

const struct format format_jumper_session = {
	.kind = SOURCE_JUMPER_SESSION, .bid = bid, .survey = session_survey};
