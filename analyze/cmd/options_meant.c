/* What several options mean together. */
#include <stdlib.h>

#include "cmd/options.h"

bool options_has_filter(const struct options *opt)
{
	return opt->metric || opt->device || opt->phase;
}

struct report_filter options_filter(const struct options *opt)
{
	return (struct report_filter){.metric = opt->metric,
		.device = opt->device,
		.phase = opt->phase,
		.per_core = opt->per_core,
		.since_ns = opt->since_ns > 0 ? opt->since_ns : 0,
		.until_ns = opt->until_ns > 0 ? opt->until_ns : 0};
}

static const char *named_db(const struct options *opt)
{
	const char *named = opt->db ? opt->db : getenv("HWSUMMARIZE_DB");

	return named && named[0] ? named : NULL;
}

bool options_name_db(const struct options *opt)
{
	return named_db(opt) != NULL;
}

const char *options_db(const struct options *opt)
{
	return options_name_db(opt) ? named_db(opt) : "runs.db";
}
