/*
 * What a timeline is made of, for pages and for pictures of their own: html_timeline.c
 * and svg.c put the parts together. Places along the axis are per cent of the picture
 * that a part stands in, so that it may be as wide as one likes.
 */
#ifndef RENDER_TIMELINE_PARTS_H
#define RENDER_TIMELINE_PARTS_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "model/report.h"
#include "render/strip.h"

/* The series of one metric. */
struct timeline_group {
	const struct report *report;
	const struct timeline_metric *drawn;
	const struct metric *metric;
	const struct timeline_series **series; /* [count] owned */
	size_t count;
	double min, max; /* of all */
	struct timeline_series all; /* of them together, where they are many; owned */
	struct strip_range range;
};

/* False: of that metric there is none, or the report's filter has left none. Release it
 * in either case. */
bool timeline_group_init(struct timeline_group *group, const struct report *report,
	const struct timeline_metric *metric);
void timeline_group_release(struct timeline_group *group);

/* Is there nothing to see, not even a gap? Then "2,619 MHz throughout" says it. */
bool timeline_group_is_flat(const struct timeline_group *group);
void timeline_group_flat(struct strbuf *sb, const struct timeline_group *group);

/* "0 to 700 W": what the bottom and the top of its strips are. */
void timeline_group_scale(struct strbuf *sb, const struct timeline_group *group);

/* One of them: a device, or all of them together where they are many. */
struct timeline_strip {
	char name[64]; /* as raw as the run has it */
	double mean, max; /* mean: NAN: of all */
};

size_t timeline_group_strips(const struct timeline_group *group);
struct timeline_strip timeline_group_strip(const struct timeline_group *group, size_t at);
/* The rest of its svg element: attributes, title and paths, without the end tag. */
void timeline_group_picture(
	struct strbuf *sb, const struct timeline_group *group, size_t at);
/* Has it a gap? Then the same of what marks them below it, STRIP_GAPS_HEIGHT px high;
 * returns how many stand in one mark at most. */
bool timeline_group_has_gaps(const struct timeline_group *group, size_t at);
size_t timeline_group_gaps(
	struct strbuf *sb, const struct timeline_group *group, size_t at);

/* "83", "0, the end": how many gaps a series has, and whether one is at an end of the
 * run; "-": it can't be told. */
void timeline_gaps(struct strbuf *sb, const struct timeline_series *series);
/* What the marks mean, of which one stands for so many gaps at most. */
void timeline_gaps_legend(struct strbuf *sb, size_t most);

/* The report's numbers of a series; NULL: its filter has left none. */
const struct metric_stats *timeline_stats(
	const struct report *report, const struct timeline_series *series);
/* Its mean; of shares and the like that of the samples. NAN. */
double timeline_mean(const struct metric_stats *stats);

/* Is anything drawn that the filter has left? */
bool timeline_is_drawn(const struct report *report);

/* An instant on the axis, in per cent of it. */
double timeline_percent(const struct report *report, int64_t t_ns);

/* ... from the run's start on, "12.5 s"; "-". */
void timeline_since_start(struct strbuf *sb, const struct report *report, int64_t t_ns);

/* How high phases are, in px; 0: there are none. And they, one below the other as they
 * are nested. */
int timeline_phases_height(const struct report *report);
void timeline_phases(struct strbuf *sb, const struct report *report);

/* Behind all: phases as stripes, and lines at the marks of the axis. */
void timeline_behind(struct strbuf *sb, const struct report *report);

/* What the marks are called: text elements, 12 px below the picture's top. */
void timeline_axis(struct strbuf *sb, const struct report *report);

/*
 * What held the clocks of GPUs down: has[] says which reasons there are; false: none. A
 * GPU has a lane for each of them. The next GPU behind *device with a mark, from
 * UINT32_MAX on; false: there is none.
 */
bool timeline_slowed(const struct report *report, bool has[SLOWED_COUNT]);
int timeline_slowed_height(const bool has[SLOWED_COUNT]); /* px of a GPU */
const char *timeline_slowed_class(enum slowed why); /* static */
bool timeline_slowed_next(const struct report *report, uint32_t *device);
/* The rest of the svg element of a GPU, as of a strip. */
void timeline_slowed_picture(struct strbuf *sb, const struct report *report,
	uint32_t device, const bool has[SLOWED_COUNT]);

#endif
