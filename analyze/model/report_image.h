/* A report as bytes, and back: image.h. */
#ifndef MODEL_REPORT_IMAGE_H
#define MODEL_REPORT_IMAGE_H

#include "model/image.h"
#include "model/report.h"

/*
 * The whole report of a run that was read or written before, without a dialect and a
 * filter. Findings name their rules by id, of `rules`. Of an image that is read the
 * report is initialised before, and must be released, whatever it was.
 */
void image_report(struct image *im, struct report *report, const struct rule_set *rules);

#endif
