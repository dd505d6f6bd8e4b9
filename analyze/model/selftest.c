/* Memory of a self-test, and its names. */
#include "model/selftest.h"

#include <stdlib.h>

const char *injection_name(enum injection injection)
{
	switch (injection) {
	case INJECTION_NOTHING:
		return "nothing";
	case INJECTION_CHANGE:
		return "change";
	case INJECTION_VANISHED:
		return "vanished";
	}
	return "";
}

void selftest_release(struct selftest *selftest)
{
	for (size_t i = 0; i < selftest->count; i++)
		free(selftest->result[i].why);
	free(selftest->result);
	*selftest = SELFTEST_INIT;
}
