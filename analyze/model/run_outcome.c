/* Memory of outcomes, and their names. */
#include "model/run_outcome.h"

#include <stdlib.h>

const char *run_outcome_name(enum run_outcome_kind kind)
{
	static const char *const name[RUN_OUTCOMES] = {
		[RUN_FAILED] = "failed", [RUN_CUT_OFF] = "cut off"};

	return name[kind];
}

void run_outcome_release(struct run_outcome *outcome)
{
	free(outcome->how);
	*outcome = (struct run_outcome){RUN_WHOLE, NULL};
}

void run_outcome_say(struct strbuf *sb, const struct run_outcome *outcome)
{
	if (outcome->kind == RUN_CUT_OFF)
		strbuf_addf(sb, "%s: ", run_outcome_name(outcome->kind));
	strbuf_adds(sb, outcome->how);
}
