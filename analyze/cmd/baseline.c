/* Two walks through the history: how many, and which. */
#include "cmd/baseline.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/quantity.h"
#include "base/text.h"
#include "model/coverage.h"
#include "model/measure.h"

int baseline_open(struct baseline *baseline, const struct options *opt,
	const struct named *named, struct error *err)
{
	*baseline = (struct baseline){.opt = opt, .named = named};
	if (!opt->baseline_db)
		return 0;
	if (access(opt->baseline_db, F_OK) != 0)
		return error_set(err, "--baseline-db %s: there is no such database",
			opt->baseline_db);
	return store_open_reader(&baseline->store, opt->baseline_db, err);
}

void baseline_release(struct baseline *baseline)
{
	store_close(baseline->store);
	baseline->store = NULL;
}

/* The new run that this one is too; NULL: none. */
static const struct run *new_one(const struct runs *new, const struct run *run)
{
	struct run_identity own = run_identity(run);

	for (size_t i = 0; i < new->count; i++) {
		const struct run *other = &new->loaded[i].run;
		struct run_identity its = run_identity(other);

		if (run_identity_same(&its, &own) || run_identity_same_logs(&its, &own))
			return other;
	}
	return NULL;
}

static bool is_wanted(void *context, const struct run *run)
{
	struct baseline *b = context;

	bool other = !new_one(b->new, run);

	b->runs++;
	b->others += other;
	return other && label_matches(&run->labels, &b->opt->where);
}

static void count_run(void *context, struct report *report)
{
	struct baseline *b = context;

	(void)report;
	b->count++;
}

int baseline_count(struct baseline *baseline, const struct runs *new, struct error *err)
{
	const struct history history = {
		.wanted = is_wanted, .take = count_run, .context = baseline};
	size_t outdated;

	baseline->new = new;
	if (!baseline->store)
		return 0;
	return store_history(baseline->store, &history, &outdated, err);
}

int baseline_check(const struct baseline *baseline, struct error *err)
{
	if (!baseline->store || baseline->count)
		return 0;
	if (baseline->runs && !baseline->others)
		return error_set(err,
			"%s: holds no run but the new ones: there is no base yet that "
			"they "
			"could be judged by",
			baseline->opt->baseline_db);
	return error_set(err,
		"%s: none of its %zu runs can be the base: labelled as --where says, of "
		"this version's definitions, and none of the new ones",
		baseline->opt->baseline_db, baseline->runs);
}

static bool is_taken(const struct baseline *b, const char *name)
{
	for (size_t i = 0; i < b->named->count; i++)
		if (strcmp(b->named->name[i], name) == 0)
			return true;
	for (size_t i = 0; i < b->out->run_count; i++)
		if (strcmp(b->out->run[i].name, name) == 0)
			return true;
	return false;
}

/* CI puts the runs of each build into folders of the same names. To be freed. */
static char *name_of(const struct baseline *b, const struct report *report)
{
	char *path = run_name(report->run);
	struct strbuf name;

	strbuf_init(&name);
	strbuf_adds(&name, path);
	if (is_taken(b, name.text) && report->started_ns != TIME_NONE) {
		strbuf_adds(&name, " (");
		quantity_when(&name, report->started_ns);
		strbuf_addc(&name, ')');
	}
	if (is_taken(b, name.text)) {
		strbuf_clear(&name);
		strbuf_addf(&name, "%s (%s)", path, report->run->key);
	}
	free(path);
	return strbuf_detach(&name);
}

static void add_run(void *context, struct report *report)
{
	struct baseline *b = context;
	const struct report_filter filter = {.per_core = b->opt->per_core};
	char *name = name_of(b, report);

	report_select(report, &filter);
	/* One that was loaded since they were counted has no room. */
	if (b->added == 0 && b->out->on_side[SIDE_BASE] < b->count)
		b->added = compare_add(b->comparing, name, SIDE_BASE, report, &b->err);
	free(name);
}

static void remark_new(
	struct comparison *out, const struct run *run, const struct run *new)
{
	char *name = run_name(run), *other = run_name(new);

	if (strcmp(name, other) == 0)
		comparison_remark(out, "%s is a new run, and no part of the base", name);
	else
		comparison_remark(out, "%s is the new run %s, and no part of the base",
			name, other);
	free(name);
	free(other);
}

/* The same as is_wanted, said. */
static bool is_wanted_said(void *context, const struct run *run)
{
	struct baseline *b = context;
	const struct run *new;

	if (!label_matches(&run->labels, &b->opt->where))
		return false;
	new = new_one(b->new, run);
	if (new)
		remark_new(b->out, run, new);
	return !new;
}

int baseline_add(struct baseline *baseline, struct comparing *comparing,
	struct comparison *out, struct error *err)
{
	const struct history history = {.wanted = is_wanted_said,
		.take = add_run,
		.context = baseline,
		.parts = (1u << MEASURE_PARTS) - 1,
		.calls = true};
	size_t outdated;

	if (!baseline->store)
		return 0;
	baseline->comparing = comparing;
	baseline->out = out;
	if (store_history(baseline->store, &history, &outdated, err) < 0)
		return -1;
	if (outdated)
		comparison_remark(out,
			"%zu %s of %s %s loaded by another version, whose numbers mean "
			"something else: no part of the base",
			outdated, outdated == 1 ? "run" : "runs",
			baseline->opt->baseline_db, outdated == 1 ? "was" : "were");
	if (baseline->added < 0)
		*err = baseline->err;
	return baseline->added;
}
