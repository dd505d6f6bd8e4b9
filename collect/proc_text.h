/* Reads a small file of /proc/PID. Knows nothing of its content. */
#ifndef COLLECT_PROC_TEXT_H
#define COLLECT_PROC_TEXT_H

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* In the place of a directory of processes: /proc by its name. */
#define PROC_OF_ALL AT_FDCWD

/*
 * Fills text with what fits of PID/NAME in that directory: a /proc, or the task of a
 * process; and ends it. The bytes; 0 and "" where it can't be read.
 */
size_t proc_text(int proc_fd, pid_t pid, const char *name, char *text, size_t size);

/* The letter of "4711 (sh) S ...", a stat of that size; '\0': there is none. */
char proc_state(const char *text, size_t size);

/* The number behind a word that begins a line, such as "\nUid:". False: there is none. */
bool proc_number(
	const char *text, const char *word, int base, unsigned long long *number);

/* Has /proc this process by its id, and not that of another pid namespace? */
bool proc_is_ours(void);

#endif
