/* From the database through the chronicle to whoever draws it. */
#include "cmd/samples.h"

#include <stdlib.h>

#include "cmd/load.h"
#include "compute/inspect/chronicle.h"
#include "compute/run/pass.h"
#include "model/coverage.h"

/* What counts of the rows, as the report was made of them. */
static struct compute_window window_of(
	const struct report *report, const struct load_plan *plan)
{
	struct compute_window window = {.set = report->cut || report->windowed,
		.closed = true,
		.from_ns = report->started_ns,
		.to_ns = report->ended_ns};
	int64_t since_ns = plan->since_ns > 0 ? plan->since_ns : 0;

	if (report->windowed && plan->until_ns >= 0 &&
		report->ended_ns == report->started_ns - since_ns + plan->until_ns)
		window.closed = false; /* not cut off by the run's end */
	return window;
}

/* The database shows the run as it was loaded, until it is let go. */
static int hold(struct runs *runs, const struct run *run, struct error *err)
{
	char *shape = load_plan_shape(&runs->plan);
	struct run stored;
	int found = store_hold(runs->store, err);

	if (found == 0) {
		run_init(&stored, run->path);
		found = store_get_run(runs->store, run->key, shape, &stored, err);
		if (found >= 0 && !(found > 0 && run_is_unchanged(run, &stored)))
			found = error_set(err,
				"%s: another run replaced it in the database while it "
				"was read; try --no-db",
				run->path);
		if (found < 0)
			store_let_go(runs->store);
		run_release(&stored);
	}
	free(shape);
	return found < 0 ? -1 : 0;
}

/* How far apart ticks without times stand, in a run that no log has times of; else 0. */
static int64_t step_of(
	const struct report *report, enum source_kind kind, const struct load_plan *plan)
{
	int64_t recorded_ns = run_interval_ns(report->run, kind);

	if (time_is_dated(report->started_ns))
		return 0;
	if (plan->compute.interval_ns > 0)
		return plan->compute.interval_ns;
	return recorded_ns > 0 ? recorded_ns : 0;
}

static int show_kind(struct chronicle *chronicle, struct store *store,
	struct loaded *loaded, enum source_kind kind, const struct load_plan *plan,
	struct error *err)
{
	struct tick_times times = {.step_ns = step_of(&loaded->report, kind, plan)};
	struct sample_source *source =
		store_samples(store, loaded->run.key, kind, &loaded->run.texts, err);
	struct sample_batch batch;
	int got;

	if (!source)
		return -1;
	sample_batch_init(&batch);
	while ((got = sample_source_next(source, &batch, err)) > 0) {
		tick_times_put(&times, &loaded->run, &batch);
		chronicle_add(chronicle, &batch);
	}
	chronicle_end_source(chronicle);
	tick_times_release(&times);
	sample_batch_release(&batch);
	sample_source_free(source);
	return got;
}

static void say_left_out(const struct runs *runs, const struct run *run, uint64_t rows)
{
	struct error said;

	if (!rows)
		return;
	error_set(&said, "%s: %llu rows without times are not shown%s", run->path,
		(unsigned long long)rows,
		runs->plan.compute.interval_ns < 0
			? "; add --interval to show such a log alone"
			: "");
	runs->console->say(said.message);
}

int samples_show(struct runs *runs, const struct report *report,
	struct chronicle_taker *taker, struct error *err)
{
	struct loaded *loaded = runs->loaded;
	struct compute_window window = window_of(report, &runs->plan);
	struct chronicle *chronicle;
	struct store *store;
	int shown = 0;

	while (&loaded->run != report->run)
		loaded++;
	store = loaded->samples ? loaded->samples : runs->store;
	if (!loaded->samples && hold(runs, &loaded->run, err) < 0)
		return -1;
	chronicle = chronicle_new(report, &window, taker);
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT && shown == 0; kind++)
		if (source_has_samples(kind))
			shown = show_kind(
				chronicle, store, loaded, kind, &runs->plan, err);
	say_left_out(runs, &loaded->run, chronicle_left_out(chronicle));
	chronicle_free(chronicle);
	if (!loaded->samples)
		store_let_go(store);
	return shown;
}
