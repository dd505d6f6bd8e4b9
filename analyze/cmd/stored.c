/* An option that would change nothing is refused rather than ignored. */
#include "cmd/stored.h"

#include <string.h>

#include "base/text.h"
#include "cmd/formats.h"
#include "cmd/result.h"
#include "render/render.h"

/* The first that shapes how logs are read, or what a report tells; NULL: none. */
static const char *of_reports(const struct options *opt)
{
	static const char *const option[] = {"join", "tz", "columns", "gap", "interval",
		"since", "until", "phase", "device", "metric", "calls", "per-core",
		"strict", "statistic", "by", "work", "label", "vs", "rules",
		"baseline-db", "calibrate", "selftest", "jobs", "ram-unit",
		"gpu-ram-unit", "time-unit", "expected-cores", "gpus", "cell", "no-idle",
		"level"};

	for (size_t i = 0; i < sizeof option / sizeof *option; i++)
		if (options_has(opt, option[i]))
			return option[i];
	return NULL;
}

char *stored_refuse(const struct options *opt, const char *command, bool chooses)
{
	const char *name = of_reports(opt);
	struct strbuf sb;
	struct error err;

	strbuf_init(&sb);
	if (formats_check(command, opt->format, &err) < 0)
		strbuf_adds(&sb, err.message);
	else if (opt->no_db)
		strbuf_addf(&sb, "%s asks the database; expected no --no-db", command);
	else if (name)
		strbuf_addf(&sb, "%s reads no log; expected no --%s", command, name);
	else if (opt->dsn && strcmp(command, "push") != 0)
		strbuf_addf(&sb, "%s takes no --dsn; push does", command);
	else if (!chooses && opt->where.count)
		strbuf_addf(&sb, "%s takes no --where", command);
	if (sb.len)
		return strbuf_detach(&sb);
	strbuf_release(&sb);
	return NULL;
}

struct printing {
	const struct render_format *format;
	struct answer *answer;
};

static int write_answer(
	void *context, const struct render_options *options, FILE *out, struct error *err)
{
	const struct printing *printing = context;

	return printing->format->answer(printing->answer, options, out, err);
}

int stored_print(const struct options *opt, const char *db, struct answer *answer,
	struct error *err)
{
	const struct result result = {opt, NULL, 0, db};

	return result_print(&result, write_answer,
		&(struct printing){render_find(opt->format), answer}, err);
}
