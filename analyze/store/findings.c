/* What the rules found in a run: the findings, the numbers behind them, their stretches.
 */
#include <math.h>

#include "model/meanwhile_name.h"
#include "store/internal.h"

static void put_device(struct sql_row *row, uint32_t device)
{
	if (device == FINDING_RUN)
		sql_put_text(row, NULL);
	else
		sql_put_int(row, device);
}

static int write_finding(struct sql_row *row, int64_t run_id, size_t number,
	const struct report *report, const struct finding *finding, struct error *err)
{
	const struct rule *rule = finding->rule;
	bool fires = finding->outcome == OUTCOME_FIRES;
	struct strbuf sentence;
	int rc;

	strbuf_init(&sentence);
	if (fires)
		finding_sentence(&sentence, report, finding, strbuf_adds);
	sql_put_int(row, run_id);
	sql_put_int(row, (int64_t)number);
	sql_put_text(row, rule->id);
	sql_put_int(row, rule->version);
	sql_put_text(row, fires ? "fires" : "cannot_tell");
	sql_put_text(row, severity_name(rule->severity));
	sql_put_text(row, rule->title);
	put_device(row, finding->device);
	sql_put_text(row, fires ? sentence.text : NULL);
	sql_put_text(row, fires ? rule->remedy : NULL);
	sql_put_text(row, finding->why);
	sql_put_real(row, finding->cost_gpu_s);
	sql_put_real(row, finding->coverage);
	sql_put_int(row, (int64_t)finding->stretch_count);
	rc = sql_row_write(row, err);
	strbuf_release(&sentence);
	return rc;
}

static int write_values(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	struct sql_row row;
	int rc = row_prepare_insert(&row, store, "finding_value", 6, err);

	for (size_t i = 0; i < report->finding_count; i++) {
		const struct finding *finding = &report->finding[i];

		if (finding->outcome != OUTCOME_FIRES)
			continue;
		for (size_t k = 0; k < finding->rule->value_count && rc == 0; k++) {
			const struct rule_value *value = &finding->rule->value[k];

			sql_put_int(&row, run_id);
			sql_put_int(&row, (int64_t)i);
			sql_put_int(&row, (int64_t)k);
			sql_put_text(&row, value->name);
			sql_put_real(&row, finding->value[k]);
			sql_put_text(&row, rule_value_unit(value));
			rc = sql_row_write(&row, err);
		}
	}
	sql_row_free(&row);
	return rc;
}

static int write_stretches(struct store *store, int64_t run_id,
	const struct report *report, struct error *err)
{
	struct sql_row row;
	int rc = row_prepare_insert(&row, store, "finding_stretch", 8, err);

	for (size_t i = 0; i < report->finding_count; i++) {
		const struct finding *finding = &report->finding[i];

		for (size_t k = 0; k < finding->stretch_listed && rc == 0; k++) {
			const struct finding_stretch *stretch = &finding->stretch[k];

			sql_put_int(&row, run_id);
			sql_put_int(&row, (int64_t)i);
			sql_put_int(&row, (int64_t)k);
			sql_put_time(&row, stretch->from_ns);
			sql_put_real(&row, stretch->start_s);
			sql_put_real(&row, stretch->seconds);
			sql_put_real(&row, stretch->gpu_seconds);
			if (stretch->phase == SIZE_MAX)
				sql_put_text(&row, NULL);
			else
				sql_put_int(&row, (int64_t)stretch->phase);
			rc = sql_row_write(&row, err);
		}
	}
	sql_row_free(&row);
	return rc;
}

static int write_phases(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	struct sql_row row;
	int rc = row_prepare_insert(&row, store, "finding_phase", 4, err);

	for (size_t i = 0; i < report->finding_count; i++) {
		const struct finding *finding = &report->finding[i];

		for (size_t k = 0; k < finding->phase_count && rc == 0; k++) {
			sql_put_int(&row, run_id);
			sql_put_int(&row, (int64_t)i);
			sql_put_int(&row, (int64_t)finding->phase[k].path);
			sql_put_real(&row, finding->phase[k].seconds);
			rc = sql_row_write(&row, err);
		}
	}
	sql_row_free(&row);
	return rc;
}

static int write_phase_values(struct store *store, int64_t run_id,
	const struct report *report, struct error *err)
{
	struct sql_row row;
	int rc = row_prepare_insert(&row, store, "finding_phase_value", 5, err);

	for (size_t i = 0; i < report->finding_count; i++) {
		const struct finding *finding = &report->finding[i];
		size_t values = finding->rule->in_phases_count;

		for (size_t k = 0; k < finding->phase_count * values && rc == 0; k++) {
			const struct finding_phase *phase = &finding->phase[k / values];

			if (isnan(phase->value[k % values]))
				continue;
			sql_put_int(&row, run_id);
			sql_put_int(&row, (int64_t)i);
			sql_put_int(&row, (int64_t)phase->path);
			sql_put_int(&row, (int64_t)finding->rule->in_phases[k % values]);
			sql_put_real(&row, phase->value[k % values]);
			rc = sql_row_write(&row, err);
		}
	}
	sql_row_free(&row);
	return rc;
}

static int write_meanwhile(struct store *store, int64_t run_id,
	const struct report *report, struct error *err)
{
	struct meanwhile_name name;
	struct sql_row row;
	int rc = row_prepare_insert(&row, store, "finding_meanwhile", 5, err);

	for (size_t i = 0; i < report->finding_count; i++) {
		const struct finding *finding = &report->finding[i];
		size_t metrics = finding->rule->meanwhile_count;

		for (size_t k = 0; k < finding->stretch_listed * metrics && rc == 0;
			k++) {
			double mean =
				finding->stretch[k / metrics].meanwhile[k % metrics];

			if (isnan(mean))
				continue;
			sql_put_int(&row, run_id);
			sql_put_int(&row, (int64_t)i);
			sql_put_int(&row, (int64_t)(k / metrics));
			name = meanwhile_name(finding->rule->meanwhile[k % metrics]);
			sql_put_text(&row, name.text);
			sql_put_real(&row, mean);
			rc = sql_row_write(&row, err);
		}
	}
	sql_row_free(&row);
	return rc;
}

int findings_write(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	struct sql_row row;
	int rc = row_prepare_insert(&row, store, "finding", 14, err);

	for (size_t i = 0; i < report->finding_count && rc == 0; i++)
		rc = write_finding(&row, run_id, i, report, &report->finding[i], err);
	sql_row_free(&row);
	if (rc < 0 || write_values(store, run_id, report, err) < 0 ||
		write_phases(store, run_id, report, err) < 0 ||
		write_phase_values(store, run_id, report, err) < 0 ||
		write_meanwhile(store, run_id, report, err) < 0)
		return -1;
	return write_stretches(store, run_id, report, err);
}
