/* Writes run.json. */
#include "manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME	 "run.json"
#define NEW_NAME "run.json.new"

/* The next key, which needs no escapes. */
__attribute__((format(printf, 2, 3))) static void key(FILE *out, const char *name, ...)
{
	va_list arguments;

	(void)fputs(",\n  \"", out);
	va_start(arguments, name);
	(void)vfprintf(out, name, arguments);
	va_end(arguments);
	(void)fputs("\": ", out);
}

/* Writes a NULL-terminated list as an array of strings, or null for NULL. */
static void json_strings(FILE *out, char *const *texts)
{
	if (texts == NULL) {
		(void)fputs("null", out);
		return;
	}
	(void)fputc('[', out);
	for (size_t i = 0; texts[i] != NULL; i++) {
		if (i > 0)
			(void)fputs(", ", out);
		json_string(out, texts[i]);
	}
	(void)fputc(']', out);
}

static void key_text(FILE *out, const char *name, const char *text)
{
	key(out, "%s", name);
	json_string(out, text != NULL && *text != '\0' ? text : NULL);
}

/* Lines "KEY=TEXT", and "KEY:JSON", which continues in lines that begin with a blank. */
static void facts_print(FILE *out, const char *facts)
{
	while (facts != NULL && *facts != '\0') {
		const size_t name = strcspn(facts, "=:");
		size_t size = strcspn(facts, "\n");
		char *text;

		while (facts[size] == '\n' && facts[size + 1] == ' ')
			size += 1 + strcspn(facts + size + 1, "\n");
		text = strndup(facts, size);
		key(out, "%.*s", (int)name, facts);
		if (text == NULL || name + 1 >= size)
			(void)fputs("null", out);
		else if (facts[name] == '=')
			json_string(out, text + name + 1);
		else
			(void)fputs(text + name + 1, out);
		free(text);
		facts += size + (facts[size] == '\n');
	}
}

/* Begins the next item of a list or object that has so many. */
static void item(FILE *out, size_t *count)
{
	(void)fputs((*count)++ == 0 ? "\n    " : ",\n    ", out);
}

static void pair(
	FILE *out, size_t *count, const char *name, size_t size, const char *value)
{
	item(out, count);
	(void)fprintf(out, "\"%.*s\": ", (int)size, name);
	json_string(out, value);
}

static void items_end(FILE *out, size_t count, const char *end)
{
	(void)fprintf(out, "%s%s", count > 0 ? "\n  " : "", end);
}

/* What the batch system gave to COMMAND, and which GPUs and threads it may use. */
static void environment_print(FILE *out)
{
	static const char *const names[] = {"SLURM_JOB_ID", "SLURM_STEP_ID",
		"SLURM_ARRAY_TASK_ID", "SLURM_NODEID", "SLURM_PROCID", "SLURM_LOCALID",
		"SLURM_NTASKS", "SLURM_CPUS_PER_TASK", "SLURM_MEM_PER_NODE",
		"SLURM_MEM_PER_CPU", "SLURM_CPUS_ON_NODE", "SLURM_MEM_PER_GPU",
		"SLURM_GPUS_ON_NODE", "PBS_JOBID", "LSB_JOBID", "JOB_ID",
		"CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
		"HIP_VISIBLE_DEVICES", "OMP_NUM_THREADS"};
	size_t count = 0;

	key(out, "environment");
	(void)fputc('{', out);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *value = getenv(names[i]);

		if (value != NULL)
			pair(out, &count, names[i], strlen(names[i]), value);
	}
	items_end(out, count, "}");
}

static void labels_print(FILE *out, char *const *label)
{
	size_t count = 0;

	key(out, "labels");
	(void)fputc('{', out);
	for (; *label != NULL; label++) {
		const char *equals = strchr(*label, '=');

		/* A key needs no escapes: the script has checked it. */
		pair(out, &count, *label, (size_t)(equals - *label), equals + 1);
	}
	items_end(out, count, "}");
}

/* The command line of each log of a vendor's tool, and the time between its samples. */
static void commands_print(FILE *out, const struct smi_command *command)
{
	for (int log = 0; log < SMI_LOGS; log++, command++) {
		const bool is = command->argv[0] != NULL;

		if (!is && log > SMI_AMD)
			continue;
		key(out, "%s_command", smi_names[log]);
		json_strings(out, is ? command->argv : NULL);
		key(out, "%s_interval_s", smi_names[log]);
		if (is)
			json_seconds(out, command->interval_ns);
		else
			(void)fputs("null", out);
	}
}

/* In what trouble a log is; at the end also what it cost, and how punctual it was. */
static void log_print(FILE *out, const struct log *log, bool ended, int dir_fd)
{
	const struct ticker *ticker = &log->ticker;
	struct stat file = {.st_size = 0};

	(void)fputs("{\"log\": ", out);
	json_string(out, log->name);
	if (ended &&
		(log->fd < 0 ||
			fstatat(dir_fd, log->name, &file, AT_SYMLINK_NOFOLLOW) == 0))
		(void)fprintf(out, ", \"bytes\": %lld", (long long)file.st_size);
	if (ended && log->take == NULL) {
		(void)fputs(", \"cpu_s\": ", out);
		json_seconds(out, log->program_cpu_ns);
	}
	if (log->take == NULL) {
		(void)fprintf(out, ", \"state\": \"%s\", \"restarts\": %u, \"said\": ",
			log->state != NULL			   ? log->state
				: log->ready			   ? "recorded"
				: ended || log->trouble[0] != '\0' ? "failed"
								   : "starting",
			log->restarts);
		json_string(out, log->said[0] != '\0' ? log->said : NULL);
	}
	if (ended && ticker->interval_ns > 0) {
		(void)fprintf(out, ", \"ticks\": %" PRIu64 ", \"missed_ticks\": %" PRIu64,
			ticker->ticks, ticker_missed(ticker));
		(void)fputs(", \"late_p99_s\": ", out);
		json_seconds(out, ticker_late_p99_ns(ticker));
		(void)fputs(", \"late_max_s\": ", out);
		json_seconds(out, ticker->late_max_ns);
	}
	(void)fputs(", \"trouble\": ", out);
	json_string(out, log->trouble[0] != '\0' ? log->trouble : NULL);
	(void)fputc('}', out);
}

/* Which GPUs were lost, how often, and for how long. */
static void lost_print(FILE *out, const struct smi *smi)
{
	size_t count = 0;

	key(out, "gpus_lost");
	for (size_t i = 0; i < SMI_LOGS * SMI_GPUS; i++) {
		const struct smi_gpu *gpu = &smi[i / SMI_GPUS].rows.gpu[i % SMI_GPUS];

		if (gpu->times == 0)
			continue;
		(void)fputs(count == 0 ? "[" : "", out);
		item(out, &count);
		(void)fprintf(out, "{\"gpu\": %ld, \"uuid\": ", gpu->index);
		json_string(out, gpu->uuid[0] != '\0' ? gpu->uuid : NULL);
		(void)fprintf(out, ", \"times\": %u, \"away_s\": ", gpu->times);
		json_seconds(out, smi_gpu_away_ns(gpu));
		(void)fprintf(out, ", \"at_end\": %s}", gpu->lost ? "true" : "false");
	}
	(void)fputs(count > 0 ? "\n  ]" : "null", out);
}

static void logs_print(FILE *out, const struct manifest *manifest, int dir_fd)
{
	size_t count = 0;

	key(out, "recorders");
	(void)fputc('[', out);
	for (const struct log *const *log = manifest->log; *log != NULL; log++) {
		item(out, &count);
		log_print(out, *log, manifest->ended != NULL, dir_fd);
	}
	items_end(out, count, "]");
}

static void instant_print(FILE *out, const char *what, const struct instant *when)
{
	char text[RFC3339_SIZE];

	clock_rfc3339(when->real_ns, text);
	key(out, "%s_at", what);
	json_string(out, text);
	key(out, "%s_mono_s", what);
	json_seconds(out, when->mono_ns);
	key(out, "%s_boot_s", what);
	json_seconds(out, when->boot_ns);
}

static void end_print(FILE *out, const struct manifest *manifest)
{
	const struct command *end = manifest->ended;
	const bool known = manifest->plan->command != NULL;
	char status[16] = "null", signal[16] = "null";

	if (known)
		(void)snprintf(status, sizeof status, "%d", end->exit_status);
	if (known && end->signal > 0)
		(void)snprintf(signal, sizeof signal, "%d", end->signal);
	instant_print(out, "ended", &end->ended);
	key(out, "duration_s");
	json_seconds(out, end->ended.mono_ns - manifest->started.mono_ns);
	(void)fprintf(out, ",\n  \"exit_status\": %s,\n  \"signal\": %s", status, signal);
	key(out, "supervisor_cpu_s");
	json_seconds(out, manifest->cpu_ns);
}

static void manifest_print(FILE *out, const struct manifest *manifest, int dir_fd)
{
	const struct plan *plan = manifest->plan;
	const char *failure = smis_failure(manifest->smis);

	(void)fputs("{\n  \"format_version\": \"1.0\"", out);
	key_text(out, "run_id", manifest->run_id);
	key(out, "command");
	json_strings(out, plan->command);
	key_text(out, "directory", plan->cwd);
	labels_print(out, plan->label);
	facts_print(out, plan->facts);
	environment_print(out);
	key_text(out, "gpus_lost_before_start", plan->lost);
	lost_print(out, manifest->smis->smi);
	facts_print(out, plan->recorded);
	if (failure != NULL) {
		key(out, "nvidia_smi");
		(void)fputs("{\"state\": \"failed\", \"said\": ", out);
		json_string(out, failure);
		(void)fputc('}', out);
	}
	commands_print(out, plan->smi_command);
	key_text(out, "recorder_timezone", "UTC");
	key(out, "interval_s");
	json_seconds(out, plan->interval_ns);
	/* A recording that was killed before COMMAND began has no start. */
	if (manifest->started.real_ns != 0)
		instant_print(out, "started", &manifest->started);
	else
		key_text(out, "started_at", NULL);
	if (manifest->pid > 0)
		(void)fprintf(out, ",\n  \"pid\": %d", (int)manifest->pid);
	if (manifest->ended != NULL)
		end_print(out, manifest);
	if (*manifest->log != NULL)
		logs_print(out, manifest, dir_fd);
	(void)fputs("\n}\n", out);
}

/* More than the end and what each log cost add to the beginning. */
#define END_SIZE (16 * 1024)

static void end_reserve(struct manifest *manifest, int dir_fd)
{
	struct stat begin;
	int fd = openat(dir_fd, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);

	if (fstatat(dir_fd, NAME, &begin, AT_SYMLINK_NOFOLLOW) != 0 ||
		fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, begin.st_size + END_SIZE) != 0)
		fd_close(&fd);
	manifest->end_fd = fd;
}

/* The reserved file, which gets the name of a new one, or a new one. */
static int new_file(const struct manifest *manifest, int dir_fd)
{
	char path[32];

	/* Others may have put anything there. */
	(void)unlinkat(dir_fd, NEW_NAME, 0);
	(void)snprintf(path, sizeof path, "/proc/self/fd/%d", manifest->end_fd);
	if (manifest->ended != NULL && manifest->end_fd >= 0 &&
		linkat(AT_FDCWD, path, dir_fd, NEW_NAME, AT_SYMLINK_FOLLOW) == 0)
		return manifest->end_fd;
	return file_create(dir_fd, NEW_NAME);
}

int manifest_write(struct manifest *manifest, int dir_fd)
{
	char *text;
	size_t size;
	FILE *out = memory_stream(&text, &size);
	int fd, failed = -1, why;

	manifest_print(out, manifest, dir_fd);
	if (fclose(out) == 0 && (fd = new_file(manifest, dir_fd)) >= 0) {
		if (file_append(fd, NULL, text, size) == 0)
			failed = renameat(dir_fd, NEW_NAME, dir_fd, NAME);
		fd_close(&fd);
	}
	why = errno;
	if (failed != 0)
		(void)unlinkat(dir_fd, NEW_NAME, 0);
	free(text);
	if (failed == 0 && manifest->end_fd < 0 && manifest->ended == NULL &&
		manifest->started.real_ns != 0)
		end_reserve(manifest, dir_fd);
	errno = why;
	return failed;
}
