/* Memory of trends, and what their points are called. */
#include "model/trend.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"

void trend_run_release(struct trend_run *run)
{
	free(run->key);
	free(run->path);
	label_list_release(&run->labels);
	fate_release(&run->fate);
}

void trends_release(struct trends *trends)
{
	for (size_t i = 0; i < trends->count; i++) {
		struct trend *trend = &trends->at[i];

		measure_release(&trend->measure);
		free(trend->run);
		free(trend->covered);
		free(trend->value);
		free(trend->change);
	}
	for (size_t i = 0; i < trends->run_count; i++)
		trend_run_release(&trends->run[i]);
	for (size_t i = 0; i < trends->lost_count; i++)
		trend_run_release(&trends->lost[i]);
	free(trends->lost);
	for (size_t i = 0; i < trends->difference_count; i++) {
		for (size_t k = 0; k < trends->run_count; k++)
			free(trends->difference[i].said[k]);
		free(trends->difference[i].said);
	}
	free(trends->difference);
	for (size_t i = 0; i < trends->remark_count; i++)
		free(trends->remark[i]);
	free(trends->by);
	free(trends->at);
	free(trends->run);
	free(trends->point);
	free(trends->remark);
	*trends = TRENDS_INIT;
}

void trends_remark(struct trends *trends, const char *format, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	ALLOC_GROW(trends->remark, trends->remark_count + 1, trends->remark_cap);
	trends->remark[trends->remark_count++] = xstrdup(text);
}

const char *trend_point_name(const struct trends *trends, size_t point)
{
	const struct trend_run *run = &trends->run[trends->point[point].first];

	return trends->by ? label_find(&run->labels, trends->by)->value : run->path;
}

bool trend_run_counts(const struct trend_run *run)
{
	return run->fate.kind == FATE_WHOLE;
}

bool trend_counts(const struct trends *trends, const struct trend *trend, size_t run)
{
	return trend_run_counts(&trends->run[run]) && !isnan(trend->run[run]) &&
		!trend->covered[run].doubt;
}

const struct trend_change *trend_begins(const struct trend *trend, size_t point)
{
	for (size_t i = 0; i < trend->change_count; i++)
		if (trend->change[i].point == point)
			return &trend->change[i];
	return NULL;
}
