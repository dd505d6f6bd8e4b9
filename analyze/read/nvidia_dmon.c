/* nvidia-smi dmon: a row is a GPU at an instant. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "read/dmon_rows.h"
#include "read/identity.h"

#define KNOWN_INDEXES 64

struct dmon_source {
	struct sample_source source;
	struct dmon_rows rows;
	uint32_t known[KNOWN_INDEXES]; /* device + 1 of an index; 0: not asked yet */
	size_t devices; /* that the run had then: with one more the answer may change */
};

static enum claim claims(struct span line)
{
	return dmon_is_header(SOURCE_NVIDIA_DMON, line) ? CLAIM_ON : CLAIM_NONE;
}

static int bid(const struct probe *probe)
{
	for (size_t i = 0; i < probe->count; i++)
		if (claims(probe->line[i]))
			return 60;
	return 0;
}

/* Rows name the same few GPUs again and again. */
static uint32_t gpu_of(struct dmon_source *dmon, const struct gpu_id *id)
{
	struct run *run = dmon->rows.log->run;
	uint32_t device, *known = NULL;

	if (dmon->devices != run->device_count)
		memset(dmon->known, 0, sizeof dmon->known);
	if (!dmon->rows.log->opt->general && !id->host.len && id->index >= 0 &&
		id->index < KNOWN_INDEXES)
		known = &dmon->known[id->index];
	if (known && *known)
		return *known - 1;
	device = identity_gpu(run, id);
	if (known && device != IDENTITY_NONE && dmon->devices == run->device_count)
		*known = device + 1;
	dmon->devices = run->device_count;
	return device;
}

static void add_row(struct dmon_source *dmon, struct sample_batch *batch)
{
	struct dmon_rows *rows = &dmon->rows;
	struct gpu_id id = {.place = -1, .host = rows->log->line_host};
	int64_t wall_ns;
	uint32_t device;

	if (!dmon_ids(rows, &wall_ns, &id.index))
		return;
	if (!columns_accept_row(&rows->columns, rows->log))
		return;
	device = gpu_of(dmon, &id);
	if (device == IDENTITY_NONE) {
		log_refuse(rows->log, "too-many", "one GPU more than the %d of a run",
			IDENTITY_GPUS_MAX);
		return;
	}
	dmon_put(rows, batch, wall_ns, device);
}

static int dmon_next(
	struct sample_source *source, struct sample_batch *batch, struct error *err)
{
	struct dmon_source *dmon = (struct dmon_source *)source;
	struct dmon_rows *rows = &dmon->rows;

	(void)err;
	sample_batch_clear(batch);
	batch->source = SOURCE_NVIDIA_DMON;
	rows->columns.bound = false;
	while (!sample_batch_full(batch) && dmon_next_row(rows))
		add_row(dmon, batch);
	return batch->rows > 0;
}

static void dmon_free(struct sample_source *source)
{
	struct dmon_source *dmon = (struct dmon_source *)source;

	dmon_release(&dmon->rows);
	free(dmon);
}

static struct sample_source *dmon_open(struct log *log)
{
	struct dmon_source *dmon = xcalloc(1, sizeof *dmon);

	dmon->source = (struct sample_source){dmon_next, dmon_free};
	dmon_init(&dmon->rows, log, SOURCE_NVIDIA_DMON);
	return &dmon->source;
}

const struct format format_nvidia_dmon = {
	.kind = SOURCE_NVIDIA_DMON, .bid = bid, .claims = claims, .open = dmon_open};
