/* Trends as JSON, described by trend.schema.json. Computes nothing. */
#include "render/formats.h"
#include "render/json_document.h"
#include "render/json_measure.h"

static void add_runs(struct json_writer *w, const char *key, const struct trend_run *runs,
	size_t count)
{
	json_array(w, key);
	for (size_t i = 0; i < count; i++) {
		const struct trend_run *run = &runs[i];

		json_object(w, NULL);
		json_string(w, "run", run->key);
		json_string(w, "path", run->path);
		json_time(w, "started_at", run->started_ns);
		json_object(w, "labels");
		for (size_t k = 0; k < run->labels.count; k++)
			json_string(w, run->labels.at[k].key, run->labels.at[k].value);
		json_close(w);
		json_fate(w, &run->fate);
		json_close(w);
	}
	json_close(w);
}

/* The names of what is not alike: trend_differs. */
static void add_differs(struct json_writer *w, const struct trends *trends,
	const struct trend *trend, size_t from, size_t at, size_t to)
{
	json_array(w, "differs");
	for (size_t i = 0; i < trends->difference_count; i++)
		if (trend_differs(trends, trend, &trends->difference[i], from, at, to))
			json_string(w, NULL, trends->difference[i].what);
	json_close(w);
}

static void add_points(
	struct json_writer *w, const struct trends *trends, const struct trend *trend)
{
	json_array(w, "points");
	for (size_t i = 0; i < trends->point_count; i++) {
		const struct trend_point *point = &trends->point[i];
		const struct trend_value *value = &trend->value[i];

		json_object(w, NULL);
		json_string(w, "name", trend_point_name(trends, i));
		json_time(w, "started_at", trends->run[point->first].started_ns);
		json_count(w, "n", value->n);
		json_number(w, "median", value->median);
		json_number(w, "low", value->low);
		json_number(w, "high", value->high);
		json_array(w, "values");
		for (size_t k = 0; k < point->count; k++)
			json_number(w, NULL, trend->run[point->first + k]);
		json_close(w);
		json_array(w, "coverages");
		for (size_t k = 0; k < point->count; k++)
			json_number(w, NULL, trend->covered[point->first + k].coverage);
		json_close(w);
		json_array(w, "counts");
		for (size_t k = 0; k < point->count; k++)
			json_bool(w, NULL, trend_counts(trends, trend, point->first + k));
		json_close(w);
		json_close(w);
	}
	json_close(w);
}

static void add_changes(
	struct json_writer *w, const struct trends *trends, const struct trend *trend)
{
	json_array(w, "changes");
	for (size_t i = 0; i < trend->change_count; i++) {
		const struct trend_change *change = &trend->change[i];
		const struct trend_run *run =
			&trends->run[trends->point[change->point].first];

		json_object(w, NULL);
		json_string(w, "since", trend_point_name(trends, change->point));
		json_string(w, "run", run->key);
		json_time(w, "started_at", run->started_ns);
		json_string(w, "change", change_name(change->change));
		json_side(w, "before", &change->before);
		json_side(w, "after", &change->after);
		json_number(w, "difference", change->difference);
		json_number(w, "ratio", change->ratio);
		json_number(w, "p", change->p);
		json_number(w, "p_ranks", change->p_ranks);
		add_differs(w, trends, trend, change->from, change->point, change->to);
		json_close(w);
	}
	json_close(w);
}

static void add_drift(
	struct json_writer *w, const struct trends *trends, const struct trend *trend)
{
	if (!trend->drifts) {
		json_null(w, "drift");
		return;
	}
	json_object(w, "drift");
	json_string(w, "change", change_name(trend->drift));
	json_number(w, "from", trend->drift_from);
	json_number(w, "to", trend->drift_to);
	add_differs(w, trends, trend, 0, trends->point_count, trends->point_count);
	json_close(w);
}

/* What so few runs can't tell yet. */
static void add_open(
	struct json_writer *w, const struct trends *trends, const struct trend *trend)
{
	const struct trend_open *open = &trend->open;

	if (!open->n) {
		json_null(w, "open");
		return;
	}
	json_object(w, "open");
	json_count(w, "n", open->n);
	json_string(w, "since", trend_point_name(trends, open->point));
	json_string(w, "change", change_name(open->change));
	json_number(w, "before", open->before);
	json_number(w, "after", open->after);
	json_runs_needed(w, open->needed);
	add_differs(w, trends, trend, open->from, open->point, trends->point_count);
	json_close(w);
}

int json_trend(const struct trends *trends, const struct render_options *opt, FILE *out,
	struct error *err)
{
	struct json_writer w;

	(void)opt;
	json_document_begin(&w, out);
	json_string(&w, "by", trends->by);
	json_count(&w, "runs_least", trends->runs_least);
	add_runs(&w, "runs", trends->run, trends->run_count);
	add_runs(&w, "lost", trends->lost, trends->lost_count);
	json_differs(&w, trends->difference, trends->difference_count, trends->run_count);
	json_array(&w, "trends");
	for (size_t i = 0; i < trends->count; i++) {
		const struct trend *trend = &trends->at[i];

		json_object(&w, NULL);
		json_measure(&w, &trend->measure);
		json_count(&w, "n", trend->known);
		json_bool(&w, "tested", trend->tested);
		add_changes(&w, trends, trend);
		add_drift(&w, trends, trend);
		add_open(&w, trends, trend);
		add_points(&w, trends, trend);
		json_close(&w);
	}
	json_close(&w);
	json_array(&w, "remarks");
	for (size_t i = 0; i < trends->remark_count; i++)
		json_string(&w, NULL, trends->remark[i]);
	json_close(&w);
	return json_document_end(&w, err);
}
