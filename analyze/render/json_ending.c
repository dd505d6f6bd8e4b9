/* How a recording ended, and what its clocks did, as JSON keys. Computes nothing. */
#include <math.h>

#include "model/recorder_facts.h"
#include "render/json_run.h"

static void add_change(struct json_writer *w, const struct clock_change *change)
{
	json_object(w, NULL);
	json_string(w, "kind", clock_change_name(change->kind));
	json_time(w, "from_at", change->from_ns);
	json_time(w, "to_at", change->to_ns);
	json_number(w, "by_s", (double)change->by_ns / 1e9);
	json_close(w);
}

/* -1: not said */
static void add_said(struct json_writer *w, const char *key, int64_t value, double unit)
{
	json_number(w, key, value < 0 ? NAN : (double)value / unit);
}

/* Of a run of which nothing says what it cost there is no key. */
static void add_observer(struct json_writer *w, const struct run *run)
{
	struct observer o;

	if (!observer_read(run, &o))
		return;
	json_object(w, "observer");
	add_said(w, "logs", o.logs, 1);
	add_said(w, "cpu_s", o.cpu_ns, NS_PER_S);
	json_number(w, "core_pct", observer_core_pct(run, &o));
	add_said(w, "bytes", o.bytes, 1);
	add_said(w, "ticks", o.ticks, 1);
	add_said(w, "missed_ticks", o.missed_ticks, 1);
	add_said(w, "late_p99_s", o.late_p99_ns, NS_PER_S);
	add_said(w, "late_max_s", o.late_max_ns, NS_PER_S);
	add_said(w, "troubled_logs", o.troubled, 1);
	json_string(w, "trouble", o.trouble);
	json_close(w);
}

void json_run_recorder(struct json_writer *w, const struct run *run, bool whole)
{
	if (whole) {
		json_array(w, "clock_changes");
		for (size_t i = 0; i < run->clock_change_count; i++)
			add_change(w, &run->clock_change[i]);
		json_close(w);
	}
	add_observer(w, run);
}

static void add_gpu(
	struct json_writer *w, const struct report *report, const struct gpu_ending *gpu)
{
	json_object(w, NULL);
	json_string(w, "device", report->run->device[gpu->device].name);
	json_bool(w, "lost", gpu->lost);
	json_time(w, "last_at", gpu->last_ns);
	json_number(w, "silent_s", gpu->silent_s);
	for (size_t i = 0; i < ENDING_METRICS; i++)
		json_number(w, metric_get(ending_metric[i])->name, gpu->value[i]);
	for (size_t i = 0; i < ENDING_METRICS; i++)
		json_number(w, ending_rate_name[i], gpu->rate_per_min[i]);
	json_string(w, "said", gpu->said);
	json_string(w, "said_file", gpu->said_file);
	if (gpu->said)
		json_integer(w, "said_line", (int64_t)gpu->said_line);
	else
		json_null(w, "said_line");
	json_close(w);
}

void json_run_ending(struct json_writer *w, const struct report *report)
{
	const struct ending *ending = &report->ending;

	json_object(w, "ending");
	json_bool(w, "abrupt", ending->abrupt);
	json_array(w, "signs");
	for (enum ending_sign sign = 0; sign < ENDING_SIGNS; sign++)
		if (ending->sign[sign])
			json_string(w, NULL, ending_sign_name(sign));
	json_close(w);
	if (ending->signal)
		json_integer(w, "signal", ending->signal);
	else
		json_null(w, "signal");
	json_string(w, "signal_name", ending->signal_name);
	json_string(w, "torn_file", ending->torn_file);
	json_string(w, "driver_file", ending->driver_file);
	json_time(w, "driver_at", ending->driver_ns);
	json_string(w, "early_log", source_name(ending->early_log));
	json_time(w, "early_at", ending->early_ns);
	json_array(w, "gpus");
	for (size_t i = 0; i < ending->gpu_count; i++)
		add_gpu(w, report, &ending->gpu[i]);
	json_close(w);
	json_close(w);
}
