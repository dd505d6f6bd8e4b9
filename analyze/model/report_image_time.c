/* What a report says of time: its evidence and its steady state. */
#include <string.h>

#include "model/report_image_parts.h"
#include "model/run_image.h"

static void image_gap(struct context *c, struct gap *gap)
{
	struct image *im = c->im;

	IMAGE_NUMBER(im, gap->start_ns);
	IMAGE_NUMBER(im, gap->length_s);
	image_device(c, &gap->device);
	IMAGE_BELOW(im, gap->source, SOURCE_KIND_COUNT);
	gap->file = image_place(im, gap->file, c->report->run->file_count);
	IMAGE_NUMBER(im, gap->line);
	image_bool(im, &gap->restart);
	image_bool(im, &gap->unanswered);
	IMAGE_BELOW(im, gap->cause, GAP_ALL_SILENT + 1);
}
IMAGE_IS_WHOLE(struct gap, 48);

static void image_device_evidence(struct context *c, struct device_evidence *e)
{
	struct image *im = c->im;

	IMAGE_BELOW(im, e->source, SOURCE_KIND_COUNT);
	image_device(c, &e->device);
	IMAGE_NUMBER(im, e->rows);
	IMAGE_NUMBER(im, e->first_ns);
	IMAGE_NUMBER(im, e->last_ns);
	IMAGE_NUMBER(im, e->log_first_ns);
	IMAGE_NUMBER(im, e->log_last_ns);
	IMAGE_NUMBER(im, e->interval_s);
	image_borrowed(c, &e->interval_source);
	IMAGE_NUMBER(im, e->gap_limit_s);
	IMAGE_NUMBER(im, e->covered_s);
	IMAGE_NUMBER(im, e->coverage);
	IMAGE_NUMBER(im, e->gaps);
	IMAGE_NUMBER(im, e->restarts);
	IMAGE_NUMBER(im, e->steps_back);
	IMAGE_NUMBER(im, e->sessions);
	IMAGE_NUMBER(im, e->resets);
}
IMAGE_IS_WHOLE(struct device_evidence, 128);

void image_evidence(struct context *c, struct evidence *e)
{
	struct image *im = c->im;
	uint8_t grade = (uint8_t)e->grade;

	image_byte(im, &grade);
	e->grade = (char)grade;
	im->damaged |= !memchr("ABCF", e->grade, 4);
	IMAGE_NUMBER(im, e->coverage);
	image_borrowed(c, &e->time_source);
	IMAGE_NUMBER(im, e->sessions);
	IMAGE_ARRAY(im, e->device, e->device_count);
	for (size_t i = 0; i < e->device_count; i++)
		image_device_evidence(c, &e->device[i]);
	IMAGE_NUMBER(im, e->gap_count);
	IMAGE_ARRAY(im, e->gap, e->gap_listed);
	for (size_t i = 0; i < e->gap_listed; i++)
		image_gap(c, &e->gap[i]);
}
IMAGE_IS_WHOLE(struct evidence, 80);

static void image_drift(struct context *c, struct drift *drift)
{
	image_device(c, &drift->device);
	IMAGE_BELOW(c->im, drift->metric, METRIC_COUNT);
	IMAGE_NUMBER(c->im, drift->from);
	IMAGE_NUMBER(c->im, drift->to);
	IMAGE_NUMBER(c->im, drift->change);
	IMAGE_NUMBER(c->im, drift->at_ns);
}
IMAGE_IS_WHOLE(struct drift, 40);

static void image_interruption(struct context *c, struct interruption *interruption)
{
	IMAGE_NUMBER(c->im, interruption->from_ns);
	IMAGE_NUMBER(c->im, interruption->to_ns);
	IMAGE_NUMBER(c->im, interruption->start_s);
	IMAGE_NUMBER(c->im, interruption->seconds);
	IMAGE_NUMBER(c->im, interruption->mean);
	image_bool(c->im, &interruption->higher);
	image_bool(c->im, &interruption->silent);
	IMAGE_BELOW(c->im, interruption->cause, GAP_ALL_SILENT + 1);
}
IMAGE_IS_WHOLE(struct interruption, 48);

static void image_kept(struct image *im, struct kept_stretch *kept)
{
	IMAGE_NUMBER(im, kept->from_ns);
	IMAGE_NUMBER(im, kept->to_ns);
}
IMAGE_IS_WHOLE(struct kept_stretch, 16);

void image_steady(struct context *c, struct steady *s)
{
	struct image *im = c->im;

	image_bool(im, &s->found);
	image_borrowed(c, &s->why_not);
	IMAGE_BELOW(im, s->metric, METRIC_none + (s->found ? 0 : 1));
	IMAGE_BELOW(im, s->source, SOURCE_NONE + (s->found ? 0 : 1));
	IMAGE_NUMBER(im, s->from_ns);
	IMAGE_NUMBER(im, s->to_ns);
	IMAGE_NUMBER(im, s->from_s);
	IMAGE_NUMBER(im, s->to_s);
	IMAGE_NUMBER(im, s->warm_up_s);
	IMAGE_NUMBER(im, s->interruptions);
	IMAGE_NUMBER(im, s->interrupted_s);
	IMAGE_ARRAY(im, s->interruption, s->interruption_listed);
	for (size_t i = 0; i < s->interruption_listed; i++)
		image_interruption(c, &s->interruption[i]);
	IMAGE_ARRAY(im, s->drift, s->drift_count);
	for (size_t i = 0; i < s->drift_count; i++)
		image_drift(c, &s->drift[i]);
	IMAGE_NUMBER(im, s->coverage);
	IMAGE_ARRAY(im, s->kept, s->kept_count);
	for (size_t i = 0; i < s->kept_count; i++)
		image_kept(im, &s->kept[i]);
	IMAGE_NUMBER(im, s->gpu_util_mean_pct);
	IMAGE_NUMBER(im, s->power_total_mean_w);
}
IMAGE_IS_WHOLE(struct steady, 152);
