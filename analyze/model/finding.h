/*
 * A finding: what a rule says of a run or of one of its GPUs, with values and
 * stretches of time. Filled by compute, printed by render, stored by store. A rule
 * that does not fire has a finding only if the user asks for all.
 */
#ifndef MODEL_FINDING_H
#define MODEL_FINDING_H

#include "model/rule.h"
#include "model/run.h"

struct report;

#define FINDING_STRETCHES_LISTED 1000 /* at most; all are counted */

/* A stretch of time in which the rule's conditions held. */
struct finding_stretch {
	int64_t from_ns, to_ns;
	double start_s; /* from the run's start */
	double seconds;
	double gpu_seconds; /* summed over the GPUs of which it is true */
	double meanwhile[RULE_MEANWHILE_MAX]; /* means of the rule's metrics, of counters
						 what they rose by a second; NAN */
	size_t phase; /* the path in which it begins, an index into the report's; SIZE_MAX
		       */
	struct event_place first, last; /* rows in it of the GPUs that it is about, by
					   time; not known unless one asks for it */
};

/* How long in the calls of a path the conditions held. */
struct finding_phase {
	size_t path; /* index into the report's */
	double seconds;
	double own_s; /* of it in none of the paths right in it */
	double value[RULE_IN_PHASES_MAX]; /* of the rule's in_phases, of that time; NAN */
};

enum outcome {
	OUTCOME_FIRES,
	OUTCOME_CANNOT_TELL,
	OUTCOME_SILENT /* a condition fails; only where a report is asked for it */
};

const char *outcome_name(enum outcome outcome); /* "fires", "cannot_tell", "silent" */

#define FINDING_RUN UINT32_MAX /* of no single device */

struct finding {
	const struct rule
		*rule; /* borrowed from the rule set, which outlives the report */
	enum outcome outcome;
	uint32_t device; /* index into the run's; FINDING_RUN */
	bool of_phases; /* it says only what of it lies in the phases that are asked for:
			   values, cost and coverage are not known of them */
	char *why; /* of CANNOT_TELL: what was missing; owned */
	double value[RULE_PARTS_MAX]; /* in the order of the rule's; NAN: unknown */
	double cost_gpu_s; /* GPU-seconds that it costs; NAN */
	double coverage; /* of the device, or the run; NAN */
	uint64_t stretch_count;
	struct finding_stretch *stretch; /* [stretch_listed] owned; the costliest first */
	size_t stretch_listed;
	struct finding_phase *phase; /* [phase_count] owned; in the order of the paths */
	size_t phase_count;
};

void finding_release(struct finding *finding);

/* A value of a rule in its unit, as people read it. */
void finding_print_value(struct strbuf *sb, const struct rule_value *value, double x);

typedef void name_print(struct strbuf *sb, const char *name);

/* The rule's sentence with its values, as people read them; without the parts in [] of
 * which one is unknown, or of those with a plus, {+name}, reads as nought. Of phases its
 * title, and for how long in each. Names as print_name has them: strbuf_adds, whole. */
void finding_sentence(struct strbuf *sb, const struct report *report,
	const struct finding *finding, name_print *print_name);

/*
 * Host metrics during a stretch of a finding: name, unit and text. A counter has a
 * rate, such as "host_disk_read_mib.rate_per_s" in MiB/s.
 */

struct meanwhile_name {
	char text[64]; /* "cpu_busy_pct", "host_disk_read_mib.rate_per_s" */
	char unit[16]; /* "%", "MiB/s"; "" of seconds a second */
};

struct meanwhile_name meanwhile_name(enum metric_id metric);

/* Its value alone: "12.3 %" */
void meanwhile_print_value(struct strbuf *sb, enum metric_id metric, double value);

/* "CPU busy 12.3 %", "Read from disks 96.8 MiB/s", "Stalled for I/O 20.0 %" */
void meanwhile_print(struct strbuf *sb, enum metric_id metric, double value);

/* A counter that did not rise, as far as people read it: nothing was done. */
bool meanwhile_is_nought(enum metric_id metric, double value);

/* Its name; NULL: it is of the run. */
const char *finding_device(const struct report *report, const struct finding *finding);

#endif
