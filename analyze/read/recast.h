/*
 * Logs that are no tables of lines: JSON, and other shapes (recast_json.c). A shape turns
 * a record into rows of named cells; they go on as lines of CSV, a header first, to the
 * reader of a table. Names are paths: "usage.gfx_activity"; of what comes several times
 * in a record "gpus[].power", and each of these is a row, with what the record says once.
 *
 * A file may hold several tables: of the record itself "", of its lists "gpus[]".
 */
#ifndef READ_RECAST_H
#define READ_RECAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "model/sample.h"
#include "read/maps.h"
#include "read/probe.h"

struct log;
struct recast;
struct table_map;

struct recast_shape {
	const char *name; /* for messages */
	bool (*is)(const struct probe *probe); /* may a file begin so? */
	/* Reads the next record and puts its rows; false: the end. */
	bool (*next)(struct recast *recast);
	size_t state_size; /* of what it knows between records; zeroed at first */
	void (*release)(void *state);
	bool sections; /* a table's rows have columns by turns, each with a header */
};

extern const struct recast_shape recast_json, recast_xml, recast_indent, recast_prom,
	recast_gpustat, recast_tegrastats, recast_words, recast_labels, recast_wide,
	recast_wandb, recast_periods, recast_pairs, recast_afterburner, recast_long;

/* What is known of a table before its rows are read. */
struct recast_facts {
	const struct recast_shape *shape; /* NULL: the file has lines of its own */
	char *table; /* its path; owned, as the following */
	char *names; /* of its columns, as CSV */
	char *fields; /* ... of a query, "?" for those that are not used */
	char *read_as; /* how that was found, for a message */
	bool guessed; /* ... by more than words: a unit, or whose a column is */
	const struct table_map *map; /* that says it, and of columns that come later */
	enum source_kind kind; /* whose fields these are */
	int64_t step_ns; /* as far apart its rows are by design, at most; 0: unknown */
	bool part; /* another table of the file says what is wrong with its records */
};

void recast_facts_release(struct recast_facts *facts);

/* The lines of a table that log->facts.recast tells. Nothing is read yet. */
struct recast *recast_open(struct log *log);
void recast_close(struct recast *recast); /* NULL is fine */

/* The next line of the table, valid until the next call; false: the end. */
bool recast_line(struct recast *recast, struct span *line);

/* A table as its first rows show it, with a source of fields that fits. */
struct recast_found {
	struct recast_facts facts; /* owned; shape NULL: there is no such table */
	size_t metrics; /* that its columns give */
	size_t values; /* ... times the rows of it that were seen */
	bool twin; /* another reader says what is wrong with the lines */
};

/*
 * Looks at the first records of a log for the best table of each kind:
 * found[SOURCE_KIND_COUNT], zeroed. Where a log has a shape, but no such table, *said
 * becomes what it is, with its first names.
 */
void recast_find(struct log *log, struct recast_found *found, struct strbuf *said);

/*
 * For shapes. The cells of a record stand on a stack: a list puts those of an element on
 * those that the record has once, adds a row, and goes back.
 */

struct log *recast_log(const struct recast *recast);
void *recast_state(struct recast *recast);
size_t recast_cells(const struct recast *recast); /* on the stack */
void recast_back(struct recast *recast, size_t cells); /* to so many */

/* A table whose rows say how far apart they are. */
void recast_step(struct recast *recast, int64_t step_ns);

/* The first row is about another time, and not given out. */
void recast_skip_first(struct recast *recast);

/* Puts a cell; a later one of the same name hides it. */
void recast_put(struct recast *recast, struct span name, struct span value);

/* Adds a row of all cells of the stack; line: where it begins, from 1. */
void recast_row(struct recast *recast, struct span table, uint64_t line);
void recast_line_row(struct recast *recast); /* ... that is the last line alone */

/*
 * For shapes whose records are in one another: the names of what is open, "a.b[].c".
 * recast_enter returns where recast_leave goes back to.
 */
struct span recast_path(const struct recast *recast);
size_t recast_enter(struct recast *recast, struct span name);
void recast_enter_list(struct recast *recast);
void recast_leave(struct recast *recast, size_t before);

/* A record that is lost from a line on, once for all tables of the file. torn: the file
 * ends in it. */
void recast_refuse(struct recast *recast, uint64_t line, bool torn, const char *why,
	struct span quoted);

/*
 * For shapes whose records are lines: the next one, trimmed. One that the file ends in is
 * refused. False: the end.
 */
bool recast_next_line(struct recast *recast, struct span *line);
bool recast_raw_line(struct recast *recast, struct span *line); /* ... as it is */
uint64_t recast_number(const struct recast *recast); /* of the last line, from 1 */
bool recast_torn(const struct recast *recast); /* ... in which the file ends */

/* The last line is of the next record: it comes once more. */
void recast_put_back(struct recast *recast, struct span line);

/* Makes "0,50" of a locale with decimal commas 0.50; the line is valid until the next. */
void recast_points(struct recast *recast, struct span *line);

/* Has any of the first lines the names of a map of that kind? */
bool recast_has_header(const struct probe *probe, enum map_kind kind);
void recast_noise(struct recast *recast, struct span line); /* it is no record */

/* A line that is part of no record, such as a time: goes on as it is. */
void recast_pass(struct recast *recast, struct span line, uint64_t number);

#endif
