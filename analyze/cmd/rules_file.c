/* A whole file, up to a limit that no list of rules comes near. */
#include "cmd/rules_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "rules/gate.h"

#define BYTES_MAX (4 << 20)

/* -1: errno says why not. */
static int read_all(struct strbuf *text, FILE *file)
{
	char bytes[4096];
	size_t n;

	while ((n = fread(bytes, 1, sizeof bytes, file)) > 0 && text->len <= BYTES_MAX)
		strbuf_add(text, bytes, n);
	return ferror(file) ? -1 : 0;
}

static int parse_file(
	struct gate_rules *rules, const char *name, FILE *file, struct error *err)
{
	struct strbuf text;
	int status;

	strbuf_init(&text);
	strbuf_adds(&text, "");
	errno = 0;
	if (read_all(&text, file) < 0)
		status = error_set(err, "%s: can't be read: %s", name, strerror(errno));
	else if (text.len > BYTES_MAX || memchr(text.text, 0, text.len))
		status = error_set(err,
			"%s: is no list of rules: expected JSON text of at most 4 MiB",
			name);
	else
		status = gate_rules_parse(rules, name, text.text, err);
	strbuf_release(&text);
	return status;
}

/* What has no slash and no dot may be meant as the name of some that are carried. */
static int refuse(const char *name, int why, struct error *err)
{
	struct strbuf carried;

	strbuf_init(&carried);
	if (!strpbrk(name, "/."))
		gate_rules_list(&carried);
	error_set(err, "%s: can't be opened: %s%s%s", name, strerror(why),
		carried.len ? "; there are carried " : "", carried.text);
	strbuf_release(&carried);
	return -1;
}

int rules_file_read(struct gate_rules *rules, const char *name, struct error *err)
{
	const char *carried = gate_rules_carried(name);
	FILE *file = fopen(name, "rb");
	int status;

	*rules = GATE_RULES_INIT;
	if (!file && carried)
		return gate_rules_parse(rules, name, carried, err);
	if (!file)
		return refuse(name, errno, err);
	status = parse_file(rules, name, file, err);
	fclose(file);
	return status;
}
