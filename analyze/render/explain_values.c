/*
 * Explains values for people: how many, in which lines and cells. Also times of
 * phases, the steady state, and summary keys of the whole run. Computes nothing.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/timestamp.h"
#include "model/coverage.h"
#include "model/measure.h"
#include "render/doc.h"
#include "render/explain.h"
#include "render/json.h"

#define CELLS_SHOWN	5
#define STRETCHES_SHOWN 5 /* of a phase */

const char *const explain_percentile_names[ORIGIN_PERCENTILES] = {
	"p50", "p90", "p95", "p99"};

void explain_field(struct doc *doc, const char *label, const struct strbuf *text)
{
	doc_text(doc, label);
	doc_text(doc, text->text);
}

void explain_at(struct strbuf *sb, const struct run *run, struct event_place place)
{
	if (place.line && place.file < run->file_count)
		strbuf_addf(
			sb, " at %s:%" PRIu64, run->file[place.file].path, place.line);
}

static bool is_of(const struct origin *origin, const struct explain_part *part,
	const struct metric_stats *stats)
{
	return origin->source == stats->source && origin->device == stats->device &&
		origin->phase == (part->path ? part->path->path : NULL);
}

const struct origin *explain_origin(const struct explain_input *in,
	const struct explain_part *part, const struct metric_stats *stats)
{
	for (size_t i = 0; i < in->origins->count; i++) {
		const struct origin *o = &in->origins->at[i];

		if (is_of(o, part, stats) && o->metric == stats->metric)
			return o;
	}
	return NULL;
}

bool explain_is_part(const struct origin *origin, const struct explain_part *part,
	const struct metric_stats *stats)
{
	return is_of(origin, part, stats) &&
		metric_get(origin->metric)->kind == KIND_TICKS &&
		metric_get(stats->metric)->kind == KIND_SHARE;
}

const struct asked_rows *explain_min(
	const struct explain_input *in, const struct metric_stats *stats)
{
	struct asked_rows asked;

	return asked_of_min(stats, &asked) ? asked_list_find(in->rows, &asked) : NULL;
}

const struct asked_rows *explain_max(
	const struct explain_input *in, const struct metric_stats *stats)
{
	struct asked_rows asked;

	return asked_of_max(stats, &asked) ? asked_list_find(in->rows, &asked) : NULL;
}

const struct origin *explain_edges(const struct explain_input *in,
	const struct explain_part *part, const struct metric_stats *stats)
{
	const struct origin *origin = explain_origin(in, part, stats);

	for (size_t i = 0; i < in->origins->count && !origin; i++)
		if (explain_is_part(&in->origins->at[i], part, stats))
			origin = &in->origins->at[i];
	return origin;
}

const char *explain_no_lines(const struct explain_input *in,
	const struct explain_part *part, const struct metric_stats *stats)
{
	const struct origin *own = explain_origin(in, part, stats);
	const struct origin *edges = explain_edges(in, part, stats);

	if (own ? own->ranked || isnan(stats->p50)
		: explain_min(in, stats) || isnan(stats->min))
		return NULL;
	if (in->report->run->is_passing)
		return "the run was read from standard input or a pipe, which can't be "
		       "read once more to look them up";
	if (edges && !edges->timed)
		return "the log has no times, by which the rows of a window are found";
	return "the logs could not be read once more to look them up";
}

uint32_t explain_cell(const struct origin *origin)
{
	return origin->cell_count == 1 ? origin->cell->place : 0;
}

uint64_t explain_refused(const struct run *run, enum source_kind kind)
{
	uint64_t refused = 0;

	for (size_t i = 0; i < run->file_count; i++)
		if (run->file[i].kind == kind)
			refused += run->file[i].refused;
	return refused;
}

void explain_number(struct strbuf *sb, double x, const char *unit)
{
	if (isnan(x))
		strbuf_adds(sb, "unknown");
	else
		strbuf_addf(sb, "%.15g%s%s", x, *unit ? " " : "", unit);
}

/* "gpu.csv:14" */
void explain_place(struct strbuf *sb, const struct run *run, size_t file, uint64_t line)
{
	if (file >= run->file_count)
		strbuf_adds(sb, "a line that is not known");
	else
		strbuf_addf(sb, "%s:%" PRIu64, run->file[file].path, line);
}

/* "gpu.csv:14, 2026-03-01T12:00:00Z" */
static void add_where(struct strbuf *sb, const struct run *run, const struct origin *o,
	const struct origin_value *v)
{
	explain_place(sb, run, v->file, v->line);
	if (!o->timed)
		return;
	strbuf_adds(sb, ", ");
	time_print(sb, v->t_ns);
}

/* "75.5 W at gpu.csv:14, 2026-03-01T12:00:00Z" */
static void print_value(struct strbuf *sb, const struct run *run, const struct origin *o,
	const struct origin_value *v)
{
	const struct metric *m = metric_get(o->metric);

	if (metric_is_text(o->metric))
		strbuf_adds(sb, texts_word(&run->texts, v->quanta));
	else
		explain_number(sb, number_ratio(v->quanta, m->per_unit), m->unit);
	strbuf_adds(sb, " at ");
	add_where(sb, run, o, v);
}

static void value(struct doc *doc, const char *label, const struct run *run,
	const struct origin *o, const struct origin_value *v)
{
	struct strbuf sb;

	strbuf_init(&sb);
	print_value(&sb, run, o, v);
	explain_field(doc, label, &sb);
	strbuf_release(&sb);
}

/* "p50  between 70 W at gpu.csv:3, TIME, and 75.5 W at gpu.csv:14, TIME"; "p50  70 W at
 * gpu.csv:3, TIME", where it is that value. */
static void add_neighbors(struct doc *doc, const struct run *run, const struct origin *o)
{
	struct strbuf sb;

	for (int i = 0; i < ORIGIN_PERCENTILES && o->ranked; i++) {
		const struct origin_neighbors *near = &o->percentile[i];
		bool between = near->below.quanta != near->above.quanta;

		strbuf_init(&sb);
		strbuf_adds(&sb, between ? "between " : "");
		print_value(&sb, run, o, &near->below);
		if (between) {
			strbuf_adds(&sb, ", and ");
			print_value(&sb, run, o, &near->above);
		}
		explain_field(doc, explain_percentile_names[i], &sb);
		strbuf_release(&sb);
	}
}

/* "3 of the line"; "3 of the line from gpu.csv:2 on, 4 from gpu.csv:33 on" */
static void add_cells(struct doc *doc, const struct run *run, const struct origin *o)
{
	struct strbuf sb;

	if (!o->cell_count || (o->cell_count == 1 && !o->cell->place))
		return;
	strbuf_init(&sb);
	for (size_t i = 0; i < o->cell_count && i < CELLS_SHOWN; i++) {
		const struct origin_cell *cell = &o->cell[i];

		strbuf_adds(&sb, i ? ", " : "");
		if (cell->place)
			strbuf_addf(&sb, "%" PRIu32, cell->place);
		else
			strbuf_adds(&sb, "one that is not known");
		strbuf_adds(&sb, i ? "" : " of the line");
		if (o->cell_count == 1)
			break;
		strbuf_adds(&sb, " from ");
		explain_place(&sb, run, cell->file, cell->line);
		strbuf_adds(&sb, " on");
	}
	if (o->cell_count > CELLS_SHOWN)
		strbuf_addf(&sb, ", and %zu more changes (--json has them)",
			o->cell_count - CELLS_SHOWN);
	explain_field(doc, "Cell", &sb);
	strbuf_release(&sb);
}

/* "q.csv:13, TIME; q.csv:15, TIME" */
static void print_rows(struct strbuf *sb, const struct run *run,
	const struct origin_value *at, uint64_t count)
{
	for (uint64_t i = 0; i < count && i < ORDER_LISTED; i++) {
		strbuf_adds(sb, i ? "; " : "");
		explain_place(sb, run, at[i].file, at[i].line);
		strbuf_adds(sb, ", ");
		time_print(sb, at[i].t_ns);
	}
	if (count > ORDER_LISTED)
		strbuf_addf(sb, "; and %" PRIu64 " more", count - ORDER_LISTED);
}

/* Where the order of the values is not that of the log. */
static void add_order(
	struct doc *doc, const struct run *run, const struct origin_order *o)
{
	struct strbuf sb;

	strbuf_init(&sb);
	if (o->late) {
		strbuf_addf(&sb,
			"by time: %" PRIu64 " row%s earlier than the one before, sorted "
			"into place: ",
			o->late, o->late == 1 ? "" : "s");
		print_rows(&sb, run, o->late_at, o->late);
		explain_field(doc, "Order", &sb);
	}
	strbuf_clear(&sb);
	if (o->back) {
		strbuf_addf(&sb,
			"%" PRIu64 " step%s back by more than a gap, behind which the "
			"values go on as in the log, without a step of dt across: ",
			o->back, o->back == 1 ? "" : "s");
		print_rows(&sb, run, o->back_at, o->back);
		explain_field(doc, o->late ? "" : "Order", &sb);
	}
	strbuf_release(&sb);
}

static void add_values(struct doc *doc, const struct run *run, const struct origin *o)
{
	struct strbuf sb;

	strbuf_init(&sb);
	strbuf_addf(&sb,
		"%" PRIu64 " used, %" PRIu64 " not available, %" PRIu64
		" rows of the log refused",
		o->values, o->missing, explain_refused(run, o->source));
	explain_field(doc, "Values", &sb);
	strbuf_release(&sb);
	add_cells(doc, run, o);
	if (!o->values)
		return;
	value(doc, "First", run, o, &o->first);
	value(doc, "Last", run, o, &o->last);
	if (metric_is_state(o->metric))
		return;
	value(doc, "Minimum", run, o, &o->min);
	value(doc, "Maximum", run, o, &o->max);
	add_neighbors(doc, run, o);
}

static bool is_known(const struct origin_edge *edge)
{
	return edge->kind == EDGE_ROW || edge->kind == EDGE_BETWEEN;
}

static void add_quanta(
	struct strbuf *sb, const struct run *run, const struct origin *o, double quanta)
{
	const struct metric *m = metric_get(o->metric);

	if (metric_is_text(o->metric))
		strbuf_adds(sb, texts_word(&run->texts, (int64_t)quanta));
	else
		explain_number(sb, quanta / (double)m->per_unit, m->unit);
}

/* "70.5 W at gpu.csv:2"; without the value "gpu.csv:2" */
static void add_row(struct strbuf *sb, const struct run *run, const struct origin *o,
	const struct origin_value *v, bool with_value)
{
	if (with_value) {
		add_quanta(sb, run, o, (double)v->quanta);
		strbuf_adds(sb, " at ");
	}
	explain_place(sb, run, v->file, v->line);
}

/*
 * "2026-03-01T12:00:00Z: 72 W, between 70.5 W at gpu.csv:2 and 75.5 W at gpu.csv:4";
 * without the values "2026-03-01T12:00:00Z: interpolated, between gpu.csv:2 and ...".
 */
static void add_edge(struct doc *doc, const char *label, const struct run *run,
	const struct origin *o, const struct origin_edge *edge, bool with_values)
{
	struct strbuf sb;

	strbuf_init(&sb);
	time_print(&sb, edge->t_ns);
	strbuf_adds(&sb, ": ");
	if (edge->kind == EDGE_ROW) {
		add_row(&sb, run, o, &edge->before, with_values);
	} else if (edge->kind == EDGE_NO_ROW) {
		strbuf_adds(&sb, "no value, without a row on both sides");
	} else {
		if (is_known(edge) && with_values)
			add_quanta(&sb, run, o, edge->quanta);
		else if (is_known(edge))
			strbuf_adds(&sb, "interpolated");
		else
			strbuf_addf(
				&sb, "no value, in a %s", origin_edge_name(edge->kind));
		strbuf_adds(&sb, ", between ");
		add_row(&sb, run, o, &edge->before, with_values);
		strbuf_adds(&sb, " and ");
		add_row(&sb, run, o, &edge->behind, with_values);
	}
	explain_field(doc, label, &sb);
	strbuf_release(&sb);
}

static void add_stretches(
	struct doc *doc, const struct run *run, const struct origin *o, bool with_values)
{
	for (size_t i = 0; i < o->stretch_count && i < STRETCHES_SHOWN; i++) {
		add_edge(doc, "From", run, o, &o->stretch[i].from, with_values);
		add_edge(doc, "To", run, o, &o->stretch[i].to, with_values);
	}
	if (o->stretch_count > STRETCHES_SHOWN) {
		doc_text(doc, "");
		doc_textf(doc, "... and %zu more (--json has them)",
			o->stretch_count - STRETCHES_SHOWN);
	}
}

/* "1204 to 1310.5; 1400 to 1500" */
static void add_counts(struct strbuf *sb, const struct origin *o)
{
	if (!o->phase)
		strbuf_addf(
			sb, "%" PRId64 " to %" PRId64, o->first.quanta, o->last.quanta);
	for (size_t i = 0; i < o->stretch_count && i < STRETCHES_SHOWN; i++) {
		strbuf_adds(sb, i ? "; " : "");
		explain_number(sb, o->stretch[i].from.quanta, "");
		strbuf_adds(sb, " to ");
		explain_number(sb, o->stretch[i].to.quanta, "");
	}
}

static bool is_interpolated(const struct origin *o)
{
	for (size_t i = 0; i < o->stretch_count; i++)
		if (o->stretch[i].from.kind == EDGE_BETWEEN ||
			o->stretch[i].to.kind == EDGE_BETWEEN)
			return true;
	return false;
}

/* The counters that a share is made of: of the run in the first row and the last one, of
 * a phase what they are at its edges. */
static void add_counters(struct doc *doc, const struct explain_input *in,
	const struct explain_part *part, const struct metric_stats *s)
{
	for (size_t i = 0; i < in->origins->count; i++) {
		const struct origin *o = &in->origins->at[i];
		struct strbuf sb;

		if (!explain_is_part(o, part, s) || (!o->values && !o->stretch_count))
			continue;
		strbuf_init(&sb);
		add_counts(&sb, o);
		strbuf_addf(&sb, ", cell %" PRIu32 "%s", explain_cell(o),
			is_interpolated(o) ? ", interpolated as the edges are" : "");
		explain_field(doc, metric_get(o->metric)->name, &sb);
		strbuf_release(&sb);
	}
}

/* "12.5 %, from stat.log:2, 2026-03-01T12:00:00Z, to stat.log:5, 2026-..., 2 rows" */
static void add_window(struct doc *doc, const char *label, const struct explain_input *in,
	const struct origin *rows, double share, const struct asked_rows *window)
{
	struct strbuf sb;

	if (isnan(share))
		return;
	strbuf_init(&sb);
	explain_number(&sb, share, "%");
	if (window) {
		strbuf_adds(&sb, " from ");
		add_where(&sb, in->report->run, rows, &window->first);
		strbuf_adds(&sb, ", to ");
		add_where(&sb, in->report->run, rows, &window->last);
		strbuf_addf(&sb, ": %" PRIu64 " rows", window->rows);
	} else {
		strbuf_adds(&sb, " in a window whose lines are not known");
	}
	explain_field(doc, label, &sb);
	strbuf_release(&sb);
}

/* rows: those of one of the counters, which all stand in the same lines. */
static void add_windows(struct doc *doc, const struct explain_input *in,
	const struct metric_stats *s, const struct origin *rows)
{
	const struct run *run = in->report->run;
	struct strbuf sb;

	strbuf_init(&sb);
	strbuf_addf(&sb,
		"%" PRIu64 " rows used in %" PRIu64 " windows, %" PRIu64
		" windows without a tick, %" PRIu64 " rows of the log refused",
		rows->values, s->n, s->missing, explain_refused(run, s->source));
	explain_field(doc, "Values", &sb);
	for (size_t i = 0; i < 2 && rows->values; i++) {
		strbuf_clear(&sb);
		add_where(&sb, run, rows, i ? &rows->last : &rows->first);
		explain_field(doc, i ? "Last" : "First", &sb);
	}
	strbuf_release(&sb);
	add_window(doc, "Minimum", in, rows, s->min, explain_min(in, s));
	add_window(doc, "Maximum", in, rows, s->max, explain_max(in, s));
}

void explain_values(struct doc *doc, const struct explain_input *in,
	const struct explain_part *part, const struct metric_stats *s)
{
	const struct run *run = in->report->run;
	const struct origin *o = explain_origin(in, part, s);
	const struct origin *edges = explain_edges(in, part, s);
	const char *why = explain_no_lines(in, part, s);

	if (edges)
		add_order(doc, run, edges->order);
	if (o) {
		add_values(doc, run, o);
		add_stretches(doc, run, o, true);
	} else if (edges) {
		add_windows(doc, in, s, edges);
		add_stretches(doc, run, edges, false);
	}
	add_counters(doc, in, part, s);
	if (why) {
		doc_text(doc, "No lines");
		doc_textf(doc, "of %s: %s", o ? "percentiles" : "the extremes", why);
	}
}

/*
 * Times of phases: their formula and lines, inner phases that are left out, and which
 * number to ask for instead.
 */

#define CALLS_SHOWN 20
#define INNER_SHOWN 5

/* How a key of the times of phases comes about. */
static const char *times_method(const char *key)
{
	if (strcmp(key, "calls") == 0)
		return "the number of the calls";
	if (strcmp(key, "non_empty_calls") == 0)
		return "the number of the calls that a row of any log lies in";
	if (strcmp(key, "start_s") == 0)
		return "from the start of the run to the begin of the first call";
	if (strcmp(key, "exclusive_energy_j") == 0)
		return "the path's energy_j, less that of the paths directly in it, but "
		       "not below 0 (explain energy_j has their rows)";
	if (strcmp(key, "exclusive_s") == 0)
		return "the sum of the calls' lengths, less in each call the union of "
		       "those directly in it";
	if (strcmp(key, "total_s") == 0)
		return "the sum of the calls' lengths, from begin to end";
	return "of the calls' lengths, from begin to end";
}

static double time_of(const struct phase_path *path, const char *key)
{
	struct named_number numbers[NUMBERS_MAX];
	const struct named_number *of =
		numbers_find(numbers, numbers_of_path(path, numbers), key);

	return of ? of->value : NAN;
}

/* "6 s of epoch/step, TIME at events.jsonl:3 to TIME at events.jsonl:4"; path: may be ""
 */
static void add_call(struct doc *doc, const struct report *report,
	const struct phase_call *call, const char *path)
{
	struct strbuf sb;

	strbuf_init(&sb);
	strbuf_addf(&sb, "%.15g s%s%s, ", call->seconds, *path ? " of " : "", path);
	time_print(&sb, call->start_ns);
	explain_at(&sb, report->run, call->at);
	strbuf_adds(&sb, " to ");
	time_print(&sb, call->end_ns);
	explain_at(&sb, report->run, call->end_at);
	if (call->unfinished)
		strbuf_addf(&sb, ", the %s's end: it has none", report_span(report));
	explain_field(doc, "", &sb);
	strbuf_release(&sb);
}

static void add_more(struct doc *doc, uint64_t count)
{
	doc_text(doc, "");
	doc_textf(doc, "... and %" PRIu64 " more (--json has them)", count);
}

static bool is_exclusive(const char *key)
{
	return strncmp(key, "exclusive_", 10) == 0;
}

/* The phase that lies right in the path; NULL: it does not. */
static const struct inner_phase *inner_phase(
	const struct explain_input *in, const struct phase_path *path, size_t nth)
{
	const struct inner_phase *inner = &in->inner->phase[nth];

	return strcmp(inner->outer, path->path) == 0 ? inner : NULL;
}

/* What is subtracted, and the first calls of it. */
static void add_inner(
	struct doc *doc, const struct explain_input *in, const struct phase_path *path)
{
	size_t count = 0;

	for (size_t i = 0; i < in->inner->count; i++)
		count += inner_phase(in, path, in->inner->call[i].phase) != NULL;
	doc_text(doc, "Less");
	if (!count) {
		doc_text(doc, "nothing: no call lies in them");
		return;
	}
	doc_textf(doc, "%.15g s: %zu call%s directly in them",
		path->total_s - path->exclusive_s, count, count == 1 ? "" : "s");
	for (size_t i = 0, shown = 0; i < in->inner->count && shown < INNER_SHOWN; i++) {
		const struct inner_call *call = &in->inner->call[i];
		const struct inner_phase *inner = inner_phase(in, path, call->phase);

		if (!inner)
			continue;
		add_call(doc, in->report, &call->call, inner->path);
		shown++;
	}
	if (count > INNER_SHOWN)
		add_more(doc, count - INNER_SHOWN);
}

/* Why no energy of its own is known. */
static const char *why_no_energy(
	const struct explain_input *in, const struct phase_path *path)
{
	const char *method = path->summary[PHASE_energy_method].text;

	if (isnan(path->summary[PHASE_energy_j].number))
		return "its energy_j is unknown";
	for (size_t i = 0; i < in->inner->phase_count; i++) {
		const struct inner_phase *inner = inner_phase(in, path, i);

		if (inner && inner->method &&
			(!method || strcmp(inner->method, method) != 0))
			return "the energy of a path in it is of another method";
	}
	return "its calls, or those in them, lie across one another, so that some of it "
	       "would count twice";
}

static void add_energy(
	struct doc *doc, const char *label, double energy_j, const char *path)
{
	struct strbuf sb;

	strbuf_init(&sb);
	explain_number(&sb, energy_j, "J");
	strbuf_addf(&sb, " of %s", path);
	explain_field(doc, label, &sb);
	strbuf_release(&sb);
}

/* The energy of a path, and of those directly in it. */
static void add_energies(
	struct doc *doc, const struct explain_input *in, const struct phase_path *path)
{
	bool any = false;

	if (isnan(path->exclusive_energy_j) && !path->outside) {
		doc_text(doc, "Unknown");
		doc_text(doc, why_no_energy(in, path));
	}
	add_energy(doc, "energy_j", path->summary[PHASE_energy_j].number, path->path);
	for (size_t i = 0; i < in->inner->phase_count; i++) {
		const struct inner_phase *inner = inner_phase(in, path, i);

		if (!inner)
			continue;
		add_energy(doc, any ? "" : "Less", inner->energy_j, inner->path);
		any = true;
	}
}

static void add_times(
	struct doc *doc, const struct explain_input *in, const struct phase_path *path)
{
	const struct report *report = in->report;
	size_t shown = 0;
	struct strbuf sb;

	strbuf_init(&sb);
	strbuf_addf(&sb, "%s in %s", in->times, path->path);
	doc_heading(doc, 2, sb.text);
	doc_begin(doc, DOC_FIELDS)->follows = true;
	strbuf_clear(&sb);
	explain_number(&sb, time_of(path, in->times), "");
	strbuf_addf(&sb, ": %s",
		path->outside ? "what is in no call" : times_method(in->times));
	explain_field(doc, in->times, &sb);
	strbuf_release(&sb);
	if (strcmp(in->times, "exclusive_energy_j") == 0) {
		add_energies(doc, in, path);
		return;
	}
	for (size_t i = path->first; i != SIZE_MAX && shown < CALLS_SHOWN;
		i = report->call[i].next, shown++)
		add_call(doc, report, &report->call[i], "");
	if (path->calls > shown)
		add_more(doc, path->calls - shown);
	if (is_exclusive(in->times) && !path->outside)
		add_inner(doc, in, path);
}

void explain_times_text(struct doc *doc, const struct explain_input *in)
{
	for (size_t i = 0; i < in->report->path_count; i++)
		add_times(doc, in, &in->report->path[i]);
}

static void put_call(
	struct json_writer *w, const struct report *report, const struct phase_call *call)
{
	json_number(w, "seconds", call->seconds);
	json_time(w, "started_at", call->start_ns);
	json_time(w, "ended_at", call->end_ns);
	json_bool(w, "unfinished", call->unfinished);
	json_place(w, "line", report->run, call->at);
	json_place(w, "end_line", report->run, call->end_at);
}

static void put_inner(struct json_writer *w, const struct explain_input *in,
	const struct phase_path *path)
{
	json_array(w, "less");
	for (size_t i = 0; i < in->inner->phase_count && is_exclusive(in->times); i++) {
		const struct inner_phase *inner = inner_phase(in, path, i);

		if (!inner)
			continue;
		json_object(w, NULL);
		json_string(w, "phase", inner->path);
		json_number(w, "energy_j", inner->energy_j);
		json_array(w, "calls");
		for (size_t k = 0; k < in->inner->count; k++) {
			if (in->inner->call[k].phase != i)
				continue;
			json_object(w, NULL);
			put_call(w, in->report, &in->inner->call[k].call);
			json_close(w);
		}
		json_close(w);
		json_close(w);
	}
	json_close(w);
}

void explain_times_json(struct json_writer *w, const struct explain_input *in)
{
	const struct report *report = in->report;

	json_string(w, "method", times_method(in->times));
	json_array(w, "phases");
	for (size_t i = 0; i < report->path_count; i++) {
		const struct phase_path *path = &report->path[i];

		json_object(w, NULL);
		json_string(w, "phase", path->path);
		json_number(w, "value", time_of(path, in->times));
		json_array(w, "calls");
		for (size_t k = path->first; k != SIZE_MAX; k = report->call[k].next) {
			json_object(w, NULL);
			put_call(w, report, &report->call[k]);
			json_close(w);
		}
		json_close(w);
		put_inner(w, in, path);
		json_close(w);
	}
	json_close(w);
}

/* The steady state. */

static const char method[] =
	"the level that the GPUs were at for most of the time, found by change points on "
	"the courses of utilization, or of power where there is none; an interruption is "
	"time at another level, or in which a log says nothing of a GPU";

static const char *formula(const char *number)
{
	static const struct {
		const char *number, *formula;
	} formulas[] = {
		{"steady_from_s",
			"from the run's start to where the level is first reached"},
		{"steady_to_s",
			"from the run's start to where the level is left for "
			"good, or to the last sample"},
		{"steady_coverage",
			"the share of the GPUs' time in it that the log says "
			"something of"},
		{"steady_warm_up_s",
			"from the first sample to where the level, or a "
			"higher one, is first reached"},
		{"steady_interruptions", "the number of the interruptions"},
		{"steady_interrupted_s", "the sum of the interruptions"},
		{"steady_gpu_util_mean_pct",
			"the sum of the values that are kept / their number, of all GPUs "
			"together"},
		{"steady_power_total_mean_w",
			"of each GPU the sum of its values that are kept / their number; "
			"and the sum of that over the GPUs"},
	};

	for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++)
		if (strcmp(formulas[i].number, number) == 0)
			return formulas[i].formula;
	return "";
}

static struct named_number asked_number(const struct explain_input *in)
{
	struct named_number numbers[NUMBERS_MAX];

	return *numbers_find(
		numbers, numbers_of_steady(&in->report->steady, numbers), in->steady);
}

#define INTERRUPTIONS_SHOWN    20
#define STEADY_STRETCHES_SHOWN 5

/* "TIME to TIME: lower level, mean 12.3 %, in train" */
static void add_interruptions(struct doc *doc, const struct report *report)
{
	const struct steady *s = &report->steady;

	for (size_t i = 0; i < s->interruption_listed && i < INTERRUPTIONS_SHOWN; i++) {
		const struct interruption *one = &s->interruption[i];
		size_t phase = interruption_phase(report, one);
		struct strbuf sb;

		strbuf_init(&sb);
		time_print(&sb, one->from_ns);
		strbuf_adds(&sb, " to ");
		time_print(&sb, one->to_ns);
		strbuf_addf(&sb, ": %s", interruption_why(one));
		if (gap_cause_name(one->cause))
			strbuf_addf(&sb, " (%s)", gap_cause_name(one->cause));
		if (!isnan(one->mean))
			strbuf_addf(&sb, ", mean %.15g %s", one->mean,
				metric_get(s->metric)->unit);
		if (phase != SIZE_MAX)
			strbuf_addf(&sb, ", in %s", report->path[phase].path);
		explain_field(doc, i ? "" : "Interrupted", &sb);
		strbuf_release(&sb);
	}
}

/* Bins of the course at the level, joined where they touch. */
static void add_kept(struct doc *doc, const struct steady *s)
{
	struct strbuf sb;

	strbuf_init(&sb);
	for (size_t i = 0; i < s->kept_count && i < STEADY_STRETCHES_SHOWN; i++) {
		strbuf_adds(&sb, i ? "; " : "");
		time_print(&sb, s->kept[i].from_ns);
		strbuf_adds(&sb, " to ");
		time_print(&sb, s->kept[i].to_ns);
	}
	if (s->kept_count > STEADY_STRETCHES_SHOWN)
		strbuf_addf(&sb, "; and %zu more (--json has them)",
			s->kept_count - STEADY_STRETCHES_SHOWN);
	strbuf_adds(&sb, ": bins at the level, their ends not in them");
	explain_field(doc, "Kept", &sb);
	strbuf_release(&sb);
}

static const struct asked_rows *kept_rows(
	const struct explain_input *in, uint32_t device, size_t nth)
{
	struct asked_rows asked =
		asked_of_kept(&in->report->steady, in->steady, device, nth);

	return asked_list_find(in->rows, &asked);
}

/* "120 values of power_w: gpu.csv:63 to gpu.csv:121, 60; gpu.csv:130 to ..." */
static void add_gpu(struct doc *doc, const struct explain_input *in, uint32_t device)
{
	const struct run *run = in->report->run;
	const struct steady *s = &in->report->steady;
	size_t stretches = 0;
	uint64_t values = 0;
	struct strbuf lines, sb;

	strbuf_init(&lines);
	for (size_t i = 0; i < s->kept_count; i++) {
		const struct asked_rows *rows = kept_rows(in, device, i);

		if (!rows)
			continue;
		values += rows->rows;
		if (stretches++ >= STEADY_STRETCHES_SHOWN)
			continue;
		strbuf_adds(&lines, stretches > 1 ? "; " : ": ");
		explain_place(&lines, run, rows->first.file, rows->first.line);
		strbuf_adds(&lines, " to ");
		explain_place(&lines, run, rows->last.file, rows->last.line);
		strbuf_addf(&lines, ", %" PRIu64, rows->rows);
	}
	strbuf_init(&sb);
	strbuf_addf(&sb, "%" PRIu64 " values of %s%s", values,
		metric_get(asked_of_kept(s, in->steady, device, 0).metric)->name,
		lines.text);
	if (stretches > STEADY_STRETCHES_SHOWN)
		strbuf_addf(&sb, "; and %zu more stretches (--json has them)",
			stretches - STEADY_STRETCHES_SHOWN);
	explain_field(doc, run->device[device].name, &sb);
	strbuf_release(&lines);
	strbuf_release(&sb);
}

static bool counts(const struct report *report, uint32_t device)
{
	return report->run->device[device].kind == DEVICE_GPU &&
		report_counts_gpu(report, device);
}

void explain_steady_text(struct doc *doc, const struct explain_input *in)
{
	const struct steady *s = &in->report->steady;
	const struct named_number number = asked_number(in);
	struct strbuf sb;

	strbuf_init(&sb);
	doc_begin(doc, DOC_FIELDS);
	if (s->found) {
		if (isnan(number.value))
			strbuf_adds(&sb, "unknown");
		else
			strbuf_addf(&sb, "%.15g", number.value);
		strbuf_addf(&sb, "%s%s: from ", *number.unit ? " " : "", number.unit);
		time_print(&sb, s->from_ns);
		strbuf_adds(&sb, " to ");
		time_print(&sb, s->to_ns);
		strbuf_addf(&sb, ", by %s of %s", metric_get(s->metric)->name,
			source_name(s->source));
	} else {
		strbuf_addf(&sb, "not found: %s", s->why_not ? s->why_not : "unknown");
	}
	explain_field(doc, in->steady, &sb);
	strbuf_clear(&sb);
	strbuf_adds(&sb, method);
	explain_field(doc, "How", &sb);
	strbuf_clear(&sb);
	strbuf_adds(&sb, formula(in->steady));
	explain_field(doc, "Formula", &sb);
	strbuf_release(&sb);
	if (!s->found)
		return;
	add_kept(doc, s);
	for (uint32_t i = 0; i < in->report->run->device_count; i++)
		if (counts(in->report, i))
			add_gpu(doc, in, i);
	add_interruptions(doc, in->report);
}

static void put_kept(struct json_writer *w, const struct explain_input *in, size_t nth)
{
	const struct run *run = in->report->run;
	const struct kept_stretch *kept = &in->report->steady.kept[nth];

	json_object(w, NULL);
	json_time(w, "from_at", kept->from_ns);
	json_time(w, "to_at", kept->to_ns);
	json_array(w, "gpus");
	for (uint32_t i = 0; i < run->device_count; i++) {
		const struct asked_rows *rows =
			counts(in->report, i) ? kept_rows(in, i, nth) : NULL;

		if (!rows)
			continue;
		json_object(w, NULL);
		json_string(w, "device", run->device[i].name);
		json_string(w, "metric", metric_get(rows->metric)->name);
		json_count(w, "values", rows->rows);
		json_place(w, "first_line", run,
			(struct event_place){rows->first.file, rows->first.line});
		json_place(w, "last_line", run,
			(struct event_place){rows->last.file, rows->last.line});
		json_close(w);
	}
	json_close(w);
	json_close(w);
}

void explain_steady_json(struct json_writer *w, const struct explain_input *in)
{
	const struct steady *s = &in->report->steady;

	json_string(w, "method", method);
	json_string(w, "formula", formula(in->steady));
	json_number(w, "value", asked_number(in).value);
	json_string(w, "why_not", s->found ? NULL : s->why_not);
	json_array(w, "kept");
	for (size_t i = 0; i < s->kept_count && s->found; i++)
		put_kept(w, in, i);
	json_close(w);
	json_run_steady(w, in->report);
}

/* Summary keys of the whole run: time, rows, numbers of GPUs and CPUs. */

/* How long it was, by what is known of it. */
static const char *duration_method(const char *source)
{
	static const struct {
		const char *source, *method;
	} methods[] = {
		{"command", "from the command's start to its end, as run.json has them"},
		{"samples", "from the first row to the last"},
		{"events", "from the first event to the last"},
		{"ticks", "the ticks of a log without times, by the interval"},
		{"window", "of the window that was asked for, as far as the run goes"},
	};

	for (size_t i = 0; source && i < sizeof methods / sizeof *methods; i++)
		if (strcmp(methods[i].source, source) == 0)
			return methods[i].method;
	return "nothing says it";
}

static const char *whole_method(const struct explain_input *in)
{
	const struct report *report = in->report;
	const struct run *run = report->run;

	if (in->key == SUMMARY_duration_s)
		return duration_method(report->duration_source);
	if (in->key == SUMMARY_samples)
		return report->cut || report->filter.device
			? "the rows of each device in each kind of log"
			: "the rows that were accepted of all files with samples";
	if (in->key == SUMMARY_gpu_count)
		return "the GPUs with rows of their own, or that run.json names; those "
		       "that only processes name where there are no others";
	if (in->key == SUMMARY_jax_peak_mib)
		return "the largest peak_bytes_in_use of the events, / 2^20";
	if (in->key == SUMMARY_cpu_count && run->cpu_count <= 0)
		return "the CPUs that a log has rows of, by number";
	return "as run.json says";
}

/* ... "but phases go on 151.0 s behind the last: 33.0 % covered" */
static void add_method(struct strbuf *text, const struct explain_input *in)
{
	struct covered covered = covered_summary(in->report, in->key);

	strbuf_adds(text, whole_method(in));
	if (in->key != SUMMARY_duration_s)
		return;
	overhang_say(text, in->report);
	if (covered.doubt == DOUBT_NONE)
		return;
	strbuf_adds(text, ": a lower bound, ");
	covered_say(text, &covered);
}

/* The lines of a file between which its values stand; 0: not known. */
static void lines_of(
	const struct explain_input *in, size_t file, uint64_t *first, uint64_t *last)
{
	*first = *last = 0;
	for (size_t i = 0; i < in->origins->count; i++) {
		const struct origin *o = &in->origins->at[i];

		if (!o->values || o->first.file != file || o->last.file != file)
			continue;
		if (!*first || o->first.line < *first)
			*first = o->first.line;
		if (o->last.line > *last)
			*last = o->last.line;
	}
}

/* Where run.json says that instant, else a value or an event of it; else of no line. */
static struct event_place place_at(const struct explain_input *in, int64_t t_ns)
{
	const struct run *run = in->report->run;

	if (t_ns != TIME_NONE && t_ns == run->started_ns)
		return run->started_at;
	if (t_ns != TIME_NONE && t_ns == run->ended_ns)
		return run->ended_at;
	for (size_t i = 0; i < in->origins->count; i++) {
		const struct origin *o = &in->origins->at[i];

		if (!o->values || !o->timed)
			continue;
		if (o->first.t_ns == t_ns)
			return (struct event_place){o->first.file, o->first.line};
		if (o->last.t_ns == t_ns)
			return (struct event_place){o->last.file, o->last.line};
	}
	for (size_t i = 0; i < run->event_count; i++)
		if (run->event[i].t_ns == t_ns)
			return run->event[i].at;
	return (struct event_place){0};
}

static void add_instant(
	struct doc *doc, const char *label, const struct explain_input *in, int64_t t_ns)
{
	struct strbuf sb;

	if (t_ns == TIME_NONE)
		return;
	strbuf_init(&sb);
	time_print(&sb, t_ns);
	explain_at(&sb, in->report->run, place_at(in, t_ns));
	explain_field(doc, label, &sb);
	strbuf_release(&sb);
}

static void add_files(struct doc *doc, const struct explain_input *in)
{
	const struct run *run = in->report->run;

	for (size_t i = 0; i < run->file_count; i++) {
		const struct run_file *file = &run->file[i];
		uint64_t first, last;
		struct strbuf sb;

		if (!source_has_samples(file->kind))
			continue;
		lines_of(in, i, &first, &last);
		strbuf_init(&sb);
		strbuf_addf(&sb, "%" PRIu64 " rows accepted, %" PRIu64 " refused",
			file->rows, file->refused);
		if (first)
			strbuf_addf(&sb, "; values from line %" PRIu64 " to %" PRIu64,
				first, last);
		explain_field(doc, file->path, &sb);
		strbuf_release(&sb);
	}
}

/* Rows of each device, by the evidence. */
static void add_devices(
	struct doc *doc, const struct explain_input *in, enum device_kind kind)
{
	const struct evidence *e = &in->report->evidence;
	const struct run *run = in->report->run;

	for (size_t i = 0; i < e->device_count; i++) {
		const struct device_evidence *d = &e->device[i];
		struct strbuf sb;

		if (run->device[d->device].kind != kind)
			continue;
		strbuf_init(&sb);
		strbuf_addf(
			&sb, "%" PRIu64 " rows of %s", d->rows, source_name(d->source));
		explain_field(doc, run->device[d->device].name, &sb);
		strbuf_release(&sb);
	}
}

void explain_whole_text(struct doc *doc, const struct explain_input *in)
{
	const struct report *report = in->report;
	const struct summary_field *field = summary_field_get(in->key);
	double value = report->summary[in->key].number;
	struct strbuf sb;

	strbuf_init(&sb);
	doc_begin(doc, DOC_FIELDS);
	if (isnan(value))
		strbuf_adds(&sb, "unknown");
	else
		strbuf_addf(
			&sb, "%.15g%s%s", value, *field->unit ? " " : "", field->unit);
	strbuf_addf(&sb, ": %s", field->title);
	explain_field(doc, field->name, &sb);
	strbuf_clear(&sb);
	add_method(&sb, in);
	explain_field(doc, "How", &sb);
	strbuf_release(&sb);
	if (in->key == SUMMARY_duration_s) {
		add_instant(doc, "From", in, report->started_ns);
		add_instant(doc, "To", in, report->ended_ns);
	} else if (in->key == SUMMARY_samples) {
		add_files(doc, in);
	} else if (in->key == SUMMARY_gpu_count) {
		add_devices(doc, in, DEVICE_GPU);
	} else if (in->key == SUMMARY_cpu_count) {
		add_devices(doc, in, DEVICE_CPU);
	}
}

static void put_files(struct json_writer *w, const struct explain_input *in)
{
	const struct run *run = in->report->run;

	json_array(w, "files");
	for (size_t i = 0; i < run->file_count; i++) {
		const struct run_file *file = &run->file[i];
		uint64_t first, last;

		if (!source_has_samples(file->kind))
			continue;
		lines_of(in, i, &first, &last);
		json_object(w, NULL);
		json_string(w, "path", file->path);
		json_string(w, "kind", source_name(file->kind));
		json_count(w, "rows", file->rows);
		json_count(w, "refused", file->refused);
		json_place(w, "first_line", run, (struct event_place){i, first});
		json_place(w, "last_line", run, (struct event_place){i, last});
		json_close(w);
	}
	json_close(w);
}

void explain_whole_json(struct json_writer *w, const struct explain_input *in)
{
	const struct report *report = in->report;
	struct strbuf sb;

	strbuf_init(&sb);
	add_method(&sb, in);
	json_string(w, "method", sb.text);
	strbuf_release(&sb);
	json_number(w, "value", report->summary[in->key].number);
	json_place(w, "from_line", report->run, place_at(in, report->started_ns));
	json_place(w, "to_line", report->run, place_at(in, report->ended_ns));
	put_files(w, in);
	json_run_devices(w, report);
}
