/*
 * Trends as CSV: a row per number and run, in order, with what its point shows and what
 * began there. Must not compute or round.
 */
#include "render/csv_line.h"
#include "render/formats.h"

static void add_header(struct strbuf *line)
{
	static const char *const cell[] = {"point", "run", "path", "started_at", "value",
		"point_median", "change", "before_median", "after_median", "p", "failed",
		"cut_off", "coverage", "counts", "differs"};

	csv_measure_names(line);
	for (size_t i = 0; i < sizeof cell / sizeof *cell; i++)
		csv_text(line, cell[i]);
}

/* What else changed there; NULL: nothing did. */
static void add_differs(struct strbuf *line, const struct trends *trends,
	const struct trend *trend, const struct trend_change *change)
{
	struct strbuf text;

	strbuf_init(&text);
	if (change)
		trend_say_differs(
			&text, trends, trend, change->from, change->point, change->to);
	csv_text(line, text.len ? text.text : NULL);
	strbuf_release(&text);
}

/* Of the first run of the point that began it; NULL: nothing did. */
static void add_change(struct strbuf *line, const struct trend_change *change)
{
	if (!change) {
		for (int i = 0; i < 4; i++)
			csv_text(line, NULL);
		return;
	}
	csv_text(line, change_name(change->change));
	csv_number(line, change->before.median);
	csv_number(line, change->after.median);
	csv_number(line, change->p);
}

static void write_point(FILE *out, struct strbuf *line, const struct trends *trends,
	const struct trend *trend, size_t nth)
{
	const struct trend_point *point = &trends->point[nth];

	for (size_t i = 0; i < point->count; i++) {
		const struct trend_run *run = &trends->run[point->first + i];

		csv_measure(line, &trend->measure);
		csv_text(line, trend_point_name(trends, nth));
		csv_text(line, run->key);
		csv_text(line, run->path);
		csv_time(line, run->started_ns);
		csv_number(line, trend->run[point->first + i]);
		csv_number(line, trend->value[nth].median);
		add_change(line, i ? NULL : trend_begins(trend, nth));
		csv_text(line, run->fate.kind == FATE_FAILED ? run->fate.how : NULL);
		csv_text(line, run->fate.kind == FATE_CUT_OFF ? run->fate.how : NULL);
		csv_number(line, trend->covered[point->first + i].coverage);
		csv_text(line,
			trend_counts(trends, trend, point->first + i) ? "yes" : "no");
		add_differs(line, trends, trend, i ? NULL : trend_begins(trend, nth));
		csv_end(line, out);
	}
}

int csv_trend(const struct trends *trends, const struct render_options *opt, FILE *out,
	struct error *err)
{
	struct strbuf line;

	(void)opt;
	strbuf_init(&line);
	add_header(&line);
	csv_end(&line, out);
	for (size_t i = 0; i < trends->count; i++)
		for (size_t k = 0; k < trends->point_count; k++)
			write_point(out, &line, trends, &trends->at[i], k);
	strbuf_release(&line);
	return render_check(out, "csv", err);
}
