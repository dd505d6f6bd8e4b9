/* A run of which nothing could be read is an error, which its damage explains. */
#include "cmd/usable.h"

static bool is_usable(const struct run *run)
{
	for (size_t i = 0; i < run->file_count; i++)
		if (!source_is_manifest(run->file[i].kind) && run->file[i].rows)
			return true;
	return false;
}

int usable_check(const struct run *run, struct error *err)
{
	if (is_usable(run))
		return 0;
	for (size_t i = 0; i < run->diags.count; i++)
		if (run->diags.at[i].damage)
			return error_set(err, "%s: not one usable row: %s, line %llu: %s",
				run->path, run->diags.at[i].file,
				(unsigned long long)run->diags.at[i].line,
				run->diags.at[i].text);
	return error_set(err, "%s: the logs hold not one sample or event", run->path);
}
