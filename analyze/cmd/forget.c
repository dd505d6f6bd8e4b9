/*
 * hwsummarize forget RUN...: removes runs from the database, all that were named or none,
 * and says which. Their logs are not touched.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "render/utf8.h"
#include "store/store.h"

static int write_list(
	void *context, const struct render_options *options, FILE *out, struct error *err)
{
	const struct run_list *list = context;
	struct strbuf line = strbuf_new();

	(void)options;
	(void)err;
	for (size_t i = 0; i < list->count; i++) {
		const struct listed_run *run = &list->run[i];

		strbuf_clear(&line);
		utf8_inert(&line, run->path);
		if (strcmp(run->key, run->path) != 0) {
			strbuf_adds(&line, " (");
			utf8_inert(&line, run->key);
			strbuf_addc(&line, ')');
		}
		fprintf(out, "forgotten: %s\n", line.text);
	}
	strbuf_release(&line);
	return ferror(out) ? -1 : 0;
}

int cmd_forget(
	const struct options *opt, const struct console *console, struct error *err)
{
	const struct run_choice choice = {
		opt->operand, (size_t)opt->operand_count, &opt->where};
	const char *db = options_db(opt);
	const struct result result = {opt, NULL, 0, db};
	struct store *store;
	struct run_list list;
	char *none;
	int rc;

	if (!opt->operand_count && !opt->where.count)
		return error_set(err,
			"forget needs the runs to remove: paths, globs, run ids or "
			"--where KEY=VALUE");
	if (access(db, F_OK) != 0)
		return error_set(err, "%s: no such database", db);
	if (store_open(&store, db, err) < 0)
		return -1;
	rc = store_none_chosen(store, &choice, &none, err);
	if (rc == 0)
		rc = store_forget(store, &choice, &list, err);
	store_close(store);
	if (rc == 0) {
		if (none && opt->verbose >= 0)
			console->say("%s; nothing was removed", none);
		if (opt->verbose >= 0)
			rc = result_print(&result, write_list, &list, err);
		run_list_release(&list);
	}
	free(none);
	return rc;
}
