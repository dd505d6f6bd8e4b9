/*
 * What this machine is: the facts about the host that a run is described with.
 * This room knows nothing of where they are written.
 */
#ifndef COLLECT_HOST_H
#define COLLECT_HOST_H

/* Texts are "" and numbers -1 where the machine doesn't say. */
struct host {
	char name[256];
	char kernel[512]; /* "Linux 6.1.0-18-amd64 x86_64" */
	char os[256]; /* PRETTY_NAME of os-release */
	char cpu_model[256];
	char timezone[256]; /* "Europe/Berlin", else an offset as "+01:00" */
	char cpus_allowed[256]; /* to us, and so to COMMAND: "0-3,8" */
	long cpu_count; /* on line */
	long long mem_total_kib;
};

void host_read(struct host *host);

#endif
