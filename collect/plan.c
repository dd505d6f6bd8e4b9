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
	(void)snprintf(query->text[0], sizeof query->text[0], "--format=csv");
	(void)snprintf(query->text[1], sizeof query->text[1], "%" PRId64,
		(plan->interval_ns + unit / 2) / unit);
	query->argv[0] = plan->smi;
	query->argv[1] = plan->query_option;
	query->argv[2] = query->text[0];
	query->argv[3] = whole ? "-l" : "-lms";
	query->argv[4] = query->text[1];
	(void)snprintf(last->text[0], sizeof last->text[0], "--format=csv,noheader");
	last->argv[0] = plan->smi;
	last->argv[1] = plan->query_option;
	last->argv[2] = last->text[0];
	return 0;
}

/* dmon knows whole seconds only, from 1 on. */
static void dmon_plan(struct plan *plan)
{
	struct smi_command *dmon = &plan->dmon;
	int64_t seconds = (plan->interval_ns + NS_PER_S - 1) / NS_PER_S;

	plan->dmon_interval_ns = seconds * NS_PER_S;
	(void)snprintf(dmon->text[0], sizeof dmon->text[0], "%" PRId64, seconds);
	dmon->argv[0] = plan->smi;
	dmon->argv[1] = "dmon";
	dmon->argv[2] = "-s";
	dmon->argv[3] = plan->dmon_groups;
	dmon->argv[4] = "-o";
	dmon->argv[5] = "DT";
	dmon->argv[6] = "-d";
	dmon->argv[7] = dmon->text[0];
}

static int options_read(struct plan *plan, int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "+d:i:s:g:q:m:")) != -1) {
		switch (option) {
		case 'd':
			plan->dir = optarg;
			break;
		case 'i':
			plan->interval_ns = interval_read(optarg);
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
		default:
			return -1;
		}
	}
	plan->command = argv + optind;
	return 0;
}

int plan_read(struct plan *plan, int argc, char **argv)
{
	(void)memset(plan, 0, sizeof *plan);
	if (options_read(plan, argc, argv) != 0 || plan->dir == NULL ||
		plan->interval_ns <= 0 || *plan->command == NULL) {
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
