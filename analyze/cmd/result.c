/* From the options to the output. */
#include "cmd/result.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/text.h"
#include "cmd/output.h"
#include "cmd/terminal.h"

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
	return error_set(err, "%s: is %s; expected another file for the output",
		opt->output, what);
}

int result_protect(const struct options *opt, const struct run *run, struct error *err)
{
	struct strbuf path, what;
	int rc = 0;

	strbuf_init(&path);
	strbuf_init(&what);
	strbuf_addf(&what, "a file of %s", run->path);
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
