/*
 * hwsummarize merge OTHER.db...: takes the runs of other databases into the one in
 * use, each database whole or not at all. One that can't be used hides no other.
 */
#include "cmd/merge.h"

#include <stdlib.h>

#include "cmd/command.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "render/utf8.h"
#include "store/store.h"

/* The lines of merge and push. */

void transfer_counts_tell(struct strbuf *lines, const char *name,
	const struct transfer_counts *counts, const struct console *console)
{
	for (size_t i = 0; i < counts->refusal_count; i++)
		console->say(counts->refusal[i]);
	utf8_inert(lines, name);
	strbuf_addf(lines, ": %zu taken, %zu renewed, %zu there already", counts->taken,
		counts->renewed, counts->known);
	if (counts->refused)
		strbuf_addf(lines, ", %zu refused", counts->refused);
	strbuf_addc(lines, '\n');
}

static int write_lines(
	void *context, const struct render_options *options, FILE *out, struct error *err)
{
	const struct strbuf *lines = context;

	(void)options;
	(void)err;
	return fputs(lines->text, out) < 0 ? -1 : 0;
}

int transfer_counts_print(
	const struct options *opt, const struct strbuf *lines, struct error *err)
{
	const struct result result = {opt, NULL, 0, options_db(opt)};

	return opt->verbose < 0 ? 0
				: result_print(&result, write_lines, (void *)lines, err);
}

struct merging {
	const struct options *opt;
	const struct console *console;
	struct strbuf lines; /* of those that were merged */
	int lost, conflicts;
};

static int merge_one(struct merging *m, const char *path, struct error *err)
{
	struct transfer_counts result;
	struct store *store, *other;
	int rc;

	if (store_open_source(&other, path, err) < 0)
		return -1;
	if (store_open(&store, options_db(m->opt), err) < 0) {
		store_close(other);
		return -1;
	}
	rc = store_merge(store, other, &result, err);
	store_close(store);
	store_close(other);
	if (rc < 0)
		return -1;
	m->conflicts += result.refusal_count > 0;
	transfer_counts_tell(&m->lines, path, &result, m->console);
	transfer_counts_release(&result);
	return 0;
}

static enum exit_status merge(struct merging *m)
{
	const struct options *opt = m->opt;
	struct error err;

	for (int i = 0; i < opt->operand_count; i++)
		if (merge_one(m, opt->operand[i], &err) < 0) {
			m->console->say(err.message);
			m->lost++;
		}
	if (m->lost == opt->operand_count)
		return EXIT_USAGE;
	if (transfer_counts_print(opt, &m->lines, &err) < 0) {
		m->console->say(err.message);
		return EXIT_USAGE;
	}
	return m->lost || m->conflicts ? EXIT_UNUSABLE : EXIT_DONE;
}

enum exit_status cmd_merge(const struct options *opt, const struct console *console)
{
	struct merging merging = {.opt = opt, .console = console};
	char *refused = stored_refuse(opt, "merge", false);
	enum exit_status status = EXIT_USAGE;

	strbuf_init(&merging.lines);
	if (refused)
		console->say(refused);
	else
		status = merge(&merging);
	free(refused);
	strbuf_release(&merging.lines);
	return status;
}
