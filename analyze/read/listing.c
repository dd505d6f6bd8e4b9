/*
 * The operands of a run as a list of files: a directory's, single logs, or standard
 * input, which is spooled because it is read twice. Opens none of them.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "model/measure.h"
#include "read/content.h"
#include "read/reading.h"

/* The same file once more would count everything twice. */
static bool is_known(const struct reading *reading, const struct stat *st)
{
	for (size_t i = 0; i < reading->file_count; i++)
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
		diag_add(&run->diags, true, "same-file", name, 0, (struct span){NULL, 0},
			"the file was given before; it is read once");
		free(path);
		return;
	}
	file = run_add_file(run, name);
	file->size = st.st_size;
	file->mtime_ns = path ? st.st_mtim.tv_sec * NS_PER_S + st.st_mtim.tv_nsec : 0;
	file->hash = path ? content_on_disk(path, st.st_size).hash : 0;
	file->content_size = file->size;
	file->content_hash = file->hash;
	ALLOC_GROW(reading->file, reading->file_count + 1, reading->file_cap);
	reading->file[reading->file_count++] = (struct reading_file){.path = path,
		.fd = fd,
		.first_ns = TIME_NONE,
		.device = st.st_dev,
		.inode = st.st_ino};
}

/* Named as not used; what is in it is no part of the run. */
static void add_folder(struct reading *reading, const char *name)
{
	struct strbuf slashed;

	strbuf_init(&slashed);
	strbuf_addf(&slashed, "%s/", name);
	run_add_file(reading->run, slashed.text);
	if (reading->run->is_directory && strcmp(name, "run.json") == 0)
		diag_add(&reading->run->diags, true, "unreadable", name, 0,
			(struct span){NULL, 0},
			"a directory, where the manifest should be");
	strbuf_release(&slashed);
	ALLOC_GROW(reading->file, reading->file_count + 1, reading->file_cap);
	reading->file[reading->file_count++] =
		(struct reading_file){.fd = -1, .first_ns = TIME_NONE, .unread = true};
}

static char *join_path(const char *directory, const char *name)
{
	struct strbuf sb;

	strbuf_init(&sb);
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
static int list_directory(struct reading *reading, const char *path, struct error *err)
{
	struct dirent **entries;
	int count = scandir(path, &entries, NULL, by_unpacked_name);

	if (count < 0)
		return error_set(err, "%s: can't be listed: %s", path, strerror(errno));
	for (int i = 0; i < count; i++) {
		char *full = join_path(path, entries[i]->d_name);
		struct stat st;
		bool there = stat(full, &st) == 0;
		const char *name = reading->run->is_directory ? entries[i]->d_name : full;

		if (entries[i]->d_name[0] != '.' && !there) {
			diag_add(&reading->run->diags, true, "unreadable", name, 0,
				(struct span){NULL, 0}, "%s: can't be opened: %s", name,
				strerror(errno));
		} else if (entries[i]->d_name[0] != '.' && S_ISREG(st.st_mode)) {
			add_file(reading, name, full, -1);
			full = NULL;
		} else if (entries[i]->d_name[0] != '.' && S_ISDIR(st.st_mode)) {
			add_folder(reading, name);
		}
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
		return error_set(err, "%s: no temporary file for %s: %s", folder, name,
			strerror(errno));
	while ((got = read(from, block, sizeof block)) != 0) {
		ssize_t at = 0, put;

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			close(fd);
			return error_set(
				err, "%s can't be read: %s", name, strerror(errno));
		}
		for (; at < got; at += put) {
			put = write(fd, block + at, (size_t)(got - at));
			if (put >= 0)
				continue;
			error_set(err, "%s: no room for %s: %s", folder, name,
				strerror(errno));
			close(fd);
			return -1;
		}
	}
	return fd;
}

static int spool_stdin(struct reading *reading, struct error *err)
{
	int fd = spool(STDIN_FILENO, "standard input", err);

	if (fd < 0)
		return -1;
	reading->run->is_passing = true;
	add_file(reading, "-", NULL, fd);
	return 0;
}

/* <(command) of a shell, or a named pipe. */
static int spool_pipe(struct reading *reading, const char *path, struct error *err)
{
	/* A named pipe that nobody writes into is empty: opening it must not wait. */
	int from = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), fd;

	if (from < 0 || fcntl(from, F_SETFL, 0) < 0) {
		if (from >= 0)
			close(from);
		return error_set(err, "%s: can't be opened: %s", path, strerror(errno));
	}
	fd = spool(from, path, err);
	close(from);
	if (fd < 0)
		return -1;
	reading->run->is_passing = true;
	add_file(reading, path, NULL, fd);
	return 0;
}

static int list_operand(
	struct reading *reading, const char *path, struct strbuf *key, struct error *err)
{
	struct stat st;
	char *absolute;

	if (stat(path, &st) == 0 && S_ISFIFO(st.st_mode)) {
		if (key->len)
			strbuf_addc(key, '\n');
		strbuf_adds(key, path);
		return spool_pipe(reading, path, err);
	}
	absolute = realpath(path, NULL);
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
		add_file(reading, path, xstrdup(path), -1);
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

int reading_list(
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
