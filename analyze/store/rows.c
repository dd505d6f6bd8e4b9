/* What becomes a row: how the structs of a report are bound, column by column. */
#include <math.h>
#include <string.h>

#include "store/internal.h"

int row_prepare_insert(struct sql_row *row, struct store *store, const char *table,
	int parameters, struct error *err)
{
	struct strbuf text;
	int rc;

	strbuf_init(&text);
	strbuf_addf(&text, "INSERT INTO %s VALUES (?", table);
	for (int i = 1; i < parameters; i++)
		strbuf_adds(&text, ", ?");
	strbuf_addc(&text, ')');
	rc = sql_row_prepare(row, store, text.text, err);
	strbuf_release(&text);
	return rc;
}

void row_put_source(struct sql_row *row, enum source_kind kind)
{
	sql_put_known(row, kind == SOURCE_NONE ? -1 : row->store->source_id[kind]);
}

/* Of a counter the rise, of a gauge the sum. */
static void put_sum(struct sql_row *row, const struct metric_stats *s)
{
	bool counter = metric_get(s->metric)->kind == KIND_COUNTER;

	sql_put_real(row, counter || metric_is_state(s->metric) ? NAN : s->sum);
	sql_put_real(row, s->increase);
	sql_put_real(row, s->rate_per_s);
	sql_put_known(row, counter ? (int64_t)s->resets : -1);
}

void row_put_metric(struct sql_row *row, const struct metric_stats *s)
{
	row_put_source(row, s->source);
	sql_put_int(row, s->device);
	sql_put_text(row, metric_get(s->metric)->name);
	sql_put_int(row, (int64_t)s->n);
	sql_put_int(row, (int64_t)s->missing);
	sql_put_real(row, s->covered_s);
	sql_put_real(row, s->mean);
	sql_put_real(row, s->mean_samples);
	sql_put_real(row, s->min);
	sql_put_real(row, s->max);
	sql_put_time(row, s->min_at_ns);
	sql_put_time(row, s->max_at_ns);
	sql_put_real(row, s->p50);
	sql_put_real(row, s->p90);
	sql_put_real(row, s->p95);
	sql_put_real(row, s->p99);
	sql_put_real(row, s->stddev);
	for (size_t a = 0; a < ABOVE_COUNT; a++)
		sql_put_real(row, s->has_above ? s->above[a] : NAN);
	sql_put_real(row, s->has_energy ? s->energy_j : NAN);
	put_sum(row, s);
	sql_put_real(row, s->has_growth ? s->growth : NAN);
	sql_put_real(row, s->has_growth ? s->slope_per_h : NAN);
	sql_put_text(row, energy_method_name(energy_method(s)));
	sql_put_real(row, s->has_energy ? s->energy_coverage : NAN);
	sql_put_known(row, s->has_energy ? s->energy_chosen : -1);
}

int row_get_metric(struct sql_row *row, struct metric_stats *s)
{
	enum source_kind source = source_of(row->store, sql_get_int(row));
	uint32_t device = (uint32_t)sql_get_int(row);
	char metric[64];

	sql_get_name(row, metric, sizeof metric);
	if (metric_find(span_of(metric)) == METRIC_none)
		return 0;
	metric_stats_init(s, metric_find(span_of(metric)));
	s->source = source;
	s->device = device;
	s->n = (uint64_t)sql_get_int(row);
	s->missing = (uint64_t)sql_get_int(row);
	s->covered_s = sql_get_real(row);
	s->mean = sql_get_real(row);
	s->mean_samples = sql_get_real(row);
	s->min = sql_get_real(row);
	s->max = sql_get_real(row);
	s->min_at_ns = sql_get_time(row);
	s->max_at_ns = sql_get_time(row);
	s->p50 = sql_get_real(row);
	s->p90 = sql_get_real(row);
	s->p95 = sql_get_real(row);
	s->p99 = sql_get_real(row);
	s->stddev = sql_get_real(row);
	for (size_t a = 0; a < ABOVE_COUNT; a++)
		s->above[a] = sql_get_real(row);
	s->energy_j = sql_get_real(row);
	s->sum = sql_get_real(row);
	s->increase = sql_get_real(row);
	s->rate_per_s = sql_get_real(row);
	s->resets = (uint64_t)sql_get_int(row);
	s->growth = sql_get_real(row);
	s->slope_per_h = sql_get_real(row);
	row->next++; /* how the energy came about, the metric says */
	s->energy_coverage = sql_get_real(row);
	s->energy_chosen = sql_get_known(row) > 0;
	s->has_above = !isnan(s->above[ABOVE_0]);
	s->has_energy = !isnan(s->energy_j) || !isnan(s->energy_coverage);
	s->has_growth = !isnan(s->growth) || !isnan(s->slope_per_h);
	return 1;
}

void row_put_state(struct sql_row *row, const struct metric_stats *s, size_t state)
{
	row_put_source(row, s->source);
	sql_put_int(row, s->device);
	sql_put_text(row, metric_get(s->metric)->name);
	sql_put_int(row, (int64_t)state);
	sql_put_text(row, s->state[state].name);
	sql_put_int(row, (int64_t)s->state[state].n);
	sql_put_real(row, s->state[state].seconds);
	sql_put_real(row, s->state[state].share);
}

void row_put_summary(struct sql_row *row, const struct summary_item *item)
{
	switch (item->kind) {
	case VALUE_NUMBER:
		sql_put_real(row, item->number);
		break;
	case VALUE_COUNT:
		/* As an integer, so that a shell prints no ".0". */
		if (fabs(item->number) < 9e15)
			sql_put_int(row, (int64_t)item->number);
		else
			sql_put_real(row, item->number);
		break;
	case VALUE_TEXT:
		sql_put_text(row, item->text);
		break;
	}
}

/* What kind of value it is, the column says, known or not. */
void row_get_summary(
	struct sql_row *row, struct report *report, struct summary_item *item)
{
	const char *type = sqlite3_column_decltype(row->stmt, row->next);
	char text[64];

	*item = (struct summary_item){.kind = VALUE_NUMBER, .number = NAN};
	if (type && strcmp(type, "TEXT") == 0) {
		item->kind = VALUE_TEXT;
		sql_get_name(row, text, sizeof text);
		item->text = *text ? report_keep(report, text) : NULL;
		return;
	}
	if (type && strcmp(type, "INTEGER") == 0)
		item->kind = VALUE_COUNT;
	item->number = sql_get_real(row);
}
