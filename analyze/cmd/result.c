/* From the options to the output. */
#include "cmd/result.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/strbuf.h"
#include "cmd/output.h"
#include "cmd/terminal.h"

/* Is the output one of the files that were read? */
static bool is_read_from(const struct run *run, const struct stat *output)
{
	struct strbuf path;
	struct stat st;
	bool same = false;

	strbuf_init(&path);
	for (size_t i = 0; i < run->file_count && !same; i++) {
		strbuf_clear(&path);
		if (run->is_directory)
			strbuf_addf(&path, "%s/", run->path);
		strbuf_adds(&path, run->file[i].path);
		same = stat(path.text, &st) == 0 && st.st_dev == output->st_dev &&
			st.st_ino == output->st_ino;
	}
	strbuf_release(&path);
	return same;
}

static bool is_file(const char *path, const struct stat *output)
{
	struct stat st;

	return path && stat(path, &st) == 0 && st.st_dev == output->st_dev &&
		st.st_ino == output->st_ino;
}

int result_protect(const struct options *opt, const struct run *run, struct error *err)
{
	struct stat output;

	if (!opt->output || stat(opt->output, &output) != 0 ||
		!is_read_from(run, &output))
		return 0;
	return error_set(err, "%s: is a file of %s; expected another one for the output",
		opt->output, run->path);
}

static int protect_input(const struct result *result, struct error *err)
{
	const char *path = result->opt->output;
	struct stat output;

	for (size_t i = 0; i < result->count; i++)
		if (result_protect(result->opt, &result->loaded[i].run, err) < 0)
			return -1;
	if (!path || stat(path, &output) != 0)
		return 0;
	if (is_file(result->db, &output) || is_file(result->opt->baseline_db, &output))
		return error_set(err,
			"%s: is the database; expected another file for the output",
			path);
	return 0;
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
