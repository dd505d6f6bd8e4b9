/* The conditions of a rule's `while`, as the sentence why it can't be judged names them.
 */
#ifndef COMPUTE_REPORT_CONDITIONS_H
#define COMPUTE_REPORT_CONDITIONS_H

#include "base/text.h"
#include "model/report.h"
#include "model/rule.h"

/* All metrics that the conditions test: "gpu_util_pct with power_w". */
void conditions_name(struct strbuf *sb, const struct rule *rule);

/*
 * Those without values for the device, or for any GPU if it is FINDING_RUN; with what a
 * ratio is to. All, if each one has values: then no log has them together.
 */
void conditions_name_missing(struct strbuf *sb, const struct rule *rule,
	const struct report *report, uint32_t device);

#endif
