/* `check` as JSON and for people; both share the verdict and the order of problems. */
#include "render/check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/quantity.h"
#include "model/run.h"
#include "render/doc_run.h"
#include "render/json.h"
#include "render/text.h"

bool check_is_sound(const struct check_input *in)
{
	for (size_t i = 0; i < in->run_count; i++)
		if (run_is_damaged(in->run[i].report->run))
			return false;
	return !in->warning_count;
}

static enum damage_rank rank_of(const struct diag *diag)
{
	const struct damage *damage = damage_find(diag->id);

	return damage ? damage->rank : diag->damage ? DAMAGE_ROWS : DAMAGE_REMARK;
}

static int worst_first(const void *a, const void *b)
{
	const struct diag *x = *(const struct diag *const *)a;
	const struct diag *y = *(const struct diag *const *)b;

	if (rank_of(x) != rank_of(y))
		return rank_of(x) < rank_of(y) ? -1 : 1;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return x < y ? -1 : x > y;
}

const struct diag **check_sorted(const struct run *run)
{
	const struct diag **list;

	if (!run->diags.count)
		return NULL;
	list = xcalloc(run->diags.count, sizeof *list);
	for (size_t i = 0; i < run->diags.count; i++)
		list[i] = &run->diags.at[i];
	qsort(list, run->diags.count, sizeof *list, worst_first);
	return list;
}

/* As JSON: schema/check.schema.json. */

static void add_file(struct json_writer *w, const struct run_file *file)
{
	json_object(w, NULL);
	json_string(w, "file", file->path);
	json_string(w, "kind", source_name(file->kind));
	json_count(w, "rows", file->rows);
	json_count(w, "skipped", file->refused);
	json_object(w, "bids");
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		if (file->bid[kind])
			json_count(w, source_name(kind), file->bid[kind]);
	json_close(w);
	json_close(w);
}

static void add_gap(struct json_writer *w, const struct run *run, const struct gap *gap)
{
	json_object(w, NULL);
	json_string(w, "device", run->device[gap->device].name);
	json_string(w, "source", source_name(gap->source));
	json_time(w, "start_at", gap->start_ns);
	json_number(w, "duration_s", gap->length_s);
	json_string(w, "cause", gap_cause_name(gap->cause));
	json_string(w, "file",
		gap->file < run->file_count ? run->file[gap->file].path : NULL);
	json_count_if(w, "line", gap->line);
	json_close(w);
}

static void add_diag(struct json_writer *w, const struct diag *diag)
{
	const struct damage *damage = damage_find(diag->id);

	json_object(w, NULL);
	json_string(w, "file", *diag->file ? diag->file : NULL);
	json_run_diag(w, diag);
	json_string(w, "rank", damage ? damage_rank_name(damage->rank) : NULL);
	json_string(w, "cost", damage ? damage->cost : NULL);
	json_close(w);
}

static void add_run(struct json_writer *w, const struct check_report *check)
{
	const struct run *run = check->report->run;
	const struct evidence *evidence = &check->report->evidence;
	const struct check_input one = {check, 1, NULL, 0};
	const struct diag **diags = check_sorted(run);

	json_object(w, NULL);
	json_run_identity(w, run);
	json_bool(w, "sound", check_is_sound(&one));
	json_array(w, "files");
	for (size_t i = 0; i < run->file_count; i++)
		add_file(w, &run->file[i]);
	json_close(w);
	json_object(w, "values");
	json_count(w, "conditions", check->conditions);
	json_count(w, "asked", check->looks);
	json_count(w, "not_met", check->failures);
	json_close(w);
	json_object(w, "evidence");
	json_run_grade(w, check->report);
	json_run_devices(w, check->report);
	json_count(w, "gap_count", evidence->gap_count);
	json_array(w, "gaps");
	for (size_t i = 0; i < evidence->gap_listed; i++)
		add_gap(w, run, &evidence->gap[i]);
	json_close(w);
	json_close(w);
	json_array(w, "diagnostics");
	for (size_t i = 0; i < run->diags.count; i++)
		add_diag(w, diags[i]);
	json_close(w);
	json_close(w);
	free(diags);
}

int check_json(const struct check_input *in, const struct render_options *opt, FILE *out,
	struct error *err)
{
	struct json_writer w;

	(void)opt;
	json_document_begin(&w, out);
	json_array(&w, "runs");
	for (size_t i = 0; i < in->run_count; i++)
		add_run(&w, &in->run[i]);
	json_close(&w);
	json_texts(&w, "warnings", in->warning, in->warning_count);
	return json_document_end(&w, err);
}

/* For people, as a document. */

static size_t list_max(const struct render_options *opt)
{
	return opt->verbose > 0 ? SIZE_MAX : DOC_LIST_MAX;
}

/* What a list of so many entries, of which `listed` are at hand, leaves out. */
static void add_more(
	struct doc *doc, uint64_t count, size_t listed, const struct render_options *opt)
{
	size_t max = list_max(opt), shown = listed < max ? listed : max;
	struct strbuf *text;

	if (count <= shown)
		return;
	doc_begin(doc, DOC_NOTES)->follows = true;
	text = doc_note(doc);
	strbuf_adds(text, "... and ");
	quantity_count(text, count - shown);
	strbuf_addf(text, " more%s", shown < listed ? " (-v shows them)" : "");
}

/* "proc-stat.log:12"; the line 0 stands for the file as a whole. */
static struct doc_cell *add_place(struct doc *doc, const char *file, uint64_t line)
{
	if (line)
		return doc_textf(doc, "%s:%" PRIu64, file, line);
	return doc_text(doc, file);
}

static void add_head(struct doc *doc, const struct check_report *check)
{
	const struct run *run = check->report->run;
	const struct check_input one = {check, 1, NULL, 0};
	bool sound = check_is_sound(&one);
	uint64_t rows = 0, refused = 0;
	struct strbuf *text;

	doc_heading(doc, 1, run->path);
	doc_last(doc)->path = true;
	doc_text(doc, sound ? "no damage" : "damaged")->tone =
		sound ? TONE_PLAIN : TONE_BAD;
	for (size_t i = 0; i < run->file_count; i++) {
		rows += run->file[i].rows;
		refused += run->file[i].refused;
	}
	doc_begin(doc, DOC_FIELDS)->follows = true;
	text = doc_field(doc, "Rows");
	doc_last(doc)->tone = refused ? TONE_BAD : TONE_PLAIN;
	quantity_count(text, rows);
	strbuf_adds(text, " read, ");
	quantity_count(text, refused);
	strbuf_adds(text, " skipped");
	text = doc_field(doc, "Values");
	doc_last(doc)->tone = check->failures ? TONE_BAD : TONE_PLAIN;
	quantity_count(text, check->looks);
	strbuf_addf(text, " checks of %zu kinds, ", check->conditions);
	quantity_count(text, check->failures);
	strbuf_adds(text, " failed");
}

/* "nvidia-query 40, nvidia-apps 15": the one that bids most reads the file. */
static void add_bids(struct doc *doc, const struct run *run, size_t i)
{
	const struct run_file *file = &run->file[i];
	struct strbuf *text = doc_write(doc);

	if (doc_header_read_as(run, file->path)) {
		strbuf_addf(text, "table%s, by its header",
			run_guesses_columns(run) ? ", columns guessed" : "");
		return;
	}
	for (int bits = UINT8_MAX; bits > 0; bits--)
		for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
			if (file->bid[kind] == bits)
				strbuf_addf(text, "%s%s %d", text->len ? ", " : "",
					source_name(kind), bits);
	if (file->kind != SOURCE_NONE &&
		!span_begins(span_of(text->text), source_name(file->kind)))
		strbuf_addf(text, "%sread as %s by --columns", text->len ? "; " : "",
			source_name(file->kind));
	else if (!text->len)
		strbuf_adds(text,
			run_has_parts(run, i) ? "see its sections below"
					      : "not recognized, not read");
}

static void add_files(
	struct doc *doc, const struct run *run, const struct render_options *opt)
{
	static const struct doc_column columns[] = {
		{"file", "", DOC_LEFT, true},
		{"rows", "", DOC_RIGHT, false},
		{"skipped", "", DOC_RIGHT, false},
		{"format (score: highest reads)", "", DOC_LEFT, false},
	};

	doc_section(doc, "Files", columns, sizeof columns / sizeof columns[0]);
	for (size_t i = 0; i < run->file_count && i < list_max(opt); i++) {
		const struct run_file *file = &run->file[i];

		doc_text(doc, file->path)->path = true;
		doc_number(doc, (double)file->rows, 0);
		doc_number(doc, (double)file->refused, 0)->tone =
			file->refused ? TONE_BAD : TONE_PLAIN;
		add_bids(doc, run, i);
	}
	add_more(doc, run->file_count, run->file_count, opt);
}

static void add_times(
	struct doc *doc, const struct report *report, const struct render_options *opt)
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
	size_t max = list_max(opt);

	if (!e->device_count)
		return;
	doc_section(doc, "Time", columns, sizeof columns / sizeof columns[0]);
	for (size_t i = 0; i < e->device_count && i < max; i++) {
		const struct device_evidence *d = &e->device[i];

		doc_text(doc, report->run->device[d->device].name);
		doc_text(doc, doc_source(report->run, d->source));
		doc_number(doc, (double)d->rows, 0);
		doc_number(doc, d->interval_s, 3);
		doc_number(doc, (double)d->gaps, 0)->tone =
			d->gaps > d->restarts ? TONE_BAD : TONE_PLAIN;
		doc_number(doc, (double)d->steps_back, 0)->tone =
			d->steps_back ? TONE_BAD : TONE_PLAIN;
		doc_number(doc, 100 * d->coverage, 1);
	}
	add_more(doc, e->device_count, e->device_count, opt);
}

static void add_gaps(
	struct doc *doc, const struct report *report, const struct render_options *opt)
{
	bool dated = time_is_dated(report->started_ns);
	const struct doc_column columns[] = {
		{"device", "", DOC_LEFT, false},
		{"log", "", DOC_LEFT, false},
		{"after", dated ? "UTC" : "", DOC_LEFT, false},
		{"length", "s", DOC_RIGHT, false},
		{"cause", "", DOC_LEFT, false},
		{"next row", "", DOC_LEFT, true},
	};
	const struct evidence *e = &report->evidence;
	const struct run *run = report->run;
	size_t max = list_max(opt);

	if (!e->gap_listed)
		return;
	doc_section(doc, "Gaps, the longest first", columns,
		sizeof columns / sizeof columns[0]);
	for (size_t i = 0; i < e->gap_listed && i < max; i++) {
		const struct gap *gap = &e->gap[i];

		doc_text(doc, run->device[gap->device].name);
		doc_text(doc, doc_source(run, gap->source));
		quantity_when(doc_write(doc), gap->start_ns);
		doc_number(doc, gap->length_s, 1);
		doc_text(doc, gap_cause_name(gap->cause));
		if (gap->file < run->file_count)
			add_place(doc, run->file[gap->file].path, gap->line)->path = true;
		else
			doc_text(doc, NULL);
	}
	add_more(doc, e->gap_count, e->gap_listed, opt);
}

/* The cost, unless there is none or the message has it; NULL then. */
static const char *cost_to_add(const struct diag *diag)
{
	const struct damage *damage = damage_find(diag->id);

	if (!damage || strcmp(damage->cost, "none") == 0 ||
		strstr(diag->text, damage->cost))
		return NULL;
	return damage->cost;
}

/* "MESSAGE (2 times; COST)". */
static void text_add_diag(struct doc *doc, const struct diag *diag)
{
	const char *cost = cost_to_add(diag);
	struct strbuf *text;

	if (*diag->file)
		add_place(doc, diag->file, diag->line);
	else
		doc_text(doc, NULL);
	text = doc_write(doc);
	doc_last(doc)->tone = diag->damage ? TONE_BAD : TONE_PLAIN;
	strbuf_addf(text, "%s: %s", diag->id, diag->text);
	if (diag->count > 1) {
		strbuf_adds(text, " (");
		quantity_count(text, diag->count);
		strbuf_addf(text, " times%s%s)", cost ? "; " : "", cost ? cost : "");
	} else if (cost) {
		strbuf_addf(text, " (%s)", cost);
	}
}

static void add_diags(struct doc *doc, const struct run *run, bool damage,
	const struct render_options *opt)
{
	const struct diag **diags = check_sorted(run);
	size_t count = 0, max = list_max(opt);

	for (size_t i = 0; i < run->diags.count; i++) {
		if (diags[i]->damage != damage)
			continue;
		if (!count) {
			doc_heading(doc, 2, damage ? "Damage" : "Remarks");
			doc_begin(doc, DOC_NOTES)->follows = true;
		}
		if (count++ < max)
			text_add_diag(doc, diags[i]);
	}
	add_more(doc, count, count, opt);
	free(diags);
}

static void text_add_run(struct doc *doc, const struct check_report *check,
	const struct render_options *opt)
{
	const struct run *run = check->report->run;

	add_head(doc, check);
	if (opt->verbose >= 0) {
		add_files(doc, run, opt);
		add_times(doc, check->report, opt);
		add_gaps(doc, check->report, opt);
	}
	add_diags(doc, run, true, opt);
	if (opt->verbose >= 0)
		add_diags(doc, run, false, opt);
}

int check_text(const struct check_input *in, const struct render_options *opt, FILE *out,
	struct error *err)
{
	const struct render_input unread = {
		.warning = in->warning, .warning_count = in->warning_count};

	for (size_t i = 0; i < in->run_count; i++) {
		struct doc doc = DOC_INIT;

		text_add_run(&doc, &in->run[i], opt);
		if (i + 1 == in->run_count)
			doc_warnings(&doc, &unread);
		if (i)
			putc('\n', out);
		text_print(&doc, opt, out);
		doc_release(&doc);
	}
	return render_check(out, "text", err);
}
