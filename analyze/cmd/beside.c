/* Reports that stay: sides.c compares those of which nothing else is shown. */
#include "cmd/beside.h"

#include "cmd/named.h"
#include "cmd/sides.h"
#include "compute/inspect/selection.h"

bool beside_is_asked(const struct options *opt)
{
	return opt->operand_count > 1 && !opt->join;
}

static int add_runs(struct comparing *comparing, struct runs *runs,
	const struct named *named, const size_t *nth, struct error *err)
{
	const struct options *opt = runs->opt;
	const struct report_filter filter = {
		.device = opt->device, .per_core = opt->per_core};

	for (size_t i = 0; i < runs->count; i++) {
		struct report *report = &runs->loaded[i].report;

		selection_apply(report, &filter);
		if (compare_add(comparing, named->name[nth[i]],
			    sides_plain(opt, (int)nth[i]), report, err) < 0)
			return -1;
	}
	return 0;
}

void beside_init(struct beside *beside, struct runs *runs, const size_t *nth)
{
	const struct options *opt = runs->opt;
	struct comparing *comparing;
	struct named named = {0};

	*beside = (struct beside){.comparison = {.filter = options_filter(opt)}};
	comparing = compare_begin(
		&beside->comparison, runs->count, sides_wanted(opt), (void *)opt);
	if (named_init(&named, opt, &beside->why) == 0 &&
		add_runs(comparing, runs, &named, nth, &beside->why) == 0 &&
		!comparison_is_whole(&beside->comparison))
		error_set(&beside->why, "%s", sides_missing);
	compare_end(comparing);
	named_release(&named);
}

void beside_release(struct beside *beside)
{
	comparison_release(&beside->comparison);
}
