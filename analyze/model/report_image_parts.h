/* What the files of a report's image share. */
#ifndef MODEL_REPORT_IMAGE_PARTS_H
#define MODEL_REPORT_IMAGE_PARTS_H

#include "model/image.h"
#include "model/report.h"
#include "model/texts.h"

struct context {
	struct image *im;
	struct report *report;
	const struct rule_set *rules;
	struct texts words; /* borrowed ones that were written, or read */
	const char **word; /* [word_count] of the report that is read */
	size_t word_count, word_cap;
	size_t devices;
};

/* Borrowed from the run, or static: read, it is the report's. NULL stays NULL. */
void image_borrowed(struct context *c, const char **member);
void image_device(struct context *c, uint32_t *device); /* of the run's */

void image_evidence(struct context *c, struct evidence *e);
void image_steady(struct context *c, struct steady *s);

#endif
