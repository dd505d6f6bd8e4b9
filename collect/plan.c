/*
 * Parses the command line that the script `collect` made: what to record, around which
 * command. Must not know how it is recorded.
 */
#include "plan.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "text.h"
#include "tree.h"

/* The script has checked it: digits, perhaps a point and digits, not below 0.01. */
static int64_t interval_read(const char *text)
{
	int64_t ns = 0, unit = NS_PER_S;

	for (; *text >= '0' && *text <= '9' && ns < 1000000 * NS_PER_S; text++)
		ns = 10 * ns + (*text - '0') * NS_PER_S;
	if (*text == '.')
		for (text++; *text >= '0' && *text <= '9'; text++) {
			unit /= 10;
			ns += (*text - '0') * unit;
		}
	return *text == '\0' ? ns : 0;
}

static void smi_word(struct smi_command *command, size_t at, const char *word)
{
	command->argv[at] = command->text[at];
	(void)snprintf(command->text[at], sizeof command->text[at], "%s", word);
}

static void smi_number(struct smi_command *command, size_t at, int64_t number)
{
	command->argv[at] = command->text[at];
	(void)snprintf(command->text[at], sizeof command->text[at], "%" PRId64, number);
}

/* The command has that many words, but for those that say which GPUs. */
static void smi_end(const struct plan *plan, struct smi_command *command, size_t words)
{
	command->words = words;
	if (plan->gpu_ids == NULL)
		return;
	smi_word(command, words, "-i");
	command->argv[words + 1] = plan->gpu_ids;
}

/*
 * Whole seconds go to -l, which every nvidia-smi has; the rest to -lms, in milliseconds.
 * The program is told once and loops itself: starting it anew costs 0.1 to 2 s of a core.
 */
static void loop_plan(struct smi_command *command, size_t at, int64_t interval_ns)
{
	bool whole = interval_ns % NS_PER_S == 0;
	int64_t unit = whole ? NS_PER_S : NS_PER_S / 1000;

	smi_word(command, at, whole ? "-l" : "-lms");
	smi_number(command, at + 1, (interval_ns + unit / 2) / unit);
	command->interval_ns = interval_ns;
}

static int query_plan(struct plan *plan)
{
	struct smi_command *query = &plan->smi_command[SMI_QUERY];
	struct smi_command *last = &plan->query_last;
	int length = snprintf(plan->query_option, sizeof plan->query_option,
		"--query-gpu=%s", plan->query_fields);

	if (length < 0 || (size_t)length >= sizeof plan->query_option)
		return -1;
	query->argv[0] = plan->smi;
	query->argv[1] = plan->query_option;
	smi_word(query, 2, "--format=csv");
	loop_plan(query, 3, plan->interval_ns);
	last->argv[0] = plan->smi;
	last->argv[1] = plan->query_option;
	smi_word(last, 2, "--format=csv,noheader");
	smi_end(plan, query, 5);
	smi_end(plan, last, 3);
	return 0;
}

/* What knows whole seconds only, from 1 on. */
static int64_t whole_seconds(const struct plan *plan)
{
	return (plan->interval_ns + NS_PER_S - 1) / NS_PER_S;
}

/* Which process holds how much memory changes slowly, and there are many rows. */
static int apps_plan(struct plan *plan)
{
	struct smi_command *apps = &plan->smi_command[SMI_APPS];
	int length = snprintf(plan->apps_option, sizeof plan->apps_option,
		"--query-compute-apps=%s", plan->apps_fields);

	if (length < 0 || (size_t)length >= sizeof plan->apps_option)
		return -1;
	apps->argv[0] = plan->smi;
	apps->argv[1] = plan->apps_option;
	smi_word(apps, 2, "--format=csv");
	loop_plan(apps, 3, whole_seconds(plan) * NS_PER_S);
	smi_end(plan, apps, 5);
	return 0;
}

/* pmon refuses to wait for longer than ten seconds. */
#define PMON_MOST 10

static void scroll_plan(struct plan *plan, enum smi_log log, const char *word,
	char *groups, int64_t seconds)
{
	struct smi_command *scroll = &plan->smi_command[log];

	scroll->interval_ns = seconds * NS_PER_S;
	scroll->argv[0] = plan->smi;
	smi_word(scroll, 1, word);
	smi_word(scroll, 2, "-s");
	scroll->argv[3] = groups;
	smi_word(scroll, 4, "-o");
	smi_word(scroll, 5, "DT");
	smi_word(scroll, 6, "-d");
	smi_number(scroll, 7, seconds);
	smi_end(plan, scroll, 8);
}

static void scrolls_plan(struct plan *plan)
{
	int64_t seconds = whole_seconds(plan);

	if (plan->dmon_groups != NULL)
		scroll_plan(plan, SMI_DMON, "dmon", plan->dmon_groups, seconds);
	if (plan->pmon_groups != NULL)
		scroll_plan(plan, SMI_PMON, "pmon", plan->pmon_groups,
			seconds < PMON_MOST ? seconds : PMON_MOST);
}

/*
 * amd-smi loops itself. rocm-smi does not, and says no time: a shell does, which says it
 * before each table, until one fails.
 */
static void amd_plan(struct plan *plan)
{
	struct smi_command *amd = &plan->smi_command[SMI_AMD];
	const char *name = strrchr(plan->amd, '/');
	int64_t seconds = whole_seconds(plan);

	amd->interval_ns = seconds * NS_PER_S;
	if (name != NULL && strcmp(name, "/rocm-smi") == 0) {
		(void)snprintf(plan->amd_loop, sizeof plan->amd_loop,
			"while date -u '+%%Y-%%m-%%d %%H:%%M:%%S' && \"$0\" -a --csv; do "
			"sleep %" PRId64 "; done",
			seconds);
		smi_word(amd, 0, "/bin/sh");
		smi_word(amd, 1, "-c");
		amd->argv[2] = plan->amd_loop;
		amd->argv[3] = plan->amd;
		return;
	}
	amd->argv[0] = plan->amd;
	smi_word(amd, 1, "metric");
	smi_word(amd, 2, "--csv");
	smi_word(amd, 3, "--watch");
	smi_number(amd, 4, seconds);
}

static int options_read(struct plan *plan, int argc, char **argv)
{
	int option, labels = 0;

	while ((option = getopt(argc, argv, "+d:i:l:s:f:g:G:w:A:q:m:n:a:p:S:bx:z:")) !=
		-1) {
		switch (option) {
		case 'd':
			plan->dir = optarg;
			break;
		case 'i':
			plan->interval_ns = interval_read(optarg);
			break;
		case 'l':
			if (labels == PLAN_LABELS || strchr(optarg, '=') == NULL)
				return -1;
			plan->label[labels++] = optarg;
			break;
		case 's':
			plan->smi = optarg;
			break;
		case 'f':
			plan->smi_failed = optarg;
			break;
		case 'g':
			plan->gpu_rows = optarg;
			break;
		case 'G':
			plan->gpu_ids = optarg;
			break;
		case 'A':
			plan->amd = optarg;
			break;
		case 'w':
			plan->patience = optarg;
			break;
		case 'q':
			plan->query_fields = optarg;
			break;
		case 'm':
			plan->dmon_groups = optarg;
			break;
		case 'n':
			plan->pmon_groups = optarg;
			break;
		case 'a':
			plan->apps_fields = optarg;
			break;
		case 'p':
			plan->pid = (pid_t)strtol(optarg, NULL, 10);
			break;
		case 'x':
			plan->max_size = strtoll(optarg, NULL, 10);
			break;
		case 'z':
			plan->gzip = optarg;
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
			return -1;
		}
	}
	plan->command = optind < argc ? argv + optind : NULL;
	return 0;
}

int plan_read(struct plan *plan, int argc, char **argv)
{
	(void)memset(plan, 0, sizeof *plan);
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
	if (plan->amd != NULL)
		amd_plan(plan);
	if (plan->smi == NULL || plan->patience == NULL)
		return 0;
	scrolls_plan(plan);
	if ((plan->query_fields == NULL || query_plan(plan) == 0) &&
		(plan->apps_fields == NULL || apps_plan(plan) == 0))
		return 0;
	say("the list of query fields is too long");
	return -1;
}
