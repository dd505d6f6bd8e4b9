/* What was asked for beside metrics, by its file. */
#include "render/explain.h"
#include "render/json_writer.h"

void explain_subject_text(struct doc *doc, const struct explain_input *in)
{
	if (in->whole)
		explain_whole_text(doc, in);
	if (in->steady)
		explain_steady_text(doc, in);
	if (in->work)
		explain_work_text(doc, in);
	if (in->times)
		explain_times_text(doc, in);
	if (in->rule)
		explain_rule_text(doc, in);
}

/* Its name and its kind; NULL: a metric, or a key that is of one, was asked for. */
static const char *kind_of(const struct explain_input *in, const char **asked)
{
	const struct {
		const char *asked, *kind;
	} kinds[] = {{in->whole ? summary_field_get(in->key)->name : NULL, "run"},
		{in->steady, "steady"}, {in->times, "times"}, {in->work, "work"},
		{in->rule ? in->rule->id : NULL, "rule"}};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i].asked) {
			*asked = kinds[i].asked;
			return kinds[i].kind;
		}
	return NULL;
}

void explain_subject_json(struct json_writer *w, const struct explain_input *in)
{
	const char *asked, *kind = kind_of(in, &asked);

	if (!kind) {
		json_null(w, "subject");
		return;
	}
	json_object(w, "subject");
	json_string(w, "asked", asked);
	json_string(w, "kind", kind);
	if (in->whole)
		explain_whole_json(w, in);
	else if (in->steady)
		explain_steady_json(w, in);
	else if (in->times)
		explain_times_json(w, in);
	else if (in->work)
		explain_work_json(w, in);
	else
		explain_rule_json(w, in);
	json_close(w);
}
