/* What is lost, and what failed. */
#include "compute/gate_incidents.h"

#include "base/alloc.h"
#include "base/strbuf.h"

static void add(struct gate *gate, enum gate_incident_kind kind, const char *subject,
	const char *why, const char *how)
{
	struct strbuf text;

	strbuf_init(&text);
	strbuf_addf(&text, "%s%s", why, how);
	ALLOC_GROW(gate->incident, gate->incident_count + 1, gate->incident_cap);
	gate->incident[gate->incident_count++] =
		(struct gate_incident){kind, xstrdup(subject), strbuf_detach(&text)};
}

void gate_find_incidents(struct gate *gate, char *const *lost, size_t lost_count)
{
	const struct comparison *comparison = gate->comparison;

	for (size_t i = 0; i < lost_count; i++)
		add(gate, GATE_RUN_LOST, lost[i], "could not be used", "");
	for (size_t i = 0; i < comparison->run_count && !gate->rules->judges_failed; i++)
		if (comparison->run[i].side == SIDE_NEW && comparison->run[i].failed)
			add(gate, GATE_RUN_FAILED, comparison->run[i].name,
				"failed: ", comparison->run[i].failed);
}
