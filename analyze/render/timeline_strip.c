/*
 * One series over time as a picture, and the scale that it is on: of a device, of several
 * together, or of a run beside others.
 */
#include <math.h>
#include <string.h>

#include "base/quantity.h"
#include "render/timeline_parts.h"
#include "render/xml_text.h"

#define FLAT 0.05 /* of the height: what stays below is said, not drawn */

/* 1, 2, 2.5 or 5 times a power of ten, not below x, which is above 0. */
static double round_step(double x)
{
	static const double times[] = {1, 2, 2.5, 5, 10};
	double ten = pow(10, floor(log10(x)));
	size_t i = 0;

	while (i < 4 && times[i] * ten < x * (1 - 1e-9))
		i++;
	return times[i] * ten;
}

struct strip_range timeline_range(
	const struct timeline_metric *drawn, double min, double max, double whole)
{
	bool zero = drawn->base == BASE_ZERO && min >= 0;
	double low = zero ? 0 : min, top = zero && max == 0 ? 1 : max, step;
	struct strip_range range = {low, top};

	if (low == top)
		return range;
	step = round_step((top - low) / 5);
	range.low = step * floor(low / step + 1e-9);
	range.high = step * ceil(top / step - 1e-9);
	if (zero && strcmp(metric_get(drawn->metric)->unit, "%") == 0)
		range.high = fmax(100, max);
	if (whole >= top)
		range.high = whole;
	return range;
}

bool timeline_range_is_flat(const struct timeline_metric *drawn, struct strip_range range,
	double min, double max)
{
	return min == max || (drawn->base == BASE_ZERO && max < FLAT * range.high);
}

/* What is printed alike stands once. */
void timeline_values(
	struct strbuf *sb, const struct metric *metric, double min, double max)
{
	struct strbuf low, high;

	strbuf_init(&low);
	strbuf_init(&high);
	quantity_number(&low, min, metric->decimals);
	quantity_number(&high, max, metric->decimals);
	if (strcmp(low.text, high.text) != 0)
		strbuf_addf(sb, "%s to ", low.text);
	strbuf_adds(sb, high.text);
	if (*metric->unit)
		strbuf_addf(sb, "\u00a0%s", metric->unit);
	strbuf_release(&low);
	strbuf_release(&high);
}

static void add_range(
	struct strbuf *sb, const struct metric *metric, struct strip_range range)
{
	double size = range.high - range.low;
	int decimals = size >= 5 ? 0 : size >= 0.5 ? 1 : 2;

	quantity_number(sb, range.low, decimals);
	strbuf_adds(sb, " to ");
	quantity_number(sb, range.high, decimals);
	if (*metric->unit)
		strbuf_addf(sb, "\u00a0%s", metric->unit);
}

void timeline_scale(struct strbuf *sb, const struct metric *metric,
	struct strip_range range, double min, double max)
{
	bool scaled = range.low < range.high;

	if (scaled)
		add_range(sb, metric, range);
	if (min < max)
		return;
	strbuf_adds(sb, scaled ? ", " : "");
	timeline_values(sb, metric, min, max);
	strbuf_adds(sb, " wherever it is known");
}

/* What a screen reader says, and a pointer shows. */
static void add_title(struct strbuf *sb, const struct timeline_drawn *drawn)
{
	const struct metric *metric = metric_get(drawn->series->metric);

	strbuf_addf(sb, "<title>%s of ", metric->title);
	xml_text(sb, drawn->name);
	strbuf_adds(sb, ": ");
	timeline_values(sb, metric, drawn->series->min, drawn->series->max);
	if (!isnan(drawn->mean)) {
		strbuf_adds(sb, ", mean ");
		quantity_number(sb, drawn->mean, metric->decimals);
	}
	strbuf_adds(sb, "</title>");
}

/* What is drawn: the series in the columns of the picture. */
struct joined {
	struct timeline_series series;
	struct timeline axis;
};

static struct joined join(const struct timeline_drawn *drawn)
{
	struct joined joined = {.axis = *drawn->axis};

	timeline_merge(&joined.series, &drawn->series, 1, drawn->axis->columns,
		drawn->per_column);
	joined.axis.columns =
		timeline_merged_columns(drawn->axis->columns, drawn->per_column);
	joined.axis.step_ns *= (int64_t)drawn->per_column;
	return joined;
}

/* The columns' middles stand at whole numbers. */
static double place_of(const struct timeline *axis, int64_t t_ns)
{
	return timeline_place(axis, t_ns) - 0.5;
}

/* Returns where it begins. */
static double begin_picture(
	struct strbuf *sb, const struct timeline *axis, int64_t length_ns, int high)
{
	double from = place_of(axis, axis->from_ns);
	double columns = (double)length_ns / (double)axis->step_ns;

	strbuf_addf(sb, " viewBox=\"%.4f 0 %.4f %d\" preserveAspectRatio=\"none\">", from,
		fmax(columns, 0.01), high);
	return from;
}

void timeline_picture(struct strbuf *sb, const struct timeline_drawn *drawn)
{
	struct joined joined = join(drawn);
	const struct timeline *axis = &joined.axis;
	double from = begin_picture(sb, axis, drawn->length_ns, STRIP_HEIGHT);
	double to = place_of(axis, axis->to_ns);

	add_title(sb, drawn);
	if (drawn->shows_length)
		strip_length(sb, from, to);
	strip_paths(sb, &joined.series, axis->columns, drawn->range, from, to);
	timeline_series_release(&joined.series);
}

size_t timeline_gap_marks(struct strbuf *sb, const struct timeline_drawn *drawn)
{
	struct joined joined = join(drawn);
	size_t most;

	begin_picture(sb, &joined.axis, drawn->length_ns, STRIP_GAPS_HEIGHT);
	strbuf_addf(
		sb, "<title>Gaps in %s of ", metric_get(drawn->series->metric)->title);
	xml_text(sb, drawn->name);
	strbuf_adds(sb, ": ");
	timeline_gaps(sb, drawn->series);
	strbuf_adds(sb, "</title>");
	most = strip_gap_marks(sb, &joined.series);
	timeline_series_release(&joined.series);
	return most;
}

void timeline_gaps(struct strbuf *sb, const struct timeline_series *series)
{
	if (!series->gaps_known) {
		strbuf_addc(sb, '-');
		return;
	}
	quantity_count(sb, timeline_gaps_between(series));
	if (series->starts_late)
		strbuf_adds(sb, ", the start");
	if (series->ends_early)
		strbuf_adds(sb, ", the end");
}

void timeline_gaps_legend(struct strbuf *sb, size_t most)
{
	strbuf_adds(sb, "no device of the row has a value: a gap, however short");
	if (most > 1) {
		strbuf_adds(sb, ", or as many as ");
		quantity_count(sb, most);
		strbuf_adds(sb, " that touch");
	}
	strbuf_adds(sb, ", or the start or the end of the run");
}
