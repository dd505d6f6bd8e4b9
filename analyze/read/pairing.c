/* A stack for each process and block; what may be wrong about it is known at the end. */
#include "read/pairing.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define BUCKETS 4096
#define NONE	SIZE_MAX
#define ANY	UINT64_MAX /* process: which one can't be told */

/* The blocks of one name in one process. */
struct group {
	uint64_t process;
	char *name;
	size_t next; /* in its bucket: index + 1; 0: none */
	size_t open; /* the innermost block: index + 1; 0: none */
	size_t before_stop; /* so many blocks had begun at a stop without a start */
	size_t left; /* the first block that has no stop; NONE */
};

struct block {
	size_t group;
	size_t event; /* of the run; NONE: its start has no time */
	size_t outer; /* in its group: index + 1; 0: none */
	uint64_t start, stop; /* steps; stop 0: none yet */
	uint64_t line; /* of its stop */
};

/* A step at which a row of a process may be lost, or is not what it was. */
struct odd {
	uint64_t process; /* ANY */
	uint64_t step;
};

struct pairing {
	struct log *log;
	struct group *group;
	size_t group_count, group_cap;
	struct block *block;
	size_t block_count, block_cap;
	size_t bucket[BUCKETS]; /* of groups: index + 1 */
	size_t last[BUCKETS]; /* by the name alone: the newest start's block; index + 1 */
	uint64_t step; /* rows and holes are counted */
	struct odd *odd;
	size_t odd_count, odd_cap;
};

struct pairing *pairing_new(struct log *log)
{
	struct pairing *p = xcalloc(1, sizeof *p);

	p->log = log;
	return p;
}

static void add_odd(struct pairing *p, uint64_t process, uint64_t step)
{
	ALLOC_GROW(p->odd, p->odd_count + 1, p->odd_cap);
	p->odd[p->odd_count++] = (struct odd){process, step};
}

void pairing_add_hole(struct pairing *p)
{
	add_odd(p, ANY, ++p->step);
}

static size_t bucket_of(struct span name, uint64_t process)
{
	uint64_t hash = span_hash(name, SPAN_HASH ^ process);

	return (hash ^ hash >> 32) % BUCKETS;
}

static struct group *find_group(struct pairing *p, const struct pairing_row *row)
{
	size_t i = p->bucket[bucket_of(row->name, row->process)];

	while (i &&
		(p->group[i - 1].process != row->process ||
			!span_is(row->name, p->group[i - 1].name)))
		i = p->group[i - 1].next;
	return i ? &p->group[i - 1] : NULL;
}

static struct group *add_group(struct pairing *p, const struct pairing_row *row)
{
	size_t *bucket = &p->bucket[bucket_of(row->name, row->process)];

	ALLOC_GROW(p->group, p->group_count + 1, p->group_cap);
	p->group[p->group_count] = (struct group){.process = row->process,
		.name = xstrndup(row->name.at, row->name.len),
		.next = *bucket,
		.left = NONE};
	*bucket = p->group_count + 1;
	return &p->group[p->group_count++];
}

/* Seconds since 1970 as the log wrote them. */
static void add_seconds(struct strbuf *sb, int64_t t_ns)
{
	strbuf_addf(sb, "%lld.%09lld", (long long)(t_ns / NS_PER_S),
		(long long)(t_ns % NS_PER_S));
	while (sb->text[sb->len - 1] == '0')
		sb->text[--sb->len] = '\0';
	if (sb->text[sb->len - 1] == '.')
		sb->text[--sb->len] = '\0';
}

static size_t add_event(struct pairing *p, const struct pairing_row *row)
{
	struct event *event = run_add_event(p->log->run);
	struct strbuf extras;

	event->type = EVENT_BEGIN;
	event->at = log_place(p->log);
	event->t_ns = row->t_ns;
	event->name = words_keep(&p->log->run->words, row->name);
	event->type_name = run_keep(p->log->run, "code_block");
	strbuf_init(&extras);
	strbuf_addf(&extras, "{\"process_id\": %llu}", (unsigned long long)row->process);
	event->extras = run_keep_and_free(p->log->run, strbuf_detach(&extras));
	p->log->file->rows++;
	return p->log->run->event_count - 1;
}

static void start_block(struct pairing *p, const struct pairing_row *row)
{
	struct group *group = find_group(p, row);
	struct block *block;

	if (!group)
		group = add_group(p, row);
	ALLOC_GROW(p->block, p->block_count + 1, p->block_cap);
	block = &p->block[p->block_count++];
	*block = (struct block){.group = (size_t)(group - p->group),
		.event = row->t_ns == TIME_NONE ? NONE : add_event(p, row),
		.outer = group->open,
		.start = p->step};
	group->open = p->block_count;
	if (block->event != NONE)
		p->last[bucket_of(row->name, 0)] = p->block_count;
}

/* A stop without a start of its own: names the last start of that block, if there is one.
 */
static void refuse_stop(
	struct pairing *p, const struct pairing_row *row, const char *what)
{
	size_t last = p->last[bucket_of(row->name, 0)];
	const struct block *block = last ? &p->block[last - 1] : NULL;
	const struct group *other = block ? &p->group[block->group] : NULL;
	struct strbuf text;

	strbuf_init(&text);
	strbuf_addf(&text, "a stop of process %llu in code block '%s' at ",
		(unsigned long long)row->process, log_quote(row->name).text);
	add_seconds(&text, row->t_ns);
	strbuf_addf(&text, " has no start %s", what);
	if (other && span_is(row->name, other->name)) {
		strbuf_addf(&text, "; the last start is of process %llu, at ",
			(unsigned long long)other->process);
		add_seconds(&text, p->log->run->event[block->event].t_ns);
	}
	log_refuse(p->log, "stop-without-start", "%s", text.text);
	strbuf_release(&text);
}

static void refuse_order(
	struct log *log, const struct pairing_row *row, const struct event *start)
{
	struct strbuf text;

	strbuf_init(&text);
	strbuf_addf(&text, "process %llu starts code block '%s' at ",
		(unsigned long long)row->process, log_quote(row->name).text);
	add_seconds(&text, start->t_ns);
	strbuf_adds(&text, ", after it stops it at ");
	add_seconds(&text, row->t_ns);
	log_refuse(log, "start-after-stop", "%s", text.text);
	strbuf_release(&text);
}

/* The stop of a block, in whatever state it is: no other stop is its own. */
static void end_block(
	struct pairing *p, struct block *block, const struct pairing_row *row)
{
	struct event *event =
		block->event == NONE ? NULL : &p->log->run->event[block->event];

	block->stop = p->step;
	block->line = log_line_number(p->log);
	if (row->t_ns == TIME_NONE)
		return;
	if (!event) {
		refuse_stop(p, row, "whose time can be read");
	} else if (event->t_ns > row->t_ns) {
		refuse_order(p->log, row, event);
	} else {
		event->type = EVENT_PHASE;
		event->end_ns = row->t_ns;
		event->end_at = log_place(p->log);
		p->log->file->rows++;
	}
}

static void stop_block(struct pairing *p, const struct pairing_row *row)
{
	struct group *group = find_group(p, row);
	struct block *block;

	if (!group || !group->open) {
		add_odd(p, row->process, p->step);
		if (group)
			group->before_stop = p->block_count;
		if (row->t_ns != TIME_NONE)
			refuse_stop(p, row, "of its own");
		return;
	}
	block = &p->block[group->open - 1];
	group->open = block->outer;
	end_block(p, block, row);
}

void pairing_add(struct pairing *p, const struct pairing_row *row)
{
	p->step++;
	(row->stop ? stop_block : start_block)(p, row);
}

static int compare_odd(const void *a, const void *b)
{
	const struct odd *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return (x->step > y->step) - (x->step < y->step);
}

/* All steps are known: those of starts without a stop too. */
static void list_odd(struct pairing *p)
{
	for (size_t i = p->block_count; i-- > 0;) {
		const struct block *block = &p->block[i];
		struct group *group = &p->group[block->group];

		if (block->stop)
			continue;
		group->left = i;
		add_odd(p, group->process, block->start);
	}
	if (p->odd_count)
		qsort(p->odd, p->odd_count, sizeof *p->odd, compare_odd);
}

/* An odd step of the process lies within the block. */
static bool has_odd(const struct pairing *p, const struct block *block, uint64_t process)
{
	const struct odd begin = {process, block->start};
	size_t from = 0, to = p->odd_count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (compare_odd(&p->odd[middle], &begin) > 0)
			to = middle;
		else
			from = middle + 1;
	}
	return to < p->odd_count && p->odd[to].process == process &&
		p->odd[to].step < block->stop;
}

static void give_up(struct pairing *p, const struct block *block)
{
	const struct group *group = &p->group[block->group];
	struct event *event = &p->log->run->event[block->event];
	struct strbuf text;

	strbuf_init(&text);
	strbuf_addf(&text, "process %llu starts code block '%s' at ",
		(unsigned long long)group->process, log_quote(span_of(group->name)).text);
	add_seconds(&text, event->t_ns);
	strbuf_adds(&text,
		"; rows are lost behind that, and which stop is its own can't "
		"be told");
	p->log->record = block->line;
	log_refuse(p->log, "doubtful-stop", "%s", text.text);
	strbuf_release(&text);
	event->type = EVENT_BEGIN;
	event->end_ns = TIME_NONE;
	p->log->file->rows--;
}

/*
 * A pair with a lost row in it is wrong if that row was of the same process and block:
 * then a stop of theirs is left over behind it, or a start before it.
 */
static bool is_doubtful(const struct pairing *p, const struct block *block)
{
	const struct group *group = &p->group[block->group];
	size_t i = (size_t)(block - p->block);

	if (block->event == NONE || p->log->run->event[block->event].type != EVENT_PHASE)
		return false;
	return (i < group->before_stop || i > group->left) &&
		(has_odd(p, block, ANY) || has_odd(p, block, group->process));
}

void pairing_finish(struct pairing *p)
{
	list_odd(p);
	for (size_t i = 0; i < p->block_count; i++)
		if (is_doubtful(p, &p->block[i]))
			give_up(p, &p->block[i]);
	for (size_t i = 0; i < p->group_count; i++)
		free(p->group[i].name);
	free(p->group);
	free(p->block);
	free(p->odd);
	free(p);
}
