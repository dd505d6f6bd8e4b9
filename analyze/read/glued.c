/* A name is looked for at the begin and behind every character that may be a border. */
#include "read/glued.h"

#include <string.h>

#include "read/cell.h"
#include "read/columns.h"

static bool is_of_name(char c)
{
	return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (c >= '0' && c <= '9') ||
		c == '.' || c == '_';
}

bool glued_is_border(char c)
{
	return !is_of_name(c) && c && !strchr(" \t\r([-/", c);
}

/* Without it the numbers are other ones, or of other GPUs. */
static bool counts(enum role role)
{
	switch (role) {
	case ROLE_METRIC:
	case ROLE_TIME:
	case ROLE_EPOCH:
	case ROLE_DATE:
	case ROLE_CLOCK:
	case ROLE_INDEX:
	case ROLE_GPU:
	case ROLE_UUID:
	case ROLE_BUS_ID:
	case ROLE_BUS:
	case ROLE_SERIAL:
	case ROLE_HOST:
	case ROLE_PID:
		return true;
	case ROLE_IGNORED:
	case ROLE_KNOWN:
	case ROLE_MODEL:
	case ROLE_INSTANCE:
	case ROLE_COMMAND:
		break;
	}
	return false;
}

/* Behind a unit in brackets, if there is one. */
static struct span without_unit(struct span rest)
{
	struct span unit = span_trim(rest);
	const char *end;

	if (!span_begins(unit, "["))
		return rest;
	end = memchr(unit.at, ']', unit.len);
	if (!end)
		return rest;
	return (struct span){end + 1, unit.len - (size_t)(end + 1 - unit.at)};
}

/* The name that a text begins with, up to its end or to a border. */
static struct span name_at(enum source_kind source, struct span text)
{
	struct span name = {text.at, 0}, rest;

	while (name.len < text.len && is_of_name(text.at[name.len]))
		name.len++;
	rest = without_unit((struct span){text.at + name.len, text.len - name.len});
	if (!name.len || !counts(column_role(source, name)) ||
		(rest.len && !glued_is_border(rest.at[0])))
		name.len = 0;
	return name;
}

struct span glued_find(enum source_kind source, struct span name)
{
	struct span found = name_at(source, name);

	for (size_t i = 0; i < name.len && !found.len; i++) {
		struct span rest = {name.at + i + 1, name.len - i - 1};

		if (glued_is_border(name.at[i]) || (!i && name.at[0] == '-'))
			found = name_at(source, span_trim(rest));
	}
	return found;
}
