/* Which command takes what its help says: here is of which options that must be so. */
#include "cmd/belongs.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"
#include "cmd/help.h"

/* "report, export and gate": the first of them. */
static const char *add_commands(struct strbuf *sb, const char *option)
{
	const char *first = NULL, *name, *last = NULL;

	for (size_t i = 0; (name = help_command(i)); i++) {
		if (!help_takes(name, option))
			continue;
		if (last)
			strbuf_addf(sb, "%s%s", last == first ? " " : ", ", last);
		first = first ? first : name;
		last = name;
	}
	if (last)
		strbuf_addf(sb, "%s %s", last == first ? "" : " and", last);
	return first;
}

char *belongs_refuse(const struct options *opt, const char *command)
{
	static const struct {
		const char *name;
		bool summary; /* it is one of hwsummarize RUN..., too */
	} option[] = {{"rules", false}, {"calibrate", false}, {"selftest", false},
		{"baseline-db", false}, {"vs", false}, {"by", false}, {"work", false},
		{"statistic", false}, {"dsn", false}, {"where", false}, {"calls", true},
		{"per-core", true}, {"label", true}, {"strict", true}, {"jobs", true},
		{"tz", true}, {"columns", true}, {"ram-unit", true},
		{"gpu-ram-unit", true}, {"time-unit", true}, {"expected-cores", true},
		{"gpus", true}, {"cell", true}, {"no-idle", true}, {"level", true}};
	struct strbuf sb;

	for (size_t i = 0; i < sizeof option / sizeof *option; i++) {
		const char *name = option[i].name, *first;

		if (!options_has(opt, name) ||
			(command ? help_takes(command, name) : option[i].summary))
			continue;
		strbuf_init(&sb);
		strbuf_addf(&sb, "--%s is an option of", name);
		first = add_commands(&sb, name);
		if (!first)
			strbuf_adds(&sb, " hwsummarize RUN...");
		if (command)
			strbuf_addf(&sb, ", and does nothing for %s", command);
		else
			strbuf_addf(&sb, "; expected hwsummarize %s", first);
		return strbuf_detach(&sb);
	}
	return NULL;
}
