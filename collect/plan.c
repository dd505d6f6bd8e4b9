/*
 * Parses the command line that the script `collect` made.
 */
#include "plan.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "text.h"
#include "tree.h"

/*
 * Makes the words of a command line of the format, in which they are separated by '\n';
 * after them those that select GPUs, if there are ids. Returns 0, or -1 if it is too
 * long.
 */
__attribute__((format(printf, 3, 4))) static int smi_line(
	struct smi_command *command, const char *gpu_ids, const char *format, ...)
{
	const size_t size = sizeof command->line;
	size_t words = 1, length;
	va_list arguments;

	va_start(arguments, format);
	length = (size_t)vsnprintf(command->line, size, format, arguments);
	va_end(arguments);
	if (length >= size)
		return -1;
	for (const char *at = command->line; (at = strchr(at, '\n')) != NULL; at++)
		words++;
	command->words = words;
	if (gpu_ids != NULL)
		length += (size_t)snprintf(
			command->line + length, size - length, "\n-i\n%s", gpu_ids);
	if (length >= size)
		return -1;
	words = 0;
	for (char *at = command->line; at != NULL && words + 1 < SMI_WORDS;) {
		command->argv[words++] = at;
		at = strchr(at, '\n');
		if (at != NULL)
			*at++ = '\0';
	}
	return 0;
}

/*
 * Whole seconds go to -l, which every nvidia-smi has; the rest to -lms, in milliseconds.
 * The program is told once and loops itself: starting it anew costs 0.1 to 2 s of a core.
 */
static int query_plan(
	struct plan *plan, enum smi_log log, const char *fields, int64_t interval_ns)
{
	bool whole = interval_ns % NS_PER_S == 0;
	int64_t unit = whole ? NS_PER_S : NS_PER_MS;

	plan->smi_command[log].interval_ns = interval_ns;
	return smi_line(&plan->smi_command[log], plan->gpu_ids,
		"%s\n--query-%s=%s\n--format=csv\n%s\n%" PRId64, plan->smi,
		log == SMI_QUERY ? "gpu" : "compute-apps", fields, whole ? "-l" : "-lms",
		(interval_ns + unit / 2) / unit);
}

/* What knows whole seconds only, from 1 on. */
static int64_t whole_seconds(const struct plan *plan)
{
	return (plan->interval_ns + NS_PER_S - 1) / NS_PER_S;
}

static int scroll_plan(
	struct plan *plan, enum smi_log log, const char *groups, int64_t seconds)
{
	const char *gpm = log == SMI_DMON ? plan->gpm_metrics : NULL;

	plan->smi_command[log].interval_ns = seconds * NS_PER_S;
	return smi_line(&plan->smi_command[log], plan->gpu_ids,
		"%s\n%s\n-s\n%s\n-o\nDT\n-d\n%" PRId64 "%s%s", plan->smi,
		log == SMI_DMON ? "dmon" : "pmon", groups, seconds,
		gpm != NULL ? "\n--gpm-metrics\n" : "", gpm != NULL ? gpm : "");
}

/*
 * amd-smi loops itself. rocm-smi does not, and says no time: a shell does, which says it
 * before each table, until one fails. It has all that amd-smi lists once in each table.
 */
static int amd_plan(struct plan *plan)
{
	static const char loop[] =
		"/bin/sh\n-c\nwhile date -u '+%%Y-%%m-%%d %%H:%%M:%%S' && "
		"\"$0\" %s --csv; do sleep %" PRId64 "; done\n%s";
	struct smi_command *command = plan->smi_command;
	const char *name = strrchr(plan->amd, '/');
	int64_t seconds = whole_seconds(plan);

	for (enum smi_log log = SMI_AMD; log < SMI_LOGS; log++)
		command[log].interval_ns = seconds * NS_PER_S;
	if (name != NULL && strcmp(name, "/rocm-smi") == 0)
		return smi_line(&command[SMI_AMD], NULL, loop, "-a", seconds, plan->amd) |
			smi_line(&command[SMI_AMD_PROCESS], NULL, loop, "--showpids",
				seconds, plan->amd);
	return smi_line(&command[SMI_AMD], NULL, "%s\nmetric\n--csv\n--watch\n%" PRId64,
		       plan->amd, seconds) |
		smi_line(&command[SMI_AMD_PROCESS], NULL,
			"%s\nprocess\n--csv\n--watch\n%" PRId64, plan->amd, seconds) |
		smi_line(&command[SMI_AMD_LIST], NULL, "%s\nlist\n--csv", plan->amd) |
		smi_line(&command[SMI_AMD_STATIC], NULL, "%s\nstatic\n--csv", plan->amd);
}

/* pmon refuses to wait for longer than ten seconds. */
#define PMON_MOST 10

/* Which process holds how much memory changes slowly, and there are many rows. */
static int smis_plan(struct plan *plan)
{
	int64_t seconds = whole_seconds(plan);
	int failed = 0;

	if (plan->amd != NULL)
		failed |= amd_plan(plan);
	if (plan->smi == NULL || plan->patience == NULL)
		return failed;
	if (plan->query_fields != NULL)
		failed |= query_plan(plan, SMI_QUERY, plan->query_fields,
				  plan->interval_ns) |
			smi_line(&plan->query_last, plan->gpu_ids,
				"%s\n--query-gpu=%s\n--format=csv,noheader", plan->smi,
				plan->query_fields);
	if (plan->apps_fields != NULL)
		failed |=
			query_plan(plan, SMI_APPS, plan->apps_fields, seconds * NS_PER_S);
	if (plan->dmon_groups != NULL)
		failed |= scroll_plan(plan, SMI_DMON, plan->dmon_groups, seconds);
	if (plan->pmon_groups != NULL)
		failed |= scroll_plan(plan, SMI_PMON, plan->pmon_groups,
			seconds < PMON_MOST ? seconds : PMON_MOST);
	return failed;
}

/* Options whose value is kept as it is. */
static const struct {
	char letter;
	size_t offset;
} texts[] = {
	{'d', offsetof(struct plan, dir)},
	{'s', offsetof(struct plan, smi)},
	{'f', offsetof(struct plan, smi_failed)},
	{'g', offsetof(struct plan, gpu_rows)},
	{'G', offsetof(struct plan, gpu_ids)},
	{'w', offsetof(struct plan, patience)},
	{'A', offsetof(struct plan, amd)},
	{'q', offsetof(struct plan, query_fields)},
	{'m', offsetof(struct plan, dmon_groups)},
	{'M', offsetof(struct plan, gpm_metrics)},
	{'n', offsetof(struct plan, pmon_groups)},
	{'a', offsetof(struct plan, apps_fields)},
	{'z', offsetof(struct plan, gzip)},
};

static int text_option(struct plan *plan, int option)
{
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (texts[i].letter == option) {
			memcpy((char *)plan + texts[i].offset, &optarg, sizeof optarg);
			return 0;
		}
	return -1;
}

static int options_read(struct plan *plan, int argc, char **argv)
{
	int option, labels = 0, failed = 0;

	while (failed == 0 &&
		(option = getopt(argc, argv, "+d:i:l:s:f:g:G:w:A:q:m:M:n:a:p:S:bx:z:")) !=
			-1) {
		switch (option) {
		case 'i':
			plan->interval_ns = (int64_t)(strtod(optarg, NULL) * 1e9 + 0.5);
			break;
		case 'l':
			if (labels == PLAN_LABELS || strchr(optarg, '=') == NULL)
				return -1;
			plan->label[labels++] = optarg;
			break;
		case 'p':
			plan->pid = (pid_t)strtol(optarg, NULL, 10);
			break;
		case 'x':
			plan->max_size = strtoll(optarg, NULL, 10);
			break;
		case 'b':
			plan->background = true;
			break;
		case 'S':
			plan->whole_session = strstr(optarg, "session") != NULL;
			plan->whole_user = strstr(optarg, "user") != NULL;
			if (strstr(optarg, "job") != NULL)
				plan->batch_job = getenv(JOB_VARIABLE);
			break;
		default:
			failed = text_option(plan, option);
		}
	}
	plan->command = optind < argc ? argv + optind : NULL;
	return failed;
}

int plan_read(struct plan *plan, int argc, char **argv)
{
	*plan = (struct plan){0};
	if (options_read(plan, argc, argv) != 0 || plan->dir == NULL ||
		plan->interval_ns <= 0 ||
		(plan->command == NULL && plan->pid <= 0 && !plan->background)) {
		say("this program is started by the script collect");
		return -1;
	}
	if (plan->command == NULL && plan->pid <= 0 &&
		(plan->whole_session || plan->whole_user || plan->batch_job != NULL)) {
		say("--session, --user and --job go with a COMMAND or --pid");
		return -1;
	}
	if (getcwd(plan->cwd, sizeof plan->cwd) == NULL)
		plan->cwd[0] = '\0';
	if (smis_plan(plan) == 0)
		return 0;
	say("the list of query fields is too long");
	return -1;
}
