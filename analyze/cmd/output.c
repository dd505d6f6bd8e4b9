/* Output whole or not at all. */
#include "cmd/output.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"

/* A device, a pipe: nothing that could be replaced. */
static bool is_special(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

static int open_special(struct output *out, const char *path, struct error *err)
{
	out->file = fopen(path, "w");
	if (!out->file)
		return error_set(err, "%s: can't be written: %s", path, strerror(errno));
	out->path = xstrdup(path);
	return 0;
}

/* Beside its place, and hidden: where that is a run's folder, it is none of its logs. */
static char *temporary_name(const char *target)
{
	const char *slash = strrchr(target, '/');
	size_t folder = slash ? (size_t)(slash + 1 - target) : 0;
	struct strbuf name;

	strbuf_init(&name);
	strbuf_add(&name, target, folder);
	strbuf_addf(&name, ".%s.XXXXXX", target + folder);
	return strbuf_detach(&name);
}

int output_open(struct output *out, const char *path, struct error *err)
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
		error_set(err, "%s: can't be written: %s", path, strerror(errno));
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
	return error_set(err, "%s: can't be written", path);
}

int output_failed(const struct output *out, int why, struct error *err)
{
	return error_set(err, "%s: can't be written: %s",
		out->path ? out->path : "standard output",
		why ? strerror(why) : "an earlier write failed");
}

static void release(struct output *out)
{
	free(out->path);
	free(out->temporary);
	*out = (struct output){0};
}

int output_commit(struct output *out, struct error *err)
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

void output_abandon(struct output *out)
{
	if (out->path && out->file)
		fclose(out->file);
	if (out->temporary)
		unlink(out->temporary);
	release(out);
}
