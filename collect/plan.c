/* Parses the command line that the script `collect` made. */
#include "plan.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base.h"

const char *const smi_names[SMI_COMMANDS] = {"query", "dmon", "pmon", "apps", "amd",
	"amd_process", "amd_list", "amd_static", "last", "ask"};

static int64_t seconds_ns(const char *text)
{
	return text != NULL ? (int64_t)(strtod(text, NULL) * 1e9 + 0.5) : 0;
}

static struct smi_command *command_of(struct plan *plan, const char *name)
{
	for (size_t i = 0; i < SMI_COMMANDS; i++)
		if (strcmp(smi_names[i], name) == 0)
			return &plan->smi_command[i];
	return NULL;
}

/* Each command line is a line "NAME SECONDS [each]", a line for each word, and an empty
 * line. Of a program that is not recorded it is "NAME STATE TEXT", and an empty line. */
int plan_commands(struct plan *plan, char *text)
{
	char *line, *word;

	while ((line = strsep(&text, "\n")) != NULL && *line != '\0') {
		struct smi_command *command = command_of(plan, strsep(&line, " "));
		size_t words = 0;

		if (command == NULL || line == NULL)
			return -1;
		if (isdigit((unsigned char)*line)) {
			*command = (struct smi_command){.interval_ns = seconds_ns(line),
				.each = strstr(line, " each") != NULL};
		} else if (command->argv[0] == NULL) {
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

int plan_read(struct plan *plan, int argc, char **argv)
{
	const char *scopes;
	char *text[128] = {NULL}; /* of each option */
	int option, labels = 0;
	bool good = true;

	*plan = (struct plan){0};
	while ((option = getopt(argc, argv, "+d:i:F:G:L:l:c:w:g:p:S:bx:z:")) != -1) {
		text[option] = optarg;
		good &= option != '?' && labels < PLAN_LABELS;
		plan->background |= option == 'b';
		if (good && option == 'l')
			plan->label[labels++] = optarg;
	}
	plan->dir = text['d'];
	plan->facts = text['F'];
	plan->recorded = text['G'];
	plan->lost = text['L'];
	plan->uuids = text['g'] != NULL ? text['g'] : "";
	plan->gzip = text['z'];
	plan->interval_ns = seconds_ns(text['i']);
	plan->patience_ns = seconds_ns(text['w']);
	plan->pid = text['p'] != NULL ? (pid_t)strtol(text['p'], NULL, 10) : 0;
	plan->max_size = text['x'] != NULL ? strtoll(text['x'], NULL, 10) : 0;
	scopes = text['S'] != NULL ? text['S'] : "";
	plan->whole_session = strstr(scopes, "session") != NULL;
	plan->whole_user = strstr(scopes, "user") != NULL;
	plan->batch_job = strstr(scopes, "job") != NULL ? getenv(JOB_VARIABLE) : NULL;
	plan->command = optind < argc ? argv + optind : NULL;
	if (!good || (text['c'] != NULL && plan_commands(plan, text['c']) != 0) ||
		plan->dir == NULL || plan->interval_ns <= 0 ||
		(plan->command == NULL && plan->pid <= 0 && !plan->background)) {
		say("this program is started by the script collect");
		return -1;
	}
	if (getcwd(plan->cwd, sizeof plan->cwd) == NULL)
		plan->cwd[0] = '\0';
	return 0;
}
