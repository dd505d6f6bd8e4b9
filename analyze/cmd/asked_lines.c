/* Questions first; where there are none the logs are not read again. */
#include "cmd/asked_lines.h"

#include "cmd/again.h"
#include "compute/inspect/origins.h"

/* All that is asked, answered by one reading. */
struct questions {
	struct sample_witness witness;
	struct row_lines *rows;
	struct rank_lines *ranks; /* NULL: none */
};

static void add(
	struct sample_witness *witness, struct run *run, const struct sample_batch *batch)
{
	struct questions *q = (struct questions *)witness;
	struct sample_witness *rows = row_lines_as_witness(q->rows);

	rows->add(rows, run, batch);
	if (q->ranks)
		rank_lines_as_witness(q->ranks)->add(
			rank_lines_as_witness(q->ranks), run, batch);
}

static void again(struct sample_witness *witness, enum source_kind kind,
	const struct compute_window *window)
{
	struct questions *q = (struct questions *)witness;
	struct sample_witness *rows = row_lines_as_witness(q->rows);

	rows->again(rows, kind, window);
	if (q->ranks)
		rank_lines_as_witness(q->ranks)->again(
			rank_lines_as_witness(q->ranks), kind, window);
}

/* The windows of ticks that made the extremes of a share. */
static void ask_windows(
	struct asked_list *list, const struct metric_stats *stats, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct asked_rows asked;

		if (asked_of_min(&stats[i], &asked))
			asked_list_add(list, &asked);
		if (asked_of_max(&stats[i], &asked))
			asked_list_add(list, &asked);
	}
}

static void ask_steady(
	struct asked_list *list, const struct report *report, const char *number)
{
	for (uint32_t i = 0; i < report->run->device_count; i++)
		for (size_t k = 0; k < report->steady.kept_count; k++) {
			struct asked_rows asked =
				asked_of_kept(&report->steady, number, i, k);

			if (report->run->device[i].kind == DEVICE_GPU &&
				report_counts_gpu(report, i))
				asked_list_put(list, &asked);
		}
}

static void ask_peak(
	struct asked_list *list, const struct report *report, enum metric_id metric)
{
	for (uint32_t i = 0; i < report->run->device_count; i++) {
		struct asked_rows asked = asked_of_peak(&report->peak_tick, metric, i);

		if (report->run->device[i].kind == DEVICE_GPU)
			asked_list_put(list, &asked);
	}
}

static void ask_gaps(struct asked_list *list, const struct report *report,
	const struct metric_stats *stats, size_t count)
{
	const struct evidence *e = &report->evidence;

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < e->gap_listed; k++) {
			struct asked_rows asked;

			if (asked_of_gap(&e->gap[k], &stats[i], report->run, &asked))
				asked_list_put(list, &asked);
		}
}

void asked_lines(struct asked_list *list, const struct loaded *loaded, const char *steady,
	enum summary_key key, struct rank_lines *ranks, const char *const *path,
	size_t path_count, const struct options *opt)
{
	const struct report *report = &loaded->report;
	struct questions questions = {
		.witness = {.add = add, .again = again}, .ranks = ranks};
	struct loaded read;

	ask_windows(list, report->stats, report->stats_count);
	ask_gaps(list, report, report->stats, report->stats_count);
	for (size_t i = 0; i < report->path_count && opt->phase; i++) {
		const struct phase_path *of = &report->path[i];

		ask_windows(list, of->stats, of->stats_count);
		ask_gaps(list, report, of->stats, of->stats_count);
	}
	if (steady && report->steady.found)
		ask_steady(list, report, steady);
	if (key == SUMMARY_peak_vram_total_mib && report->peak_tick.source != SOURCE_NONE)
		ask_peak(list, report, summary_field_get(key)->metric);
	if (!list->count && !ranks)
		return;
	questions.rows = row_lines_new(list);
	if (load_again(&read, loaded, path, path_count, opt, &questions.witness)) {
		row_lines_settle(questions.rows, &loaded->run, &read.run);
		if (ranks)
			rank_lines_settle(ranks, &loaded->run, &read.run);
		loaded_release(&read);
	}
	row_lines_free(questions.rows);
}
