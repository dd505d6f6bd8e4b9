/* Differences of the totals of processes, and who inherited what. */
#include "read/tree_account.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* By more than that, and more than one in so many, the memory of a process is another. */
#define PSS_CHANGE_KIB	 1024
#define PSS_CHANGE_SHARE 10

void tree_snapshot_clear(struct tree_snapshot *snapshot)
{
	snapshot->count = 0;
}

void tree_snapshot_release(struct tree_snapshot *snapshot)
{
	free(snapshot->process);
	*snapshot = (struct tree_snapshot){0};
}

static size_t place_of(const struct tree_snapshot *snapshot, int32_t pid)
{
	size_t low = 0, high = snapshot->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (snapshot->process[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct tree_process *find(const struct tree_snapshot *snapshot, int32_t pid)
{
	size_t at = place_of(snapshot, pid);

	if (at == snapshot->count || snapshot->process[at].pid != pid)
		return NULL;
	return &snapshot->process[at];
}

struct tree_process *tree_snapshot_at(struct tree_snapshot *snapshot, int32_t pid)
{
	size_t at = place_of(snapshot, pid);

	if (at < snapshot->count && snapshot->process[at].pid == pid)
		return &snapshot->process[at];
	ALLOC_GROW(snapshot->process, snapshot->count + 1, snapshot->capacity);
	memmove(snapshot->process + at + 1, snapshot->process + at,
		(snapshot->count - at) * sizeof *snapshot->process);
	snapshot->count++;
	snapshot->process[at] = (struct tree_process){.pid = pid};
	return &snapshot->process[at];
}

int64_t tree_process_memory_kib(const struct tree_process *process)
{
	return process->memory_kib[0] + process->memory_kib[1] + process->memory_kib[2];
}

void tree_account_release(struct tree_account *account)
{
	tree_snapshot_release(&account->before);
}

/* The same process, not another that has its id. */
static struct tree_process *same(
	const struct tree_snapshot *snapshot, const struct tree_process *process)
{
	struct tree_process *found = find(snapshot, process->pid);

	return found && found->started == process->started ? found : NULL;
}

/* Who is still there of those that a process of the snapshot before came from; NULL. */
static struct tree_process *heir_of(const struct tree_snapshot *before,
	const struct tree_snapshot *now, const struct tree_process *ended)
{
	const struct tree_process *parent = find(before, ended->parent);

	for (size_t i = 0; parent && i < before->count; i++) {
		struct tree_process *heir = same(now, parent);

		if (heir)
			return heir;
		parent = find(before, parent->parent);
	}
	return NULL;
}

/* What was counted of those that have ended is not to count again where it was inherited.
 */
static void credit_ended(
	const struct tree_snapshot *before, const struct tree_snapshot *now)
{
	for (size_t i = 0; i < before->count; i++) {
		const struct tree_process *ended = &before->process[i];
		struct tree_process *heir;

		if (same(now, ended))
			continue;
		heir = heir_of(before, now, ended);
		if (!heir)
			continue;
		heir->credit.cpu_us += ended->cpu_us + ended->inherited_cpu_us;
		heir->credit.faults += ended->faults + ended->inherited_faults;
		heir->credit.major_faults +=
			ended->major_faults + ended->inherited_major_faults;
		for (size_t k = 0; k < IO_COUNT; k++)
			heir->credit.io[k] += ended->counted_io[k];
	}
}

/* It inherits from the orphans of all: what it gets is nobody's here. */
#define INIT 1

static int64_t rise(int64_t before, int64_t now)
{
	return now > before ? now - before : 0;
}

/*
 * Of what was inherited what goes beyond the credit. due: what was due before; then what
 * is, of the credit that is new.
 */
static int64_t beyond(int64_t inherited, int64_t credit, int64_t *due)
{
	int64_t all = credit + *due, left = rise(inherited, all);

	*due = left < credit ? left : credit;
	return rise(all, inherited);
}

/*
 * What is due counts as inherited where as much was waited for since, else never was;
 * what is new may have been, and is held back where somebody is yet to be waited for.
 * faults: those that were inherited since.
 */
static int64_t add_io(struct tree_process *now, const struct tree_process *before,
	enum io_number k, int64_t faults)
{
	bool waited = faults > 0, settled = waited && faults >= before->due.faults;
	int64_t base = before->counted_io[k] + (settled ? before->due.io[k] : 0);
	int64_t credit = now->credit.io[k], more;
	bool late = now->due.faults > 0 && !(now->has_ended && now->threads <= 1);

	more = rise(base + (waited || late ? credit : 0), now->io[k]);
	now->counted_io[k] = late ? base + more : now->io[k];
	now->due.io[k] = late ? credit : 0;
	return more;
}

/* What could not be read any more of one that ended meanwhile is as it was. */
static void keep_io(struct tree_process *now, const struct tree_process *before)
{
	for (enum io_number k = 0; k < IO_COUNT; k++)
		if (!(now->has_io & 1u << k))
			now->io[k] = before->io[k];
}

static void add_process(struct tree_account *account, struct tree_process *now,
	const struct tree_process *before, bool is_main)
{
	static const struct tree_process unborn = {0};
	bool was_there = account->main_started > now->started;
	struct tree_totals *own = &account->total[is_main ? TREE_MAIN : TREE_DESCENDANTS];
	struct tree_totals *children = &account->total[TREE_DESCENDANTS], orphans = {0};
	int64_t faults;

	if (!before && was_there)
		memcpy(now->counted_io, now->io, sizeof now->io);
	if (!before)
		before = was_there ? now : &unborn;
	keep_io(now, before);
	faults = rise(before->inherited_faults, now->inherited_faults);
	own->cpu_us += rise(before->cpu_us, now->cpu_us);
	own->major_faults += rise(before->major_faults, now->major_faults);
	now->due = before->due;
	(void)beyond(faults, now->credit.faults, &now->due.faults);
	if (now->pid == INIT && !is_main)
		children = &orphans;
	children->cpu_us += beyond(rise(before->inherited_cpu_us, now->inherited_cpu_us),
		now->credit.cpu_us, &now->due.cpu_us);
	children->major_faults +=
		beyond(rise(before->inherited_major_faults, now->inherited_major_faults),
			now->credit.major_faults, &now->due.major_faults);
	for (enum io_number k = 0; k < IO_COUNT; k++)
		own->io[k] += add_io(now, before, k, faults);
}

/* The Pss of so much memory says nothing of what a process has that has so much now. */
static bool is_other_memory(int64_t then_kib, int64_t now_kib)
{
	int64_t change_kib = llabs(now_kib - then_kib);

	return change_kib > PSS_CHANGE_KIB && change_kib * PSS_CHANGE_SHARE > then_kib;
}

/* It is read from time to time only. */
static void keep_pss(struct tree_process *now, const struct tree_process *before)
{
	if (now->has_pss)
		now->pss_memory_kib = tree_process_memory_kib(now);
	if (now->has_pss || !before || !before->has_pss ||
		is_other_memory(before->pss_memory_kib, tree_process_memory_kib(now)))
		return;
	now->has_pss = true;
	now->pss_kib = before->pss_kib;
	now->pss_ns = before->pss_ns;
	now->pss_memory_kib = before->pss_memory_kib;
}

static void combine(struct tree_account *account)
{
	const struct tree_totals *a = &account->total[TREE_MAIN];
	const struct tree_totals *b = &account->total[TREE_DESCENDANTS];
	struct tree_totals *both = &account->total[TREE_COMBINED];

	both->cpu_us = a->cpu_us + b->cpu_us;
	both->major_faults = a->major_faults + b->major_faults;
	for (size_t k = 0; k < IO_COUNT; k++)
		both->io[k] = a->io[k] + b->io[k];
}

void tree_account_add(
	struct tree_account *account, struct tree_snapshot *snapshot, int32_t main_pid)
{
	struct tree_snapshot spare = account->before;
	const struct tree_process *first = find(snapshot, main_pid);

	if (first)
		account->main_started = first->started;
	credit_ended(&account->before, snapshot);
	for (size_t i = 0; i < snapshot->count; i++) {
		struct tree_process *now = &snapshot->process[i];
		const struct tree_process *before = same(&account->before, now);

		add_process(account, now, before, now->pid == main_pid);
		keep_pss(now, before);
	}
	combine(account);
	account->before = *snapshot;
	*snapshot = spare;
	tree_snapshot_clear(snapshot);
}
