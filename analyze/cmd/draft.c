/* The parts of a load, in another order: first the logs, then the question for them. */
#include "cmd/draft.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "cmd/loading.h"
#include "cmd/window.h"

/* Files beyond that are hardly of a run that fits into a tape: few of them have many
 * lines a sample. */
#define BYTES_MAX (128 << 20)

struct draft {
	struct loading l;
	struct loaded loaded; /* empty where it failed */
	struct tape tape;
	struct error err;
	bool failed;
};

bool draft_pays(const char *const *path, const struct options *opt, struct store *store)
{
	const struct read_options read = loading_read_options(opt, path, 1);
	struct memory memory;
	bool pays;

	if (opt->samples || opt->timeline_columns || window_is_asked(opt))
		return false;
	memory_init(&memory, opt);
	memory_stamp(&memory, opt, &read);
	pays = memory.stamp && !memory_has(&memory, store) &&
		read_size(&read) <= BYTES_MAX;
	memory_release(&memory);
	return pays;
}

static int read_logs(struct loading *l)
{
	memory_stamp(&l->memory, l->opt, &l->read);
	if (!l->memory.stamp || loading_survey(l) < 0)
		return -1;
	loading_new_aggregate(l, true);
	return loading_from_log(l);
}

struct draft *draft_new(const char *const *path, const struct options *opt)
{
	struct draft *draft = xcalloc(1, sizeof *draft);

	loading_begin(&draft->l, &draft->loaded, path, 1, opt, &draft->err);
	draft->l.tape = &draft->tape;
	draft->failed = read_logs(&draft->l) < 0;
	aggregate_free(draft->l.agg);
	draft->l.agg = NULL;
	return draft;
}

bool draft_is_too_long(const struct draft *draft)
{
	return draft->tape.is_full;
}

/* What the draft is in memory goes into the database, and makes room for the next one. */
static int put(struct draft *draft)
{
	struct loading *l = &draft->l;
	struct tape *tape = &draft->tape;

	l->begun = false;
	if (loading_begin_store(l) < 0)
		return -1;
	for (size_t i = 0; i < tape->count; i++) {
		if (store_put(l->store, &tape->batch[i], l->err) < 0)
			return -1;
		sample_batch_release(&tape->batch[i]);
		sample_batch_init(&tape->batch[i]);
	}
	return store_finish_run(l->store, &draft->loaded.report, l->memory.stamp, l->err);
}

/* As draft_store. */
static int store_it(struct draft *draft)
{
	struct loading *l = &draft->l;
	int result = memory_ask(&l->memory, &draft->loaded, l->opt, l->store, l->err);

	if (result != 0)
		return result;
	result = loading_find_stored(l);
	loading_let_go(l);
	if (result != 0)
		return result < 0 ? -1 : 0;
	if (store_refusal(l->store)) {
		draft->loaded.is_unkept = true;
		return 1;
	}
	if (put(draft) == 0) {
		draft->loaded.is_new = true;
		return 1;
	}
	if (l->begun)
		store_abandon_run(l->store);
	return -1;
}

int draft_store(
	struct draft *draft, struct loaded *out, struct store *store, struct error *err)
{
	int result = 0;

	draft->l.store = store;
	draft->l.err = err;
	if (!draft->failed)
		result = store_it(draft);
	if (result > 0) {
		loaded_move(out, &draft->loaded);
		draft->loaded = (struct loaded){0};
	}
	draft_drop(draft);
	return result;
}

void draft_drop(struct draft *draft)
{
	if (!draft)
		return;
	loading_end(&draft->l);
	loaded_release(&draft->loaded);
	tape_release(&draft->tape);
	free(draft);
}
