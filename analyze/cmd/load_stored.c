/* A run that the database may have already: found there, and aggregated from there. */
#include "cmd/loading.h"

#include "model/coverage.h"

/* What is given goes before what the recording says. */
static int label_stored(struct loading *l, struct run *run)
{
	const struct label_list *given = &l->opt->label;

	if (label_matches(&run->labels, given))
		return 0;
	label_set_all(&run->labels, given);
	l->out->is_unkept = store_refusal(l->store) != NULL;
	if (l->out->is_unkept)
		return 0;
	return store_label_run(l->store, run->key, given, l->err);
}

int loading_find_kept(struct loading *l)
{
	struct run *run = &l->out->run, stored;
	int held = 0;

	while (!held) {
		int found;

		run_init(&stored, run->path);
		found = store_get_run(
			l->store, run->key, l->memory.shape, &stored, l->err);
		/* What could not be read then may be readable now. */
		if (found <= 0 || !run_is_unchanged(run, &stored) ||
			run_is_unreadable(&stored)) {
			run_release(&stored);
			return found < 0 ? -1 : 0;
		}
		held = label_stored(l, &stored) < 0 ? -1 : store_hold(l->store, l->err);
		if (held <= 0)
			run_release(&stored);
	}
	if (held < 0)
		return -1;
	l->held = true;
	run_release(run);
	*run = stored;
	return 1;
}

void loading_let_go(struct loading *l)
{
	if (l->held)
		store_let_go(l->store);
	l->held = false;
}

/* The same, also where it is stored under another place. */
static int find_placed(struct loading *l)
{
	if (store_place_run(l->store, &l->out->run, l->err) < 0)
		return -1;
	return loading_find_kept(l);
}

int loading_find_stored(struct loading *l)
{
	int found = find_placed(l);

	/* What packed logs hold is only asked where their bytes are not known. */
	if (found == 0 && read_contents(l->reading))
		found = find_placed(l);
	return found;
}

int loading_pump_stored(struct loading *l)
{
	/* Of rows without times it takes all to know when each was. */
	bool asked = l->window.set && !l->window.of_command && !l->lays;
	struct run *run = &l->out->run;
	const struct sample_choice choice = {.within = asked ? run : NULL,
		.from_ns = l->window.from_ns,
		.to_ns = l->window.to_ns};

	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		struct sample_source *source;
		int result;

		if (!source_has_samples(kind))
			continue;
		loading_draw_again(l, kind);
		source = store_samples_of(
			l->store, run->key, kind, &choice, &run->texts, l->err);
		if (!source)
			return -1;
		result = loading_pump(l, source, true, false);
		sample_source_free(source);
		if (result < 0)
			return -1;
	}
	return 0;
}

int loading_from_store(struct loading *l)
{
	int found = loading_find_stored(l);

	if (found <= 0)
		return found;
	if (loading_pump_stored(l) < 0 ||
		(loading_is_laid(l) && loading_pump_stored(l) < 0) ||
		(loading_is_cut(l) && loading_pump_stored(l) < 0) ||
		store_core_mean(l->store, l->out->run.key, METRIC_cpu_busy_pct,
			&l->out->report.busiest_core_pct, l->err) < 0)
		return -1;
	loading_report(l);
	loading_end_aggregate(l);
	if (l->memory.stamp) {
		loading_let_go(l);
		store_keep(l->store, l->memory.stamp, &l->out->report);
	}
	return 1;
}
