/* proc_pid_stat(5), proc_pid_io(5), proc_pid_status(5): words, numbers, kB. */
#include "read/process_files.h"

#include <string.h>

#include "base/number.h"

#define NUMBER_MAX (INT64_C(1) << 56)
#define US_PER_S   1000000

/* The words of stat behind the name, from the state on, that count here. */
enum stat_word {
	STAT_PARENT = 1,
	STAT_FAULTS = 7,
	STAT_INHERITED_FAULTS,
	STAT_MAJOR_FAULTS,
	STAT_INHERITED_MAJOR_FAULTS,
	STAT_USER,
	STAT_SYSTEM,
	STAT_INHERITED_USER,
	STAT_INHERITED_SYSTEM,
	STAT_THREADS = 17,
	STAT_STARTED = 19,
	STAT_WORDS = 39 /* that every kernel has from Linux 2.6 on */
};

static const char *const io_names[IO_COUNT] = {
	"rchar:", "wchar:", "syscr:", "syscw:", "read_bytes:", "write_bytes:"};
static const char *const memory_names[] = {"RssAnon:", "RssFile:", "RssShmem:"};

bool process_number(struct span word, int64_t *value)
{
	uint64_t number;

	if (!number_unsigned(word, &number) || number > NUMBER_MAX)
		return false;
	*value = (int64_t)number;
	return true;
}

bool process_file_cut(struct span line, int32_t *pid, struct span *name)
{
	struct span path;
	const char *slash;
	int64_t number;

	if (!span_begins(line, "> "))
		return false;
	path = (struct span){line.at + 2, line.len - 2};
	slash = path.len ? memchr(path.at, '/', path.len) : NULL;
	if (!slash ||
		!process_number(
			(struct span){path.at, (size_t)(slash - path.at)}, &number) ||
		number == 0 || number > INT32_MAX)
		return false;
	*pid = (int32_t)number;
	*name = (struct span){slash + 1, (size_t)(path.at + path.len - slash - 1)};
	return true;
}

/* Some words may be negative, or beyond our numbers: those that count here are not. */
static bool read_words(struct span rest, int64_t word[STAT_STARTED + 1])
{
	int count = 0;

	while (rest.len) {
		struct span text = span_word(&rest);

		if (count <= STAT_STARTED && !process_number(text, &word[count]))
			word[count] = -1;
		count += text.len > 0;
	}
	return count >= STAT_WORDS;
}

/* False: no process has run so long. */
static bool put_cpu(int64_t *us, int64_t user, int64_t system, int64_t hz)
{
	int128 all = ((int128)user + system) * US_PER_S / hz;

	*us = all <= NUMBER_MAX ? (int64_t)all : 0;
	return all <= NUMBER_MAX;
}

static bool put_words(
	struct tree_process *process, const int64_t word[STAT_STARTED + 1], int64_t hz)
{
	static const enum stat_word counts[] = {STAT_PARENT, STAT_FAULTS,
		STAT_INHERITED_FAULTS, STAT_MAJOR_FAULTS, STAT_INHERITED_MAJOR_FAULTS,
		STAT_USER, STAT_SYSTEM, STAT_INHERITED_USER, STAT_INHERITED_SYSTEM,
		STAT_THREADS, STAT_STARTED};

	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
		if (word[counts[i]] < 0)
			return false;
	process->has_stat = true;
	process->parent = (int32_t)word[STAT_PARENT];
	process->started = (uint64_t)word[STAT_STARTED];
	process->faults = word[STAT_FAULTS];
	process->inherited_faults = word[STAT_INHERITED_FAULTS];
	process->major_faults = word[STAT_MAJOR_FAULTS];
	process->inherited_major_faults = word[STAT_INHERITED_MAJOR_FAULTS];
	process->threads = word[STAT_THREADS];
	return put_cpu(&process->cpu_us, word[STAT_USER], word[STAT_SYSTEM], hz) &&
		put_cpu(&process->inherited_cpu_us, word[STAT_INHERITED_USER],
			word[STAT_INHERITED_SYSTEM], hz);
}

/* "4711 (sh) S 4710 ...": what stands before the name is its pid. */
static bool is_of(struct span text, int32_t pid)
{
	struct span word = span_word(&text);
	int64_t number;

	return process_number(word, &number) && number == pid &&
		span_begins(span_trim(text), "(");
}

bool process_take_stat(struct tree_process *process, struct span text, int64_t hz)
{
	int64_t word[STAT_STARTED + 1] = {0};
	size_t behind = text.len;

	while (behind && text.at[behind - 1] != ')')
		behind--;
	process->has_ended = span_begins(
		span_trim((struct span){text.at + behind, text.len - behind}), "Z");
	return behind && is_of(text, process->pid) &&
		read_words((struct span){text.at + behind, text.len - behind}, word) &&
		put_words(process, word, hz);
}

bool process_take_io(struct tree_process *process, struct span line)
{
	struct span key = span_word(&line);

	for (unsigned i = 0; i < IO_COUNT; i++) {
		if (!span_is(key, io_names[i]))
			continue;
		process->has_io |= 1u << i;
		return process_number(span_trim(line), &process->io[i]);
	}
	return key.len && key.at[key.len - 1] == ':';
}

/* "RssAnon:	     112 kB" */
static bool read_kib(struct span rest, int64_t *kib)
{
	return process_number(span_word(&rest), kib) && span_is(span_trim(rest), "kB");
}

bool process_take_status(struct tree_process *process, struct span line)
{
	struct span key = span_word(&line);

	for (unsigned i = 0; i < 3; i++) {
		if (!span_is(key, memory_names[i]))
			continue;
		process->has_memory |= 1u << i;
		return read_kib(line, &process->memory_kib[i]);
	}
	if (span_is(key, "VmSwap:")) {
		process->has_swap = true;
		return read_kib(line, &process->swap_kib);
	}
	if (span_is(key, "VmHWM:")) {
		process->has_peak = true;
		return read_kib(line, &process->peak_kib);
	}
	return key.len && key.at[key.len - 1] == ':';
}

bool process_take_usage(struct tree_process *process, struct span line)
{
	struct span key = span_word(&line);

	if (span_is(key, "maxrss:")) {
		process->is_over = true;
		return read_kib(line, &process->most_kib);
	}
	if (span_is(key, "utime:") || span_is(key, "stime:")) {
		int64_t us;

		if (!number_scaled(span_trim(line), US_PER_S, &us) || us < 0 ||
			us > NUMBER_MAX)
			return false;
		process->used_us += us;
		return true;
	}
	return key.len && key.at[key.len - 1] == ':';
}

bool process_take_rollup(struct tree_process *process, struct span line)
{
	struct span key = span_word(&line);

	if (span_is(key, "Pss:")) {
		process->has_pss = true;
		return read_kib(line, &process->pss_kib);
	}
	return key.len && key.at[key.len - 1] == ':';
}
