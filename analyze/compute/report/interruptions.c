/* Other levels, and gaps, in time that is cut out of a steady state. */
#include "compute/report/interruptions.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* The plain means of its samples at other levels, and of those at the state's. */
static void set_level(
	struct interruption *one, const struct interruptions *of, enum metric_id metric)
{
	const struct course *course = of->course;
	int64_t per_unit = metric_get(metric)->per_unit;
	bool here[COURSE_BINS] = {false};

	for (uint64_t i = 0; i < course->count; i++)
		here[course->first + i] = of->apart[course->first + i] &&
			course_border_ns(course, i) < one->to_ns &&
			course_border_ns(course, i + 1) > one->from_ns;
	one->mean = course_mean(course, here, per_unit);
	one->higher = one->mean > course_mean(course, of->kept, per_unit);
}

/* Of the longest gap of a GPU in it that the evidence lists, the longest first. */
static enum gap_cause cause_of(const struct stretch *time, const struct report *report)
{
	const struct evidence *e = &report->evidence;

	for (size_t i = 0; i < e->gap_listed; i++) {
		int64_t from_ns = e->gap[i].start_ns;
		struct stretch gap = {
			from_ns, from_ns + (int64_t)(e->gap[i].length_s * 1e9)};

		if (report->run->device[e->gap[i].device].kind == DEVICE_GPU &&
			stretch_common_ns(&gap, time) > 0)
			return e->gap[i].cause;
	}
	return GAP_UNKNOWN;
}

static bool is_silent(const struct stretch *time, const struct silence *silence)
{
	for (size_t i = 0; i < silence->any_count; i++)
		if (stretch_common_ns(&silence->any[i], time) > 0)
			return true;
	return false;
}

static int longest_first(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;
	int64_t x_ns = x->to_ns - x->from_ns, y_ns = y->to_ns - y->from_ns;

	if (x_ns != y_ns)
		return x_ns < y_ns ? 1 : -1;
	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

static int earliest_first(const void *a, const void *b)
{
	const struct interruption *x = a, *y = b;

	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

static double seconds(int64_t from_ns, int64_t to_ns)
{
	return number_ratio((int128)to_ns - from_ns, NS_PER_S);
}

static struct interruption interruption_of(
	const struct stretch *time, enum metric_id metric, const struct interruptions *of)
{
	struct interruption one = {.from_ns = time->from_ns,
		.to_ns = time->to_ns,
		.start_s = report_second(of->report, time->from_ns),
		.seconds = seconds(time->from_ns, time->to_ns),
		.silent = is_silent(time, of->silence)};

	set_level(&one, of, metric);
	if (one.silent)
		one.cause = cause_of(time, of->report);
	return one;
}

void interruptions_list(struct steady *steady, struct stretch *at, size_t count,
	const struct interruptions *of)
{
	size_t most = 0;

	for (size_t i = 0; i < count; i++) {
		struct stretch in = at[i];

		if (in.from_ns < steady->from_ns)
			in.from_ns = steady->from_ns;
		if (in.to_ns > steady->to_ns)
			in.to_ns = steady->to_ns;
		if (in.from_ns < in.to_ns)
			at[most++] = in;
	}
	count = most;
	most = count < INTERRUPTIONS_LISTED ? count : INTERRUPTIONS_LISTED;
	steady->interruption = xcalloc(most + 1, sizeof *steady->interruption);
	steady->interruption_listed = most;
	if (!most)
		return;
	qsort(at, count, sizeof *at, longest_first);
	for (size_t i = 0; i < most; i++)
		steady->interruption[i] = interruption_of(&at[i], steady->metric, of);
	qsort(steady->interruption, most, sizeof *steady->interruption, earliest_first);
}
