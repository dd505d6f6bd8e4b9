/*
 * The operands of a run as a list of files: a directory's, single logs, or standard
 * input, which is spooled because it is read twice. Opens none of them.
 */
#include "read/listing.h"
#include "base/name_match.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "model/measure.h"
#include "read/archive.h"
#include "read/input.h"
#include "read/read_run.h"
#include "read/reading.h"

/* FNV-1a of both ends: an edit that keeps the size rarely keeps these. */

#define END 65536 /* bytes at each end */

struct content content_on_disk(int fd, int64_t size)
{
	char block[END];
	uint64_t hash = SPAN_HASH;

	for (int end = 0; end < 2; end++) {
		off_t from = end && size > END ? size - END : 0;
		ssize_t got = pread(fd, block, sizeof block, from);

		if (got > 0)
			hash = span_hash((struct span){block, (size_t)got}, hash);
	}
	return (struct content){size, (int64_t)hash};
}

/* The first END bytes and the last ones of what came so far. */
struct ends {
	uint64_t size; /* of all that came */
	uint64_t first; /* the hash of the first block, once that is whole */
	char last[2 * END]; /* [kept] */
	size_t kept;
};

static void ends_add(struct ends *ends, size_t got)
{
	size_t before = ends->kept;

	ends->kept += got;
	if (ends->size < END && ends->size + got >= END)
		ends->first = span_hash((struct span){ends->last, END}, SPAN_HASH);
	ends->size += got;
	if (before + got <= END)
		return;
	memmove(ends->last, ends->last + ends->kept - END, END);
	ends->kept = END;
}

bool content_unpacked(const char *path, struct content *content)
{
	struct ends *ends;
	struct bytes *bytes;
	struct error err;
	size_t got;
	int more = -1;

	if (bytes_open(&bytes, path, -1, &err) < 0)
		return false;
	ends = xcalloc(1, sizeof *ends);
	if (bytes_is_packed(bytes))
		while ((more = bytes_read(
				bytes, ends->last + ends->kept, END, &got, &err)) > 0)
			ends_add(ends, got);
	bytes_close(bytes);
	if (more == 0) {
		struct span last = {ends->last, ends->kept};
		uint64_t first =
			ends->size < END ? span_hash(last, SPAN_HASH) : ends->first;

		*content = (struct content){
			(int64_t)ends->size, (int64_t)span_hash(last, first)};
	}
	free(ends);
	return more == 0;
}

/* A part of a file holds what the file does. */
static const struct run_file *find_sibling(const struct reading *reading, size_t i)
{
	for (size_t k = reading->file[i].whole; k < i; k++)
		if (reading->file[k].whole == reading->file[i].whole &&
			reading->run->file[k].kind != SOURCE_NONE)
			return &reading->run->file[k];
	return NULL;
}

bool read_contents(struct reading *reading)
{
	struct run *run = reading->run;
	bool learned = false;

	for (size_t i = 0; i < reading->file_count && !reading->unpacked; i++) {
		struct run_file *file = &run->file[i];
		const struct run_file *sibling;
		struct content content = {file->content_size, file->content_hash};

		if (file->kind == SOURCE_NONE || !reading->file[i].facts.path)
			continue;
		sibling = find_sibling(reading, i);
		if (sibling)
			content = (struct content){
				sibling->content_size, sibling->content_hash};
		else if (content_unpacked(reading->file[i].facts.path, &content)) {
			content.hash = reading_hash_part(&reading->file[i], content.hash);
			learned = true;
		}
		file->content_size = content.size;
		file->content_hash = content.hash;
	}
	reading->unpacked = true;
	return learned;
}

static uint64_t inode_hash(const struct stat *st)
{
	return span_hash((struct span){(const char *)&st->st_ino, sizeof st->st_ino},
		(uint64_t)st->st_dev);
}

/* The same file once more would count everything twice. */
static bool is_known(const struct reading *reading, const struct stat *st)
{
	const struct lookup *inodes = &reading->inodes;

	for (size_t i = lookup_first(inodes, inode_hash(st)); i != LOOKUP_NONE;
		i = lookup_next(inodes, i))
		if (reading->file[i].device == st->st_dev &&
			reading->file[i].inode == st->st_ino)
			return true;
	return false;
}

/* Takes path and descriptor over; NULL: only the descriptor, of what was spooled. */
static void add_file(struct reading *reading, const char *name, char *path, int fd)
{
	struct run *run = reading->run;
	struct stat st = {0};
	struct run_file *file;

	if ((path ? stat(path, &st) : fstat(fd, &st)) == 0 && is_known(reading, &st)) {
		diag_add(&run->diags, true, "same-file", name, 0, SPAN_NONE,
			"file given twice (read once)");
		free(path);
		return;
	}
	file = run_add_file(run, name);
	file->size = st.st_size;
	file->mtime_ns = path ? st.st_mtim.tv_sec * NS_PER_S + st.st_mtim.tv_nsec : 0;
	file->content_size = file->size;
	ALLOC_NEXT(reading->file, reading->file_count, reading->file_cap) =
		(struct reading_file){.facts = {.path = path, .fd = fd},
			.whole = run->file_count - 1,
			.first_ns = TIME_NONE,
			.device = st.st_dev,
			.inode = st.st_ino,
			.operand = reading->operand};
	lookup_add(&reading->inodes, inode_hash(&st));
}

/* A folder, a pipe and the like: named as not used. */
static void add_no_file(struct reading *reading, const char *name, bool is_folder)
{
	struct strbuf marked = strbuf_new();

	strbuf_addf(&marked, "%s%s", name, is_folder ? "/" : "");
	run_add_file(reading->run, marked.text);
	if (reading->run->is_directory && strcmp(name, "run.json") == 0)
		diag_add(&reading->run->diags, true, "unreadable", name, 0, SPAN_NONE,
			"expected a file, found %s",
			is_folder ? "a directory" : "a pipe or a device");
	strbuf_release(&marked);
	ALLOC_NEXT(reading->file, reading->file_count, reading->file_cap) =
		(struct reading_file){.facts.fd = -1,
			.whole = reading->run->file_count - 1,
			.first_ns = TIME_NONE,
			.unread = true};
	lookup_add(&reading->inodes, 0);
}

static char *join_path(const char *directory, const char *name)
{
	struct strbuf sb = strbuf_new();

	strbuf_addf(&sb, "%s%s%s", directory,
		directory[0] && directory[strlen(directory) - 1] == '/' ? "" : "/", name);
	return strbuf_detach(&sb);
}

/* A log has the same place among others, packed or not. */
static int by_unpacked_name(const struct dirent **a, const struct dirent **b)
{
	struct span x = name_unpacked(span_of((*a)->d_name));
	struct span y = name_unpacked(span_of((*b)->d_name));
	int order = memcmp(x.at, y.at, x.len < y.len ? x.len : y.len);

	if (order == 0 && x.len != y.len)
		order = x.len < y.len ? -1 : 1;
	return order ? order : strcmp((*a)->d_name, (*b)->d_name);
}

/*
 * In the order of their names; hidden ones are left out, folders not looked into. Named
 * by what they are called in the directory, or, if that is one of several operands, by
 * their path. Pipes and the like are no logs; a link to nowhere was meant to be one.
 */
static int list_directory(
	struct reading *reading, const char *path, const char *called, struct error *err)
{
	struct dirent **entries;
	int count = scandir(path, &entries, NULL, by_unpacked_name);

	if (count < 0)
		return error_set(err, "%s: can't list it: %s", path, strerror(errno));
	for (int i = 0; i < count; i++) {
		char *full = join_path(path, entries[i]->d_name);
		char *named = join_path(called, entries[i]->d_name);
		struct stat st;
		bool there = stat(full, &st) == 0;
		const char *name =
			reading->run->is_directory ? entries[i]->d_name : named;

		if (entries[i]->d_name[0] != '.' && !there) {
			diag_add(&reading->run->diags, true, "unreadable", name, 0,
				SPAN_NONE, "%s: can't open it: %s", name,
				strerror(errno));
		} else if (entries[i]->d_name[0] != '.' && S_ISREG(st.st_mode)) {
			add_file(reading, name, full, -1);
			full = NULL;
		} else if (entries[i]->d_name[0] != '.') {
			add_no_file(reading, name, S_ISDIR(st.st_mode));
		}
		free(named);
		free(full);
		free(entries[i]);
	}
	free(entries);
	return 0;
}

/*
 * What can't be read twice, as standard input or a pipe, goes into a file that has no
 * name any more. -1: err is set; else its descriptor.
 */
static int spool(int from, const char *name, struct error *err)
{
	const char *folder = getenv("TMPDIR");
	char *path, block[65536];
	ssize_t got;
	int fd;

	folder = folder && folder[0] ? folder : "/tmp";
	path = join_path(folder, "hwsummarize.XXXXXX");
	fd = mkstemp(path);
	if (fd >= 0)
		unlink(path);
	free(path);
	if (fd < 0)
		return error_set(err, "%s: can't create a temporary file for %s: %s",
			folder, name, strerror(errno));
	while ((got = read(from, block, sizeof block)) != 0) {
		ssize_t at = 0, put;

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			close(fd);
			return error_set(
				err, "%s: can't read it: %s", name, strerror(errno));
		}
		for (; at < got; at += put) {
			put = write(fd, block + at, (size_t)(got - at));
			if (put >= 0)
				continue;
			error_set(err, "%s: can't store %s: %s", folder, name,
				strerror(errno));
			close(fd);
			return -1;
		}
	}
	return fd;
}

static int add_spooled(struct reading *reading, const char *name, int from,
	const char *what, struct error *err)
{
	int fd = spool(from, what, err);

	if (fd < 0)
		return -1;
	reading->run->is_passing = true;
	add_file(reading, name, NULL, fd);
	return 0;
}

/* <(command) of a shell, or a named pipe. */
static int spool_pipe(struct reading *reading, const char *path, struct error *err)
{
	/* A named pipe that nobody writes into is empty: opening it must not wait. */
	int from = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), result;

	if (from < 0 || fcntl(from, F_SETFL, 0) < 0) {
		if (from >= 0)
			close(from);
		return error_set(err, "%s: can't open it: %s", path, strerror(errno));
	}
	result = add_spooled(reading, path, from, path, err);
	close(from);
	return result;
}

/* What is in an archive is listed as if it were unpacked where it is. */
static int list_archive(
	struct reading *reading, const char *path, struct strbuf *key, struct error *err)
{
	size_t len = archive_length(path);
	char *name = xstrndup(path, len), *absolute = realpath(name, NULL);
	struct archive archive;
	struct stat st;
	int opened = archive_open(&archive, path, &reading->run->diags, err);

	if (opened == 0) {
		ALLOC_NEXT(reading->archive, reading->archive_count,
			reading->archive_cap) = archive;
		strbuf_addf(key, "%s%s%s", key->len ? "\n" : "",
			absolute ? absolute : name, path + len);
		if (stat(archive.path, &st) == 0 && S_ISDIR(st.st_mode)) {
			reading->run->is_directory = reading->opt.path_count == 1;
			opened = list_directory(reading, archive.path, path, err);
		} else {
			add_file(reading, path, xstrdup(archive.path), -1);
		}
	}
	free(absolute);
	free(name);
	return opened;
}

static int list_operand(
	struct reading *reading, const char *path, struct strbuf *key, struct error *err)
{
	struct stat st;
	char *absolute, *file, *only;

	if (archive_length(path))
		return list_archive(reading, path, key, err);
	if (stat(path, &st) == 0 && S_ISFIFO(st.st_mode)) {
		if (key->len)
			strbuf_addc(key, '\n');
		strbuf_adds(key, path);
		return spool_pipe(reading, path, err);
	}
	file = xstrdup(path);
	only = name_cut_part(file);
	absolute = realpath(file, NULL);
	if (!absolute || stat(absolute, &st) != 0 || (only && !S_ISREG(st.st_mode))) {
		free(absolute);
		free(file);
		return error_set(err, "%s: %s; expected a run directory or a log", path,
			strerror(errno));
	}
	if (key->len)
		strbuf_addc(key, '\n');
	strbuf_addf(key, "%s%s", absolute, path + strlen(file));
	free(absolute);
	if (!S_ISDIR(st.st_mode)) {
		size_t before = reading->file_count;

		if (only)
			only = xstrdup(only);
		add_file(reading, only ? file : path, file, -1);
		if (reading->file_count > before)
			reading->file[before].facts.only = only;
		else
			free(only);
		return 0;
	}
	free(file);
	return list_directory(reading, path, path, err);
}

static bool is_one_directory(const struct read_options *opt)
{
	struct stat st;

	return opt->path_count == 1 && stat(opt->path[0], &st) == 0 &&
		S_ISDIR(st.st_mode);
}

int reading_list(
	struct reading *reading, const struct read_options *opt, struct error *err)
{
	struct run *run = reading->run;
	struct strbuf key;
	int result = 0;

	if (opt->path_count == 1 && strcmp(opt->path[0], "-") == 0) {
		run->key = xstrdup("-");
		return add_spooled(reading, "-", STDIN_FILENO, "standard input", err);
	}
	run->is_directory = is_one_directory(opt);
	strbuf_init(&key);
	for (size_t i = 0; i < opt->path_count && result == 0; i++) {
		reading->operand = i;
		result = list_operand(reading, opt->path[i], &key, err);
	}
	run->key = strbuf_detach(&key);
	return result;
}

/* What the files that reading_list would list look like from outside. */

/*
 * A file that changes again within the granularity of its clock, of two seconds on some
 * file systems, looks as it did.
 */
#define SETTLED_S 2

struct outside {
	struct strbuf *stamp; /* NULL: only the sizes are wanted */
	uint64_t size; /* of all */
	bool good; /* the stamp proves something */
};

/* Of what is no file only the name counts. */
static void see_file(struct outside *seen, const char *name, const struct stat *st)
{
	struct timespec now;

	if (S_ISREG(st->st_mode))
		seen->size += (uint64_t)st->st_size;
	if (!seen->stamp)
		return;
	strbuf_addf(seen->stamp, "%s/%o", name, (unsigned)(st->st_mode & S_IFMT));
	if (S_ISREG(st->st_mode)) {
		clock_gettime(CLOCK_REALTIME, &now);
		strbuf_addf(seen->stamp, "/%lld/%lld.%09ld/%lld.%09ld/%llu",
			(long long)st->st_size, (long long)st->st_mtim.tv_sec,
			st->st_mtim.tv_nsec, (long long)st->st_ctim.tv_sec,
			st->st_ctim.tv_nsec, (unsigned long long)st->st_ino);
		seen->good &= now.tv_sec - st->st_ctim.tv_sec > SETTLED_S;
	}
	strbuf_addc(seen->stamp, '\n');
}

static void see_folder(struct outside *seen, const char *path)
{
	struct dirent **entry;
	int count = scandir(path, &entry, NULL, alphasort);

	seen->good &= count >= 0;
	for (int i = 0; i < count; i++) {
		char *file = join_path(path, entry[i]->d_name);
		struct stat st;

		if (entry[i]->d_name[0] == '.')
			;
		else if (stat(file, &st) == 0)
			see_file(seen, entry[i]->d_name, &st);
		else
			seen->good = false;
		free(file);
		free(entry[i]);
	}
	if (count >= 0)
		free(entry);
}

static struct outside see(struct strbuf *stamp, const struct read_options *opt)
{
	struct outside seen = {.stamp = stamp, .good = true};

	for (size_t i = 0; i < opt->path_count; i++) {
		char *file = xstrdup(opt->path[i]), *absolute;
		struct stat st;

		name_cut_part(file);
		if (archive_length(file))
			file[archive_length(file)] = '\0';
		absolute = realpath(file, NULL);
		free(file);

		if (!absolute || stat(absolute, &st) != 0 ||
			!(S_ISDIR(st.st_mode) || S_ISREG(st.st_mode))) {
			seen.good = false;
			free(absolute);
			continue;
		}
		if (stamp)
			strbuf_addf(stamp, "%s\n%s\n", opt->path[i], absolute);
		if (S_ISDIR(st.st_mode))
			see_folder(&seen, absolute);
		else
			see_file(&seen, "", &st);
		free(absolute);
	}
	return seen;
}

uint64_t read_size(const struct read_options *opt)
{
	return see(NULL, opt).size;
}

bool read_stamp(struct strbuf *stamp, const struct read_options *opt)
{
	return see(stamp, opt).good;
}

/*
 * A log that lies there twice: as it is and packed, or under two names. Read twice,
 * all of it would count twice. Who was killed while it packed or unpacked a log leaves
 * one of the two cut short.
 */

enum kinship {
	OTHERS,
	SAME_LINES,
	FIRST_BREAKS_OFF, /* it begins as the second does, which goes on */
	SECOND_BREAKS_OFF
};

/* Of two lines that differ; part may be the last one of a file that breaks off in it. */
static bool is_last_part(struct input *in, struct span part, struct span whole)
{
	struct error err;
	struct span next;

	return part.len < whole.len && memcmp(part.at, whole.at, part.len) == 0 &&
		input_line(in, &next, &err) <= 0;
}

/* Lines that begin with "#" are no rows: rows is how many that are both have. */
static enum kinship compare_lines(struct input *x, struct input *y, size_t *rows)
{
	struct error err;
	struct span s, t;

	for (;;) {
		int more = input_line(x, &s, &err), as_well = input_line(y, &t, &err);

		if (more == as_well && more <= 0)
			return SAME_LINES;
		if (more <= 0 || as_well <= 0)
			return more < as_well ? FIRST_BREAKS_OFF : SECOND_BREAKS_OFF;
		if (!span_equal(s, t))
			return is_last_part(x, s, t)	? FIRST_BREAKS_OFF
				: is_last_part(y, t, s) ? SECOND_BREAKS_OFF
							: OTHERS;
		*rows += !span_begins(s, "#");
	}
}

static enum kinship compare_files(const char *a, const char *b, size_t *rows)
{
	enum kinship kinship = OTHERS;
	struct input *x, *y;
	struct error err;

	*rows = 0;
	if (input_open(&x, a, -1, &err) < 0)
		return OTHERS;
	if (input_open(&y, b, -1, &err) == 0) {
		kinship = compare_lines(x, y, rows);
		input_close(y);
	}
	input_close(x);
	return kinship;
}

/* "gpu.csv" of "gpu.csv.gz", and of "gpu.csv.gz.new", which a packer did not finish. */
static struct span log_name(const char *path)
{
	static const char new[] = ".new";
	const size_t len = sizeof new - 1;
	struct span whole = span_of(path), packed = whole, name;

	if (whole.len <= len || memcmp(whole.at + whole.len - len, new, len) != 0)
		return name_unpacked(whole);
	packed.len -= len;
	name = name_unpacked(packed);
	return name.len < packed.len ? name : whole;
}

/* Is it a log of its own, with rows, that can be read again? */
static bool is_log(const struct reading *reading, size_t i)
{
	return source_has_samples(reading->run->file[i].kind) &&
		reading->file[i].facts.path && reading->file[i].whole == i;
}

/* A header alone is no copy of another, and no log an unfinished copy of one with another
 * name. */
static enum kinship kinship_of(const struct reading *reading, size_t a, size_t b)
{
	const struct run_file *x = &reading->run->file[a], *y = &reading->run->file[b];
	bool one_name = span_equal(log_name(x->path), log_name(y->path));
	enum kinship kinship;
	size_t rows;

	if (!one_name && (x->size != y->size || x->hash != y->hash))
		return OTHERS;
	kinship = compare_files(
		reading->file[a].facts.path, reading->file[b].facts.path, &rows);
	if (kinship == SAME_LINES)
		return rows > 1 ? SAME_LINES : OTHERS;
	return one_name ? kinship : OTHERS;
}

static void drop_copy(struct reading *reading, size_t file, size_t kept, const char *why)
{
	struct run *run = reading->run;
	const char *path = run->file[file].path;
	const char *kept_path = run->file[kept].path;

	run->file[file].kind = SOURCE_NONE;
	reading->file[file].unread = true;
	if (!span_equal(log_name(path), name_unpacked(span_of(path)))) {
		diag_add(&run->diags, false, "unfinished-copy", path, 0, SPAN_NONE,
			"file %s %s, which was not packed to its end (read once)", why,
			kept_path);
		return;
	}
	diag_add(&run->diags, true, "same-file", path, 0, SPAN_NONE,
		"file %s %s (read once)", why, kept_path);
}

static void drop_one_of(struct reading *reading, size_t a, size_t b)
{
	static const char breaks_off[] = "is a truncated copy of";

	switch (kinship_of(reading, a, b)) {
	case OTHERS:
		break;
	case SAME_LINES:
		drop_copy(reading, b, a, "is a copy of");
		break;
	case FIRST_BREAKS_OFF:
		drop_copy(reading, a, b, breaks_off);
		break;
	case SECOND_BREAKS_OFF:
		drop_copy(reading, b, a, breaks_off);
		break;
	}
}

void reading_drop_copies(struct reading *reading)
{
	struct run *run = reading->run;

	for (size_t i = 1; i < run->file_count; i++)
		for (size_t k = 0; k < i && is_log(reading, i); k++)
			if (is_log(reading, k) && run->file[k].kind == run->file[i].kind)
				drop_one_of(reading, k, i);
}
