/* Names are looked for in the parts that the options leave, in a fixed order. */
#include "cmd/asked.h"

#include <fnmatch.h>
#include <string.h>

#include "base/text.h"
#include "model/phase_name.h"

/* Of several parts that have a key the first is meant. */
static const enum measure_part parts_in_order[] = {
	MEASURE_SUMMARY, MEASURE_STEADY, MEASURE_WORK, MEASURE_METRIC, MEASURE_PHASE};

/* May it be in this part, as the options are? */
static bool is_open(enum measure_part part, const struct options *opt)
{
	if (opt->work)
		return part == MEASURE_WORK;
	if (opt->device || opt->statistic)
		return part == MEASURE_METRIC;
	if (opt->phase)
		return part == MEASURE_PHASE || part == MEASURE_METRIC;
	return part != MEASURE_PHASE;
}

static bool find_part(
	const char *name, const struct options *opt, bool all, enum measure_part *part)
{
	for (size_t i = 0; i < sizeof parts_in_order / sizeof *parts_in_order; i++) {
		*part = parts_in_order[i];
		if ((all || is_open(*part, opt)) && measure_part_has(*part, name))
			return true;
	}
	return false;
}

static void offer_all(struct near *near, void (*offer)(struct near *, const char *))
{
	const char *key;

	for (enum measure_part part = 0; part < MEASURE_PARTS; part++)
		for (size_t i = 0; (key = measure_part_key(part, i)); i++)
			offer(near, key);
}

void asked_offer(struct near *near)
{
	offer_all(near, near_offer);
	if (!near->count)
		offer_all(near, near_offer_words);
}

/* There is no such name at all. */
static int refuse_name(const char *name, struct error *err)
{
	struct near near = {.asked = name};
	struct strbuf sb;

	asked_offer(&near);
	strbuf_init(&sb);
	near_say(&sb, &near, "");
	error_set(err,
		"unknown metric '%s': expected a key of resource_summary or a metric "
		"(--list-metrics)%s",
		name, sb.text);
	strbuf_release(&sb);
	return -1;
}

/* There is, but not as the options ask. */
static int refuse_options(const char *name, enum measure_part part,
	const struct options *opt, struct error *err)
{
	if (part == MEASURE_PHASE && !opt->phase)
		return error_set(
			err, "%s is of a phase; expected --phase PATH beside it", name);
	if (opt->work)
		return error_set(err,
			"%s is no number of units of work; expected no --work", name);
	if (opt->device || opt->statistic)
		return error_set(err,
			"%s is of the whole run, not of devices; expected no --device "
			"and no --statistic",
			name);
	return error_set(err, "%s is not known of phases; expected no --phase", name);
}

static bool has_states(enum metric_id metric)
{
	enum metric_kind kind = metric_get(metric)->kind;

	return kind == KIND_STATE || kind == KIND_FLAGS;
}

/* May somebody ask for it? */
static bool is_statistic(const char *name)
{
	enum statistic statistic = statistic_find(span_of(name));

	return statistic < STATISTIC_COUNT && measure_statistic_counts(statistic);
}

static int refuse_statistic(const char *name, bool states, struct error *err)
{
	struct strbuf sb;

	strbuf_init(&sb);
	for (enum statistic s = 0; s < STATISTIC_COUNT && !states; s++)
		if (measure_statistic_counts(s))
			strbuf_addf(&sb, "%s%s", sb.len ? ", " : "one of ",
				statistic_name(s));
	error_set(err, "--statistic %s: expected %s", name,
		states ? "share, which is what states have" : sb.text);
	strbuf_release(&sb);
	return -1;
}

static int find_statistic(
	struct asked *asked, const struct options *opt, struct error *err)
{
	enum metric_id metric = metric_find(span_of(asked->key));
	bool states = has_states(metric);

	asked->statistic = opt->statistic;
	if (!opt->statistic)
		asked->statistic = states			   ? "share"
			: metric_get(metric)->kind == KIND_COUNTER ? "increase"
								   : "mean";
	else if (states ? strcmp(opt->statistic, "share") != 0
			: !is_statistic(opt->statistic))
		return refuse_statistic(opt->statistic, states, err);
	return 0;
}

int asked_find(struct asked *asked, const char *name, const struct options *opt,
	struct error *err)
{
	enum measure_part part;

	if (!find_part(name, opt, false, &part))
		return find_part(name, opt, true, &part)
			? refuse_options(name, part, opt, err)
			: refuse_name(name, err);
	*asked = (struct asked){.part = part,
		.key = name,
		.phase = opt->phase,
		.device = opt->device,
		.work = opt->work};
	return part == MEASURE_METRIC ? find_statistic(asked, opt, err) : 0;
}

static bool matches(const char *glob, const char *name)
{
	return !glob || (name && fnmatch(glob, name, 0) == 0);
}

bool asked_wants(const struct asked *asked, const struct measure *measure)
{
	return measure->part == asked->part && strcmp(measure->key, asked->key) == 0 &&
		(!asked->statistic ||
			strcmp(measure->statistic, asked->statistic) == 0) &&
		(asked->phase ? measure->phase && phase_fits(asked->phase, measure->phase)
			      : !measure->phase) &&
		matches(asked->device, measure->device) &&
		matches(asked->work, measure->work);
}

unsigned asked_parts(const struct asked *asked)
{
	return 1u << asked->part | (asked->phase ? 1u << MEASURE_PHASE : 0u);
}
