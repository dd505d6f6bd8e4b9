/*
 * Other tools: what they record is read, their numbers of a run are made by their rules,
 * and printed as they print them. A tool is a file, gpu_tracker two, and a row in
 * cmd/formats.c; what several share is in object.c and levels.c.
 */
#ifndef FOREIGN_FOREIGN_H
#define FOREIGN_FOREIGN_H

#include "compute/run/aggregate.h"
#include "render/render.h"

/* What can be asked of the tools. */

enum data_unit { /* decimal powers of a byte */
	DATA_UNIT_NONE, /* not given */
	DATA_UNIT_BYTES,
	DATA_UNIT_KILOBYTES,
	DATA_UNIT_MEGABYTES,
	DATA_UNIT_GIGABYTES,
	DATA_UNIT_TERABYTES,
	DATA_UNIT_COUNT
};

enum time_unit {
	TIME_UNIT_NONE, /* not given */
	TIME_UNIT_SECONDS,
	TIME_UNIT_MINUTES,
	TIME_UNIT_HOURS,
	TIME_UNIT_DAYS,
	TIME_UNIT_COUNT
};

/* Cells by their number, from 0, both ends included; -1: from the first, to the last. */
struct cell_range {
	bool set; /* false: nobody asked for one */
	int32_t first, last;
};

struct tool_options {
	enum data_unit ram, gpu_ram; /* of recordings that name none, and of the output */
	enum time_unit time;
	int32_t expected_cores, expected_gpus; /* -1: not given */
	const char *gpus; /* their UUIDs, separated by commas; borrowed; NULL */
	bool compared; /* the runs are going to be compared */
	struct cell_range cells;
	bool no_idle; /* the time between cells does not count */
	const char *level; /* the only one that is wanted; NULL: all */
};

#define TOOL_OPTIONS_NONE \
	((struct tool_options){.expected_cores = -1, .expected_gpus = -1})

/* An option that only formats of other tools have. */
struct tool_option {
	const char *name;
	const char *argument; /* NULL: it takes none */
	const char *help;
	/* value: NULL, if it takes no argument. -1: err says what was expected. */
	int (*set)(struct tool_options *options, const char *value, struct error *err);
	bool compares; /* compare takes it, too */
	bool own; /* it means nothing but in a format of its tool */
};

/* Appends those that shape how logs are read. */
void tool_options_shape(struct strbuf *sb, const struct tool_options *options);

/* Runs side by side, as a tool compares them. */

struct tool_side {
	const char *name; /* no two are equal */
	const struct report *report;
};

/* A tool; all but format may be NULL. */
struct tool {
	const struct render_format *format; /* [format_count], each with this tool */
	size_t format_count;
	const struct tool_option *option; /* [option_count] */
	size_t option_count;
	struct foreign_pass pass; /* for its numbers */
	/* report->foreign, after such a pass; everything else is in the report. */
	void (*report)(struct aggregate *agg, struct report *report,
		const struct tool_options *asked);

	/*
	 * 1: the file is what the tool itself made of a recording, *run has no samples
	 * and *report nothing but that; release both. 0: it is not, and both are
	 * untouched. -1: it can't be read to its end.
	 */
	int (*read_result)(const char *path, struct run *run, struct report *report,
		struct error *err);
	/*
	 * Makes *out, whose object is the comparison; say is told what differs besides;
	 * NULL: nobody wants to know. statistic: NULL is the tool's default. -1: the tool
	 * would not compare these runs, or by that statistic; release *out in either
	 * case.
	 */
	int (*compare)(struct report *out, const struct tool_side *side, size_t count,
		const char *statistic, void (*say)(const char *format, ...),
		struct error *err);
	/* In one of its formats; -1: err is set. */
	int (*print_comparison)(const struct report *comparison,
		const struct render_format *format, FILE *out, struct error *err);
};

extern const struct tool tool_pytyche, tool_calibrax, tool_gpu_tracker, tool_jumper;

/*
 * Sentences about the numbers of a tool's object: which of those that the tool has of
 * every run this one lacks, and that a peak of memory lies between samples. A run that
 * the tool refuses has none.
 */
void foreign_remarks(const struct report *report, void (*say)(const char *format, ...));

#endif
