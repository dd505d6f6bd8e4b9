/* Offers a report as bytes, and a report read back from bytes. */
#ifndef MODEL_REPORT_IMAGE_H
#define MODEL_REPORT_IMAGE_H

#include "base/alloc.h"
#include "model/report.h"

/*
 * Structs as bytes, and back: what a report says, kept so that it need not be worked
 * out again. One function a struct names its members once, for both ways. The bytes
 * are those of one build of the program on one kind of machine; whoever keeps them
 * says which. They may have been changed by anybody: whatever can't be is noticed, and
 * nothing of them is believed that could lead astray.
 */

/*
 * Where pieces of an image go, or are fetched from: exactly so many bytes each time.
 * False: they can't; nothing more is asked then.
 */
typedef bool image_sink(void *context, const char *bytes, size_t len);
typedef bool image_source(void *context, char *bytes, size_t len);

#define IMAGE_PIECE (1 << 20) /* bytes; a longer text makes a longer one */

struct image {
	bool reads; /* from at, up to end; else it writes behind `bytes` */
	bool damaged; /* of one that reads: nothing that was read counts */
	struct strbuf bytes; /* owned by one that writes: what no sink has yet */
	size_t len; /* written so far */
	const char *at, *end; /* borrowed, or in the room */
	char *room; /* [room_size] owned; of one that fetches pieces */
	size_t room_size, left; /* left: not fetched yet */
	image_sink *sink; /* NULL: all stays in `bytes` */
	image_source *source; /* NULL: all is there */
	void *context; /* of either */
};

void image_write(struct image *im);
void image_read(struct image *im, const void *bytes, size_t len);

/* The same piece by piece; what is not more than one piece stays in `bytes`. */
void image_write_to(struct image *im, image_sink *sink, void *context);
void image_read_from(struct image *im, image_source *source, void *context, size_t len);

/* The rest of one that was written in pieces. False: the sink did not take one. */
bool image_end(struct image *im);
void image_release(struct image *im);

/* All was read, and it was whole. */
bool image_is_sound(const struct image *im);
void image_u64(struct image *im, uint64_t *member);
void image_text(struct image *im, char **member); /* owned; NULL stays NULL */

/*
 * The whole report of a run that was read or written before, without a foreign object and
 * a filter. Findings name their rules by id, of `rules`. Of an image that is read the
 * report is initialized before, and must be released, whatever it was.
 */
void image_report(struct image *im, struct report *report, const struct rule_set *rules);

/* Shared between report_image.c and its callers for parts of a report. */

struct context {
	struct image *im;
	struct report *report;
	const struct rule_set *rules;
	struct texts words; /* borrowed ones that were written, or read */
	const char **word; /* [word_count] of the report that is read */
	size_t word_count, word_cap;
	size_t devices;
};

/* A run as bytes, and back. */

/* The whole run. Of an image that is read the run must be released, whatever it was. */
void image_run(struct image *im, struct run *run);

#endif
