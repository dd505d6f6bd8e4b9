/*
 * A load of known size, for tests of what the recorder says of it:
 *
 *   burn K S          K processes, this one among them, burn S seconds of a CPU each
 *   hold P S T        holds P MiB of its own and S MiB that a child shares, for T seconds
 *   write FILE BYTES  writes them in calls of 64 KiB, then sleeps for half a second
 *   read FILE         reads it likewise
 *   spawn N T         N children sleep for T seconds
 *   queue N K S BYTES K children, one after the other, burn S seconds of a CPU and write
 * BYTES to nowhere, while N others sleep leave P S T       a second thread holds P MiB
 * and burns S seconds of a CPU, then sleeps for T seconds; the first one has ended then
 * all K S P M FILE BYTES K processes, this one among them, each burn S seconds of a CPU,
 * write BYTES into a file of their own and read them back, and hold P MiB of their own
 * and M MiB that they share, for two seconds
 *
 * Says what it took itself: "CPU SECONDS" of itself and its children.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PIECE 65536

static char piece[PIECE];

static void nap(double seconds)
{
	struct timespec time = {(time_t)seconds, 0};

	time.tv_nsec = (long)((seconds - (double)time.tv_sec) * 1e9);
	(void)nanosleep(&time, NULL);
}

static void burn(double seconds)
{
	while ((double)clock() / CLOCKS_PER_SEC < seconds)
		continue;
}

static char *hold(size_t mib, int flags)
{
	char *memory = mmap(
		NULL, mib << 20, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		exit(3);
	memset(memory, 1, mib << 20);
	return memory;
}

static void copy(int fd, long long left, int writes)
{
	while (left > 0) {
		size_t size = left < PIECE ? (size_t)left : PIECE;
		ssize_t done = writes ? write(fd, piece, size) : read(fd, piece, size);

		if (done <= 0)
			return;
		left -= done;
	}
}

/* Waits until all processes are here: what only one has touched yet is its own. */
static void meet(int *arrived, int all)
{
	int rank = __atomic_fetch_add(arrived, 1, __ATOMIC_SEQ_CST);

	while (__atomic_load_n(arrived, __ATOMIC_SEQ_CST) < rank / all * all + all)
		nap(0.01);
}

/* The part of one process in a load of everything; shared: memory of all. */
static void do_all(char **argv, int number, char *shared, int *arrived)
{
	double from = (double)clock() / CLOCKS_PER_SEC;
	size_t mib = (size_t)atoi(argv[5]);
	char path[4096], *own;

	burn(from + atof(argv[3]));
	(void)snprintf(path, sizeof path, "%s.%d", argv[6], number);
	copy(open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666), atoll(argv[7]), 1);
	copy(open(path, O_RDONLY), 1LL << 60, 0);
	meet(arrived, atoi(argv[2]));
	memset(shared, number, mib << 20);
	meet(arrived, atoi(argv[2]));
	own = hold((size_t)atoi(argv[4]), MAP_PRIVATE);
	nap(2);
	meet(arrived, atoi(argv[2]));
	/* what that takes is said, too */
	(void)munmap(own, (size_t)atoi(argv[4]) << 20);
	(void)munmap(shared, mib << 20);
}

static void queue(int sleepers, int workers, double seconds, long long bytes)
{
	pid_t *sleeper = calloc((size_t)sleepers + 1, sizeof *sleeper);

	if (sleeper == NULL)
		exit(3);
	for (int i = 0; i < sleepers; i++)
		if ((sleeper[i] = fork()) == 0)
			for (;;)
				nap(3600);
	for (int i = 0; i < workers; i++) {
		pid_t worker = fork();

		if (worker == 0) {
			copy(open("/dev/null", O_WRONLY), bytes, 1);
			burn(seconds);
			_exit(0);
		}
		(void)waitpid(worker, NULL, 0);
		nap(0.013 * (i % 7));
	}
	for (int i = 0; i < sleepers; i++)
		(void)kill(sleeper[i], SIGKILL);
	free(sleeper);
}

static double seconds_of(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static double cpu_of(int who)
{
	struct rusage used;

	(void)getrusage(who, &used);
	return seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
}

static void say_used(void)
{
	printf("%.6f %.6f\n", cpu_of(RUSAGE_SELF), cpu_of(RUSAGE_CHILDREN));
}

static void *work_alone(void *argument)
{
	char **argv = argument;
	size_t mib = (size_t)atoi(argv[2]);
	char *memory = hold(mib, MAP_PRIVATE);

	burn(atof(argv[3]));
	nap(atof(argv[4]));
	(void)munmap(memory, mib << 20); /* at exit it takes as long, and is not said */
	say_used();
	exit(0);
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";
	double number = argc > 2 ? atof(argv[2]) : 0, last = argc > 3 ? atof(argv[3]) : 0;

	if (strcmp(what, "burn") == 0) {
		for (int i = 1; i < (int)number; i++)
			if (fork() == 0) {
				burn(last);
				_exit(0);
			}
		burn(last);
	} else if (strcmp(what, "hold") == 0) {
		char *shared = hold((size_t)last, MAP_SHARED);
		pid_t child = fork();

		if (child == 0) {
			memset(shared, 2, (size_t)last << 20);
			nap(atof(argv[4]));
			_exit(0);
		}
		(void)hold((size_t)number, MAP_PRIVATE);
		nap(atof(argv[4]));
	} else if (strcmp(what, "write") == 0) {
		copy(open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0666), atoll(argv[3]),
			1);
		nap(0.5);
	} else if (strcmp(what, "read") == 0) {
		copy(open(argv[2], O_RDONLY), 1LL << 60, 0);
		nap(0.5);
	} else if (strcmp(what, "spawn") == 0) {
		for (int i = 0; i < (int)number; i++)
			if (fork() == 0) {
				nap(last);
				_exit(0);
			}
	} else if (strcmp(what, "queue") == 0 && argc == 6) {
		queue((int)number, (int)last, atof(argv[4]), atoll(argv[5]));
	} else if (strcmp(what, "leave") == 0 && argc == 5) {
		pthread_t other;

		if (pthread_create(&other, NULL, work_alone, argv) != 0)
			return 3;
		pthread_exit(NULL);
	} else if (strcmp(what, "all") == 0 && argc == 8) {
		char *shared = mmap(NULL, (size_t)atoi(argv[5]) << 20,
			PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

		int *arrived = mmap(NULL, sizeof *arrived, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);

		if (shared == MAP_FAILED || arrived == MAP_FAILED)
			return 3;
		for (int i = 1; i < (int)number; i++)
			if (fork() == 0) {
				do_all(argv, i, shared, arrived);
				_exit(0);
			}
		do_all(argv, 0, shared, arrived);
	} else {
		return 2;
	}
	while (wait(NULL) > 0)
		continue;
	say_used();
	return 0;
}
