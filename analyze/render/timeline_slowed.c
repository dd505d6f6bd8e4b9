/*
 * When something held the clocks of a GPU down: a lane a reason, each of its own colour
 * and at its own height.
 */
#include "base/quantity.h"
#include "render/timeline_parts.h"
#include "render/xml_text.h"

#define LANE_PX 7

static const char *const class_of[SLOWED_COUNT] = {
	[SLOWED_POWER] = "power", [SLOWED_HEAT] = "heat", [SLOWED_HARDWARE] = "hardware"};

bool timeline_slowed(const struct report *report, bool has[SLOWED_COUNT])
{
	const struct timeline *t = report->timeline;
	bool any = false;

	for (size_t i = 0; i < t->mark_count; i++) {
		if (!report_wants_device(report, t->mark[i].device))
			continue;
		has[t->mark[i].why] = true;
		any = true;
	}
	return any;
}

static int lane_of(const bool has[SLOWED_COUNT], enum slowed why)
{
	int lane = 0;

	for (enum slowed i = 0; i < why; i++)
		lane += has[i];
	return lane;
}

int timeline_slowed_height(const bool has[SLOWED_COUNT])
{
	return LANE_PX * lane_of(has, SLOWED_COUNT);
}

const char *timeline_slowed_class(enum slowed why)
{
	return class_of[why];
}

/* The marks stand by device. */
bool timeline_slowed_next(const struct report *report, uint32_t *device)
{
	const struct timeline *t = report->timeline;

	for (size_t i = 0; i < t->mark_count; i++) {
		uint32_t next = t->mark[i].device;

		if ((*device == UINT32_MAX || next > *device) &&
			report_wants_device(report, next)) {
			*device = next;
			return true;
		}
	}
	return false;
}

void timeline_slowed_picture(struct strbuf *sb, const struct report *report,
	uint32_t device, const bool has[SLOWED_COUNT])
{
	const struct timeline *t = report->timeline;
	const char *name = report->run->device[device].name, *before = ": ";
	double from = timeline_place(t, t->from_ns), to = timeline_place(t, t->to_ns);

	strbuf_addf(sb,
		" viewBox=\"%.4f 0 %.4f %d\" preserveAspectRatio=\"none\"><title>", from,
		to > from ? to - from : 0.01, timeline_slowed_height(has));
	xml_text(sb, name);
	strbuf_adds(sb, " was held down");
	for (size_t i = 0; i < t->held_count; i++) {
		if (t->held[i].device != device)
			continue;
		strbuf_addf(sb, "%s%s for ", before, slowed_name(t->held[i].why));
		quantity_span(sb, t->held[i].seconds);
		strbuf_adds(sb, " from ");
		timeline_since_start(sb, report, t->held[i].from_ns);
		strbuf_adds(sb, " on");
		before = ", ";
	}
	strbuf_adds(sb, "</title>");
	for (enum slowed why = 0; why < SLOWED_COUNT; why++) {
		bool begun = false;

		for (size_t i = 0; i < t->mark_count; i++) {
			const struct timeline_mark *m = &t->mark[i];

			if (m->device != device || m->why != why)
				continue;
			if (!begun)
				strbuf_addf(sb, "<path class=\"%s\" d=\"", class_of[why]);
			begun = true;
			strbuf_addf(sb, "M%zu %dh%zuv%dh-%zuz", m->from,
				LANE_PX * lane_of(has, why), m->to - m->from, LANE_PX - 2,
				m->to - m->from);
		}
		strbuf_adds(sb, begun ? "\"/>" : "");
	}
}
