/* Archives as operands: starts the shell that unpacks one, and reads what it says. */
#include "read/archive.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/name_match.h"
#include "base/sort.h"
#include "base/text.h"

static const struct {
	const char *name, *text;
} shell[] = {
#include "archive.inc"
};

extern char **environ;

static bool is_named_archive(const char *path, size_t len)
{
	static const char *const end[] = {".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2",
		".tbz2", ".tar.xz", ".txz", ".tar.zst", ".tzst"};
	bool is = false;

	for (size_t i = 0; i < sizeof end / sizeof *end && !is; i++)
		is = len > strlen(end[i]) &&
			strncasecmp(
				path + len - strlen(end[i]), end[i], strlen(end[i])) == 0;
	return is;
}

size_t archive_length(const char *path)
{
	for (size_t len = 1; path[0] && path[len - 1]; len++) {
		char *part;
		struct stat st;
		bool is;

		if ((path[len] && path[len] != '/') || !is_named_archive(path, len))
			continue;
		part = xstrndup(path, len);
		is = stat(part, &st) == 0 && S_ISREG(st.st_mode);
		free(part);
		if (is)
			return len;
	}
	return 0;
}

/* Starts the shell, in a process group; its standard input and output are one socket. */
static int start(
	struct archive *archive, const char *mode, const char *path, struct error *err)
{
	size_t len = archive_length(path);
	char *said = xstrndup(path, len), *absolute = realpath(said, NULL);
	const char *word[] = {"sh", "-c", shell[0].text, "hwsummarize", mode,
		absolute ? absolute : said, said, path + len + (path[len] == '/'), NULL};
	char *argv[sizeof word / sizeof *word]; /* which posix_spawn leaves as they are */
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	int end[2], failed = 0;

	memcpy(argv, word, sizeof argv);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, end) != 0)
		failed = errno;
	if (!failed) {
		posix_spawn_file_actions_init(&actions);
		posix_spawn_file_actions_adddup2(&actions, end[1], STDIN_FILENO);
		posix_spawn_file_actions_adddup2(&actions, end[1], STDOUT_FILENO);
		posix_spawnattr_init(&attr);
		posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP);
		failed = posix_spawn(
			&archive->pid, "/bin/sh", &actions, &attr, argv, environ);
		posix_spawnattr_destroy(&attr);
		posix_spawn_file_actions_destroy(&actions);
		close(end[1]);
		archive->shell = fdopen(end[0], "r");
		if (failed)
			fclose(archive->shell);
	}
	if (failed)
		error_set(err, "%s: not unpacked: %s", said, strerror(failed));
	free(absolute);
	free(said);
	return failed ? -1 : 0;
}

void archive_close(struct archive *archive)
{
	fclose(archive->shell);
	while (waitpid(archive->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	free(archive->path);
}

/* What the next line says, to be freed; NULL: there is none. */
static char *next_line(struct archive *archive)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t len = getline(&line, &cap, archive->shell);

	if (len > 0 && line[len - 1] == '\n') {
		line[len - 1] = '\0';
		return line;
	}
	free(line);
	return NULL;
}

int archive_open(
	struct archive *out, const char *path, struct diag_list *diags, struct error *err)
{
	bool lost = false;
	char *line;

	*out = (struct archive){.path = NULL};
	if (start(out, "open", path, err) < 0)
		return -1;
	error_set(err, "%s: not unpacked: the shell ended", path);
	for (; !out->path && (line = next_line(out)); free(line)) {
		if (line[0] == '=') {
			out->path = xstrdup(line + 1);
			continue;
		}
		diag_add(diags, true, "archive", path, 0, SPAN_NONE, "%s", line + 1);
		if (!lost)
			error_set(err, "%s", line + 1);
		lost = true;
	}
	if (out->path)
		return 0;
	archive_close(out);
	return -1;
}

static int by_name(const void *a, const void *b)
{
	return name_compare(*(char *const *)a, *(char *const *)b);
}

char **archive_runs(const char *path, size_t *count)
{
	char **run = NULL, *line;
	size_t cap = 0, len = archive_length(path);
	struct archive archive = {.path = NULL};
	struct error err;

	*count = 0;
	if (!len || path[len] || start(&archive, "list", path, &err) < 0)
		return NULL;
	while ((line = next_line(&archive))) {
		struct strbuf operand = strbuf_new();

		strbuf_addf(&operand, "%s/%s", path, line + 1);
		ALLOC_NEXT(run, *count, cap) = strbuf_detach(&operand);
		free(line);
	}
	archive_close(&archive);
	SORT(run, *count, by_name);
	return run;
}
