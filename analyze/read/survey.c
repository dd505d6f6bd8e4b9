/*
 * The first sweep over a run: which files there are, what each is by its first lines, the
 * manifest, the time zone, the events.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "read/reading.h"

#define HASHED_END     65536 /* bytes at each end of a file */
#define PROBE_LINE_MAX 16384 /* bytes of a line that a bid may see */

struct log *reading_open(struct reading *reading, size_t file, struct run *run,
	struct run_file *counts, struct diag_list *diags, struct error *err)
{
	const char *path = reading->file[file].path;
	struct input *in;
	struct log *log;
	int fd = -1;

	if (!path) {
		fd = fcntl(reading->stdin_fd, F_DUPFD_CLOEXEC, 0);
		if (fd < 0 || lseek(fd, 0, SEEK_SET) < 0) {
			error_set(err, "standard input can't be read again: %s",
				strerror(errno));
			return NULL;
		}
	}
	if (input_open(&in, path ? path : "-", fd, err) < 0)
		return NULL;
	log = xcalloc(1, sizeof *log);
	*log = (struct log){.in = in,
		.name = reading->run->file[file].path,
		.run = run,
		.file = counts,
		.diags = diags,
		.zone = reading->zone,
		.near_ns = TIME_NONE,
		.blocks = {1, 0}};
	return log;
}

/* The same file once more would count everything twice. */
static bool is_known(const struct reading *reading, const struct stat *st)
{
	for (size_t i = 0; i < reading->file_count; i++)
		if (reading->file[i].device == st->st_dev &&
			reading->file[i].inode == st->st_ino)
			return true;
	return false;
}

/* FNV-1a of the ends of a file: an edit that keeps size and time rarely keeps these. */
static int64_t hash_ends(const char *path, off_t size)
{
	unsigned char block[HASHED_END];
	uint64_t hash = 0xcbf29ce484222325u;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	for (int end = 0; fd >= 0 && end < 2; end++) {
		off_t from = end && size > HASHED_END ? size - HASHED_END : 0;
		ssize_t got = pread(fd, block, sizeof block, from);

		for (ssize_t i = 0; i < got; i++)
			hash = (hash ^ block[i]) * 0x100000001b3u;
	}
	if (fd >= 0)
		close(fd);
	return (int64_t)hash;
}

/* Takes the path over; NULL: standard input. */
static void add_file(struct reading *reading, const char *name, char *path)
{
	struct run *run = reading->run;
	struct stat st = {0};
	struct run_file *file;

	if ((path ? stat(path, &st) : fstat(reading->stdin_fd, &st)) == 0 &&
		is_known(reading, &st)) {
		diag_add(&run->diags, true, "same-file", name, 0, (struct span){NULL, 0},
			"the file was given before; it is read once");
		free(path);
		return;
	}
	file = run_add_file(run, name);
	file->size = st.st_size;
	file->mtime_ns = path ? st.st_mtim.tv_sec * NS_PER_S + st.st_mtim.tv_nsec : 0;
	file->hash = path ? hash_ends(path, st.st_size) : 0;
	ALLOC_GROW(reading->file, reading->file_count + 1, reading->file_cap);
	reading->file[reading->file_count++] = (struct reading_file){.path = path,
		.first_ns = TIME_NONE,
		.device = st.st_dev,
		.inode = st.st_ino};
}

static char *join_path(const char *directory, const char *name)
{
	struct strbuf sb;

	strbuf_init(&sb);
	strbuf_addf(&sb, "%s%s%s", directory,
		directory[0] && directory[strlen(directory) - 1] == '/' ? "" : "/", name);
	return strbuf_detach(&sb);
}

/*
 * In the order of their names; hidden ones and folders are left out. Named by what they
 * are called in the directory, or, if that is one of several operands, by their path.
 */
static int list_directory(struct reading *reading, const char *path, struct error *err)
{
	struct dirent **entries;
	int count = scandir(path, &entries, NULL, alphasort);

	if (count < 0)
		return error_set(err, "%s: can't be listed: %s", path, strerror(errno));
	for (int i = 0; i < count; i++) {
		char *full = join_path(path, entries[i]->d_name);
		struct stat st;

		if (entries[i]->d_name[0] != '.' && stat(full, &st) == 0 &&
			S_ISREG(st.st_mode)) {
			add_file(reading,
				reading->run->is_directory ? entries[i]->d_name : full,
				full);
			full = NULL;
		}
		free(full);
		free(entries[i]);
	}
	free(entries);
	return 0;
}

/* Standard input is read twice, so it goes into a file that has no name any more. */
static int spool_stdin(struct reading *reading, struct error *err)
{
	char name[] = "/tmp/hwsummarize.XXXXXX", block[65536];
	ssize_t got;

	reading->stdin_fd = mkstemp(name);
	if (reading->stdin_fd < 0)
		return error_set(err, "/tmp: no temporary file for standard input: %s",
			strerror(errno));
	unlink(name);
	while ((got = read(STDIN_FILENO, block, sizeof block)) != 0) {
		ssize_t at = 0, put;

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return error_set(
				err, "standard input can't be read: %s", strerror(errno));
		for (; at < got; at += put) {
			put = write(reading->stdin_fd, block + at, (size_t)(got - at));
			if (put < 0)
				return error_set(err,
					"/tmp: no room for standard input: %s",
					strerror(errno));
		}
	}
	add_file(reading, "-", NULL);
	return 0;
}

static int list_operand(
	struct reading *reading, const char *path, struct strbuf *key, struct error *err)
{
	struct stat st;
	char *absolute = realpath(path, NULL);

	if (!absolute || stat(absolute, &st) != 0) {
		free(absolute);
		return error_set(err, "%s: %s; expected a run directory or a log", path,
			strerror(errno));
	}
	if (key->len)
		strbuf_addc(key, '\n');
	strbuf_adds(key, absolute);
	free(absolute);
	if (!S_ISDIR(st.st_mode)) {
		add_file(reading, path, xstrdup(path));
		return 0;
	}
	return list_directory(reading, path, err);
}

static bool is_one_directory(const struct read_options *opt)
{
	struct stat st;

	return opt->path_count == 1 && stat(opt->path[0], &st) == 0 &&
		S_ISDIR(st.st_mode);
}

static int list_files(
	struct reading *reading, const struct read_options *opt, struct error *err)
{
	struct run *run = reading->run;
	struct strbuf key;
	int result = 0;

	if (opt->path_count == 1 && strcmp(opt->path[0], "-") == 0) {
		run->key = xstrdup("-");
		return spool_stdin(reading, err);
	}
	run->is_directory = is_one_directory(opt);
	strbuf_init(&key);
	for (size_t i = 0; i < opt->path_count && result == 0; i++)
		result = list_operand(reading, opt->path[i], &key, err);
	run->key = strbuf_detach(&key);
	return result;
}

/* The first lines, copied into text, which they point into. */
static void fill_probe(struct probe *probe, struct log *log, struct strbuf *text)
{
	size_t from[PROBE_LINES], len[PROBE_LINES];
	struct span line;

	probe->count = 0;
	while (probe->count < PROBE_LINES && log_line(log, &line)) {
		from[probe->count] = text->len;
		len[probe->count] = line.len < PROBE_LINE_MAX ? line.len : PROBE_LINE_MAX;
		strbuf_add(text, line.at, len[probe->count]);
		probe->count++;
	}
	for (size_t i = 0; i < probe->count; i++)
		probe->line[i] = (struct span){text->text + from[i], len[i]};
}

/* A file of a directory by its name; the operand itself has been named already. */
static const char *file_word(const struct run *run, size_t i)
{
	return run->file_count > 1 || run->is_directory ? run->file[i].path : "it";
}

/* What a file is; a sentence about one that nobody claims goes to *said. */
static int find_kind(
	struct reading *reading, size_t i, struct strbuf *said, struct error *err)
{
	struct run *run = reading->run;
	struct diag_list nowhere = DIAG_LIST_INIT;
	struct run_file scratch = {0};
	const struct format *format;
	struct probe probe;
	struct strbuf text;
	struct log *log = reading_open(reading, i, run, &scratch, &nowhere, err);

	if (!log)
		return -1;
	strbuf_init(&text);
	fill_probe(&probe, log, &text);
	format = format_of(&probe);
	if (format)
		run->file[i].kind = format->kind;
	else if (!said->len && !probe.count)
		strbuf_addf(said, "%s is empty", file_word(run, i));
	else if (!said->len)
		strbuf_addf(said, "%s begins with '%s'", file_word(run, i),
			log_quote(probe.line[0]).text);
	strbuf_release(&text);
	diag_list_release(&nowhere);
	log_free(log);
	return 0;
}

static int find_kinds(struct reading *reading, struct error *err)
{
	struct run *run = reading->run;
	struct strbuf said;
	size_t claimed = 0;

	strbuf_init(&said);
	for (size_t i = 0; i < run->file_count; i++) {
		struct error why;

		if (find_kind(reading, i, &said, &why) == 0)
			claimed += run->file[i].kind != SOURCE_NONE;
		else
			diag_add(&run->diags, true, "unreadable", run->file[i].path, 0,
				(struct span){NULL, 0}, "%s", why.message);
	}
	if (!claimed && run->diags.count)
		error_set(err, "%s", run->diags.at[0].text);
	else if (!claimed && !run->file_count)
		error_set(
			err, "%s: the directory holds no file; expected logs", run->path);
	else if (!claimed)
		error_set(err,
			"%s: no log that is known: %s; expected nvidia-smi --query-gpu "
			"CSV, nvidia-smi dmon, /proc/stat snapshots, CPU CSV or RunLog "
			"JSONL",
			run->path, said.text);
	strbuf_release(&said);
	return claimed ? 0 : -1;
}

/* Reads all files of a kind without samples; what can't be opened any more is said. */
static void survey_kind(struct reading *reading, enum source_kind kind)
{
	struct run *run = reading->run;

	for (size_t i = 0; i < run->file_count; i++) {
		struct error err;
		struct log *log;

		if (run->file[i].kind != kind)
			continue;
		log = reading_open(reading, i, run, &run->file[i], &run->diags, &err);
		if (!log) {
			diag_add(&run->diags, true, "unreadable", run->file[i].path, 0,
				(struct span){NULL, 0}, "%s", err.message);
			continue;
		}
		format_get(kind)->survey(log);
		log_free(log);
	}
}

static int choose_zone(
	struct reading *reading, const struct read_options *opt, struct error *err)
{
	struct run *run = reading->run;
	const char *source = "default";
	struct error unknown;

	reading->zone = ZONE_UTC;
	if (opt->tz) {
		if (zone_parse(&reading->zone, opt->tz, err) < 0)
			return -1;
		source = "option";
	} else if (run->zone && zone_parse(&reading->zone, run->zone, &unknown) == 0) {
		source = "manifest";
	} else if (run->zone) {
		diag_add(&run->diags, true, "zone", "", 0, (struct span){NULL, 0},
			"the manifest's %s; times are read as UTC", unknown.message);
	}
	snprintf(run->time_zone, sizeof run->time_zone, "%s", reading->zone.name);
	snprintf(run->time_source, sizeof run->time_source, "%s", source);
	return 0;
}

int read_survey(struct reading **out, struct run *run, const struct read_options *opt,
	struct error *err)
{
	struct reading *reading = xcalloc(1, sizeof *reading);

	reading->run = run;
	reading->stdin_fd = -1;
	reading->zone = ZONE_UTC;
	if (list_files(reading, opt, err) < 0 || find_kinds(reading, err) < 0)
		goto fail;
	survey_kind(reading, SOURCE_MANIFEST);
	if (run->run_id)
		run_set_string(&run->key, run->run_id);
	if (choose_zone(reading, opt, err) < 0)
		goto fail;
	survey_kind(reading, SOURCE_RUNLOG);
	*out = reading;
	return 0;
fail:
	reading_free(reading);
	return -1;
}

void reading_free(struct reading *reading)
{
	if (!reading)
		return;
	for (size_t i = 0; i < reading->file_count; i++)
		free(reading->file[i].path);
	free(reading->file);
	if (reading->stdin_fd >= 0)
		close(reading->stdin_fd);
	free(reading);
}
