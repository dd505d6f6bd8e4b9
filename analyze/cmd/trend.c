/*
 * hwsummarize trend METRIC [RUN...]: one number of all runs of the database, in order of
 * time or of a label: where it changed, and which run began it. Reads no log.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/command.h"
#include "cmd/explain.h"
#include "cmd/formats.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "compute/compare/trend.h"
#include "render/render.h"
#include "store/store.h"

struct trend_call {
	const struct options *opt;
	const char *db;
	struct asked asked;
	struct trends trends;
	struct trending *trending; /* NULL: not begun, or ended */
	size_t runs, wanted; /* that the database has, of them that are wanted */
	size_t outdated;
};

/* A run is also known by the last name of its path. */
static bool is_named(const char *glob, const struct run *run)
{
	char *name = run_name(run);
	const char *last = strrchr(name, '/');
	bool is =
		fnmatch(glob, name, 0) == 0 || (last && fnmatch(glob, last + 1, 0) == 0);

	free(name);
	return is;
}

static bool is_wanted(void *context, const struct run *run)
{
	struct trend_call *call = context;
	const struct options *opt = call->opt;
	bool named = opt->operand_count == 1;

	for (int i = 1; i < opt->operand_count && !named; i++)
		named = is_named(opt->operand[i], run);
	call->runs++;
	if (!named || !label_matches(&run->labels, &opt->where))
		return false;
	call->wanted++;
	return true;
}

static bool wants_number(void *context, const struct measure *measure)
{
	const struct trend_call *call = context;

	return asked_wants(&call->asked, measure);
}

static void take(void *context, struct report *report)
{
	struct trend_call *call = context;
	const struct report_filter filter = {.per_core = call->opt->per_core};

	report_select(report, &filter);
	trend_add(call->trending, report);
}

/* Its statistics say how much of its time the number is of; NULL: none do. */
static const char *metric_of(const struct asked *asked)
{
	if (asked->part == MEASURE_METRIC)
		return asked->key;
	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++) {
		const struct summary_field *field = summary_field_get(key);

		if (strcmp(field->name, asked->key) == 0 && field->metric != METRIC_none)
			return metric_get(field->metric)->name;
	}
	return NULL;
}

static int read_history(struct trend_call *call, struct store *store, struct error *err)
{
	const struct asked *asked = &call->asked;
	const char *metric = metric_of(asked);
	const struct history history = {.wanted = is_wanted,
		.take = take,
		.context = call,
		.parts = asked_parts(asked) | (metric ? 1u << MEASURE_METRIC : 0),
		.metric = metric,
		.calls = asked_parts(asked) >> MEASURE_PHASE & 1};
	int rc;

	call->trending = trend_begin(&call->trends, call->opt->by, wants_number, call);
	rc = store_history(store, &history, &call->outdated, err);
	if (call->outdated)
		trends_remark(&call->trends,
			"%zu %s by another version and can't be compared: load %s again",
			call->outdated,
			call->outdated == 1 ? "run was loaded" : "runs were loaded",
			call->outdated == 1 ? "it" : "them");
	trend_end(call->trending);
	return rc;
}

/* Why there is nothing to show. */
static int check_found(const struct trend_call *call, struct error *err)
{
	const struct trends *trends = &call->trends;
	struct strbuf sb;

	if (trends->count)
		return 0;
	if (!call->runs)
		return error_set(err, "%s: the database has no runs", call->db);
	if (!call->wanted)
		return error_set(
			err, "%s: none of the %zu runs matches", call->db, call->runs);
	strbuf_init(&sb);
	for (size_t i = 0; i < trends->remark_count; i++)
		strbuf_addf(&sb, "; %s", trends->remark[i]);
	error_set(err, "%s: no run has a value of %s%s%s%s", call->db, call->asked.key,
		call->opt->by ? " and the label " : "",
		call->opt->by ? call->opt->by : "", sb.text);
	strbuf_release(&sb);
	return -1;
}

static int run(struct trend_call *call, struct error *err)
{
	const struct options *opt = call->opt;
	const struct result result = {opt, NULL, 0, call->db};
	const struct render_result rendered = {RESULT_TRENDS, .trends = &call->trends};
	struct store *store = NULL;
	int rc;

	if (formats_check("trend", opt->format, err) < 0)
		return -1;
	if (opt->by && !label_is_key(span_of(opt->by)))
		return error_set(err,
			"--by %s: expected the key of a label (at most %d letters, "
			"digits, _, . or -)",
			opt->by, LABEL_KEY_MAX);
	if (asked_find(&call->asked, opt->operand[0], opt, err) < 0 ||
		store_open_reader(&store, call->db, err) < 0)
		return -1;
	rc = read_history(call, store, err);
	store_close(store);
	if (rc < 0 || check_found(call, err) < 0)
		return -1;
	return result_render(&result, &rendered, err);
}

int cmd_trend(const struct options *opt, const struct console *console, struct error *err)
{
	struct trend_call call = {.opt = opt, .db = options_db(opt)};
	int status = run(&call, err);

	(void)console;
	trends_release(&call.trends);
	return status;
}
