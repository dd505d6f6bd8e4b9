/* The check as a document for people. */
#include <inttypes.h>

#include "model/damage.h"
#include "render/check.h"
#include "render/doc_run.h"
#include "render/formats.h"
#include "render/quantity.h"
#include "render/text_layout.h"

static uint64_t damages(const struct run *run)
{
	uint64_t count = 0;

	for (size_t i = 0; i < run->diags.count; i++)
		count += run->diags.at[i].damage ? run->diags.at[i].count : 0;
	return count;
}

bool check_is_sound(const struct check_input *in)
{
	for (size_t i = 0; i < in->run_count; i++)
		if (damages(in->run[i].report->run))
			return false;
	return !in->warning_count;
}

static void add_head(struct doc *doc, const struct check_report *check)
{
	const struct run *run = check->report->run;
	uint64_t rows = 0, refused = 0, count = damages(run);
	struct strbuf text;

	strbuf_init(&text);
	doc_heading(doc, 1, run->path);
	doc->block[doc->count - 1].cell[0].path = true;
	doc_text(doc, count ? "damaged" : "sound")->tone = count ? TONE_BAD : TONE_PLAIN;
	for (size_t i = 0; i < run->file_count; i++) {
		rows += run->file[i].rows;
		refused += run->file[i].refused;
	}
	doc_begin(doc, DOC_FIELDS)->follows = true;
	doc_text(doc, "Rows");
	quantity_count(&text, rows);
	strbuf_adds(&text, " accepted, ");
	quantity_count(&text, refused);
	strbuf_adds(&text, " refused");
	doc_text(doc, text.text)->tone = refused ? TONE_BAD : TONE_PLAIN;
	strbuf_clear(&text);
	doc_text(doc, "Values");
	strbuf_addf(&text, "%zu conditions asked ", check->conditions);
	quantity_count(&text, check->looks);
	strbuf_adds(&text, " times, ");
	if (check->failures) {
		quantity_count(&text, check->failures);
		strbuf_adds(&text, " times not met");
	} else {
		strbuf_adds(&text, "all met");
	}
	doc_text(doc, text.text)->tone = check->failures ? TONE_BAD : TONE_PLAIN;
	strbuf_release(&text);
}

/* "nvidia-query 40, nvidia-dmon 5": the one that bid most reads the file. */
static void add_bids(struct doc *doc, const struct run_file *file)
{
	struct strbuf text;

	strbuf_init(&text);
	for (int bits = 255; bits > 0; bits--)
		for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
			if (file->bid[kind] == bits)
				strbuf_addf(&text, "%s%s %d", text.len ? ", " : "",
					source_name(kind), bits);
	doc_text(doc, text.len ? text.text : "nobody bids");
	strbuf_release(&text);
}

static void add_files(struct doc *doc, const struct run *run)
{
	static const struct doc_column columns[] = {
		{"file", "", DOC_LEFT, true},
		{"rows", "", DOC_RIGHT, false},
		{"refused", "", DOC_RIGHT, false},
		{"bids in bits of evidence", "", DOC_LEFT, false},
	};

	doc_heading(doc, 2, "Files");
	doc_table(doc, columns, sizeof columns / sizeof columns[0])->follows = true;
	for (size_t i = 0; i < run->file_count; i++) {
		const struct run_file *file = &run->file[i];

		doc_text(doc, file->path)->path = true;
		doc_number(doc, (double)file->rows, 0);
		doc_number(doc, (double)file->refused, 0)->tone =
			file->refused ? TONE_BAD : TONE_PLAIN;
		add_bids(doc, file);
	}
}

static void add_times(struct doc *doc, const struct report *report)
{
	static const struct doc_column columns[] = {
		{"device", "", DOC_LEFT, false},
		{"log", "", DOC_LEFT, false},
		{"rows", "", DOC_RIGHT, false},
		{"interval", "s", DOC_RIGHT, false},
		{"gaps", "", DOC_RIGHT, false},
		{"steps back", "", DOC_RIGHT, false},
		{"coverage", "%", DOC_RIGHT, false},
	};
	const struct evidence *e = &report->evidence;
	size_t shown = 0;

	if (!e->device_count)
		return;
	doc_heading(doc, 2, "Time");
	doc_table(doc, columns, sizeof columns / sizeof columns[0])->follows = true;
	for (size_t i = 0; i < e->device_count && shown < DOC_LIST_MAX; i++, shown++) {
		const struct device_evidence *d = &e->device[i];

		doc_text(doc, report->run->device[d->device].name);
		doc_text(doc, source_name(d->source));
		doc_number(doc, (double)d->rows, 0);
		doc_number(doc, d->interval_s, 3);
		doc_number(doc, (double)d->gaps, 0)->tone =
			d->gaps ? TONE_BAD : TONE_PLAIN;
		doc_number(doc, (double)d->steps_back, 0)->tone =
			d->steps_back ? TONE_BAD : TONE_PLAIN;
		doc_number(doc, 100 * d->coverage, 1);
	}
	if (shown == e->device_count)
		return;
	doc_begin(doc, DOC_NOTES)->follows = true;
	doc_text(doc, NULL);
	doc_textf(doc, "... and %zu more (--json has them)", e->device_count - shown);
}

static void add_diag(struct doc *doc, const struct diag *diag)
{
	const char *cost = damage_cost(diag->id);
	struct strbuf text;

	strbuf_init(&text);
	strbuf_addf(&text, "%s: %s", diag->id, diag->text);
	if (diag->count > 1) {
		strbuf_adds(&text, " (");
		quantity_count(&text, diag->count);
		strbuf_adds(&text, " times)");
	}
	if (cost)
		strbuf_addf(&text, ". Cost: %s.", cost);
	if (!*diag->file)
		doc_text(doc, NULL);
	else if (diag->line)
		doc_textf(doc, "%s:%" PRIu64, diag->file, diag->line);
	else
		doc_text(doc, diag->file);
	doc_text(doc, text.text)->tone = diag->damage ? TONE_BAD : TONE_PLAIN;
	strbuf_release(&text);
}

/* In the order in which they were found: by file and line, mostly. */
static void add_diags(struct doc *doc, const struct run *run, bool damage)
{
	bool begun = false;

	for (size_t i = 0; i < run->diags.count; i++) {
		if (run->diags.at[i].damage != damage)
			continue;
		if (!begun) {
			doc_heading(doc, 2, damage ? "Damage" : "Remarks");
			doc_begin(doc, DOC_NOTES)->follows = true;
		}
		begun = true;
		add_diag(doc, &run->diags.at[i]);
	}
}

int check_text(const struct check_input *in, const struct render_options *opt, FILE *out,
	struct error *err)
{
	for (size_t i = 0; i < in->run_count; i++) {
		const struct report *report = in->run[i].report;
		struct doc doc = DOC_INIT;

		add_head(&doc, &in->run[i]);
		add_files(&doc, report->run);
		add_times(&doc, report);
		add_diags(&doc, report->run, true);
		if (opt->verbose >= 0)
			add_diags(&doc, report->run, false);
		if (i)
			putc('\n', out);
		text_print(&doc, opt, out);
		doc_release(&doc);
	}
	return render_check(out, "text", err);
}
