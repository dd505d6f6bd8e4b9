/* What became of runs that were to be taken over, by a merge or by a push. */
#include <stdlib.h>

#include "base/alloc.h"
#include "store/internal.h"
#include "store/store.h"

void gathered_refuse(struct gathered *gathered, struct strbuf *sentence)
{
	ALLOC_GROW(gathered->refusal, gathered->refusal_count + 1, gathered->refusal_cap);
	gathered->refusal[gathered->refusal_count++] = strbuf_detach(sentence);
}

void gathered_release(struct gathered *gathered)
{
	for (size_t i = 0; i < gathered->refusal_count; i++)
		free(gathered->refusal[i]);
	free(gathered->refusal);
	*gathered = (struct gathered){0};
}
