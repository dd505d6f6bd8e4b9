/*
 * What went wrong during a recording, said in one line at its end.
 * This room knows nothing of recorders.
 */
#include "troubles.h"

#include "say.h"

#include <stdarg.h>
#include <stdio.h>

void troubles_add(struct troubles *troubles, const char *format, ...)
{
	va_list arguments;

	if (troubles->count++ > 0)
		return;
	va_start(arguments, format);
	(void)vsnprintf(troubles->first, sizeof troubles->first, format, arguments);
	va_end(arguments);
}

void troubles_say(const struct troubles *troubles)
{
	if (troubles->count == 1)
		say("%s", troubles->first);
	else if (troubles->count > 1)
		say("%s (and %u more)", troubles->first, troubles->count - 1);
}
