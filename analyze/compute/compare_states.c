/* Of a run that has a metric, the states that it was never in. */
#include <math.h>

#include "compute/comparing.h"

/* Of a run that has other states of the metric, a state that is not there is 0. */
static void fill_row(struct comparison *out, struct comparison_row *row)
{
	for (size_t i = 0; i < out->row_count && row->measure.state; i++) {
		struct measure other = out->row[i].measure;

		if (!other.state)
			continue;
		other.state = row->measure.state;
		for (size_t k = 0; k < out->run_count; k++)
			if (isnan(row->value[k]) && !isnan(out->row[i].value[k]) &&
				measure_same(&other, &row->measure))
				row->value[k] = 0;
	}
}

void states_end(struct comparing *c)
{
	for (size_t i = 0; i < c->out->row_count; i++)
		fill_row(c->out, &c->out->row[i]);
}
