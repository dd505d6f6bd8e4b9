/*
 * Writes the recorder's facts about itself into a run's list of facts, and reads them
 * back.
 */
#include "model/recorder_facts.h"

#include <inttypes.h>
#include <math.h>

#include "base/number.h"

static const struct {
	const char *name;
	size_t offset;
} facts[] = {
	{"recorder_logs", offsetof(struct observer, logs)},
	{"recorder_cpu_ns", offsetof(struct observer, cpu_ns)},
	{"recorder_bytes", offsetof(struct observer, bytes)},
	{"recorder_ticks", offsetof(struct observer, ticks)},
	{"recorder_missed_ticks", offsetof(struct observer, missed_ticks)},
	{"recorder_late_p99_ns", offsetof(struct observer, late_p99_ns)},
	{"recorder_late_max_ns", offsetof(struct observer, late_max_ns)},
	{"recorder_troubled", offsetof(struct observer, troubled)},
};

#define FACT_TROUBLE "recorder_trouble"
#define FACT_EARLY   "recorder_ended_early"

#define FACTS (sizeof facts / sizeof facts[0])

void observer_keep(struct run *run, const struct observer *observer)
{
	for (size_t i = 0; i < FACTS; i++) {
		const int64_t *value =
			(const int64_t *)((const char *)observer + facts[i].offset);
		char text[24];

		if (*value < 0)
			continue;
		(void)snprintf(text, sizeof text, "%" PRId64, *value);
		run_add_fact(run, facts[i].name, span_of(text));
	}
	if (observer->trouble)
		run_add_fact(run, FACT_TROUBLE, span_of(observer->trouble));
	if (observer->early)
		run_add_fact(run, FACT_EARLY, span_of(observer->early));
}

bool observer_read(const struct run *run, struct observer *observer)
{
	bool said = false;

	for (size_t i = 0; i < FACTS; i++) {
		int64_t *value = (int64_t *)((char *)observer + facts[i].offset);
		const char *text = run_fact(run, facts[i].name);
		uint64_t number;

		*value = -1;
		if (!text || !number_unsigned(span_of(text), &number) ||
			number > INT64_MAX)
			continue;
		*value = (int64_t)number;
		said = true;
	}
	observer->trouble = run_fact(run, FACT_TROUBLE);
	observer->early = run_fact(run, FACT_EARLY);
	return said;
}

double observer_core_pct(const struct run *run, const struct observer *observer)
{
	if (observer->cpu_ns < 0 || run->started_ns == TIME_NONE ||
		run->ended_ns == TIME_NONE || run->ended_ns <= run->started_ns)
		return NAN;
	return 100.0 * (double)observer->cpu_ns /
		(double)(run->ended_ns - run->started_ns);
}
