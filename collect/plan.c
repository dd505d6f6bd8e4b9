/*
 * What is to be recorded and around what, read from the command line that the script
 * `collect` has made.
 * This room must not know how it is done.
 */
#include "plan.h"

#include "clock.h"
#include "say.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/*
 * Whole seconds go to -l, which every nvidia-smi has; the rest to -lms, in milliseconds.
 * The program is told once and loops itself: starting it anew costs 0.1 to 2 s of a core.
 */
static int query_plan(struct plan *plan)
{
	struct smi_command *query = &plan->query, *last = &plan->query_last;
	bool whole = plan->interval_ns % NS_PER_S == 0;
	int64_t unit = whole ? NS_PER_S : NS_PER_S / 1000;
	int length = snprintf(plan->query_option, sizeof plan->query_option,
		"--query-gpu=%s", plan->query_fields);

	if (length < 0 || (size_t)length >= sizeof plan->query_option)
		return -1;
	query->argv[0] = plan->smi;
	query->argv[1] = plan->query_option;
	smi_word(query, 2, "--format=csv");
	smi_word(query, 3, whole ? "-l" : "-lms");
	smi_number(query, 4, (plan->interval_ns + unit / 2) / unit);
	last->argv[0] = plan->smi;
	last->argv[1] = plan->query_option;
	smi_word(last, 2, "--format=csv,noheader");
	return 0;
}

/* dmon knows whole seconds only, from 1 on. */
static void dmon_plan(struct plan *plan)
{
	struct smi_command *dmon = &plan->dmon;
	int64_t seconds = (plan->interval_ns + NS_PER_S - 1) / NS_PER_S;

	plan->dmon_interval_ns = seconds * NS_PER_S;
	dmon->argv[0] = plan->smi;
	smi_word(dmon, 1, "dmon");
	smi_word(dmon, 2, "-s");
	dmon->argv[3] = plan->dmon_groups;
	smi_word(dmon, 4, "-o");
	smi_word(dmon, 5, "DT");
	smi_word(dmon, 6, "-d");
	smi_number(dmon, 7, seconds);
}

static int options_read(struct plan *plan, int argc, char **argv)
{
	int option, labels = 0;

	while ((option = getopt(argc, argv, "+d:i:l:s:g:q:m:p:Sbx:z:")) != -1) {
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
		case 'g':
			plan->gpu_rows = optarg;
			break;
		case 'q':
			plan->query_fields = optarg;
			break;
		case 'm':
			plan->dmon_groups = optarg;
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
			plan->whole_session = true;
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
	if (getcwd(plan->cwd, sizeof plan->cwd) == NULL)
		plan->cwd[0] = '\0';
	if (plan->smi == NULL)
		return 0;
	if (plan->query_fields != NULL && query_plan(plan) != 0) {
		say("the list of query fields is too long");
		return -1;
	}
	if (plan->dmon_groups != NULL)
		dmon_plan(plan);
	return 0;
}
