/* Memory of fates, and their names. */
#include "model/run_outcome.h"

#include <stdlib.h>

const char *fate_name(enum fate_kind kind)
{
	static const char *const name[FATE_KINDS] = {
		[FATE_FAILED] = "failed", [FATE_CUT_OFF] = "cut off"};

	return name[kind];
}

void fate_release(struct fate *fate)
{
	free(fate->how);
	*fate = (struct fate){FATE_WHOLE, NULL};
}

void fate_say(struct strbuf *sb, const struct fate *fate)
{
	if (fate->kind == FATE_CUT_OFF)
		strbuf_addf(sb, "%s: ", fate_name(fate->kind));
	strbuf_adds(sb, fate->how);
}
