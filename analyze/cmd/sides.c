/* Operand by operand. */
#include "cmd/sides.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/name_match.h"
#include "cmd/window.h"
#include "compute/inspect/selection.h"
#include "model/phase_name.h"

const char sides_missing[] = "a side without a usable run, or one run alone";

enum side sides_plain(const struct options *opt, int nth)
{
	if (opt->vs >= 0)
		return nth < opt->vs ? SIDE_BASE : SIDE_NEW;
	if (opt->operand_count == 2)
		return nth ? SIDE_NEW : SIDE_BASE;
	return SIDES;
}

/* Of all devices that are asked for: the report is of these alone. */
static bool is_wanted(void *context, const struct measure *measure)
{
	const struct options *opt = context;

	return (measure->headline || opt->verbose > 0 || opt->metric) &&
		globs_match(opt->metric, measure->key) &&
		(!opt->phase ||
			(measure->phase && phase_fits(opt->phase, measure->phase)));
}

compare_wanted *sides_wanted(const struct options *opt)
{
	return opt->verbose > 0 || options_has_filter(opt) ? is_wanted : NULL;
}

/* The reason without the path that it begins with. */
static void lose(struct sides *sides, size_t nth, const char *why)
{
	const char *path = sides->named->path[nth];
	size_t len = strlen(path);

	if (strncmp(why, path, len) == 0 && strncmp(why + len, ": ", 2) == 0)
		why += len + 2;
	ALLOC_GROW(sides->lost, sides->lost_count + 1, sides->lost_cap);
	sides->lost[sides->lost_count++] =
		(struct lost_run){xstrdup(sides->named->name[nth]), xstrdup(why)};
}

const char *sides_refused(const struct options *opt)
{
	if (opt->vs == 0 || opt->vs == opt->operand_count)
		return "--vs stands before all runs or behind them; expected runs on "
		       "both sides of --vs";
	if (opt->baseline_db && opt->vs >= 0)
		return "--baseline-db has the base, and all operands are new; expected "
		       "no --vs";
	if (opt->baseline_db && opt->device)
		return "--baseline-db has numbers of whole runs; expected no --device";
	if (opt->baseline_db && window_is_asked(opt))
		return "--baseline-db has numbers of whole runs; expected no --since or "
		       "--until";
	if (opt->where.count && !opt->baseline_db)
		return "--where chooses runs of a database; expected --baseline-db FILE";
	return NULL;
}

static int load_run_of(struct sides *sides, size_t nth, enum side side)
{
	struct runs *runs = &sides->runs;

	const char *why;

	if (runs_load(runs, &sides->named->path[nth], 1) == 0) {
		if (runs->spoilt)
			comparison_remark(&sides->comparison, "%s", runs->spoilt);
		return 0;
	}
	why = runs->warning[runs->warning_count - 1];
	if (runs->opt->gate && side == SIDE_NEW)
		lose(sides, nth, why);
	else
		comparison_remark(&sides->comparison, "not compared: %s", why);
	return -1;
}

static int add_run(struct sides *sides, struct comparing *comparing,
	struct loaded *loaded, size_t nth, enum side side, struct error *err)
{
	const struct options *opt = sides->runs.opt;
	const struct report_filter filter = {
		.device = opt->device, .per_core = opt->per_core};
	int added;

	selection_apply(&loaded->report, &filter);
	sides->has_devices |= loaded->report.stats_count > 0;
	added = compare_add(
		comparing, sides->named->name[nth], side, &loaded->report, err);
	/* The numbers are in the rows; many runs' reports are much memory. */
	loaded_drop_report(loaded);
	return added;
}

/* What failed, or was cut off, tells a gate nothing of what is usual, unless its rules
 * say so. */
static struct comparing *begin(struct sides *sides, size_t runs, compare_wanted *wanted)
{
	const struct options *opt = sides->runs.opt;
	struct comparing *comparing =
		compare_begin(&sides->comparison, runs, wanted, (void *)opt);

	if (opt->gate && !opt->gate->judges_failed)
		compare_leave_undone(comparing);
	return comparing;
}

/* Each run is added as soon as it is loaded. */
static int load_each(
	struct sides *sides, sides_of *side_of, compare_wanted *wanted, struct error *err)
{
	struct runs *runs = &sides->runs;
	struct comparing *comparing = begin(sides, sides->named->count, wanted);
	int added = 0;

	runs_announce(runs, sides->named->path, sides->named->count);
	for (size_t i = 0; i < sides->named->count && added == 0; i++) {
		enum side side = side_of(runs->opt, (int)i);

		if (load_run_of(sides, i, side) == 0)
			added = add_run(sides, comparing, &runs->loaded[runs->count - 1],
				i, side, err);
	}
	compare_end(comparing);
	return added;
}

/* What the base is depends on the new runs: they are loaded first, and added last. */
static int load_beside_base(
	struct sides *sides, compare_wanted *wanted, struct error *err)
{
	struct runs *runs = &sides->runs;
	size_t *nth = xcalloc(sides->named->count + 1, sizeof *nth);
	struct comparing *comparing;
	int added;

	runs_announce(runs, sides->named->path, sides->named->count);
	for (size_t i = 0; i < sides->named->count; i++)
		if (load_run_of(sides, i, SIDE_NEW) == 0)
			nth[runs->count - 1] = i;
	if (baseline_count(&sides->baseline, runs, err) < 0) {
		free(nth);
		return -1;
	}
	if (baseline_check(&sides->baseline, err) < 0)
		comparison_remark(&sides->comparison, "%s", err->message);
	comparing = begin(sides, sides->baseline.count + runs->count, wanted);
	compare_sample_base(comparing);
	added = baseline_add(&sides->baseline, comparing, &sides->comparison, err);
	for (size_t i = 0; i < runs->count && added == 0; i++)
		added = add_run(
			sides, comparing, &runs->loaded[i], nth[i], SIDE_NEW, err);
	compare_end(comparing);
	free(nth);
	return added;
}

int sides_load(struct sides *sides, const struct options *opt, const struct named *named,
	sides_of *side_of, compare_wanted *wanted, const struct console *console)
{
	struct error err;
	int loaded;

	*sides = (struct sides){.named = named};
	if (runs_init(&sides->runs, opt, console) < 0)
		return -1;
	sides->runs.asked.several = true;
	loaded = baseline_open(&sides->baseline, opt, named, &err);
	if (loaded == 0)
		loaded = opt->baseline_db ? load_beside_base(sides, wanted, &err)
					  : load_each(sides, side_of, wanted, &err);
	if (loaded < 0)
		console->say(err.message);
	return loaded;
}

void sides_release(struct sides *sides)
{
	comparison_release(&sides->comparison);
	baseline_release(&sides->baseline);
	runs_release(&sides->runs);
	for (size_t i = 0; i < sides->lost_count; i++) {
		free(sides->lost[i].name);
		free(sides->lost[i].why);
	}
	free(sides->lost);
}
