/*
 * CSV after RFC 4180: a header, then a row per run, phase, device and metric; those of
 * the whole run have no phase. Behind them, of each run, a row for each other number and
 * text, whose `part` is not "metric". An empty cell is unknown. Must not compute or
 * round.
 *
 * Lines end in LF, not in the CRLF of the RFC: awk, cut, join and the shell would take
 * the CR for a part of the last cell, while every spreadsheet and CSV library reads LF.
 *
 * Controls in names stand as \x1b, \n: what a job prints is read by terminals
 * and by runners, which take lines for commands. JSON has every name as it was.
 *
 * Text that begins with = + - or @ stays as it is. A spreadsheet may take it for a
 * formula, but a quote put before it would be data to every other reader, the same run
 * would have two names, and negative numbers would be text. Who opens foreign CSV files
 * in a spreadsheet imports such columns as text.
 */
#include <math.h>

#include "render/csv_report.h"
#include "render/formats.h"
#include "render/json_writer.h"

static const char header[] =
	"run,path,phase,source,device,metric,unit,n,missing,covered_s,mean,mean_samples,"
	"min,"
	"min_at,max,max_at,p50,p90,p95,p99,stddev,energy_j,energy_method,"
	"energy_coverage,increase,rate_per_s,resets,states,growth,slope_per_h,part,item,"
	"nth,at,value,text,above_gt_0,above_ge_20,above_ge_50,above_ge_80,above_ge_95,"
	"missing_reasons";

/* What is in the writer, as a cell. */
static void add_json(struct strbuf *line, struct json_writer *w)
{
	json_close(w);
	while (w->text.len && w->text.text[w->text.len - 1] == '\n')
		w->text.text[--w->text.len] = '\0';
	csv_text(line, w->text.text);
	json_finish(w);
}

/* The seconds in each state, or, without times, the samples, as a JSON object. */
static void add_states(struct strbuf *line, const struct metric_stats *s)
{
	struct json_writer w;

	if (!s->state_count) {
		csv_text(line, NULL);
		return;
	}
	json_init(&w, NULL, JSON_COMPACT);
	json_object(&w, NULL);
	for (size_t i = 0; i < s->state_count; i++)
		if (isfinite(s->state[i].seconds))
			json_number(&w, s->state[i].name, s->state[i].seconds);
		else
			json_count(&w, s->state[i].name, s->state[i].n);
	add_json(line, &w);
}

/* How often values are missing, by the words of the log, as a JSON object. */
static void add_reasons(struct strbuf *line, const struct run *run,
	const struct missing_index *missing, const struct metric_stats *s)
{
	struct json_writer w;
	size_t first, count = 0;

	first = missing
		? missing_index_find(missing, s->source, s->device, s->metric, &count)
		: 0;
	if (!count) {
		csv_text(line, NULL);
		return;
	}
	json_init(&w, NULL, JSON_COMPACT);
	json_object(&w, NULL);
	for (size_t i = first; i < first + count; i++) {
		const char *reason = texts_word(&run->texts, missing->at[i]->reason);

		json_count(&w, reason ? reason : "", missing->at[i]->count);
	}
	add_json(line, &w);
}

/* The columns behind those that were there first. */
static void add_later(struct strbuf *line, const struct run *run,
	const struct missing_index *missing, const struct metric_stats *s)
{
	csv_text(line, "metric");
	for (size_t i = 0; i < 5; i++)
		csv_text(line, NULL); /* item, nth, at, value, text */
	for (enum above a = 0; a < ABOVE_COUNT; a++)
		csv_number(line, s->has_above ? s->above[a] : NAN);
	add_reasons(line, run, missing, s);
}

static void add_row(struct strbuf *line, const struct run *run,
	const struct missing_index *missing, const char *phase,
	const struct metric_stats *s)
{
	const struct metric *metric = metric_get(s->metric);

	csv_text(line, run->run_id);
	csv_text(line, run->path);
	csv_text(line, phase);
	csv_text(line, source_name(s->source));
	csv_text(line, run->device[s->device].name);
	csv_text(line, metric->name);
	csv_text(line, metric->unit);
	csv_count(line, s->n);
	csv_count(line, s->missing);
	csv_number(line, s->covered_s);
	csv_number(line, s->mean);
	csv_number(line, s->mean_samples);
	csv_number(line, s->min);
	csv_time(line, s->min_at_ns);
	csv_number(line, s->max);
	csv_time(line, s->max_at_ns);
	csv_number(line, s->p50);
	csv_number(line, s->p90);
	csv_number(line, s->p95);
	csv_number(line, s->p99);
	csv_number(line, s->stddev);
	csv_number(line, s->has_energy ? s->energy_j : NAN);
	csv_text(line, energy_method_name(energy_method(s)));
	csv_number(line, s->has_energy ? s->energy_coverage : NAN);
	csv_number(line, s->increase);
	csv_number(line, s->rate_per_s);
	if (metric->kind == KIND_COUNTER)
		csv_count(line, s->resets);
	else
		strbuf_addc(line, ',');
	add_states(line, s);
	csv_number(line, s->has_growth ? s->growth : NAN);
	csv_number(line, s->has_growth ? s->slope_per_h : NAN);
	add_later(line, run, missing, s);
}

/* missing: NULL: of a phase, which has no reasons. */
static void write_rows(FILE *out, const struct run *run,
	const struct missing_index *missing, const char *phase,
	const struct metric_stats *stats, size_t count)
{
	struct strbuf line;

	strbuf_init(&line);
	for (size_t i = 0; i < count; i++) {
		add_row(&line, run, missing, phase, &stats[i]);
		csv_end(&line, out);
	}
	strbuf_release(&line);
}

static void write_report(FILE *out, const struct report *report, bool calls)
{
	const struct run *run = report->run;
	struct missing_index missing;

	missing_index_init(&missing, &run->missing);
	write_rows(out, run, report->cut ? NULL : &missing, NULL, report->stats,
		report->stats_count);
	missing_index_release(&missing);
	for (size_t i = 0; i < report->path_count; i++)
		write_rows(out, run, NULL, report->path[i].path, report->path[i].stats,
			report->path[i].stats_count);
	csv_report_parts(out, report, calls);
}

int csv_write(const struct render_input *in, const struct render_options *opt, FILE *out,
	struct error *err)
{
	const struct report *report;
	size_t taken = 0;

	fprintf(out, "%s\n", header);
	while ((report = render_take(in, &taken)))
		write_report(out, report, opt->calls);
	return render_check(out, "csv", err);
}
