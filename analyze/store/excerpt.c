/*
 * The rows of a device in a stretch of time, found by their key instead of looking at all
 * of them; and what else whoever asks for a stretch has to know of the rest: whether a
 * GPU answers there.
 */
#include "model/ending.h"
#include "store/iterate.h"

/* In the units of the table. False: the stretch is none there. */
static bool find_span(const struct stored_source *src, int64_t span[2])
{
	return !__builtin_sub_overflow(src->choice.from_ns, src->origin_ns, &span[0]) &&
		!__builtin_sub_overflow(src->choice.to_ns, src->origin_ns, &span[1]);
}

/* Its rows in the stretch. As cursor_open. */
static int open_inside(struct stored_source *src, int64_t device, const int64_t span[2],
	struct error *err)
{
	const int64_t parameter[] = {device, span[0], span[1]};
	struct strbuf select;
	int rc;

	strbuf_init(&select);
	cursor_select(src,
		" AND h.device = ?3 AND h.last_ns >= ?4 AND h.first_ns <= ?5 "
		"AND a0.t_ns BETWEEN ?4 AND ?5",
		CURSOR_ORDER, &select);
	rc = cursor_open(src, select.text, parameter, 3, err);
	strbuf_release(&select);
	return rc;
}

/* "a0.x IS NOT NULL OR a1.y IS NOT NULL", of what shows life; "0": nothing does. */
static void write_signs(const struct stored_source *src, struct strbuf *where)
{
	size_t count = 0;

	for (size_t i = 0; i < src->metric_count; i++) {
		const struct metric *metric = metric_get(src->metric[i]);

		if (!metric_shows_life(src->metric[i]))
			continue;
		strbuf_addf(where, "%sa%zu.%s IS NOT NULL", count++ ? " OR " : "",
			source_table_rank(src->kind, metric->table), metric->name);
	}
	if (!count)
		strbuf_addc(where, '0');
}

/* A row outside of the stretch, of which `what` is true. As cursor_open. */
static int open_outside(struct stored_source *src, int64_t device, const int64_t span[2],
	const char *what, struct error *err)
{
	const int64_t parameter[] = {device, span[0], span[1]};
	struct strbuf select, where;
	int rc;

	strbuf_init(&where);
	strbuf_init(&select);
	strbuf_addf(&where, " AND h.device = ? AND (a0.t_ns < ? OR a0.t_ns > ?) AND (%s)",
		what);
	cursor_select(src, where.text, CURSOR_ORDER " LIMIT 1", &select);
	rc = cursor_open(src, select.text, parameter, 3, err);
	strbuf_release(&select);
	strbuf_release(&where);
	return rc;
}

/* 1: a GPU's sign of life, if it needs one; 0: there is none, but there are rows; -1 */
static int open_sign(struct stored_source *src, int64_t device, const int64_t span[2],
	struct error *err)
{
	const struct run *run = src->choice.within;
	struct strbuf signs;
	int rc;

	if ((uint64_t)device >= run->device_count ||
		run->device[device].kind != DEVICE_GPU)
		return 1;
	strbuf_init(&signs);
	write_signs(src, &signs);
	rc = open_outside(src, device, span, signs.text, err);
	strbuf_release(&signs);
	if (rc != 0)
		return rc;
	rc = open_outside(src, device, span, "1", err);
	return rc < 0 ? -1 : rc == 0;
}

int excerpt_open(struct stored_source *src, int64_t device, struct error *err)
{
	size_t before = src->cursor_count;
	int64_t span[2];
	int rc;

	if (!find_span(src, span))
		return 0;
	rc = open_sign(src, device, span, err);
	if (rc > 0 && open_inside(src, device, span, err) < 0)
		return -1;
	/* All rows instead of the one that says too little. */
	while (rc == 0 && src->cursor_count > before)
		sqlite3_finalize(src->cursor[--src->cursor_count].stmt);
	return rc;
}
