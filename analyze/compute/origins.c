/* One entry a series, found by device and metric. */
#include "compute/origins.h"

#include <fnmatch.h>
#include <stdlib.h>

#include "base/alloc.h"

struct origins_witness {
	struct sample_witness witness;
	bool wanted[METRIC_COUNT];
	struct origins origins;
	/* of the source being read: [device][METRIC_COUNT] entry + 1, 0: none */
	enum source_kind source;
	uint32_t **entry; /* [devices] NULL: none */
	size_t devices, cap;
};

static void forget_source(struct origins_witness *w)
{
	for (size_t i = 0; i < w->devices; i++)
		free(w->entry[i]);
	w->devices = 0;
}

static struct origin *origin_of(
	struct origins_witness *w, uint32_t device, enum metric_id metric)
{
	struct origins *o = &w->origins;
	uint32_t *entry;

	ALLOC_GROW(w->entry, (size_t)device + 1, w->cap);
	while (w->devices <= device)
		w->entry[w->devices++] = NULL;
	if (!w->entry[device])
		w->entry[device] = xcalloc(METRIC_COUNT, sizeof **w->entry);
	entry = &w->entry[device][metric];
	if (!*entry) {
		ALLOC_GROW(o->at, o->count + 1, o->cap);
		o->at[o->count++] = (struct origin){
			.source = w->source, .device = device, .metric = metric};
		*entry = (uint32_t)o->count;
	}
	return &o->at[*entry - 1];
}

static void add_value(struct origin *o, const struct origin_value *value)
{
	if (!o->values++)
		o->first = o->min = o->max = *value;
	o->last = *value;
	if (value->quanta < o->min.quanta)
		o->min = *value;
	if (value->quanta > o->max.quanta)
		o->max = *value;
}

static void add_column(struct origins_witness *w, const struct sample_batch *batch,
	const struct sample_column *column)
{
	for (size_t row = 0; row < batch->rows; row++) {
		struct origin *o;

		if (column->presence[row] == PRESENCE_ABSENT)
			continue;
		o = origin_of(w, batch->device[row], column->metric);
		if (!o->values && !o->missing)
			o->place = column->place;
		if (o->place != column->place)
			o->place = 0;
		o->timed = batch->timed;
		if (column->presence[row] == PRESENCE_MISSING)
			o->missing++;
		else
			add_value(o,
				&(struct origin_value){batch->file, batch->line[row],
					batch->t_ns[row], column->value[row]});
	}
}

static void add(
	struct sample_witness *witness, struct run *run, const struct sample_batch *batch)
{
	struct origins_witness *w = (struct origins_witness *)witness;

	(void)run;
	if (w->source != batch->source)
		forget_source(w);
	w->source = batch->source;
	for (size_t c = 0; c < batch->column_count; c++)
		if (w->wanted[batch->column[c].metric])
			add_column(w, batch, &batch->column[c]);
}

struct origins_witness *origins_new(const char *metric)
{
	struct origins_witness *w = xcalloc(1, sizeof *w);
	bool shares = false;

	w->witness.add = add;
	w->source = SOURCE_NONE;
	for (enum metric_id id = 0; id < METRIC_COUNT; id++) {
		const struct metric *m = metric_get(id);

		w->wanted[id] = fnmatch(metric, m->name, 0) == 0;
		shares |= w->wanted[id] && m->kind == KIND_SHARE;
	}
	for (enum metric_id id = 0; id < METRIC_COUNT && shares; id++)
		w->wanted[id] |= metric_get(id)->kind == KIND_TICKS;
	return w;
}

void origins_free(struct origins_witness *witness)
{
	if (!witness)
		return;
	forget_source(witness);
	free(witness->entry);
	free(witness->origins.at);
	free(witness);
}

struct sample_witness *origins_as_witness(struct origins_witness *witness)
{
	return &witness->witness;
}

const struct origins *origins_get(const struct origins_witness *witness)
{
	return &witness->origins;
}
