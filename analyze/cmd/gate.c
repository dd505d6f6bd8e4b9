/*
 * hwsummarize gate --rules FILE BASE... --vs NEW...: do the new runs keep the rules? Or,
 * of repeats of one program, what is noise (--calibrate), and whether each rule would
 * catch what it is there for (--selftest).
 */
#include <stdlib.h>

#include "cmd/command.h"
#include "cmd/named.h"
#include "cmd/result.h"
#include "cmd/rules_file.h"
#include "cmd/sides.h"
#include "compute/gate.h"
#include "render/render.h"

/* A sentence's end for what can't be asked; NULL: all can. */
static const char *refused_option(const struct options *opt)
{
	const struct render_format *format = render_find(opt->format);
	bool repeats = opt->calibrate || opt->selftest;

	if (!opt->gate_rules)
		return "expected --rules FILE";
	if (!format || !format->gate)
		return "has no such format; expected --format text, json or junit";
	if (opt->join)
		return "wants a run directory for each run, and no --join";
	if (opt->metric || opt->device || opt->phase)
		return "asks for what its rules name; expected no --metric, --device or "
		       "--phase";
	if (opt->calibrate && opt->selftest)
		return "does one at a time; expected --calibrate or --selftest";
	if (repeats && opt->vs >= 0)
		return "--calibrate and --selftest take repeats of one program; expected "
		       "no --vs";
	if (opt->vs == 0 || opt->vs == opt->operand_count)
		return "expected runs on both sides of --vs";
	return NULL;
}

/* Without a base nothing can be compared. */
static int check_base(
	const struct options *opt, const struct gate_rules *rules, struct error *err)
{
	for (size_t i = 0; i < rules->count && opt->vs < 0; i++)
		if (gate_rule_compares(&rules->rule[i]))
			return error_set(err,
				"%s:%zu: \"%s\" compares with a base: expected BASE... "
				"--vs NEW...",
				rules->file, rules->rule[i].line, rules->rule[i].name);
	return 0;
}

static enum side side_of(const struct options *opt, int nth)
{
	return nth < opt->vs ? SIDE_BASE : SIDE_NEW;
}

static bool is_wanted(void *context, const struct measure *measure)
{
	const struct options *opt = context;
	const struct gate_rules *rules = opt->gate;

	for (size_t i = 0; i < rules->count; i++)
		if (gate_rule_reads(&rules->rule[i], measure))
			return true;
	return false;
}

struct writing {
	const struct render_format *format;
	const struct gate *gate;
};

static int write_gate(
	void *context, const struct render_options *options, FILE *out, struct error *err)
{
	const struct writing *writing = context;

	return writing->format->gate(writing->gate, options, out, err);
}

/* Where several apply, the first. */
static enum exit_status status_of(const struct gate *gate, const struct runs *runs)
{
	enum exit_status of_runs = runs_status(runs);

	if (of_runs == EXIT_USAGE || gate->outcome == GATE_UNUSABLE)
		return EXIT_USAGE;
	if (gate->outcome == GATE_REGRESSION)
		return EXIT_FAILED;
	if (gate->outcome == GATE_INCONCLUSIVE)
		return EXIT_INCONCLUSIVE;
	return of_runs;
}

static enum exit_status judge(const struct sides *sides, const struct gate_rules *rules,
	const struct console *console)
{
	const struct runs *runs = &sides->runs;
	const struct comparison *comparison = &sides->comparison;
	struct result result = {
		runs->opt, runs->loaded, runs->count, runs->store ? runs->db : NULL};
	struct gate gate = GATE_INIT;
	struct writing writing = {render_find(runs->opt->format), &gate};
	enum exit_status status;
	struct error err;

	if (!comparison->on_side[SIDE_NEW] ||
		(runs->opt->vs > 0 && !comparison->on_side[SIDE_BASE])) {
		console->say("gate: a side without a usable run");
		return EXIT_USAGE;
	}
	gate_judge(&gate, rules, comparison, sides->lost, sides->lost_count);
	status = status_of(&gate, runs);
	if (result_print(&result, write_gate, &writing, &err) < 0) {
		console->say(err.message);
		status = EXIT_USAGE;
	}
	gate_release(&gate);
	return status;
}

static enum exit_status run_gate(const struct options *opt,
	const struct gate_rules *rules, const struct console *console)
{
	enum exit_status status = EXIT_USAGE;
	struct options asked = *opt;
	struct named named = {0};
	struct sides sides;
	struct error err;

	asked.gate = rules;
	if (check_base(opt, rules, &err) < 0 || named_init(&named, opt, &err) < 0) {
		console->say(err.message);
	} else {
		if (sides_load(&sides, &asked, &named, side_of, is_wanted, console) ==
			0) {
			gate_add_states(&sides.comparison, rules);
			status = judge(&sides, rules, console);
		}
		sides_release(&sides);
	}
	named_release(&named);
	return status;
}

enum exit_status cmd_gate(const struct options *opt, const struct console *console)
{
	const char *refused = refused_option(opt);
	enum exit_status status = EXIT_USAGE;
	struct gate_rules rules = GATE_RULES_INIT;
	struct error err;

	if (refused) {
		error_set(&err, "gate: %s", refused);
		console->say(err.message);
	} else if (rules_file_read(&rules, opt->gate_rules, &err) < 0) {
		console->say(err.message);
	} else {
		status = run_gate(opt, &rules, console);
	}
	gate_rules_release(&rules);
	return status;
}
