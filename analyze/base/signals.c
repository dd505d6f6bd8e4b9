/* Names by number, whatever machine this runs on: the log is of another. */
#include "base/signals.h"

#include <stddef.h>

/* Of Linux on all but Alpha, MIPS, PA-RISC and SPARC; signal(7). */
static const char *const names[] = {NULL, "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL",
	"SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL", "SIGUSR1", "SIGSEGV",
	"SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM", "SIGSTKFLT", "SIGCHLD", "SIGCONT",
	"SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGURG", "SIGXCPU", "SIGXFSZ",
	"SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO", "SIGPWR", "SIGSYS"};

#define STATUS_BASE 128
#define SIGNAL_MOST 64

const char *signal_name(int32_t number)
{
	return number > 0 && (size_t)number < sizeof names / sizeof names[0]
		? names[number]
		: NULL;
}

int32_t signal_of_status(int32_t status)
{
	return status > STATUS_BASE && status <= STATUS_BASE + SIGNAL_MOST
		? status - STATUS_BASE
		: 0;
}

int32_t status_of_signal(int32_t signal)
{
	return STATUS_BASE + signal;
}
