/* The window that was asked for. */
#include "cmd/window.h"

int window_asked(const struct report *report, const struct options *opt,
	struct compute_window *window, struct error *err)
{
	int64_t length_ns = report->ended_ns - report->started_ns;

	if (report->started_ns == TIME_NONE)
		return error_set(err, "%s: it has no times; expected no --since, --until",
			report->run->path);
	*window = (struct compute_window){.set = true,
		.closed = opt->until_ns < 0 || opt->until_ns > length_ns,
		.origin_ns = report->started_ns,
		.from_ns = report->started_ns,
		.to_ns = report->ended_ns};
	if (opt->since_ns > 0 && opt->since_ns >= length_ns)
		return error_set(err,
			"%s: --since is not before its end; expected less than %.3f s",
			report->run->path, (double)length_ns / 1e9);
	if (opt->since_ns > 0)
		window->from_ns += opt->since_ns;
	if (!window->closed)
		window->to_ns = report->started_ns + opt->until_ns;
	if (window->to_ns <= window->from_ns)
		return error_set(err, "--until is not behind --since");
	return 0;
}
