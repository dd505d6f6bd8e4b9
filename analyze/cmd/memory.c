/* The question to the database, and when it may be asked. */
#include "cmd/memory.h"

#include <stdlib.h>

#include "base/text.h"
#include "read/listing.h"

/* The options that shape what is stored. */
static char *shape_of(const struct options *opt)
{
	struct strbuf sb;

	strbuf_init(&sb);
	strbuf_addf(&sb, "tz=%s columns=%s gap=%lld interval=%lld per-core=%d",
		opt->tz ? opt->tz : "", opt->columns ? opt->columns : "",
		(long long)opt->gap_ns, (long long)opt->interval_ns, opt->per_core);
	/* Where the recording names no units, these are its own. */
	if (opt->dialect.ram != DATA_UNIT_NONE)
		strbuf_addf(&sb, " ram=%s", data_unit_name(opt->dialect.ram));
	if (opt->dialect.gpu_ram != DATA_UNIT_NONE)
		strbuf_addf(&sb, " gpu-ram=%s", data_unit_name(opt->dialect.gpu_ram));
	return strbuf_detach(&sb);
}

/* Are these the options that a report is kept for? Of a window it is that of the whole.
 */
static bool is_usual(const struct options *opt)
{
	return opt->gap_ns < 0 && opt->interval_ns < 0 &&
		opt->dialect.dialect == DIALECT_NONE;
}

void memory_init(struct memory *memory, const struct options *opt)
{
	*memory = (struct memory){.shape = shape_of(opt)};
}

void memory_release(struct memory *memory)
{
	free(memory->shape);
	free(memory->stamp);
}

static char *stamp_of(const char *shape, const struct read_options *read)
{
	struct strbuf stamp;

	strbuf_init(&stamp);
	strbuf_addf(&stamp, "%s\n", shape);
	if (read_stamp(&stamp, read))
		return strbuf_detach(&stamp);
	strbuf_release(&stamp);
	return NULL;
}

void memory_stamp(
	struct memory *memory, const struct options *opt, const struct read_options *read)
{
	if (is_usual(opt))
		memory->stamp = stamp_of(memory->shape, read);
}

bool memory_has(const struct memory *memory, struct store *store)
{
	return memory->stamp && store_knows(store, memory->stamp);
}

int memory_ask(struct memory *memory, struct loaded *out, const struct options *opt,
	struct store *store, struct error *err)
{
	struct loaded found = {.samples = NULL};
	int result;

	if (!memory->stamp)
		return 0;
	result = store_recall(
		store, memory->stamp, &found.run, &found.report, opt->rules, err);
	if (result <= 0)
		return result;
	if (!label_matches(&found.run.labels, &opt->label)) {
		loaded_release(&found);
		return 0;
	}
	loaded_release(out);
	loaded_move(out, &found);
	return 1;
}
