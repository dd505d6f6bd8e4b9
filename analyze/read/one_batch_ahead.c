/* One batch more is read than is given, where somebody asks for it. */
#include "read/one_batch_ahead.h"

void ahead_init(struct ahead *ahead, struct sample_source *rows)
{
	*ahead = (struct ahead){.rows = rows, .got = 1};
	sample_batch_init(&ahead->behind);
}

void ahead_release(struct ahead *ahead)
{
	sample_source_free(ahead->rows);
	sample_batch_release(&ahead->behind);
}

int ahead_next(struct ahead *ahead, struct sample_batch *batch, struct error *err)
{
	sample_batch_clear(batch);
	if (ahead->behind.rows) {
		struct sample_batch swapped = *batch;

		*batch = ahead->behind;
		ahead->behind = swapped;
		return 1;
	}
	if (ahead->got > 0)
		ahead->got = sample_source_next(ahead->rows, batch, &ahead->err);
	if (ahead->got < 0)
		*err = ahead->err;
	return ahead->got;
}

const struct sample_batch *ahead_behind(struct ahead *ahead)
{
	if (!ahead->behind.rows && ahead->got > 0)
		ahead->got = sample_source_next(ahead->rows, &ahead->behind, &ahead->err);
	return &ahead->behind;
}
