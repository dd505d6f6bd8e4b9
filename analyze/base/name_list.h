/*
 * Names in a sentence: "a, b (71.2 %), c and 4 more". Of many the first few stand there,
 * and how many more there are.
 */
#ifndef BASE_NAME_LIST_H
#define BASE_NAME_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

struct name_list {
	struct strbuf text; /* to be appended to where a name is wanted */
	size_t count; /* of all */
	size_t most; /* that stand there */
};

void name_list_init(struct name_list *list, size_t most);
void name_list_release(struct name_list *list);

/* There is one more. True: its name is wanted, behind the comma that is in text now. */
bool name_list_next(struct name_list *list);

/* Says how many more there are; no name may follow. */
void name_list_end(struct name_list *list);

#endif
