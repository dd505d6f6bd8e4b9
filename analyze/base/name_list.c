/* Counts them all, and names the first. */
#include "base/name_list.h"

void name_list_init(struct name_list *list, size_t most)
{
	*list = (struct name_list){.most = most};
	strbuf_init(&list->text);
}

void name_list_release(struct name_list *list)
{
	strbuf_release(&list->text);
}

bool name_list_next(struct name_list *list)
{
	if (list->count++ >= list->most)
		return false;
	strbuf_adds(&list->text, list->count > 1 ? ", " : "");
	return true;
}

void name_list_end(struct name_list *list)
{
	if (list->count > list->most)
		strbuf_addf(&list->text, " and %zu more", list->count - list->most);
}
