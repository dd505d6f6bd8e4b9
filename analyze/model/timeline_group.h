/* Offers the series of one metric in a timeline, and all of them merged into one. */
#ifndef MODEL_TIMELINE_GROUP_H
#define MODEL_TIMELINE_GROUP_H

#include "model/report.h"

struct timeline_group {
	const struct report *report;
	const struct timeline_metric *drawn;
	const struct metric *metric;
	const struct timeline_series **series; /* [count] owned */
	size_t count;
	uint32_t *lacking; /* [lacking_count] devices of the run that have neither it nor
			      what is drawn in its place; owned */
	size_t lacking_count;
	uint32_t *partial; /* [partial_count] those with gaps that not all have; owned */
	size_t partial_count;
	struct timeline_series all; /* of them together; owned */
	size_t per_column; /* of so many of its columns one is to be drawn */
	bool together; /* it is to be drawn as one: more than STRIPS_MAX are */
	double whole; /* the largest value of the metric that is the whole of this one;
			 NAN */
};

/* False: of that metric there is none, or the report's filter has left none. Release it
 * in either case. */
bool timeline_group_init(struct timeline_group *group, const struct report *report,
	const struct timeline_metric *metric);
void timeline_group_release(struct timeline_group *group);

/* The report's numbers of a series; NULL: its filter has left none. */
const struct metric_stats *timeline_stats(
	const struct report *report, const struct timeline_series *series);

/* Its mean; of shares and the like that of the samples. NAN. */
double timeline_mean(const struct metric_stats *stats);

/* That of all of them together, as summary has it where it has one. NAN. */
double timeline_group_mean(const struct timeline_group *group);

#endif
