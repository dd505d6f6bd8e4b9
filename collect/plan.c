/* Parses the command line that the script `collect` made. */
#include "plan.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base.h"

const char *const smi_names[SMI_LOGS] = {
	"query", "dmon", "pmon", "apps", "amd", "amd_process", "amd_list", "amd_static"};

static int64_t seconds_ns(const char *text)
{
	return (int64_t)(strtod(text, NULL) * 1e9 + 0.5);
}

static struct smi_command *command_of(struct plan *plan, const char *name)
{
	for (size_t i = 0; i < SMI_LOGS; i++)
		if (strcmp(smi_names[i], name) == 0)
			return &plan->smi_command[i];
	return strcmp(name, "last") == 0 ? &plan->query_last : NULL;
}

/* Each command line is a line "NAME SECONDS [each]", a line for each word, and an empty
 * line. Of a program that is not recorded it is "NAME STATE TEXT", and an empty line. */
static int commands_read(struct plan *plan, char *text)
{
	char *line, *word;

	while ((line = strsep(&text, "\n")) != NULL && *line != '\0') {
		struct smi_command *command = command_of(plan, strsep(&line, " "));
		size_t words = 0;

		if (command == NULL || line == NULL)
			return -1;
		command->interval_ns = seconds_ns(line);
		command->each = strstr(line, " each") != NULL;
		if (command->interval_ns == 0 && command != &plan->query_last) {
			command->state = strsep(&line, " ");
			command->said = line;
		}
		while ((word = strsep(&text, "\n")) != NULL && *word != '\0') {
			if (words == SMI_WORDS)
				return -1;
			command->argv[words++] = word;
		}
	}
	return 0;
}

static int options_read(struct plan *plan, int argc, char **argv)
{
	const struct {
		char option, **text;
	} texts[] = {{'d', &plan->dir}, {'F', &plan->facts}, {'G', &plan->recorded},
		{'L', &plan->lost}, {'s', &plan->smi}, {'g', &plan->uuids},
		{'z', &plan->gzip}};
	int option, labels = 0, failed = 0;

	while (failed == 0 &&
		(option = getopt(argc, argv, "+d:i:F:G:L:l:c:w:s:g:p:S:bx:z:")) != -1) {
		switch (option) {
		case 'i':
			plan->interval_ns = seconds_ns(optarg);
			break;
		case 'c':
			failed = commands_read(plan, optarg);
			break;
		case 'w':
			plan->patience_ns = seconds_ns(optarg);
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
		case '?':
			failed = -1;
		}
		for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
			if (texts[i].option == option)
				*texts[i].text = optarg;
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
	if (getcwd(plan->cwd, sizeof plan->cwd) == NULL)
		plan->cwd[0] = '\0';
	return 0;
}
