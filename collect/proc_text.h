/*
 * A small file that the kernel has of a process.
 * This room knows nothing of what stands in it.
 */
#ifndef COLLECT_PROC_TEXT_H
#define COLLECT_PROC_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Fills text with what fits of /proc/PID/NAME, and ends it; "" where it can't be read. */
void proc_text(pid_t pid, const char *name, char *text, size_t size);

/* The number behind a word that begins a line, such as "\nUid:". False: there is none. */
bool proc_number(
	const char *text, const char *word, int base, unsigned long long *number);

/* Has /proc this process by its id, and not that of another pid namespace? */
bool proc_is_ours(void);

#endif
