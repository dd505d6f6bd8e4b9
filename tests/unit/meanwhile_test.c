/*
 * What hosts did meanwhile, for two rules at once whose stretches overlap: each has the
 * means of its own metrics in its own stretches, in closed forms.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <string.h>

#include "made_run.h"
#include "model/finding.h"
#include "rules/rules.h"

static void add_rule(struct rule_set *set, const char *id, double at_most,
	const char *stretch_s, const char *meanwhile)
{
	struct error err = {""};
	struct strbuf sb;

	strbuf_init(&sb);
	strbuf_addf(&sb,
		"{\"id\": \"%s\", \"version\": 1, \"title\": \"X\", \"severity\": "
		"\"warning\", \"scope\": \"run\", \"while\": [{\"metric\": "
		"\"gpu_util_pct\", \"at_most\": %g}], \"stretch_s\": %s, \"values\": "
		"{\"s\": \"while.seconds\"}, \"meanwhile\": [%s], \"fires\": "
		"[{\"value\": "
		"\"s\", \"above\": 0}], \"any_evidence\": true, \"sentence\": \"{s}\", "
		"\"remedy\": \"r\"}",
		id, at_most, stretch_s, meanwhile);
	if (rules_parse(set, "x.json", sb.text, &err) < 0)
		fail_msg("%s", err.message);
	strbuf_release(&sb);
}

static const struct finding *finding_of(const struct made *made, const char *id)
{
	for (size_t i = 0; i < made->report.finding_count; i++)
		if (strcmp(made->report.finding[i].rule->id, id) == 0)
			return &made->report.finding[i];
	fail_msg("%s does not fire", id);
	return NULL;
}

/*
 * A row a second: 0 % in [10, 20), 40 % in [20, 30), else 90 %. Used memory rises by
 * 10 MiB a second, free memory falls by 20 from 9000.
 */
static void make(struct made *made, const struct rule_set *rules, bool host)
{
	const uint32_t device = 1;

	begin(made, 1);
	made->options.rules = rules;
	run_add_device(&made->run, DEVICE_HOST, -1);
	for (int i = 0; i <= 40; i++)
		sample(made, i, 0, METRIC_gpu_util_pct,
			i < 10 || i >= 30 ? 90
				: i < 20  ? 0
					  : 40);
	flush(made);
	made->batch.source = SOURCE_MEMINFO;
	for (int i = 0; host && i <= 40; i++) {
		sample(made, i, device, METRIC_ram_used_mib, 1000 + 10 * i);
		also(made, METRIC_ram_free_mib, 9000 - 20 * i);
	}
	flush(made);
	made->batch.source = SOURCE_HOST_LOG;
	for (int i = 0; host && i <= 40; i++)
		sample(made, i, device, METRIC_host_disk_read_mib,
			i < 20 ? i : 3 * i - 40);
	finish(made);
}

static void two_rules_have_each_their_means(void **state)
{
	struct rule_set set = RULE_SET_INIT;
	const struct finding *idle, *low;
	struct made made;

	(void)state;
	add_rule(&set, "idle", 5, "3", "\"ram_used_mib\"");
	add_rule(&set, "low", 50, "0", "\"ram_free_mib\", \"ram_used_mib\"");
	make(&made, &set, true);
	idle = finding_of(&made, "idle");
	low = finding_of(&made, "low");
	assert_int_equal(idle->stretch_listed, 1);
	assert_int_equal(low->stretch_listed, 1);
	near(idle->stretch[0].seconds, 10);
	near(idle->stretch[0].meanwhile[0], 1000 + 10 * 15);
	near(low->stretch[0].seconds, 20);
	near(low->stretch[0].meanwhile[0], 9000 - 20 * 20);
	near(low->stretch[0].meanwhile[1], 1000 + 10 * 20);
	release(&made);
	rule_set_release(&set);
}

static void stretches_too_short_to_list_are_not_asked(void **state)
{
	struct rule_set set = RULE_SET_INIT;
	const struct finding *idle;
	struct made made;

	(void)state;
	add_rule(&set, "idle", 5, "11", "\"ram_used_mib\"");
	make(&made, &set, true);
	idle = finding_of(&made, "idle");
	near(idle->value[0], 10);
	assert_int_equal(idle->stretch_listed, 0);
	release(&made);
	rule_set_release(&set);
}

/* 1 MiB a second up to 20 s, then 3: of a counter the rate. */
static void of_a_counter_the_rate(void **state)
{
	struct rule_set set = RULE_SET_INIT;
	struct made made;

	(void)state;
	add_rule(&set, "idle", 5, "3", "\"host_disk_read_mib\"");
	add_rule(&set, "low", 50, "3", "\"host_disk_read_mib\"");
	make(&made, &set, true);
	near(finding_of(&made, "idle")->stretch[0].meanwhile[0], 1);
	near(finding_of(&made, "low")->stretch[0].meanwhile[0], 2);
	release(&made);
	rule_set_release(&set);
}

static void expect_print(enum metric_id metric, double value, const char *name,
	const char *unit, const char *text)
{
	struct meanwhile_name of = meanwhile_name(metric);
	struct strbuf sb;

	strbuf_init(&sb);
	meanwhile_print(&sb, metric, value);
	assert_string_equal(of.text, name);
	assert_string_equal(of.unit, unit);
	assert_string_equal(sb.text, text);
	strbuf_release(&sb);
}

static void how_it_is_told(void **state)
{
	(void)state;
	expect_print(METRIC_cpu_busy_pct, 12.34, "cpu_busy_pct", "%", "CPU busy 12.3 %");
	expect_print(METRIC_host_disk_read_mib, 96.84, "host_disk_read_mib.rate_per_s",
		"MiB/s", "Read from disks 96.8 MiB/s");
	expect_print(METRIC_psi_io_some_s, 0.2, "psi_io_some_s.rate_per_s", "",
		"Stalled for I/O 20.0 %");
	expect_print(METRIC_host_disk_requests, 40, "host_disk_requests.rate_per_s",
		"1/s", "Disk requests 40 1/s");
	expect_print(METRIC_load1, 1.5, "load1", "", "Load 1.50");
	assert_true(meanwhile_is_nought(METRIC_psi_io_some_s, 0.0004));
	assert_false(meanwhile_is_nought(METRIC_psi_io_some_s, 0.0006));
	assert_true(meanwhile_is_nought(METRIC_host_disk_read_mib, 0.04));
	assert_false(meanwhile_is_nought(METRIC_cpu_busy_pct, 0)); /* no counter */
}

static void without_a_log_of_the_host_nothing_is_known(void **state)
{
	struct rule_set set = RULE_SET_INIT;
	struct made made;

	(void)state;
	add_rule(&set, "idle", 5, "3", "\"ram_used_mib\"");
	make(&made, &set, false);
	assert_true(isnan(finding_of(&made, "idle")->stretch[0].meanwhile[0]));
	release(&made);
	rule_set_release(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_rules_have_each_their_means),
		cmocka_unit_test(stretches_too_short_to_list_are_not_asked),
		cmocka_unit_test(of_a_counter_the_rate),
		cmocka_unit_test(how_it_is_told),
		cmocka_unit_test(without_a_log_of_the_host_nothing_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
