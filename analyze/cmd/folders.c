/* Finds the runs in operands that are folders of runs. */
#include "cmd/folders.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/text.h"

/* What a directory holds. */
struct contents {
	char **directory; /* [directories] their paths, by name; owned */
	size_t directories;
	size_t kept; /* the first of them, which are the options' */
	size_t files; /* but for runs.db */
};

/* The database that is kept where no other is named, and the files beside it. */
static bool is_own_database(const char *name)
{
	return strncmp(name, "runs.db", strlen("runs.db")) == 0;
}

/* Of what can't be opened there is nothing. */
static struct contents contents_read(const char *path)
{
	struct contents c = {.files = 0};
	struct dirent **entry;
	int count = scandir(path, &entry, NULL, alphasort);

	if (count < 0)
		return c;
	c.directory = xcalloc((size_t)count + 1, sizeof *c.directory);
	for (int i = 0; i < count; i++) {
		struct strbuf inner;
		struct stat st;

		strbuf_init(&inner);
		strbuf_addf(&inner, "%s%s%s", path,
			path[strlen(path) - 1] == '/' ? "" : "/", entry[i]->d_name);
		if (entry[i]->d_name[0] != '.' && stat(inner.text, &st) == 0) {
			if (S_ISDIR(st.st_mode))
				c.directory[c.directories++] = strbuf_detach(&inner);
			else
				c.files += !is_own_database(entry[i]->d_name);
		}
		strbuf_release(&inner);
		free(entry[i]);
	}
	free(entry);
	return c;
}

static void contents_release(struct contents *c)
{
	for (size_t i = c->kept; i < c->directories; i++)
		free(c->directory[i]);
	free(c->directory);
}

static bool holds_files(const char *path)
{
	struct contents c = contents_read(path);
	bool holds = c.files > 0;

	contents_release(&c);
	return holds;
}

/* In the place of the nth operand. */
static void put_runs(struct options *opt, int nth, char *const *run, size_t count)
{
	size_t rest = (size_t)(opt->operand_count - nth - 1);
	const char **operand =
		xcalloc((size_t)opt->operand_count + count, sizeof *operand);

	memcpy(operand, opt->operand, (size_t)nth * sizeof *operand);
	for (size_t i = 0; i < count; i++)
		operand[(size_t)nth + i] = run[i];
	memcpy(operand + (size_t)nth + count, opt->operand + nth + 1,
		rest * sizeof *operand);
	free(opt->operand);
	opt->operand = operand;
	opt->operand_count += (int)count - 1;
	opt->vs += opt->vs > nth ? (int)count - 1 : 0;
}

/* The runs of a folder come first, and their paths are the options' then. */
static void keep_runs(struct options *opt, struct contents *c)
{
	for (size_t i = 0; c->files == 0 && i < c->directories; i++) {
		char *path = c->directory[i];

		if (!holds_files(path))
			continue;
		c->directory[i] = c->directory[c->kept];
		c->directory[c->kept++] = path;
		ALLOC_GROW(opt->opened, opt->opened_count + 1, opt->opened_cap);
		opt->opened[opt->opened_count++] = path;
	}
}

void folders_open(struct options *opt, const struct console *console)
{
	for (int nth = 0; nth < opt->operand_count; nth++) {
		const char *path = opt->operand[nth];
		struct contents c = contents_read(path);
		struct error said;

		keep_runs(opt, &c);
		if (c.kept > 0) {
			put_runs(opt, nth, c.directory, c.kept);
			nth += (int)c.kept - 1;
			error_set(&said, "%s: a folder of %zu run%s", path, c.kept,
				c.kept == 1 ? "" : "s");
		}
		if (c.kept > 0 && opt->verbose >= 0)
			console->say(said.message);
		contents_release(&c);
	}
}
