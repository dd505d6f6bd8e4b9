/*
 * hwsummarize gate --rules FILE BASE... --vs NEW..., or --baseline-db FILE NEW...: do
 * the new runs keep the rules? Or, of repeats of one program, what is noise
 * (--calibrate), and whether each rule would catch what it is there for (--selftest).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
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

/* What is printed, and how. */
struct writing {
	const struct render_format *format;
	struct render_result result;
};

static int write_it(
	void *context, const struct render_options *options, FILE *out, struct error *err)
{
	const struct writing *w = context;

	return w->format->result(&w->result, options, out, err);
}

/* status: of what is printed. Where several apply, the first: what can't be written, what
 * failed, what can't be read. */
static enum exit_status print(
	const struct runs *runs, struct render_result printed, enum exit_status status)
{
	struct writing writing = {output_find(runs->opt->format), printed};
	struct result result = {
		runs->opt, runs->loaded, runs->count, runs->store ? runs->db : NULL};
	struct error err;

	if (result_print(&result, write_it, &writing, &err) == 0)
		return status;
	runs->console->say(err.message);
	return EXIT_USAGE;
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

/* --calibrate: what is noise, and which rules are tighter. */
static enum exit_status gate_calibrate(
	const struct sides *sides, const struct gate_rules *rules)
{
	bool for_use = output_find(sides->runs.opt->format)->for_use;
	struct calibration calibration = CALIBRATION_INIT;
	struct render_result result = {RESULT_CALIBRATION, .calibration = &calibration};
	enum exit_status status = EXIT_FAILED;

	calibrate(&calibration, rules, &sides->comparison);
	if (for_use)
		say_remarks(&sides->comparison, sides->runs.console);
	if (calibration.refused && for_use)
		say_refused(&calibration, sides->runs.console);
	else
		status = print(&sides->runs, result,
			calibration.refused ? EXIT_FAILED : runs_status(&sides->runs));
	calibration_release(&calibration);
	return status;
}

/* --selftest: would each rule catch what it is there for? */
static enum exit_status gate_selftest(
	const struct sides *sides, const struct gate_rules *rules)
{
	struct selftest test = SELFTEST_INIT;
	struct render_result result = {RESULT_SELFTEST, .selftest = &test};
	enum exit_status status;

	selftest(&test, rules, &sides->comparison);
	status = print(&sides->runs, result,
		test.failed ? EXIT_FAILED : runs_status(&sides->runs));
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

/* -1: errno says why not. */
static int read_all(struct strbuf *text, FILE *file)
{
	char bytes[4096];
	size_t n;

	while ((n = fread(bytes, 1, sizeof bytes, file)) > 0 && text->len <= BYTES_MAX)
		strbuf_add(text, bytes, n);
	return ferror(file) ? -1 : 0;
}

static int parse_file(
	struct gate_rules *rules, const char *name, FILE *file, struct error *err)
{
	struct strbuf text;
	int status;

	strbuf_init(&text);
	strbuf_adds(&text, "");
	errno = 0;
	if (read_all(&text, file) < 0)
		status = error_set(err, "%s: can't read: %s", name, strerror(errno));
	else if (text.len > BYTES_MAX || memchr(text.text, 0, text.len))
		status = error_set(err,
			"%s: not a file of rules: expected JSON text of at most 4 MiB",
			name);
	else
		status = gate_rules_parse(rules, name, text.text, err);
	strbuf_release(&text);
	return status;
}

/* What has no slash and no dot may be meant as the name of some that are carried. */
static int refuse(const char *name, int why, struct error *err)
{
	struct strbuf carried;

	strbuf_init(&carried);
	if (!strpbrk(name, "/."))
		gate_rules_list(&carried);
	error_set(err, "%s: can't open: %s%s%s", name, strerror(why),
		carried.len ? "; the built-in rules are " : "", carried.text);
	strbuf_release(&carried);
	return -1;
}

/* -1: err says what can't be read or is refused; release *rules in either case. */
static int rules_file_read(struct gate_rules *rules, const char *name, struct error *err)
{
	const char *carried = gate_rules_carried(name);
	FILE *file = fopen(name, "rb");
	int status;

	*rules = GATE_RULES_INIT;
	if (!file && carried)
		return gate_rules_parse(rules, name, carried, err);
	if (!file)
		return refuse(name, errno, err);
	status = parse_file(rules, name, file, err);
	fclose(file);
	return status;
}

/* As which it prints. */
static const char *command(const struct options *opt)
{
	return opt->calibrate	? "gate --calibrate"
		: opt->selftest ? "gate --selftest"
				: "gate";
}

/* A sentence for what can't be asked; NULL: all can. To be freed. */
static char *refused_option(const struct options *opt)
{
	struct strbuf sb;
	struct error err;

	strbuf_init(&sb);
	if (!opt->gate_rules)
		strbuf_adds(&sb, "gate needs --rules FILE, e.g. --rules training");
	else if (opt->calibrate && opt->selftest)
		strbuf_adds(&sb, "gate takes --calibrate or --selftest, not both");
	else if ((opt->calibrate || opt->selftest) && (opt->vs >= 0 || opt->baseline_db))
		strbuf_addf(&sb,
			"gate --%s takes repeated runs of one program, without a "
			"baseline (no %s)",
			opt->calibrate ? "calibrate" : "selftest",
			opt->vs >= 0 ? "--vs" : "--baseline-db");
	else if ((opt->paired || opt->paired_by) && opt->vs < 0)
		strbuf_adds(&sb,
			"gate: --paired and --paired-by need two sides: BASE... --vs "
			"NEW...");
	else if (formats_check(command(opt), opt->format, &err) < 0)
		strbuf_adds(&sb, err.message);
	else if (sides_refused(opt))
		strbuf_addf(&sb, "gate: %s", sides_refused(opt));
	if (sb.len)
		return strbuf_detach(&sb);
	strbuf_release(&sb);
	return NULL;
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

static enum exit_status judge(const struct sides *sides, const struct gate_rules *rules)
{
	struct gate gate = GATE_INIT;
	struct render_result result = {RESULT_GATE, .gate = &gate};
	enum exit_status status;

	gate_judge(&gate, rules, &sides->comparison, sides->lost, sides->lost_count);
	status = print(&sides->runs, result, status_of(&gate, &sides->runs));
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

static enum exit_status ask(const struct sides *sides, const struct gate_rules *rules)
{
	const struct options *opt = sides->runs.opt;

	if (!is_whole(&sides->comparison, opt)) {
		sides->runs.console->say(
			"gate needs at least one usable run on each side");
		return EXIT_USAGE;
	}
	if (opt->calibrate)
		return gate_calibrate(sides, rules);
	return opt->selftest ? gate_selftest(sides, rules) : judge(sides, rules);
}

static enum exit_status load(const struct options *opt, const struct gate_rules *rules,
	const struct console *console)
{
	enum exit_status status = EXIT_USAGE;
	struct named named = {0};
	struct sides sides;
	struct error err;

	if (check_base(opt, rules, &err) < 0 || named_init(&named, opt, &err) < 0) {
		console->say(err.message);
	} else {
		if (sides_load(&sides, opt, &named, side_of, is_wanted, false, console) ==
			0) {
			sides.comparison.filter = options_filter(opt);
			gate_complete(&sides.comparison, rules);
			status = ask(&sides, rules);
		}
		sides_release(&sides);
	}
	named_release(&named);
	return status;
}

enum exit_status cmd_gate(const struct options *opt, const struct console *console)
{
	char *refused = refused_option(opt);
	enum exit_status status = EXIT_USAGE;
	struct gate_rules rules = GATE_RULES_INIT;
	struct options asked = *opt;
	struct error err;

	asked.gate = &rules;
	if (refused) {
		console->say(refused);
	} else if (rules_file_read(&rules, opt->gate_rules, &err) < 0) {
		console->say(err.message);
	} else {
		rules.allows_undetected = opt->allow_undetected;
		status = load(&asked, &rules, console);
	}
	gate_rules_release(&rules);
	free(refused);
	return status;
}
