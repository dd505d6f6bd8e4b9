/*
 * Phases as a tree with the numbers marked PHASE_KEY in schema/summary.def, their
 * calls, and units of work. Must not compute.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/quantity.h"
#include "model/phase_name.h"
#include "render/doc_run.h"

#define COLUMNS_MAX (5 + PHASE_KEY_COUNT + 2)

static void add_quality(
	struct doc *doc, bool unfinished, bool empty, bool too_short, bool overlapping)
{
	const char *const word[] = {unfinished ? "unfinished" : NULL,
		empty		    ? "no sample in it"
			: too_short ? "short"
				    : NULL,
		overlapping ? "overlaps" : NULL};
	struct strbuf *text = doc_write(doc);

	doc_last(doc)->tone = unfinished ? TONE_WARN : TONE_PLAIN;
	for (size_t i = 0; i < sizeof word / sizeof *word; i++)
		if (word[i])
			strbuf_addf(text, "%s%s", text->len ? ", " : "", word[i]);
	doc_or_blank(doc);
}

static double number_of(const struct phase_path *path, enum phase_key key)
{
	return path->summary[key].number;
}

/* Has any of the paths that number, and is it worth a column? */
static bool is_shown(const struct report *report, enum phase_key key)
{
	if (!phase_key_column(key))
		return false;
	for (size_t i = 0; i < report->path_count; i++) {
		double number = number_of(&report->path[i], key);

		if (key == PHASE_energy_coverage
				? doc_energy_is_partial(
					  number_of(&report->path[i], PHASE_energy_j),
					  number)
				: !isnan(number))
			return true;
	}
	return false;
}

/* Joules, with as many decimals as the energy of the run. */
static void add_energy(struct doc *doc, double energy_j)
{
	doc_number(doc, energy_j, energy_j < 1000);
}

static void add_number(struct doc *doc, const struct phase_path *path, enum phase_key key)
{
	if (key == PHASE_energy_coverage)
		doc_energy_coverage(
			doc, number_of(path, PHASE_energy_j), number_of(path, key));
	else if (key == PHASE_energy_j)
		add_energy(doc, number_of(path, key));
	else
		doc_number(doc, number_of(path, key),
			summary_field_get(phase_key_summary(key))->decimals);
}

static const char *method_of(const struct phase_path *path)
{
	return isnan(number_of(path, PHASE_energy_j))
		? NULL
		: path->summary[PHASE_energy_method].text;
}

/* How the energies of all phases came about; NULL: each in a way of its own, or no
 * energy is known. */
static const char *common_method(const struct report *report, bool *differ)
{
	const char *method = NULL;

	*differ = false;
	for (size_t i = 0; i < report->path_count; i++) {
		const char *own = method_of(&report->path[i]);

		*differ |= own && method && strcmp(own, method) != 0;
		method = own ? own : method;
	}
	return *differ ? NULL : method;
}

static void begin_paths(struct doc *doc, const struct report *report, bool differ)
{
	struct doc_column column[COLUMNS_MAX] = {{"phase", "", DOC_LEFT, true},
		{"calls", "", DOC_RIGHT, false}, {"time", "s", DOC_RIGHT, false},
		{"share", "%", DOC_RIGHT, false}, {"", "", DOC_BAR, false}};
	bool shown[COLUMNS_MAX] = {true, true, true, true, true};
	size_t count = 5;

	for (enum phase_key key = 0; key < PHASE_KEY_COUNT; key++) {
		shown[count] = is_shown(report, key);
		column[count++] = (struct doc_column){phase_key_column(key),
			key == PHASE_energy_coverage
				? "%"
				: summary_field_get(phase_key_summary(key))->unit,
			DOC_RIGHT, false};
	}
	shown[count] = differ;
	column[count++] = (struct doc_column){"energy by", "", DOC_LEFT, false};
	shown[count] = true;
	column[count++] = (struct doc_column){"", "", DOC_LEFT, false};
	doc_heading(doc, 2, "Phases");
	doc_table_of(doc, column, shown, count)->follows = true;
}

static void add_path(
	struct doc *doc, const struct report *report, const struct phase_path *path)
{
	bool seems_outside = !path->outside && strcmp(path->name, PHASE_OUTSIDE) == 0;
	double share = coverage_run_share(report, path);

	doc_textf(doc, "%*s%s", (int)(2 * path->depth), "",
		seems_outside ? phase_path_last(path->path) : path->name);
	if (path->outside)
		doc_blank(doc);
	else
		doc_number(doc, (double)path->calls, 0);
	doc_number(doc, path->duration_s, 1);
	doc_number(doc, 100 * share, 1);
	doc_bar(doc, 0, share, NAN);
	for (enum phase_key key = 0; key < PHASE_KEY_COUNT; key++)
		add_number(doc, path, key);
	if (method_of(path))
		doc_text(doc, method_of(path));
	else
		doc_blank(doc);
	add_quality(doc, path->unfinished, path->calls && !path->non_empty_calls,
		path->too_short, path->overlapping);
}

/* The numbers of a call that not every report has. */
static const struct call_column {
	const char *title, *unit;
	size_t number; /* offset in struct phase_call */
} call_columns[] = {
	{"GPU util", "%", offsetof(struct phase_call, gpu_util_mean_pct)},
	{"power", "W", offsetof(struct phase_call, power_total_mean_w)},
	{"energy", "J", offsetof(struct phase_call, energy_j)},
	{"cov.", "%", offsetof(struct phase_call, energy_coverage)},
};

#define CALL_COLUMNS (sizeof call_columns / sizeof call_columns[0])

static bool is_coverage(const struct call_column *column)
{
	return column->number == offsetof(struct phase_call, energy_coverage);
}

static double number_in(const struct phase_call *call, const struct call_column *column)
{
	double number;

	memcpy(&number, (const char *)call + column->number, sizeof number);
	return number;
}

static bool has_column(const struct report *report, const struct call_column *column)
{
	for (size_t i = 0; i < report->call_count; i++) {
		const struct phase_call *call = &report->call[i];

		if (is_coverage(column) ? doc_energy_is_partial(
						  call->energy_j, call->energy_coverage)
					: !isnan(number_in(call, column)))
			return true;
	}
	return false;
}

static void begin_calls(struct doc *doc, const struct report *report)
{
	struct doc_column column[4 + CALL_COLUMNS + 1] = {
		{"call", "", DOC_LEFT, true},
		{"start", "s", DOC_RIGHT, false},
		{"time", "s", DOC_RIGHT, false},
		{"", "", DOC_BAR, false},
		[4 + CALL_COLUMNS] = {"", "", DOC_LEFT, false},
	};
	bool shown[4 + CALL_COLUMNS + 1] = {
		true, true, true, true, [4 + CALL_COLUMNS] = true};

	for (size_t k = 0; k < CALL_COLUMNS; k++) {
		column[4 + k] = (struct doc_column){
			call_columns[k].title, call_columns[k].unit, DOC_RIGHT, false};
		shown[4 + k] = has_column(report, &call_columns[k]);
	}
	doc_heading(doc, 2, "Calls");
	doc_table_of(doc, column, shown, sizeof shown)->follows = true;
}

static void add_call(
	struct doc *doc, const struct report *report, const struct phase_call *call)
{
	double from_s = call->start_s - report_second(report, report->started_ns);

	phase_path_show(doc_write(doc), report->path[call->path].path);
	doc_number(doc, call->start_s, 1);
	doc_number(doc, call->seconds, 1);
	doc_bar(doc, from_s / report->duration_s,
		(from_s + call->seconds) / report->duration_s, NAN);
	for (size_t k = 0; k < CALL_COLUMNS; k++) {
		if (is_coverage(&call_columns[k]))
			doc_energy_coverage(doc, call->energy_j, call->energy_coverage);
		else if (call_columns[k].number == offsetof(struct phase_call, energy_j))
			add_energy(doc, call->energy_j);
		else
			doc_number(doc, number_in(call, &call_columns[k]), 1);
	}
	add_quality(
		doc, call->unfinished, call->empty, call->too_short, call->overlapping);
}

/* A page is to be opened: of so many paths and calls it has rows. */
#define PAGE_ROWS_MAX 500

static int most_first(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x < y) - (x > y);
}

/* As long as the last that has a row, if not all do; how many are longer. */
static double least_length(const struct report *report, size_t most, size_t *longer_count)
{
	double *length, least;

	*longer_count = 0;
	if (report->call_count <= most)
		return -INFINITY;
	length = xcalloc(report->call_count, sizeof *length);
	for (size_t i = 0; i < report->call_count; i++)
		length[i] = report->call[i].seconds;
	qsort(length, report->call_count, sizeof *length, most_first);
	least = length[most - 1];
	while (*longer_count < most && length[*longer_count] > least)
		++*longer_count;
	free(length);
	return least;
}

static void add_calls(struct doc *doc, const struct report *report)
{
	size_t most = doc->folds ? PAGE_ROWS_MAX : SIZE_MAX, longer;
	double least = least_length(report, most, &longer);

	begin_calls(doc, report);
	for (size_t i = 0; i < report->call_count; i++) {
		double seconds = report->call[i].seconds;

		if (seconds > least || (seconds == least && longer < most)) {
			longer += seconds == least;
			add_call(doc, report, &report->call[i]);
		}
	}
	doc_begin(doc, DOC_NOTES)->follows = true;
	if (report->call_count > most)
		strbuf_addf(doc_note(doc),
			"the %zu longest of %zu calls; --format csv --calls has all",
			most, report->call_count);
	if (report->call_count > PHASE_PATHS_COUNTED)
		strbuf_addf(doc_note(doc),
			"only the %d longest of %zu calls have numbers from samples",
			PHASE_PATHS_COUNTED, report->call_count);
}

struct ranked {
	size_t path;
	double seconds;
};

static int longest_first(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->seconds != y->seconds)
		return x->seconds < y->seconds ? 1 : -1;
	return (x->path > y->path) - (x->path < y->path);
}

/* A path, and those that it is in; how many of them were not shown yet. */
static size_t show(const struct report *report, bool *shown, size_t at)
{
	uint64_t depth = report->path[at].depth;
	size_t added = !shown[at];

	shown[at] = true;
	for (size_t i = at; depth && i-- > 0;) {
		if (report->path[i].depth >= depth)
			continue;
		added += !shown[i];
		shown[i] = true;
		depth = report->path[i].depth;
	}
	return added;
}

#define OUTSIDE_LITTLE 0.05 /* of the run's time */

/*
 * Which paths have a row: what lies outside and so many of the longest as make `most`
 * rows with those that they are in. little: a row also for what lies outside for a short
 * time. How many are accounted for is set; the caller frees it.
 */
static bool *choose_paths(
	const struct report *report, size_t most, bool little, size_t *count)
{
	size_t paths = report->path_count;
	bool *shown = xcalloc(paths + 1, sizeof *shown);
	struct ranked *ranked = xcalloc(paths + 1, sizeof *ranked);

	*count = 0;
	for (size_t i = 0; i < paths; i++) {
		const struct phase_path *path = &report->path[i];

		ranked[i] = (struct ranked){i, isnan(path->union_s) ? 0 : path->union_s};
		if (path->outside)
			*count += show(report, shown, i);
	}
	qsort(ranked, paths, sizeof *ranked, longest_first);
	for (size_t i = 0; i < paths && *count < most; i++)
		*count += show(report, shown, ranked[i].path);
	for (size_t i = 0; i < paths && !little; i++)
		shown[i] &= !report->path[i].outside ||
			!(report->path[i].union_s < OUTSIDE_LITTLE * report->duration_s);
	free(ranked);
	return shown;
}

static void add_notes(
	struct doc *doc, const struct report *report, size_t shown, const char *method)
{
	doc_begin(doc, DOC_NOTES)->follows = true;
	if (shown < report->path_count)
		strbuf_addf(doc_note(doc), "... and %zu more; these are the longest%s",
			report->path_count - shown,
			doc->folds ? "" : " (--calls shows all)");
	if (method)
		strbuf_addf(doc_note(doc), "energy: %s", method);
}

/* Each phase has a row for each of them. */
static void add_gpus(struct doc *doc, const struct report *report, size_t most)
{
	size_t gpus = report_gpu_count(report), count;
	bool many = doc->folds && most > DOC_LIST_MAX && most * gpus > PAGE_ROWS_MAX;
	bool *shown;

	if (many)
		most = PAGE_ROWS_MAX / gpus;
	if (many && most < DOC_LIST_MAX)
		most = DOC_LIST_MAX;
	shown = choose_paths(report, most, true, &count);
	if (doc_gpus_in_phases(doc, report, shown) && many &&
		count < report->path_count) {
		doc_begin(doc, DOC_NOTES)->follows = true;
		strbuf_addf(doc_note(doc),
			"%zu of %zu phases, the longest; --format csv has all", count,
			report->path_count);
	}
	free(shown);
}

void doc_phases(
	struct doc *doc, const struct report *report, const struct render_options *opt)
{
	size_t count, most = DOC_LIST_MAX;
	bool *shown, differ;
	const char *method = common_method(report, &differ);

	if (!report->path_count)
		return;
	if (opt->calls)
		most = doc->folds ? PAGE_ROWS_MAX : SIZE_MAX;
	shown = choose_paths(
		report, most, !doc->brief || opt->verbose > 0 || opt->calls, &count);
	begin_paths(doc, report, differ);
	for (size_t i = 0; i < report->path_count; i++)
		if (shown[i])
			add_path(doc, report, &report->path[i]);
	add_notes(doc, report, count, opt->verbose > 0 ? method : NULL);
	free(shown);
	if (opt->verbose > 0)
		add_gpus(doc, report, most);
	if (opt->calls && report->call_count)
		add_calls(doc, report);
}

/* Units of work: count, rate, and cost of each. Chooses the number of digits. */

/* Three digits that say something, of numbers that may be a millionth or a million. */
static struct doc_cell *add_rate(struct doc *doc, double x)
{
	double size = fabs(x);
	int decimals = 1;

	for (double least = 10; decimals < 6 && size > 0 && size < least; least /= 10)
		decimals++;
	return doc_number(doc, x, size >= 1000 ? 0 : decimals);
}

/* "each 98 to 100: same?" */
static void add_each(struct strbuf *text, const struct work *work)
{
	strbuf_adds(text, "each ");
	quantity_number(text, work->units_least, 0);
	if (work->units_most > work->units_least) {
		strbuf_adds(text, " to ");
		quantity_number(text, work->units_most, 0);
	}
	strbuf_adds(text, ": same?");
}

/* What n is; of several processes, which units are the same. */
static void say_n(struct strbuf *text, const struct work *work)
{
	bool several = work->processes > 1;

	if (work->n_is == WORK_UNCLEAR)
		strbuf_adds(text, "meaning of n unclear");
	else if (work->n_is == WORK_RATE)
		strbuf_adds(text, "rate as reported");
	else if (work->n_is == WORK_TOTAL)
		strbuf_adds(text, several ? "each n once" : "n is a running total");
	else if (several)
		add_each(text, work);
}

/* ... and why its energy may be wrong. */
static void add_note(struct doc *doc, const struct report *report,
	const struct work *work, bool energy)
{
	struct strbuf *text = doc_write(doc), why = strbuf_new();
	bool doubt = energy && !isnan(work->energy_j_per_unit) &&
		doubt_of_values(&why, report, SUMMARY_energy_j);

	say_n(text, work);
	if (doubt)
		strbuf_addf(text, "%senergy: %s", text->len ? "; " : "", why.text);
	doc_last(doc)->tone = (isnan(work->units) && work->n_is != WORK_RATE) || doubt
		? TONE_WARN
		: TONE_PLAIN;
	doc_or_blank(doc);
	strbuf_release(&why);
}

static void add_row(struct doc *doc, const struct report *report, const struct work *work,
	bool energy)
{
	doc_text(doc, work->name ? work->name : work->type_name);
	doc_number(doc, (double)work->events, 0);
	doc_number(doc, (double)work->processes, 0);
	if (work->units_timed == floor(work->units_timed))
		doc_number(doc, work->units_timed, 0);
	else
		add_rate(doc, work->units_timed);
	doc_number(doc, work->seconds, 1);
	add_rate(doc, work->units_per_s);
	add_rate(doc, work->gpu_s_per_unit);
	add_rate(doc, work->energy_j_per_unit);
	doc_energy_coverage(doc, work->energy_j_per_unit, work->energy_coverage);
	add_note(doc, report, work, energy);
}

void doc_work(struct doc *doc, const struct report *report)
{
	static const struct doc_column columns[] = {{"event", "", DOC_LEFT, true},
		{"events", "", DOC_RIGHT, false}, {"by", "", DOC_RIGHT, false},
		{"units", "timed", DOC_RIGHT, false}, {"time", "s", DOC_RIGHT, false},
		{"rate", "1/s", DOC_RIGHT, false}, {"GPU each", "s", DOC_RIGHT, false},
		{"energy each", "J", DOC_RIGHT, false}, {"cov.", "%", DOC_RIGHT, false},
		{"", "", DOC_LEFT, false}};
	bool gpus = report_gpu_count(report) > 0, processes = false, coverage = false;
	bool energy = gpus && report_wants_key(report, SUMMARY_energy_j);

	if (!report->work_count)
		return;
	for (size_t i = 0; i < report->work_count; i++) {
		const struct work *work = &report->work[i];

		processes |= work->processes > 1;
		coverage |= energy &&
			doc_energy_is_partial(
				work->energy_j_per_unit, work->energy_coverage);
	}
	doc_heading(doc, 2, "Units of work");
	doc_table_of(doc, columns,
		(const bool[]){true, true, processes, true, true, true, gpus, energy,
			coverage, true},
		sizeof columns / sizeof *columns)
		->follows = true;
	for (size_t i = 0; i < report->work_count; i++)
		add_row(doc, report, &report->work[i], energy);
}
