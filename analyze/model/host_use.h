/*
 * What a run's host was like for it, in a line for people: what the command was allowed
 * to have of it, and what disks, network and whoever waited did.
 */
#ifndef MODEL_HOST_USE_H
#define MODEL_HOST_USE_H

#include <stdbool.h>

#include "base/text.h"
#include "model/report.h"

/*
 * "memory 16,384 MiB, the time of 2.5 CPUs, CPUs 0-3 only": limits below what the host
 * has. False: none is known, and nothing is appended.
 */
bool host_use_limits(struct strbuf *sb, const struct run *run);

/* "read 12.3 MiB/s, written 0.4 MiB/s, busy 20.0 %". Likewise. */
bool host_use_disks(struct strbuf *sb, const struct report *report);
/* "received 1.2 MiB/s, sent 0.1 MiB/s" */
bool host_use_network(struct strbuf *sb, const struct report *report);
/* "for CPU 1.2 %, for memory 0.0 %, for I/O 30.1 % of the time" */
bool host_use_stalls(struct strbuf *sb, const struct report *report);
/* "used at most 6,000 MiB of memory, the time of 1.2 CPUs, throttled in 25.0 % of the
 * quota's periods" */
bool host_use_group(struct strbuf *sb, const struct report *report);
/* "one process had 1,234 MiB resident at a time": more than any sample saw of all. */
bool host_use_between(struct strbuf *sb, const struct report *report);
/* All processes of the user, and of the Slurm job: "used at most 6,000 MiB of memory, the
 * time of 1.20 CPUs" */
bool host_use_user(struct strbuf *sb, const struct report *report);
bool host_use_job(struct strbuf *sb, const struct report *report);

#endif
