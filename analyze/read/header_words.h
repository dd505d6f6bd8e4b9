/*
 * Headers of wrapper scripts: "time,gpu_util_%,vram_used_mb". The words of a name say
 * what its column may be (schema/header_words.def), and the cells below whether it is.
 */
#ifndef READ_HEADER_WORDS_H
#define READ_HEADER_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "model/metric.h"
#include "read/maps.h"
#include "read/probe.h"

/* What the header of a table says. */
struct worded_header {
	struct span line; /* the header; points into the probe's text */
	struct strbuf fields; /* of a query, as --columns takes them; "?": not used */
	struct strbuf read_as; /* "utilization.gpu from gpu_util_%, ..." */
	size_t metrics; /* of GPUs, among the fields: those that change */
	size_t host_metrics; /* of the host, likewise */
	bool processes; /* the rows are about those, on GPUs */
	const struct table_map *map; /* that says so, and no word was guessed at; NULL */
	bool guessed; /* a unit, or whose a column is, that no name says */
	bool known; /* a name is that of a field */
	size_t names, cells; /* of the header and the row below, where they are guessed */
};

/* "elapsed_s", "time": a name of a time, whatever the cells. */
bool header_name_is_time(struct span name);

/* "gpu", "card": a word that a device is called by. */
bool header_word_is_device(struct span word);

/* "used": a word of what is measured, and none of a time. */
bool header_word_measures(struct span word);

/* "cpu", "GPU 0 util": a name that says whose a value is. */
bool header_name_says_whose(struct span name);

/* The field that the name of a file tells: "vram.log". Else the one asked for most. */
const char *header_field_of_file(const char *path);

void worded_header_init(struct worded_header *header);
void worded_header_release(struct worded_header *header);

/*
 * Finds the header among the first lines of a file: names that a map has, or that words
 * explain, above rows
 * of as many cells, each of which can be what its field says. A column of which two
 * readings fit is not used. False: there is no header with a metric.
 */
bool worded_header_find(struct worded_header *header, const struct probe *probe);

/* Raises the bids of the kinds of tables of whose metrics there is one (format.bid). */
void worded_header_bid(const struct probe *probe, int bits[SOURCE_KIND_COUNT]);

/*
 * For a table that is not understood: its header, and the fields as far as its names
 * tell, for somebody to complete. False: no name tells one.
 */
bool worded_header_guess(struct worded_header *header, const struct probe *probe);

/* Is there a header of as many names whose words deny that its columns are these fields?
 */
bool worded_header_denies(const struct probe *probe, const char *fields);

#endif
