/*
 * CSV after RFC 4180: a header, then a row per run, phase, device and metric; those of
 * the whole run have no phase. An empty cell is unknown. Must not compute or round.
 *
 * Lines end in LF, not in the CRLF of the RFC: awk, cut, join and the shell would take
 * the CR for a part of the last cell, while every spreadsheet and CSV library reads LF.
 *
 * Text that begins with = + - or @ stays as it is. A spreadsheet may take it for a
 * formula, but a quote put before it would be data to every other reader, the same run
 * would have two names, and negative numbers would be text. Who opens foreign CSV files
 * in a spreadsheet imports such columns as text.
 */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/timestamp.h"
#include "render/formats.h"
#include "render/json_writer.h"
#include "render/utf8.h"

static const char header[] =
	"run,path,phase,source,device,metric,unit,n,missing,covered_s,mean,mean_samples,"
	"min,"
	"min_at,max,max_at,p50,p90,p95,p99,stddev,energy_j,energy_method,"
	"energy_coverage,increase,rate_per_s,resets,states,growth,slope_per_h";

/* Every cell brings the comma before it; the first one of a line loses it. */
static void add_text(struct strbuf *line, const char *text)
{
	struct strbuf clean;

	strbuf_addc(line, ',');
	if (!text || !*text)
		return;
	strbuf_init(&clean);
	utf8_repair(&clean, text);
	text = clean.text;
	if (strpbrk(text, "\",\r\n") || *text == ' ' || text[clean.len - 1] == ' ') {
		strbuf_addc(line, '"');
		for (; *text; text++) {
			if (*text == '"')
				strbuf_addc(line, '"');
			strbuf_addc(line, *text);
		}
		strbuf_addc(line, '"');
	} else {
		strbuf_add(line, text, clean.len);
	}
	strbuf_release(&clean);
}

static void add_number(struct strbuf *line, double x)
{
	strbuf_addc(line, ',');
	if (isfinite(x))
		number_print(line, x);
}

static void add_count(struct strbuf *line, uint64_t n)
{
	strbuf_addf(line, ",%llu", (unsigned long long)n);
}

static void add_time(struct strbuf *line, int64_t t_ns)
{
	strbuf_addc(line, ',');
	if (t_ns != TIME_NONE)
		time_print(line, t_ns);
}

/* The seconds in each state, or, without times, the samples, as a JSON object. */
static void add_states(struct strbuf *line, const struct metric_stats *s)
{
	struct json_writer w;

	if (!s->state_count) {
		strbuf_addc(line, ',');
		return;
	}
	json_init(&w, NULL, JSON_COMPACT);
	json_object(&w, NULL);
	for (size_t i = 0; i < s->state_count; i++)
		if (isfinite(s->state[i].seconds))
			json_number(&w, s->state[i].name, s->state[i].seconds);
		else
			json_count(&w, s->state[i].name, s->state[i].n);
	json_close(&w);
	while (w.text.len && w.text.text[w.text.len - 1] == '\n')
		w.text.text[--w.text.len] = '\0';
	add_text(line, w.text.text);
	json_finish(&w);
}

static void add_row(struct strbuf *line, const struct run *run, const char *phase,
	const struct metric_stats *s)
{
	const struct metric *metric = metric_get(s->metric);

	add_text(line, run->run_id);
	add_text(line, run->path);
	add_text(line, phase);
	add_text(line, source_name(s->source));
	add_text(line, run->device[s->device].name);
	add_text(line, metric->name);
	add_text(line, metric->unit);
	add_count(line, s->n);
	add_count(line, s->missing);
	add_number(line, s->covered_s);
	add_number(line, s->mean);
	add_number(line, s->mean_samples);
	add_number(line, s->min);
	add_time(line, s->min_at_ns);
	add_number(line, s->max);
	add_time(line, s->max_at_ns);
	add_number(line, s->p50);
	add_number(line, s->p90);
	add_number(line, s->p95);
	add_number(line, s->p99);
	add_number(line, s->stddev);
	add_number(line, s->has_energy ? s->energy_j : NAN);
	add_text(line, s->has_energy ? energy_method(s->energy_j) : NULL);
	add_number(line, s->has_energy ? s->energy_coverage : NAN);
	add_number(line, s->increase);
	add_number(line, s->rate_per_s);
	if (metric->kind == KIND_COUNTER)
		add_count(line, s->resets);
	else
		strbuf_addc(line, ',');
	add_states(line, s);
	add_number(line, s->has_growth ? s->growth : NAN);
	add_number(line, s->has_growth ? s->slope_per_h : NAN);
	strbuf_addc(line, '\n');
}

static void write_rows(FILE *out, const struct report *report, const char *phase,
	const struct metric_stats *stats, size_t count)
{
	struct strbuf line;

	strbuf_init(&line);
	for (size_t i = 0; i < count; i++) {
		strbuf_clear(&line);
		add_row(&line, report->run, phase, &stats[i]);
		fwrite(line.text + 1, 1, line.len - 1, out);
	}
	strbuf_release(&line);
}

int csv_write(const struct render_input *in, const struct render_options *opt, FILE *out,
	struct error *err)
{
	(void)opt;
	fprintf(out, "%s\n", header);
	for (size_t i = 0; i < in->report_count; i++) {
		const struct report *report = &in->report[i];

		write_rows(out, report, NULL, report->stats, report->stats_count);
		for (size_t k = 0; k < report->path_count; k++)
			write_rows(out, report, report->path[k].path,
				report->path[k].stats, report->path[k].stats_count);
	}
	return render_check(out, "csv", err);
}
