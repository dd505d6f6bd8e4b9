/* Output whole or not at all. */
#include "cmd/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/text.h"
#include "cmd/formats.h"
#include "cmd/progress.h"
#include "read/archive.h"

struct output {
	FILE *file;
	char *path; /* NULL: stdout */
	char *temporary; /* NULL: written in place */
};

/* A device, a pipe: nothing that could be replaced. */
static bool is_special(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

#define READER_LOOKS 500 /* a hundredth of a second apart */

/* Of a pipe that nobody reads it fails with ENXIO, in the end. */
static int open_patiently(const char *path)
{
	const struct timespec pause = {.tv_nsec = 10000000};
	int fd = -1;

	for (int i = 0; i < READER_LOOKS && fd < 0 && (!i || errno == ENXIO); i++) {
		if (i)
			nanosleep(&pause, NULL);
		fd = open(path, O_WRONLY | O_NONBLOCK);
	}
	return fd;
}

static int open_special(struct output *out, const char *path, struct error *err)
{
	int fd = open_patiently(path);

	if (fd < 0)
		return error_set(err, "%s: can't write: %s", path,
			errno == ENXIO ? "nobody reads the pipe" : strerror(errno));
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	out->file = fdopen(fd, "w");
	out->path = xstrdup(path);
	return 0;
}

/* Beside its place, and hidden: where that is a run's folder, it is none of its logs. */
static char *temporary_name(const char *target)
{
	const char *slash = strrchr(target, '/');
	size_t folder = slash ? (size_t)(slash + 1 - target) : 0;
	struct strbuf name = strbuf_new();

	strbuf_add(&name, target, folder);
	strbuf_addf(&name, ".%s.XXXXXX", target + folder);
	return strbuf_detach(&name);
}

static void release(struct output *out)
{
	free(out->path);
	free(out->temporary);
	*out = (struct output){0};
}

static void output_abandon(struct output *out)
{
	if (out->path && out->file)
		fclose(out->file);
	if (out->temporary)
		unlink(out->temporary);
	release(out);
}

static int output_open(struct output *out, const char *path, struct error *err)
{
	char *target, *name;
	mode_t mask;
	int fd;

	*out = (struct output){.file = stdout};
	if (!path)
		return 0;
	if (is_special(path))
		return open_special(out, path, err);
	target = realpath(path, NULL); /* a link stays one */
	name = temporary_name(target ? target : path);
	fd = mkstemp(name);
	if (fd < 0) {
		error_set(err, "%s: can't write: %s", path, strerror(errno));
		free(name);
		free(target);
		return -1;
	}
	mask = umask(0);
	umask(mask);
	fchmod(fd, 0666 & ~mask); /* mkstemp makes it private */
	out->path = target ? target : xstrdup(path);
	out->temporary = name;
	out->file = fdopen(fd, "w");
	if (out->file)
		return 0;
	close(fd);
	output_abandon(out);
	return error_set(err, "%s: can't write", path);
}

/* The sentence for a write that failed with this errno (0: not known). Returns -1. */
static int output_failed(const struct output *out, int why, struct error *err)
{
	return error_set(err, "%s: can't write: %s",
		out->path ? out->path : "standard output",
		why ? strerror(why) : "an earlier write failed");
}

/* Flushes, closes, renames; -1: what could not be written, and no file is left. */
static int output_commit(struct output *out, struct error *err)
{
	bool failed = ferror(out->file) != 0;
	int why = 0;

	errno = 0;
	if (fflush(out->file) != 0) {
		failed = true;
		why = errno;
	}
	if (out->path && fclose(out->file) != 0) {
		failed = true;
		why = why ? why : errno;
	}
	out->file = NULL;
	if (!failed && out->temporary && rename(out->temporary, out->path) != 0) {
		failed = true;
		why = errno;
	}
	if (failed) {
		output_failed(out, why, err);
		if (out->temporary)
			unlink(out->temporary);
	}
	release(out);
	return failed ? -1 : 0;
}

/* Would writing the output change this file? Not where one of them is not there. */
static bool is_output(const struct options *opt, const char *path)
{
	struct stat output, st;

	return opt->output && path && stat(opt->output, &output) == 0 &&
		stat(path, &st) == 0 && st.st_dev == output.st_dev &&
		st.st_ino == output.st_ino;
}

static int protect(
	const struct options *opt, const char *path, const char *what, struct error *err)
{
	if (!is_output(opt, path))
		return 0;
	return error_set(
		err, "%s is %s; write the output to another file", opt->output, what);
}

int result_protect(const struct options *opt, const struct run *run, struct error *err)
{
	struct strbuf path = strbuf_new(), what = strbuf_new();
	int rc = 0;

	strbuf_addf(&what, "a file of %s", run->path);
	strbuf_add(&path, run->path, archive_length(run->path));
	if (path.len)
		rc = protect(opt, path.text, what.text, err);
	for (size_t i = 0; i < run->file_count && rc == 0 && opt->output; i++) {
		strbuf_clear(&path);
		if (run->is_directory)
			strbuf_addf(&path, "%s/", run->path);
		strbuf_adds(&path, run->file[i].path);
		rc = protect(opt, path.text, what.text, err);
	}
	strbuf_release(&path);
	strbuf_release(&what);
	return rc;
}

/* All that the result was made from. */
static int protect_input(const struct result *result, struct error *err)
{
	const struct options *opt = result->opt;

	for (size_t i = 0; i < result->count; i++)
		if (result_protect(opt, &result->loaded[i].run, err) < 0)
			return -1;
	if (protect(opt, result->db, "the database", err) < 0 ||
		protect(opt, opt->baseline_db, "the database", err) < 0)
		return -1;
	return protect(opt, opt->gate_rules, "the file of rules", err);
}

int result_print(const struct result *result,
	int (*write)(void *context, const struct render_options *options, FILE *out,
		struct error *err),
	void *context, struct error *err)
{
	struct render_options options;
	struct output out;
	int written;

	if (protect_input(result, err) < 0 ||
		output_open(&out, result->opt->output, err) < 0)
		return -1;
	options = terminal_options(result->opt, out.file);
	errno = 0;
	written = write(context, &options, out.file, err);
	if (written < 0 && ferror(out.file))
		output_failed(&out, errno, err);
	if (written == 0)
		return output_commit(&out, err);
	output_abandon(&out);
	return -1;
}

struct rendering {
	const struct render_format *format;
	const struct render_result *result;
};

static int write_rendered(
	void *context, const struct render_options *options, FILE *out, struct error *err)
{
	const struct rendering *rendering = context;

	return rendering->format->result(rendering->result, options, out, err);
}

int result_render(const struct result *result, const struct render_result *rendered,
	struct error *err)
{
	struct rendering rendering = {output_find(result->opt->format), rendered};

	return result_print(result, write_rendered, &rendering, err);
}
