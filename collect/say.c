/* Messages of collect to people: whole sentences on standard error. */
#include "say.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void say(const char *format, ...)
{
	char line[8192] = "collect: ";
	const int prefix = 9, room = (int)sizeof line - prefix - 1;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(line + prefix, (size_t)room, format, arguments);
	va_end(arguments);
	if (length < 0)
		return;
	if (length >= room)
		length = room - 1;
	/* A name may hold anything; the sentence is one line. */
	for (char *at = line + prefix; at < line + prefix + length; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '?';
	line[prefix + length] = '\n';
	if (write(STDERR_FILENO, line, (size_t)(prefix + length + 1)) < 0)
		return;
}
