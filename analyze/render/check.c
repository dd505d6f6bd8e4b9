/* What both forms of the check share: the verdict, and the order of what was found. */
#include "render/check.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "model/run.h"

bool check_is_sound(const struct check_input *in)
{
	for (size_t i = 0; i < in->run_count; i++)
		if (run_is_damaged(in->run[i].report->run))
			return false;
	return !in->warning_count;
}

static enum damage_rank rank_of(const struct diag *diag)
{
	const struct damage *damage = damage_find(diag->id);

	return damage ? damage->rank : diag->damage ? DAMAGE_ROWS : DAMAGE_REMARK;
}

static int worst_first(const void *a, const void *b)
{
	const struct diag *x = *(const struct diag *const *)a;
	const struct diag *y = *(const struct diag *const *)b;

	if (rank_of(x) != rank_of(y))
		return rank_of(x) < rank_of(y) ? -1 : 1;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return x < y ? -1 : x > y;
}

const struct diag **check_sorted(const struct run *run)
{
	const struct diag **list;

	if (!run->diags.count)
		return NULL;
	list = xcalloc(run->diags.count, sizeof *list);
	for (size_t i = 0; i < run->diags.count; i++)
		list[i] = &run->diags.at[i];
	qsort(list, run->diags.count, sizeof *list, worst_first);
	return list;
}
