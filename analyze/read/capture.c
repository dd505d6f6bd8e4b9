/* Banners into windows of lines. */
#include "read/capture.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define BANNER_MIN 20 /* characters */

static bool is_banner(struct span line)
{
	for (size_t i = 0; i < line.len; i++)
		if (line.at[i] != '#')
			return false;
	return line.len >= BANNER_MIN;
}

static bool names_command(struct span line)
{
	return span_begins(line, "# $ ");
}

bool capture_begins(const struct probe *probe)
{
	for (size_t i = 0; i + 2 < probe->count; i++) {
		if (!is_banner(probe->line[i]))
			continue;
		for (size_t k = i + 1; k < probe->count && !is_banner(probe->line[k]);
			k++)
			if (names_command(probe->line[k]))
				return true;
	}
	return false;
}

/* Does the command of a section print a log? */
static bool makes_log(struct span command)
{
	static const char *const options[] = {"--query-gpu", "--query-compute-apps",
		"--query-accounted-apps", " dmon", " pmon"};

	if (!span_has_nocase(command, "nvidia-smi") || span_has_nocase(command, "--help"))
		return false;
	for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
		if (span_has_nocase(command, options[i]))
			return true;
	return false;
}

/* A section while it is read. */
struct section {
	bool in_banner, wanted;
	char *title; /* owned; NULL: none yet */
	uint64_t from; /* its first line; 0: no section is open */
};

static void close_section(
	struct reading *reading, size_t i, struct section *section, uint64_t last_line)
{
	if (section->from && section->wanted && section->from <= last_line) {
		struct reading_file *part = reading_add_part(reading, i, section->title);

		part->from_line = section->from;
		part->to_line = last_line;
	}
	free(section->title);
	*section = (struct section){0};
}

static void read_banner(struct section *section, struct span line)
{
	line.at++, line.len--;
	line = span_trim(line);
	if (!section->title) {
		section->title = xstrndup(line.at, line.len);
		/* it becomes a part of a file's name */
		for (char *c = section->title; *c; c++)
			*c = *c == '/' ? '-' : *c;
	} else if (span_begins(line, "$ ")) {
		section->wanted = makes_log(line);
	}
}

int capture_split(struct reading *reading, size_t i, struct error *err)
{
	struct diag_list nowhere = DIAG_LIST_INIT;
	struct run_file scratch = {0};
	struct section section = {0};
	struct span line;
	uint64_t number = 0;
	struct log *log = reading_open(reading, i, reading->run, &scratch, &nowhere, err);

	if (!log)
		return -1;
	while (log_line(log, &line)) {
		number = input_line_number(log->in);
		if (is_banner(line) && section.in_banner) {
			section.in_banner = false;
			section.from = number + 1;
		} else if (is_banner(line)) {
			close_section(reading, i, &section, number - 1);
			section.in_banner = true;
		} else if (section.in_banner && span_begins(line, "#")) {
			read_banner(&section, line);
		}
	}
	close_section(reading, i, &section, number);
	log_free(log);
	diag_list_release(&nowhere);
	return 0;
}
