/* Every member of a run, in the order of run.h. */
#include "model/run_image.h"

#include <stdlib.h>
#include <string.h>

static void image_device(struct image *im, struct device *device, size_t devices)
{
	int64_t parent = device->parent;

	IMAGE_BELOW(im, device->kind, DEVICE_KIND_COUNT);
	IMAGE_NUMBER(im, device->index);
	IMAGE_NUMBER(im, parent);
	im->damaged |= parent < -1 || parent >= (int64_t)devices;
	device->parent = im->damaged ? -1 : (int32_t)parent;
	IMAGE_NUMBER(im, device->place);
	image_bool(im, &device->draws);
	image_name(im, device->name, sizeof device->name);
	image_text(im, &device->uuid);
	image_text(im, &device->bus_id);
	image_text(im, &device->serial);
	image_text(im, &device->host);
	image_text(im, &device->model);
}
IMAGE_IS_WHOLE(struct device, 96);

static void image_devices(struct image *im, struct run *run)
{
	IMAGE_ARRAY(im, run->device, run->device_count);
	for (size_t i = 0; i < run->device_count; i++)
		image_device(im, &run->device[i], run->device_count);
	if (im->reads)
		run_list_devices(run);
}

static void image_file(struct image *im, struct run_file *file)
{
	image_text(im, &file->path);
	IMAGE_BELOW(im, file->kind, SOURCE_KIND_COUNT + 1);
	IMAGE_NUMBER(im, file->size);
	IMAGE_NUMBER(im, file->mtime_ns);
	IMAGE_NUMBER(im, file->hash);
	IMAGE_NUMBER(im, file->content_size);
	IMAGE_NUMBER(im, file->content_hash);
	for (size_t i = 0; i < SOURCE_KIND_COUNT; i++)
		image_byte(im, &file->bid[i]);
	IMAGE_NUMBER(im, file->rows);
	IMAGE_NUMBER(im, file->refused);
	image_bool(im, &file->wall);
	IMAGE_ARRAY(im, file->gpu, file->gpu_count);
	for (size_t i = 0; i < file->gpu_count; i++)
		image_bool(im, &file->gpu[i]);
	im->damaged |= !file->path;
}
IMAGE_IS_WHOLE(struct run_file, 168);

void image_event_place(struct image *im, struct event_place *place, size_t files)
{
	IMAGE_NUMBER(im, place->line);
	IMAGE_NUMBER(im, place->file);
	im->damaged |= place->line && place->file >= files;
}
IMAGE_IS_WHOLE(struct event_place, 16);

/* A text of an event. */
static void image_kept(struct image *im, struct run *run, const char **member)
{
	char *text = im->reads ? NULL : (char *)*member;

	image_text(im, &text);
	if (im->reads)
		*member = run_keep_and_free(run, text);
}

static void image_event(struct image *im, struct run *run, struct event *event)
{
	IMAGE_BELOW(im, event->type, EVENT_POINT + 1);
	IMAGE_NUMBER(im, event->t_ns);
	IMAGE_NUMBER(im, event->end_ns);
	image_kept(im, run, &event->type_name);
	image_kept(im, run, &event->name);
	image_kept(im, run, &event->extras);
	image_event_place(im, &event->at, run->file_count);
	image_event_place(im, &event->end_at, run->file_count);
}
IMAGE_IS_WHOLE(struct event, 80);

static void image_clock_change(struct image *im, struct clock_change *change)
{
	IMAGE_BELOW(im, change->kind, CLOCK_CHANGE_KINDS);
	IMAGE_NUMBER(im, change->from_ns);
	IMAGE_NUMBER(im, change->to_ns);
	IMAGE_NUMBER(im, change->by_ns);
}
IMAGE_IS_WHOLE(struct clock_change, 32);

/* In the order of their numbers. */
static void image_texts(struct image *im, struct texts *texts)
{
	size_t count = image_count(im, texts->count, 1);

	for (size_t i = 1; i <= count; i++) {
		char *word = im->reads ? NULL : (char *)texts_word(texts, (int64_t)i);

		image_text(im, &word);
		if (!im->reads)
			continue;
		im->damaged |= !word || texts_number(texts, span_of(word)) != i;
		free(word);
	}
}

static void image_missing(struct image *im, struct run *run)
{
	struct missing_list *list = &run->missing;
	size_t count = image_count(im, list->count, sizeof *list->at);

	for (size_t i = 0; i < count; i++) {
		struct missing m = im->reads ? (struct missing){0} : list->at[i];

		IMAGE_BELOW(im, m.source, SOURCE_KIND_COUNT);
		IMAGE_BELOW(im, m.metric, METRIC_COUNT);
		IMAGE_NUMBER(im, m.device);
		IMAGE_NUMBER(im, m.reason);
		IMAGE_NUMBER(im, m.count);
		im->damaged |=
			m.device >= run->device_count || m.reason > run->texts.count;
		if (im->reads && !im->damaged)
			missing_add(list, &m);
	}
}
IMAGE_IS_WHOLE(struct missing, 24);

static void image_diag(struct image *im, struct diag *diag)
{
	IMAGE_NUMBER(im, diag->hash);
	image_text(im, &diag->id);
	image_text(im, &diag->file);
	IMAGE_NUMBER(im, diag->line);
	IMAGE_NUMBER(im, diag->count);
	image_text(im, &diag->text);
	image_bool(im, &diag->damage);
	im->damaged |= !diag->id || !diag->file || !diag->text;
}
IMAGE_IS_WHOLE(struct diag, 56);

static void image_label(struct image *im, struct label *label)
{
	image_text(im, &label->key);
	image_text(im, &label->value);
	image_bool(im, &label->given);
	im->damaged |= !label->key || !label->value;
}
IMAGE_IS_WHOLE(struct label, 24);

static void image_fact(struct image *im, struct fact *fact)
{
	image_text(im, &fact->name);
	image_text(im, &fact->value);
	im->damaged |= !fact->name || !fact->value;
}
IMAGE_IS_WHOLE(struct fact, 16);

/* What its manifest says. */
static void image_manifest(struct image *im, struct run *run)
{
	char **const text[] = {&run->run_id, &run->command, &run->host, &run->kernel,
		&run->cpu_model, &run->driver, &run->query, &run->zone};

	for (size_t i = 0; i < sizeof text / sizeof text[0]; i++)
		image_text(im, text[i]);
	IMAGE_NUMBER(im, run->cpu_count);
	IMAGE_NUMBER(im, run->mem_total_kib);
	IMAGE_NUMBER(im, run->interval_ns);
	IMAGE_NUMBER(im, run->dmon_interval_ns);
	IMAGE_NUMBER(im, run->started_ns);
	IMAGE_NUMBER(im, run->ended_ns);
	IMAGE_NUMBER(im, run->exit_status);
	IMAGE_ARRAY(im, run->labels.at, run->labels.count);
	for (size_t i = 0; i < run->labels.count; i++)
		image_label(im, &run->labels.at[i]);
}

void image_run(struct image *im, struct run *run)
{
	image_text(im, &run->key);
	image_text(im, &run->path);
	im->damaged |= !run->key || !run->path;
	image_bool(im, &run->is_directory);
	image_bool(im, &run->is_passing);
	image_manifest(im, run);
	image_name(im, run->time_zone, sizeof run->time_zone);
	image_name(im, run->time_source, sizeof run->time_source);
	image_devices(im, run);
	IMAGE_ARRAY(im, run->file, run->file_count);
	for (size_t i = 0; i < run->file_count; i++)
		image_file(im, &run->file[i]);
	image_event_place(im, &run->started_at, run->file_count);
	image_event_place(im, &run->ended_at, run->file_count);
	IMAGE_ARRAY(im, run->event, run->event_count);
	for (size_t i = 0; i < run->event_count; i++)
		image_event(im, run, &run->event[i]);
	IMAGE_ARRAY(im, run->fact, run->fact_count);
	for (size_t i = 0; i < run->fact_count; i++)
		image_fact(im, &run->fact[i]);
	IMAGE_ARRAY(im, run->clock_change, run->clock_change_count);
	for (size_t i = 0; i < run->clock_change_count; i++)
		image_clock_change(im, &run->clock_change[i]);
	image_texts(im, &run->texts);
	image_missing(im, run);
	IMAGE_ARRAY(im, run->diags.at, run->diags.count);
	for (size_t i = 0; i < run->diags.count; i++)
		image_diag(im, &run->diags.at[i]);
}
