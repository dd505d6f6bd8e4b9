/* Computes, prints, and tells the status. */
#include "cmd/gate_repeats.h"

#include "cmd/result.h"
#include "compute/gate/calibrate.h"
#include "render/render.h"

struct writing {
	const struct render_format *format;
	const struct calibration *calibration;
	const struct selftest *selftest;
};

static int write_calibration(
	void *context, const struct render_options *options, FILE *out, struct error *err)
{
	const struct writing *writing = context;

	return writing->format->calibrate(writing->calibration, options, out, err);
}

static int write_selftest(
	void *context, const struct render_options *options, FILE *out, struct error *err)
{
	const struct writing *writing = context;

	return writing->format->selftest(writing->selftest, options, out, err);
}

/* Where several apply, the first: what can't be written, what failed, what can't be read.
 */
static enum exit_status print(const struct runs *runs,
	int (*write)(void *context, const struct render_options *options, FILE *out,
		struct error *err),
	struct writing *writing, bool failed)
{
	struct result result = {
		runs->opt, runs->loaded, runs->count, runs->store ? runs->db : NULL};
	struct error err;

	if (result_print(&result, write, writing, &err) < 0) {
		runs->console->say(err.message);
		return EXIT_USAGE;
	}
	return failed ? EXIT_FAILED : runs_status(runs);
}

/* The first number that refuses it, in a sentence. */
static void say_refused(
	const struct calibration *calibration, const struct console *console)
{
	for (size_t i = 0; i < calibration->count; i++) {
		const struct calibration_result *result = &calibration->result[i];
		struct error err;

		if (result->outcome == CALIBRATION_LEARNT || result->rule->warn)
			continue;
		error_set(&err, "%s:%zu: \"%.200s\": %s", calibration->rules->file,
			result->rule->line, result->rule->name, result->why);
		console->say(err.message);
		return;
	}
}

/* What the rules of a calibration have no place for: a repeat that failed, and the like.
 */
static void say_remarks(
	const struct comparison *comparison, const struct console *console)
{
	for (size_t i = 0; i < comparison->remark_count; i++)
		console->say(comparison->remark[i]);
}

enum exit_status gate_calibrate(const struct sides *sides, const struct gate_rules *rules)
{
	struct calibration calibration = CALIBRATION_INIT;
	struct writing writing = {
		render_find(sides->runs.opt->format), &calibration, NULL};
	enum exit_status status = EXIT_FAILED;

	calibrate(&calibration, rules, &sides->comparison);
	if (writing.format->for_use)
		say_remarks(&sides->comparison, sides->runs.console);
	if (calibration.refused && writing.format->for_use)
		say_refused(&calibration, sides->runs.console);
	else
		status = print(&sides->runs, write_calibration, &writing,
			calibration.refused > 0);
	calibration_release(&calibration);
	return status;
}

enum exit_status gate_selftest(const struct sides *sides, const struct gate_rules *rules)
{
	struct selftest test = SELFTEST_INIT;
	struct writing writing = {render_find(sides->runs.opt->format), NULL, &test};
	enum exit_status status;

	selftest(&test, rules, &sides->comparison);
	status = print(&sides->runs, write_selftest, &writing, test.failed > 0);
	selftest_release(&test);
	return status;
}
