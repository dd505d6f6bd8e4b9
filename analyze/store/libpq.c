/* Loads each function of libpq by name from the installed library. */
#include "base/diag.h"

#ifdef HAVE_LIBPQ
#include <dlfcn.h>

#include "store/libpq.h"

#define LIBRARY "libpq.so.5"

int libpq_load(struct libpq *out, struct error *err)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return error_set(err,
			"PostgreSQL's client library can't be loaded: %s; expected it as "
			"package libpq5 brings it",
			dlerror());
#define LIBPQ_FIND(name)                              \
	*(void **)&out->name = dlsym(library, #name); \
	if (!out->name)                               \
		return error_set(err, LIBRARY ": it has no " #name);
	LIBPQ_FUNCTIONS(LIBPQ_FIND)
#undef LIBPQ_FIND
	return 0;
}
#endif
