/* Makes the path of a phase from its names, and matches paths against globs. */
#include "model/phase_name.h"

#include <fnmatch.h>
#include <string.h>

static bool is_code(const char *s)
{
	return strncmp(s, "%2F", 3) == 0 || strncmp(s, "%25", 3) == 0 ||
		strncmp(s, "%28", 3) == 0;
}

void phase_path_add(struct strbuf *path, const char *name)
{
	if (strcmp(name, PHASE_OUTSIDE) == 0 || strcmp(name, PHASE_BEYOND) == 0) {
		strbuf_adds(path, "%28");
		name++;
	}
	for (; *name; name++) {
		if (*name == '/')
			strbuf_adds(path, "%2F");
		else if (is_code(name))
			strbuf_adds(path, "%25");
		else
			strbuf_addc(path, *name);
	}
}

const char *phase_path_last(const char *path)
{
	const char *last = strrchr(path, '/');

	return last ? last + 1 : path;
}

static void read_path(struct strbuf *names, const char *path, bool outside)
{
	for (; *path; path++) {
		if (!is_code(path) || (path[2] == '8' && !outside)) {
			strbuf_addc(names, *path);
			continue;
		}
		strbuf_addc(names, path[2] == 'F' ? '/' : path[2] == '5' ? '%' : '(');
		path += 2;
	}
}

void phase_path_read(struct strbuf *names, const char *path)
{
	read_path(names, path, true);
}

void phase_path_show(struct strbuf *shown, const char *path)
{
	read_path(shown, path, false);
}

static bool fits_names(const char *glob, const char *path)
{
	struct strbuf names = strbuf_new();
	bool fits;

	phase_path_read(&names, path);
	fits = fnmatch(glob, names.text, 0) == 0;
	strbuf_release(&names);
	return fits;
}

bool phase_fits(const char *glob, const char *path)
{
	const char *last = phase_path_last(path);

	if (glob[0] == '/')
		return fnmatch(glob + 1, path, 0) == 0;
	return fnmatch(glob, path, 0) == 0 || fnmatch(glob, last, 0) == 0 ||
		(strchr(path, '%') && (fits_names(glob, path) || fits_names(glob, last)));
}
