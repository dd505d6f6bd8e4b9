/* Nothing is aggregated: only what is drawn is read. */
#include "cmd/drawing.h"

#include "compute/run/soundness.h"

size_t drawing_columns(size_t runs)
{
	return runs > 8	   ? TIMELINE_COLUMNS / 4
		: runs > 1 ? TIMELINE_COLUMNS / 2
			   : TIMELINE_COLUMNS;
}

size_t drawing_columns_of(const struct options *opt, const char *const *path)
{
	for (size_t i = 0; i < sizeof opt->timeline_of / sizeof *opt->timeline_of; i++) {
		const struct timeline_share *share = &opt->timeline_of[i];

		if (share->from && path >= share->from &&
			path < share->from + share->count)
			return opt->timeline_columns;
	}
	return 0;
}

static int draw_source(struct timeline_maker *maker, const struct run *run,
	struct sample_source *source, struct error *err)
{
	struct masked_batch in_range = {.presence = NULL};
	struct sample_batch batch;
	int got;

	sample_batch_init(&batch);
	while ((got = sample_source_next(source, &batch, err)) > 0)
		timeline_maker_add(maker, run, impossible_in_range(&in_range, &batch));
	masked_batch_release(&in_range);
	sample_batch_release(&batch);
	return got;
}

int drawing_recall(struct timeline_maker *maker, struct store *store, struct run *run,
	struct error *err)
{
	const struct sample_choice drawn = {.wanted = timeline_wants};

	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		struct sample_source *source;
		int result;

		if (!source_has_samples(kind))
			continue;
		source =
			store_samples_of(store, run->key, kind, &drawn, &run->texts, err);
		if (!source)
			return -1;
		result = draw_source(maker, run, source, err);
		sample_source_free(source);
		if (result < 0)
			return -1;
	}
	return 0;
}
