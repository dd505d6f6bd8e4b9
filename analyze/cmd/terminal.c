/* Asks the terminal and the environment. */
#include "cmd/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/number.h"
#include "base/text.h"
#include "render/utf8.h"

#define WIDTH_MOST 10000

static int terminal_width(FILE *file)
{
	struct winsize size;

	if (isatty(fileno(file)) && ioctl(fileno(file), TIOCGWINSZ, &size) == 0 &&
		size.ws_col > 0)
		return size.ws_col;
	return 80;
}

/* What the user wants it to be goes before what it is, as POSIX has it of COLUMNS. */
int terminal_columns(FILE *file)
{
	const char *wanted = getenv("COLUMNS");
	uint64_t columns;

	if (isatty(fileno(file)) && wanted &&
		number_unsigned(span_of(wanted), &columns) && columns > 0 &&
		columns <= WIDTH_MOST)
		return (int)columns;
	return terminal_width(file);
}

/* Of "de_DE.utf-8@euro" what is behind the dot, which libraries take in every spelling;
 * "UTF-8" is a locale of macOS, which its ssh hands on. */
static bool names_utf8(const char *locale)
{
	const char *dot = strchr(locale, '.'), *set = dot ? dot + 1 : locale;

	return strncasecmp(set, "utf-8", 5) == 0 || strncasecmp(set, "utf8", 4) == 0;
}

/* It is asked before the program draws lines and bars. Names stay as they are, as where
 * a locale is missing, in containers and over ssh, the terminal mostly shows them. */
static bool speaks_unicode(void)
{
	const char *names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (int i = 0; i < 3; i++) {
		const char *value = getenv(names[i]);

		if (value && value[0])
			return names_utf8(value);
	}
	return false;
}

bool terminal_can_wipe(FILE *file)
{
	const char *term = getenv("TERM");

	return isatty(fileno(file)) && term && term[0] && strcmp(term, "dumb") != 0;
}

void terminal_show(FILE *file, const char *text)
{
	fprintf(file, "\r\033[K%.*s", terminal_width(file) - 1, text);
	fflush(file);
}

void terminal_wipe(FILE *file)
{
	fputs("\r\033[K", file);
	fflush(file);
}

struct render_options terminal_options(const struct options *opt, FILE *file)
{
	const char *no_color = getenv("NO_COLOR");
	bool terminal = terminal_can_wipe(file);

	return (struct render_options){.terminal = terminal,
		.color = terminal && !opt->no_color && !(no_color && no_color[0]),
		.unicode = terminal && speaks_unicode(),
		.width = terminal_columns(file),
		.calls = opt->calls,
		.verbose = opt->verbose};
}

char *terminal_line(const char *sentence)
{
	struct strbuf line;

	strbuf_init(&line);
	utf8_inert(&line, sentence);
	return strbuf_detach(&line);
}
