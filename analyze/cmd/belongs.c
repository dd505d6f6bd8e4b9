/* A table of options and their commands. */
#include "cmd/belongs.h"

#include <stdbool.h>
#include <string.h>

#include "base/strbuf.h"

#define COMMANDS_MOST 3

char *belongs_refuse(const struct options *opt, const char *command)
{
	const struct {
		bool given;
		const char *name, *command[COMMANDS_MOST];
	} option[] = {{opt->gate_rules, "rules", {"gate"}},
		{opt->calibrate, "calibrate", {"gate"}},
		{opt->selftest, "selftest", {"gate"}},
		{opt->baseline_db, "baseline-db", {"compare", "gate"}},
		{opt->vs >= 0, "vs", {"compare", "gate", "report"}},
		{opt->by, "by", {"trend"}}, {opt->work, "work", {"trend"}},
		{opt->statistic, "statistic", {"compare", "trend"}},
		{opt->dsn, "dsn", {"push"}}};
	struct strbuf sb;

	for (size_t i = 0; i < sizeof option / sizeof *option; i++) {
		bool belongs = !option[i].given;

		for (size_t k = 0; k < COMMANDS_MOST && option[i].command[k]; k++)
			belongs |= command && strcmp(option[i].command[k], command) == 0;
		if (belongs)
			continue;
		strbuf_init(&sb);
		strbuf_addf(&sb, "--%s is an option of", option[i].name);
		for (size_t k = 0; k < COMMANDS_MOST && option[i].command[k]; k++)
			strbuf_addf(&sb, "%s %s", k ? " and" : "", option[i].command[k]);
		if (command)
			strbuf_addf(&sb, ", and does nothing for %s", command);
		else
			strbuf_addf(
				&sb, "; expected hwsummarize %s", option[i].command[0]);
		return strbuf_detach(&sb);
	}
	return NULL;
}
