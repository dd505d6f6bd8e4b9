/* A log that counts into itself. */
#include "read/glance.h"

void glance_begin(struct glance *g, struct reading *reading, size_t file)
{
	struct error err;

	*g = (struct glance){.diags = DIAG_LIST_INIT};
	csv_row_init(&g->row);
	g->log = reading_open(reading, file, reading->run, &g->counts, &g->diags, &err);
}

bool glance_on(struct glance *g, struct span *line)
{
	return g->log && g->lines++ < GLANCE_LINES && log_line(g->log, line);
}

void glance_end(struct glance *g)
{
	if (g->log)
		log_free(g->log);
	csv_row_release(&g->row);
	diag_list_release(&g->diags);
}
