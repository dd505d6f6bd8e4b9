/*
 * hwsummarize gate --rules FILE BASE... --vs NEW..., or --baseline-db FILE NEW...: do
 * the new runs keep the rules? Or, of repeats of one program, what is noise
 * (--calibrate), and whether each rule would catch what it is there for (--selftest).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/name_match.h"
#include "base/text.h"
#include "cmd/command.h"
#include "cmd/formats.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "cmd/runs.h"
#include "compute/gate/gate.h"
#include "model/gate.h"
#include "render/render.h"
#include "rules/gate.h"
#include "rules/rules.h"

/* status: of what is printed. Returns it; -1: it can't be written. */
static int print(const struct runs *runs, const struct render_result *rendered,
	enum exit_status status, struct error *err)
{
	const struct result result = {
		runs->opt, runs->loaded, runs->count, runs->store ? runs->db : NULL};

	return result_render(&result, rendered, err) < 0 ? -1 : (int)status;
}

/* The first number that refuses it, in a sentence. */
static void say_refused(
	const struct calibration *calibration, const struct console *console)
{
	for (size_t i = 0; i < calibration->count; i++) {
		const struct calibration_result *result = &calibration->result[i];

		if (result->outcome == CALIBRATION_LEARNT || result->rule->warn)
			continue;
		console->say("%s:%zu: \"%.200s\": %s", calibration->rules->file,
			result->rule->line, result->rule->name, result->why);
		return;
	}
}

/* --calibrate: what is noise, and which rules are tighter. */
static int gate_calibrate(
	const struct sides *sides, const struct gate_rules *rules, struct error *err)
{
	const struct console *console = sides->runs.console;
	const struct comparison *comparison = &sides->comparison;
	bool for_use = output_find(sides->runs.opt->format)->for_use;
	struct calibration calibration = CALIBRATION_INIT;
	struct render_result result = {RESULT_CALIBRATION, .calibration = &calibration};
	int status = EXIT_FAILED;

	calibrate(&calibration, rules, comparison);
	/* The rules have no place for these: a repeat that failed, and the like. */
	for (size_t i = 0; i < comparison->remark_count && for_use; i++)
		console->say("%s", comparison->remark[i]);
	if (calibration.refused && for_use)
		say_refused(&calibration, console);
	else
		status = print(&sides->runs, &result,
			calibration.refused ? EXIT_FAILED : runs_status(&sides->runs),
			err);
	calibration_release(&calibration);
	return status;
}

/* --selftest: would each rule catch what it is there for? */
static int gate_selftest(
	const struct sides *sides, const struct gate_rules *rules, struct error *err)
{
	struct selftest test = SELFTEST_INIT;
	struct render_result result = {RESULT_SELFTEST, .selftest = &test};
	int status;

	selftest(&test, rules, &sides->comparison);
	status = print(&sides->runs, &result,
		test.failed ? EXIT_FAILED : runs_status(&sides->runs), err);
	selftest_release(&test);
	return status;
}

/*
 * The rules of a gate from the file that --rules names, or from those that the program
 * carries under that name (schema/gates).
 *
 * A whole file, up to a limit that no list of rules comes near.
 */

#define BYTES_MAX (4 << 20)

static int parse_file(struct gate_rules *rules, const char *name, struct error *err)
{
	struct strbuf text = strbuf_new();
	int status = options_read_json(&text, name, BYTES_MAX, name,
		"not a file of rules: expected JSON text of at most 4 MiB", err);

	if (status == 0)
		status = gate_rules_parse(rules, name, text.text, err);
	strbuf_release(&text);
	return status;
}

/* The first finding that has the word in its name. */
static void add_finding(struct strbuf *sb, const char *word)
{
	const struct rule_set *set = rules_carried();

	for (size_t i = 0; i < set->count && !sb->len; i++)
		if (strstr(set->rule[i].id, word))
			strbuf_addf(sb,
				"; %s is a finding, which a gate can't "
				"check (compare lists new findings)",
				set->rule[i].id);
}

/* A name without slash and dot may be meant as built-in rules, or as a finding. */
static int refuse(const char *name, int why, struct error *err)
{
	struct near near = {.asked = name};
	struct strbuf hint = strbuf_new(), carried = strbuf_new(), names = strbuf_new();
	char *rest;

	if (*name && !strpbrk(name, "/.")) {
		gate_rules_list(&carried);
		strbuf_adds(&names, carried.text);
		for (char *word = strtok_r(names.text, ", ", &rest); word;
			word = strtok_r(NULL, ", ", &rest)) {
			near_offer(&near, word);
			near_offer_part(&near, word);
		}
		near_say(&hint, &near, "");
		if (!near.count)
			add_finding(&hint, name);
		if (!near.count)
			strbuf_addf(&hint, "; the built-in rules are %s", carried.text);
	}
	error_set(err, "%s: can't open: %s%s", name, strerror(why), hint.text);
	strbuf_release(&hint);
	strbuf_release(&carried);
	strbuf_release(&names);
	return -1;
}

/* -1: err says what can't be read or is refused; release *rules in either case. */
static int rules_file_read(struct gate_rules *rules, const char *name, struct error *err)
{
	const char *carried = gate_rules_carried(name);

	*rules = GATE_RULES_INIT;
	if (access(name, R_OK) == 0)
		return parse_file(rules, name, err);
	return carried ? gate_rules_parse(rules, name, carried, err)
		       : refuse(name, errno, err);
}

/* As which it prints. */
static const char *command(const struct options *opt)
{
	return opt->calibrate	? "gate --calibrate"
		: opt->selftest ? "gate --selftest"
				: "gate";
}

static int check_options(const struct options *opt, struct error *err)
{
	if (!opt->gate_rules)
		return error_set(err, "gate needs --rules FILE, e.g. --rules training");
	if (opt->calibrate && opt->selftest)
		return error_set(err, "gate takes --calibrate or --selftest, not both");
	if ((opt->calibrate || opt->selftest) && (opt->vs >= 0 || opt->baseline_db))
		return error_set(err,
			"gate --%s takes repeated runs of one program, without a "
			"baseline (no %s)",
			opt->calibrate ? "calibrate" : "selftest",
			opt->vs >= 0 ? "--vs" : "--baseline-db");
	if ((opt->paired || opt->paired_by) && opt->vs < 0)
		return error_set(err,
			"gate: --paired and --paired-by need two sides: BASE... --vs "
			"NEW...");
	if (formats_check(command(opt), opt->format, err) < 0)
		return -1;
	if (sides_refused(opt))
		return error_set(err, "gate: %s", sides_refused(opt));
	return 0;
}

/* Without a base nothing can be compared. */
static int check_base(
	const struct options *opt, const struct gate_rules *rules, struct error *err)
{
	bool has_base =
		opt->vs >= 0 || opt->baseline_db || opt->calibrate || opt->selftest;

	for (size_t i = 0; i < rules->count && !has_base; i++)
		if (gate_rule_compares(&rules->rule[i]))
			return error_set(err,
				"%s:%zu: rule \"%s\" needs a baseline: BASE... --vs "
				"NEW..., or --baseline-db FILE",
				rules->file, rules->rule[i].line, rules->rule[i].name);
	return 0;
}

/* Repeats are on none. */
static enum side side_of(const struct options *opt, int nth)
{
	if (opt->calibrate || opt->selftest)
		return SIDES;
	return nth < opt->vs ? SIDE_BASE : SIDE_NEW;
}

static bool is_wanted(void *context, const struct measure *measure)
{
	const struct options *opt = context;
	const struct gate_rules *rules = opt->gate;

	for (size_t i = 0; i < rules->count; i++)
		for (const struct gate_rule *rule = &rules->rule[i]; rule;
			rule = rule->instead)
			if (gate_rule_reads(rule, measure))
				return true;
	return false;
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

static int judge(
	const struct sides *sides, const struct gate_rules *rules, struct error *err)
{
	struct gate gate = GATE_INIT;
	struct render_result result = {RESULT_GATE, .gate = &gate};
	int status;

	gate_judge(&gate, rules, &sides->comparison, sides->lost, sides->lost_count);
	status = print(&sides->runs, &result, status_of(&gate, &sides->runs), err);
	gate_release(&gate);
	return status;
}

/*
 * Is there a run on each side that there is to be? A base of which all failed is none, as
 * the rules then say; nor is an empty history one.
 */
static bool is_whole(const struct comparison *comparison, const struct options *opt)
{
	if (opt->calibrate || opt->selftest)
		return comparison->run_count > 0;
	return comparison->on_side[SIDE_NEW] &&
		(opt->vs < 0 || comparison->on_side[SIDE_BASE] ||
			comparison->left_out_count);
}

static int ask(
	const struct sides *sides, const struct gate_rules *rules, struct error *err)
{
	const struct options *opt = sides->runs.opt;

	if (!is_whole(&sides->comparison, opt))
		return error_set(err, "gate needs at least one usable run on each side");
	if (opt->calibrate)
		return gate_calibrate(sides, rules, err);
	if (opt->selftest)
		return gate_selftest(sides, rules, err);
	return judge(sides, rules, err);
}

static int load(const struct options *opt, const struct gate_rules *rules,
	const struct console *console, struct error *err)
{
	struct named named = {0};
	struct sides sides;
	int status;

	if (check_base(opt, rules, err) < 0)
		return -1;
	status = named_init(&named, opt, err);
	if (status == 0) {
		status = sides_load(
			&sides, opt, &named, side_of, is_wanted, false, console, err);
		if (status == 0) {
			sides.comparison.filter = options_filter(opt);
			gate_complete(&sides.comparison, rules);
			status = ask(&sides, rules, err);
		}
		sides_release(&sides);
	}
	named_release(&named);
	return status;
}

int cmd_gate(const struct options *opt, const struct console *console, struct error *err)
{
	struct gate_rules rules = GATE_RULES_INIT;
	struct options asked = *opt;
	int status;

	if (check_options(opt, err) < 0)
		return -1;
	asked.gate = &rules;
	status = rules_file_read(&rules, opt->gate_rules, err);
	if (status == 0) {
		rules.allows_undetected = opt->allow_undetected;
		status = load(&asked, &rules, console, err);
	}
	gate_rules_release(&rules);
	return status;
}
