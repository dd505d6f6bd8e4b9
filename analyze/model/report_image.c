/* Every member of a report, in the order of report.h. */
#include "model/report_image.h"

#include <math.h>
#include <stdlib.h>

/* Whole numbers in as many bytes as they take, texts with their length before them. */

/* In place of a length, which is one more for it. */
#define NO_TEXT 0

void image_write(struct image *im)
{
	*im = (struct image){.reads = false};
	strbuf_init(&im->bytes);
}

void image_read(struct image *im, const void *bytes, size_t len)
{
	*im = (struct image){.reads = true, .at = bytes};
	im->end = im->at + len;
}

void image_write_to(struct image *im, image_sink *sink, void *context)
{
	image_write(im);
	im->sink = sink;
	im->context = context;
}

void image_read_from(struct image *im, image_source *source, void *context, size_t len)
{
	*im = (struct image){
		.reads = true, .source = source, .context = context, .left = len};
}

void image_release(struct image *im)
{
	if (!im->reads)
		strbuf_release(&im->bytes);
	free(im->room);
}

static void flush(struct image *im)
{
	im->damaged |=
		!im->damaged && !im->sink(im->context, im->bytes.text, im->bytes.len);
	strbuf_clear(&im->bytes);
}

static void put(struct image *im, const char *bytes, size_t len)
{
	if (im->sink && im->bytes.len + len > IMAGE_PIECE)
		flush(im);
	strbuf_add(&im->bytes, bytes, len);
	im->len += len;
}

bool image_end(struct image *im)
{
	if (im->sink)
		flush(im);
	return !im->damaged;
}

static size_t at_hand(const struct image *im)
{
	return im->at ? (size_t)(im->end - im->at) : 0;
}

bool image_is_sound(const struct image *im)
{
	return !im->damaged && !at_hand(im) && !im->left;
}

/* So many bytes at hand, if there are as many. */
static void fetch(struct image *im, size_t size)
{
	size_t have = at_hand(im), more = size - have;

	if (more > im->left)
		return;
	if (more < IMAGE_PIECE)
		more = im->left < IMAGE_PIECE ? im->left : IMAGE_PIECE;
	if (have)
		memmove(im->room, im->at, have);
	ALLOC_GROW(im->room, have + more, im->room_size);
	im->left -= more;
	im->damaged |= !im->source(im->context, im->room + have, more);
	im->at = im->room;
	im->end = im->room + have + more;
}

/* So many bytes of the image; NULL: there are fewer. Valid until the next ones. */
static const char *take(struct image *im, size_t size)
{
	const char *at;

	if (!im->damaged && at_hand(im) < size && im->left)
		fetch(im, size);
	at = im->at;
	if (im->damaged || at_hand(im) < size) {
		im->damaged = true;
		return NULL;
	}
	im->at += size;
	return at;
}

static void take_double(struct image *im, double *to)
{
	const char *from = take(im, sizeof *to);

	*to = NAN;
	if (from)
		memcpy(to, from, sizeof *to);
}

/* Seven bits a byte, the lowest first; the highest bit says that more follow. */
static void put_bits(struct image *im, uint64_t bits)
{
	char byte[10];
	size_t len = 0;

	for (; bits > 0x7f; bits >>= 7)
		byte[len++] = (char)(bits & 0x7f) | (char)0x80;
	byte[len++] = (char)bits;
	put(im, byte, len);
}

static uint64_t take_bits(struct image *im)
{
	uint64_t bits = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		const char *byte = take(im, 1);

		if (!byte)
			return 0;
		bits |= (uint64_t)(*byte & 0x7f) << shift;
		if (!(*byte & 0x80))
			return bits;
	}
	im->damaged = true;
	return 0;
}

void image_u64(struct image *im, uint64_t *member)
{
	if (im->reads)
		*member = take_bits(im);
	else
		put_bits(im, *member);
}

/* Small ones of either sign take few bytes: 0, -1, 1, -2 ... */
static void image_i64(struct image *im, int64_t *member)
{
	uint64_t bits = (uint64_t)*member << 1 ^ (*member < 0 ? UINT64_MAX : 0);

	image_u64(im, &bits);
	*member = (int64_t)(bits >> 1 ^ (bits & 1 ? UINT64_MAX : 0));
}

static void image_i32(struct image *im, int32_t *member)
{
	int64_t wide = *member;

	image_i64(im, &wide);
	im->damaged |= wide < INT32_MIN || wide > INT32_MAX;
	*member = im->damaged ? 0 : (int32_t)wide;
}

static void image_u32(struct image *im, uint32_t *member)
{
	uint64_t wide = *member;

	image_u64(im, &wide);
	im->damaged |= wide > UINT32_MAX;
	*member = im->damaged ? 0 : (uint32_t)wide;
}

#define WHOLE_MAX 1e15 /* whole numbers up to it are told apart by a double */

enum real_kind {
	REAL_UNKNOWN, /* NAN */
	REAL_BITS, /* eight bytes follow */
	REAL_WHOLE /* ... and more by a whole number, which is the value */
};

/*
 * Members of that type: written, or replaced by what was read.
 *
 * Most are unknown, nought or whole.
 */
static void image_real(struct image *im, double *member)
{
	uint64_t kind = REAL_BITS;

	if (!im->reads && isnan(*member))
		kind = REAL_UNKNOWN;
	else if (!im->reads && fabs(*member) < WHOLE_MAX &&
		*member == (double)(int64_t)*member && !signbit(*member))
		kind = REAL_WHOLE + (uint64_t)(int64_t)*member;
	image_u64(im, &kind);
	if (kind == REAL_UNKNOWN) {
		*member = NAN;
	} else if (kind == REAL_BITS) {
		if (im->reads)
			take_double(im, member);
		else
			put(im, (const char *)member, sizeof *member);
	} else if (im->reads) {
		*member = (double)(kind - REAL_WHOLE);
	}
}

static void image_bool(struct image *im, bool *member)
{
	uint32_t bit = *member;

	image_u32(im, &bit);
	im->damaged |= bit > 1;
	*member = bit == 1;
}

static void image_byte(struct image *im, uint8_t *member)
{
	uint32_t byte = *member;

	image_u32(im, &byte);
	im->damaged |= byte > UINT8_MAX;
	*member = (uint8_t)(byte & UINT8_MAX);
}

/* clang-format off */
#define IMAGE_NUMBER(im, member) \
	_Generic(&(member), \
		double *: image_real, \
		bool *: image_bool, \
		int64_t *: image_i64, \
		uint64_t *: image_u64, \
		int32_t *: image_i32, \
		uint32_t *: image_u32)((im), &(member))
/* clang-format on */

#define IMAGE_BELOW(im, member, limit) ((member) = image_below((im), (member), (limit)))

/* The elements of an owned array, which is made when it is read. */
#define IMAGE_ARRAY(im, at, count)                                              \
	do {                                                                    \
		(count) = image_count((im), (count), sizeof *(at));             \
		if ((im)->reads)                                                \
			(at) = (count) ? xcalloc((count), sizeof *(at)) : NULL; \
	} while (0)

/* ... and what image_one(first, element) makes of each. */
#define IMAGE_EACH(im, at, count, image_one, first)   \
	do {                                          \
		IMAGE_ARRAY(im, at, count);           \
		for (size_t i = 0; i < (count); i++)  \
			image_one((first), &(at)[i]); \
	} while (0)

/*
 * Behind a function that names the members of a struct: a new member changes the size on
 * the usual machines, and must be named there, too.
 */
#define IMAGE_IS_WHOLE(type, size)                                    \
	_Static_assert(sizeof(void *) != 8 || sizeof(type) == (size), \
		"a member of " #type " was added or removed: name it here, too")

void image_text(struct image *im, char **member)
{
	uint64_t len = !im->reads && *member ? strlen(*member) + 1 : NO_TEXT;
	const char *from;

	IMAGE_NUMBER(im, len);
	if (!im->reads) {
		if (*member)
			put(im, *member, len - 1);
		return;
	}
	*member = NULL;
	if (len == NO_TEXT)
		return;
	from = take(im, --len);
	if (from && !memchr(from, '\0', len))
		*member = xstrndup(from, len);
	else
		im->damaged = true;
}

static void image_name(struct image *im, char *member, size_t size)
{
	char *text = member;

	image_text(im, &text);
	if (!im->reads)
		return;
	memset(member, 0, size);
	if (text && strlen(text) < size)
		memcpy(member, text, strlen(text));
	else
		im->damaged = true;
	free(text);
}

/* A value of an enum: below a limit. */
static unsigned image_below(struct image *im, unsigned value, unsigned limit)
{
	IMAGE_NUMBER(im, value);
	if (im->reads && value >= limit)
		im->damaged = true;
	return im->damaged ? 0 : value;
}

/* The same, or the type's value for none. */
static uint32_t image_index(struct image *im, uint32_t value, size_t limit)
{
	IMAGE_NUMBER(im, value);
	if (im->reads && value != UINT32_MAX && value >= limit)
		im->damaged = true;
	return im->damaged ? UINT32_MAX : value;
}

/* A place that may also be SIZE_MAX. */
static size_t image_place(struct image *im, size_t value, size_t limit)
{
	IMAGE_NUMBER(im, value);
	if (im->reads && value != SIZE_MAX && value >= limit)
		im->damaged = true;
	return im->damaged ? SIZE_MAX : value;
}

/* A name in an array of 256 bytes may take few of them in the image, a number all. */
#define SHORTER 64

/*
 * How many elements of that size follow; 0 of a damaged image, or one too short for
 * them.
 */
static size_t image_count(struct image *im, size_t count, size_t size)
{
	IMAGE_NUMBER(im, count);
	if (im->reads && count > (at_hand(im) + im->left) / (size / SHORTER + 1))
		im->damaged = true;
	return im->damaged ? 0 : count;
}

/* Every member of a run, in the order of run.h. */

static void image_run_device(struct image *im, struct device *device, size_t devices)
{
	int64_t parent = device->parent;

	IMAGE_BELOW(im, device->kind, DEVICE_KIND_COUNT);
	IMAGE_NUMBER(im, device->index);
	IMAGE_NUMBER(im, parent);
	im->damaged |= parent < -1 || parent >= (int64_t)devices;
	device->parent = im->damaged ? -1 : (int32_t)parent;
	IMAGE_NUMBER(im, device->place);
	image_bool(im, &device->draws);
	IMAGE_BELOW(im, device->owner, OWNER_COUNT);
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
		image_run_device(im, &run->device[i], run->device_count);
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
	IMAGE_EACH(im, file->gpu, file->gpu_count, image_bool, im);
	im->damaged |= !file->path;
}
IMAGE_IS_WHOLE(struct run_file, 168);

/* A line of one of so many files. */
static void image_event_place(struct image *im, struct event_place *place, size_t files)
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
	IMAGE_EACH(im, run->labels.at, run->labels.count, image_label, im);
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
	IMAGE_EACH(im, run->file, run->file_count, image_file, im);
	image_event_place(im, &run->started_at, run->file_count);
	image_event_place(im, &run->ended_at, run->file_count);
	IMAGE_ARRAY(im, run->event, run->event_count);
	for (size_t i = 0; i < run->event_count; i++)
		image_event(im, run, &run->event[i]);
	IMAGE_EACH(im, run->fact, run->fact_count, image_fact, im);
	IMAGE_EACH(
		im, run->clock_change, run->clock_change_count, image_clock_change, im);
	image_texts(im, &run->texts);
	image_missing(im, run);
	IMAGE_EACH(im, run->diags.at, run->diags.count, image_diag, im);
}

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
	ALLOC_NEXT(c->word, c->word_count, c->word_cap) = *member;
}

enum borrowed {
	BORROWED_NONE,
	BORROWED_TEXT, /* one of those that have no number */
	BORROWED_WORD /* ... and more by its number, from 0 */
};

/* Borrowed from the run, or static: read, it is the report's. NULL stays NULL. */
static void image_borrowed(struct context *c, const char **member)
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

static void image_members(struct context *c, enum member_of struct_of, void *of)
{
	for (const struct member *m = members_of(struct_of); m->of == struct_of; m++) {
		void *at = member_at(m, of);

		switch (m->kind) {
		case MEMBER_NUMBER:
			image_real(c->im, at);
			break;
		case MEMBER_COUNT:
			image_u64(c->im, at);
			break;
		case MEMBER_TIME:
			image_i64(c->im, at);
			break;
		case MEMBER_FLAG:
			image_bool(c->im, at);
			break;
		case MEMBER_TEXT:
			image_borrowed(c, at);
			break;
		}
	}
}

static void image_device(struct context *c, uint32_t *device)
{
	IMAGE_NUMBER(c->im, *device);
	if (*device < c->devices)
		return;
	c->im->damaged = true;
	*device = 0;
}

/* What a report says of time: its evidence and its steady state. */

static void image_gap(struct context *c, struct gap *gap)
{
	struct image *im = c->im;

	IMAGE_NUMBER(im, gap->start_ns);
	IMAGE_NUMBER(im, gap->length_s);
	image_device(c, &gap->device);
	IMAGE_BELOW(im, gap->source, SOURCE_KIND_COUNT);
	gap->file = image_place(im, gap->file, c->report->run->file_count);
	IMAGE_NUMBER(im, gap->line);
	image_bool(im, &gap->restart);
	image_bool(im, &gap->unanswered);
	IMAGE_BELOW(im, gap->cause, GAP_ALL_SILENT + 1);
}
IMAGE_IS_WHOLE(struct gap, 48);

static void image_device_evidence(struct context *c, struct device_evidence *e)
{
	struct image *im = c->im;

	IMAGE_BELOW(im, e->source, SOURCE_KIND_COUNT);
	image_device(c, &e->device);
	image_members(c, OF_device_evidence, e);
}
IMAGE_IS_WHOLE(struct device_evidence, 128);

static void image_evidence(struct context *c, struct evidence *e)
{
	struct image *im = c->im;
	uint8_t grade = (uint8_t)e->grade;

	image_byte(im, &grade);
	e->grade = (char)grade;
	im->damaged |= !memchr("ABCF", e->grade, 4);
	IMAGE_NUMBER(im, e->coverage);
	image_borrowed(c, &e->time_source);
	IMAGE_NUMBER(im, e->sessions);
	IMAGE_EACH(im, e->device, e->device_count, image_device_evidence, c);
	IMAGE_NUMBER(im, e->gap_count);
	IMAGE_EACH(im, e->gap, e->gap_listed, image_gap, c);
}
IMAGE_IS_WHOLE(struct evidence, 80);

static void image_drift(struct context *c, struct drift *drift)
{
	image_device(c, &drift->device);
	IMAGE_BELOW(c->im, drift->metric, METRIC_COUNT);
	IMAGE_NUMBER(c->im, drift->from);
	IMAGE_NUMBER(c->im, drift->to);
	IMAGE_NUMBER(c->im, drift->change);
	IMAGE_NUMBER(c->im, drift->at_ns);
}
IMAGE_IS_WHOLE(struct drift, 40);

static void image_interruption(struct context *c, struct interruption *interruption)
{
	IMAGE_NUMBER(c->im, interruption->from_ns);
	IMAGE_NUMBER(c->im, interruption->to_ns);
	IMAGE_NUMBER(c->im, interruption->start_s);
	IMAGE_NUMBER(c->im, interruption->seconds);
	IMAGE_NUMBER(c->im, interruption->mean);
	image_bool(c->im, &interruption->higher);
	image_bool(c->im, &interruption->silent);
	IMAGE_BELOW(c->im, interruption->cause, GAP_ALL_SILENT + 1);
}
IMAGE_IS_WHOLE(struct interruption, 48);

static void image_kept_stretch(struct image *im, struct kept_stretch *kept)
{
	IMAGE_NUMBER(im, kept->from_ns);
	IMAGE_NUMBER(im, kept->to_ns);
}
IMAGE_IS_WHOLE(struct kept_stretch, 16);

static void image_steady(struct context *c, struct steady *s)
{
	struct image *im = c->im;

	image_bool(im, &s->found);
	image_borrowed(c, &s->why_not);
	IMAGE_BELOW(im, s->metric, METRIC_none + (s->found ? 0 : 1));
	IMAGE_BELOW(im, s->source, SOURCE_NONE + (s->found ? 0 : 1));
	image_members(c, OF_steady, s);
	IMAGE_EACH(im, s->interruption, s->interruption_listed, image_interruption, c);
	IMAGE_EACH(im, s->drift, s->drift_count, image_drift, c);
	IMAGE_EACH(im, s->kept, s->kept_count, image_kept_stretch, im);
}
IMAGE_IS_WHOLE(struct steady, 152);

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
	image_members(c, OF_metric_stats, s);
	image_window(im, &s->min_window);
	image_window(im, &s->max_window);
	IMAGE_EACH(im, s->state, s->state_count, image_state_time, im);
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
	IMAGE_EACH(im, e->gpu, e->gpu_count, image_gpu_ending, c);
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
	image_members(c, OF_phase_call, call);
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
	image_members(c, OF_phase_path, path);
	for (size_t i = 0; i < PHASE_KEY_COUNT; i++)
		image_item(c, &path->summary[i]);
	IMAGE_EACH(im, path->stats, path->stats_count, image_stats, c);
}
IMAGE_IS_WHOLE(struct phase_path, 152 + PHASE_KEY_COUNT * sizeof(struct summary_item));

/* Which call comes next of a path is found anew. */
static void image_phases(struct context *c, struct report *report)
{
	IMAGE_EACH(c->im, report->path, report->path_count, image_path, c);
	IMAGE_EACH(c->im, report->call, report->call_count, image_call, c);
	if (c->im->reads && !c->im->damaged)
		report_link_calls(report);
}

static void image_work(struct context *c, struct work *work)
{
	struct image *im = c->im;

	image_borrowed(c, &work->type_name);
	image_borrowed(c, &work->name);
	im->damaged |= !work->type_name && !work->name;
	IMAGE_BELOW(im, work->n_is, WORK_UNCLEAR + 1);
	IMAGE_NUMBER(im, work->energy_j);
	IMAGE_NUMBER(im, work->energy_coverage);
	IMAGE_BELOW(im, work->energy_method, ENERGY_MIXED + 1);
	image_members(c, OF_work, work);
	IMAGE_EACH(im, work->stats, work->stats_count, image_stats, c);
	IMAGE_NUMBER(c->im, work->rate_before);
	IMAGE_NUMBER(c->im, work->rate_after);
	IMAGE_NUMBER(c->im, work->rate_at_ns);
}
IMAGE_IS_WHOLE(struct work, 200);

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
	*rule = id ? rule_set_find(c->rules, id) : NULL;
	c->im->damaged |= !*rule || (*rule)->version != version;
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
	IMAGE_EACH(im, f->stretch, f->stretch_listed, image_stretch, c);
	IMAGE_EACH(im, f->phase, f->phase_count, image_finding_phase, c);
}
IMAGE_IS_WHOLE(struct finding, 184);

/* By the run's devices. */
static void image_processes(struct context *c, struct report *report)
{
	IMAGE_EACH(c->im, report->process_type, report->process_type_count, image_text,
		c->im);
	IMAGE_NUMBER(c->im, report->busiest_core_pct);
	IMAGE_EACH(
		c->im, report->process_mib, report->process_mib_count, image_real, c->im);
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
	IMAGE_EACH(im, report->stats, report->stats_count, image_stats, &c);
	image_evidence(&c, &report->evidence);
	image_ending(&c, &report->ending);
	for (size_t i = 0; i < SUMMARY_COUNT; i++)
		image_item(&c, &report->summary[i]);
	image_peak_tick(im, &report->peak_tick);
	image_steady(&c, &report->steady);
	image_phases(&c, report);
	IMAGE_EACH(im, report->work, report->work_count, image_work, &c);
	IMAGE_NUMBER(im, report->work_left_out);
	IMAGE_NUMBER(im, report->checks);
	IMAGE_NUMBER(im, report->checks_ran);
	IMAGE_EACH(im, report->finding, report->finding_count, image_finding, &c);
	if (im->reads && !im->damaged)
		report_weigh_devices(report);
	texts_release(&c.words);
	free(c.word);
}
IMAGE_IS_WHOLE(struct report, 664 + SUMMARY_COUNT * sizeof(struct summary_item));
