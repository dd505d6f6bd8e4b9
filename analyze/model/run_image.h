/* A run as bytes, and back: image.h. */
#ifndef MODEL_RUN_IMAGE_H
#define MODEL_RUN_IMAGE_H

#include "model/image.h"
#include "model/run.h"

/* The whole run. Of an image that is read the run must be released, whatever it was. */
void image_run(struct image *im, struct run *run);

/* A line of one of so many files. */
void image_event_place(struct image *im, struct event_place *place, size_t files);

#endif
