/* Every member of a report, in the order of report.h. */
#include "model/report_image.h"

#include <stdlib.h>
#include <string.h>

#include "model/report_image_parts.h"
#include "model/run_image.h"

/* A word for the first time: its text follows its number. */
static void image_new_word(struct context *c, uint32_t number, const char **member)
{
	char *text = c->im->reads ? NULL : (char *)*member;

	image_text(c->im, &text);
	if (!c->im->reads)
		return;
	*member = text ? report_keep(c->report, text) : NULL;
	c->im->damaged |= !text;
	free(text);
	if (!number)
		return;
	ALLOC_GROW(c->word, c->word_count + 1, c->word_cap);
	c->word[c->word_count++] = *member;
}

enum borrowed {
	BORROWED_NONE,
	BORROWED_TEXT, /* one of those that have no number */
	BORROWED_WORD /* ... and more by its number, from 0 */
};

void image_borrowed(struct context *c, const char **member)
{
	size_t before = c->words.count;
	uint32_t what = BORROWED_NONE, number = 0;

	if (!c->im->reads && *member) {
		number = texts_number(&c->words, span_of(*member));
		what = number ? BORROWED_WORD + number - 1 : BORROWED_TEXT;
	}
	if (c->im->reads)
		before = c->word_count;
	IMAGE_NUMBER(c->im, what);
	if (c->im->reads)
		*member = NULL;
	if (what == BORROWED_NONE)
		return;
	if (what == BORROWED_TEXT)
		image_new_word(c, 0, member);
	else if (what - BORROWED_WORD == before)
		image_new_word(c, 1, member);
	else if (what - BORROWED_WORD > before)
		c->im->damaged = true;
	else if (c->im->reads)
		*member = c->word[what - BORROWED_WORD];
}

void image_device(struct context *c, uint32_t *device)
{
	IMAGE_NUMBER(c->im, *device);
	if (*device < c->devices)
		return;
	c->im->damaged = true;
	*device = 0;
}

static void image_state_time(struct image *im, struct state_time *state)
{
	image_name(im, state->name, sizeof state->name);
	IMAGE_NUMBER(im, state->n);
	IMAGE_NUMBER(im, state->seconds);
	IMAGE_NUMBER(im, state->share);
}
IMAGE_IS_WHOLE(struct state_time, 280);

static void image_window(struct image *im, struct stats_window *window)
{
	IMAGE_NUMBER(im, window->from_ns);
	IMAGE_NUMBER(im, window->segment);
}
IMAGE_IS_WHOLE(struct stats_window, 16);

static void image_stats(struct context *c, struct metric_stats *s)
{
	struct image *im = c->im;

	IMAGE_BELOW(im, s->metric, METRIC_COUNT);
	IMAGE_BELOW(im, s->source, SOURCE_KIND_COUNT);
	image_device(c, &s->device);
	IMAGE_NUMBER(im, s->n);
	IMAGE_NUMBER(im, s->missing);
	IMAGE_NUMBER(im, s->covered_s);
	IMAGE_NUMBER(im, s->gap_limit_s);
	IMAGE_NUMBER(im, s->mean);
	IMAGE_NUMBER(im, s->mean_samples);
	IMAGE_NUMBER(im, s->min);
	IMAGE_NUMBER(im, s->max);
	IMAGE_NUMBER(im, s->min_at_ns);
	IMAGE_NUMBER(im, s->max_at_ns);
	image_window(im, &s->min_window);
	image_window(im, &s->max_window);
	IMAGE_NUMBER(im, s->p50);
	IMAGE_NUMBER(im, s->p90);
	IMAGE_NUMBER(im, s->p95);
	IMAGE_NUMBER(im, s->p99);
	IMAGE_NUMBER(im, s->stddev);
	image_bool(im, &s->has_above);
	for (int i = 0; i < ABOVE_COUNT; i++)
		IMAGE_NUMBER(im, s->above[i]);
	image_bool(im, &s->has_energy);
	IMAGE_NUMBER(im, s->energy_j);
	IMAGE_NUMBER(im, s->energy_coverage);
	image_bool(im, &s->energy_chosen);
	image_bool(im, &s->has_growth);
	IMAGE_NUMBER(im, s->growth);
	IMAGE_NUMBER(im, s->slope_per_h);
	IMAGE_NUMBER(im, s->least_rise);
	IMAGE_NUMBER(im, s->recent);
	IMAGE_NUMBER(im, s->recent_at_ns);
	IMAGE_NUMBER(im, s->sum);
	IMAGE_NUMBER(im, s->increase);
	IMAGE_NUMBER(im, s->rate_per_s);
	IMAGE_NUMBER(im, s->resets);
	IMAGE_ARRAY(im, s->state, s->state_count);
	for (size_t i = 0; i < s->state_count; i++)
		image_state_time(im, &s->state[i]);
}
IMAGE_IS_WHOLE(struct metric_stats, 336);

static void image_gpu_ending(struct context *c, struct gpu_ending *g)
{
	struct image *im = c->im;

	image_device(c, &g->device);
	IMAGE_NUMBER(im, g->last_ns);
	IMAGE_NUMBER(im, g->silent_s);
	image_bool(im, &g->lost);
	for (size_t i = 0; i < ENDING_METRICS; i++) {
		IMAGE_NUMBER(im, g->value[i]);
		IMAGE_NUMBER(im, g->rate_per_min[i]);
		image_bool(im, &g->is_trend[i]);
	}
	image_borrowed(c, &g->said);
	image_borrowed(c, &g->said_file);
	IMAGE_NUMBER(im, g->said_line);
}
IMAGE_IS_WHOLE(struct gpu_ending, 128);

static void image_ending(struct context *c, struct ending *e)
{
	struct image *im = c->im;

	image_bool(im, &e->abrupt);
	for (size_t i = 0; i < ENDING_SIGNS; i++)
		image_bool(im, &e->sign[i]);
	IMAGE_NUMBER(im, e->signal);
	image_borrowed(c, &e->signal_name);
	image_borrowed(c, &e->torn_file);
	image_borrowed(c, &e->driver_file);
	IMAGE_NUMBER(im, e->driver_ns);
	IMAGE_BELOW(im, e->early_log, SOURCE_NONE + 1);
	IMAGE_NUMBER(im, e->early_ns);
	IMAGE_ARRAY(im, e->gpu, e->gpu_count);
	for (size_t i = 0; i < e->gpu_count; i++)
		image_gpu_ending(c, &e->gpu[i]);
}
IMAGE_IS_WHOLE(struct ending, 80);

static void image_item(struct context *c, struct summary_item *item)
{
	IMAGE_BELOW(c->im, item->kind, VALUE_TEXT + 1);
	IMAGE_NUMBER(c->im, item->number);
	image_borrowed(c, &item->text);
}
IMAGE_IS_WHOLE(struct summary_item, 24);

static void image_call(struct context *c, struct phase_call *call)
{
	struct image *im = c->im;

	image_borrowed(c, &call->name);
	image_borrowed(c, &call->extras);
	call->path = image_index(im, call->path, c->report->path_count);
	im->damaged |= call->path == UINT32_MAX || !call->name;
	IMAGE_NUMBER(im, call->start_ns);
	IMAGE_NUMBER(im, call->end_ns);
	IMAGE_NUMBER(im, call->start_s);
	IMAGE_NUMBER(im, call->seconds);
	image_bool(im, &call->unfinished);
	image_bool(im, &call->empty);
	image_bool(im, &call->too_short);
	image_bool(im, &call->overlapping);
	IMAGE_NUMBER(im, call->gpu_util_mean_pct);
	IMAGE_NUMBER(im, call->power_total_mean_w);
	IMAGE_NUMBER(im, call->energy_j);
	IMAGE_NUMBER(im, call->energy_coverage);
	IMAGE_BELOW(im, call->energy_method, ENERGY_MIXED + 1);
	image_event_place(im, &call->at, c->report->run->file_count);
	image_event_place(im, &call->end_at, c->report->run->file_count);
}
IMAGE_IS_WHOLE(struct phase_call, 144);

static void image_path(struct context *c, struct phase_path *path)
{
	struct image *im = c->im;

	image_text(im, &path->path);
	image_borrowed(c, &path->name);
	im->damaged |= !path->path || !path->name;
	IMAGE_NUMBER(im, path->depth);
	image_bool(im, &path->outside);
	IMAGE_NUMBER(im, path->calls);
	IMAGE_NUMBER(im, path->non_empty_calls);
	IMAGE_NUMBER(im, path->start_s);
	IMAGE_NUMBER(im, path->total_s);
	IMAGE_NUMBER(im, path->min_s);
	IMAGE_NUMBER(im, path->mean_s);
	IMAGE_NUMBER(im, path->max_s);
	IMAGE_NUMBER(im, path->exclusive_s);
	IMAGE_NUMBER(im, path->union_s);
	for (size_t i = 0; i < PHASE_KEY_COUNT; i++)
		image_item(c, &path->summary[i]);
	IMAGE_NUMBER(im, path->exclusive_energy_j);
	image_bool(im, &path->too_short);
	image_bool(im, &path->unfinished);
	image_bool(im, &path->overlapping);
	IMAGE_ARRAY(im, path->stats, path->stats_count);
	for (size_t i = 0; i < path->stats_count; i++)
		image_stats(c, &path->stats[i]);
}
IMAGE_IS_WHOLE(struct phase_path, 648);

/* Which call comes next of a path is found anew. */
static void image_phases(struct context *c, struct report *report)
{
	IMAGE_ARRAY(c->im, report->path, report->path_count);
	for (size_t i = 0; i < report->path_count; i++)
		image_path(c, &report->path[i]);
	IMAGE_ARRAY(c->im, report->call, report->call_count);
	for (size_t i = 0; i < report->call_count; i++)
		image_call(c, &report->call[i]);
	if (c->im->reads && !c->im->damaged)
		report_link_calls(report);
}

static void image_work(struct context *c, struct work *work)
{
	struct image *im = c->im;

	image_borrowed(c, &work->type_name);
	image_borrowed(c, &work->name);
	im->damaged |= !work->type_name && !work->name;
	IMAGE_NUMBER(im, work->events);
	IMAGE_BELOW(im, work->n_is, WORK_UNCLEAR + 1);
	IMAGE_NUMBER(im, work->processes);
	IMAGE_NUMBER(im, work->units);
	IMAGE_NUMBER(im, work->units_least);
	IMAGE_NUMBER(im, work->units_most);
	IMAGE_NUMBER(im, work->units_timed);
	IMAGE_NUMBER(im, work->first_ns);
	IMAGE_NUMBER(im, work->last_ns);
	IMAGE_NUMBER(im, work->first_s);
	IMAGE_NUMBER(im, work->seconds);
	IMAGE_NUMBER(im, work->units_per_s);
	IMAGE_NUMBER(im, work->gpu_util_mean_pct);
	IMAGE_NUMBER(im, work->gpu_s_per_unit);
	IMAGE_NUMBER(im, work->energy_j);
	IMAGE_NUMBER(im, work->energy_coverage);
	IMAGE_BELOW(im, work->energy_method, ENERGY_MIXED + 1);
	IMAGE_NUMBER(im, work->energy_j_per_unit);
	IMAGE_ARRAY(im, work->stats, work->stats_count);
	for (size_t i = 0; i < work->stats_count; i++)
		image_stats(c, &work->stats[i]);
}
IMAGE_IS_WHOLE(struct work, 176);

static void image_stretch(struct context *c, struct finding_stretch *s)
{
	struct image *im = c->im;

	IMAGE_NUMBER(im, s->from_ns);
	IMAGE_NUMBER(im, s->to_ns);
	IMAGE_NUMBER(im, s->start_s);
	IMAGE_NUMBER(im, s->seconds);
	IMAGE_NUMBER(im, s->gpu_seconds);
	for (size_t i = 0; i < RULE_MEANWHILE_MAX; i++)
		IMAGE_NUMBER(im, s->meanwhile[i]);
	s->phase = image_place(im, s->phase, c->report->path_count);
	image_event_place(im, &s->first, c->report->run->file_count);
	image_event_place(im, &s->last, c->report->run->file_count);
}
IMAGE_IS_WHOLE(struct finding_stretch, 144);

static void image_finding_phase(struct context *c, struct finding_phase *phase)
{
	phase->path = image_place(c->im, phase->path, c->report->path_count);
	c->im->damaged |= phase->path == SIZE_MAX;
	IMAGE_NUMBER(c->im, phase->seconds);
	IMAGE_NUMBER(c->im, phase->own_s);
	for (size_t i = 0; i < RULE_IN_PHASES_MAX; i++)
		IMAGE_NUMBER(c->im, phase->value[i]);
}
IMAGE_IS_WHOLE(struct finding_phase, 40);

/* A rule that is no longer there, or judges otherwise, is as good as damage. */
static void image_rule(struct context *c, const struct rule **rule)
{
	const char *id = c->im->reads ? NULL : (*rule)->id;
	int32_t version = c->im->reads ? 0 : (*rule)->version;

	image_borrowed(c, &id);
	IMAGE_NUMBER(c->im, version);
	if (!c->im->reads)
		return;
	*rule = NULL;
	for (size_t i = 0; id && i < c->rules->count; i++)
		if (strcmp(c->rules->rule[i].id, id) == 0 &&
			c->rules->rule[i].version == version)
			*rule = &c->rules->rule[i];
	c->im->damaged |= !*rule;
}

static void image_finding(struct context *c, struct finding *f)
{
	struct image *im = c->im;

	image_rule(c, &f->rule);
	IMAGE_BELOW(im, f->outcome, OUTCOME_CANNOT_TELL + 1);
	f->device = image_index(im, f->device, c->devices);
	image_text(im, &f->why);
	image_bool(im, &f->of_phases);
	im->damaged |= f->outcome == OUTCOME_CANNOT_TELL && !f->why;
	for (size_t i = 0; i < RULE_PARTS_MAX; i++)
		IMAGE_NUMBER(im, f->value[i]);
	IMAGE_NUMBER(im, f->cost_gpu_s);
	IMAGE_NUMBER(im, f->coverage);
	IMAGE_NUMBER(im, f->stretch_count);
	IMAGE_ARRAY(im, f->stretch, f->stretch_listed);
	for (size_t i = 0; i < f->stretch_listed; i++)
		image_stretch(c, &f->stretch[i]);
	IMAGE_ARRAY(im, f->phase, f->phase_count);
	for (size_t i = 0; i < f->phase_count; i++)
		image_finding_phase(c, &f->phase[i]);
}
IMAGE_IS_WHOLE(struct finding, 184);

/* By the run's devices. */
static void image_processes(struct context *c, struct report *report)
{
	IMAGE_ARRAY(c->im, report->process_type, report->process_type_count);
	for (size_t i = 0; i < report->process_type_count; i++)
		image_text(c->im, &report->process_type[i]);
	IMAGE_NUMBER(c->im, report->busiest_core_pct);
	IMAGE_ARRAY(c->im, report->process_mib, report->process_mib_count);
	for (size_t i = 0; i < report->process_mib_count; i++)
		IMAGE_NUMBER(c->im, report->process_mib[i]);
	c->im->damaged |= report->process_type_count > c->devices ||
		report->process_mib_count > c->devices;
}

static void image_time(struct context *c, struct report *report)
{
	IMAGE_NUMBER(c->im, report->started_ns);
	IMAGE_NUMBER(c->im, report->ended_ns);
	IMAGE_NUMBER(c->im, report->origin_ns);
	IMAGE_NUMBER(c->im, report->duration_s);
	image_borrowed(c, &report->duration_source);
	image_bool(c->im, &report->cut);
	image_bool(c->im, &report->windowed);
}

static void image_peak_tick(struct image *im, struct peak_tick *tick)
{
	IMAGE_BELOW(im, tick->source, SOURCE_NONE + 1);
	IMAGE_NUMBER(im, tick->segment);
	IMAGE_NUMBER(im, tick->from_ns);
	IMAGE_NUMBER(im, tick->at_ns);
}
IMAGE_IS_WHOLE(struct peak_tick, 24);

void image_report(struct image *im, struct report *report, const struct rule_set *rules)
{
	struct context c = {.im = im, .report = report, .rules = rules};

	c.devices = report->run->device_count;
	image_processes(&c, report);
	image_time(&c, report);
	IMAGE_ARRAY(im, report->stats, report->stats_count);
	for (size_t i = 0; i < report->stats_count; i++)
		image_stats(&c, &report->stats[i]);
	image_evidence(&c, &report->evidence);
	image_ending(&c, &report->ending);
	for (size_t i = 0; i < SUMMARY_COUNT; i++)
		image_item(&c, &report->summary[i]);
	image_peak_tick(im, &report->peak_tick);
	image_steady(&c, &report->steady);
	image_phases(&c, report);
	IMAGE_ARRAY(im, report->work, report->work_count);
	for (size_t i = 0; i < report->work_count; i++)
		image_work(&c, &report->work[i]);
	IMAGE_NUMBER(im, report->work_left_out);
	IMAGE_ARRAY(im, report->finding, report->finding_count);
	for (size_t i = 0; i < report->finding_count; i++)
		image_finding(&c, &report->finding[i]);
	if (im->reads && !im->damaged)
		report_weigh_devices(report);
	texts_release(&c.words);
	free(c.word);
}
IMAGE_IS_WHOLE(struct report, 1488);
