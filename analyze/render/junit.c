/*
 * A gate as JUnit XML: one test case per rule and number. Inconclusive is skipped,
 * missing is an error; neither passes. Notes on a pass go to its output. Judges
 * nothing.
 */
#include "render/doc_compare.h"
#include "render/doc_gate.h"
#include "render/formats.h"
#include "render/utf8.h"

static void add_attribute(struct strbuf *sb, const char *key, const char *text)
{
	strbuf_addf(sb, " %s=\"", key);
	xml_text(sb, text);
	strbuf_addc(sb, '"');
}

static void add_child(
	struct strbuf *sb, const char *tag, const char *type, const char *message)
{
	strbuf_addf(sb, "    <%s", tag);
	add_attribute(sb, "message", message);
	if (type)
		add_attribute(sb, "type", type);
	strbuf_adds(sb, "/>\n");
}

/* A rule that only warns can't fail. */
static void add_outcome(struct strbuf *sb, const struct gate_result *result)
{
	enum gate_outcome outcome = result->outcome;

	if (outcome == GATE_INCONCLUSIVE || (outcome != GATE_PASS && result->rule->warn))
		add_child(sb, "skipped", NULL, result->why);
	else if (outcome != GATE_PASS)
		add_child(sb, outcome == GATE_REGRESSION ? "failure" : "error",
			gate_outcome_name(outcome), result->why);
}

/* What a pass leaves open. */
static void add_doubt(struct strbuf *sb, const struct gate_result *result)
{
	struct strbuf doubt = strbuf_new();

	if (gate_say_doubt(&doubt, result)) {
		strbuf_adds(sb, "    <system-out>");
		xml_text(sb, doubt.text);
		strbuf_adds(sb, "</system-out>\n");
	}
	strbuf_release(&doubt);
}

static void begin_case(struct strbuf *sb, const char *name)
{
	strbuf_adds(sb, "  <testcase");
	add_attribute(sb, "classname", "gate");
	add_attribute(sb, "name", name);
	strbuf_adds(sb, " time=\"0\">\n");
}

static void add_case(struct strbuf *sb, const struct gate_result *result)
{
	struct strbuf name = strbuf_new();

	strbuf_adds(&name, result->rule->name);
	strbuf_adds(&name, ": ");
	if (result->row)
		measure_name(&name, &result->row->measure);
	else
		gate_rule_sentence(&name, result->rule);
	begin_case(sb, name.text);
	add_outcome(sb, result);
	add_doubt(sb, result);
	strbuf_adds(sb, "  </testcase>\n");
	strbuf_release(&name);
}

static void add_incident(struct strbuf *sb, const struct gate_incident *incident)
{
	const char *id = gate_incident_id(incident->kind);
	struct strbuf text = strbuf_new();

	strbuf_addf(&text, "%s: %s", id, incident->subject);
	begin_case(sb, text.text);
	strbuf_clear(&text);
	strbuf_addf(&text, "%s %s", gate_incident_noun(incident->kind, 1), incident->why);
	add_child(sb, "failure", id, text.text);
	strbuf_adds(sb, "  </testcase>\n");
	strbuf_release(&text);
}

/* What was left out, and the like, and what of the runs is not alike: of all cases. */
static void add_remarks(struct strbuf *sb, const struct comparison *comparison)
{
	struct strbuf text;

	if (!comparison->difference_count && !comparison->remark_count)
		return;
	strbuf_init(&text);
	not_alike_say_all(&text, comparison);
	strbuf_adds(sb, "  <system-out>");
	if (text.len) {
		strbuf_adds(sb, "other differences: ");
		xml_text(sb, text.text);
	}
	for (size_t i = 0; i < comparison->remark_count; i++) {
		if (i || text.len)
			strbuf_addc(sb, '\n');
		xml_text(sb, comparison->remark[i]);
	}
	strbuf_adds(sb, "</system-out>\n");
	strbuf_release(&text);
}

/* How many cases are so; those that only warn are skipped. */
static size_t count_of(const struct gate *gate, enum gate_outcome outcome)
{
	size_t count = gate->outcomes[outcome];

	for (size_t i = 0; i < gate->count && outcome == GATE_INCONCLUSIVE; i++)
		count += gate->result[i].rule->warn &&
			gate->result[i].outcome != GATE_PASS;
	return count;
}

int junit_result(const struct render_result *result, const struct render_options *opt,
	FILE *out, struct error *err)
{
	const struct gate *gate = result->gate;
	struct strbuf sb = strbuf_new();

	(void)opt;
	strbuf_adds(&sb, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite");
	add_attribute(&sb, "name", gate->rules->file);
	strbuf_addf(&sb, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"",
		gate->count + gate->incident_count,
		count_of(gate, GATE_REGRESSION) + gate->incident_count,
		count_of(gate, GATE_UNUSABLE), count_of(gate, GATE_INCONCLUSIVE));
	strbuf_adds(&sb, " time=\"0\">\n");
	for (size_t i = 0; i < gate->count; i++)
		add_case(&sb, &gate->result[i]);
	for (size_t i = 0; i < gate->incident_count; i++)
		add_incident(&sb, &gate->incident[i]);
	add_remarks(&sb, gate->comparison);
	strbuf_adds(&sb, "</testsuite>\n");
	fwrite(sb.text, 1, sb.len, out);
	strbuf_release(&sb);
	return render_check(out, "junit", err);
}
