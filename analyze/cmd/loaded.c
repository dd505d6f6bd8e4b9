/* A run with its report: what becomes of it once it is loaded. */
#include "cmd/load.h"

void loaded_drop_report(struct loaded *loaded)
{
	report_release(&loaded->report);
	report_init(&loaded->report, &loaded->run);
}

void loaded_move(struct loaded *to, const struct loaded *from)
{
	*to = *from;
	to->report.run = &to->run;
	if (to->report.evidence.time_source)
		to->report.evidence.time_source = to->run.time_source;
}

void loaded_release(struct loaded *loaded)
{
	report_release(&loaded->report);
	run_release(&loaded->run);
	store_close(loaded->samples);
}
