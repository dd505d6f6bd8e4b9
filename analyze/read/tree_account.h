/*
 * Sums over a process, its descendants and both, from one snapshot of them to the next.
 *
 * Of what a process did the kernel tells totals, which go with it when it ends; but
 * whoever waits for it inherits them. So what a tree did in all is the sum of what its
 * processes rose by, and of what somebody inherited beyond what was already counted of
 * those that have ended. A snapshot takes time: one that is gone when it is its turn may
 * not have been waited for yet when its parent was read, nor that parent's io be of the
 * moment of its stat, so that it is inherited by the next snapshot at the latest, or by
 * nobody. What nobody waits for is lost from the last snapshot on. One
 * that is older than the first process (of its session) counts from when it is first
 * seen.
 */
#ifndef READ_TREE_ACCOUNT_H
#define READ_TREE_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tree_member {
	TREE_MAIN,
	TREE_DESCENDANTS,
	TREE_COMBINED,
	TREE_MEMBERS
};

/* The numbers of /proc/PID/io that count here, in its order. */
enum io_number {
	IO_READ_CHARS,
	IO_WRITE_CHARS,
	IO_READ_CALLS,
	IO_WRITE_CALLS,
	IO_READ_BYTES,
	IO_WRITE_BYTES,
	IO_COUNT
};

/* What was counted of processes that have ended, for who may inherit it. */
struct tree_credit {
	int64_t cpu_us, faults, major_faults, io[IO_COUNT];
};

struct tree_process {
	int32_t pid, parent;
	uint64_t started; /* ticks since boot */
	bool has_stat;
	bool has_ended; /* it is a zombie: it inherits no more */
	unsigned has_io; /* a bit for each number */
	unsigned has_memory; /* a bit for each of anonymous, file, shared pages */
	bool has_swap, has_pss; /* the latter is the last one that was read, at: */
	int64_t pss_ns, pss_memory_kib; /* then, and of how much memory */
	bool has_peak; /* its own */
	bool is_over; /* nothing is left of it but what it did, and: */
	int64_t most_kib; /* the peak of it or one that it waited for */
	int64_t used_us; /* CPU time of it and those: beside ticks, which cut */
	/* Of its own; of children that it waited for, and theirs. */
	int64_t cpu_us, inherited_cpu_us;
	int64_t faults, inherited_faults; /* minor ones: every process has some */
	int64_t major_faults, inherited_major_faults;
	int64_t io[IO_COUNT]; /* its own, and of children that it waited for */
	int64_t threads;
	int64_t memory_kib[3], swap_kib, pss_kib, peak_kib;
	/* Of those that have ended since the snapshot before; and what of that it had not
	 * inherited when it was read. */
	struct tree_credit credit, due;
	int64_t counted_io[IO_COUNT]; /* of io[], with what it inherited */
};

/* Ascending pids. */
struct tree_snapshot {
	struct tree_process *process;
	size_t count, capacity;
};

/* What was done up to a snapshot. */
struct tree_totals {
	int64_t cpu_us, major_faults, io[IO_COUNT];
};

struct tree_account {
	struct tree_snapshot before;
	uint64_t main_started; /* 0: the first process was not there yet */
	struct tree_totals total[TREE_MEMBERS];
};

void tree_snapshot_clear(struct tree_snapshot *snapshot);
void tree_snapshot_release(struct tree_snapshot *snapshot);
/* The process of that pid, which is added; zeroed but for the pid. Until the next one. */
struct tree_process *tree_snapshot_at(struct tree_snapshot *snapshot, int32_t pid);

int64_t tree_process_memory_kib(const struct tree_process *process);

void tree_account_release(struct tree_account *account);

/*
 * Adds what was done up to this snapshot, in which main_pid is the first process; the
 * snapshot is the account's from then on, and `snapshot` is empty.
 */
void tree_account_add(
	struct tree_account *account, struct tree_snapshot *snapshot, int32_t main_pid);

#endif
