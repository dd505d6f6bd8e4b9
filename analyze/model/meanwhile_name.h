/*
 * What hosts did in a stretch of a finding: under which name, in which unit, and how
 * people read it. Of a counter it is the rate, "host_disk_read_mib.rate_per_s" in MiB/s.
 */
#ifndef MODEL_MEANWHILE_NAME_H
#define MODEL_MEANWHILE_NAME_H

#include <stdbool.h>

#include "base/text.h"
#include "model/metric.h"

struct meanwhile_name {
	char text[64]; /* "cpu_busy_pct", "host_disk_read_mib.rate_per_s" */
	char unit[16]; /* "%", "MiB/s"; "" of seconds a second */
};

struct meanwhile_name meanwhile_name(enum metric_id metric);

/* "CPU busy 12.3 %", "Read from disks 96.8 MiB/s", "Stalled for I/O 20.0 %" */
void meanwhile_print(struct strbuf *sb, enum metric_id metric, double value);

/* A counter that did not rise, as far as people read it: nothing was done. */
bool meanwhile_is_nought(enum metric_id metric, double value);

#endif
